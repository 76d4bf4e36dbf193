//! Labels of games and positions, with the point of view in the type.

use std::fmt;

#[cfg(test)]
use crate::format::TeacherFormat;
use shogi_core::Color;

/// Evaluation of a position in centipawns, from the side of the player to move.
///
/// All four formats store it so, as 16 bits. Engines write mates as values near ±32000; the formats
/// give them no meaning of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeacherScore(pub i16);

impl TeacherScore {
    /// The same evaluation from the other player's side. −32768, which has no opposite, becomes
    /// 32767.
    #[must_use]
    pub const fn flip(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for TeacherScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Result of a game, independent of the point of view. The numbers are those of pack, hcpe and
/// hcpe3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TeacherResult {
    /// 引き分け
    Draw = 0,
    /// 先手勝ち
    BlackWin = 1,
    /// 後手勝ち
    WhiteWin = 2,
}

impl TeacherResult {
    /// All results by their numbers.
    pub const ALL: [Self; 3] = [Self::Draw, Self::BlackWin, Self::WhiteWin];

    /// The result with this number.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Draw),
            1 => Some(Self::BlackWin),
            2 => Some(Self::WhiteWin),
            _ => None,
        }
    }

    /// The result in which `color` wins.
    pub const fn win_of(color: Color) -> Self {
        match color {
            Color::Black => Self::BlackWin,
            Color::White => Self::WhiteWin,
        }
    }

    /// Returns the winner; `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Draw => None,
            Self::BlackWin => Some(Color::Black),
            Self::WhiteWin => Some(Color::White),
        }
    }

    /// Returns the result from the point of view of `color`.
    pub const fn seen_by(self, color: Color) -> MoverOutcome {
        match (self, color) {
            (Self::Draw, _) => MoverOutcome::Draw,
            (Self::BlackWin, Color::Black) | (Self::WhiteWin, Color::White) => MoverOutcome::Win,
            _ => MoverOutcome::Loss,
        }
    }

    /// The word for it in listings: `draw`, `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::BlackWin => "black",
            Self::WhiteWin => "white",
        }
    }
}

/// Result of a game from the point of view of the player to move. The numbers are those of PSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum MoverOutcome {
    /// The player to move lost.
    Loss = -1,
    /// A draw.
    Draw = 0,
    /// The player to move won.
    Win = 1,
}

impl MoverOutcome {
    /// The outcome with this number.
    pub const fn from_number(number: i8) -> Option<Self> {
        match number {
            -1 => Some(Self::Loss),
            0 => Some(Self::Draw),
            1 => Some(Self::Win),
            _ => None,
        }
    }

    /// The result of a game that ended so for `color`.
    pub const fn of(self, color: Color) -> TeacherResult {
        match self {
            Self::Draw => TeacherResult::Draw,
            Self::Win => TeacherResult::win_of(color),
            Self::Loss => TeacherResult::win_of(color.flip()),
        }
    }
}

/// End reason of a game (終局理由), the last byte of a game in a pack file.
///
/// Numbers without a name are reserved by the format and kept as they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndReason(pub u8);

impl EndReason {
    /// 投了: the player to move resigned.
    pub const RESIGN: Self = Self(0);
    /// 千日手: drawn by repetition.
    pub const REPETITION: Self = Self(1);
    /// 最大手数: drawn at the maximum number of moves.
    pub const MAX_MOVES: Self = Self(2);
    /// 中断: stopped by the system, a draw.
    pub const INTERRUPT: Self = Self(3);
    /// 時間切れ: lost on time.
    pub const TIME_UP: Self = Self(4);
    /// 反則手: lost by an illegal move.
    pub const ILLEGAL_MOVE: Self = Self(5);
    /// 連続王手の千日手: lost by perpetual check.
    pub const PERPETUAL_CHECK: Self = Self(6);
    /// 入玉宣言勝ち by the 24-point rule.
    pub const WIN_CSA24: Self = Self(10);
    /// 入玉宣言 by the 24-point rule with too few points to win: a draw.
    pub const DRAW_CSA24: Self = Self(11);
    /// 入玉宣言勝ち by the 27-point rule.
    pub const WIN_CSA27: Self = Self(12);
    /// Win by the try rule (トライルール).
    pub const WIN_TRY: Self = Self(13);

