//! Analysis of shogi games: what each move loses, and what a player loses most by.
//!
//! # What is here
//!
//! * [`Reviewer`]: analyses a game position by position with any [`Thinker`](shogi_engine::Thinker), from the end backwards, and says of
//!   each move what it loses. A step is one search, so that a caller can show what is known, stop, and go on. [`review`] makes all steps.
//! * [`GameReview`]: the result: [`ReviewedMove`]s with scores, best moves, lines, [`Judgement`]s and [`MistakeKind`]s; sums by player
//!   and phase ([`PlayerSums`]). All of it is plain data for `serde`, with names that stay.
//! * [`WinModel`]: from scores to the probability of winning.
//! * [`ReviewTotals`]: sums over many games: what do I lose most by?
//! * [`annotate()`]: the result in the comments and variations of a record, as other programs read it.
//! * [`review_chart`], [`review_page`]: a graph, and a page with boards; [`totals_page()`]: a page of many games.
//!
//! # What is not
//!
//! Files, threads, terminals: a reviewer works in a program, behind a page and in a browser's tab.
//!
//! ```
//! use shogi_engine::Session;
//! use shogi_kifu::KifuFormat;
//! use shogi_review::{ReviewOptions, review};
//!
//! let record = KifuFormat::Usi.read("startpos moves 7g7f 3c3d 8h2b+ 3a2b")?;
//! let mut engine = Session::new().thinker(1, 1);
//! let mut options = ReviewOptions::default();
//! options.think.depth = Some(2);
//! let result = review(&record, options, &mut *engine, |_| {})?;
//! assert_eq!(result.moves.len(), 4);
//! assert!(serde_json::to_string(&result).unwrap().contains("\"move\":\"7g7f\""));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod annotate;
mod chart;
mod classify;
mod error;
mod judge;
mod language;
mod model;
mod moves;
mod page;
mod reviewer;
mod score;
mod sums;
mod totals;
mod totals_page;
mod tree;

pub use annotate::{AnnotateOptions, CommentForm, annotate};
pub use chart::{review_chart, review_figures};
pub use error::ReviewError;
pub use judge::{Judgement, MistakeKind, Phase, move_accuracy};
pub use language::Language;
pub use model::{GameReview, ReviewedCastle, ReviewedOpening};
pub use moves::{BookState, ReviewCandidate, ReviewSide, ReviewedMove, SearchedPosition};
pub use page::review_page;
pub use reviewer::{ReviewBook, ReviewOptions, ReviewStep, Reviewer, review};
pub use score::{ReviewScore, WinModel};
pub use sums::{PhaseSums, PlayerSums};
pub use totals::{LossCount, ReviewTotals};
pub use totals_page::totals_page;
