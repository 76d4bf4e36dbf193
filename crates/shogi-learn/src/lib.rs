//! Training of shogi evaluation functions from teacher data.
//!
//! [`learn`] trains a network (NNUE) of any [`Architecture`](shogi_eval::nnue::arch::Architecture) that evaluation files have: classic
//! ones (`halfkp_256x2-32-32`, `kp_256x2-32-32`, …) and SFNN with its layer stacks. It reads pack, hcpe, hcpe3 and psv files in a
//! stream, writes `nn.bin` files that every engine of their kind reads, and resumes after an interruption.
//!
//! ```no_run
//! use std::sync::atomic::AtomicBool;
//! use shogi_learn::{LearnEvent, LearnOptions, LearnSource, learn};
//!
//! let mut options = LearnOptions::new("kp_256x2-32-32".parse()?, "eval-new");
//! options.sources.push(LearnSource::new("teacher.pack"));
//! options.mirror = 0.5;
//! let stop = AtomicBool::new(false); // true ends it with a checkpoint
//! let report = learn(&options, &stop, &mut |event| {
//!     if let LearnEvent::Epoch(epoch) = event {
//!         println!("epoch {}: {:?}", epoch.epoch, epoch.validation_loss);
//!     }
//! })?;
//! println!("{:?}", report.network);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`learn_deep`] trains policy and value networks in dlshogi's shape. [`learn_kppt`] trains three-piece tables, [`learn_positional`] the numbers of the positional evaluation, and [`tune`] those of any other.
//!
//! # How it works
//!
//! * Records of all formats become 48 bytes each, are mixed in a buffer, and become samples batch by batch: active features, and the
//!   winning rate that the network shall give ([`TargetOptions`]).
//! * A step goes through a batch with kernels for whole vectors, then each row of the feature transformer sums up its gradient by a list of
//!   the accumulators that used it: no atomics, and nothing is done for rows that were not used.
//! * Everything is cut into parts in the same way whatever the number of threads, and every sum has one order. The same seed gives the same
//!   bytes on any number of threads, with any vector instructions, and with any number of interruptions.
//!
//! This crate knows nothing of the search: leaves of a quiescence search come in through [`SampleFilter::leaf`].
#![forbid(unsafe_code)]

mod average;
mod batch;
mod beginning;
mod buffers;
mod checkpoint;
mod data;
mod deep;
mod epochs;
mod error;
mod event;
mod export;
mod features;
mod feeder;
mod filter;
mod game_progress;
#[cfg(test)]
mod goldens;
mod gradients;
mod health;
mod kernels;
mod kppt;
mod left_out;
mod loss;
mod optimiser;
mod options;
mod params;
mod positional;
mod products;
mod rate;
#[cfg(test)]
mod reference;
mod samples;
mod scales;
mod shape;
mod step;
mod texel;
mod train;
mod unit;
mod update;

pub use shogi_deep::OnnxForm;
pub use yane_base::lanes::VectorLimit;

pub use checkpoint::inspect_checkpoint;
pub use deep::{DeepLearnOptions, DeepShape, ShapeError, learn_deep};
pub use error::{LearnError, Result};
pub use event::{
    DataReport, EpochReport, GradientReport, LearnEvent, LearnProgress, LearnReport, LossParts,
    NetworkHealth, PolicyTest, TestReport, TuneReport, TunedChange,
};
pub use filter::{LeafSearch, SampleFilter, SharpFilter, Upsets};
pub use kppt::{KpptLearnOptions, learn_kppt};
pub use left_out::{FilterCounts, FilterReason};
pub use loss::{LossFunction, OUTPUT_UNIT};
pub use optimiser::Optimiser;
pub use options::{
    InitialNetwork, Lambda, LearnIntervals, LearnOptions, LearnSource, LearnValidation, MoveSearch,
    MoveSearchFn, PlyWeight, TargetOptions, TeacherScale,
};
pub use positional::{PositionalLearnOptions, learn_positional};
pub use rate::{LearningRate, RateSchedule};
pub use texel::{TunedEvaluation, TunedNumber, tune};
pub use train::learn;
pub use unit::ScoreUnit;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
