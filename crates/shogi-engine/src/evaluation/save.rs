//! Writing the evaluation that the engine plays with.

use std::path::{Path, PathBuf};

use shogi_eval::kppt::KpptLayout;
use shogi_eval::loader::{
    EvalError, EvalFiles, EvalKind, EvalOpenOptions, NETWORK_FILE, embedded_network, rewrite,
};
use shogi_eval::nnue::Network;
use shogi_eval::nnue::arch::ArchitectureError;
use shogi_eval::nnue::file::{FileError, NetworkReadOptions, OpenError};
use thiserror::Error;
use yane_io::{Job, Overwrite};

use super::{EvalProblem, EvaluationCache};

/// An error of saving an evaluation. No file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The engine plays with the embedded evaluation because of this.
    #[error("nothing to save, as what was asked for is not loaded: {0}")]
    NotLoaded(#[from] EvalProblem),
    /// It is not made of files.
    #[error("the evaluation `{0}` has no files; set EvalDir to a folder that has some")]
    NoFiles(String),
    /// It is something else.
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
    Embedded(#[from] FileError),
    /// There is no such architecture.
    #[error("option EvalArchitecture: {0}")]
    Architecture(#[from] ArchitectureError),
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
    /// Whether all values are 0, as they are taken to be with `SkipLoadingEval`.
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
            kind.write_zeros(folder, &Job::default())?;
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
            let saved = network.save(&folder.join(NETWORK_FILE));
            saved.map_err(OpenError::File)?;
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
            Some(EvalFiles::Tables { .. }) => return Err(SaveError::NotANetwork(name)),
            None => {
                let network = self.embedded();
                let network = network.ok_or_else(|| SaveError::NotANetwork(name.clone()))??;
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
