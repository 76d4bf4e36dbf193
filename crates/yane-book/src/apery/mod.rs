//! Apery's binary format, `book.bin`.
//!
//! Records of 16 bytes, all numbers little endian, in ascending order of their keys: key of the
//! position (u64, [`key`]), move ([`shogi_core::AperyMove16`], u16, 0 for none), count (u16), value
//! (i32). The moves of a position follow one another, best first.
//!
//! Positions are known by their keys only: which position a key belongs to is found by playing
//! moves from a position that is known, as [`mod@crate::convert`] does.

mod file;
mod key;

pub use file::AperyWriter;
pub use file::{Apery, AperyRecord, AperyRecords};
pub(crate) use key::PositionKey;
pub use key::key;

/// Bytes of a record.
pub(crate) const RECORD: usize = 16;
