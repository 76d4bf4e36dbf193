//! Attack detection on a board of bytes.
//!
//! From the square the eight directions are looked along to the first piece each, and at the two
//! squares from which a knight would jump here.

use crate::board::Squares;
use crate::wide::Aligned;
use shogi_core::{Color, Piece, PieceKind, Square};

/// An index of [`Squares`] that is on no board, where nothing ever stands.
pub(crate) const NOWHERE: u8 = 127;

/// The directions as files to the left and ranks down, opposite ones at the same distance from the ends.
const DIRECTIONS: [(i8, i8); 8] = [
    (0, -1),
    (1, 0),
    (1, -1),
    (1, 1),
    (-1, -1),
    (-1, 1),
    (-1, 0),
    (0, 1),
];

/// Eight squares in each direction from each square, the nearest first; [`NOWHERE`] beyond the edge.
pub(crate) static RAYS: Aligned<[[u8; 64]; 81]> = {
    let mut rays = [[NOWHERE; 64]; 81];
    let mut i = 0;
    while i < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut distance = 0;
            let mut current = Square::ALL[i];
            while let Some(next) = current.offset(files, ranks) {
                rays[i][8 * direction + distance] = next as u8;
                distance += 1;
                current = next;
            }
            direction += 1;
        }
        i += 1;
    }
    Aligned(rays)
};

/// The squares from which a knight of each colour attacks each square.
pub(crate) static KNIGHTS: [[[u8; 2]; 81]; 2] = {
    let mut table = [[[NOWHERE; 2]; 81]; 2];
    let mut i = 0;
    while i < 81 {
        let mut side = 0;
        while side < 2 {
            let files = 2 * side as i8 - 1;
            // Black's knights jump up the board.
            if let Some(from) = Square::ALL[i].offset(files, 2) {
                table[0][i][side] = from as u8;
            }
            if let Some(from) = Square::ALL[i].offset(files, -2) {
                table[1][i][side] = from as u8;
            }
            side += 1;
        }
        i += 1;
    }
    table
};

/// The directions, a bit each, in which pieces of one colour attack a square when they are the first to
/// be met: by number of the piece if it is on the neighbouring square, and [`FAR`] more if it is further
/// away.
#[repr(align(64))]
pub(crate) struct Attackers(pub(crate) [u8; 64]);

/// See [`Attackers`].
pub(crate) const FAR: u8 = 32;

/// By colour of the attacker.
pub(crate) static ATTACKERS: [Attackers; 2] = [attackers(Color::Black), attackers(Color::White)];

const fn attackers(color: Color) -> Attackers {
    let mut table = [0; 64];
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        let kind = PieceKind::ALL[i];
        let piece = Piece::new(color, kind) as usize;
        let mut direction = 0;
        while direction < 8 {
            // The piece looks the other way than we do.
            let (files, down) = DIRECTIONS[direction];
            let forward = match color {
                Color::Black => down,
                Color::White => -down,
            };
            if steps(kind, files, forward) || slides(kind, files, forward) {
                table[piece] |= 1 << direction;
            }
            if slides(kind, files, forward) {
                table[piece + FAR as usize] |= 1 << direction;
            }
            direction += 1;
        }
        i += 1;
    }
    Attackers(table)
}

/// Returns true if a piece steps in a direction.
const fn steps(kind: PieceKind, files: i8, forward: i8) -> bool {
    match kind {
        PieceKind::Pawn => files == 0 && forward == 1,
        PieceKind::Silver => forward == 1 || (files != 0 && forward == -1),
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => files == 0 || forward != -1,
        PieceKind::King | PieceKind::Horse | PieceKind::Dragon => true,
        _ => false,
    }
}

/// Returns true if a piece slides in a direction.
const fn slides(kind: PieceKind, files: i8, forward: i8) -> bool {
    match kind {
        PieceKind::Lance => files == 0 && forward == 1,
        PieceKind::Bishop | PieceKind::Horse => files != 0 && forward != 0,
        PieceKind::Rook | PieceKind::Dragon => files == 0 || forward == 0,
        _ => false,
    }
}

/// Pieces on the eight rays from a square: bits of the places in [`RAYS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rays {
    /// Occupied squares.
    pub(crate) occupied: u64,
    /// Pieces of one colour that attack the square if nothing stands before them.
    pub(crate) attackers: u64,
}

impl Rays {
    /// Returns the pieces on the rays from `square` and the attackers of `color` among them.
    pub(crate) fn new(squares: &Squares, color: Color, square: usize) -> Self {
        let attackers = &ATTACKERS[color.index()];
        let mut rays = Self {
            occupied: 0,
            attackers: 0,
        };
        for (place, &at) in RAYS.0[square].iter().enumerate() {
            let piece = usize::from(squares.0[usize::from(at)]);
            let far = if place % 8 == 0 { 0 } else { FAR as usize };
            let attacks = attackers.0[(piece + far) % 64] >> (place / 8) & 1 != 0;
            rays.occupied |= u64::from(piece != 0) << place;
            rays.attackers |= u64::from(attacks) << place;
        }
        rays
    }

