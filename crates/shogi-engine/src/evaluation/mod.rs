//! The evaluation cache: loads evaluations, keeps the last one until its options or files change, and saves it.

pub(crate) mod event;
pub(crate) mod model_files;

use std::path::{Path, PathBuf};

use shogi_deep::DeepBackend;
use shogi_eval::MaterialLevel;
use shogi_eval::kppt::KpptLayout;
use shogi_eval::loader::{
    EvalError, EvalFiles, EvalKind, EvalOpenOptions, Evaluation, NETWORK_FILE, OpenedEvaluation,
    candidates, embedded_network, rewrite,
};
use shogi_eval::nnue::arch::{Architecture, ArchitectureError};
use shogi_eval::nnue::file::{FileError, NetworkReadOptions, OpenError};
use shogi_eval::nnue::shared::{SharedNetworks, Sharing};
use shogi_eval::nnue::{FvScale, Network};
use thiserror::Error;
use yane_clock::Instant;
use yane_io::{FileState, Job, Overwrite, path_of_text};

use self::event::{EvalEvent, EvalFailure, EvalOrigin, EvalProblem, EvalReport};
use self::model_files::{ini_of, is_model, models_near};
use crate::deep::model::{DeepNetwork, deep_name, embedded_model, read_model};
use crate::options::EngineOptions;
use crate::options::eval::EvalRequest;
use crate::options::settings::{DEFAULT_MODEL, EngineSettings, EvalChoice};
use crate::stamps::{Stamps, stamps};

/// The loaded evaluation, and its source.
#[derive(Debug)]
pub(crate) struct EvaluationCache {
    /// What the alpha-beta engine plays with.
    current: Evaluation,
    /// The network of the deep engine, when that plays.
    deep: Option<DeepNetwork>,
    /// `None` before the first loading.
    source: Option<EvalSource>,
    /// The reason why the evaluation is not the one that was asked for.
    problem: Option<EvalProblem>,
    /// Files could not be loaded and need not be: all their values are taken to be 0.
    skipped: bool,
    /// The server that was asked for was away, or had another network.
    lacks_server: bool,
}

/// The origin of an evaluation: while it is the same, so is the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvalSource {
    request: EvalRequest,
    /// The place of the evaluation files; `None` when the choice needs none.
    place: Option<PathBuf>,
    files: Option<EvalFiles>,
    /// The file of a policy and value network, which is to be used.
    model: Option<PathBuf>,
    stamps: Stamps,
}

impl Default for EvaluationCache {
    fn default() -> Self {
        Self {
            current: Evaluation::positional(),
            deep: None,
            source: None,
            problem: None,
            skipped: false,
            lacks_server: false,
        }
    }
}

impl EvaluationCache {
    /// The evaluation.
    pub(crate) const fn current(&self) -> &Evaluation {
        &self.current
    }

    /// The network of the deep engine, if that is what plays.
    pub(crate) const fn deep(&self) -> Option<&DeepNetwork> {
        self.deep.as_ref()
    }

    /// The name of what plays.
    pub(crate) fn name(&self) -> String {
        match &self.deep {
            Some(network) => deep_name(&network.model),
            None => self.current.name(),
        }
    }

    /// The reason why it is not the one that was asked for.
    pub(crate) const fn problem(&self) -> Option<&EvalProblem> {
        self.problem.as_ref()
    }

    /// Returns whether it replaces files that could not be loaded, with zeros.
    pub(crate) const fn is_skipped(&self) -> bool {
        self.skipped
    }

    /// The architecture that the user named when it was loaded.
    pub(crate) fn architecture(&self) -> Result<Option<Architecture>, ArchitectureError> {
        let source = self.source.as_ref();
        source.map_or(Ok(None), |source| source.request.architecture())
    }

    /// The files it was loaded from.
    pub(crate) fn files(&self) -> Option<&EvalFiles> {
        self.source.as_ref()?.files.as_ref()
    }

