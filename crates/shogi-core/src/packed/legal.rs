//! Whether a move may be played in a position that has not been built.
//!
//! Conditions are joined without branches: where moves differ, a processor would guess wrong once for
//! every move.

#![expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, see above"
)]

use super::attack::{self, Change, NOWHERE};
use super::board::Squares;
use super::placement::Placement;
use crate::attacks::step_attacks;
use crate::{Color, HandKind, MoveClass, MoveText, Origin, Piece, PieceKind, Square};

/// How far each square is from the far edge of each player, 0 on the last rank.
static EDGES: [[u8; 81]; 2] = {
    let mut edges = [[0; 81]; 2];
    let mut i = 0;
    while i < 81 {
        let rank = Square::ALL[i].rank();
        edges[0][i] = rank.distance_to_edge(Color::Black) as u8;
        edges[1][i] = rank.distance_to_edge(Color::White) as u8;
        i += 1;
    }
    edges
};

/// [`PieceKind::dead_ranks`] by number of the kind.
const DEAD_RANKS: [u8; 16] = {
    let mut ranks = [0; 16];
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        ranks[PieceKind::ALL[i] as usize] = PieceKind::ALL[i].dead_ranks() as u8;
        i += 1;
    }
    ranks
};

impl Placement {
    /// [`Self::is_legal`]; `attackers` is [`attack::attackers_on_rays`] or equal to it.
    #[inline(always)]
    pub(super) fn is_legal_with(
        &self,
        text: MoveText,
        attackers: impl Fn(&Squares, Color, Square, Change) -> u64,
    ) -> bool {
        let us = self.header.side;
        let squares = &self.board.squares;
        let to = text.to;
        let taken = squares.0[to.index()];
        let edge = EDGES[us.index()][to.index()];
        let (kind, from) = match text.origin {
            Origin::Board(from) => {
                let piece = squares.0[from.index()];
                let kind = piece % 16;
                let near_edge = (edge < 3) | (EDGES[us.index()][from.index()] < 3);
                let may_promote = near_edge & (kind < PieceKind::Gold as u8);
                let may_stay = edge >= DEAD_RANKS[usize::from(kind)];
                let seen = attack::SEEN[to.index()][from.index()];
                let reaching = attackers(squares, us, to, Change::NONE);
                let reaches = (reaching.unbounded_shr(seen.into()) & 1 != 0)
                    | (seen == attack::JUMP + us as u8) & (kind == PieceKind::Knight as u8);
                let legal = is_own(piece, us)
                    & !is_own(taken, us)
                    & reaches
                    & if text.promote { may_promote } else { may_stay };
                if !legal {
                    return false;
                }
                (kind, from as u8)
            }
            Origin::Hand(kind) => {
                let legal =
                    self.hands[us].has(kind) & (taken == 0) & (edge >= DEAD_RANKS[kind as usize]);
                if !legal || (kind == HandKind::Pawn && !self.may_drop_pawn(text)) {
                    return false;
                }
                (kind as u8, NOWHERE)
            }
        };
        let king = if kind == PieceKind::King as u8 {
            Some(to)
        } else {
            self.header.kings[us]
        };
        let change = Change { from, to: to as u8 };
        king.is_none_or(|king| {
            let them = us.flip();
            let attacked = (attackers(squares, them, king, change) != 0)
                | attack::is_attacked_by_knight(squares, them, king, change);
            !attacked
        })
    }

    /// Whether the drop of a pawn on an empty square breaks neither rule that pawns have.
    fn may_drop_pawn(&self, text: MoveText) -> bool {
        let us = self.header.side;
        let (files, _) = self.board.squares.0.as_chunks::<9>();
        let pawn = Piece::new(us, PieceKind::Pawn) as u8;
        if files[text.to.file().index()].contains(&pawn) {
            return false;
        }
        let king = self.header.kings[us.flip()];
        if !king.is_some_and(|king| step_attacks(us, MoveClass::Pawn, text.to).contains(king)) {
            return true;
        }
        // Whether a pawn mates takes more than is here; few pawns give check.
        let position = self.to_position(1);
        position
            .complete(text)
            .is_some_and(|m| position.is_legal(m))
    }
}

/// Whether a number is that of a piece of `color`.
#[inline(always)]
const fn is_own(number: u8, color: Color) -> bool {
    (number != 0) & (number >> 4 == color as u8)
}