    /// The attackers with nothing before them.
    #[inline(always)]
    pub(crate) const fn free_attackers(self) -> u64 {
        self.attackers & nearest(self.occupied)
    }
}

/// A move of a piece that attacks nothing itself.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    /// The square that it leaves, or a number below 128 that is no square.
    pub(crate) from: u8,
    /// The square that it arrives on; [`NOWHERE`] for none.
    pub(crate) to: u8,
}

impl Change {
    /// No change.
    pub(crate) const NONE: Self = Self {
        from: NOWHERE,
        to: NOWHERE,
    };
}

/// The places on [`RAYS`] of the pieces that nothing hides, by what is occupied there.
#[inline(always)]
pub(crate) const fn nearest(occupied: u64) -> u64 {
    // In each direction the lowest bit of eight.
    let below = (occupied | 0x8080808080808080) - 0x0101010101010101;
    occupied & !below
}

/// The places on [`RAYS`] from `to` that no piece hides; right for `from`, if it is one of them.
#[inline]
pub(crate) fn visible(squares: &Squares, from: u8, to: Square) -> u64 {
    let place = usize::from(SEEN[to.index()][usize::from(from % 128)]) % 64;
    let between = &RAYS.0[to.index()][place & !7..place];
    let is_empty = |&at: &u8| squares.0[usize::from(at % 128)] == 0;
    all_if(between.iter().all(is_empty))
}

/// All places or none.
#[inline(always)]
pub(crate) const fn all_if(is_visible: bool) -> u64 {
    (is_visible as u64).wrapping_neg()
}

/// Whether a piece on `from` attacks `to`. `visible` is what [`visible()`] finds.
#[inline(always)]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators are branches, which a processor would guess wrong"
)]
pub(crate) fn reaches(piece: u8, from: u8, to: Square, visible: u64) -> bool {
    let place = SEEN[to.index()][usize::from(from % 128)];
    let places = REACH[usize::from(piece % 32)] & visible;
    let jumps = (piece % 16 == PieceKind::Knight as u8) & (place == JUMP + piece / 16);
    (place < 64) & (places >> (place % 64) & 1 != 0) | jumps
}

/// The places on [`RAYS`] from which each piece attacks if nothing stands before it, by its number.
static REACH: [u64; 32] = {
    let mut reach = [0; 32];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let attackers = &ATTACKERS[piece.color().index()].0;
        let mut place = 0;
        while place < 64 {
            let far = if place % 8 == 0 { 0 } else { FAR as usize };
            let attacks = attackers[piece as usize + far] >> (place / 8) & 1;
            reach[piece as usize] |= (attacks as u64) << place;
            place += 1;
        }
        i += 1;
    }
    reach
};

/// Returns true if a piece of `color` attacks `square` after `change`.
pub(crate) fn is_attacked(squares: &Squares, color: Color, square: usize, change: Change) -> bool {
    let seen = |at: u8| 1_u64.unbounded_shl(SEEN[square][usize::from(at % 128)].into());
    let mut rays = Rays::new(squares, color, square);
    rays.occupied = rays.occupied & !seen(change.from) | seen(change.to);
    rays.attackers &= !seen(change.to);
    rays.free_attackers() != 0 || is_attacked_by_knight(squares, color, square, change)
}

/// Returns true if a knight of `color` attacks `square` after `change`.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "see `reaches`")]
pub(crate) fn is_attacked_by_knight(
    squares: &Squares,
    color: Color,
    square: usize,
    change: Change,
) -> bool {
    let knight = Piece::new(color, PieceKind::Knight) as u8;
    let [a, b] = KNIGHTS[color.index()][square];
    let is_knight = |at: u8| (squares.0[usize::from(at % 128)] == knight) & (at != change.to);
    is_knight(a) | is_knight(b)
}

/// Place of one square as seen from another: its place in [`RAYS`], or one of the numbers below. A
/// square is not seen from itself, and a number that is no square is not seen from any.
pub(crate) static SEEN: [[u8; 128]; 81] = {
    let mut seen = [[UNSEEN; 128]; 81];
    let mut i = 0;
    while i < 81 {
        let mut place = 0;
        while place < 64 {
            if RAYS.0[i][place] != NOWHERE {
                seen[i][RAYS.0[i][place] as usize] = place as u8;
            }
            place += 1;
        }
        let mut side = 0;
        while side < 4 {
            let from = KNIGHTS[side / 2][i][side % 2];
            if from != NOWHERE {
                seen[i][from as usize] = JUMP + (side / 2) as u8;
            }
            side += 1;
        }
        i += 1;
    }
    seen
};

/// [`SEEN`] for a square from which a black knight jumps here; one more for a white knight.
pub(crate) const JUMP: u8 = 64;
/// [`SEEN`] for a square from which no move leads here.
const UNSEEN: u8 = 66;
