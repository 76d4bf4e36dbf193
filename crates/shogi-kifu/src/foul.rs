//! Moves against the rules: what is wrong with them, and the board after them, for games that went on.

use std::fmt;

use shogi_core::{Color, HandKind, Move, PieceKind, Position};

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Foul {
    /// 二歩: a pawn is dropped on a file with an own pawn.
    TwoPawns,
    /// 打ち歩詰め: a dropped pawn mates.
    PawnDropMate,
    /// 行き所のない駒: a piece arrives where it can never move from.
    NoWayOn,
    /// 王手放置: a check is not answered.
    CheckIgnored,
    /// 自玉を王手にさらす: the mover's own king can be taken after it.
    KingExposed,
    /// 動けない所: the piece does not move so.
    NotItsMove,
    /// 成れない所: the piece promotes where it may not.
    WrongPromotion,
    /// 駒のある所: a piece is dropped on another one, or takes one of its own side.
    SquareTaken,
    /// 玉を取る: the enemy's king is taken.
    KingTaken,
}

impl Foul {
    /// The rule that `m`, made with a piece that is there, breaks in `position`; `None`: it is legal.
    ///
    /// ```
    /// use shogi_kifu::{Foul, read_usi};
    /// let record = read_usi("startpos moves 2g2f 8c8d 2f2e 8d8e 2e2d 2c2d 2h2d 8e8f P*7e")?;
    /// let (number, _, foul) = record.fouls()[0];
    /// assert_eq!((number, foul), (9, Foul::TwoPawns));
    /// # Ok::<(), shogi_kifu::KifuError>(())
    /// ```
    pub fn of(position: &Position, m: Move) -> Option<Self> {
        let us = m.color();
        let (to, target) = (m.to(), position.piece_on(m.to()));
        if target.is_some_and(|piece| piece.kind() == PieceKind::King && piece.color() != us) {
            return Some(Self::KingTaken);
        }
        if position.is_legal(m) {
            return None;
        }
        let edge = to.rank().distance_to_edge(us);
        let stuck = edge < m.kind_after().dead_ranks() as usize;
        let Some(from) = m.from() else {
            let pawn = m.dropped() == Some(HandKind::Pawn);
            return Some(if target.is_some() {
                Self::SquareTaken
            } else if stuck {
                Self::NoWayOn
            } else if pawn && has_pawn(position, us, m) {
                Self::TwoPawns
            } else if pawn && !position.is_pseudo_legal(m) {
                Self::PawnDropMate
            } else {
                Self::CheckIgnored
            });
        };
        Some(if target.is_some_and(|piece| piece.color() == us) {
            Self::SquareTaken
        } else if !position.attacks_from(from).contains(to) {
            Self::NotItsMove
        } else if m.is_promotion() && !from.is_promotion_zone(us) && !to.is_promotion_zone(us) {
            Self::WrongPromotion
        } else if stuck {
            Self::NoWayOn
        } else if position.in_check() {
            Self::CheckIgnored
        } else {
            Self::KingExposed
        })
    }

    /// The name in English: `two pawns in a file`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoPawns => "two pawns in a file",
            Self::PawnDropMate => "mate by a dropped pawn",
            Self::NoWayOn => "a piece that can never move again",
            Self::CheckIgnored => "a check that is not answered",
            Self::KingExposed => "the own king can be taken",
            Self::NotItsMove => "the piece does not move so",
            Self::WrongPromotion => "a promotion outside the zone",
            Self::SquareTaken => "the square is taken",
            Self::KingTaken => "the king is taken",
        }
    }

    /// The name in Japanese: `二歩`.
    pub const fn japanese(self) -> &'static str {
        match self {
            Self::TwoPawns => "二歩",
            Self::PawnDropMate => "打ち歩詰め",
            Self::NoWayOn => "行き所のない駒",
            Self::CheckIgnored => "王手放置",
            Self::KingExposed => "自玉を王手にさらす手",
            Self::NotItsMove => "動けない所への移動",
            Self::WrongPromotion => "成れない所での成り",
            Self::SquareTaken => "駒のある所への着手",
            Self::KingTaken => "玉を取る手",
        }
    }
}

impl fmt::Display for Foul {
    /// `two pawns in a file (二歩)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.japanese())
    }
}

/// Returns whether an unpromoted pawn of `us` stands on the file that `m` goes to.
fn has_pawn(position: &Position, us: Color, m: Move) -> bool {
    position
        .pieces(us, PieceKind::Pawn)
        .into_iter()
        .any(|square| square.file() == m.to().file())
}
