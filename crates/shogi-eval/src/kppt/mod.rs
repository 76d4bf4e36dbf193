//! Evaluation by relations of three pieces, as Bonanza began it: KPPT and `KPP_KKPT`.
//!
//! Every pair of kings (KK), both kings with a piece (KKP), and each king with a pair of pieces
//! (KPP) has a value; the sum and material are the evaluation. The values come in three files
//! ([`KpptLayout`], [`KpptTable`]) of up to 780 MB, which are mapped, never loaded ([`FileTables`]).
//!
//! * [`KpptEvaluator`] is the [`crate::Evaluator`], over anything that is [`Tables`].
//! * [`convert`] changes files of one kind into another.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use shogi_core::Position;
//! use shogi_eval::Evaluator;
//! use shogi_eval::kppt::{FileTables, KpptEvaluator};
//!
//! let tables = Arc::new(FileTables::open(Path::new("eval"))?);
//! // As many evaluators as there are threads, one copy of the tables.
//! let mut evaluator = KpptEvaluator::new(Arc::clone(&tables));
//! let position = Position::startpos();
//! evaluator.reset(&position);
//! println!("{}", evaluator.evaluate(&position));
//! # Ok::<(), shogi_eval::kppt::KpptError>(())
//! ```

pub mod convert;
mod evaluator;
mod layout;
mod tables;

pub use evaluator::{KpptEvaluator, evaluate};
pub use layout::{KpptError, KpptLayout, KpptTable};
pub(crate) use layout::{Width, expected};
pub use tables::{FileTables, KpptValue, Tables};
