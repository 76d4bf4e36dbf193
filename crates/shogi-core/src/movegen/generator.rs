//! The generator: one pass over the pieces, as sets; then the drops.

use std::marker::PhantomData;

use super::danger::attacked_around;
use super::{GenKind, MoveSink, Select};
use crate::attacks::{
    between, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks, line,
    pawn_attacks, rook_attacks, silver_attacks, step_attacks,
};
use crate::color::{BlackSide, Side, WhiteSide};
use crate::{
    Bitboard, CheckSquares, Color, HandKind, MoveClass, Piece, PieceKind, Position, Square,
};

/// State of one generation for side `S` and kind `G`.
pub(super) struct Generator<'a, S, G> {
    position: &'a Position,
    own: Bitboard,
    occupied: Bitboard,
    pinned: Bitboard,
    king: Option<Square>,
    /// The destinations of pieces other than the king without promotion.
    plain: Bitboard,
    /// Their destinations with promotion.
    promote: Bitboard,
    /// The destinations of the king, apart from attacked squares.
    king_targets: Bitboard,
    /// The squares for drops.
    drops: Bitboard,
    /// The squares from which a knight, silver or gold may have a move that is wanted.
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
            generate::<S>(self.position, self.drops, |class| checks.of(class), sink);
        } else {
            generate::<S>(self.position, self.drops, |_| Bitboard::ALL, sink);
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

/// The squares where a piece of `kind` may not or would not arrive unpromoted: it could never move again, or
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

// Drops, and the drop-pawn mate (打ち歩詰め) that is not allowed.

/// All drops on `targets`, which are empty squares; `narrow` gives the squares that are wanted for
/// each way of moving.
#[inline(always)]
pub(super) fn generate<S: Side>(
    position: &Position,
    targets: Bitboard,
    narrow: impl Fn(MoveClass) -> Bitboard,
    sink: &mut impl MoveSink,
) {
    let hand = position.hand(S::US);
    if hand.is_empty() || targets.is_empty() {
        return;
    }
    let dead = const { Bitboard::far_ranks(S::US, PieceKind::Pawn.dead_ranks()) };
    let dead_knight = const { Bitboard::far_ranks(S::US, PieceKind::Knight.dead_ranks()) };
    if hand.has(HandKind::Pawn) {
        let own_files = position.class_of(S::US, MoveClass::Pawn).fill_files();
        let mut set = (targets - dead - own_files) & narrow(MoveClass::Pawn);
        if let Some(king) = position.king(S::THEM) {
            let checking = pawn_attacks(S::THEM, king) & set;
            if checking.any() && is_drop_pawn_mate::<S>(position, king, checking) {
                set = set - checking;
            }
        }
        sink.drops(S::US, HandKind::Pawn, set);
    }
    if !hand.has_except_pawn() {
        return;
    }
    for (kind, dead) in [(HandKind::Lance, dead), (HandKind::Knight, dead_knight)] {
        if hand.has(kind) {
            sink.drops(
                S::US,
                kind,
                (targets - dead) & narrow(kind.piece_kind().move_class()),
            );
        }
    }
    for kind in [
        HandKind::Silver,
        HandKind::Gold,
        HandKind::Bishop,
        HandKind::Rook,
    ] {
        if hand.has(kind) {
            sink.drops(
                S::US,
                kind,
                targets & narrow(kind.piece_kind().move_class()),
            );
        }
    }
}

/// Returns whether a pawn dropped on the one square of `pawn`, in front of the enemy king, would be mate.
#[cold]
pub(super) fn is_drop_pawn_mate<S: Side>(
    position: &Position,
    king: Square,
    pawn: Bitboard,
) -> bool {
    let Some(square) = pawn.first() else {
        return false;
    };
    let occupied = position.occupied() | pawn;
    // Taken by another piece than the king, one that is not pinned off the line of the pawn?
    let pinned = position.slider_blockers_of(S::THEM, king);
    let takers = position.attackers_of(S::THEM, square, occupied) - position.class(MoveClass::King);
    let mut free_taker = false;
    takers.for_each(|from| {
        free_taker |= !pinned.contains(from) || line(king, from).contains(square);
    });
    if free_taker {
        return false;
    }
    // Does the king get away? The pawn itself attacks only the king's square, and may shut a line
    // on which a flight square was attacked, so the attacks are computed with it on the board.
    let flights = king_attacks(king) - position.color(S::THEM);
    let behind_king = occupied - king.into();
    let mut escapes = false;
    flights.for_each(|to| {
        escapes |= position.attackers_of(S::US, to, behind_king).is_empty();
    });
    !escapes
}

impl Position {
    /// Returns whether dropping a pawn on `to` is a drop-pawn mate. The drop must otherwise be pseudo-legal.
    pub(crate) fn drop_pawn_mates(&self, to: Square) -> bool {
        let us = self.side_to_move();
        let Some(king) = self.king(us.flip()) else {
            return false;
        };
        let pawn = pawn_attacks(us.flip(), king) & Bitboard::from_square(to);
        pawn.any()
            && match us {
                Color::Black => is_drop_pawn_mate::<BlackSide>(self, king, pawn),
                Color::White => is_drop_pawn_mate::<WhiteSide>(self, king, pawn),
            }
    }
}
