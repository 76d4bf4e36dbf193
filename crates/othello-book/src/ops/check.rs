//! Checks of books: damage, illegal moves, missing and isolated positions.

use hashbrown::HashSet;
use othello_core::{Board, Position, Side, State};
use yane_io::{Job, Map};

use crate::Edge;
use crate::convert::links;
use crate::edax::{EdaxBook, EdaxHeader, EdaxRecordRef};
use crate::egaroucid::{EgaroucidBook, EgaroucidRecord};
use crate::miner::{MineError, MineOptions, Mode, mine};
use crate::ops::reachable;
use crate::store::{BitSet, EdaxIndex, OnDamage, PositionStore};

/// The problems of an Edax book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdaxCheck {
    /// Records by the header.
    pub count: u64,
    /// Different positions.
    pub positions: u64,
    /// Positions that Edax's `book fix` will search: without a leaf, or with one that leads to a position of the book,
    /// though not all of their moves do.
    pub edax_searches: u64,
    /// Damaged records; those that the file lacks count as one.
    pub damaged: u64,
    /// Records more than the header counts.
    pub surplus: u64,
    /// 1 if the start position is missing.
    pub no_start: u64,
    /// Duplicate records.
    pub repeated: u64,
    /// Boards that are not canonical.
    pub not_canonical: u64,
    /// Illegal links and leaves.
    pub illegal: u64,
    /// Duplicate moves among the links and the leaf of a position.
    pub twice: u64,
    /// Positions without a leaf though not all of their moves are links.
    pub no_leaf: u64,
    /// Links to missing positions.
    pub missing: u64,
    /// Positions whose value is not that of their best move.
    pub value: u64,
    /// Positions that cannot be reached from the start.
    pub isolated: u64,
}

impl EdaxCheck {
    /// The counts of contents by name.
    pub const fn holds(&self) -> [(&'static str, u64); 3] {
        [
            ("count", self.count),
            ("positions", self.positions),
            ("edax_searches", self.edax_searches),
        ]
    }

    /// The counts of problems by name.
    pub const fn counts(&self) -> [(&'static str, u64); 11] {
        [
            ("damaged", self.damaged),
            ("surplus", self.surplus),
            ("no_start", self.no_start),
            ("repeated", self.repeated),
            ("not_canonical", self.not_canonical),
            ("illegal", self.illegal),
            ("twice", self.twice),
            ("no_leaf", self.no_leaf),
            ("missing", self.missing),
            ("value", self.value),
            ("isolated", self.isolated),
        ]
    }

    /// Returns whether there is no problem.
    pub fn is_sound(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count == 0)
    }

    fn check_record(
        &mut self,
        record: &EdaxRecordRef<'_>,
        index: &EdaxIndex<'_>,
        report: &mut dyn FnMut(&BookProblem),
    ) {
        let board = record.board();
        let mut found = |what, edge: Option<Edge>, count: &mut u64| {
            *count += 1;
            report(&BookProblem {
                what,
                offset: record.offset(),
                reason: describe(board, edge),
            });
        };
        if !board.is_canonical() {
            found("not_canonical", None, &mut self.not_canonical);
        }
        let mut seen = HashSet::new();
        for link in record.links() {
            if !seen.insert(link.number) {
                found("twice", Some(link), &mut self.twice);
            }
            match link.legal_on(board).and_then(|mv| board.after(mv)) {
                None => found("illegal", Some(link), &mut self.illegal),
                Some(child) => {
                    if index.find(child.canonical().board).is_none() {
                        found("missing", Some(link), &mut self.missing);
                    }
                }
            }
        }
        let leaf = record.leaf();
        if leaf.number == Edge::NONE {
            if record.link_count() < links::moves(board).len() {
                found("no_leaf", None, &mut self.no_leaf);
            }
        } else {
            if !seen.insert(leaf.number) {
                found("twice", Some(leaf), &mut self.twice);
            }
            if leaf.legal_on(board).is_none() {
                found("illegal", Some(leaf), &mut self.illegal);
            }
        }
        let scores = record.links().map(|link| link.score);
        let best = scores.chain([leaf.score]).max().map(i16::from);
        if best != Some(record.value()) && board.state() != State::Over {
            found("value", None, &mut self.value);
        }
        self.edax_searches += u64::from(links::edax_searches(&record.to_record(), index));
    }
}

impl EdaxCheck {
    /// Checks the count of the header and the presence of the start position.
    fn check_book(
        &mut self,
        records: u64,
        index: &EdaxIndex<'_>,
        report: &mut dyn FnMut(&BookProblem),
    ) {
        let surplus = records.saturating_sub(self.count);
        // A book may have more records than the header can count.
        if surplus > 0 && self.count < i32::MAX.unsigned_abs().into() {
            self.surplus = surplus;
            report(&BookProblem {
                what: "surplus",
                offset: 38,
                reason: format!(
                    "{surplus} records more than the header counts: {}",
                    self.count
                ),
            });
        }
        if index.find(Board::START.canonical().board).is_none() {
            self.no_start = 1;
            report(&BookProblem {
                what: "no_start",
                offset: EdaxHeader::LEN as u64,
                reason: describe(Board::START.canonical().board, None),
            });
        }
    }
}

/// A problem of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookProblem {
    /// The name of its count in [`EdaxCheck::counts`].
    pub what: &'static str,
    /// The offset of the record, or of the damage.
    pub offset: u64,
    /// The damage; else the board, and the move if it is one.
    pub reason: String,
}

