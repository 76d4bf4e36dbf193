//! The binary format `.ybb` of the `YaneuraOu` family.
//!
//! All numbers are little endian.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 16 | `YANE-BINBOOK-V1` and a zero |
//! | 16 | 8 | number of positions, *n* |
//! | 24 | 8 | flags: bit 0 = moves have depths; the others are 0 |
//! | 32 | 44 *n* | index: position ([`shogi_core::PackedSfen`], 32 bytes), start of its moves in the moves area (u64, bytes), ply (u16), number of its moves (u16) |
//! | 32 + 44 *n* | | moves area: move ([`shogi_core::Move16`], 0 for none), value (i16), with the flag depth (u16) |
//!
//! The index is in strictly ascending order of the 32 bytes, so a position is found by binary search
//! in the file. Expected replies and counts are not stored. The move number is stored but does not
//! distinguish positions.

mod entry;
mod header;
mod reader;
mod writer;

pub use entry::{Entry, Moves};
pub use header::MoveDepths;
pub use reader::{Entries, Ybb};
pub use writer::YbbWriter;

use header::{HEADER_LEN, Header};

/// Bytes of an index record.
const INDEX_RECORD: usize = 44;
