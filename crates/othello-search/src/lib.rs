//! Search for othello: exact end games on any number of threads.
//!
//! The search knows nothing of text, books or files. A [`Searcher`] gets a board and [`Limits`], reports through an
//! [`Observer`], is stopped by a [`Control`] and returns a [`SearchResult`].

#![deny(unsafe_code)]

mod api;
mod cpu;
mod last;
mod search;
mod stability;
mod threads;
mod tt;
mod worker;

pub use api::{Control, Limits, Line, Observer, SearchResult, Selectivity};
pub use search::{Searcher, Settings, negamax};
