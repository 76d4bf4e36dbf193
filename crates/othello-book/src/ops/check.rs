//! Whether an Edax book is sound.

use hashbrown::HashSet;
use othello_core::{Board, State};
use yane_io::{Job, Map};

use crate::Edge;
use crate::convert::links;
use crate::edax::{Book, RecordRef};
use crate::miner::{MineError, Mode, Options, mine};
use crate::store::{Damage, Index, IndexOptions};

/// Counts of what is wrong with an Edax book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Soundness {
    /// Different positions.
    pub positions: u64,
    /// Records that are damaged.
    pub damaged: u64,
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
    /// Names and numbers of the counts.
    pub const fn counts(&self) -> [(&'static str, u64); 10] {
        [
            ("positions", self.positions),
            ("damaged", self.damaged),
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
        self.counts()[1..].iter().all(|(_, count)| *count == 0)
    }

    fn look_at(&mut self, record: &RecordRef<'_>, index: &Index<'_>) {
        let board = record.board();
        self.not_canonical += u64::from(!board.is_canonical());
        let mut seen = HashSet::new();
        for link in record.links() {
            self.twice += u64::from(!seen.insert(link.number));
            match link.legal_on(board).and_then(|mv| board.after(mv)) {
                None => self.illegal += 1,
                Some(child) => {
                    let child = child.canonical().board;
                    self.missing += u64::from(index.find(child).is_none());
                }
            }
        }
        let leaf = record.leaf();
        if leaf.number == Edge::NONE {
            let moves = links::moves(board).len();
            self.no_leaf += u64::from(record.link_count() < moves);
        } else {
            self.twice += u64::from(!seen.insert(leaf.number));
            self.illegal += u64::from(leaf.legal_on(board).is_none());
        }
        let scores = record.links().map(|link| link.score);
        let best = scores.chain([leaf.score]).max().map(i16::from);
        let is_over = board.state() == State::Over;
        self.value += u64::from(!is_over && best != Some(record.value()));
    }
}

/// Looks at every record of an Edax book, and at where the start leads.
///
/// # Errors
///
/// A file that is no Edax book, [`yane_io::Error::Cancelled`], and a damaged record if `damage` says so.
pub fn check(map: &Map, damage: Damage, job: &Job) -> yane_io::Result<Soundness> {
    let mut index = Index::new(map, IndexOptions { damage }, job)?;
    let mut found = Soundness {
        positions: index.len(),
        damaged: index.damaged(),
        repeated: index.repeated(),
        ..Soundness::default()
    };
    let book = Book::new(map).map_err(|fault| fault.of(map))?;
    for record in book.records().flatten() {
        found.look_at(&record, &index);
    }
    let options = Options::new(Mode::LeafAboveLinks);
    match mine(&mut index, &options, job, &mut |_| Ok(())) {
        Ok(summary) => found.isolated = summary.isolated,
        Err(MineError::NoStart(board)) => {
            debug_assert_eq!(board, Board::START);
            found.isolated = found.positions;
        }
        Err(MineError::Files(error)) => return Err(error),
    }
    Ok(found)
}
