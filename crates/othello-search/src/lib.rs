//! Search for othello: midgame and exact end games, on any number of threads.
//!
//! The search knows nothing of text, books or files. A [`Searcher`] gets a board and [`Limits`], reports through an
//! [`Observer`], is stopped by a [`Control`] and returns a [`SearchResult`].

#![deny(unsafe_code)]

mod api;
mod cpu;
mod endgame;
mod levels;
mod midgame;
mod openings;
mod ordering;
mod search;
mod threads;
mod tt;
mod worker;

pub use api::{Control, Limits, Observer, SearchLine, SearchResult, Selectivity};
pub use endgame::stable_squares;
pub use levels::PlayLevel;
pub use midgame::{ProbCut, ProbCutSample};
pub use openings::BalancedOpenings;
pub use search::{Goal, SearchSettings, Searcher, negamax};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
