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

mod move_line;
mod problem;
mod records;
mod sfen;

pub(crate) use move_line::push_number;
pub use move_line::{MoveLine, push_move_line, push_position_line};
pub(crate) use problem::lines_at;
pub use problem::{BadLines, LineProblem, SkippedLine, line_error};
pub(crate) use records::map_chunks;
pub use records::open_chunks;
pub use records::{Lines, Record, Records};
pub(crate) use sfen::Fields;
pub use sfen::{SfenLine, canonical_sfen};

/// The first line of every `.db` file, without its line end.
///
/// `ShogiHome` refuses a file whose first line is a comment other than exactly this one.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Line ends of a text file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// CR LF, as the field's tools write `.db` files.
    #[default]
    CrLf,
    /// LF.
    Lf,
}

impl LineEnd {
    /// The bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::CrLf => b"\r\n",
            Self::Lf => b"\n",
        }
    }
}
