//! The loader: an evaluation to play with, found in a folder, loaded once, used by any number of threads.
//!
//! * [`EvalFiles`] looks into a folder, as users have them: a network `nn.bin`, the three files of
//!   KPPT or `KPP_KKPT`, or numbers of the positional evaluation.
//! * [`Evaluation`] is what was loaded: cheap to clone, shared by all its clones.
//! * [`EvalKind`], [`EvalFiles::save`]: evaluation files, written.
//! * [`AnyEvaluator`] is the [`crate::Evaluator`] over any of them, one for each thread.
//!
//! ```
//! use std::path::Path;
//! use shogi_core::Position;
//! use shogi_eval::Evaluator;
//! use shogi_eval::loader::{EvalFiles, Evaluation, EvalOpenOptions};
//!
//! let evaluation = match EvalFiles::find(Path::new("eval")) {
//!     Some(files) => files.open(&EvalOpenOptions::default())?.evaluation,
//!     None => Evaluation::embedded()?.evaluation,
//! };
//! let mut evaluator = evaluation.evaluator(None);
//! let position = Position::startpos();
//! evaluator.reset(&position);
//! println!("{}: {}", evaluation.name(), evaluator.evaluate(&position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evaluation;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

use yane_io::sniff::Expected;
use yane_io::{AtomicFile, Error, FileState, Job, Overwrite};

use crate::kppt::convert::{TurnValues, convert, write_zeros};
use crate::kppt::{FileTables, KpptError, KpptLayout, KpptTable};
use crate::nnue::arch::Architecture;
use crate::nnue::file::{NetworkReadOptions, OpenError, save_zeros};
use crate::nnue::shared::SharedNetworks;
use crate::nnue::{Network, PreparedNetwork};
use crate::{PositionalTable, PositionalWeights, PositionalWeightsError};

pub use crate::nnue::own_scale::OwnScale;
pub use evaluation::OpenedEvaluation;
pub use evaluation::{AnyEvaluator, Evaluation, embedded_network};

// Evaluation files as users have them, a folder or a network by its name: found, opened, written.

/// The name of a network in an evaluation folder.
pub const NETWORK_FILE: &str = "nn.bin";

/// The name of the file of the positional evaluation's numbers in an evaluation folder. A file named alone is one of these by its
/// extension.
pub const WEIGHTS_FILE: &str = "positional.params";

/// Evaluation files that are there. Whether they are good shows when they are opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalFiles {
    /// A neural network.
    Network {
        /// Its file.
        path: PathBuf,
        /// The folder has files of three-piece tables too, which are not used.
        tables_too: bool,
    },
    /// Three-piece tables, KPPT or `KPP_KKPT`: at least one of their files.
    Tables {
        /// The folder they are in.
        folder: PathBuf,
    },
    /// Numbers of the positional evaluation.
    Positional {
        /// Their file.
        path: PathBuf,
    },
}

/// Options for opening evaluation files.
#[derive(Clone, Debug, Default)]
pub struct EvalOpenOptions {
    /// The architecture of a network, when its file does not say it (see [`NetworkReadOptions`]).
    pub architecture: Option<Architecture>,
    /// The folder of networks that all processes share; `None`: the network has memory of its own. Tables are shared in
    /// any case.
    pub shared: Option<SharedNetworks>,
}

