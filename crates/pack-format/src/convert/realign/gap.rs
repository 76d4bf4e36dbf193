//! Finds the place after damage where whole records resume.
//!
//! A record is hardly ever there by chance: its 256 bits of position hold exactly 40 pieces and nothing
//! else, its move is legal, its result is one of three. Yet the codes of pieces fall into step after a few
//! of them: where a byte was inserted into a record, the bytes from its second one on may look like a
//! record too. So at a place where none should be, a record is taken for one only when
//!
//! * another one stands behind it, or the file ends there; or, between two damaged places, it is spelled
//!   exactly as writers do and has a move; and
//! * the record that should be a few bytes before it does not become whole when a few bytes are taken out.

use shogi_packed::{Hcp, PackedSfen, Placement};
use yane_io::Job;

use crate::TeacherFormat;
use crate::record::{TeacherRecordProblem, has_no_move};
use crate::record_problems::problem_of;

/// Bytes that are searched between looks at whether the job is cancelled.
const LISTEN: usize = 1 << 20;
/// Bytes that may have been inserted into a record which looks like one that begins later.
const INSERTED: usize = 8;

/// Bytes that are no whole records.
pub(super) struct Gap {
    pub(super) from: usize,
    /// Offset at which whole records resume, or the end of the file.
    pub(super) to: usize,
    /// The record that is there when what a transfer in text mode added is taken out.
    pub(super) restored: Option<Restored>,
}

/// A record without the carriage returns that stood before its line feeds.
pub(super) struct Restored {
    pub(super) bytes: Vec<u8>,
    /// File offsets of the removed carriage returns.
    pub(super) removed: Vec<usize>,
}

/// Finds records in a file.
pub(super) struct Finder<'m> {
    file: &'m [u8],
    job: Job,
    format: TeacherFormat,
    len: usize,
}

impl<'m> Finder<'m> {
    /// Returns a finder that stops when `job` is cancelled.
    pub(super) fn new(file: &'m [u8], format: TeacherFormat, job: &Job) -> Self {
        Self {
            file,
            job: job.clone(),
            format,
            len: format.record_len().unwrap_or(1),
        }
    }

    /// Bytes of a record.
    pub(super) const fn record_len(&self) -> usize {
        self.len
    }

    /// Bytes of the file.
    pub(super) const fn len(&self) -> usize {
        self.file.len()
    }

