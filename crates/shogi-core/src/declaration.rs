//! Winning by declaration (入玉宣言勝ち) and by the try rule.

use crate::attacks::king_attacks;
use crate::{Bitboard, Color, HandKind, Move, MoveClass, Piece, PieceKind, Position, Square};

/// The rule about entering kings that is in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EnteringKingRule {
    /// None: kings entering the enemy camp decide nothing.
    NoEnteringKing,
    /// 24-point rule: 31 points needed.
    CsaRule24,
    /// 24-point rule for handicap games: missing pieces count for white.
    CsaRule24H,
    /// 27-point rule: black needs 28 points, white 27.
    #[default]
    CsaRule27,
    /// 27-point rule for handicap games: missing pieces count for white.
    CsaRule27H,
    /// Try rule: a king that reaches the square where the enemy king started wins.
    TryRule,
}

impl EnteringKingRule {
    /// All rules.
    pub const ALL: [Self; 6] = [
        Self::NoEnteringKing,
        Self::CsaRule24,
        Self::CsaRule24H,
        Self::CsaRule27,
        Self::CsaRule27H,
        Self::TryRule,
    ];

    /// The name used as a value of the USI option `EnteringKingRule`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoEnteringKing => "NoEnteringKing",
            Self::CsaRule24 => "CSARule24",
            Self::CsaRule24H => "CSARule24H",
            Self::CsaRule27 => "CSARule27",
            Self::CsaRule27H => "CSARule27H",
            Self::TryRule => "TryRule",
        }
    }

    /// The rule with this name, upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name().eq_ignore_ascii_case(name))
    }
}

/// The ways in which the side to move may end the game at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// By declaring (`bestmove win`).
    Win,
    /// By this king move onto the try square.
    Try(Move),
}

/// Points of a full set, each king counted as one (the H rules charge what is missing).
const FULL_SET_POINTS: i32 = 56;

impl Position {
    /// Returns whether the side to move can win by declaration under `rule`.
    pub fn declaration(&self, rule: EnteringKingRule) -> Option<Declaration> {
        match rule {
            EnteringKingRule::NoEnteringKing => None,
            EnteringKingRule::TryRule => self.try_move().map(Declaration::Try),
            _ => self.has_points(rule).then_some(Declaration::Win),
        }
    }

    fn has_points(&self, rule: EnteringKingRule) -> bool {
        let points = self.declaration_points();
        points.is_some_and(|points| points >= self.needed_points(rule, self.side_to_move()))
    }

    /// The points that the side to move could declare with: 5 for each rook and bishop and 1 for each other
    /// piece in hand and in the enemy camp. `None` unless its king is in that camp with ten other pieces or
    /// more, and not in check. By the 24-point rule 31 win, and 24 to 30 make a draw.
    pub fn declaration_points(&self) -> Option<i32> {
        let us = self.side_to_move();
        let camp = Bitboard::far_ranks(us, 3);
        let king = self.king(us)?;
        let inside = self.color(us) & camp;
        if !camp.contains(king) || self.in_check() || inside.len() < 11 {
            return None;
        }
        // The king itself is among `inside` and counts nothing.
        Some(self.points(us, inside) - 1)
    }

    fn needed_points(&self, rule: EnteringKingRule, us: Color) -> i32 {
        let full = match (rule, us) {
            (EnteringKingRule::CsaRule24 | EnteringKingRule::CsaRule24H, _) => 31,
            (_, Color::Black) => 28,
            (_, Color::White) => 27,
        };
        let handicap = matches!(
            rule,
            EnteringKingRule::CsaRule24H | EnteringKingRule::CsaRule27H
        );
        if !handicap || us == Color::Black {
            return full;
        }
        let present = Color::ALL
            .map(|color| self.points(color, self.color(color)))
            .iter()
            .sum::<i32>();
        full - (FULL_SET_POINTS - present)
    }

    /// Points of `color`'s pieces on `squares` and in its hand: 5 for rook and bishop, 1 for others
    /// (the king too).
    fn points(&self, color: Color, squares: Bitboard) -> i32 {
        let class = |class: MoveClass| self.class(class);
        let big = class(MoveClass::Bishop)
            | class(MoveClass::Rook)
            | class(MoveClass::Horse)
            | class(MoveClass::Dragon);
        let board = squares.len() as i32 + 4 * (squares & big).len() as i32;
        let hand = self.hand(color);
        let hand_points = hand.len() as i32
            + 4 * i32::from(hand.count(HandKind::Bishop) + hand.count(HandKind::Rook));
        board + hand_points
    }

    /// The king move that wins by the try rule.
    fn try_move(&self) -> Option<Move> {
        let us = self.side_to_move();
        let king = self.king(us)?;
        let goal = match us {
            Color::Black => Square::S5A,
            Color::White => Square::S5I,
        };
        if !king_attacks(king).contains(goal) || self.color(us).contains(goal) {
            return None;
        }
        let occupied = self.occupied() - king.into();
        let safe = self.attackers_of(us.flip(), goal, occupied).is_empty();
        safe.then(|| Move::normal(king, goal, Piece::new(us, PieceKind::King)))
    }
}
