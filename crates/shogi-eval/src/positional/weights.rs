//! Every number of the positional evaluation, and the piece tables by king square that are made of them.
//!
//! All are in the internal unit (a pawn is worth 90), seen from the side that owns the piece. They
//! are our own: set by shogi judgement and kept when games of the search against itself said so.
//! Distances are king steps (the larger of the file and the rank difference), ranks are counted from
//! the owner's far edge: 0 is the last rank, 8 the back rank.

use std::sync::OnceLock;

use shogi_core::{Color, Delta, HandKind, Piece, PieceKind, Position, Square};

use super::weights;
use crate::seen_by;

/// Being on move.
pub(super) const TEMPO: i32 = 22;

/// Worth of an own piece by its distance (0 to 8) from the own king, beyond its material value:
/// generals shelter the king, a horse nearby is worth several of them, a rook next to the king gets
/// in its way.
pub(super) const fn guard(kind: PieceKind, distance: usize) -> i16 {
    let table: [i16; 9] = match kind {
        PieceKind::Gold => [0, 34, 26, 12, 0, -6, -10, -12, -14],
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            [0, 22, 16, 6, 0, 0, 0, 0, 0]
        }
        PieceKind::Silver => [0, 26, 20, 10, 2, 0, -2, -4, -6],
        PieceKind::Knight => [0, 6, 8, 4, 0, 0, 0, 0, 0],
        PieceKind::Lance => [0, 8, 6, 2, 0, 0, 0, 0, 0],
        PieceKind::Pawn => [0, 12, 8, 2, 0, 0, 0, 0, 0],
        PieceKind::Horse => [0, 40, 34, 26, 16, 8, 4, 0, 0],
        PieceKind::Dragon => [0, 16, 12, 8, 4, 0, 0, 0, 0],
        PieceKind::Rook => [0, -34, -22, -8, 0, 4, 6, 6, 6],
        PieceKind::Bishop => [0, 4, 6, 4, 0, 0, 0, 0, 0],
        PieceKind::King => [0; 9],
    };
    table[distance]
}

/// Worth of a piece by its distance (0 to 8) from the *enemy* king: what is near can join an attack.
pub(super) const fn attack(kind: PieceKind, distance: usize) -> i16 {
    let table: [i16; 9] = match kind {
        PieceKind::Gold => [0, 46, 40, 24, 12, 4, 0, 0, 0],
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            [0, 56, 48, 34, 20, 8, -4, -14, -20]
        }
        PieceKind::Silver => [0, 42, 38, 26, 14, 6, 0, 0, 0],
        PieceKind::Knight => [0, 12, 30, 26, 12, 4, 0, 0, 0],
        PieceKind::Lance => [0, 14, 12, 10, 6, 4, 2, 0, 0],
        PieceKind::Pawn => [0, 22, 18, 8, 2, 0, 0, 0, 0],
        PieceKind::Horse => [0, 60, 52, 42, 32, 24, 16, 10, 6],
        PieceKind::Dragon => [0, 80, 72, 56, 46, 38, 32, 26, 22],
        PieceKind::Rook => [0, 34, 30, 24, 18, 14, 10, 8, 6],
        PieceKind::Bishop => [0, 28, 26, 22, 16, 12, 10, 8, 6],
        PieceKind::King => [0; 9],
    };
    table[distance]
}

/// The percentage of [`attack`] that counts, by how many ranks the piece stands *behind* the enemy
/// king as its owner sees it (0 when level or in front): attackers work best from the front.
pub(super) const ATTACK_FROM_BEHIND: [i16; 9] = [100, 80, 60, 50, 40, 30, 30, 30, 30];

/// Worth of a piece by its rank (0 = far edge).
pub(super) const fn rank_bonus(kind: PieceKind, rank: usize) -> i16 {
    let table: [i16; 9] = match kind {
        PieceKind::Pawn => [0, 26, 22, 18, 12, 6, 0, 0, 0],
        PieceKind::Lance => [0, 0, -4, -8, -8, -6, -4, 0, 2],
        PieceKind::Knight => [0, 0, 14, -6, -12, -6, 6, -4, 0],
        PieceKind::Silver => [4, 6, 10, 12, 14, 12, 8, 2, -8],
        PieceKind::Gold => [-10, 0, 6, 0, -4, -4, 2, 8, 0],
        PieceKind::Bishop => [0, 0, 0, 4, 6, 4, 2, 0, -4],
        PieceKind::Rook => [10, 14, 14, 2, 6, 4, -4, 2, 0],
        PieceKind::Horse => [0, 4, 4, 8, 10, 10, 10, 6, 0],
        PieceKind::Dragon => [14, 16, 14, 8, 4, 0, 0, 0, 0],
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            [-6, 4, 8, 6, 4, 0, -4, -8, -12]
        }
        PieceKind::King => [10, 10, 0, -40, -90, -110, -80, -8, 12],
    };
    table[rank]
}

