//! An entry of a book as an editor sees it.

use std::cmp::Reverse;

use shogi_core::Move16;

use crate::db::LineProblem;
use crate::{BookMove, Format};

/// What a format can hold of a move, besides the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of columns")]
pub struct BookColumns {
    /// The expected reply.
    pub reply: bool,
    /// The score.
    pub score: bool,
    /// The depth.
    pub depth: bool,
    /// The count.
    pub count: bool,
    /// Comments of moves and positions.
    pub comment: bool,
}

impl BookColumns {
    /// All columns, those of `.db`.
    pub const ALL: Self = Self {
        reply: true,
        score: true,
        depth: true,
        count: true,
        comment: true,
    };

    /// The names of the columns that are held.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            (self.reply, "reply"),
            (self.score, "score"),
            (self.depth, "depth"),
            (self.count, "count"),
            (self.comment, "comment"),
        ];
        let held = all.into_iter().filter(|(is_held, _)| *is_held);
        held.map(|(_, name)| name).collect()
    }
}

/// A move of an entry. What the book does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditableMove {
    /// The move; `None` is the book's word `none`.
    pub mv: Option<Move16>,
    /// The expected reply.
    pub reply: Option<Move16>,
    /// Centipawns for the side to move, as a rule.
    pub score: Option<i32>,
    /// Depth in plies.
    pub depth: Option<i32>,
    /// How often the move was played, as a rule.
    pub count: Option<u64>,
    /// The comment, lines parted by `\n`; empty if there is none.
    pub comment: String,
    /// True if an edit that is not saved changed the move.
    pub is_edited: bool,
    /// The line of a text book with its end; empty if it has to be written anew.
    pub(super) line: Vec<u8>,
    /// The comment behind the fields of a line that has to be written anew.
    pub(super) behind: Vec<u8>,
    /// The lines below it that are no moves.
    pub(super) tail: Vec<u8>,
    /// Fields that the line has at least, when it is written anew.
    pub(super) fields: usize,
}

impl EditableMove {
    /// What moves are sorted by, falling.
    pub(super) fn rank(&self) -> (u64, i32) {
        (self.count.unwrap_or(1), self.score.unwrap_or(0))
    }

    /// The move as all other parts of the workspace know it, with the field's numbers for what is not known.
    pub fn to_book_move(&self, format: Format) -> BookMove {
        let (depth, count) = match format {
            Format::Db | Format::Sbk => (0, 1),
            Format::Ybb => (0, 0),
            Format::Apery => (crate::probe::APERY_DEPTH, 0),
        };
        BookMove {
            mv: self.mv,
            ponder: self.reply,
            eval: self.score.unwrap_or(0),
            depth: self.depth.unwrap_or(depth),
            count: self.count.unwrap_or(count),
        }
    }
}

/// An entry of a book: a position with its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditableEntry {
    /// The canonical SFEN without ply.
    pub(super) position: String,
    pub(super) ply: Option<u32>,
    pub(super) comment: String,
    pub(super) moves: Vec<EditableMove>,
    pub(super) problem: Option<LineProblem>,
    /// The line of the position in a text book with its end; empty for a new one.
    pub(super) head: Vec<u8>,
    /// The lines below it that are no moves.
    pub(super) notes: Vec<u8>,
}

impl EditableEntry {
    /// The canonical SFEN without ply.
    pub fn position(&self) -> &str {
        &self.position
    }

    /// The ply; `None` in a book that has none.
    pub const fn ply(&self) -> Option<u32> {
        self.ply
    }

    /// The SFEN with its ply, 1 in a book that has none.
    pub fn sfen(&self) -> String {
        format!("{} {}", self.position, self.ply.unwrap_or(1))
    }

    /// The comment of the position, lines parted by `\n`; empty if there is none.
    pub fn comment(&self) -> &str {
        &self.comment
    }

    /// The moves in the order of the book.
    pub fn moves(&self) -> &[EditableMove] {
        &self.moves
    }

    /// What is wrong with the first line that is no move.
    pub const fn problem(&self) -> Option<&LineProblem> {
        self.problem.as_ref()
    }

    /// The move with the highest score, the first one if nothing is known of any.
    pub fn best(&self) -> Option<&EditableMove> {
        let moves = || self.moves.iter().filter(|known| known.mv.is_some());
        let scored = moves().filter(|known| known.score.is_some());
        // Of equal ones the first.
        scored
            .rev()
            .max_by_key(|known| known.score)
            .or_else(|| moves().next())
    }

    /// Returns whether moves are in the order in which books are written.
    pub(super) fn is_in_order(&self) -> bool {
        let moves = &self.moves;
        moves.is_sorted_by_key(|known| Reverse(known.rank()))
    }

    /// Brings moves into that order.
    pub(super) fn sort(&mut self) {
        self.moves.sort_by_key(|known| Reverse(known.rank()));
    }
}
