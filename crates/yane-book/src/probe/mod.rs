//! Choosing a move from a book during a game.
//!
//! [`probe`] looks the position up, lists the moves of the book, leaves out those that the options
//! do not want and draws one of the rest. It touches nothing but the books and the random numbers
//! that it is given; what there is to show comes back as [`Message`]s.
//!
//! # The rules
//!
//! 1. `USI_OwnBook`, `BookIgnoreRate` and `BookMoves` may say that the book is not used.
//! 2. The books are asked in turn ([`Books::find`]); the first that knows the position answers. Its
//!    moves are sorted by count, then by value. Illegal ones are left out with a message.
//! 3. Every move is shown, with what the book expects to follow.
//! 4. `NarrowBook`, the depth limit and the limits of value leave moves out. All of them compare with
//!    the *first* move of the order above, which need not be the one with the best value.
//! 5. One of the rest is drawn, evenly or as often as its count.
//!
//! # Messages
//!
//! They are those of `YaneuraOu` 9.70, with these differences. There is no line of depth 0 for the
//! move that was chosen: as line 1 it would replace the first move in the list that a GUI shows. The
//! limit of depth is not announced as `info string info string`. An illegal move is named instead of
//! called `none`, and told of only where it stands, not while lines are followed through the book.

mod books;
mod mapped_db;
mod select;

use std::fmt;

use rand::{Rng, RngExt};
use shogi_core::{ByColor, Color, Game, Move, Move16, Repetition};

use crate::Result;

use select::{draw, total_count, walk};

pub use books::{Books, OpenBook, OpenOptions, book_files};
pub use mapped_db::MappedDb;
pub use select::{Candidate, Listed, Selection, select};

/// The move to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, legal.
    pub mv: Move,
    /// The reply that the book expects, legal after the move.
    pub ponder: Option<Move>,
    /// Value of the move in the book, for the side that plays it.
    pub eval: i32,
}

/// The result of [`probe`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The move to play; `None` when the book has none that the options allow.
    pub choice: Option<Choice>,
    /// Messages to show, in this order.
    pub messages: Vec<Message>,
}

/// Asks the books about the current position of `game`. The same random numbers give the same answer.
pub fn probe(books: &Books, game: &Game, options: &ProbeOptions, rng: &mut impl Rng) -> Probe {
    if options.ignore_rate > rng.random_range(0..100) {
        return Probe::default();
    }
    try_probe(books, game, options, rng).unwrap_or_else(|error| Probe {
        choice: None,
        messages: vec![Message::Broken(error.to_string())],
    })
}

fn try_probe(
    books: &Books,
    game: &Game,
    options: &ProbeOptions,
    rng: &mut impl Rng,
) -> Result<Probe> {
    let selection = select(books, game.position(), options)?;
    let mut messages = selection.illegal;
    let total = total_count(&selection.listed);
    for (at, listed) in selection.listed.iter().enumerate() {
        let (pv, end) = walk(
            books,
            game,
            listed.mv,
            options.pv_moves,
            options.flipped,
            rng,
        )?;
        messages.push(Message::Line(Line {
            number: at + 1,
            depth: listed.book_move.depth,
            eval: listed.book_move.eval,
            pv,
            end,
            count: listed.book_move.count,
            total,
        }));
    }
    messages.extend(selection.notes);
    let weights: Vec<_> = selection.candidates.iter().map(|c| c.weight).collect();
    let choice = draw(&weights, rng).map(|at| {
        let Candidate {
            mv, ponder, eval, ..
        } = selection.candidates[at];
        Choice { mv, ponder, eval }
    });
    Ok(Probe { choice, messages })
}

/// The set of options that is offered (`YaneuraOu`: `BOOK_OPTIONS` in `engine_option_profile.txt`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// For all kinds of books.
    #[default]
    Classic,
    /// `BOOK_OPTIONS=V2`, for books made by `peta_shock`: limits for each colour, long lines, looked
    /// up on the fly; no choice by count.
    V2,
}

impl Profile {
    /// Name of the option that holds [`ProbeOptions::eval_diff`] of a side.
    pub const fn eval_diff_name(self, side: Color) -> &'static str {
        match (self, side) {
            (Self::Classic, _) => "BookEvalDiff",
            (Self::V2, Color::Black) => "BookEvalBlackDiff",
            (Self::V2, Color::White) => "BookEvalWhiteDiff",
        }
    }

    /// Name of the option that holds [`ProbeOptions::eval_limit`] of a side.
    pub const fn eval_limit_name(self, side: Color) -> &'static str {
        match side {
            Color::Black => "BookEvalBlackLimit",
            Color::White => "BookEvalWhiteLimit",
        }
    }

    /// Name of the option that holds [`ProbeOptions::depth_limit`] of a side.
    pub const fn depth_limit_name(self, side: Color) -> &'static str {
        match (self, side) {
            (Self::Classic, _) => "BookDepthLimit",
            (Self::V2, Color::Black) => "BookDepthBlackLimit",
            (Self::V2, Color::White) => "BookDepthWhiteLimit",
        }
    }
}

/// Options: how a move is chosen from the book. Options about the file are in `OpenOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is an option of its own.
pub struct ProbeOptions {
    /// Program whose names are used in messages.
    pub profile: Profile,
    /// `USI_OwnBook`: whether the book is used at all.
    pub own_book: bool,
    /// `NarrowBook`: moves with less than a tenth of all counts are not played.
    pub narrow: bool,
    /// `BookMoves`: the last ply at which the book is used.
    pub max_ply: u32,
    /// `BookIgnoreRate`: how often the book is not used, in percent.
    pub ignore_rate: u32,
    /// `BookEvalDiff`: how much worse than the first move a move may be.
    pub eval_diff: ByColor<i32>,
    /// `BookEvalBlackLimit`, `BookEvalWhiteLimit`: the smallest value a move may have, for the side
    /// that plays it.
    pub eval_limit: ByColor<i32>,
    /// `BookDepthLimit`: the smallest depth that the first move must have; 0: any.
    pub depth_limit: ByColor<i32>,
    /// `ConsiderBookMoveCount`: choose as often as the counts say, not evenly.
    pub consider_count: bool,
    /// `BookPvMoves`: how many moves of a line are shown, at least 1.
    pub pv_moves: u32,
    /// `FlippedBook`: a position that is not in the book is looked up from the other side too.
    pub flipped: bool,
}

impl ProbeOptions {
    /// The defaults of a profile.
    pub const fn new(profile: Profile) -> Self {
        let v2 = matches!(profile, Profile::V2);
        Self {
            profile,
            own_book: true,
            narrow: false,
            max_ply: if v2 { 200 } else { 16 },
            ignore_rate: 0,
            eval_diff: ByColor(if v2 { [0, 0] } else { [30, 30] }),
            eval_limit: ByColor([0, -140]),
            depth_limit: ByColor(if v2 { [0, 5] } else { [16, 16] }),
            consider_count: false,
            pv_moves: 8,
            flipped: true,
        }
    }
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self::new(Profile::Classic)
    }
}

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