    /// The first of its files that has changed since.
    pub(crate) fn changed_file(&self) -> Option<PathBuf> {
        let source = self.source.as_ref()?;
        let now = stamps(&source.files.as_ref()?.paths());
        let mut pairs = source.stamps.iter().zip(&now);
        pairs
            .find(|(then, now)| then != now)
            .map(|(_, (path, _))| path.clone())
    }

    /// Returns whether `options` ask for another evaluation than the loaded one. Does not check files.
    pub(crate) fn is_outdated(&self, settings: &EngineSettings) -> bool {
        self.source
            .as_ref()
            .is_none_or(|source| source.request != EvalRequest::of(settings))
    }

    /// The source to load; `None` when it is loaded already. A server that was not to be had is tried again.
    pub(crate) fn wanted(
        &self,
        settings: &EngineSettings,
        folders: &[PathBuf],
    ) -> Option<EvalSource> {
        let source = EvalSource::wanted(EvalRequest::of(settings), folders);
        (self.lacks_server || self.source.as_ref() != Some(&source)).then_some(source)
    }

    /// Loads `source`, with a shared network in `shared`. The last evaluation is dropped first, as both together might
    /// not fit into memory.
    pub(crate) fn load(
        &mut self,
        source: EvalSource,
        options: &EngineOptions,
        shared: Option<&SharedNetworks>,
        report: &mut dyn FnMut(EvalEvent),
    ) {
        *self = Self::default();
        let begin = Instant::now();
        if let Some(path) = &source.model {
            let runtime = &source.request.runtime;
            let read = if !cfg!(feature = "deep") {
                Err(EvalFailure::NoDeepEngine)
            } else if source.request.wants_embedded_model(path) {
                embedded_model(path, runtime, report)
            } else {
                read_model(path, runtime, report)
            };
            match read.map_err(EvalProblem::from) {
                Ok(network) => {
                    self.lacks_server = network.is_stand_in && source.request.is_remote();
                    self.take_model(network, path, options, begin, report);
                    self.source = Some(source);
                    return;
                }
                Err(problem) => {
                    report(EvalEvent::Failed(problem.clone()));
                    self.lacks_server = matches!(*problem.0, EvalFailure::Server { .. });
                    self.problem = Some(problem);
                    self.current = embedded().evaluation;
                    self.source = Some(source);
                    return;
                }
            }
        }
        let mut origin = EvalOrigin::Program;
        let opened = match source.open(shared, report) {
            Ok(opened) => {
                origin = source.origin();
                opened
            }
            Err(problem) if source.request.skip => {
                report(EvalEvent::Skipped(problem));
                self.skipped = true;
                // Three-piece tables of zeros leave the material.
                without_files(Evaluation::material(MaterialLevel::FIRST))
            }
            Err(problem) => {
                report(EvalEvent::Failed(problem.clone()));
                self.problem = Some(problem);
                embedded()
            }
        };
        opened
            .notes
            .into_iter()
            .for_each(|note| report(EvalEvent::Note(note)));
        if let Some(sharing) = opened.sharing {
            report(EvalEvent::Sharing(sharing));
        }
        self.current = opened.evaluation;
        self.source = Some(source);
        let own = self.current.own_scale();
        let scale = options.settings().eval.scale_in_use(&self.current);
        report(EvalEvent::Loaded(EvalReport {
            name: self.current.name(),
            origin,
            bytes: opened.bytes,
            time: begin.elapsed(),
            fv_scale: scale.map(FvScale::get),
            fv_scale_is_stated: own.is_some_and(|own| own.stated && scale == Some(own.scale)),
        }));
    }
}

/// The embedded evaluation. A broken embedded network may be the problem, or another one.
fn embedded() -> OpenedEvaluation {
    Evaluation::embedded().unwrap_or_else(|_| without_files(Evaluation::positional()))
}

