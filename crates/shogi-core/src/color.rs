//! The two players.

use std::ops::{Index, IndexMut, Not};

/// A player: black (先手, moves first and upward) or white (後手).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// 先手: plays upward, towards rank a. `b` in SFEN.
    Black = 0,
    /// 後手: plays downward, towards rank i. `w` in SFEN.
    White = 1,
}

impl Color {
    /// Both colours, black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// The letter used in SFEN: `b` or `w`.
    pub const fn to_sfen(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }

    /// The other player.
    #[inline(always)]
    pub const fn flip(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// 0 for black, 1 for white: an index into arrays of two.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.flip()
    }
}

/// A pair of values, one for each player, indexed by [`Color`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByColor<T>(pub [T; 2]);

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, color: Color) -> &T {
        &self.0[color as usize]
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline(always)]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self.0[color as usize]
    }
}

/// A colour known at compile time. Move generation is instantiated once for each, so that
/// "forward" is a constant shift.
pub(crate) trait Side {
    /// The player.
    const US: Color;
    /// The opponent.
    const THEM: Color = Self::US.flip();
}

pub(crate) struct BlackSide;
pub(crate) struct WhiteSide;

impl Side for BlackSide {
    const US: Color = Color::Black;
}

impl Side for WhiteSide {
    const US: Color = Color::White;
}
