//! Attackers, checks and pins, and the legality of a single move.

use super::Position;
use crate::attacks::{
    between, bishop_attacks, diagonals, forward_ray, gold_attacks, king_attacks, knight_attacks,
    line, orthogonals, pawn_attacks, rook_attacks, silver_attacks,
};
use crate::{
    AperyMove16, Bitboard, Color, HandKind, Move, Move16, MoveClass, MoveText, Origin, PieceKind,
    Square, attacks,
};

/// The squares from which the side to move gives check, for one position: computed once for a node and asked
/// for each of its moves ([`Position::gives_check`]).
#[derive(Clone, Debug)]
pub struct CheckSquares {
    /// Squares from which each class attacks the enemy king directly.
    squares: [Bitboard; MoveClass::COUNT],
    /// Own pieces that uncover a check when they leave the line to the enemy king.
    discoverers: Bitboard,
    /// The enemy king.
    king: Option<Square>,
}

/// Pins of one king.
pub(crate) struct Pins {
    /// Pieces pinned to the king.
    pub(crate) pinned: Bitboard,
    /// The sliders that pin them.
    pub(crate) pinners: Bitboard,
}

impl CheckSquares {
    /// The squares from which a piece that moves like `class` checks the enemy king.
    #[inline(always)]
    pub const fn of(&self, class: MoveClass) -> Bitboard {
        self.squares[class as usize]
    }

    /// The side to move's pieces that alone stand between an own slider and the enemy king.
    #[inline(always)]
    pub const fn discoverers(&self) -> Bitboard {
        self.discoverers
    }
}

