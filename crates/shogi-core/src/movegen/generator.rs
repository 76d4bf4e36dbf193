//! The generator: one pass over the pieces, as sets.

use super::danger::attacked_around;
use super::kinds::{GenKind, Select};
use super::{MoveSink, drops};
use crate::attacks::{
    between, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks, line,
    rook_attacks, silver_attacks, step_attacks,
};
use crate::color::Side;
use crate::{Bitboard, CheckSquares, MoveClass, Piece, PieceKind, Position, Square};
use std::marker::PhantomData;

/// State of one generation for side `S` and kind `G`.
pub(super) struct Generator<'a, S, G> {
    position: &'a Position,
    own: Bitboard,
    occupied: Bitboard,
    pinned: Bitboard,
    king: Option<Square>,
    /// Where a piece other than the king may go without promoting.
    plain: Bitboard,
    /// Where it may go promoting.
    promote: Bitboard,
    /// Where the king may go, apart from attacked squares.
    king_targets: Bitboard,
    /// Where a piece may be dropped.
    drops: Bitboard,
    /// Where a knight, silver or gold must stand to have a move that is wanted.
    steppers: Bitboard,
    /// Only for generating checks.
    checks: Option<CheckSquares>,
    kind: PhantomData<(S, G)>,
}

impl<'a, S: Side, G: GenKind> Generator<'a, S, G> {
    #[inline(always)]
    pub(super) fn new(position: &'a Position, targets: Bitboard) -> Self {
        let own = position.color(S::US);
        let enemy = position.color(S::THEM);
        let occupied = own | enemy;
        let empty = !occupied;
        let (plain, promote, drops) = match G::SELECT {
            Select::Everything | Select::Checks => (!own, !own, empty),
            Select::Captures => (enemy, enemy, Bitboard::EMPTY),
            Select::CapturesAndPromotions => (enemy, !own, Bitboard::EMPTY),
            Select::QuietsWithoutPromotions => (empty, Bitboard::EMPTY, empty),
        };
        let checks = (G::SELECT == Select::Checks).then(|| position.check_squares());
        Self {
            position,
            own,
            occupied,
            pinned: position.pinned(),
            king: position.king(S::US),
            plain: plain & targets,
            promote: promote & targets,
            king_targets: plain & targets,
            drops: drops & targets,
            steppers: match G::SELECT {
                Select::Captures => near::<S>(enemy),
                Select::CapturesAndPromotions => {
                    // A knight on the fifth rank jumps into the promotion zone.
                    near::<S>(enemy) | const { Bitboard::far_ranks(S::US, 5) }
                }
                _ => Bitboard::ALL,
            },
            checks,
            kind: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn run(mut self, sink: &mut impl MoveSink) {
        if let Some(king) = self.king {
            self.king_moves(king, sink);
            if sink.is_done() {
                return;
            }
            let checkers = self.position.checkers();
            if checkers.any() {
                if checkers.has_several() {
                    return;
                }
                let block = checkers
                    .first()
                    .map_or(checkers, |from| between(king, from));
                self.plain &= block | checkers;
                self.promote &= block | checkers;
                self.drops &= block;
            }
        }
        self.pawn_moves(sink);
        if sink.is_done() {
            return;
        }
        self.minor_moves(sink);
        if sink.is_done() {
            return;
        }
        self.slider_moves(sink);
        self.gold_moves(sink);
        if sink.is_done() {
            return;
        }
        if self.pinned.any() {
            self.pinned_moves(sink);
        }
        if let Some(checks) = &self.checks {
            drops::generate::<S>(self.position, self.drops, |class| checks.of(class), sink);
        } else {
            drops::generate::<S>(self.position, self.drops, |_| Bitboard::ALL, sink);
        }
    }

    /// The squares among `set` where arriving as `class` from `from` does what `G` asks for: gives
    /// check, or anything.
    #[inline(always)]
    fn narrowed(&self, from: Square, class: MoveClass, set: Bitboard) -> Bitboard {
        let Some(checks) = &self.checks else {
            return set;
        };
        let mut wanted = checks.of(class);
        if checks.discoverers().contains(from)
            && let Some(king) = self.position.king(S::THEM)
        {
            wanted |= !line(king, from);
        }
        set & wanted
    }

    #[inline(always)]
    fn king_moves(&self, king: Square, sink: &mut impl MoveSink) {
        let mut targets = king_attacks(king) & self.king_targets;
        targets = self.narrowed(king, MoveClass::King, targets);
        if targets.is_empty() {
            return;
        }
        targets = targets - attacked_around::<S>(self.position, king);
        sink.piece(king, piece::<S>(PieceKind::King), false, targets);
    }

    /// Pieces of `class` that are not pinned.
    #[inline(always)]
    fn free(&self, class: MoveClass) -> Bitboard {
        self.position.class(class) & (self.own - self.pinned)
    }

    #[inline(always)]
    fn pawn_moves(&self, sink: &mut impl MoveSink) {
        let pawns = self.position.class(MoveClass::Pawn) & self.own;
        // A pinned pawn on the king's file is pinned along the file: it may advance.
        let free = match self.king {
            Some(king) => pawns - (self.pinned - Bitboard::file(king.file())),
            None => pawns,
        };
        if self.checks.is_some() {
            free.for_each(|from| {
                self.piece_moves(
                    from,
                    PieceKind::Pawn,
                    step_attacks(S::US, MoveClass::Pawn, from),
                    sink,
                );
            });
            return;
        }
        let ahead = free.forward(S::US);
        sink.pawns(
            S::US,
            ahead & (self.plain - const { unpromoted_limit::<S, G>(PieceKind::Pawn) }),
            false,
        );
        let promoting = ahead & self.promote & zone::<S>();
        if promoting.any() {
            sink.pawns(S::US, promoting, true);
        }
    }

    /// Knights and silvers.
    #[inline(always)]
    fn minor_moves(&self, sink: &mut impl MoveSink) {
        let free = |class| self.free(class) & self.steppers;
        free(MoveClass::Knight).for_each(|from| {
            self.piece_moves(from, PieceKind::Knight, knight_attacks(S::US, from), sink);
        });
        free(MoveClass::Silver).for_each(|from| {
            self.piece_moves(from, PieceKind::Silver, silver_attacks(S::US, from), sink);
        });
    }

    /// Lances, bishops, rooks, horses and dragons.
    #[inline(always)]
    fn slider_moves(&self, sink: &mut impl MoveSink) {
        self.free(MoveClass::Lance).for_each(|from| {
            self.piece_moves(
                from,
                PieceKind::Lance,
                lance_attacks(S::US, from, self.occupied),
                sink,
            );
        });
        let bishops = self.free(MoveClass::Bishop) | self.free(MoveClass::Horse);
        bishops.for_each(|from| self.diagonal_slider(from, sink));
        let rooks = self.free(MoveClass::Rook) | self.free(MoveClass::Dragon);
        rooks.for_each(|from| self.straight_slider(from, sink));
    }

    #[inline(always)]
    fn diagonal_slider(&self, from: Square, sink: &mut impl MoveSink) {
        let attacks = bishop_attacks(from, self.occupied);
        if self.position.class(MoveClass::Horse).contains(from) {
            let attacks = attacks | step_attacks(S::US, MoveClass::Horse, from);
            self.final_moves(from, PieceKind::Horse, attacks & self.plain, sink);
        } else {
            self.piece_moves(from, PieceKind::Bishop, attacks, sink);
        }
    }

    #[inline(always)]
    fn straight_slider(&self, from: Square, sink: &mut impl MoveSink) {
        let attacks = rook_attacks(from, self.occupied);
        if self.position.class(MoveClass::Dragon).contains(from) {
            let attacks = attacks | step_attacks(S::US, MoveClass::Dragon, from);
            self.final_moves(from, PieceKind::Dragon, attacks & self.plain, sink);
        } else {
            self.piece_moves(from, PieceKind::Rook, attacks, sink);
        }
    }

    #[inline(always)]
    fn gold_moves(&self, sink: &mut impl MoveSink) {
        (self.free(MoveClass::Gold) & self.steppers).for_each(|from| {
            let kind = self
                .position
                .piece_on(from)
                .map_or(PieceKind::Gold, Piece::kind);
            self.final_moves(from, kind, gold_attacks(S::US, from) & self.plain, sink);
        });
    }

    /// Pinned pieces move along the line to their king.
    #[cold]
    fn pinned_moves(&self, sink: &mut impl MoveSink) {
        let Some(king) = self.king else { return };
        (self.pinned - self.position.class(MoveClass::Pawn)).for_each(|from| {
            let Some(piece) = self.position.piece_on(from) else {
                return;
            };
            let kind = piece.kind();
            let attacks = self.position.attacks_from(from) & line(king, from);
            if kind.promote().is_some() {
                self.piece_moves(from, kind, attacks, sink);
            } else {
                self.final_moves(from, kind, attacks & self.plain, sink);
            }
        });
    }

    /// Moves of a piece that cannot promote.
    #[inline(always)]
    fn final_moves(&self, from: Square, kind: PieceKind, set: Bitboard, sink: &mut impl MoveSink) {
        let set = self.narrowed(from, kind.move_class(), set);
        sink.piece(from, piece::<S>(kind), false, set);
    }

    /// Moves of a piece that can promote, which attacks `attacks`.
    #[inline(always)]
    fn piece_moves(
        &self,
        from: Square,
        kind: PieceKind,
        attacks: Bitboard,
        sink: &mut impl MoveSink,
    ) {
        let Some(promoted) = kind.promote() else {
            return;
        };
        let must_stay = unpromoted_limit::<S, G>(kind);
        let in_zone = from.is_promotion_zone(S::US);
        let mut plain = attacks & (self.plain - must_stay);
        if !G::ALL && in_zone && matches!(kind, PieceKind::Bishop | PieceKind::Rook) {
            plain = Bitboard::EMPTY;
        }
        let plain = self.narrowed(from, kind.move_class(), plain);
        sink.piece(from, piece::<S>(kind), false, plain);
        let promoting = attacks & self.promote & if in_zone { Bitboard::ALL } else { zone::<S>() };
        if promoting.any() {
            let promoting = self.narrowed(from, promoted.move_class(), promoting);
            sink.piece(from, piece::<S>(promoted), true, promoting);
        }
    }
}

/// The squares from which a piece of `S` steps or jumps onto one of `targets`, and maybe others. Few of its
/// pieces are as near to the enemy, for most of a game.
#[inline(always)]
fn near<S: Side>(targets: Bitboard) -> Bitboard {
    let jumps = targets.forward(S::THEM).forward(S::THEM);
    let rows = targets | targets.forward(S::US) | targets.forward(S::THEM);
    rows | (rows | jumps).left() | (rows | jumps).right()
}

#[inline(always)]
const fn piece<S: Side>(kind: PieceKind) -> Piece {
    Piece::new(S::US, kind)
}

/// The promotion zone.
#[inline(always)]
const fn zone<S: Side>() -> Bitboard {
    const { Bitboard::far_ranks(S::US, 3) }
}

/// Where a piece of `kind` may not or would not arrive unpromoted: it could never move again, or
/// (unless all moves are wanted) promoting is always at least as good.
#[inline(always)]
const fn unpromoted_limit<S: Side, G: GenKind>(kind: PieceKind) -> Bitboard {
    let ranks = match kind {
        PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook if !G::ALL => 3,
        PieceKind::Lance if !G::ALL => 2,
        kind => kind.dead_ranks(),
    };
    Bitboard::far_ranks(S::US, ranks)
}