impl EvaluationCache {
    /// Takes a network that was read, and reports it.
    fn take_model(
        &mut self,
        network: DeepNetwork,
        path: &Path,
        options: &EngineOptions,
        begin: Instant,
        report: &mut dyn FnMut(EvalEvent),
    ) {
        for problem in network.wrong_options(options) {
            let path = ini_of(path);
            report(EvalEvent::ModelOption { path, problem });
        }
        let format = network.model.format();
        report(EvalEvent::Model {
            found: format,
            is_asked_for: format == options.settings().deep.format,
        });
        report(EvalEvent::Loaded(EvalReport {
            name: deep_name(&network.model),
            origin: match network.model.bytes() {
                0 => EvalOrigin::Server,
                _ if network.is_embedded => EvalOrigin::Program,
                _ => EvalOrigin::File(path.to_owned()),
            },
            bytes: network.model.bytes(),
            time: begin.elapsed(),
            fv_scale: None,
            fv_scale_is_stated: false,
        }));
        // For commands of the alpha-beta engine.
        self.current = embedded().evaluation;
        self.deep = Some(network);
    }
}

/// An evaluation that has no files.
fn without_files(evaluation: Evaluation) -> OpenedEvaluation {
    OpenedEvaluation {
        evaluation,
        bytes: 0,
        notes: Vec::new(),
        sharing: None,
    }
}

impl EvalRequest {
    /// The place of the evaluation files: of the places that `EvalDir` may name the first with evaluation files, else
    /// the first that exists, else the first. `None` when the choice needs no files.
    pub(crate) fn place(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        if !matches!(self.choice, EvalChoice::Auto | EvalChoice::Deep) {
            return None;
        }
        let places: Vec<_> = folders
            .iter()
            .map(|folder| folder.join(path_of_text(&self.dir)))
            .collect();
        let first = |fits: &dyn Fn(&Path) -> bool| places.iter().find(|place| fits(place));
        let has_files = |place: &Path| {
            self.files(place).is_some()
                || self
                    .model(place)
                    .is_some_and(|model| FileState::is_file(&model))
        };
        let place = first(&has_files)
            .or_else(|| first(&|place| place.exists()))
            .or_else(|| places.first());
        Some(place.map_or_else(|| path_of_text(&self.dir), PathBuf::clone))
    }

    /// The files of the evaluation, in a fixed order; none where it is in the program, or a server has it.
    pub(crate) fn paths(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let Some(place) = self.place(folders) else {
            return Vec::new();
        };
        if let Some(files) = self.files(&place) {
            return files.paths();
        }
        let model = self.model(&place).filter(|model| FileState::is_file(model));
        model.into_iter().collect()
    }

    /// The evaluation files of the alpha-beta engine at a place.
    fn files(&self, place: &Path) -> Option<EvalFiles> {
        let is_for_other =
            self.choice == EvalChoice::Deep || is_model(place) && FileState::is_file(place);
        if is_for_other {
            return None;
        }
        EvalFiles::find(place)
    }

    /// The policy and value network to use at a place: where the deep engine is asked for, or where nothing but a network is there, or nothing and a
    /// server has one. Its file need not exist.
    fn model(&self, place: &Path) -> Option<PathBuf> {
        let path = if FileState::is_file(place) && is_model(place) {
            place.to_owned()
        } else {
            place.join(path_of_text(&self.model))
        };
        let is_wanted = match self.choice {
            EvalChoice::Deep => true,
            EvalChoice::Auto => {
                // A server needs no file here.
                self.files(place).is_none() && (self.is_remote() || FileState::is_file(&path))
            }
            _ => false,
        };
        is_wanted.then_some(path)
    }

    /// Returns whether the policy and value network in the program is to be used, as there is none in the default folder and the user has named none.
    fn wants_embedded_model(&self, path: &Path) -> bool {
        let is_named = self.dir_is_named || self.model != DEFAULT_MODEL;
        let folder = path.parent().unwrap_or(path);
        !is_named
            && !self.is_remote()
            && !FileState::is_file(path)
            && models_near(folder).is_empty()
    }

    /// Returns whether a server evaluates the policy and value network.
    fn is_remote(&self) -> bool {
        self.runtime.backend == DeepBackend::Remote
    }

