//! Values that several commands take.

use clap::ValueEnum;
use shogi_core::Color;

/// A side, by its letter or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// Black, who moves first
    #[value(name = "b", alias = "black")]
    Black,
    /// White
    #[value(name = "w", alias = "white")]
    White,
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        match side {
            Side::Black => Self::Black,
            Side::White => Self::White,
        }
    }
}
