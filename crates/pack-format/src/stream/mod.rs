//! Files in batches of whole games or records, worked on by several threads, results in order.
//!
//! Memory does not depend on the size of the file. A batch is cut by looking at lengths only; what
//! is wrong inside is found by whoever works on it, and anything at which cutting stops (an unknown
//! start, the end of the file inside a game) is left at the end of the last batch for the same
//! reason.

mod batches;
mod input;
mod process;

use crate::games::{FileGame, GameProblem, frames_len};
use crate::{Hcpe3Game, TeacherFormat, pack};

pub use batches::{Batch, Batches};
pub use input::{Input, StreamOutput};
pub(crate) use process::process_from;
pub use process::{Done, StreamResults, process};

/// Start of a stream in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStart {
    /// Offset in bytes.
    pub offset: u64,
    /// Games, records or lines that count as being before it.
    pub before: u64,
}

// Cutting bytes at the borders of games and records.

/// Complete part of a piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Complete games, records or lines at the start.
    pub units: u64,
    /// The bytes they take.
    pub len: usize,
    /// True if the bytes that follow the complete ones cannot begin another unit, whatever comes
    /// next.
    pub stuck: bool,
}

/// The complete units at the start of `bytes`.
pub fn split(format: TeacherFormat, bytes: &[u8]) -> Split {
    match format {
        TeacherFormat::Pack => split_games::<pack::Game>(bytes),
        TeacherFormat::Hcpe3 => split_games::<Hcpe3Game>(bytes),
        TeacherFormat::Hcpe | TeacherFormat::Psv => {
            let record = format.record_len().unwrap_or(1);
            let units = bytes.len() / record;
            Split {
                units: units as u64,
                len: units * record,
                stuck: false,
            }
        }
        TeacherFormat::Jsonl | TeacherFormat::Csv => {
            let len = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
            let units = memchr::memchr_iter(b'\n', &bytes[..len]).count();
            Split {
                units: units as u64,
                len,
                stuck: false,
            }
        }
    }
}

fn split_games<G: FileGame>(bytes: &[u8]) -> Split {
    let (games, len) = frames_len::<G>(bytes);
    let rest = &bytes[len..];
    let more_may_come = || G::frame(rest).is_err_and(|problem| problem.is_truncated());
    Split {
        units: games as u64,
        len,
        stuck: !rest.is_empty() && !more_may_come(),
    }
}
