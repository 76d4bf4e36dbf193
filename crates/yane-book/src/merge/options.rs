//! How books are merged, and what came of it.

use std::path::PathBuf;

use shogi_core::Color;
use yane_io::Overwrite;

use crate::BookError;
use crate::db::{BadLines, CommentCounts, CommentPolicy, LineEnd, SkippedLine};

/// A book that takes part in a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeInput {
    /// The `.db` file.
    pub path: PathBuf,
    /// Take only positions with this side to move; `None`: all.
    pub side: Option<Color>,
}

impl MergeInput {
    /// Selects all positions of the book at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            side: None,
        }
    }
}

/// Options: how to merge.
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeOptions {
    /// Positions that differ only in ply are one position, with the smallest ply.
    pub ignore_ply: bool,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be one of the inputs.
    pub overwrite: Overwrite,
    /// Policy for bad lines.
    pub bad_lines: BadLines,
    /// Depth of the legality check.
    pub legality: Legality,
    /// Choice between the moves of several books.
    pub preference: Preference,
    /// Policy for comments.
    pub comments: CommentPolicy,
}

/// The choice of the book whose moves are taken for a position that several have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// By depth, then by the number of moves (rule 2).
    #[default]
    Depth,
    /// Moves with values before moves without ([`crate::lacks_values`]), then by depth.
    Values,
    /// The earlier book.
    Earlier,
}

/// The depth of the legality check. In any case the form of moves is checked, and that no position has too many pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legality {
    /// A move must be one that a piece of the side to move can make from where it stands, or the drop of
    /// one that it has in hand. Not looked at are the safety of the mover's king and mate by a dropped
    /// pawn.
    #[default]
    Pieces,
    /// Positions and moves must obey all rules of shogi. Nearly doubles the work.
    Rules,
}

/// Report of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Positions read from each input, as often as they stand there.
    pub read: Vec<u64>,
    /// Different positions (ply included) that are in two inputs or more.
    pub common: u64,
    /// For each input, how many different positions are in it alone.
    pub alone: Vec<u64>,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Positions dropped because the same one with a smaller ply is written.
    pub larger_ply: u64,
    /// Positions dropped because they had no move.
    pub without_moves: u64,
    /// Positions written without values although another input has values for them.
    pub without_value: u64,
    /// Comments.
    pub comments: CommentCounts,
    /// Lines left out with [`BadLines::Skip`], by file and line.
    pub skipped: Vec<SkippedLine>,
}

/// Reason why a merge ended early.
#[derive(Debug)]
pub(super) enum Early {
    /// The input of this number was streamed, but is not sorted: its canonical SFENs do not rise. It must be sorted first.
    NeedsSorting(usize),
    /// An input cannot be read, or the output not written.
    Error(BookError),
}

impl<E: Into<BookError>> From<E> for Early {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}
