//! Pieces as evaluation files number them: `BonaPiece`, the lists of a position in both views, and
//! what a move changes in them.
//!
//! A [`BonaPiece`] says what a piece is, whose and where, as one of the players sees it: the perspective's
//! own pieces are "friends" and the board is turned so that they play upward. Three-piece tables and
//! neural networks both begin with these numbers. Nothing here knows any table or network.
//!
//! A list always has [`PieceList::LEN`] entries without the kings. Pieces that are missing from the
//! game (handicaps) are entries [`BonaPiece::NONE`] in both views: evaluation files have weights for
//! it, and these count.

use std::fmt;

use arrayvec::ArrayVec;
use shogi_core::{ByColor, Color, Delta, HandKind, Piece, PieceKind, Position, Square};

/// A piece, its owner and its place as one player sees it: 0 (no piece) to 1709.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct BonaPiece(u16);

/// One piece as black and as white see it, indexed by the perspective.
pub type BothViews = ByColor<BonaPiece>;

/// First number of the friend's and the enemy's pieces in hand, by [`HandKind`] number. The n-th
/// piece of a kind is n - 1 further.
const HAND_BASE: [[u16; 2]; 8] = [
    [0, 0],
    [1, 20],
    [39, 44],
    [49, 54],
    [59, 64],
    [79, 82],
    [85, 88],
    [69, 74],
];

/// First number of the friend's pieces on the board, by [`PieceKind`] number. The enemy's are 81
/// further; both are followed by the squares. Promoted small pieces are golds.
const BOARD_BASE: [u16; 15] = [
    0, 90, 252, 414, 576, 900, 1224, 738, 1548, 738, 738, 738, 738, 1062, 1386,
];

const SQUARES: u16 = Square::COUNT as u16;

impl BonaPiece {
    /// No piece: what stands in a list for a piece that is missing from the game.
    pub const NONE: Self = Self(0);
    /// Numbers below this one are pieces in hand (or no piece).
    pub(crate) const HAND_END: usize = 90;
    /// Numbers below this one are not kings.
    pub const PIECE_END: usize = 1548;
    /// The number of pieces, kings included.
    pub const END: usize = 1710;

    /// The piece with this number; `None` from [`Self::END`] on.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::END {
            Some(Self(index as u16))
        } else {
            None
        }
    }

    /// `piece` on `square`, as `perspective` sees it.
    #[inline]
    pub const fn on_board(piece: Piece, square: Square, perspective: Color) -> Self {
        let enemy = (piece.color() as u8 ^ perspective as u8) as u16;
        let base = BOARD_BASE[piece.kind() as usize] + enemy * SQUARES;
        Self(base + seen_by(perspective, square) as u16)
    }

    /// The `nth` piece (from 1) of `kind` in `owner`'s hand, as `perspective` sees it. `nth` is at most
    /// the number of such pieces in a set.
    #[inline]
    pub const fn in_hand(kind: HandKind, owner: Color, nth: u8, perspective: Color) -> Self {
        debug_assert!(nth >= 1 && nth <= kind.piece_kind().set_count());
        let enemy = (owner as u8 ^ perspective as u8) as usize;
        Self(HAND_BASE[kind as usize][enemy] + nth as u16 - 1)
    }

    /// The number, 0 to 1709.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns whether it is a king.
    #[inline(always)]
    pub(crate) const fn is_king(self) -> bool {
        self.index() >= Self::PIECE_END
    }

    /// The square it stands on in the perspective's orientation; `None` for pieces in hand and for
    /// [`Self::NONE`].
    #[inline]
    pub const fn square(self) -> Option<Square> {
        match self.index().checked_sub(Self::HAND_END) {
            Some(board) => Square::from_index(board % Square::COUNT),
            None => None,
        }
    }

    /// The same piece on the board mirrored left to right. Pieces in hand stay as they are.
    #[inline]
    pub const fn mirror(self) -> Self {
        match self.square() {
            Some(square) => Self(self.0 - square as u16 + square.mirror() as u16),
            None => self,
        }
    }
}