/// Error of finding, reading or writing an evaluation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The file of a network is wrong.
    #[error(transparent)]
    Network(#[from] OpenError),
    /// The files of three-piece tables are wrong.
    #[error(transparent)]
    Tables(#[from] KpptError),
    /// A file of numbers of the positional evaluation cannot be read or written.
    #[error(transparent)]
    File(#[from] Error),
    /// What is in a file of numbers of the positional evaluation is wrong.
    #[error("{}: {problem}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// The problem, with its line.
        problem: PositionalWeightsError,
    },
}

/// Reads a file of numbers of the positional evaluation.
///
/// # Errors
/// When it cannot be read, or is none: with the line, and what was expected.
pub fn read_weights(path: &Path) -> Result<PositionalWeights, EvalError> {
    const EXPECTED: Expected<'_> =
        Expected::text("numbers of the positional evaluation, one a line");
    let text = yane_io::read_text(path, &EXPECTED, yane_io::ReadLimit::Settings)?;
    PositionalWeights::from_text(&String::from_utf8_lossy(&text)).map_err(|problem| {
        EvalError::Weights {
            path: path.to_owned(),
            problem,
        }
    })
}

/// Writes numbers of the positional evaluation to a file, whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write_weights(path: &Path, weights: &PositionalWeights) -> yane_io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.put(weights.to_text().as_bytes())?;
    file.commit()
}

impl EvalFiles {
    /// Finds what is at `place`: a folder with [`NETWORK_FILE`], with three-piece tables or with [`WEIGHTS_FILE`], or the file of a
    /// network or of weights. When a folder has several, the network is taken before the tables, and both before the weights.
    pub fn find(place: &Path) -> Option<Self> {
        if FileState::is_file(place) {
            let extension = Path::new(WEIGHTS_FILE).extension();
            if place.extension() == extension {
                return Some(Self::Positional {
                    path: place.to_owned(),
                });
            }
            return Some(Self::Network {
                path: place.to_owned(),
                tables_too: false,
            });
        }
        let tables = KpptTable::ALL
            .iter()
            .any(|table| is_there(&table.path(place)));
        let network = place.join(NETWORK_FILE);
        if is_there(&network) {
            return Some(Self::Network {
                path: network,
                tables_too: tables,
            });
        }
        if tables {
            return Some(Self::Tables {
                folder: place.to_owned(),
            });
        }
        let path = place.join(WEIGHTS_FILE);
        is_there(&path).then_some(Self::Positional { path })
    }

    /// The files. Those of tables need not all exist.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Network { path, .. } | Self::Positional { path } => vec![path.clone()],
            Self::Tables { folder } => KpptTable::ALL.map(|table| table.path(folder)).to_vec(),
        }
    }

    /// The file or folder to tell people about.
    pub fn place(&self) -> &Path {
        match self {
            Self::Network { path, .. } | Self::Positional { path } => path,
            Self::Tables { folder } => folder,
        }
    }

    /// Reads a network, maps tables and shared networks.
    ///
    /// # Errors
    /// When the files cannot be read or are wrong in any way; which, where and what was expected
    /// instead is in the error.
    pub fn open(&self, options: &EvalOpenOptions) -> Result<OpenedEvaluation, EvalError> {
        match self {
            Self::Network { path, .. } => {
                let read = NetworkReadOptions {
                    architecture: options.architecture,
                };
                let (network, notes, sharing) = if let Some(shared) = &options.shared {
                    let opened = shared.open(path, &read)?;
                    (opened.network, opened.notes, Some(opened.sharing))
                } else {
                    let loaded = Network::open(path, &read)?;
                    (PreparedNetwork::new(loaded.network), loaded.notes, None)
                };
                Ok(OpenedEvaluation {
                    evaluation: Evaluation::network(Arc::new(network)),
                    bytes: FileState::of(path).map_or(0, |state| state.len),
                    notes,
                    sharing,
                })
            }
            Self::Tables { folder } => {
                let tables = FileTables::open(folder)?;
                let layout = tables.layout();
                Ok(OpenedEvaluation {
                    evaluation: Evaluation::tables(tables),
                    bytes: file_sizes(layout),
                    notes: Vec::new(),
                    sharing: None,
                })
            }
            Self::Positional { path } => {
                let weights = read_weights(path)?;
                Ok(OpenedEvaluation {
                    evaluation: Evaluation::positional_with(PositionalTable::new(weights)),
                    bytes: FileState::of(path).map_or(0, |state| state.len),
                    notes: Vec::new(),
                    sharing: None,
                })
            }
        }
    }
}

