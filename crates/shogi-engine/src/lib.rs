//! What "an engine" is: options, a game, an opening book, an evaluation and a search behind one object.
//!
//! [`Session`] holds the current game and the options, runs searches on a thread of its own and
//! tells a [`Listener`] what they find. It takes the data of the USI protocol ([`shogi_usi`]) but
//! reads and writes no text: the USI loop is the business of a program.
//!
//! ```
//! use std::sync::{Arc, mpsc};
//! use shogi_engine::{Listener, Outcome, Session};
//! use shogi_search::SearchInfo;
//!
//! struct Answer(mpsc::Sender<Outcome>);
//!
//! impl Listener for Answer {
//!     fn line(&self, _: &SearchInfo) {}
//!     fn finished(&self, outcome: &Outcome) {
//!         self.0.send(*outcome).ok();
//!     }
//! }
//!
//! let (sender, receiver) = mpsc::channel();
//! let mut session = Session::new();
//! session.set_option("USI_Hash", Some("1"))?;
//! session.go(&"depth 2".parse()?, Arc::new(Answer(sender)))?;
//! assert!(matches!(receiver.recv()?, Outcome::Move { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod book_options;
mod eval_news;
mod eval_options;
mod eval_save;
mod evaluations;
mod limits;
mod line_end;
mod listener;
mod mate;
mod mate_options;
mod numa;
mod option_file;
mod option_table;
mod reporter;
mod running;
mod score;
mod session;
mod shelf;
mod stamp;
mod thinker;
mod thinking;

pub use eval_news::{EvalNews, EvalOrigin, EvalProblem, EvalReport};
pub use eval_save::{SaveError, SavedEvaluation};
pub use line_end::LineEnd;
pub use listener::{Listener, Outcome};
pub use mate::MateListener;
pub use numa::NumaError;
pub use option_file::parse_option_line;
pub use score::{score_bound, usi_score};
pub use session::{Preparation, SearchState, Session, StartError};
pub use shelf::BookNews;
pub use shogi_search::ThreadPlacement;
pub use thinker::{
    Decision, Pool, Searcher, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine, UsiSetup,
    UsiThinker,
};
pub use yane_book::probe::{Message, Profile};
