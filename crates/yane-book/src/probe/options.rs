//! How a move is chosen from a book.

use shogi_core::{ByColor, Color};

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
