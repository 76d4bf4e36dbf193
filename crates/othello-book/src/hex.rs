//! Boards in JSON: two words of 16 hexadecimal digits, a1 = bit 0.

use othello_core::Board;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct Discs {
    mover: String,
    opponent: String,
}

pub(crate) fn serialize<S: Serializer>(board: &Board, to: S) -> Result<S::Ok, S::Error> {
    Discs {
        mover: format!("{:016x}", board.mover()),
        opponent: format!("{:016x}", board.opponent()),
    }
    .serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Board, D::Error> {
    let discs = Discs::deserialize(from)?;
    let number = |text: &str| u64::from_str_radix(text, 16).map_err(D::Error::custom);
    Board::new(number(&discs.mover)?, number(&discs.opponent)?).map_err(D::Error::custom)
}
