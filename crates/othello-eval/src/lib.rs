//! The value of an othello position: sums of pattern tables, kept up to date move by move.
//!
//! * [`PatternLayout`]: the patterns of an evaluation: [ours](PatternLayout::yaneura), [Edax's](PatternLayout::edax),
//!   [Egaroucid's](PatternLayout::egaroucid); each a list of squares with its images under the symmetries of the board.
//! * [`PatternEvaluator`]: the tables of a layout, one set for each phase of the game, and the value of a board. It keeps
//!   the indices of all patterns of a board as [`Features`], and finds those after a move from those before it.
//! * [`NetEvaluator`]: a small network on the patterns of a [`NetShape`], with the same interface.
//! * [`Evaluator`]: either of them.
//! * [`Weights`]: the evaluation of an engine from a file of ours, Edax's `eval.dat` or Egaroucid's `eval.egev2`
//!   ([`Weights::load`]), or built in ([`Weights::built_in`]).
//!
//! Values are those of the player to move, in [`UNITS_PER_DISC`]ths of a disc.
//!
//! ```
//! use othello_core::Board;
//! use othello_eval::Weights;
//!
//! let weights = Weights::built_in();
//! let evaluator = weights.main();
//! let mut board = Board::START;
//! let mut features = evaluator.features(board);
//! for square in board.legal_moves() {
//!     // After a move everything is seen from the next player's side.
//!     let flips = board.flips(square);
//!     let child = board.try_play(square).expect("a legal move");
//!     let after = evaluator.after(&features, square, flips);
//!     assert_eq!(after, evaluator.features(child));
//!     assert_eq!(
//!         evaluator.value(&after, child),
//!         evaluator.value_after(&features, square, flips, child),
//!     );
//! }
//! // A move is taken back by going on with the features from before it; a pass changes sides.
//! board = board.passed();
//! features = features.passed();
//! assert_eq!(features, evaluator.features(board));
//! ```

#![deny(unsafe_code)]

mod evaluation;
mod evaluator;
mod files;
mod layout;
mod net;
mod simd;
mod tables;
mod untrained;

pub use evaluation::Evaluator;
pub use evaluator::{PatternEvaluator, UNITS_PER_DISC};
pub use files::{Weights, WeightsError, WeightsFormat};
pub use layout::{LayoutError, Pattern, PatternIndices, PatternLayout};
pub use net::{
    FIRST_OUTPUTS, NET_MOST_BIAS, NET_OUTPUT_DISCS, NET_UNIT, NET_WEIGHT_UNIT, NetEvaluator,
    NetShape, NetShapeError, NetStack, NetWeights, SECOND_OUTPUTS,
};
pub use simd::EvalMethod;
pub use tables::{Features, PhaseTables, PlyOffsets, PlyPhases};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