/// A board of the file as text, with a move.
pub(super) fn describe(board: Board, edge: Option<Edge>) -> String {
    let board = Position::new(board, Side::Black);
    match edge.map(|edge| (edge.number, edge.mv())) {
        None => board.to_string(),
        Some((_, Some(mv))) => format!("{board} {mv}"),
        Some((number, None)) => format!("{board} move number {number}"),
    }
}

/// Checks every record of an Edax book, and which positions the start leads to. Problems go to `report`, of damaged
/// records the first few.
///
/// # Errors
///
/// A file that is no Edax book, [`yane_io::Error::Cancelled`], a damaged record with [`OnDamage::Stop`].
pub fn check_edax(
    map: &Map,
    damage: OnDamage,
    job: &Job,
    report: &mut dyn FnMut(&BookProblem),
) -> yane_io::Result<EdaxCheck> {
    let mut index = EdaxIndex::new(map, damage, job)?;
    let book = EdaxBook::new(map).map_err(|error| error.in_file(map))?;
    let mut found = EdaxCheck {
        count: book.header.n_nodes.max(0).unsigned_abs().into(),
        positions: index.len(),
        damaged: index.damaged(),
        repeated: index.repeated(),
        ..EdaxCheck::default()
    };
    for error in index.errors() {
        report(&BookProblem {
            what: "damaged",
            offset: error.offset,
            reason: error.reason.clone(),
        });
    }
    let mut records = book.records();
    for record in records.by_ref().flatten() {
        found.check_record(&record, &index, report);
    }
    found.check_book(records.count_read(), &index, report);
    let options = MineOptions::new(Mode::LeafAboveLinks);
    match mine(&mut index, &options, job, &mut |_| Ok(())) {
        Ok(summary) => found.isolated = summary.isolated,
        Err(MineError::NoStart(board)) => {
            debug_assert_eq!(board, Board::START);
            found.isolated = found.positions;
        }
        Err(MineError::Files(error)) => return Err(error),
    }
    // Only if there are problems, as it looks up each position.
    if found.isolated + found.repeated > 0 {
        for record in book.records().flatten() {
            let first = index.find(record.board());
            let what = match first {
                Some(first) if first.record.offset() != record.offset() => "repeated",
                Some(first) if index.taken(first.slot) == 0 => "isolated",
                _ => continue,
            };
            report(&BookProblem {
                what,
                offset: record.offset(),
                reason: describe(record.board(), None),
            });
        }
    }
    Ok(found)
}

