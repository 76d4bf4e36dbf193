//! Statistics of teacher data: games, positions, results, scores.
//!
//! [`stats`] reads files once, on all threads, in memory that does not depend on their size; every
//! record and every move is checked. Everything but the number of different positions, an estimate,
//! is counted exactly. [`Stats`] of several files can be [merged](Stats::merge): the order does not
//! matter.
//!
//! [`Stats::to_text`], [`Stats::to_json`], [`Stats::to_html`] and [`Stats::to_svg`] show them.

mod collect;
mod counts;
mod distinct;
mod html;
mod json;
mod read;
mod scores;
mod tally;
mod text;
mod types;

pub use counts::{GameStats, Outcomes, PositionStats, ResultCounts};
pub use distinct::Distinct;
pub use scores::{BINNED, Fit, MATE, ScoreBin, ScoreStats};
pub use tally::Tally;

pub use read::stats;
pub use types::{FileStats, Stats, StatsOptions};