/// Worth of a piece by its distance from the centre file (0 to 4).
pub(super) const fn file_bonus(kind: PieceKind, from_centre: usize) -> i16 {
    let table: [i16; 5] = match kind {
        PieceKind::Silver => [6, 6, 4, 0, -12],
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => [6, 6, 2, 0, -12],
        PieceKind::Knight => [2, 2, 2, 0, -8],
        PieceKind::Pawn => [2, 2, 2, 0, -4],
        PieceKind::King => [-30, -14, 10, 30, 8],
        _ => [0; 5],
    };
    table[from_centre]
}

/// Worth of the first, second, … piece of a kind in hand beyond its material value: it can go
/// anywhere, the first pawn most of all.
pub(super) const fn hand_bonus(kind: HandKind, nth: usize) -> i16 {
    match (kind, nth) {
        (HandKind::Pawn, 1) => 26,
        (HandKind::Pawn, 2) => 10,
        (HandKind::Pawn, 3) => 4,
        (HandKind::Pawn, _) => -4,
        (HandKind::Lance, 1) => 16,
        (HandKind::Lance, _) => 0,
        (HandKind::Knight, 1) => 22,
        (HandKind::Knight, _) => 2,
        (HandKind::Gold, 1) => 48,
        (HandKind::Gold, _) => 34,
        (HandKind::Bishop, _) => 38,
        (HandKind::Silver, 1) | (HandKind::Rook, _) => 40,
        (HandKind::Silver, _) => 27,
    }
}

/// Every square that an own piece attacks.
pub(super) const CONTROL: i32 = 2;
/// Every square of the enemy camp that an own piece attacks, on top of [`CONTROL`].
pub(super) const CONTROL_IN_CAMP: i32 = 3;
/// Every square a bishop or horse reaches.
pub(super) const DIAGONAL_MOBILITY: i32 = 4;
/// Every square a rook or dragon reaches.
pub(super) const STRAIGHT_MOBILITY: i32 = 3;

/// An own piece other than pawn and king that is attacked and not defended.
pub(super) const HANGING: i32 = 42;
/// An own pawn that is attacked and not defended.
pub(super) const HANGING_PAWN: i32 = 10;
/// An own piece other than pawn and king that an enemy pawn attacks.
pub(super) const HIT_BY_PAWN: i32 = 34;

/// Danger points of a king: each square next to it (or its own) that the enemy attacks,
pub(super) const RING_ATTACKED: i32 = 3;
/// … and attacks at least twice while it is not defended twice,
pub(super) const RING_OUTNUMBERED: i32 = 3;
/// … and that only the king defends,
pub(super) const RING_WEAK: i32 = 5;
/// each square two steps away that the enemy attacks,
pub(super) const ZONE_ATTACKED: i32 = 1;
/// and each square the king cannot flee to, of the eight.
pub(super) const RING_CLOSED: i32 = 1;
/// Danger points count the more, the more the enemy has in hand: in 16ths, by kind.
pub(super) const fn hand_force(kind: HandKind) -> i32 {
    match kind {
        HandKind::Pawn => 1,
        HandKind::Lance | HandKind::Knight => 3,
        HandKind::Silver | HandKind::Bishop => 6,
        HandKind::Gold | HandKind::Rook => 8,
    }
}
/// At most so many pieces of a kind in hand count.
pub(super) const HAND_FORCE_COUNT: u8 = 2;
/// Weight of danger with nothing in the enemy's hand, in 16ths.
pub(super) const FORCE_BASE: i32 = 14;
/// Danger (points times force) squared and divided by this is the penalty, …
pub(super) const DANGER_DIVISOR: i32 = 14;
/// … up to this.
pub(super) const DANGER_MAX: i32 = 900;

// Pieces as one king sees them: a table by king square, piece and square, filled from the formulas
// of [`super::weights`] and summed incrementally.
//
// The table is made for black's king. White's sum is taken from the same table on the board turned
// by 180 degrees, so the evaluation is symmetric by construction.

/// King squares, and one more for "no king".
const KINGS: usize = Square::COUNT + 1;
const NO_KING: usize = Square::COUNT;
const PIECES: usize = 32;

/// The filled table; 820 KB.
pub(super) struct KingPieceTable {
    board: Box<[i16]>,
    /// Material and bonus of `count` pieces of a kind in hand, by kind and count.
    hand: [[i32; 19]; 8],
}

