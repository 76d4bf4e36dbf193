//! How a game of hcpe3 ends, and the candidates of its plies.

use std::fmt;
use std::ops::BitOr;

use shogi_core::Move;

use crate::TeacherResult;

/// A move that was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hcpe3Candidate {
    /// The move.
    pub mv: Move,
    /// Number of visits of the move.
    pub visits: u16,
}

// The ending of a game: one byte.

/// Flags of the ending beside the result. Several may be set.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub(super) u8);

impl Flags {
    /// No flag is set.
    pub const NONE: Self = Self(0);
    /// 千日手: the game ended by repetition.
    pub const REPETITION: Self = Self(4);
    /// 入玉宣言: the game ended by a declaration.
    pub const DECLARATION: Self = Self(8);
    /// 最大手数: the game ended at the maximum number of moves.
    pub const MAX_MOVES: Self = Self(16);

    pub(super) const NAMED: [(Self, &'static str); 3] = [
        (Self::REPETITION, "repetition"),
        (Self::DECLARATION, "declaration"),
        (Self::MAX_MOVES, "max moves"),
    ];

    /// The flags with these bits; `None` when others are set.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits & !(4 | 8 | 16) == 0 {
            Some(Self(bits))
        } else {
            None
        }
    }

    /// The bits, in their places in [`Ending::bits`].
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns true if all of `flags` are set.
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Flags {
    /// The names, separated by `, `; `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (flag, name) in Self::NAMED {
            if self.contains(flag) {
                write!(f, "{separator}{name}")?;
                separator = ", ";
            }
        }
        f.write_str(if separator.is_empty() { "none" } else { "" })
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flags({self})")
    }
}

/// Ending of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Result of the game: bits 0 and 1.
    pub result: TeacherResult,
    /// Flags: bits 2 to 4.
    pub flags: Flags,
}

impl Ending {
    /// The ending of a byte; `None` when its result is 3 or it has unknown flags.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        match (
            TeacherResult::from_number(bits & 3),
            Flags::from_bits(bits & !3),
        ) {
            (Some(result), Some(flags)) => Some(Self { result, flags }),
            _ => None,
        }
    }

    /// The byte.
    pub const fn bits(self) -> u8 {
        self.result as u8 | self.flags.bits()
    }
}

impl From<TeacherResult> for Ending {
    /// Returns the ending without flags.
    fn from(result: TeacherResult) -> Self {
        Self {
            result,
            flags: Flags::NONE,
        }
    }
}
