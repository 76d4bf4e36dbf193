//! Moves that give check and take the last free squares from the king.

use super::Mate;
use super::cover::Block;
use crate::attacks::{
    bishop_attacks, diagonals, forward_ray, lance_attacks, line, orthogonals, rook_attacks,
    step_attacks,
};
use crate::color::Side;
use crate::{Bitboard, Color, HandKind, Move, MoveClass, PieceKind, Square};

/// Near pieces by colour and enemy king square: from where a piece can step so as to give check,
/// promoting or not.
type Near = [[Bitboard; 81]; 2];

static NEAR_GOLDS: Near = near_table(PieceKind::Gold);
static NEAR_SILVERS: Near = near_table(PieceKind::Silver);
static NEAR_KNIGHTS: Near = near_table(PieceKind::Knight);
static NEAR_PAWNS: Near = near_table(PieceKind::Pawn);

const fn near_table(kind: PieceKind) -> Near {
    [near(Color::Black, kind), near(Color::White, kind)]
}

const fn near(us: Color, kind: PieceKind) -> [Bitboard; 81] {
    let class = kind.move_class();
    let mut table = [Bitboard::EMPTY; 81];
    let mut from = 0;
    while from < 81 {
        let origin = Square::ALL[from];
        let mut destinations = step_attacks(us, class, origin);
        while let Some(to) = destinations.pop() {
            let mut kings = step_attacks(us, class, to);
            let zone = origin.is_promotion_zone(us) || to.is_promotion_zone(us);
            if kind.can_promote() && zone {
                kings = kings.or(step_attacks(us, MoveClass::Gold, to));
            }
            while let Some(king) = kings.pop() {
                table[king as usize] = table[king as usize].or(Bitboard::from_square(origin));
            }
        }
        from += 1;
    }
    table
}

/// Ranks on which a piece of `kind` could never move again.
const fn dead(color: Color, kind: PieceKind) -> Bitboard {
    Bitboard::far_ranks(color, kind.dead_ranks())
}

