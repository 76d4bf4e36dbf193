//! Alpha-beta search for shogi.
//!
//! The search knows nothing of text, books or files. It gets a [`Game`](shogi_core::Game), limits
//! and an evaluator, reports through an [`Observer`] and returns a [`SearchResult`].
#![forbid(unsafe_code)]

mod api;
pub mod bench;
mod history;
mod long_mate;
mod mate_probe;
mod move_loop;
mod movepicker;
mod node;
mod params;
mod placement;
mod qsearch;
mod reductions;
mod root;
mod score;
mod search;
mod shared_threads;
mod smp;
mod stack;
mod state;
mod stop;
mod time;
mod time_manager;
mod tt;
mod worker;

pub(crate) use api::MAX_PLY;
pub use api::{
    Bound, Control, Limits, Observer, SearchInfo, SearchOptions, SearchResult, SearchUnit,
    TimeLimit, Value,
};
pub use bench::{bench, bench_with};
pub use mate_probe::{MakeMateProbe, MateProbe};
pub use params::{ParamSpec, Params};
pub use placement::ThreadPlacement;
pub use qsearch::quiescence;
pub use smp::{search, search_with_helpers};
pub use state::SharedState;
pub use time::{Clock, TimeBudget, TimeOptions};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
