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
//! use shogi_eval::loader::{EvalFiles, Evaluation, EvalOpenOptions};
//!
//! let evaluation = match EvalFiles::find(Path::new("eval")) {
//!     Some(files) => files.open(&EvalOpenOptions::default())?.evaluation,
//!     None => Evaluation::embedded()?.evaluation,
//! };
//! let mut evaluator = evaluation.evaluator(None);
//! let position = Position::startpos();
//! evaluator.reset(&position);
//! println!("{}: {}", evaluation.name(), evaluator.evaluate(&position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evaluation;
mod files;
mod scale;

pub use evaluation::{AnyEvaluator, Evaluation, embedded_network};
pub use files::{
    EvalError, EvalFiles, EvalKind, EvalOpenOptions, NETWORK_FILE, OpenedEvaluation, candidates,
    rewrite,
};
pub use scale::OwnScale;
