//! `openings`, `opening`: names of openings and castles.

use serde::Serialize;
use shogi_core::{Game, Position};

use crate::fields::BothSides;

/// A name in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NameFields {
    ja: &'static str,
    en: &'static str,
}

/// The opening of a game, as far as it is known.
pub(crate) fn opening(_: &Game) -> Option<NameFields> {
    None
}

/// The castles of a position.
pub(crate) fn castles(_: &Position) -> BothSides<Option<NameFields>> {
    BothSides::default()
}
