//! Events and errors of loading an evaluation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shogi_deep::{InputFormat, ModelError};
use shogi_eval::kppt::KpptTable;
use shogi_eval::loader::{EvalError, EvalFiles, NETWORK_FILE, WEIGHTS_FILE};
use shogi_eval::nnue::arch::ArchitectureError;
use shogi_eval::nnue::file::{FileError, Note};
use shogi_eval::nnue::shared::Sharing;
use shogi_usi::OptionError;
use thiserror::Error;

use super::model_files::models_near;

/// An event of loading an evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub enum EvalEvent {
    /// The engine starts to read these files.
    Reading(EvalFiles),
    /// The engine starts to read this policy and value network.
    ReadingModel(PathBuf),
    /// The runtime that was asked for cannot evaluate it; this program does.
    NoRuntime(RuntimeProblem),
    /// The planes that it wants.
    Model {
        /// What the file says, which counts.
        found: InputFormat,
        /// True if `ModelArchitecture` says so too.
        is_asked_for: bool,
    },
    /// An option in the file beside it that is left out.
    ModelOption {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: OptionError,
    },
    /// An irregularity of a network's file, which is read all the same.
    Note(Note),
    /// The place of a network with `EvalShare`: in a file that other processes map too, or in private memory
    /// after all.
    Sharing(Sharing),
    /// The evaluation that the engine plays with. The last event, unless nothing has changed.
    Loaded(EvalReport),
    /// The default folder has no evaluation files; the embedded evaluation is used.
    NothingThere(PathBuf),
    /// There is no such policy and value network, and none was named; the one in the program is used.
    EmbeddedModel(PathBuf),
    /// The evaluation that was asked for cannot be used; the embedded one is. Reported again at every attempt to load,
    /// until the problem is solved.
    Failed(EvalProblem),
    /// The same with `SkipLoadingEval`: an evaluation as with files of zeros is used.
    Skipped(EvalProblem),
}

/// The reason why the runtime that was asked for is not used, as the line that tells a user.
#[derive(Debug, Error)]
#[error("DNN_Runtime {0} : using native")]
pub struct RuntimeProblem(pub(crate) ModelError);

/// An evaluation that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalReport {
    /// `material` to `material9`, `positional`, `kppt32`, `kpp_kkpt32` or the architecture of a network.
    pub name: String,
    /// Origin of the evaluation.
    pub origin: EvalOrigin,
    /// Size of its files in bytes.
    pub bytes: u64,
    /// Time it took.
    pub time: Duration,
    /// The divisor of a network's output.
    pub fv_scale: Option<i32>,
    /// True if the network's file states that number.
    pub fv_scale_is_stated: bool,
}

/// The origin of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalOrigin {
    /// The program.
    Program,
    /// The file of a network or of the positional evaluation's numbers, which was read.
    File(PathBuf),
    /// A folder of tables, which were mapped.
    Folder(PathBuf),
    /// A server, which its name tells.
    Server,
}

/// The reason why the requested evaluation cannot be used, with the expectation and advice.
#[derive(Clone, Debug)]
pub struct EvalProblem(pub(crate) Arc<EvalFailure>);

#[derive(Debug, Error)]
pub(crate) enum EvalFailure {
    /// There are no evaluation files in the place that the user named.
    #[error("{}", missing(place, candidates))]
    Missing {
        place: PathBuf,
        candidates: Vec<PathBuf>,
    },
    #[error("{0}; put the right file there, or set EvalDir to another folder")]
    Files(EvalError),
    /// A policy and value network cannot be used.
    #[error("{}: {error}; put the right model there, or set EvalDir and DNN_Model to another", path.display())]
    Model { path: PathBuf, error: ModelError },
    /// A server cannot be used, and there is no policy and value network here.
    #[error("{error}; and there is no {} to evaluate here", path.display())]
    Server { path: PathBuf, error: ModelError },
    /// The policy and value network in the program cannot be used.
    #[error(
        "the policy and value network in this program: {0}; set EvalDir to a folder with a model"
    )]
    EmbeddedModel(ModelError),
    /// The program was built without the feature `deep`.
    #[error(
        "this program has no engine for policy and value networks; set EvalDir to a folder with a network for alpha-beta"
    )]
    NoDeepEngine,
    /// There is no policy and value network.
    #[error("{}", missing_model(.0))]
    NoModel(PathBuf),
    #[error("option EvalArchitecture: {0}")]
    Architecture(ArchitectureError),
    #[error("the network in this program is broken: {0}; build it anew or set EvalDir")]
    Embedded(FileError),
}

impl From<FileError> for EvalFailure {
    fn from(error: FileError) -> Self {
        Self::Embedded(error)
    }
}

impl From<ArchitectureError> for EvalFailure {
    fn from(error: ArchitectureError) -> Self {
        Self::Architecture(error)
    }
}

impl From<EvalError> for EvalFailure {
    fn from(error: EvalError) -> Self {
        Self::Files(error)
    }
}

impl fmt::Display for EvalProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl EvalProblem {
    /// The same for people who set no options: what is wrong with the files, without the advice.
    pub fn fault(&self) -> String {
        match &*self.0 {
            EvalFailure::Files(error) => error.to_string(),
            _ => self.to_string(),
        }
    }
}

impl std::error::Error for EvalProblem {}

impl<T: Into<EvalFailure>> From<T> for EvalProblem {
    fn from(failure: T) -> Self {
        Self(Arc::new(failure.into()))
    }
}

/// Most files that are named in a message.
const SHOWN: usize = 3;

fn missing(place: &Path, candidates: &[PathBuf]) -> String {
    let tables = KpptTable::ALL.map(KpptTable::file_name).join(", ");
    let hint = match candidates {
        _ if !place.exists() => "; there is no such folder".to_owned(),
        [] => String::new(),
        [first, ..] => {
            let shown = candidates.iter().take(SHOWN);
            let names: Vec<_> = shown
                .filter_map(|path| path.file_name())
                .map(|name| name.to_string_lossy())
                .collect();
            format!(
                "; if {} is a network, rename it to {NETWORK_FILE} or set EvalDir to {}",
                names.join(" or "),
                first.display()
            )
        }
    };
    let hint = match models_near(place).first() {
        Some(model) if place.is_dir() => format!("; {}", set_model(model)),
        _ => hint,
    };
    let place = place.display();
    format!(
        "no evaluation in {place}: neither {NETWORK_FILE} nor {tables} nor {WEIGHTS_FILE} nor a model.onnx{hint}"
    )
}

fn missing_model(path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let hint = match models_near(folder).first() {
        Some(model) => format!("; {}", set_model(model)),
        None if !folder.exists() => "; there is no such folder".to_owned(),
        None => String::new(),
    };
    format!("no model {}{hint}", path.display())
}

/// Advice about a model that has another name.
fn set_model(model: &Path) -> String {
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    format!("if {name} is the model, set DNN_Model to {name}")
}
