//! A shogi engine: options, a game, an opening book, an evaluation and a search behind one object.
//!
//! [`Session`] holds the current game and the options, runs searches on a thread of its own and
//! reports to a [`Listener`]. It takes the data of the USI protocol ([`shogi_usi`]) but
//! reads and writes no text: the USI loop belongs to a program.
//!
//! ```
//! use std::sync::{Arc, mpsc};
//! use shogi_engine::{Listener, SearchOutcome, Session};
//! use shogi_search::SearchInfo;
//!
//! struct Answer(mpsc::Sender<SearchOutcome>);
//!
//! impl Listener for Answer {
//!     fn line(&self, _: &SearchInfo) {}
//!     fn finished(&self, outcome: &SearchOutcome) {
//!         self.0.send(*outcome).ok();
//!     }
//! }
//!
//! let (sender, receiver) = mpsc::channel();
//! let mut session = Session::new();
//! session.set_option("USI_Hash", Some("1"))?;
//! session.go(&"depth 2".parse()?, Arc::new(Answer(sender)))?;
//! assert!(matches!(receiver.recv()?, SearchOutcome::Move { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod alpha_beta;
mod book;
mod deep;
mod engine;
mod evaluation;
mod human_time;
mod listener;
mod mate;
mod options;
mod search;
mod session;
mod skill;
mod stamps;
mod teacher;
mod thinker;

pub use alpha_beta::searcher::Searcher;
pub use book::event::BookEvent;
pub use evaluation::event::{EvalEvent, EvalOrigin, EvalProblem, EvalReport, RuntimeProblem};
pub use evaluation::{SaveError, SavedEvaluation};
pub use listener::{Listener, PvEnd, SearchOutcome, SharedListener, score_bound, usi_score};
pub use mate::MateListener;
pub use options::numa::NumaError;
pub use options::settings::EngineSettings;
pub use options::{is_foreign_deep_option, parse_option_line};
pub use session::{Preparation, PreparedSearch, SearchState, Session, StartError};
pub use shogi_deep::{CacheCounts, EvaluationError};
pub use shogi_search::ThreadPlacement;
pub use shogi_usi::client::EngineError;
pub use teacher::{BareEvaluator, MAX_TEACHER_SCORE, teacher_eval_coef, teacher_score};
pub use thinker::usi::{UsiSetup, UsiThinker};
pub use thinker::{Decision, MoveVisits, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine};
pub use yane_book::probe::{Message, Profile};
