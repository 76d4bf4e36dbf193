//! The evaluation cache: loads evaluations and keeps the last one until its options or files change.

mod events;
mod save;

use std::path::{Path, PathBuf};
use std::time::Instant;

use shogi_eval::MaterialLevel;
use shogi_eval::loader::{EvalFiles, EvalOpenOptions, Evaluation, OpenedEvaluation, candidates};
use shogi_eval::nnue::FvScale;
use shogi_eval::nnue::arch::{Architecture, ArchitectureError};
use shogi_eval::nnue::shared::{SharedNetworks, Sharing};
use shogi_usi::Options;

use crate::options::eval::{Choice, EvalRequest, scale_in_use};
use crate::stamp::{Stamps, stamps};
use events::EvalFailure;

pub use events::{EvalEvent, EvalOrigin, EvalProblem, EvalReport};
pub use save::{SaveError, SavedEvaluation};

/// The evaluation that is loaded, and what it was loaded from.
#[derive(Debug)]
pub(crate) struct EvaluationCache {
    current: Evaluation,
    /// `None` before the first loading.
    source: Option<EvalSource>,
    /// The reason why the evaluation is not the one that was asked for.
    problem: Option<EvalProblem>,
    /// Files could not be loaded and need not be: all their values are taken to be 0.
    skipped: bool,
}

/// The origin of an evaluation: while it is the same, so is the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvalSource {
    request: EvalRequest,
    /// Where evaluation files are or should be; `None` when the choice needs none.
    place: Option<PathBuf>,
    files: Option<EvalFiles>,
    stamps: Stamps,
}

impl Default for EvaluationCache {
    fn default() -> Self {
        Self {
            current: Evaluation::positional(),
            source: None,
            problem: None,
            skipped: false,
        }
    }
}

impl EvaluationCache {
    /// The evaluation.
    pub(crate) const fn current(&self) -> &Evaluation {
        &self.current
    }

    /// Why it is not the one that was asked for.
    pub(crate) const fn problem(&self) -> Option<&EvalProblem> {
        self.problem.as_ref()
    }

    /// Whether it stands for files of zeros that could not be loaded.
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

    /// Whether `options` ask for something else than when the evaluation was loaded. Looks at no
    /// files.
    pub(crate) fn is_outdated(&self, options: &Options) -> bool {
        self.source
            .as_ref()
            .is_none_or(|source| source.request != EvalRequest::of(options))
    }

    /// The source to load; `None` when it is loaded already.
    pub(crate) fn wanted(&self, options: &Options, folders: &[PathBuf]) -> Option<EvalSource> {
        let source = EvalSource::wanted(EvalRequest::of(options), folders);
        (self.source.as_ref() != Some(&source)).then_some(source)
    }

    /// Loads `source`, a network that is to be shared into `shared`. The last evaluation is gone before, as both together might not fit into memory.
    pub(crate) fn load(
        &mut self,
        source: EvalSource,
        options: &Options,
        shared: Option<&SharedNetworks>,
        report: &mut dyn FnMut(EvalEvent),
    ) {
        *self = Self::default();
        let begin = Instant::now();
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
                // A broken embedded network was the problem, or is another one.
                Evaluation::embedded().unwrap_or_else(|_| without_files(Evaluation::positional()))
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
        let scale = scale_in_use(options, &self.current);
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
    /// Where evaluation files are or should be: of the places that `EvalDir` means the first that has
    /// evaluation files, else the first that exists, else the first. `None` when the choice needs no
    /// files.
    pub(crate) fn place(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        if self.choice != Choice::Auto {
            return None;
        }
        let places: Vec<_> = folders
            .iter()
            .map(|folder| folder.join(&self.dir))
            .collect();
        let first = |fits: fn(&Path) -> bool| places.iter().find(|place| fits(place));
        let place = first(|place| EvalFiles::find(place).is_some())
            .or_else(|| first(Path::exists))
            .or_else(|| places.first());
        Some(place.map_or_else(|| (&self.dir).into(), PathBuf::clone))
    }
}

impl EvalSource {
    fn wanted(request: EvalRequest, folders: &[PathBuf]) -> Self {
        let place = request.place(folders);
        let files = place.as_deref().and_then(EvalFiles::find);
        let stamps = stamps(&files.as_ref().map_or_else(Vec::new, EvalFiles::paths));
        Self {
            request,
            place,
            files,
            stamps,
        }
    }

    fn open(
        &self,
        shared: Option<&SharedNetworks>,
        report: &mut dyn FnMut(EvalEvent),
    ) -> Result<OpenedEvaluation, EvalProblem> {
        let Some(place) = &self.place else {
            return Ok(match self.request.choice {
                Choice::Material => without_files(Evaluation::material(self.request.level)),
                Choice::Auto | Choice::Embedded => Evaluation::embedded()?,
            });
        };
        let Some(files) = &self.files else {
            let candidates = candidates(place);
            if self.request.dir_is_named || self.request.skip || !candidates.is_empty() {
                let place = place.clone();
                return Err(EvalFailure::Missing { place, candidates }.into());
            }
            // A program that was just installed.
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
            Some(EvalFiles::Network { path, .. }) => EvalOrigin::File(path.clone()),
            Some(EvalFiles::Tables { folder }) => EvalOrigin::Folder(folder.clone()),
        }
    }
}
