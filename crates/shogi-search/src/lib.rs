//! Alpha-beta search for shogi.
//!
//! The search knows nothing of text, books or files. It gets a [`Game`](shogi_core::Game), limits
//! and an evaluator, reports through an [`Observer`] and returns a [`SearchResult`].
#![forbid(unsafe_code)]

mod api;
pub mod bench;
mod history;
mod learning;
mod long_line;
mod mate;
mod mate_probe;
mod movepicker;
mod moves;
mod node;
mod node_state;
mod pace;
mod params;
mod placement;
mod pruning;
mod pv;
mod qsearch;
mod quiet;
mod reduction;
mod reduction_table;
mod root;
mod singular;
mod smp;
mod state;
mod stop;
mod team;
mod time;
mod tried;
mod tt;
mod worker;

pub use api::{
    Bound, Control, Limits, MAX_PLY, Observer, SearchInfo, SearchOptions, SearchResult, TimeLimit,
    Value,
};
pub use bench::{bench, bench_with};
pub use mate_probe::{MakeMateProbe, MateProbe};
pub use params::{ParamSpec, Params};
pub use placement::Placement;
pub use quiet::quiescence;
pub use smp::{search, search_with_helpers};
pub use state::SharedState;
pub use time::{Clock, TimeBudget, TimeOptions};
