//! The text format `.db`.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen <board> <side> <hands> <ply>
//! <move> <ponder> <eval> <depth> <count>
//! ```
//!
//! What is read: UTF-8 and UTF-16, with or without a byte order mark; lines that end with LF, CR LF or CR; blanks at their ends;
//! comments (`#`, `//`) and empty lines anywhere; move lines whose last fields are missing (reply
//! `none`, value 0, depth 0, count 1) or `none`; anything after the fifth field (ignored); a header
//! that is missing. What stands before the first `sfen` line is ignored.
//!
//! What is written: the header line, positions as [`shogi_core::Position::to_sfen`] writes them, moves
//! with all five fields and single blanks.

mod chunks;
mod fault;
mod header;
mod move_line;
mod records;
mod sfen;

pub(crate) use chunks::map_chunks;
pub use chunks::open_chunks;
pub(crate) use fault::lines_at;
pub use fault::{BadLines, Fault, SkippedLine, line_error};
pub use header::{HEADER, LineEnd};
pub(crate) use move_line::push_number;
pub use move_line::{MoveLine, push_move_line, push_position_line};
pub use records::{Lines, Record, Records};
pub(crate) use sfen::Fields;
pub use sfen::{SfenLine, canonical_sfen};