impl fmt::Debug for BonaPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BonaPiece({})", self.0)
    }
}

/// `square` on the board turned so that `perspective` plays upward.
#[inline(always)]
pub const fn seen_by(perspective: Color, square: Square) -> Square {
    match perspective {
        Color::Black => square,
        Color::White => square.rotate(),
    }
}

/// A function of the perspective, for both perspectives.
#[inline(always)]
fn both_views(view: impl Fn(Color) -> BonaPiece) -> BothViews {
    // Written out: this is done for every move of a search.
    ByColor([view(Color::Black), view(Color::White)])
}

/// Calls `visit` with each piece of `position` but the kings: what it is in a perspective's view.
#[inline(always)]
pub(crate) fn for_each_piece(
    position: &Position,
    mut visit: impl FnMut(&dyn Fn(Color) -> BonaPiece),
) {
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square)
            && piece.kind() != PieceKind::King
        {
            visit(&|perspective| BonaPiece::on_board(piece, square, perspective));
        }
    }
    for owner in Color::ALL {
        for (kind, count) in position.hand(owner).iter() {
            for nth in 1..=count {
                visit(&|perspective| BonaPiece::in_hand(kind, owner, nth, perspective));
            }
        }
    }
}

/// All pieces of a position in both views, and where the kings are.
///
/// The entries of the two views stand in the same order; what that order is means nothing.
/// A king that is missing (tsume problems) is taken to stand where it starts the game, on its
/// player's 5i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceList {
    views: ByColor<[BonaPiece; PieceList::LEN]>,
    kings: ByColor<Square>,
}

impl PieceList {
    /// Number of pieces in a set without the kings.
    pub const LEN: usize = 38;

    /// The lists of `position`.
    ///
    /// # Panics
    /// Never: a position has no more pieces than a set.
    pub fn new(position: &Position) -> Self {
        let mut list = Self {
            views: ByColor([[BonaPiece::NONE; Self::LEN]; 2]),
            kings: ByColor(
                Color::ALL.map(|color| position.king(color).unwrap_or(seen_by(color, Square::S5I))),
            ),
        };
        let mut len = 0;
        let add = |piece: &dyn Fn(Color) -> BonaPiece| {
            for perspective in Color::ALL {
                list.views[perspective][len] = piece(perspective);
            }
            len += 1;
        };
        for_each_piece(position, add);
        list
    }

    /// The pieces without the kings as `perspective` sees them.
    #[inline(always)]
    pub const fn view(&self, perspective: Color) -> &[BonaPiece; Self::LEN] {
        &self.views.0[perspective as usize]
    }

    /// The square of `color`'s king on the board as it stands.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.kings[color]
    }

    /// The square of `perspective`'s own king, seen by `perspective`.
    #[inline(always)]
    pub fn own_king(&self, perspective: Color) -> Square {
        seen_by(perspective, self.kings[perspective])
    }

    /// The kings as pieces in `perspective`'s view, its own first.
    #[inline]
    pub fn kings(&self, perspective: Color) -> [BonaPiece; 2] {
        [perspective, perspective.flip()].map(|owner| {
            let king = Piece::new(owner, PieceKind::King);
            BonaPiece::on_board(king, self.kings[owner], perspective)
        })
    }

    /// Brings the lists up to date after a move. `changes` must be those of a move in the position
    /// that the lists are of.
    #[inline]
    pub fn apply(&mut self, changes: &Changes) {
        for change in changes.pieces() {
            self.replace(change.before, change.after);
        }
        if let Some((color, _, to)) = changes.king {
            self.kings[color] = to;
        }
    }

    #[inline]
    fn replace(&mut self, before: BothViews, after: BothViews) {
        // A number stands for one piece, so black's view finds it for both.
        let found = self.views.0[0].iter().position(|&p| p == before.0[0]);
        debug_assert!(found.is_some(), "{before:?} is not in the list");
        if let Some(place) = found {
            for perspective in Color::ALL {
                self.views[perspective][place] = after[perspective];
            }
        }
    }
}