impl KingPieceTable {
    /// The table, filled on first use.
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<KingPieceTable> = OnceLock::new();
        TABLE.get_or_init(Self::fill)
    }

    fn fill() -> Self {
        let mut board = vec![0; KINGS * PIECES * Square::COUNT].into_boxed_slice();
        for king in Square::ALL.into_iter().map(Some).chain([None]) {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    let index = Self::index(king.map_or(NO_KING, Square::index), piece, square);
                    board[index] = match piece.color() {
                        Color::Black => own_piece(king, piece.kind(), square),
                        Color::White => -enemy_piece(king, piece.kind(), square),
                    };
                }
            }
        }
        let mut hand = [[0; 19]; 8];
        for kind in HandKind::ALL {
            for count in 1..19 {
                hand[kind as usize][count] = hand[kind as usize][count - 1]
                    + kind.piece_kind().exchange_value()
                    + i32::from(weights::hand_bonus(kind, count));
            }
        }
        Self { board, hand }
    }

    #[inline]
    fn index(king: usize, piece: Piece, square: Square) -> usize {
        (king * PIECES + piece.index()) * Square::COUNT + square.index()
    }

    #[inline]
    fn at(&self, king: usize, piece: Piece, square: Square) -> i32 {
        i32::from(self.board[Self::index(king, piece, square)])
    }
}

fn distance(a: Square, b: Square) -> usize {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    files.max(ranks)
}

/// The value of black's own piece on `square` with its king on `king`.
fn own_piece(king: Option<Square>, kind: PieceKind, square: Square) -> i16 {
    let from_centre = square.file().index().abs_diff(4);
    let mut value = kind.exchange_value() as i16
        + weights::rank_bonus(kind, square.rank().index())
        + weights::file_bonus(kind, from_centre);
    if let Some(king) = king {
        value += weights::guard(kind, distance(king, square));
    }
    value
}

/// The threat of white's piece on `square` to black's king on `king`.
fn enemy_piece(king: Option<Square>, kind: PieceKind, square: Square) -> i16 {
    let Some(king) = king else { return 0 };
    // White comes from above: what is below the king is behind it.
    let behind = square.rank().index().saturating_sub(king.rank().index());
    weights::attack(kind, distance(king, square)) * weights::ATTACK_FROM_BEHIND[behind] / 100
}

/// Both sides' sums for one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KingPieceSums {
    /// For each colour, the board as its king sees it.
    board: [i32; 2],
    /// For each colour, its hand.
    hand: [i32; 2],
    /// King squares in the table's orientation.
    kings: [usize; 2],
}

/// `piece` as `color` sees it: black's when it is its own.
#[inline]
fn seen_piece(color: Color, piece: Piece) -> Piece {
    match color {
        Color::Black => piece,
        Color::White => piece.flip_color(),
    }
}

impl KingPieceSums {
    /// The sums of a position without pieces; to be replaced.
    pub(super) const EMPTY: Self = Self {
        board: [0; 2],
        hand: [0; 2],
        kings: [NO_KING; 2],
    };

    /// The sums of `position`, from scratch.
    pub(super) fn new(position: &Position) -> Self {
        let table = KingPieceTable::get();
        let mut sums = Self::EMPTY;
        for color in Color::ALL {
            let side = color.index();
            sums.kings[side] = position
                .king(color)
                .map_or(NO_KING, |king| seen_by(color, king).index());
            sums.board[side] = board_sum(table, position, color, sums.kings[side]);
            sums.hand[side] = HandKind::ALL
                .into_iter()
                .map(|kind| {
                    table.hand[kind as usize][usize::from(position.hand(color).count(kind))]
                })
                .sum();
        }
        sums
    }

    /// Black's view of the whole.
    #[inline]
    pub(super) fn total(&self) -> i32 {
        self.board[0] + self.hand[0] - self.board[1] - self.hand[1]
    }

    /// The sums after a move that changed `delta`. `None` when a king moved: the mover's board has
    /// to be summed from scratch, which needs the position.
    #[inline]
    pub(super) fn after(&self, delta: &Delta) -> Option<Self> {
        let table = KingPieceTable::get();
        let mut sums = *self;
        let (mover_piece, _) = delta.moved.after?;
        if mover_piece.kind() == PieceKind::King {
            return None;
        }
        let mover = mover_piece.color();
        for change in [Some(delta.moved), delta.captured].into_iter().flatten() {
            for color in Color::ALL {
                let side = color.index();
                let value = |(piece, square): (Piece, Square)| {
                    table.at(
                        sums.kings[side],
                        seen_piece(color, piece),
                        seen_by(color, square),
                    )
                };
                let change = change.after.map_or(0, value) - change.before.map_or(0, value);
                sums.board[side] += change;
            }
        }
        if let Some((kind, count)) = delta.hand {
            let row = &table.hand[kind as usize];
            let count = usize::from(count);
            let was = if delta.captured.is_some() {
                count - 1
            } else {
                count + 1
            };
            sums.hand[mover.index()] += row[count] - row[was];
        }
        Some(sums)
    }
}

fn board_sum(table: &KingPieceTable, position: &Position, color: Color, king: usize) -> i32 {
    let mut sum = 0;
    position.occupied().for_each(|square| {
        if let Some(piece) = position.piece_on(square) {
            sum += table.at(king, seen_piece(color, piece), seen_by(color, square));
        }
    });
    sum
}