impl Position {
    /// Pieces of both players that attack `square` when `occupied` are the occupied squares.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let steps = |color| self.steppers_onto(color, square) & self.colors[color];
        steps(Color::Black) | steps(Color::White) | self.sliders_onto(square, occupied)
    }

    /// Pieces of `color` that attack `square` when `occupied` are the occupied squares.
    #[inline]
    pub fn attackers_of(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let own = self.colors[color];
        let ahead = forward_ray(color.flip(), square);
        self.steppers_onto(color, square) & own | self.sliders_among(own, ahead, square, occupied)
    }

    /// Pieces of both players from which one of `color` attacks `square` by a step.
    #[inline(always)]
    fn steppers_onto(&self, color: Color, square: Square) -> Bitboard {
        let class = |class: MoveClass| self.classes[class as usize];
        let from = color.flip();
        let horse_dragon = class(MoveClass::Horse) | class(MoveClass::Dragon);
        pawn_attacks(from, square) & class(MoveClass::Pawn)
            | knight_attacks(from, square) & class(MoveClass::Knight)
            | silver_attacks(from, square) & class(MoveClass::Silver)
            | gold_attacks(from, square) & class(MoveClass::Gold)
            | king_attacks(square) & (class(MoveClass::King) | horse_dragon)
    }

    /// Sliders of both players that reach `square` through `occupied`.
    #[inline]
    pub(crate) fn sliders_onto(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let ahead = |color: Color| forward_ray(color.flip(), square) & self.colors[color];
        let ahead = ahead(Color::Black) | ahead(Color::White);
        self.sliders_among(Bitboard::ALL, ahead, square, occupied)
    }

    /// Returns the pieces of `among` that reach `square` through `occupied` as sliders. Lances stand on
    /// `ahead`.
    #[inline(always)]
    fn sliders_among(
        &self,
        among: Bitboard,
        ahead: Bitboard,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let class = |class: MoveClass| self.classes[class as usize];
        // Most squares have none on any of their lines: look before computing.
        let diagonal = (class(MoveClass::Bishop) | class(MoveClass::Horse)) & among;
        let straight = (class(MoveClass::Rook) | class(MoveClass::Dragon)) & among;
        let lances = class(MoveClass::Lance) & ahead & among;
        let mut set = Bitboard::EMPTY;
        if (diagonal & diagonals(square)).any() {
            set |= bishop_attacks(square, occupied) & diagonal;
        }
        if (straight & orthogonals(square) | lances).any() {
            set |= rook_attacks(square, occupied) & (straight | lances);
        }
        set
    }

    /// Returns whether any piece of `color` attacks `square`.
    #[inline]
    pub fn is_attacked_by(&self, color: Color, square: Square) -> bool {
        self.attackers_of(color, square, self.occupied()).any()
    }

    /// Squares attacked by the piece on `from`; empty when there is none.
    pub fn attacks_from(&self, from: Square) -> Bitboard {
        self.piece_on(from).map_or(Bitboard::EMPTY, |piece| {
            attacks::attacks(
                piece.color(),
                piece.kind().move_class(),
                from,
                self.occupied(),
            )
        })
    }

    /// The sliders of `!color` that would attack `color`'s king on `king` if the board were empty.
    #[inline(always)]
    pub(crate) fn snipers(&self, color: Color, king: Square) -> Bitboard {
        let class = |class: MoveClass| self.classes[class as usize];
        let sliders = class(MoveClass::Lance) & forward_ray(color, king)
            | (class(MoveClass::Bishop) | class(MoveClass::Horse)) & diagonals(king)
            | (class(MoveClass::Rook) | class(MoveClass::Dragon)) & orthogonals(king);
        sliders & self.colors[color.flip()]
    }

    /// Sliders of the enemy that check `color`'s king on `king`, and the pieces of either player
    /// that alone block one.
    #[inline(always)]
    pub(super) fn slider_checks(&self, color: Color, king: Square) -> (Bitboard, Bitboard) {
        let mut checkers = Bitboard::EMPTY;
        let mut blockers = Bitboard::EMPTY;
        let snipers = self.snipers(color, king);
        if snipers.any() {
            let occupied = self.occupied();
            snipers.for_each(|sniper| {
                let blocking = between(king, sniper) & occupied;
                if blocking.is_empty() {
                    checkers |= sniper.into();
                } else if !blocking.has_several() {
                    blockers |= blocking;
                }
            });
        }
        (checkers, blockers)
    }

    /// `color`'s pinned pieces and the sliders that pin them.
    pub(crate) fn pins(&self, color: Color, king: Square) -> Pins {
        let mut pins = Pins {
            pinned: Bitboard::EMPTY,
            pinners: Bitboard::EMPTY,
        };
        let occupied = self.occupied();
        self.snipers(color, king).for_each(|sniper| {
            let blocking = between(king, sniper) & occupied;
            if blocking.len() == 1 && (blocking & self.colors[color]).any() {
                pins.pinned |= blocking;
                pins.pinners |= sniper.into();
            }
        });
        pins
    }

    /// `color`'s own pieces that are pinned to its king on `king`.
    pub(crate) fn slider_blockers_of(&self, color: Color, king: Square) -> Bitboard {
        self.slider_checks(color, king).1 & self.colors[color]
    }

    /// Recomputes checkers and blockers of the side to move from scratch.
    pub(super) fn refresh_checks(&mut self) {
        (self.checkers, self.blockers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        if let Some(king) = self.kings[self.side] {
            self.checkers = self.attackers_of(self.side.flip(), king, self.occupied());
            self.blockers = self.slider_checks(self.side, king).1;
        }
    }

    /// The side to move's pieces that give check by leaving the line between an own slider and the
    /// enemy king.
    pub fn discoverers(&self) -> Bitboard {
        self.kings[self.side.flip()].map_or(Bitboard::EMPTY, |king| {
            self.slider_checks(self.side.flip(), king).1 & self.colors[self.side]
        })
    }

    /// The squares from which the side to move gives check. All empty when the enemy has no king.
    pub fn check_squares(&self) -> CheckSquares {
        let mut squares = [Bitboard::EMPTY; MoveClass::COUNT];
        let king = self.kings[self.side.flip()];
        if let Some(king) = king {
            let from = self.side.flip();
            let occupied = self.occupied();
            let bishop = bishop_attacks(king, occupied);
            let rook = rook_attacks(king, occupied);
            squares[MoveClass::Pawn as usize] = pawn_attacks(from, king);
            squares[MoveClass::Lance as usize] = rook & forward_ray(from, king);
            squares[MoveClass::Knight as usize] = knight_attacks(from, king);
            squares[MoveClass::Silver as usize] = silver_attacks(from, king);
            squares[MoveClass::Gold as usize] = gold_attacks(from, king);
            squares[MoveClass::Bishop as usize] = bishop;
            squares[MoveClass::Rook as usize] = rook;
            squares[MoveClass::Horse as usize] = bishop | king_attacks(king);
            squares[MoveClass::Dragon as usize] = rook | king_attacks(king);
        }
        CheckSquares {
            squares,
            discoverers: self.discoverers(),
            king,
        }
    }

    /// Returns whether the pseudo-legal move `m` gives check. `checks` are [`Self::check_squares`] of this
    /// position.
    #[inline]
    pub fn gives_check(&self, m: Move, checks: &CheckSquares) -> bool {
        if checks.of(m.kind_after().move_class()).contains(m.to()) {
            return true;
        }
        let (Some(from), Some(king)) = (m.from(), checks.king) else {
            return false;
        };
        checks.discoverers.contains(from) && !attacks::line(king, from).contains(m.to())
    }
}

// The legality of a single move.

