//! Events and errors of loading an evaluation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shogi_eval::kppt::KpptTable;
use shogi_eval::loader::{EvalError, EvalFiles, NETWORK_FILE};
use shogi_eval::nnue::arch::ArchitectureError;
use shogi_eval::nnue::file::{FileError, Note};
use shogi_eval::nnue::shared::Sharing;
use thiserror::Error;

/// An event of loading an evaluation.
#[derive(Debug)]
#[non_exhaustive]
pub enum EvalEvent {
    /// These files are going to be read.
    Reading(EvalFiles),
    /// Something odd about a network's file, which is read nonetheless.
    Note(Note),
    /// The place of a network with `EvalShare`: in a file that other processes map too, or in private memory
    /// after all.
    Sharing(Sharing),
    /// This is what the engine plays with. The last event, unless nothing has changed.
    Loaded(EvalReport),
    /// The folder where evaluation files belong has none; the embedded evaluation follows.
    NothingThere(PathBuf),
    /// The evaluation that was asked for cannot be used; the embedded one follows. Reported again whenever
    /// loading is asked for, until it is solved.
    Failed(EvalProblem),
    /// The same with `SkipLoadingEval`: as asked for, what files of zeros are worth follows.
    Skipped(EvalProblem),
}

/// An evaluation that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalReport {
    /// `material` to `material9`, `positional`, `kppt32`, `kpp_kkpt32` or the architecture of a network.
    pub name: String,
    /// Its origin.
    pub origin: EvalOrigin,
    /// Size of its files in bytes.
    pub bytes: u64,
    /// Time it took.
    pub time: Duration,
    /// The divisor of a network's output.
    pub fv_scale: Option<i32>,
    /// Whether that number is what the network's file states.
    pub fv_scale_is_stated: bool,
}

/// The origin of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalOrigin {
    /// The program.
    Program,
    /// A network's file, which was read.
    File(PathBuf),
    /// A folder of tables, which were mapped.
    Folder(PathBuf),
}

/// The reason why the evaluation that was asked for cannot be used, with what was expected and what to do.
#[derive(Clone, Debug)]
pub struct EvalProblem(pub(crate) Arc<EvalFailure>);

#[derive(Debug, Error)]
pub(crate) enum EvalFailure {
    /// Nothing is where the user said.
    #[error("{}", missing(place, candidates))]
    Missing {
        place: PathBuf,
        candidates: Vec<PathBuf>,
    },
    #[error("{0}; put the right file there, or set EvalDir to another folder")]
    Files(#[from] EvalError),
    #[error("option EvalArchitecture: {0}")]
    Architecture(#[from] ArchitectureError),
    #[error("the network in this program is broken: {0}; build it anew or set EvalDir")]
    Embedded(#[from] FileError),
}

impl fmt::Display for EvalProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
    let place = place.display();
    format!("no evaluation in {place}: neither {NETWORK_FILE} nor {tables}{hint}")
}
