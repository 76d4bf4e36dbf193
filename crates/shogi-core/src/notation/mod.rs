//! Text forms: SFEN positions and USI moves and position lines.

mod japanese;
mod lenient;
mod sfen;
mod usi;

pub use japanese::JapaneseMove;
pub(crate) use japanese::{file_digit, player_mark, rank_kanji};
pub use lenient::{Correction, LenientPosition, Shown};
pub use sfen::SfenError;
pub use usi::{MoveError, PositionLineError, parse_diagram_line, parse_position_line};