impl Position {
    /// The move that `text` names with the piece that stands on its origin; `None` when the origin
    /// holds no piece of the side to move or the piece cannot promote. Legality is not checked.
    pub fn complete(&self, text: MoveText) -> Option<Move> {
        match text.origin {
            Origin::Hand(kind) => Some(Move::drop(self.side, kind, text.to)),
            Origin::Board(from) => {
                let piece = self
                    .piece_on(from)
                    .filter(|piece| piece.color() == self.side)?;
                if text.promote {
                    Move::promoting(from, text.to, piece)
                } else {
                    Some(Move::normal(from, text.to, piece))
                }
            }
        }
    }

    /// The move of a 16-bit code of the YaneuraOu family, completed with the moving piece. `None`
    /// when the code is no move or names no piece of the side to move. Legality is not checked.
    pub fn move_from_16(&self, code: Move16) -> Option<Move> {
        self.complete(code.decode()?)
    }

    /// As [`Self::move_from_16`] for the Apery family.
    pub fn move_from_apery_16(&self, code: AperyMove16) -> Option<Move> {
        self.complete(code.decode()?)
    }

    /// Returns whether `m` obeys every rule but the safety of the mover's own king. Any `Move` may be asked
    /// about, for example one from a hash table.
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        if m.color() != self.side {
            return false;
        }
        match (m.from(), m.dropped()) {
            (Some(from), _) => self.is_board_move_pseudo_legal(from, m),
            (None, Some(kind)) => self.is_drop_pseudo_legal(kind, m.to()),
            (None, None) => false,
        }
    }

    fn is_board_move_pseudo_legal(&self, from: Square, m: Move) -> bool {
        let piece = m.piece_before();
        let to = m.to();
        if self.piece_on(from) != Some(piece) || self.colors[self.side].contains(to) {
            return false;
        }
        let edge = to.rank().distance_to_edge(self.side);
        if m.is_promotion() {
            if edge >= 3 && !from.is_promotion_zone(self.side) {
                return false;
            }
        } else if edge < piece.kind().dead_ranks() as usize {
            return false;
        }
        self.attacks_from(from).contains(to)
    }

    fn is_drop_pseudo_legal(&self, kind: HandKind, to: Square) -> bool {
        if !self.hands[self.side].has(kind)
            || self.piece_on(to).is_some()
            || to.rank().distance_to_edge(self.side) < kind.piece_kind().dead_ranks() as usize
        {
            return false;
        }
        if kind != HandKind::Pawn {
            return true;
        }
        let own_pawns = self.class_of(self.side, MoveClass::Pawn);
        (own_pawns & Bitboard::file(to.file())).is_empty() && !self.drop_pawn_mates(to)
    }

    /// Returns whether the pseudo-legal move `m` is legal: it leaves the mover's own king safe.
    pub fn is_legal_if_pseudo_legal(&self, m: Move) -> bool {
        let us = self.side;
        let Some(king) = self.kings[us] else {
            return true;
        };
        let to = m.to();
        let Some(from) = m.from() else {
            return self.answers_checks(king, to, None);
        };
        if m.kind_after() == PieceKind::King {
            let occupied = self.occupied() - from.into();
            return self.attackers_of(us.flip(), to, occupied).is_empty();
        }
        if self.pinned().contains(from) && !line(king, from).contains(to) {
            return false;
        }
        self.answers_checks(king, to, Some(from))
    }

    /// Returns whether a piece other than the king that arrives on `to` leaves no check standing.
    fn answers_checks(&self, king: Square, to: Square, from: Option<Square>) -> bool {
        let checkers = self.checkers;
        let Some(checker) = checkers.first() else {
            return true;
        };
        if checkers.has_several() {
            return false;
        }
        (from.is_some() && to == checker) || between(king, checker).contains(to)
    }

    /// Returns whether `m` may be played here. Any `Move` may be asked about.
    ///
    /// ```
    /// use shogi_core::Position;
    /// let position = Position::startpos();
    /// let m = position.move_from_usi("7g7f")?;
    /// assert!(position.is_legal(m));
    /// assert!(position.move_from_usi("7g7e").is_err());
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    pub fn is_legal(&self, m: Move) -> bool {
        self.is_pseudo_legal(m) && self.is_legal_if_pseudo_legal(m)
    }

    /// Returns whether leaving out `m` loses nothing because the promotion is at least as good: a pawn,
    /// bishop or rook that could promote, or a lance that arrives on the second rank.
    pub fn is_pointless_non_promotion(&self, m: Move) -> bool {
        let Some(from) = m.from() else { return false };
        let (us, to) = (m.color(), m.to());
        if m.is_promotion() {
            return false;
        }
        let can_promote = from.is_promotion_zone(us) || to.is_promotion_zone(us);
        match m.kind_after() {
            PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => can_promote,
            PieceKind::Lance => to.rank().distance_to_edge(us) == 1,
            _ => false,
        }
    }
}