fn file_sizes(layout: KpptLayout) -> u64 {
    KpptTable::ALL
        .iter()
        .map(|&table| layout.file_len(table))
        .sum()
}

/// Files at `place` that may be networks under other names, sorted: for people who wonder why nothing
/// was found.
pub fn candidates(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(place) else {
        return Vec::new();
    };
    let is_candidate = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["bin", "nnue"].contains(&extension)) && path.is_file()
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut candidates: Vec<_> = paths.filter(is_candidate).collect();
    candidates.sort();
    candidates
}

/// Returns whether there is something at `path`. Counts what may not be looked at: opening it tells why.
fn is_there(path: &Path) -> bool {
    match FileState::of(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// A kind of evaluation files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalKind {
    /// Three-piece tables.
    Tables(KpptLayout),
    /// A network.
    Network(Architecture),
}

impl EvalKind {
    /// Writes an evaluation of this kind in which every value is 0 to `folder`, which is made if it is
    /// not there.
    ///
    /// # Errors
    /// When the folder has files that `overwrite` does not let it replace or another process writes, or cannot be written
    /// to, the disk is full, or the job is cancelled. Nothing that was in the folder changed then.
    pub fn write_zeros(
        self,
        folder: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<(), EvalError> {
        match self {
            Self::Tables(layout) => Ok(write_zeros(folder, layout, overwrite, job)?),
            Self::Network(architecture) => {
                make(folder)?;
                let file = folder.join(NETWORK_FILE);
                let claimed = overwrite.claim::<&Path>(&file, &[]);
                let _claim = claimed.map_err(OpenError::File)?;
                let saved = save_zeros(architecture, &file);
                Ok(saved.map_err(OpenError::File)?)
            }
        }
    }
}

impl EvalFiles {
    /// Reads the files and writes them to `folder`, which is made if it is not there: tables as they are,
    /// a network as [`NETWORK_FILE`] with the usual hashes.
    ///
    /// # Errors
    /// When the files cannot be read, are wrong, or would be replaced, the folder cannot be written to, the
    /// disk is full, or the job is cancelled. Nothing that was in the folder changed then.
    pub fn save(
        &self,
        folder: &Path,
        options: &EvalOpenOptions,
        job: &Job,
    ) -> Result<(), EvalError> {
        match self {
            Self::Tables { folder: from } => {
                let layout = KpptLayout::of(from)?;
                let overwrite = Overwrite::Refuse;
                convert(from, folder, layout, TurnValues::MustBeZero, overwrite, job)?;
                Ok(())
            }
            Self::Network { path, .. } => {
                make(folder)?;
                Ok(rewrite(
                    path,
                    &folder.join(NETWORK_FILE),
                    options,
                    Overwrite::Refuse,
                )?)
            }
            Self::Positional { path } => {
                make(folder)?;
                let to = folder.join(WEIGHTS_FILE);
                let _claim = Overwrite::Refuse.claim(&to, &[path])?;
                Ok(write_weights(&to, &read_weights(path)?)?)
            }
        }
    }
}

/// Reads a network and writes it as the file `to`, with the usual hashes.
///
/// # Errors
/// When `from` cannot be read or is no network, when `to` is the same file and `overwrite` does not
/// allow it, when another process writes it, or when it cannot be written. Nothing changed then.
pub fn rewrite(
    from: &Path,
    to: &Path,
    options: &EvalOpenOptions,
    overwrite: Overwrite,
) -> Result<(), OpenError> {
    let _claim = overwrite.claim(to, &[from])?;
    let architecture = options.architecture;
    let loaded = Network::open(from, &NetworkReadOptions { architecture })?;
    Ok(loaded.network.save(to)?)
}

fn make(folder: &Path) -> Result<(), OpenError> {
    fs::create_dir_all(folder).map_err(|source| OpenError::File(Error::io(folder)(source)))
}
