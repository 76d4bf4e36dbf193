//! Whether an Egaroucid book is sound.

use othello_core::Board;

use super::check::{Oddity, told};
use super::reach::reachable;
use crate::egaroucid::{Book, Entry};
use crate::store::{Bits, Positions};

/// Counts of what is wrong with an Egaroucid book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntrySoundness {
    /// Different positions.
    pub positions: u64,
    /// Records that the file says it has.
    pub count: u64,
    /// Records that are damaged; one for those that the file lacks, or has too many of.
    pub damaged: u64,
    /// 1 if the start is missing.
    pub no_start: u64,
    /// Boards that are not the canonical one of their images.
    pub not_canonical: u64,
    /// Leaves, and moves of an `.egbk2`, that are no move of their board.
    pub illegal: u64,
    /// Records of boards that an earlier record has.
    pub repeated: u64,
    /// Positions that the start does not lead to.
    pub isolated: u64,
}

impl EntrySoundness {
    /// Names and numbers of what the book holds, which are not wrong.
    pub const fn holds(&self) -> [(&'static str, u64); 2] {
        [("count", self.count), ("positions", self.positions)]
    }

    /// Names and numbers of what is wrong.
    pub const fn counts(&self) -> [(&'static str, u64); 6] {
        [
            ("damaged", self.damaged),
            ("no_start", self.no_start),
            ("not_canonical", self.not_canonical),
            ("illegal", self.illegal),
            ("repeated", self.repeated),
            ("isolated", self.isolated),
        ]
    }

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count == 0)
    }
}

/// Looks at every record of an Egaroucid book, whose `positions` were read without the damaged ones, and at where the
/// start leads. What is wrong goes to `tell`.
pub fn check_entries(
    book: &Book<'_>,
    positions: &impl Positions,
    tell: &mut dyn FnMut(&Oddity),
) -> EntrySoundness {
    let reached = reachable(positions, Board::START);
    let mut found = EntrySoundness {
        count: book.count() as u64,
        no_start: u64::from(positions.find(Board::START).is_none()),
        positions: positions.count(),
        isolated: positions.count() - reached.count(),
        ..EntrySoundness::default()
    };
    if found.no_start > 0 {
        tell(&oddity("no_start", 0, Board::START.canonical().board));
    }
    let mut good = 0;
    each(book, |offset, entry| match entry {
        Ok(entry) => {
            good += 1;
            if !entry.board.is_canonical() {
                found.not_canonical += 1;
                tell(&oddity("not_canonical", offset, entry.board));
            }
            for edge in illegal(&entry) {
                found.illegal += 1;
                let reason = told(entry.board, Some(edge));
                tell(&Oddity {
                    reason,
                    ..oddity("illegal", offset, entry.board)
                });
            }
        }
        Err(fault) => {
            found.damaged += 1;
            tell(&Oddity {
                what: "damaged",
                offset: fault.offset,
                reason: fault.reason,
            });
        }
    });
    found.repeated = good - found.positions.min(good);
    // Only where there is something to tell, as it takes a look at each position.
    if found.isolated + found.repeated > 0 {
        tell_of_positions(book, positions, &reached, tell);
    }
    found
}

/// Tells of boards that an earlier record has, and of those that the start does not lead to.
fn tell_of_positions(
    book: &Book<'_>,
    positions: &impl Positions,
    reached: &Bits,
    tell: &mut dyn FnMut(&Oddity),
) {
    let mut seen = Bits::new(positions.bound().into());
    each(book, |offset, entry| {
        let Ok(Entry { board, .. }) = entry else {
            return;
        };
        let Some(number) = positions.find(board).map(u64::from) else {
            return;
        };
        if !seen.add(number) {
            tell(&oddity("repeated", offset, board));
        } else if !reached.has(number) {
            tell(&oddity("isolated", offset, board));
        }
    });
}

/// Gives all records, and where they begin.
fn each(book: &Book<'_>, mut each: impl FnMut(u64, Result<Entry, crate::Fault>)) {
    let mut entries = book.entries();
    loop {
        let offset = entries.offset();
        let Some(entry) = entries.next() else {
            return;
        };
        each(offset, entry);
    }
}

/// Moves that are none on the board.
fn illegal(entry: &Entry) -> impl Iterator<Item = crate::Edge> + '_ {
    let leaf = Some(entry.leaf).filter(|leaf| leaf.is_known());
    let edges = entry
        .links
        .iter()
        .copied()
        .chain(leaf.map(|leaf| leaf.edge));
    edges.filter(|edge| edge.legal_on(entry.board).is_none())
}

fn oddity(what: &'static str, offset: u64, board: Board) -> Oddity {
    Oddity {
        what,
        offset,
        reason: told(board, None),
    }
}
