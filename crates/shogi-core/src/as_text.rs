//! Values in serialised data (feature `serde`): as the field writes them in text.
//!
//! A [`Square`] is `7g`, a [`Color`] `b` or `w`, a [`Piece`] `P` or `+r`, a kind in hand `P`, a move `7g7f`, `8h2b+` or `P*5e`, a
//! [`Position`] its SFEN. A [`Move`] says which piece moves, which its text does not: it is written, and read as a [`MoveText`],
//! of which [`Position::move_from_text`] makes the move if it is legal.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, Serializer};

use crate::{Color, HandKind, Move, MoveText, Piece, Position, Square};

/// The only character of `text`.
fn letter(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

fn color(text: &str) -> Option<Color> {
    let first = letter(text)?;
    Color::ALL
        .into_iter()
        .find(|color| color.to_sfen() == first)
}

fn piece(text: &str) -> Option<Piece> {
    match text.strip_prefix('+') {
        Some(rest) => Piece::from_sfen(letter(rest)?)?.promote(),
        None => Piece::from_sfen(letter(text)?),
    }
}

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
                $read(&text).ok_or_else(wrong)
            }
        }
    )*};
}

as_text! {
    Square, Self::to_string, Self::from_usi, "a square from 1a to 9i";
    Color, |color: &Self| color.to_sfen(), color, "b or w";
    HandKind, |kind: &Self| kind.to_usi(), |text| Self::from_usi(letter(text)?), "one of P L N S G B R";
    Piece, Self::to_string, piece, "a piece such as P, k or +R";
    MoveText, Self::to_string, Self::from_usi, "a move such as 7g7f, 8h2b+ or P*5e";
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_sfen())
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_sfen(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;
    use crate::movegen::LegalAll;

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
        for square in Square::ALL {
            check(&square, &square.to_string());
        }
        for piece in Piece::ALL {
            check(&piece, &piece.to_string());
        }
        for kind in HandKind::ALL {
            check(&kind, &kind.to_usi().to_string());
        }
        check(&Color::Black, "b");
        check(&Color::White, "w");
        let start = Position::startpos();
        check(&start, Position::STARTPOS_SFEN);
        for m in start.moves::<LegalAll>() {
            check(&MoveText::from(m), &m.to_string());
            assert_eq!(serde_json::to_string(&m).unwrap(), format!("\"{m}\""));
        }
    }

    #[test]
    fn what_is_no_value_is_refused() {
        refuses::<Square>(&["", "7", "0a", "7j", "77", "7gg", "７七"]);
        refuses::<Color>(&["", "B", "black", "bw"]);
        refuses::<Piece>(&["", "+", "X", "+G", "+K", "++P", "PP"]);
        refuses::<HandKind>(&["", "K", "p", "PP"]);
        refuses::<MoveText>(&["", "7g", "7g7f++", "K*5e", "P*5e+", "0000"]);
        refuses::<Position>(&["", "startpos", "9/9/9/9/9/9/9/9/9 b", "k8/9 b - 1"]);
        let error = serde_json::from_str::<Square>("\"7j\"")
            .unwrap_err()
            .to_string();
        assert!(error.contains("expected a square from 1a to 9i"), "{error}");
    }
}
