//! Cutting bytes at the borders of games and records.

use crate::{Format, hcpe3, pack};

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
pub fn split(format: Format, bytes: &[u8]) -> Split {
    match format {
        Format::Pack => {
            let (games, len) = pack::frames_len(bytes);
            let rest = &bytes[len..];
            let stuck = !rest.is_empty()
                && !matches!(pack::frame(rest), Err(pack::Fault::Truncated { .. }));
            Split {
                units: games as u64,
                len,
                stuck,
            }
        }
        Format::Hcpe3 => {
            let (games, len) = hcpe3::frames_len(bytes);
            let rest = &bytes[len..];
            let stuck = !rest.is_empty()
                && !matches!(hcpe3::frame(rest), Err(hcpe3::Fault::Truncated { .. }));
            Split {
                units: games as u64,
                len,
                stuck,
            }
        }
        Format::Hcpe | Format::Psv => {
            let record = format.record_len().unwrap_or(1);
            let units = bytes.len() / record;
            Split {
                units: units as u64,
                len: units * record,
                stuck: false,
            }
        }
        Format::Jsonl | Format::Csv => {
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
