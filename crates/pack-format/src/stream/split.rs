//! Cutting bytes at the borders of games and records.

use crate::games::{FileGame, GameProblem, frames_len};
use crate::{Hcpe3Game, TeacherFormat, pack};

/// How much of a piece of a file is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Complete games, records or lines at the start.
    pub units: u64,
    /// The bytes they take.
    pub len: usize,
    /// What follows them is not the beginning of another one, whatever bytes come.
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
