//! Mate in one (一手詰め).
//!
//! [`Position::mate_in_one`] answers without playing a move. It first asks what a mating move must
//! do at least: give check, and take from the king every neighbouring square that is still free.
//! Hardly any check does both, so nearly all are dismissed by a table look-up ([`cover`]). The few that are
//! left are examined exactly: can the checking piece be taken, can something be put in
//! between, does the king have a square after all. The first condition errs on one side only, since
//! it may let a move through that does not mate but never holds one back, so no mate is missed.
//!
//! Two rare cases go the long way of generating the checks and trying each
//! ([`Position::mating_moves`]): the mover is in check itself, or the check is uncovered by a piece
//! that leaves the line of a slider.

mod candidates;
mod cover;

use std::marker::PhantomData;

use crate::attacks::{
    attacks, between, bishop_attacks, king_attacks, lance_attacks, line, pawn_attacks,
    rook_attacks, step_attacks,
};
use crate::color::{BlackSide, Side, WhiteSide};
use crate::movegen::{All, Checks, MoveList, Reach};
use crate::{Bitboard, Color, HandKind, Move, MoveClass, Position, Square};

use cover::Block;

impl Position {
    /// Every legal move that mates at once, pointless non-promotions included.
    pub fn mating_moves(&self) -> MoveList {
        let mut list = self.moves::<All<Checks>>();
        list.retain(|m| self.mates(*m));
        list
    }