    /// Returns whether the deep engine is to play.
    pub(crate) fn is_deep(&self, folders: &[PathBuf]) -> bool {
        let place = self.place(folders);
        place.is_some_and(|place| self.model(&place).is_some())
    }
}

impl EvalSource {
    fn wanted(request: EvalRequest, folders: &[PathBuf]) -> Self {
        let place = request.place(folders);
        let files = place.as_deref().and_then(|place| request.files(place));
        let model = place.as_deref().and_then(|place| request.model(place));
        let mut paths = files.as_ref().map_or_else(Vec::new, EvalFiles::paths);
        if let Some(model) = &model {
            paths.extend([model.clone(), ini_of(model)]);
        }
        Self {
            stamps: stamps(&paths),
            request,
            place,
            files,
            model,
        }
    }

    fn open(
        &self,
        shared: Option<&SharedNetworks>,
        report: &mut dyn FnMut(EvalEvent),
    ) -> Result<OpenedEvaluation, EvalProblem> {
        let Some(place) = &self.place else {
            return Ok(match self.request.choice {
                EvalChoice::Material => without_files(Evaluation::material(self.request.level)),
                EvalChoice::Positional => without_files(Evaluation::positional()),
                EvalChoice::Auto | EvalChoice::Deep | EvalChoice::Embedded => {
                    Evaluation::embedded()?
                }
            });
        };
        let Some(files) = &self.files else {
            let candidates = candidates(place);
            if self.request.dir_is_named || self.request.skip || !candidates.is_empty() {
                let place = place.clone();
                return Err(EvalFailure::Missing { place, candidates }.into());
            }
            // The usual case after installation.
            report(EvalEvent::NothingThere(place.clone()));
            return Ok(Evaluation::embedded()?);
        };
        let options = EvalOpenOptions {
            architecture: self.request.architecture()?,
            shared: shared.filter(|_| self.request.share).cloned(),
        };
        report(EvalEvent::Reading(files.clone()));
        if self.request.share && shared.is_none() {
            let problem = yane_io::Error::file("~", "there is no home folder to share networks in");
            report(EvalEvent::Sharing(Sharing::Private(problem)));
        }
        Ok(files.open(&options)?)
    }

    fn origin(&self) -> EvalOrigin {
        match &self.files {
            None => EvalOrigin::Program,
            Some(EvalFiles::Network { path, .. } | EvalFiles::Positional { path }) => {
                EvalOrigin::File(path.clone())
            }
            Some(EvalFiles::Tables { folder }) => EvalOrigin::Folder(folder.clone()),
        }
    }
}

// Writing the evaluation that the engine plays with.

/// An error of saving an evaluation. No file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The engine plays with the embedded evaluation because of this.
    #[error("nothing to save, as what was asked for is not loaded: {0}")]
    NotLoaded(EvalProblem),
    /// The evaluation is not made of files.
    #[error("the evaluation `{0}` has no files; set EvalDir to a folder that has some")]
    NoFiles(String),
    /// The evaluation is no network.
    #[error("the evaluation `{0}` is no network")]
    NotANetwork(String),
    /// A file is another one by now.
    #[error("{}: has changed since it was loaded", .0.display())]
    Changed(PathBuf),
    /// The files cannot be read, or those to write not written.
    #[error(transparent)]
    Files(#[from] EvalError),
    /// The network in the program is none.
    #[error("the network in this program is broken: {0}")]
    Embedded(FileError),
    /// There is no such architecture.
    #[error("option EvalArchitecture: {0}")]
    Architecture(ArchitectureError),
}

impl From<ArchitectureError> for SaveError {
    fn from(error: ArchitectureError) -> Self {
        Self::Architecture(error)
    }
}

impl From<FileError> for SaveError {
    fn from(error: FileError) -> Self {
        Self::Embedded(error)
    }
}

impl From<EvalProblem> for SaveError {
    fn from(error: EvalProblem) -> Self {
        Self::NotLoaded(error)
    }
}

impl From<OpenError> for SaveError {
    fn from(error: OpenError) -> Self {
        Self::Files(error.into())
    }
}

