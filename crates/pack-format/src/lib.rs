//! Shogi teacher data: games and positions with scores, for training evaluation functions.
//!
//! # Formats
//!
//! * [`pack`]: whole games, about four bytes a ply.
//! * [`hcpe3`]: whole games with the visits of the moves that were searched.
//! * [`hcpe`]: one position, move, score and result in 38 bytes.
//! * [`psv`]: the same and the ply in 40 bytes.
//! * [`text`]: all of them as JSON lines or CSV.
//! * [`plain`]: PSV records as the text blocks of the classic `learn convert_plain`.
//! * [`games`]: what those with whole games have in common.
//!
//! Scores are those of the player to move in all of them ([`TeacherScore`]); results are the players' or
//! the mover's by type ([`TeacherResult`], [`MoverOutcome`]).
//!
//! # Whole files
//!
//! * [`mod@convert`]: any format into any other that can hold it; repairing a file is converting it
//!   into its own format with [`convert::Recover`].
//! * [`mod@check`]: whether a file is as it should be.
//! * [`mod@stats`]: what is in files: games, results, scores, how well scores predict results.
//! * [`mod@filter`]: the positions or games that meet conditions.
//! * [`rescore`]: the same positions with new scores.
//! * [`kind`]: what a file is, whatever its name says.
//! * [`listing`]: some positions or games for people.
//! * [`mod@shuffle`], [`mod@dedup`], [`parts`]: records and games in another order, without
//!   duplicates, in several files or in one.
//! * [`stream`]: what they work with: batches of whole games, several threads, results in order.
//!
//! ```no_run
//! use pack_format::convert::{TeacherConvertOptions, convert};
//! use pack_format::stream::Input;
//! use pack_format::TeacherFormat;
//! use yane_io::Job;
//!
//! let inputs = [Input::named("kif20251110.pack")];
//! let options = TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Hcpe);
//! let report = convert(&inputs, "kif20251110.hcpe".as_ref(), &options, &Job::default())?;
//! println!("{} positions", report.positions);
//! # Ok::<(), pack_format::TeacherError>(())
//! ```

#![forbid(unsafe_code)]

pub mod average;
mod buckets;
pub mod check;
pub mod convert;
pub mod dedup;
mod error;
pub mod filter;
mod format;
pub mod games;
pub mod hcpe;
pub mod hcpe3;
mod invalid;
pub mod kind;
mod labels;
pub mod listing;
pub mod move_codes;
pub mod pack;
pub mod parts;
pub mod plain;
pub mod psv;
pub mod record;
mod record_problems;
pub mod rescore;
mod sample;
pub mod shuffle;
pub mod stats;
pub mod stream;
pub mod text;
mod units;

pub use error::{Result, TeacherError};
pub use format::TeacherFormat;
pub use hcpe::Hcpe;
pub use hcpe3::Hcpe3Game;
pub use invalid::{DataPlace, InvalidData, Skipped};
pub use labels::{EndReason, MoverOutcome, TeacherResult, TeacherScore};
pub use psv::Psv;
pub use sample::{Sample, SampleError};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
