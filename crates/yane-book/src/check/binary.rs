//! Positions of a `.ybb` book.

use std::ops::Range;

use super::{Kind, PieceFindings, moves, repeats};
use crate::ybb::{Entry, Ybb};
use crate::{BookError, BookMove};

/// Checks the positions with these numbers.
pub(super) fn check(book: &Ybb, range: Range<u64>, findings: &mut PieceFindings) {
    let mut lines = Vec::new();
    for at in range {
        match book.get(at) {
            Ok(Some(entry)) => check_entry(&entry, &mut lines, findings),
            Ok(None) => {}
            Err(BookError::Files(yane_io::Error::Byte { offset, reason, .. })) => {
                findings.positions += 1;
                findings.add(Kind::Format, offset, reason);
            }
            Err(other) => findings.add(Kind::Format, 0, other.to_string()),
        }
    }
}

fn check_entry(entry: &Entry<'_>, lines: &mut Vec<(u64, BookMove)>, out: &mut PieceFindings) {
    out.positions += 1;
    out.follow(&entry.packed.0, entry.offset());
    lines.clear();
    let numbered = entry.moves().enumerate();
    lines.extend(numbered.map(|(place, known)| (entry.move_offset(place), known)));
    out.moves += lines.len() as u64;
    if lines.is_empty() {
        out.add(Kind::Empty, entry.offset(), "position without moves");
    }
    match entry.position() {
        Ok(position) => {
            moves::check_moves(&position, lines, out);
            repeats::note(&position, entry.offset(), &mut out.identities);
        }
        Err(error) => out.add(Kind::Position, entry.offset(), error.to_string()),
    }
}
