//! Mate in one (一手詰め).
//!
//! [`Position::mate_in_one`] answers without playing a move. It first asks what a mating move must
//! do at least: give check, and take from the king every neighbouring square that is still free.
//! Hardly any check does both, so nearly all are dismissed by a table look-up ([`cover`]). The few that are
//! left are examined exactly ([`examine`]): can the checking piece be taken, can something be put in
//! between, does the king have a square after all. The first condition errs on one side only, since
//! it may let a move through that does not mate but never holds one back, so no mate is missed.
//!
//! Two rare cases go the long way of generating the checks and trying each
//! ([`Position::mating_moves`]): the mover is in check itself, or the check is uncovered by a piece
//! that leaves the line of a slider.

mod candidates;
mod cover;
mod examine;
mod guards;

use crate::attacks::{king_attacks, line};
use crate::color::{BlackSide, Side, WhiteSide};
use crate::movegen::{All, Checks, MoveList};
use crate::{Bitboard, Color, Move, Position, Square};
use cover::Block;
use guards::Guards;
use std::marker::PhantomData;

impl Position {
    /// Every legal move that mates at once, pointless non-promotions included.
    pub fn mating_moves(&self) -> MoveList {
        let mut list = self.moves::<All<Checks>>();
        list.retain(|m| self.mates(*m));
        list
    }

    /// Whether the legal move `m`, which gives check, leaves no answer.
    fn mates(&self, m: Move) -> bool {
        let mut position = self.clone();
        let _ = position.do_move(m);
        position.has_no_legal_move()
    }

    /// A move that mates at once, if there is one. None is missed.
    ///
    /// ```
    /// use shogi_core::Position;
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
    /// assert_eq!(position.mate_in_one().map(|m| m.to_string()), Some("G*5b".to_owned()));
    /// # Ok::<(), shogi_core::SfenError>(())
    /// ```
    #[inline]
    pub fn mate_in_one(&self) -> Option<Move> {
        let king = self.king(self.side_to_move().flip())?;
        if self.in_check() {
            return self.mate_in_one_in_check();
        }
        match self.side_to_move() {
            Color::Black => Mate::<BlackSide>::new(self, king).find(),
            Color::White => Mate::<WhiteSide>::new(self, king).find(),
        }
    }

    #[cold]
    fn mate_in_one_in_check(&self) -> Option<Move> {
        self.moves::<All<Checks>>()
            .into_iter()
            .find(|m| self.mates(*m))
    }
}

/// The question "does the side to move, `S`, mate at once?", with what all candidates share. The
/// side to move is not in check.
struct Mate<'a, S> {
    position: &'a Position,
    /// The king to be mated.
    king: Square,
    /// The king's neighbour squares.
    around: Bitboard,
    guards: Guards,
    /// Neighbours without a piece of the king's own side that the side to move does not attack yet:
    /// the mating piece must attack or occupy all of them.
    free: Bitboard,
    /// The same as a code for the tables of [`cover`].
    free_block: Block,
    /// Empty neighbours that the side to move attacks: where a dropped piece can stand guarded.
    drop_stands: Block,
    /// Neighbours that it attacks twice and has no piece on: where a piece that moves there, which is
    /// one of the attackers, can stand guarded.
    move_stands: Block,
    own: Bitboard,
    occupied: Bitboard,
    side: PhantomData<S>,
}

impl<'a, S: Side> Mate<'a, S> {
    #[inline(always)]
    fn new(position: &'a Position, king: Square) -> Self {
        let around = king_attacks(king);
        let guards = Guards::new::<S>(position, king, around);
        let own = position.color(S::US);
        let enemy = position.color(S::THEM);
        let free = around - enemy - guards.once;
        Self {
            position,
            king,
            around,
            free,
            free_block: Block::from_neighbours(free, king),
            drop_stands: Block::from_neighbours(guards.once - own - enemy, king),
            move_stands: Block::from_neighbours(guards.twice - own, king),
            guards,
            own,
            occupied: position.occupied(),
            side: PhantomData,
        }
    }

    #[inline(always)]
    fn find(&self) -> Option<Move> {
        let lines = self.free_block.lines();
        let from_afar = self.free_block.is_empty() || lines.diagonal() || lines.dragon();
        let stands = self.drop_stands.or(self.move_stands);
        let close = !self.free_block.covered_by_any(S::US).and(stands).is_empty();
        // Pieces on lines of own sliders: only they can uncover a check, or a square.
        let openers = (self.guards.slides & self.own).any();
        if !(from_afar || close || openers) {
            return None;
        }
        self.drops()
            .or_else(|| self.steppers())
            .or_else(|| self.sliders())
            .or_else(|| if openers { self.discoveries() } else { None })
    }

    /// Checks uncovered by a piece that leaves the line of an own slider to the king.
    #[inline(always)]
    fn discoveries(&self) -> Option<Move> {
        let discoverers = self.position.discoverers();
        if discoverers.is_empty() {
            None
        } else {
            self.try_discoveries(discoverers)
        }
    }

    #[cold]
    fn try_discoveries(&self, discoverers: Bitboard) -> Option<Move> {
        let uncovers = |m: &Move| {
            m.from().is_some_and(|from| {
                discoverers.contains(from) && !line(self.king, from).contains(m.to())
            })
        };
        let mut checks = self.position.moves::<All<Checks>>().into_iter();
        checks.find(|m| uncovers(m) && self.position.mates(*m))
    }
}
