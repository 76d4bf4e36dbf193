//! The files of policy and value networks: models, and the options beside them.

use std::path::Path;

use shogi_deep::{DeepBackend, DeepModel, DeepRuntime, ModelError, NetworkModel};
use shogi_usi::OptionError;

use crate::evaluation::event::{EvalEvent, EvalFailure, RuntimeProblem};
use crate::evaluation::model_files::ini_of;
use crate::options::{EngineOptions, is_foreign_deep_option, parse_option_line};

/// A policy and value network with the options that lie beside it.
#[derive(Clone, Debug)]
pub(crate) struct DeepNetwork {
    pub(crate) model: DeepModel,
    /// Names and values of options in `MODEL.ini`.
    pub(crate) ini: Vec<(String, String)>,
    /// The runtime that was asked for cannot evaluate it; this program does.
    pub(crate) is_stand_in: bool,
    /// It is the one in the program.
    pub(crate) is_embedded: bool,
}

impl DeepNetwork {
    /// What is wrong with the options beside it. Those that mean something to other engines are not wrong.
    pub(crate) fn wrong_options(&self, options: &EngineOptions) -> Vec<OptionError> {
        let tried = self.ini.iter().filter_map(|(name, value)| {
            let result = options.check(name, value);
            result.err().filter(|_| !is_foreign_deep_option(name))
        });
        tried
            .filter(|error| !matches!(error, OptionError::Fixed(_)))
            .collect()
    }
}

/// The name of a policy and value network.
pub(crate) fn deep_name(model: &DeepModel) -> String {
    let format = model.format().name();
    format!("deep ({format}, {})", model.description())
}

/// Reads a model, and the options beside it.
///
/// Where the runtime is not there, or refuses the model, this program evaluates it, which is reported. A server needs no file.
pub(crate) fn read_model(
    path: &Path,
    runtime: &DeepRuntime,
    report: &mut dyn FnMut(EvalEvent),
) -> Result<DeepNetwork, EvalFailure> {
    let is_remote = runtime.backend == DeepBackend::Remote;
    if !path.is_file() {
        if !is_remote {
            return Err(EvalFailure::NoModel(path.to_owned()));
        }
        let opened = DeepModel::open(path, runtime);
        let model = opened.map_err(|error| EvalFailure::Server {
            path: path.to_owned(),
            error,
        })?;
        return Ok(DeepNetwork {
            model,
            ini: ini_options(path),
            is_stand_in: false,
            is_embedded: false,
        });
    }
    report(EvalEvent::ReadingModel(path.to_owned()));
    let (model, is_stand_in) = opened(runtime, report, |runtime| DeepModel::open(path, runtime))
        .map_err(|error| EvalFailure::Model {
            path: path.to_owned(),
            error,
        })?;
    Ok(DeepNetwork {
        model,
        ini: ini_options(path),
        is_stand_in,
        is_embedded: false,
    })
}

/// The network in the program, in place of the file `path`, which is reported.
pub(crate) fn embedded_model(
    path: &Path,
    runtime: &DeepRuntime,
    report: &mut dyn FnMut(EvalEvent),
) -> Result<DeepNetwork, EvalFailure> {
    report(EvalEvent::EmbeddedModel(path.to_owned()));
    let bytes = NetworkModel::SMALL;
    let (model, is_stand_in) = opened(runtime, report, |runtime| {
        DeepModel::open_bytes(bytes.to_vec(), runtime)
    })
    .map_err(EvalFailure::EmbeddedModel)?;
    Ok(DeepNetwork {
        model,
        ini: Vec::new(),
        is_stand_in,
        is_embedded: true,
    })
}

/// The model that `open` gives for `runtime`, or for this program where that is not there, or refuses it; returns whether it is.
fn opened(
    runtime: &DeepRuntime,
    report: &mut dyn FnMut(EvalEvent),
    open: impl Fn(&DeepRuntime) -> Result<DeepModel, ModelError>,
) -> Result<(DeepModel, bool), ModelError> {
    match open(runtime) {
        Err(problem @ ModelError::Backend { .. }) => {
            report(EvalEvent::NoRuntime(RuntimeProblem(problem)));
            Ok((open(&DeepRuntime::default())?, true))
        }
        model => Ok((model?, false)),
    }
}

/// Names and values of options in the file beside a model.
fn ini_options(model: &Path) -> Vec<(String, String)> {
    let text = std::fs::read(ini_of(model)).unwrap_or_default();
    let text = yane_io::decode_text(&text);
    let text = String::from_utf8_lossy(&text);
    let options = text.lines().filter_map(parse_option_line);
    options
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