/// A piece that has another number after a move than before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BonaChange {
    /// The number before the move: weights to subtract.
    pub before: BothViews,
    /// The number after the move: weights to add.
    pub after: BothViews,
}

/// The changes of a move in the lists: one piece for another, at most twice.
///
/// A drop is an entry of the hand that goes to the board; a capture takes an entry from the board to
/// the hand. Hands change by one entry, the last of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    all: ArrayVec<BonaChange, 2>,
    king: Option<(Color, Square, Square)>,
}

impl Changes {
    /// The changes that `delta` makes in both views.
    #[inline]
    pub fn new(delta: &Delta) -> Self {
        let mut changes = Self {
            all: ArrayVec::new(),
            king: None,
        };
        let Some((piece, to)) = delta.moved.after else {
            return changes;
        };
        let mover = piece.color();
        let on_board = |(piece, square): (Piece, Square)| {
            both_views(|perspective| BonaPiece::on_board(piece, square, perspective))
        };
        let in_hand = |kind: HandKind, nth: u8| {
            both_views(|perspective| BonaPiece::in_hand(kind, mover, nth, perspective))
        };
        let after = on_board((piece, to));
        match (delta.moved.before, delta.hand) {
            (Some(before), _) => {
                if piece.kind() == PieceKind::King {
                    changes.king = Some((mover, before.1, to));
                }
                changes.all.push(BonaChange {
                    before: on_board(before),
                    after,
                });
            }
            (None, Some((kind, left))) => changes.all.push(BonaChange {
                before: in_hand(kind, left + 1),
                after,
            }),
            (None, None) => {}
        }
        if let (Some(taken), Some((kind, count))) =
            (delta.captured.and_then(|change| change.before), delta.hand)
        {
            changes.all.push(BonaChange {
                before: on_board(taken),
                after: in_hand(kind, count),
            });
        }
        changes
    }

    /// Everything that changed, kings included.
    #[inline]
    pub fn all(&self) -> &[BonaChange] {
        &self.all
    }

    /// The changes without the kings: those of a [`PieceList`].
    #[inline]
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = &BonaChange> {
        self.all
            .iter()
            .filter(|change| !change.after.0[0].is_king())
    }

