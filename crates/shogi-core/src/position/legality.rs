//! Whether a single move may be played.

use super::Position;
use crate::attacks::{between, line};
use crate::{
    AperyMove16, Bitboard, HandKind, Move, Move16, MoveClass, MoveText, Origin, PieceKind, Square,
};

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

    /// Whether `m` obeys every rule but the safety of the mover's own king. Any `Move` may be asked
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

    /// Whether the pseudo-legal move `m` is legal: it leaves the mover's own king safe.
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

    /// Whether a piece other than the king that arrives on `to` leaves no check standing.
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

    /// Whether `m` may be played here. Any `Move` may be asked about.
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

    /// Whether leaving out `m` loses nothing because the promotion is at least as good: a pawn,
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