/// The problems of an Egaroucid book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EgaroucidCheck {
    /// Different positions.
    pub positions: u64,
    /// Records by the header.
    pub count: u64,
    /// Damaged records; missing or surplus bytes count as one.
    pub damaged: u64,
    /// 1 if the start position is missing.
    pub no_start: u64,
    /// Boards that are not canonical.
    pub not_canonical: u64,
    /// Illegal leaves, and illegal moves of an `.egbk2`.
    pub illegal: u64,
    /// Duplicate records.
    pub repeated: u64,
    /// Positions that cannot be reached from the start.
    pub isolated: u64,
}

impl EgaroucidCheck {
    /// The counts of contents by name.
    pub const fn holds(&self) -> [(&'static str, u64); 2] {
        [("count", self.count), ("positions", self.positions)]
    }

    /// The counts of problems by name.
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

    /// Returns whether there is no problem.
    pub fn is_sound(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count == 0)
    }
}

/// Checks every record of an Egaroucid book, whose `positions` were read without the damaged ones, and which positions
/// the start leads to. Problems go to `report`.
pub fn check_egaroucid(
    book: &EgaroucidBook<'_>,
    positions: &impl PositionStore,
    report: &mut dyn FnMut(&BookProblem),
) -> EgaroucidCheck {
    let reached = reachable(positions, Board::START);
    let mut found = EgaroucidCheck {
        count: book.count() as u64,
        no_start: u64::from(positions.find(Board::START).is_none()),
        positions: positions.count(),
        isolated: positions.count() - reached.count(),
        ..EgaroucidCheck::default()
    };
    if found.no_start > 0 {
        report(&problem("no_start", 0, Board::START.canonical().board));
    }
    let mut good = 0;
    each(book, |offset, entry| match entry {
        Ok(entry) => {
            good += 1;
            if !entry.board.is_canonical() {
                found.not_canonical += 1;
                report(&problem("not_canonical", offset, entry.board));
            }
            for edge in illegal(&entry) {
                found.illegal += 1;
                let reason = describe(entry.board, Some(edge));
                report(&BookProblem {
                    reason,
                    ..problem("illegal", offset, entry.board)
                });
            }
        }
        Err(error) => {
            found.damaged += 1;
            report(&BookProblem {
                what: "damaged",
                offset: error.offset,
                reason: error.reason,
            });
        }
    });
    found.repeated = good - found.positions.min(good);
    // Only if there are problems, as it looks up each position.
    if found.isolated + found.repeated > 0 {
        report_positions(book, positions, &reached, report);
    }
    found
}

/// Reports duplicates and isolated positions.
fn report_positions(
    book: &EgaroucidBook<'_>,
    positions: &impl PositionStore,
    reached: &BitSet,
    report: &mut dyn FnMut(&BookProblem),
) {
    let mut seen = BitSet::new(positions.bound().into());
    each(book, |offset, entry| {
        let Ok(EgaroucidRecord { board, .. }) = entry else {
            return;
        };
        let Some(number) = positions.find(board).map(u64::from) else {
            return;
        };
        if !seen.add(number) {
            report(&problem("repeated", offset, board));
        } else if !reached.has(number) {
            report(&problem("isolated", offset, board));
        }
    });
}

/// Calls `each` with all records and their offsets.
fn each(
    book: &EgaroucidBook<'_>,
    mut each: impl FnMut(u64, Result<EgaroucidRecord, crate::FormatError>),
) {
    let mut entries = book.entries();
    loop {
        let offset = entries.offset();
        let Some(entry) = entries.next() else {
            return;
        };
        each(offset, entry);
    }
}

/// The illegal moves of a record.
fn illegal(entry: &EgaroucidRecord) -> impl Iterator<Item = crate::Edge> + '_ {
    let leaf = Some(entry.leaf).filter(|leaf| leaf.is_known());
    let edges = entry
        .links
        .iter()
        .copied()
        .chain(leaf.map(|leaf| leaf.edge));
    edges.filter(|edge| edge.legal_on(entry.board).is_none())
}

fn problem(what: &'static str, offset: u64, board: Board) -> BookProblem {
    BookProblem {
        what,
        offset,
        reason: describe(board, None),
    }
}