    /// The owner of the king that moved, if one did.
    #[inline]
    pub(crate) fn king_moved(&self) -> Option<Color> {
        self.king.map(|(color, _, _)| color)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::movegen::Legal;

    fn index(piece: Piece, square: Square, perspective: Color) -> usize {
        BonaPiece::on_board(piece, square, perspective).index()
    }

    #[test]
    fn numbers_are_the_fields() {
        use Color::{Black, White};
        assert_eq!(index(Piece::BlackPawn, Square::S1A, Black), 90);
        assert_eq!(index(Piece::WhitePawn, Square::S1A, Black), 171);
        assert_eq!(index(Piece::WhitePawn, Square::S1A, White), 90 + 80);
        assert_eq!(index(Piece::BlackDragon, Square::S9I, White), 1467);
        assert_eq!(index(Piece::BlackProPawn, Square::S1B, Black), 739);
        assert_eq!(index(Piece::BlackKing, Square::S5I, Black), 1548 + 44);
        assert_eq!(index(Piece::BlackKing, Square::S9I, White), 1629);
        assert_eq!(
            BonaPiece::in_hand(HandKind::Pawn, Black, 18, Black).index(),
            18
        );
        assert_eq!(
            BonaPiece::in_hand(HandKind::Rook, White, 2, Black).index(),
            89
        );
        assert_eq!(
            BonaPiece::in_hand(HandKind::Gold, White, 1, White).index(),
            69
        );
    }

    #[test]
    fn every_piece_has_a_number_of_its_own() {
        let mut seen = vec![false; BonaPiece::END];
        for piece in Piece::ALL {
            if piece.kind().is_promoted()
                && piece.kind().move_class() == shogi_core::MoveClass::Gold
            {
                continue;
            }
            for square in Square::ALL {
                let p = BonaPiece::on_board(piece, square, Color::White);
                assert!(!std::mem::replace(&mut seen[p.index()], true), "{p:?}");
                assert_eq!(p.square(), Some(square.rotate()));
                assert_eq!(p.mirror().square(), Some(square.rotate().mirror()));
                assert_eq!(p.is_king(), piece.kind() == PieceKind::King);
            }
        }
        for kind in HandKind::ALL {
            for owner in Color::ALL {
                for nth in 1..=kind.piece_kind().set_count() {
                    let p = BonaPiece::in_hand(kind, owner, nth, Color::White);
                    assert!(!std::mem::replace(&mut seen[p.index()], true), "{p:?}");
                    assert_eq!((p.square(), p.mirror()), (None, p));
                }
            }
        }
        // The numbers that stay free: no piece, and the nineteenth pawn and so on that hands have room for.
        let free: Vec<_> = (0..BonaPiece::END).filter(|&p| !seen[p]).collect();
        assert_eq!(
            free,
            [0, 19, 38, 43, 48, 53, 58, 63, 68, 73, 78, 81, 84, 87]
        );
    }

    #[test]
    fn the_views_are_each_others_from_the_other_chair() {
        let position = Position::from_sfen(
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        )
        .unwrap();
        let sorted = |list: &PieceList, perspective| {
            let mut view = *list.view(perspective);
            view.sort_unstable();
            (view, list.own_king(perspective), list.kings(perspective))
        };
        let (list, turned) = (PieceList::new(&position), PieceList::new(&position.flip()));
        for perspective in Color::ALL {
            assert_eq!(
                sorted(&list, perspective),
                sorted(&turned, perspective.flip())
            );
        }
    }

    #[test]
    fn missing_pieces_are_entries() {
        let two_pieces_less = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let no_black_king = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
        for (sfen, missing) in [
            (Position::STARTPOS_SFEN, 0),
            (two_pieces_less, 2),
            (no_black_king, 0),
            ("4k4/9/9/9/9/9/9/9/4K4 b - 1", 38),
        ] {
            let list = PieceList::new(&Position::from_sfen(sfen).unwrap());
            for perspective in Color::ALL {
                let none = list
                    .view(perspective)
                    .iter()
                    .filter(|p| p.index() == 0)
                    .count();
                assert_eq!(none, missing, "{sfen}");
                assert_eq!(list.own_king(perspective), Square::S5I);
            }
        }
    }

    #[test]
    fn changes_lead_to_the_lists_of_the_next_position() {
        let sorted = |list: &PieceList| {
            let mut views: Vec<_> = (0..PieceList::LEN)
                .map(|i| Color::ALL.map(|perspective| list.view(perspective)[i]))
                .collect();
            views.sort_unstable();
            (views, list.kings)
        };
        for sfen in [
            Position::STARTPOS_SFEN,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
        ] {
            let mut position = Position::from_sfen(sfen).unwrap();
            let mut list = PieceList::new(&position);
            for ply in 0..300usize {
                let moves = position.moves::<Legal>();
                // All moves are tried, one is played.
                for &mv in &moves {
                    let undo = position.do_move_unchecked(mv);
                    let changes = Changes::new(&Delta::new(&position, mv, &undo));
                    let mut next = list.clone();
                    next.apply(&changes);
                    assert_eq!(sorted(&next), sorted(&PieceList::new(&position)), "{mv:?}");
                    let king = mv.kind_after() == PieceKind::King;
                    assert_eq!(changes.king_moved(), king.then_some(mv.color()));
                    position.undo_move(mv, &undo);
                }
                let Some(&mv) = moves.get((ply * 7919 + 13) % moves.len().max(1)) else {
                    break;
                };
                let undo = position.do_move_unchecked(mv);
                list.apply(&Changes::new(&Delta::new(&position, mv, &undo)));
            }
        }
    }
}
