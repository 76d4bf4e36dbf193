//! Where the records of a book come from, how they are taken, and what came of it.

use std::path::{Path, PathBuf};

use shogi_core::Color;
use yane_io::Overwrite;

use crate::db::{BadLines, LineEnd};

use crate::records::{Problems, Variations};

/// A record file and the selection of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordInput {
    /// The file, or a folder with files.
    pub path: PathBuf,
    /// Take only positions with this side to move; `None`: all.
    pub side: Option<Color>,
}

impl RecordInput {
    /// Selects all positions of a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            side: None,
        }
    }

    /// Positions with black to move of one file, with white to move of another (`from_sfen bw`). A
    /// file named `no_file` is left out.
    pub fn black_white(black: impl Into<PathBuf>, white: impl Into<PathBuf>) -> Vec<Self> {
        let inputs = [(black.into(), Color::Black), (white.into(), Color::White)];
        inputs
            .into_iter()
            .filter(|(path, _)| path != Path::new(NO_FILE))
            .map(|(path, side)| Self {
                path,
                side: Some(side),
            })
            .collect()
    }
}

/// Options: how to make a book from records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromSfen {
    /// Largest number of moves of every game that become entries, counted from the start of its
    /// line.
    pub moves: usize,
    /// Choice of the lines of records. With variations the last move of a line is an entry, too.
    pub variations: Variations,
    /// Choice whether evaluations in comments become value and depth of their moves: of a move that was played several
    /// times the deepest. Moves without one have depth 0 then.
    pub scores: RecordScores,
    /// Policy for lines that are no games and for moves that cannot be played. The moves
    /// before such a move are used in either case.
    pub bad_lines: BadLines,
    /// Line ends of the book.
    pub line_end: LineEnd,
    /// Overwriting: whether the book may be one of the inputs.
    pub overwrite: Overwrite,
}

impl Default for FromSfen {
    fn default() -> Self {
        Self {
            moves: 16,
            variations: Variations::default(),
            scores: RecordScores::default(),
            bad_lines: BadLines::Skip,
            line_end: LineEnd::default(),
            overwrite: Overwrite::default(),
        }
    }
}

/// Choice what becomes of evaluations in the comments of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordScores {
    /// Moves have value 0 and depth 32.
    #[default]
    Ignore,
    /// Moves have the value and depth that their record says.
    Take,
}

/// Summary of the records and the book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FromSfenReport {
    /// Games read: lines with content.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Moves with a value, with [`RecordScores::Take`].
    pub scored: u64,
    /// Variations left out.
    pub variations_left_out: u64,
    /// Lines that are no games, and games with a move that cannot be played.
    pub problems: Problems,
}

/// The word that stands for a file that is not there.
pub(super) const NO_FILE: &str = "no_file";
