//! Mate solving (詰将棋).
//!
//! A [`Solver`] decides whether the attacker can force mate by an unbroken series of checks, with a
//! line of play, a proof that there is no mate, or an honest "unknown". It knows nothing of text, files or
//! clocks other than its own limits, and reports through an [`Observer`].
//!
//! [`LeafSolver`] is a small relative of it for use inside another search.
#![forbid(unsafe_code)]

mod api;
pub mod composer;
mod control;
mod estimate;
mod hands;
pub mod help_mate;
mod leaf;
mod line;
mod num;
mod odd;
mod repetition;
mod search;
mod solver;
mod table;
mod threads;
pub mod verify;

pub use api::{
    Answer, Exactness, FirstMove, Length, Limits, MateLine, Observer, Progress, Reason, Role,
    Score, Silent, Solution, SolverOptions,
};
pub use leaf::{LeafAnswer, LeafSolver};
pub use solver::Solver;
