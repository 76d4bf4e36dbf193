//! Alpha-beta search for shogi.
//!
//! The search knows nothing of text, books or files. It gets a [`Game`](shogi_core::Game), limits
//! and an evaluator, reports through an [`Observer`] and returns a [`SearchResult`].
#![forbid(unsafe_code)]

mod api;
pub mod bench;
mod history;
mod movepicker;
mod node;
mod node_state;
mod params;
mod pruning;
mod pv;
mod qsearch;
mod root;
mod stop;
mod time;
mod tried;
mod tt;
mod worker;

pub use api::{
    Bound, Control, Limits, MAX_PLY, Observer, SearchInfo, SearchOptions, SearchResult, TimeLimit,
    Value,
};
pub use bench::{bench, bench_with};
pub use params::{ParamSpec, Params};
pub use root::{SharedState, search};
pub use time::{Clock, TimeBudget, TimeOptions};
