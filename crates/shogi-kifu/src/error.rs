//! Errors of reading records, and what a format cannot hold.

use std::fmt;
use std::path::{Path, PathBuf};

use shogi_core::{SetupError, SfenError};
use thiserror::Error;
use yane_io::archive::LossCounts;

/// A record that cannot be read: where, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KifuError {
    /// The file, when it came from one.
    pub path: Option<PathBuf>,
    /// Number of the line in the file or text, from 1.
    pub line: u64,
    /// The byte of the text where that line begins (as UTF-8 when the file is UTF-16, without a byte order mark); 0 for a text that
    /// was not read as a file.
    pub offset: u64,
    /// The reason.
    pub problem: KifuProblem,
}

impl KifuError {
    pub(crate) fn new(line: u64, problem: KifuProblem) -> Self {
        Self {
            path: None,
            line,
            offset: 0,
            problem,
        }
    }

    /// The same in the file at `path`.
    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }
}

impl fmt::Display for KifuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for KifuError {}

/// Reason why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KifuProblem {
    /// Something else was expected.
    #[error("expected {expected}, found {found:?}")]
    Expected {
        /// The text that was expected.
        expected: String,
        /// The text that stands there.
        found: String,
    },
    /// A move that no piece can make.
    #[error("{found:?} cannot be played: {reason}")]
    Move {
        /// The move as it stands there.
        found: String,
        /// The reason.
        reason: String,
    },
    /// Something follows a move against the rules or the end of the game.
    #[error("{found:?} follows {after}")]
    AfterEnd {
        /// The text that stands there.
        found: String,
        /// The end.
        after: &'static str,
    },
    /// The start is no position.
    #[error("bad start position: {0}")]
    Start(StartProblem),
    /// A variation of a move that is not there.
    #[error("a variation of move {number}, but the line has {moves} moves")]
    Variation {
        /// The number in the file.
        number: u64,
        /// Moves of the line before.
        moves: usize,
    },
    /// Text that is neither UTF-8 nor `Shift_JIS`.
    #[error("the text is neither UTF-8, UTF-16, Shift_JIS nor EUC-JP")]
    Encoding,
    /// JSON that is wrong, or no game.
    #[error("{0}")]
    Json(String),
    /// Neither moves nor a position nor a header.
    #[error("there is no game record here (expected KIF, KI2, CSA, JKF or USI lines)")]
    Nothing,
}

/// Reason why the start of a record is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartProblem {
    /// Something else was expected.
    #[error("expected {expected}, found {found:?}")]
    Expected {
        /// What was expected.
        expected: &'static str,
        /// The text that stands there.
        found: String,
    },
    /// Something else was expected in a rank.
    #[error("rank {rank}: expected {expected}, found {found:?}")]
    Rank {
        /// The rank, from 1.
        rank: usize,
        /// What was expected.
        expected: &'static str,
        /// The text that stands there.
        found: String,
    },
    /// Something else was expected on a square.
    #[error("rank {rank}, file {file}: expected a piece such as v歩 or ・, found {found:?}")]
    Square {
        /// The rank, from 1.
        rank: usize,
        /// The file, from 1.
        file: usize,
        /// The text that stands there.
        found: String,
    },
    /// More than nine squares in a rank.
    #[error("rank {rank}: {found:?} follows nine squares")]
    LongRank {
        /// The rank, from 1.
        rank: usize,
        /// The text behind them.
        found: String,
    },
    /// A rank of the board of another game.
    #[error("rank {rank} has {squares} squares; only boards of 9 files and 9 ranks can be read")]
    OtherRank {
        /// The rank, from 1.
        rank: usize,
        /// The number of its squares.
        squares: usize,
    },
    /// The board of another game.
    #[error("a board with {0} files; only boards of 9 files and 9 ranks can be read")]
    Files(usize),
    /// The board of another game, or a board that is not whole.
    #[error("a board with {0} ranks; only boards of 9 files and 9 ranks can be read")]
    Ranks(usize),
    /// A square that no board has.
    #[error("the board has more than 9 files or ranks")]
    LargeBoard,
    /// A piece to be taken away that does not stand there.
    #[error("{0} is not there to be taken away")]
    NotThere(String),
    /// More pieces of a kind than a set has, where the rest goes into a hand.
    #[error("there are more pieces of a kind than a set has")]
    Set,
    /// More pieces of a kind in hand than a set has.
    #[error("more pieces in hand than a set has")]
    Hand,
    /// White moves first, from no board.
    #[error("white moves first, but no board is given (PI or P1 to P9)")]
    NoBoard,
    /// A name of a handicap that is none.
    #[error("手合割：{0} names no handicap; expected a board")]
    Handicap(String),
    /// A name of a start in JKF that is none.
    #[error("preset {0:?} is unknown")]
    Preset(String),
    /// A start in JKF without its board.
    #[error("preset OTHER needs data")]
    NoData,
    /// A number of JKF that is no color.
    #[error("color {0} is neither 0 nor 1")]
    Color(u8),
    /// A name of JKF that is no piece.
    #[error("{0:?} is no piece")]
    Piece(String),
    /// A text that is no SFEN.
    #[error(transparent)]
    Sfen(#[from] SfenError),
    /// Pieces that are no position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl KifuProblem {
    pub(crate) fn expected(expected: impl Into<String>, found: &str) -> Self {
        Self::Expected {
            expected: expected.into(),
            found: found.chars().take(60).collect(),
        }
    }
}

