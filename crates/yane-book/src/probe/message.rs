//! What a probe tells.

use std::fmt;

use shogi_core::{Move, Move16, Repetition};

// Messages of probing.

/// A message to show. `Display` gives the text after the word `info` of the USI protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message {
    /// A move of the book that can be played.
    Line(Line),
    /// A move of the book that cannot be played.
    Illegal {
        /// The move.
        mv: Move16,
        /// The position.
        sfen: String,
    },
    /// `NarrowBook` left moves out.
    Narrow {
        /// Number of moves before.
        before: usize,
        /// Number of moves left.
        after: usize,
    },
    /// The first move is not deep enough, so the book is not used.
    TooShallow {
        /// The option that sets the limit.
        option: &'static str,
    },
    /// Moves with bad values were left out.
    Worse {
        /// The option with the largest difference, and its value.
        diff: (&'static str, i32),
        /// The option with the smallest value, and its value.
        limit: (&'static str, i32),
        /// Number of moves before.
        before: usize,
        /// Number of moves left.
        after: usize,
    },
    /// The file turned out to be broken where it was looked up; the book is not used.
    Broken(String),
}

/// A move of the book with the line expected to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number of the move, from 1.
    pub number: usize,
    /// Depth in the book.
    pub depth: i32,
    /// Value in the book, for the side to move.
    pub eval: i32,
    /// The move and those that follow it in the book.
    pub pv: Vec<Move>,
    /// Repetition of an earlier position of the game by the last position of the line.
    pub end: Repetition,
    /// Count of the move.
    pub count: u64,
    /// Count of all moves that can be played; 0 when the book has no counts.
    pub total: u128,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "depth {} multipv {} score cp {} nodes 0 nps 0 hashfull 0 time 0 pv",
            self.depth, self.number, self.eval
        )?;
        for m in &self.pv {
            write!(f, " {m}")?;
        }
        if self.end != Repetition::None {
            write!(f, " {}", self.end.name())?;
        }
        if self.total > 0 {
            let share = 100.0 * self.count as f64 / self.total as f64;
            write!(f, " ({share:.2}%)")?;
        }
        Ok(())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Line(line) = self {
            return write!(f, "{line}");
        }
        f.write_str("string ")?;
        match self {
            Self::Line(_) => Ok(()),
            Self::Illegal { mv, sfen } => {
                f.write_str("Error! : Illegal Move In Book DB : move = ")?;
                match mv.decode() {
                    Some(text) => write!(f, "{text}")?,
                    None => write!(f, "{:#06x}", mv.0)?,
                }
                write!(f, " , sfen = {sfen}")
            }
            Self::Narrow { before, after } => {
                write!(f, "NarrowBook : {before} moves to {after} moves.")
            }
            Self::TooShallow { option } => {
                write!(f, "{option} is lower than the depth of this node.")
            }
            Self::Worse {
                diff,
                limit,
                before,
                after,
            } => write!(
                f,
                "{} = {} , {} = {} , {before} moves to {after} moves.",
                diff.0, diff.1, limit.0, limit.1
            ),
            Self::Broken(reason) => write!(f, "Error! : {reason}"),
        }
    }
}
