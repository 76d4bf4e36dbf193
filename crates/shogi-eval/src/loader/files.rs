//! Evaluation files as users have them: a folder, or a network by its name.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use super::Evaluation;
use crate::kppt::{FileTables, KpptError, Layout, Table};
use crate::nnue::arch::Architecture;
use crate::nnue::file::{Note, OpenError, ReadOptions};
use crate::nnue::shared::{SharedNetworks, Sharing};
use crate::nnue::{Network, PreparedNetwork};

/// The name of a network in an evaluation folder.
pub const NETWORK_FILE: &str = "nn.bin";

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
}

/// How files are opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The architecture of a network, when its file does not say it (see [`ReadOptions`]).
    pub architecture: Option<Architecture>,
    /// Where a network lies that all processes share; `None`: in memory of its own. Tables are shared in
    /// any case.
    pub shared: Option<SharedNetworks>,
}

/// An evaluation with what there is to tell about its files.
#[derive(Debug)]
pub struct Opened {
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Size of its files in bytes; 0 when it needs none.
    pub bytes: u64,
    /// What was odd about a network's file.
    pub notes: Vec<Note>,
    /// How a network came into memory, when it should be shared.
    pub sharing: Option<Sharing>,
}

/// Why an evaluation cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The file of a network is wrong.
    #[error(transparent)]
    Network(#[from] OpenError),
    /// The files of three-piece tables are wrong.
    #[error(transparent)]
    Tables(#[from] KpptError),
}

impl EvalFiles {
    /// What is at `place`: a folder with [`NETWORK_FILE`] or with three-piece tables, or the file of a
    /// network. When a folder has both, the network is taken.
    pub fn find(place: &Path) -> Option<Self> {
        if place.is_file() {
            return Some(Self::Network {
                path: place.to_owned(),
                tables_too: false,
            });
        }
        let tables = Table::ALL.iter().any(|table| is_there(&table.path(place)));
        let network = place.join(NETWORK_FILE);
        if is_there(&network) {
            return Some(Self::Network {
                path: network,
                tables_too: tables,
            });
        }
        tables.then(|| Self::Tables {
            folder: place.to_owned(),
        })
    }

    /// The files. Those of tables need not all exist.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Network { path, .. } => vec![path.clone()],
            Self::Tables { folder } => Table::ALL.map(|table| table.path(folder)).to_vec(),
        }
    }

    /// The file or folder to tell people about.
    pub fn place(&self) -> &Path {
        match self {
            Self::Network { path, .. } => path,
            Self::Tables { folder } => folder,
        }
    }

    /// Reads a network, maps tables and shared networks.
    ///
    /// # Errors
    /// When the files cannot be read or are wrong in any way; which, where and what was expected
    /// instead is in the error.
    pub fn open(&self, options: &OpenOptions) -> Result<Opened, EvalError> {
        match self {
            Self::Network { path, .. } => {
                let read = ReadOptions {
                    architecture: options.architecture,
                };
                let (network, notes, sharing) = if let Some(shared) = &options.shared {
                    let opened = shared.open(path, &read)?;
                    (opened.network, opened.notes, Some(opened.sharing))
                } else {
                    let loaded = Network::open(path, &read)?;
                    (PreparedNetwork::new(loaded.network), loaded.notes, None)
                };
                Ok(Opened {
                    evaluation: Evaluation::network(Arc::new(network)),
                    bytes: fs::metadata(path).map_or(0, |data| data.len()),
                    notes,
                    sharing,
                })
            }
            Self::Tables { folder } => {
                let tables = FileTables::open(folder)?;
                let layout = tables.layout();
                Ok(Opened {
                    evaluation: Evaluation::tables(tables),
                    bytes: file_sizes(layout),
                    notes: Vec::new(),
                    sharing: None,
                })
            }
        }
    }
}

fn file_sizes(layout: Layout) -> u64 {
    Table::ALL.iter().map(|&table| layout.file_len(table)).sum()
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

/// Whether there is something at `path`. Counts what may not be looked at: opening it tells why.
fn is_there(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}