impl<S: Side> Mate<'_, S> {
    /// Squares next to the king, or a knight's jump away, from which `class` checks it.
    #[inline(always)]
    fn check_steps(&self, class: MoveClass) -> Bitboard {
        step_attacks(S::THEM, class, self.king)
    }

    /// Neighbours of the king on which a dropped piece of `class` is guarded, checks, and takes all
    /// free squares.
    #[inline(always)]
    fn close_drops(&self, class: MoveClass) -> Block {
        self.free_block
            .covered_from(S::US, class)
            .and(self.drop_stands)
    }

    /// The same for a piece that moves there from a square on which it opens no line.
    #[inline(always)]
    fn close(&self, class: MoveClass) -> Block {
        self.free_block
            .covered_from(S::US, class)
            .and(self.move_stands)
    }

    #[inline(always)]
    fn squares(&self, block: Block) -> Bitboard {
        block.to_squares(self.king, self.around)
    }

    /// Mates by a drop. A dropped pawn may not mate.
    #[inline(always)]
    pub(super) fn drops(&self) -> Option<Move> {
        let hand = self.position.hand(S::US);
        if !hand.has_except_pawn() {
            return None;
        }
        for kind in [HandKind::Gold, HandKind::Silver] {
            let close = self.close_drops(kind.piece_kind().move_class());
            if hand.has(kind)
                && !close.is_empty()
                && let Some(m) = self.drops_on(kind, self.squares(close))
            {
                return Some(m);
            }
        }
        self.slider_drops().or_else(|| self.knight_drops())
    }

    #[inline(always)]
    fn knight_drops(&self) -> Option<Move> {
        if !self.free_block.is_empty() || !self.position.hand(S::US).has(HandKind::Knight) {
            return None;
        }
        let jumps = self.check_steps(MoveClass::Knight) - self.occupied;
        self.drops_on(HandKind::Knight, jumps - dead(S::US, PieceKind::Knight))
    }

    /// Drops of rook, lance and bishop. Whatever square a lance mates from, a rook does too.
    #[inline(always)]
    fn slider_drops(&self) -> Option<Move> {
        let hand = self.position.hand(S::US);
        let lines = self.free_block.lines();
        if hand.has(HandKind::Rook) {
            let attacks = || rook_attacks(self.king, self.occupied);
            let squares = self.slider_drop_squares(MoveClass::Rook, lines.straight(), attacks);
            if let Some(m) = self.drops_on(HandKind::Rook, squares) {
                return Some(m);
            }
        } else if hand.has(HandKind::Lance) {
            let attacks = || lance_attacks(S::THEM, self.king, self.occupied);
            let squares = self.slider_drop_squares(MoveClass::Lance, lines.straight(), attacks);
            let squares = squares - dead(S::US, PieceKind::Lance);
            if let Some(m) = self.drops_on(HandKind::Lance, squares) {
                return Some(m);
            }
        }
        if hand.has(HandKind::Bishop) {
            let attacks = || bishop_attacks(self.king, self.occupied);
            let squares = self.slider_drop_squares(MoveClass::Bishop, lines.diagonal(), attacks);
            return self.drops_on(HandKind::Bishop, squares);
        }
        None
    }

    /// The squares to drop a slider on: next to the king, and further away if `lines_suffice` and the check
    /// cannot simply be answered by a drop in between.
    #[inline(always)]
    fn slider_drop_squares(
        &self,
        class: MoveClass,
        lines_suffice: bool,
        attacks: impl Fn() -> Bitboard,
    ) -> Bitboard {
        let mut squares = self.squares(self.close_drops(class));
        if lines_suffice && !self.blocks_anywhere() {
            squares |= attacks() - self.around;
        }
        squares - self.occupied
    }

    #[inline(always)]
    fn drops_on(&self, kind: HandKind, squares: Bitboard) -> Option<Move> {
        if squares.is_empty() {
            None
        } else {
            self.try_drops(kind, squares)
        }
    }

    #[inline(never)]
    fn try_drops(&self, kind: HandKind, mut squares: Bitboard) -> Option<Move> {
        let class = kind.piece_kind().move_class();
        while let Some(to) = squares.pop() {
            let m = Move::drop(S::US, kind, to);
            if self.drop_mates(m, class) {
                return Some(m);
            }
        }
        None
    }

    /// Direct checks by gold-like pieces, silvers, knights and pawns on the board.
    #[inline(always)]
    pub(super) fn steppers(&self) -> Option<Move> {
        let pieces = |class: MoveClass, near: &Near, possible: bool| {
            let near = near[S::US as usize][self.king as usize];
            let pieces = self.position.class(class) & self.own & near;
            // The others can mate only by opening a line as they go.
            if possible {
                pieces
            } else {
                pieces & self.guards.slides
            }
        };
        let gold = !self.close(MoveClass::Gold).is_empty();
        let silver = gold || !self.close(MoveClass::Silver).is_empty();
        let pawn = gold || !self.close(MoveClass::Pawn).is_empty();
        let knight = gold || self.free_block.is_empty();
        self.step_with(PieceKind::Gold, pieces(MoveClass::Gold, &NEAR_GOLDS, gold))
            .or_else(|| {
                let silvers = pieces(MoveClass::Silver, &NEAR_SILVERS, silver);
                self.step_with(PieceKind::Silver, silvers)
            })
            .or_else(|| {
                let knights = pieces(MoveClass::Knight, &NEAR_KNIGHTS, knight);
                self.step_with(PieceKind::Knight, knights)
            })
            .or_else(|| self.step_with(PieceKind::Pawn, pieces(MoveClass::Pawn, &NEAR_PAWNS, pawn)))
    }

    #[inline(always)]
    fn step_with(&self, kind: PieceKind, pieces: Bitboard) -> Option<Move> {
        if pieces.is_empty() {
            None
        } else {
            self.try_steps(kind, pieces)
        }
    }

    #[inline(never)]
    fn try_steps(&self, kind: PieceKind, mut pieces: Bitboard) -> Option<Move> {
        let class = kind.move_class();
        while let Some(from) = pieces.pop() {
            let destinations = self.destinations(from, step_attacks(S::US, class, from));
            if kind.can_promote() {
                let promoting = Self::promoting(from, destinations);
                let golds = self.worth_trying(from, MoveClass::Gold, promoting);
                if let Some(m) = self.board_moves(from, MoveClass::Gold, golds, true) {
                    return Some(m);
                }
                if kind == PieceKind::Pawn && promoting == destinations {
                    continue;
                }
            }
            let plain = self.worth_trying(from, class, destinations) - dead(S::US, kind);
            if let Some(m) = self.board_moves(from, class, plain, false) {
                return Some(m);
            }
        }
        None
    }

    /// The squares among `destinations` on which a stepping piece from `from`, arriving as `class`,
    /// checks and may take all free squares.
    #[inline(always)]
    fn worth_trying(&self, from: Square, class: MoveClass, destinations: Bitboard) -> Bitboard {
        if self.opens_a_line(from) || class == MoveClass::Knight && self.free_block.is_empty() {
            destinations & self.check_steps(class)
        } else {
            destinations & self.squares(self.close(class))
        }
    }

    /// Returns whether leaving `from` may open a line of an own slider onto a free square; then taking them
    /// all from the new square is no necessary condition.
    #[inline(always)]
    fn opens_a_line(&self, from: Square) -> bool {
        self.guards.slides.contains(from)
    }

    /// Direct checks by sliders on the board.
    #[inline(always)]
    pub(super) fn sliders(&self) -> Option<Move> {
        let class = |class: MoveClass| self.position.class(class) & self.own;
        let lines = self.free_block.lines();
        let only_openers = |pieces: Bitboard, possible: bool| {
            if possible {
                pieces
            } else {
                pieces & self.guards.slides
            }
        };
        let diagonal = only_openers(
            class(MoveClass::Bishop) | class(MoveClass::Horse),
            lines.diagonal() || !self.close(MoveClass::Horse).is_empty(),
        );
        let straight = only_openers(
            class(MoveClass::Rook) | class(MoveClass::Dragon),
            lines.dragon() || !self.close(MoveClass::Dragon).is_empty(),
        );
        let lances = only_openers(
            class(MoveClass::Lance) & forward_block(S::THEM, self.king),
            lines.straight()
                || !self.close(MoveClass::Gold).is_empty()
                || !self.close(MoveClass::Lance).is_empty(),
        );
        if (diagonal | straight | lances).is_empty() {
            return None;
        }
        self.try_sliders(diagonal, straight, lances)
    }

    #[inline(never)]
    fn try_sliders(
        &self,
        diagonal: Bitboard,
        straight: Bitboard,
        lances: Bitboard,
    ) -> Option<Move> {
        let mut diagonal = diagonal.into_iter();
        let mut straight = straight.into_iter();
        let mut lances = lances.into_iter();
        diagonal
            .find_map(|from| self.diagonal_slider(from))
            .or_else(|| straight.find_map(|from| self.straight_slider(from)))
            .or_else(|| lances.find_map(|from| self.lance(from)))
    }

    fn lance(&self, from: Square) -> Option<Move> {
        let reach = lance_attacks(S::US, from, self.occupied);
        let destinations = self.destinations(from, reach);
        let promoting = Self::promoting(from, destinations);
        let golds = self.worth_trying(from, MoveClass::Gold, promoting);
        self.board_moves(from, MoveClass::Gold, golds, true)
            .or_else(|| {
                // A lance on the king's file that does not check yet does so by taking the one piece in
                // between.
                let ahead = destinations - dead(S::US, PieceKind::Lance);
                let checks = ahead & lance_attacks(S::THEM, self.king, self.occupied);
                self.board_moves(from, MoveClass::Lance, checks, false)
            })
    }

    fn diagonal_slider(&self, from: Square) -> Option<Move> {
        let classes = [MoveClass::Bishop, MoveClass::Horse];
        let suffice = self.free_block.lines().diagonal();
        self.big_slider(from, classes, suffice, diagonals, bishop_attacks)
    }

    fn straight_slider(&self, from: Square) -> Option<Move> {
        let classes = [MoveClass::Rook, MoveClass::Dragon];
        let suffice = self.free_block.lines().dragon();
        self.big_slider(from, classes, suffice, orthogonals, rook_attacks)
    }

    /// The piece on `from`, one of `classes` (unpromoted, promoted), which slides as `slides` says, on an
    /// empty board along `lines`. `suffice`: a check from afar may take all free squares.
    #[inline(always)]
    fn big_slider(
        &self,
        from: Square,
        [unpromoted, promoted]: [MoveClass; 2],
        suffice: bool,
        lines: impl Fn(Square) -> Bitboard,
        slides: impl Fn(Square, Bitboard) -> Bitboard,
    ) -> Option<Move> {
        let mut reach = slides(from, self.occupied);
        let is_promoted = self.position.class(promoted).contains(from);
        if is_promoted {
            reach |= step_attacks(S::US, promoted, from);
        }
        let mut targets = reach & (self.around | lines(self.king));
        if targets.is_empty() {
            return None;
        }
        // The slider itself may stand between its destination and the king.
        let checked = || slides(self.king, self.occupied - from.into());
        targets = self.destinations(from, targets);
        targets = self.slider_targets(from, promoted, suffice, targets, checked);
        if is_promoted {
            return self.board_moves(from, promoted, targets, false);
        }
        // One that can promote does: it then attacks more.
        let promoting = Self::promoting(from, targets);
        self.board_moves(from, promoted, promoting, true)
            .or_else(|| {
                let plain = targets - promoting;
                if plain.is_empty() {
                    return None;
                }
                // Unpromoted it does not check from all the squares from which it does promoted.
                self.board_moves(from, unpromoted, plain & checked(), false)
            })
    }

    /// Returns the squares of `targets` on which a slider of the (promoted) `class` from `from` checks and
    /// may take all free squares: next to the king, and on `checked` squares further away if a check from
    /// there can suffice and cannot simply be answered by a drop in between.
    #[inline(always)]
    fn slider_targets(
        &self,
        from: Square,
        class: MoveClass,
        suffice: bool,
        targets: Bitboard,
        checked: impl Fn() -> Bitboard,
    ) -> Bitboard {
        let opens = self.opens_a_line(from);
        let close = if opens {
            self.around
        } else {
            self.squares(self.close(class))
        };
        let far = targets - self.around;
        if far.any() && (suffice || opens) && !self.blocks_anywhere() {
            targets & close | far & checked()
        } else {
            targets & close
        }
    }

    /// The squares that the piece on `from`, which attacks `reach`, may go to: not onto own pieces, and along the
    /// line to its own king when it is pinned.
    #[inline(always)]
    fn destinations(&self, from: Square, reach: Bitboard) -> Bitboard {
        let free = reach - self.own;
        match self.position.king(S::US) {
            Some(king) if self.position.pinned().contains(from) => free & line(king, from),
            _ => free,
        }
    }

    /// The destinations on which the piece from `from` may promote.
    #[inline(always)]
    fn promoting(from: Square, destinations: Bitboard) -> Bitboard {
        if from.is_promotion_zone(S::US) {
            destinations
        } else {
            destinations & const { Bitboard::far_ranks(S::US, 3) }
        }
    }

    /// The first of `squares` on which the piece from `from`, arriving as `class`, mates.
    #[inline(always)]
    fn board_moves(
        &self,
        from: Square,
        class: MoveClass,
        squares: Bitboard,
        promote: bool,
    ) -> Option<Move> {
        if squares.is_empty() {
            None
        } else {
            self.try_board_moves(from, class, squares, promote)
        }
    }

    fn try_board_moves(
        &self,
        from: Square,
        class: MoveClass,
        mut squares: Bitboard,
        promote: bool,
    ) -> Option<Move> {
        let piece = self.position.piece_on(from)?;
        while let Some(to) = squares.pop() {
            let m = if promote {
                Move::promoting(from, to, piece)?
            } else {
                Move::normal(from, to, piece)
            };
            if self.move_mates(m, from, class) {
                return Some(m);
            }
        }
        None
    }
}

/// The squares from which a lance attacks a neighbour of a king of `color` or the king: the king's file
/// and the two beside it, in front of the king or beside it.
#[inline(always)]
fn forward_block(color: Color, king: Square) -> Bitboard {
    let file = forward_ray(color, king) | Bitboard::from_square(king);
    file | file.left() | file.right()
}
