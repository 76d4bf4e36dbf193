//! How books are converted, and what came of it.

use std::fmt;
use std::path::Path;

use shogi_core::Position;
use yane_io::Overwrite;

use crate::BookError;
use crate::db::{BadLines, CommentCounts, LineEnd};
use crate::ybb::MoveDepths;

/// Policy: what to do with a number for which the output has no room: in `.ybb`, values are -32768 to 32767,
/// depths and plies 0 to 65535.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// Reported as an error.
    #[default]
    Refuse,
    /// The nearest number that fits is written.
    Clamp,
}

/// Policy: what to do with a position that a `.db` file has several times with different plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherPlies {
    /// Reported as an error.
    #[default]
    Refuse,
    /// The one with the smallest ply is written, the others are left out and counted
    /// ([`ConvertReport::other_plies`]).
    SmallestOnly,
}

/// Options: how to convert.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// Choice whether a `.ybb` output stores depths.
    pub depths: MoveDepths,
    /// Numbers that do not fit.
    pub out_of_range: OutOfRange,
    /// Garbled or illegal input.
    pub bad_lines: BadLines,
    /// Positions that differ in their ply only.
    pub other_plies: OtherPlies,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Line ends of a `.db` output; `None`: as the field's tools do, LF from `.ybb` and CR LF from
    /// Apery books.
    pub line_end: Option<LineEnd>,
    /// Place where the search for the positions of an Apery book begins.
    pub roots: Vec<Position>,
    /// Number of positions in a row that may be missing from an Apery book on a way between two of its positions. Each more
    /// takes some hundred times as long.
    pub unregistered_depth: u32,
}

impl Default for ConvertOptions {
    /// Depths are stored, everything doubtful is an error, the root is the even start.
    fn default() -> Self {
        Self {
            depths: MoveDepths::default(),
            out_of_range: OutOfRange::default(),
            bad_lines: BadLines::default(),
            other_plies: OtherPlies::default(),
            overwrite: Overwrite::default(),
            line_end: None,
            roots: vec![Position::startpos()],
            unregistered_depth: 1,
        }
    }
}

/// Summary of the conversion.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Positions of the input without moves, which are not written.
    pub without_moves: u64,
    /// Positions left out since they are there with a smaller ply.
    pub other_plies: u64,
    /// Garbled positions left out.
    pub bad_positions: u64,
    /// Garbled or illegal moves left out.
    pub bad_moves: u64,
    /// The first hundred that were left out as garbled or illegal, in the order of the file.
    pub left_out: Vec<BookError>,
    /// Positions of an Apery book left out since one of their moves is illegal: another position has
    /// the same key, or the file is damaged.
    pub collisions: u64,
    /// Positions (keys) of an Apery book, or states of an `.sbk` book, that cannot be reached from the roots, and so are lost.
    pub unreached: u64,
    /// The first hundred of each of these two kinds.
    pub lost: Vec<LostPosition>,
    /// Comments.
    pub comments: CommentCounts,
}

/// A position of an Apery book that is not in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostPosition {
    /// Key of the position.
    pub key: u64,
    /// The position, where it is known: a move of it is illegal. Else no way leads to it.
    pub sfen: Option<String>,
    /// The moves of the book for it, at most the first ten.
    pub moves: Vec<String>,
    /// Offset where its first record begins in the input, in bytes.
    pub offset: u64,
}

impl fmt::Display for LostPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, offset, moves) = (self.key, self.offset, self.moves.join(" "));
        match &self.sfen {
            Some(sfen) => write!(
                f,
                "sfen {sfen}: a move is illegal (key {key:#018x}, byte {offset}, moves {moves})"
            ),
            None => write!(
                f,
                "key {key:#018x}: cannot be reached (byte {offset}, moves {moves})"
            ),
        }
    }
}

/// The error that a format is read only.
pub(super) fn never_written(output: &Path) -> BookError {
    BookError::file(output, "books of ShogiGUI are read, but not written")
}