    /// Returns whether the legal move `m`, which gives check, leaves no answer.
    fn mates(&self, m: Move) -> bool {
        let mut position = self.clone();
        let _ = position.do_move_unchecked(m);
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
    /// The free neighbours as a code for the tables of [`cover`].
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

// The exact examination of one check.

/// The board after the checking move.
struct After {
    /// Occupied squares.
    occupied: Bitboard,
    /// The square that the checking piece left; empty for a drop.
    left: Bitboard,
    /// Its attacks from there, seen through the king.
    lost: Bitboard,
    /// The square of the checking piece.
    to: Square,
    /// The checking move.
    m: Move,
}

impl<S: Side> Mate<'_, S> {
    /// Returns whether the drop `m` of a piece of `class`, which checks, is mate.
    fn drop_mates(&self, m: Move, class: MoveClass) -> bool {
        let after = After {
            occupied: self.occupied | m.to().into(),
            left: Bitboard::EMPTY,
            lost: Bitboard::EMPTY,
            to: m.to(),
            m,
        };
        !self.is_capturable(&after) && !self.has_flight(&after, class) && !self.is_blockable(&after)
    }

    /// Returns whether the board move `m` from `from`, after which the piece is a `class` and checks, is
    /// mate.
    fn move_mates(&self, m: Move, from: Square, class: MoveClass) -> bool {
        let left = Bitboard::from_square(from);
        let before = m.piece_before().kind().move_class();
        let after = After {
            occupied: (self.occupied - left) | m.to().into(),
            left,
            lost: attacks(S::US, before, from, self.occupied - self.king.into()),
            to: m.to(),
            m,
        };
        !self.is_capturable(&after) && !self.has_flight(&after, class) && !self.is_blockable(&after)
    }

    /// Returns whether a piece other than the king may take the checking piece.
    #[inline(always)]
    fn is_capturable(&self, after: &After) -> bool {
        let takers = self
            .position
            .attackers_of(S::THEM, after.to, after.occupied)
            - self.king.into();
        takers.any() && self.any_may_take(after, takers)
    }

    /// Returns whether one of `takers` may take the checking piece without uncovering its king: it is not
    /// pinned, or along the very line to the checking piece.
    fn any_may_take(&self, after: &After, takers: Bitboard) -> bool {
        let pinned = self.pinned_after(after);
        (takers - (pinned - line(self.king, after.to))).any()
    }

    /// Pieces of the king's side that are pinned to it after the move.
    fn pinned_after(&self, after: &After) -> Bitboard {
        let snipers = self.position.snipers(S::THEM, self.king) - after.left;
        let mut pinned = Bitboard::EMPTY;
        snipers.for_each(|sniper| {
            let blocking = between(self.king, sniper) & after.occupied;
            if !blocking.has_several() {
                pinned |= blocking;
            }
        });
        pinned
    }

    /// Returns whether the king has a square to go to.
    #[inline(always)]
    fn has_flight(&self, after: &After, class: MoveClass) -> bool {
        let through_king = after.occupied - self.king.into();
        let attacked = attacks(S::US, class, after.to, through_king);
        let to = Bitboard::from_square(after.to);
        let flights = self.around - (self.position.color(S::THEM) - to) - attacked;
        let opens_a_line = (after.left & self.guards.slides).any();
        let shuts_a_line = self.guards.slides.contains(after.to);
        if !opens_a_line {
            // Free squares stay free, and those that only the moved piece attacked become so.
            let lone = after.lost - self.guards.twice;
            if (flights & ((self.free | lone) - to)).any() {
                return true;
            }
            if !shuts_a_line && (self.guards.twice.contains(after.to) || after.left.is_empty()) {
                return false;
            }
        }
        let mut rest = flights;
        while let Some(square) = rest.pop() {
            let guards = self.position.attackers_of(S::US, square, through_king) - after.left;
            if guards.is_empty() {
                return true;
            }
        }
        false
    }

    /// Returns whether something can be put between the king and the checking piece.
    #[inline(always)]
    fn is_blockable(&self, after: &After) -> bool {
        // Nothing is between neighbours, nor in the way of a knight.
        let squares = between(self.king, after.to);
        squares.any() && self.any_blocks(after, squares)
    }

    fn any_blocks(&self, after: &After, mut squares: Bitboard) -> bool {
        while let Some(square) = squares.pop() {
            if self.can_drop_on(after, square) {
                return true;
            }
            // The piece that was taken on `to` is still in the position's bitboards.
            let blockers = self.position.attackers_of(S::THEM, square, after.occupied)
                - self.king.into()
                - after.to.into();
            if blockers.any() && (blockers - self.pinned_after(after)).any() {
                return true;
            }
        }
        false
    }

    /// Returns whether the king's side holds a piece that may be dropped on any square.
    #[inline(always)]
    fn blocks_anywhere(&self) -> bool {
        let hand = self.position.hand(S::THEM);
        hand.has(HandKind::Gold)
            || hand.has(HandKind::Silver)
            || hand.has(HandKind::Rook)
            || hand.has(HandKind::Bishop)
    }

    /// Returns whether the king's side may drop a piece on the empty `square`.
    fn can_drop_on(&self, after: &After, square: Square) -> bool {
        let hand = self.position.hand(S::THEM);
        let edge = square.rank().distance_to_edge(S::THEM);
        self.blocks_anywhere()
            || hand.has(HandKind::Knight) && edge >= 2
            || hand.has(HandKind::Lance) && edge >= 1
            || hand.has(HandKind::Pawn) && edge >= 1 && self.can_drop_pawn_on(after, square)
    }

    fn can_drop_pawn_on(&self, after: &After, square: Square) -> bool {
        let pawns = self.position.class_of(S::THEM, MoveClass::Pawn) - after.to.into();
        if (pawns & Bitboard::file(square.file())).any() {
            return false;
        }
        let checks_back = self
            .position
            .king(S::US)
            .is_some_and(|king| pawn_attacks(S::THEM, square).contains(king));
        // A pawn that answers the check with a check of its own must not be mate.
        !checks_back || {
            let mut position = self.position.clone();
            let _ = position.do_move_unchecked(after.m);
            !position.drop_pawn_mates(square)
        }
    }
}

// The neighbours of the king that the side to move attacks, and which of them more than once.

/// Attacks on the neighbours of the king that is to be mated.
struct Guards {
    /// Neighbours that the side to move attacks.
    once: Bitboard,
    /// Neighbours that it attacks with two pieces or more.
    twice: Bitboard,
    /// All that its sliders attack, seen through the king, of those that attack any neighbour. A
    /// piece that leaves one of these squares opens a line, one that arrives shuts one.
    slides: Bitboard,
}

impl Guards {
    #[inline(always)]
    fn new<S: Side>(position: &Position, king: Square, around: Bitboard) -> Self {
        let class = |class: MoveClass| position.class(class);
        let own = position.color(S::US);
        let reach = Reach::of(king);
        let mut guards = Self {
            once: Bitboard::EMPTY,
            twice: Bitboard::EMPTY,
            slides: Bitboard::EMPTY,
        };

        let only_sliders =
            class(MoveClass::Lance) | class(MoveClass::Bishop) | class(MoveClass::Rook);
        (own & (reach.steps(S::THEM) - only_sliders)).for_each(|from| {
            if let Some(piece) = position.piece_on(from) {
                let attacked = step_attacks(S::US, piece.kind().move_class(), from);
                guards.add(attacked & around);
            }
        });

        let diagonal = (class(MoveClass::Bishop) | class(MoveClass::Horse)) & reach.diagonal();
        let straight = (class(MoveClass::Rook) | class(MoveClass::Dragon)) & reach.straight();
        let lances = class(MoveClass::Lance) & reach.lances(S::THEM);
        if ((diagonal | straight | lances) & own).any() {
            let occupied = position.occupied() - king.into();
            let mut add = |attacked: Bitboard| {
                guards.slides |= attacked;
                guards.add(attacked & around);
            };
            (diagonal & own).for_each(|from| add(bishop_attacks(from, occupied)));
            (straight & own).for_each(|from| add(rook_attacks(from, occupied)));
            (lances & own).for_each(|from| add(lance_attacks(S::US, from, occupied)));
        }
        guards
    }

    #[inline(always)]
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.once & attacked;
        self.once |= attacked;
    }
}