    /// The bytes from `from` to `to`.
    pub(super) fn bytes(&self, from: usize, to: usize) -> &'m [u8] {
        &self.file[from..to]
    }

    /// Returns the problem of the record at `at`; `None` at the end of the file.
    pub(super) fn problem(&self, at: usize) -> Option<TeacherRecordProblem> {
        let left = self.len() - at;
        if left == 0 {
            return None;
        }
        if left < self.len {
            let needed = self.len;
            return Some(TeacherRecordProblem::Truncated { needed, left });
        }
        problem_of(self.format, self.bytes(at, at + self.len))
    }

    /// Returns true if a whole record begins at `at`.
    fn is_record(&self, at: usize) -> bool {
        let Some(record) = self.file.get(at..at + self.len) else {
            return false;
        };
        may_be_record(self.format, record) && problem_of(self.format, record).is_none()
    }

    /// The gap that the damage at `damaged` is part of. The records from `run` up to it are whole, but
    /// the last of them may be short of bytes, or have some too many.
    pub(super) fn gap(&self, run: usize, damaged: usize) -> Gap {
        let last = damaged
            .checked_sub(self.len)
            .filter(|&last| last >= run && damaged > run);
        for from in last.into_iter().chain([damaged]) {
            if let Some((restored, to)) = self.restored(from) {
                return Gap {
                    from,
                    to,
                    restored: Some(restored),
                };
            }
        }
        let is_padded = last.filter(|_| self.file[damaged - 1] != 0);
        let next = self.next(is_padded.unwrap_or(damaged) + 1, damaged);
        let Some(next) = next else {
            return Gap {
                from: damaged,
                to: self.len(),
                restored: None,
            };
        };
        if let Some(last) = last
            && next < damaged
        {
            // Either the last record is short, or the damaged one, and what begins in the last is none.
            return Gap {
                from: last,
                to: next + self.len,
                restored: None,
            };
        }
        let later = (next - damaged) % self.len;
        let is_inserted = (1..self.len / 2).contains(&later);
        let doubtful = last.filter(|&last| is_inserted && self.is_doubtful(last));
        Gap {
            from: doubtful.unwrap_or(damaged),
            to: next,
            restored: None,
        }
    }

    /// Returns the offset at which records resume: at the next expected offset, or anywhere from
    /// `from` on.
    fn next(&self, from: usize, damaged: usize) -> Option<usize> {
        let due = damaged + self.len;
        if self.is_record(due) {
            return Some(due);
        }
        let mut single = None;
        for at in from..self.len() {
            if single.is_some_and(|single| at >= single + self.len) {
                break;
            }
            if at.is_multiple_of(LISTEN) && self.job.check().is_err() {
                return None;
            }
            if !self.is_record(at) {
                continue;
            }
            let behind = at + self.len;
            let goes_on = behind == self.len() || self.is_record(behind);
            if at > damaged && self.may_begin_at(damaged, at) {
                // The records behind it stand at their expected offsets in both cases.
                if goes_on {
                    return Some(behind);
                }
                continue;
            }
            if goes_on {
                return Some(at);
            }
            if single.is_none() && is_as_written(self.format, self.bytes(at, behind)) {
                single = Some(at);
            }
        }
        single
    }

    /// Returns true if the apparent record at `at` may be the one that begins at `damaged`, a few bytes
    /// before, with that many bytes inserted: the piece codes are in step again behind them.
    fn may_begin_at(&self, damaged: usize, at: usize) -> bool {
        let inserted = at - damaged;
        if inserted > INSERTED {
            return false;
        }
        let bytes = self.bytes(damaged, at + self.len);
        let mut record = vec![0; self.len];
        (1..self.len).any(|kept| {
            record[..kept].copy_from_slice(&bytes[..kept]);
            record[kept..].copy_from_slice(&bytes[kept + inserted..]);
            record != bytes[inserted..]
                && may_be_record(self.format, &record)
                && problem_of(self.format, &record).is_none()
        })
    }

    /// Returns true if the record before inserted bytes may contain them in its last fields: the fields
    /// behind them would be shifted, up to the unused byte, whose place is taken by the first byte after
    /// the record.
    fn is_doubtful(&self, at: usize) -> bool {
        let record = self.bytes(at, at + self.len);
        let is_shifted = record[self.len - 1] != 0;
        if self.format != TeacherFormat::Psv {
            return is_shifted;
        }
        let looks_drawn = record[OUTCOME] == 0 && self.file.get(at + self.len) == Some(&0);
        is_shifted || record[PLY_HIGH] != 0 || looks_drawn
    }

    /// The record that begins at `from`, if nothing is wrong with it but carriage returns before line feeds,
    /// and where the next one begins, which must be whole or the same.
    fn restored(&self, from: usize) -> Option<(Restored, usize)> {
        let (restored, to) = self.without_returns(from)?;
        let goes_on = to == self.len() || self.is_record(to) || self.without_returns(to).is_some();
        goes_on.then_some((restored, to))
    }

    /// The record that begins at `from` without the carriage returns before its line feeds, of which there are
    /// some, and where it ends.
    fn without_returns(&self, from: usize) -> Option<(Restored, usize)> {
        let mut restored = Restored {
            bytes: Vec::with_capacity(self.len),
            removed: Vec::new(),
        };
        let mut at = from;
        while restored.bytes.len() < self.len {
            let byte = *self.file.get(at)?;
            if byte == b'\r' && self.file.get(at + 1) == Some(&b'\n') {
                restored.removed.push(at);
            } else {
                restored.bytes.push(byte);
            }
            at += 1;
        }
        let is_restored = !restored.removed.is_empty()
            && may_be_record(self.format, &restored.bytes)
            && problem_of(self.format, &restored.bytes).is_none();
        is_restored.then_some((restored, at))
    }
}

/// Offset of the high byte of the ply in a PSV record.
const PLY_HIGH: usize = 37;
/// Offset of the outcome in a PSV record.
const OUTCOME: usize = 38;

/// Looks at the bytes that tell most records from others at once: result and kings.
fn may_be_record(format: TeacherFormat, record: &[u8]) -> bool {
    let is_result = match format {
        TeacherFormat::Psv => matches!(record[38], 0 | 1 | 0xff),
        _ => record[36] <= 2,
    };
    let [black, white] = [record[0] >> 1, record[1] & 0x7f];
    is_result && black <= 80 && white <= 80 && black != white
}

/// Returns true if a record is exactly as writers produce it, with a move.
fn is_as_written(format: TeacherFormat, record: &[u8]) -> bool {
    let Some(packed) = record.first_chunk::<32>() else {
        return false;
    };
    let is_canonical = match format {
        TeacherFormat::Psv => Placement::from_packed_sfen(&PackedSfen(*packed))
            .is_ok_and(|placement| placement.to_packed_sfen() == Ok(PackedSfen(*packed))),
        _ => Placement::from_hcp(&Hcp(*packed))
            .is_ok_and(|placement| placement.to_hcp() == Ok(Hcp(*packed))),
    };
    is_canonical && !has_no_move(record) && record.last() == Some(&0)
}