/// An evaluation that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEvaluation {
    /// The file of a network, or the folder of an evaluation.
    pub place: PathBuf,
    /// The kind of tables or the architecture.
    pub name: String,
    /// True if all values are 0, as they are taken to be with `SkipLoadingEval`.
    pub zeros: bool,
}

impl EvaluationCache {
    /// Writes the evaluation to `folder`: see [`crate::Session::save_evaluation`].
    pub(crate) fn save(&self, folder: &Path) -> Result<SavedEvaluation, SaveError> {
        let saved = |name, zeros| SavedEvaluation {
            place: folder.to_owned(),
            name,
            zeros,
        };
        let name = self.current().name();
        if self.is_skipped() {
            let kind = match self.architecture()? {
                Some(architecture) => EvalKind::Network(architecture),
                None => EvalKind::Tables(KpptLayout::Kppt),
            };
            kind.write_zeros(folder, Overwrite::Refuse, &Job::default())?;
            let name = match kind {
                EvalKind::Network(architecture) => architecture.to_string(),
                EvalKind::Tables(layout) => layout.name().to_owned(),
            };
            return Ok(saved(name, true));
        }
        if let Some(files) = self.unchanged_files()? {
            files.save(folder, &self.open_options()?, &Job::default())?;
        } else {
            let network = self.embedded();
            let network = network.ok_or_else(|| SaveError::NoFiles(name.clone()))??;
            std::fs::create_dir_all(folder)
                .map_err(|source| OpenError::File(yane_io::Error::io(folder)(source)))?;
            let file = folder.join(NETWORK_FILE);
            let claimed = Overwrite::Refuse.claim::<&Path>(&file, &[]);
            let _claim = claimed.map_err(OpenError::File)?;
            network.save(&file).map_err(OpenError::File)?;
        }
        Ok(saved(name, false))
    }

    /// Writes the network: see [`crate::Session::export_network`].
    pub(crate) fn export(&self, file: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        let name = self.current().name();
        let file = file.map_or_else(|| PathBuf::from(format!("{name}.bin")), Path::to_owned);
        match self.unchanged_files()? {
            Some(EvalFiles::Network { path, .. }) => {
                rewrite(path, &file, &self.open_options()?, Overwrite::Refuse)?;
            }
            Some(EvalFiles::Tables { .. } | EvalFiles::Positional { .. }) => {
                return Err(SaveError::NotANetwork(name));
            }
            None => {
                let network = self.embedded();
                let network = network.ok_or_else(|| SaveError::NotANetwork(name.clone()))??;
                let claimed = Overwrite::Refuse.claim::<&Path>(&file, &[]);
                let _claim = claimed.map_err(OpenError::File)?;
                network.save(&file).map_err(OpenError::File)?;
            }
        }
        Ok(SavedEvaluation {
            place: file,
            name,
            zeros: false,
        })
    }

    /// The files that the evaluation was loaded from, if they are still the same; `None` when it is part
    /// of the program.
    fn unchanged_files(&self) -> Result<Option<&EvalFiles>, SaveError> {
        if let Some(problem) = self.problem() {
            return Err(problem.clone().into());
        }
        if self.deep.is_some() {
            return Err(SaveError::NoFiles(self.name()));
        }
        let files = self.files();
        match self.changed_file() {
            Some(path) => Err(SaveError::Changed(path)),
            None => Ok(files),
        }
    }

    fn open_options(&self) -> Result<EvalOpenOptions, SaveError> {
        let architecture = self.architecture()?;
        Ok(EvalOpenOptions {
            architecture,
            shared: None,
        })
    }

    /// The network in the program, if that is the evaluation.
    fn embedded(&self) -> Option<Result<Network, FileError>> {
        let is_network = self.current().own_scale().is_some();
        let bytes = embedded_network().filter(|_| is_network)?;
        let loaded = Network::from_bytes(bytes, &NetworkReadOptions::default());
        Some(loaded.map(|loaded| loaded.network))
    }
}
