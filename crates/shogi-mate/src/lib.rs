//! Mate solving (詰将棋).
//!
//! A [`Solver`] decides whether the attacker can force mate by an unbroken series of checks, with a
//! line of play, a proof that there is no mate, or an honest "unknown". It knows nothing of text, files or
//! clocks other than its own limits, and reports through a [`MateObserver`].
//!
//! [`LeafSolver`] is a small relative of it for use inside another search.
#![forbid(unsafe_code)]

mod api;
pub mod composer;
mod control;
mod dfpn;
pub mod help_mate;
mod pv;
mod solver;
mod table;
pub mod verify;

pub use api::{
    Answer, CheckedRoot, Exactness, FirstMove, Length, MateLimits, MateLine, MateObserver,
    MateProgress, MateScore, Reason, Role, SilentMateObserver, Solution, SolverOptions,
};
pub use solver::{LeafAnswer, LeafSolver, Solver};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