/// A kind of information that a format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossKind {
    /// Variations.
    Variations,
    /// Lines of comment.
    Comments,
    /// Lines that readers of the source pass over.
    Remarks,
    /// Names of places.
    Bookmarks,
    /// Times of moves.
    Times,
    /// Fractions of a second.
    Fractions,
    /// Headers.
    Headers,
    /// Endings without a word in the format.
    Endings,
    /// A move against the rules.
    IllegalMoves,
    /// The number of the first move.
    MoveNumber,
    /// Characters that the encoding does not have.
    Characters,
    /// Words of endings that say more than the format's word does.
    EndingWords,
}

impl LossKind {
    const ALL: [(Self, &'static str, &'static str); 12] = [
        (Self::Variations, "variations", "variation"),
        (Self::Comments, "lines of comment", "line of comment"),
        (Self::Remarks, "remarks", "remark"),
        (Self::Bookmarks, "bookmarks", "bookmark"),
        (Self::Times, "times of moves", "time of a move"),
        (
            Self::Fractions,
            "fractions of a second",
            "fraction of a second",
        ),
        (Self::Headers, "headers", "header"),
        (Self::Endings, "endings", "ending"),
        (Self::IllegalMoves, "illegal moves", "illegal move"),
        (
            Self::MoveNumber,
            "numbers of the first move",
            "number of the first move",
        ),
        (Self::Characters, "characters", "character"),
        (Self::EndingWords, "words of endings", "word of an ending"),
    ];

    /// The name for people and in JSON, in the plural.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The name of one.
    const fn singular(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// What was left out in writing, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses([u64; LossKind::ALL.len()]);

impl Losses {
    /// Number of items of this kind that were left out.
    pub const fn count(&self, kind: LossKind) -> u64 {
        self.0[kind as usize]
    }

    /// Returns whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }

    /// The kinds of which something was left out, with the number.
    pub fn iter(&self) -> impl Iterator<Item = (LossKind, u64)> {
        LossKind::ALL
            .into_iter()
            .map(|(kind, _, _)| (kind, self.count(kind)))
            .filter(|&(_, count)| count > 0)
    }

    /// Adds those of another record.
    pub fn absorb(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }

    pub(crate) fn add(&mut self, kind: LossKind, count: usize) {
        self.0[kind as usize] += count as u64;
    }
}

impl LossCounts for Losses {
    fn absorb(&mut self, other: &Self) {
        self.absorb(other);
    }

    fn by_name(&self) -> Vec<(&'static str, u64)> {
        let kinds = self.iter();
        kinds.map(|(kind, count)| (kind.name(), count)).collect()
    }
}

impl fmt::Display for Losses {
    /// `3 variations, 12 lines of comment`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (kind, count)) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let name = if count == 1 {
                kind.singular()
            } else {
                kind.name()
            };
            write!(f, "{comma}{count} {name}")?;
        }
        Ok(())
    }
}
