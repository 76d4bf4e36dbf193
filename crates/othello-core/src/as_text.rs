//! Values in serialised data (feature `serde`): as their texts.
//!
//! A [`Square`] is `f5`, a [`Move`] `f5` or `pa`, a [`Side`] `X` or `O`, a [`Board`] its 64 squares with `X` for the player to move, a
//! [`Position`] 64 squares and the side to move.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, Serializer};

use crate::board::squares;
use crate::{Board, Move, Position, Side, Square};

const PASS: &str = "pa";

macro_rules! as_text {
    ($($type:ty, $write:expr, $read:expr, $expected:literal;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&$write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let wrong = || D::Error::invalid_value(Unexpected::Str(&text), &$expected);
                $read(text.as_str()).ok_or_else(wrong)
            }
        }
    )*};
}

fn side(text: &str) -> Option<Side> {
    match text {
        "X" => Some(Side::Black),
        "O" => Some(Side::White),
        _ => None,
    }
}

fn board(text: &str) -> Option<Board> {
    let position: Position = format!("{text} X").parse().ok()?;
    (text.len() == 64).then(|| position.board())
}

as_text! {
    Square, Self::to_string, |text: &str| text.parse().ok(), "a square from a1 to h8";
    Move, Self::to_string, |text: &str| match text {
        PASS => Some(Self::Pass),
        name => name.parse().ok().map(Self::Place),
    }, "a square from a1 to h8, or pa";
    Side, |side: &Self| match side {
        Self::Black => 'X',
        Self::White => 'O',
    }, side, "X or O";
    Board, |board: &Self| squares(*board, 'X', 'O'), board, "64 squares: X for the player to move, O for the other, - for empty";
    Position, Self::to_string, |text: &str| text.parse().ok(), "64 squares and the side to move, X or O";
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;
    use crate::Game;

    fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, text: &str) {
        let json = serde_json::to_string(value).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value);
    }

    fn refuses<T: DeserializeOwned + Debug>(texts: &[&str]) {
        for text in texts {
            let read = serde_json::from_str::<T>(&format!("\"{text}\""));
            assert!(read.is_err(), "{text}: {read:?}");
        }
        assert!(serde_json::from_str::<T>("7").is_err());
    }

    #[test]
    fn values_are_their_texts() {
        let game: Game = "f5d6c3d3c4".parse().unwrap();
        for &mv in game.moves() {
            check(&mv, &mv.to_string());
        }
        check(&Move::Pass, "pa");
        check(&"h8".parse::<Square>().unwrap(), "h8");
        check(&Side::Black, "X");
        check(&Side::White, "O");
        let position = game.position();
        check(&position, &position.to_string());
        let mover = "------------------OX------OOO------XOO-----X--------------------";
        check(&position.board(), mover);
    }

    #[test]
    fn what_is_no_value_is_refused() {
        refuses::<Square>(&["", "i1", "a9", "pa", "f55"]);
        refuses::<Move>(&["", "pass", "i1"]);
        refuses::<Side>(&["", "x", "black"]);
        refuses::<Board>(&["", "X", "- X", &"-".repeat(63), &"-".repeat(65)]);
        refuses::<Position>(&["", &"-".repeat(64)]);
    }
}