    /// All reasons with a defined meaning.
    pub const KNOWN: [Self; 11] = [
        Self::RESIGN,
        Self::REPETITION,
        Self::MAX_MOVES,
        Self::INTERRUPT,
        Self::TIME_UP,
        Self::ILLEGAL_MOVE,
        Self::PERPETUAL_CHECK,
        Self::WIN_CSA24,
        Self::DRAW_CSA24,
        Self::WIN_CSA27,
        Self::WIN_TRY,
    ];

    /// The name in listings; `None` for a reserved number.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::RESIGN => "resign",
            Self::REPETITION => "repetition",
            Self::MAX_MOVES => "max moves",
            Self::INTERRUPT => "interrupt",
            Self::TIME_UP => "time up",
            Self::ILLEGAL_MOVE => "illegal move",
            Self::PERPETUAL_CHECK => "perpetual check",
            Self::WIN_CSA24 => "win csa24",
            Self::DRAW_CSA24 => "draw csa24",
            Self::WIN_CSA27 => "win csa27",
            Self::WIN_TRY => "win try",
            _ => return None,
        })
    }

    /// Returns true if a game with this result can have ended for this reason. Reserved reasons go
    /// with any result.
    pub const fn allows(self, result: TeacherResult) -> bool {
        let draw = matches!(result, TeacherResult::Draw);
        match self {
            Self::REPETITION | Self::MAX_MOVES | Self::INTERRUPT | Self::DRAW_CSA24 => draw,
            Self::RESIGN
            | Self::TIME_UP
            | Self::ILLEGAL_MOVE
            | Self::PERPETUAL_CHECK
            | Self::WIN_CSA24
            | Self::WIN_CSA27
            | Self::WIN_TRY => !draw,
            _ => true,
        }
    }
}

impl fmt::Display for EndReason {
    /// The name, or `reserved N`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "reserved {}", self.0),
        }
    }
}

impl fmt::Debug for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EndReason({}: {self})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_view_agree() {
        for color in Color::ALL {
            for result in TeacherResult::ALL {
                assert_eq!(result.seen_by(color).of(color), result);
                assert_eq!(TeacherResult::from_number(result as u8), Some(result));
                let outcome = result.seen_by(color);
                assert_eq!(MoverOutcome::from_number(outcome as i8), Some(outcome));
            }
            assert_eq!(TeacherResult::win_of(color).winner(), Some(color));
        }
        assert_eq!(TeacherResult::from_number(3), None);
        assert_eq!(MoverOutcome::from_number(2), None);
    }

    #[test]
    fn reasons_and_results() {
        use TeacherResult::{BlackWin, Draw};
        let drawn: Vec<u8> = EndReason::KNOWN
            .into_iter()
            .filter(|reason| reason.allows(Draw))
            .map(|reason| reason.0)
            .collect();
        assert_eq!(drawn, [1, 2, 3, 11]);
        for reason in EndReason::KNOWN {
            assert_ne!(reason.allows(Draw), reason.allows(BlackWin), "{reason}");
        }
        assert!(EndReason(7).allows(Draw) && EndReason(7).allows(BlackWin));
        assert_eq!(EndReason(99).to_string(), "reserved 99");
    }

    #[test]
    fn extensions_name_formats() {
        for format in TeacherFormat::ALL {
            assert_eq!(TeacherFormat::from_name(&format.to_string()), Some(format));
            let path = format!("a.b/kifu.{}", format.name().to_uppercase());
            assert_eq!(TeacherFormat::of_path(path.as_ref()), Some(format));
        }
        assert_eq!(
            TeacherFormat::of_path("shuffled.bin".as_ref()),
            Some(TeacherFormat::Psv)
        );
        assert_eq!(TeacherFormat::of_path("pack".as_ref()), None);
        assert_eq!(TeacherFormat::of_path("a.pack.gz".as_ref()), None);
    }
}
