//! Static evaluation of shogi positions.
//!
//! [`Evaluator`] is what the search sees. [`MaterialEvaluator`] counts pieces,
//! [`LevelEvaluator`] attacks too;
//! [`PositionalEvaluator`] knows kings, attacks and loose pieces, with built-in numbers or those of a file; [`kppt`] reads three-piece tables,
//! [`nnue`] neural networks; [`inspect`] tells what a file is, [`loader`] finds and loads any of them.
//! Values are in the internal unit of the field: a pawn is 90.
#![deny(unsafe_code)]

mod bonapiece;
mod files;
pub mod kppt;
mod material;
pub mod nnue;
mod positional;

use shogi_core::{Delta, Position};

pub use bonapiece::{BonaChange, BonaPiece, BothViews, Changes, PieceList, seen_by};
pub use files::{inspect, loader};
pub use material::{LevelEvaluator, MaterialEvaluator, MaterialLevel};
pub use positional::{
    PositionalEvaluator, PositionalTable, PositionalTerms, PositionalWeight, PositionalWeights,
    PositionalWeightsError,
};

/// Largest value that an evaluation may have.
pub(crate) const MAX_VALUE: i32 = 31_753;

/// Something that says how good a position is.
///
/// The search calls [`Evaluator::reset`] at the root, then [`Evaluator::push`] and
/// [`Evaluator::pop`] around every move it makes and takes back, so that an implementation may keep
/// incremental state and update it lazily.
pub trait Evaluator {
    /// Forgets all moves: `position` is the new root.
    fn reset(&mut self, position: &Position);

    /// A move was made; `delta` says what it changed, `None` for a pass.
    fn push(&mut self, delta: Option<&Delta>);

    /// The last move was taken back.
    fn pop(&mut self);

    /// The value of `position` (the one reached by the pushed moves) for the side to move, in the
    /// internal unit: a pawn is 90. Within ±31,753.
    fn evaluate(&mut self, position: &Position) -> i32;
}

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
