//! Whether an Edax book is sound.

use hashbrown::HashSet;
use othello_core::{Board, Position, Side, State};
use yane_io::{Job, Map};

use crate::Edge;
use crate::convert::links;
use crate::edax::{Book, Header, RecordRef};
use crate::miner::{MineError, Mode, Options, mine};
use crate::store::{Damage, Index, IndexOptions};

/// Counts of what is wrong with an Edax book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Records that the header counts; what is less than 0 is 0.
    pub count: u64,
    /// Different positions.
    pub positions: u64,
    /// Positions that Edax's own `book fix` will search: those that have no leaf, or one that leads to a position of the
    /// book, though not all of their moves do.
    pub edax_searches: u64,
    /// Records that are damaged; one for those that the file lacks by its header.
    pub damaged: u64,
    /// Records more than the header counts.
    pub surplus: u64,
    /// 1 if the start is missing.
    pub no_start: u64,
    /// Records of boards that an earlier record has.
    pub repeated: u64,
    /// Boards that are not the canonical one of their images.
    pub not_canonical: u64,
    /// Links and leaves that are no move of their board.
    pub illegal: u64,
    /// Moves that are there twice among the links and the leaf of a position.
    pub twice: u64,
    /// Positions without a leaf though not all of their moves are links.
    pub no_leaf: u64,
    /// Links to positions that are missing.
    pub missing: u64,
    /// Positions whose value is not that of their best move.
    pub value: u64,
    /// Positions that the start does not lead to.
    pub isolated: u64,
}

impl Soundness {
    /// Names and numbers of what the book holds, which are not wrong.
    pub const fn holds(&self) -> [(&'static str, u64); 3] {
        [
            ("count", self.count),
            ("positions", self.positions),
            ("edax_searches", self.edax_searches),
        ]
    }

    /// Names and numbers of what is wrong.
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

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count == 0)
    }

    fn look_at(
        &mut self,
        record: &RecordRef<'_>,
        index: &Index<'_>,
        tell: &mut dyn FnMut(&Oddity),
    ) {
        let board = record.board();
        let mut found = |what, edge: Option<Edge>, count: &mut u64| {
            *count += 1;
            tell(&Oddity {
                what,
                offset: record.offset(),
                reason: told(board, edge),
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

impl Soundness {
    /// Whether the header counts the records right, and the start is there.
    fn look_at_whole(&mut self, records: u64, index: &Index<'_>, tell: &mut dyn FnMut(&Oddity)) {
        let surplus = records.saturating_sub(self.count);
        // A book may have more than the header can count.
        if surplus > 0 && self.count < i32::MAX.unsigned_abs().into() {
            self.surplus = surplus;
            tell(&Oddity {
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
            tell(&Oddity {
                what: "no_start",
                offset: Header::LEN as u64,
                reason: told(Board::START.canonical().board, None),
            });
        }
    }
}

/// Something that is wrong with a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// The name of its count in [`Soundness::counts`].
    pub what: &'static str,
    /// Where the record begins, or what is damaged of it.
    pub offset: u64,
    /// What is damaged; else the board, and the move if one is wrong.
    pub reason: String,
}

/// A board of the file as text, with a move.
pub(super) fn told(board: Board, edge: Option<Edge>) -> String {
    let board = Position::new(board, Side::Black);
    match edge.map(|edge| (edge.number, edge.mv())) {
        None => board.to_string(),
        Some((_, Some(mv))) => format!("{board} {mv}"),
        Some((number, None)) => format!("{board} move number {number}"),
    }
}

/// Looks at every record of an Edax book, and at where the start leads. What is wrong goes to `tell`, of damaged records
/// the first [`Index::FAULTS_KEPT`].
///
/// # Errors
///
/// A file that is no Edax book, [`yane_io::Error::Cancelled`], a damaged record if `damage` says so.
pub fn check(
    map: &Map,
    damage: Damage,
    job: &Job,
    tell: &mut dyn FnMut(&Oddity),
) -> yane_io::Result<Soundness> {
    let mut index = Index::new(map, IndexOptions { damage }, job)?;
    let book = Book::new(map).map_err(|fault| fault.of(map))?;
    let mut found = Soundness {
        count: book.header.n_nodes.max(0).unsigned_abs().into(),
        positions: index.len(),
        damaged: index.damaged(),
        repeated: index.repeated(),
        ..Soundness::default()
    };
    for fault in index.faults() {
        tell(&Oddity {
            what: "damaged",
            offset: fault.offset,
            reason: fault.reason.clone(),
        });
    }
    let mut records = book.records();
    for record in records.by_ref().flatten() {
        found.look_at(&record, &index, tell);
    }
    found.look_at_whole(records.count_read(), &index, tell);
    let options = Options::new(Mode::LeafAboveLinks);
    match mine(&mut index, &options, job, &mut |_| Ok(())) {
        Ok(summary) => found.isolated = summary.isolated,
        Err(MineError::NoStart(board)) => {
            debug_assert_eq!(board, Board::START);
            found.isolated = found.positions;
        }
        Err(MineError::Files(error)) => return Err(error),
    }
    // Only where there is something to tell, as it takes a look at each position.
    if found.isolated + found.repeated > 0 {
        for record in book.records().flatten() {
            let first = index.find(record.board());
            let what = match first {
                Some(first) if first.record.offset() != record.offset() => "repeated",
                Some(first) if index.taken(first.slot) == 0 => "isolated",
                _ => continue,
            };
            tell(&Oddity {
                what,
                offset: record.offset(),
                reason: told(record.board(), None),
            });
        }
    }
    Ok(found)
}
