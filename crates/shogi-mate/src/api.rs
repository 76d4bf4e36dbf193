//! The data of the solvers: roles, settings, limits, reports, answers.

use std::time::Duration;

use shogi_core::{Color, Diagram, Move, Position};

/// The length of a mate: exact or an upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Proven shortest: with best play of both sides the mate takes exactly this many plies.
    Exact(u32),
    /// There is a mate in at most this many plies. The line may be shorter or longer than the
    /// shortest mate, and shorter than this number, as it need not contain the best defence.
    UpperBound(u32),
}

impl Length {
    /// The number of plies.
    pub const fn plies(self) -> u32 {
        match self {
            Self::Exact(plies) | Self::UpperBound(plies) => plies,
        }
    }

    /// Returns whether it is proven shortest.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }
}

/// A mate and a line that plays it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateLine {
    /// From the first move to the mating move, both sides' moves. Empty only when the defender is to
    /// move and mated already.
    pub moves: Vec<Move>,
    /// The length. When exact, it is the number of `moves`.
    pub length: Length,
}

/// The reason why nothing was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The time was up.
    Time,
    /// The limit of nodes was reached.
    Nodes,
    /// The stop flag was set.
    Stopped,
    /// The table is too small, or the search got too deep, to go on.
    Memory,
}

impl Reason {
    /// The name in results that programs read.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Nodes => "nodes",
            Self::Stopped => "stopped",
            Self::Memory => "memory",
        }
    }
}

/// The answer to "is there a mate?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The defender is mated.
    Mate(MateLine),
    /// The attacker cannot force mate with checks alone (proven).
    NoMate,
    /// Neither a mate nor its absence is proven.
    Unknown(Reason),
}

/// What a side does that is to move and in check at the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckedRoot {
    /// It attacks, as every side to move.
    #[default]
    Attacks,
    /// It defends: the root is an AND node.
    Defends,
}

/// The part of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The side that gives check after check.
    Attacker,
    /// The side that answers checks: a mate has an even number of plies.
    Defender,
}

impl Role {
    /// Returns the role of the side to move of `position`.
    ///
    /// A side without a king attacks, one whose opponent has no king defends. When both have a king,
    /// a side in check does what `checked` says; else the side to move attacks.
    pub fn of(position: &Position, checked: CheckedRoot) -> Self {
        let us = position.side_to_move();
        if position.king(us).is_none() {
            Self::Attacker
        } else if position.king(us.flip()).is_none()
            || checked == CheckedRoot::Defends && position.in_check()
        {
            Self::Defender
        } else {
            Self::Attacker
        }
    }

    /// The same for a problem that may start with the defender in check already, who is then the one that is not
    /// to move.
    pub fn of_diagram(diagram: &Diagram, checked: CheckedRoot) -> Self {
        diagram
            .position()
            .map_or(Self::Attacker, |position| Self::of(position, checked))
    }

    /// The attacking colour when `side` is to move.
    pub const fn attacker(self, side: Color) -> Color {
        match self {
            Self::Attacker => side,
            Self::Defender => side.flip(),
        }
    }
}

/// The effort for the length of a mate once there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exactness {
    /// The first proof is the answer.
    #[default]
    Off,
    /// Shorten the mate until the line is as long as the proven bound.
    Upper,
    /// Find the shortest length and prove it.
    Shortest,
}

/// Settings of a [`crate::Solver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOptions {
    /// Size of the table in bytes; at least 64 KiB are used.
    pub hash_bytes: usize,
    /// Searching threads, at least 1.
    pub threads: usize,
    /// The effort for the length.
    pub exact: Exactness,
    /// The number of first moves to decide: 1 for a mate alone, more for other mating first moves
    /// (cooks, 余詰), which [`Solution::others`] lists.
    pub multi_pv: usize,
    /// What the side to move does when it is in check and both sides have a king.
    pub checked_root: CheckedRoot,
    /// Time between two reports of a search in progress; `None` for reports of results only.
    pub report_interval: Option<Duration>,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            hash_bytes: 256 << 20,
            threads: 1,
            exact: Exactness::Off,
            multi_pv: 1,
            checked_root: CheckedRoot::Defends,
            report_interval: Some(Duration::from_secs(1)),
        }
    }
}

/// The limits of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MateLimits {
    /// Time on the clock, `None` for any.
    pub time: Option<Duration>,
    /// Number of moves made in the search, `None` for any.
    pub nodes: Option<u64>,
}

/// The state of a search for a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateScore {
    /// The side to move of the root mates (or, as the defender, is mated).
    Mate(Length),
    /// There is no mate (proven).
    NoMate,
    /// Proof and disproof number of the root: the larger a number, the farther is that result.
    Unproven {
        /// Proof number: about how many positions still have to be mates.
        pn: u32,
        /// Disproof number: about how many still have to be no mates.
        dn: u32,
    },
}

/// A report of a search.
#[derive(Clone, Debug)]
pub struct MateProgress<'a> {
    /// Time since the start.
    pub elapsed: Duration,
    /// Moves made so far.
    pub nodes: u64,
    /// Use of the table, per mille.
    pub hashfull: u32,
    /// Plies of the line searched at present.
    pub depth: u32,
    /// Plies of the deepest line so far.
    pub seldepth: u32,
    /// The state of the search.
    pub score: MateScore,
    /// The number of the first move it is about, from 1.
    pub multipv: usize,
    /// The line searched at present, or the line of the result.
    pub pv: &'a [Move],
}

/// Receives the reports of a search.
pub trait MateObserver {
    /// Called on the thread of [`crate::Solver::solve`] at every result and from time to time.
    fn progress(&mut self, progress: &MateProgress<'_>);
}

/// Ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentMateObserver;

impl MateObserver for SilentMateObserver {
    fn progress(&mut self, _: &MateProgress<'_>) {}
}

/// The answer for one first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The first move.
    pub first: Move,
    /// The answer when it is played; the line of a mate begins with `first`.
    pub answer: Answer,
}

/// Result of a solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The part of the side to move.
    pub role: Role,
    /// The answer.
    pub answer: Answer,
    /// With `multi_pv` above 1 and a mate for the attacker: the other first moves that mate or could
    /// not be decided, best first, at most `multi_pv - 1` of the former.
    pub others: Vec<FirstMove>,
    /// Moves made in the search, all threads together.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
    /// Use of the table at the end, per mille.
    pub hashfull: u32,
}
