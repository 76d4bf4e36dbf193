//! Which evaluation to play with: found in a folder, loaded once, used by any number of threads.
//!
//! * [`EvalFiles`] looks into a folder, as users have them: a network `nn.bin`, or the three files of
//!   KPPT or `KPP_KKPT`.
//! * [`Evaluation`] is what was loaded: cheap to clone, shared by all its clones.
//! * [`EvalKind`], [`EvalFiles::save`]: evaluation files, written.
//! * [`AnyEvaluator`] is the [`crate::Evaluator`] over any of them, one for each thread.
//!
//! ```
//! use std::path::Path;
//! use shogi_core::Position;
//! use shogi_eval::Evaluator;
//! use shogi_eval::loader::{EvalFiles, Evaluation, OpenOptions};
//!
//! let evaluation = match EvalFiles::find(Path::new("eval")) {
//!     Some(files) => files.open(&OpenOptions::default())?.evaluation,
//!     None => Evaluation::embedded()?.evaluation,
//! };
//! let mut evaluator = evaluation.evaluator(None);
//! let position = Position::startpos();
//! evaluator.reset(&position);
//! println!("{}: {}", evaluation.name(), evaluator.evaluate(&position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod any;
mod embedded;
mod evaluation;
mod files;
mod save;
mod scale;

pub use any::AnyEvaluator;
pub use embedded::embedded_network;
pub use evaluation::Evaluation;
pub use files::{EvalError, EvalFiles, NETWORK_FILE, OpenOptions, Opened, candidates};
pub use save::{EvalKind, rewrite};
pub use scale::OwnScale;
