//! Any format into any other that can hold it.
//!
//! # What is kept
//!
//! | from, to | |
//! |---|---|
//! | pack to hcpe, PSV | every position with its move and score; ply and end reason as far as the target has them |
//! | pack to hcpe3 | the move played is the only candidate, with one visit |
//! | hcpe to PSV | ply 0, which stands for "not known" |
//! | PSV to hcpe | the ply is dropped |
//! | hcpe3 to hcpe, PSV | candidates are dropped; ply counts from 0 within the game |
//! | hcpe3 to pack | candidates are dropped; the ply of the start is 1 or 2 by the side to move; the end reason follows from flags and result |
//! | hcpe, PSV to hcpe3 | a game of one move each, its only candidate with one visit |
//! | hcpe, PSV to pack | cannot be: a pack consists of whole games |
//! | to JSON lines, CSV and back | everything, see [`crate::text`] |
//! | game records (KIF, KI2, CSA, JKF, USI) to any | the game as it was played, with the evaluations in its comments |
//! | pack, hcpe3, games of JSON lines to records | moves, result, and scores as comments; candidates are dropped |
//!
//! Positions are written in canonical order of hands and box, whatever order they had. Every position
//! and move is checked on the way. A record without a move (0x0000) is whole; what becomes of it is a
//! setting ([`WithoutMove`]).

mod cross;
pub(crate) mod drive;
mod format;
pub(crate) mod generic;
mod kifu;
mod kifu_record;
mod options;
mod pack;
mod realign;
pub(crate) mod records;
mod run;
mod unrepresentable;

pub use crate::invalid::{Lost, TeacherConvertReport};
pub use format::DataFormat;
pub use options::Smoothing;
pub use options::{Recover, TeacherConvertOptions, WithoutMove};
pub use options::{Undecided, Unscored};
pub use run::convert;
pub use unrepresentable::Unrepresentable;
