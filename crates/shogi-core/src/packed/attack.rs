//! Whether a square is attacked on a board of bytes.
//!
//! From the square the eight directions are looked along to the first piece each, and at the two
//! squares from which a knight would jump here.

use super::board::Squares;
use crate::{Color, Piece, PieceKind, Square};

/// An index of [`Squares`] that is on no board, where nothing ever stands.
pub(super) const NOWHERE: u8 = 127;

/// The directions as files to the left and ranks down.
const DIRECTIONS: [(i8, i8); 8] = [
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, 0),
    (1, -1),
    (1, 1),
    (-1, -1),
    (-1, 1),
];

/// Eight squares in each direction from each square, the nearest first; [`NOWHERE`] beyond the edge.
pub(super) static RAYS: [[u8; 64]; 81] = {
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
    rays
};

/// The squares from which a knight of each colour attacks each square.
pub(super) static KNIGHTS: [[[u8; 2]; 81]; 2] = {
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
/// be met; by number of the piece. Padded to what one instruction looks up.
pub(super) struct Attackers {
    /// On the neighbouring square.
    pub(super) near: [u8; 64],
    /// Further away.
    pub(super) far: [u8; 64],
}

/// By colour of the attacker.
pub(super) static ATTACKERS: [Attackers; 2] = [attackers(Color::Black), attackers(Color::White)];

const fn attackers(color: Color) -> Attackers {
    let mut table = Attackers {
        near: [0; 64],
        far: [0; 64],
    };
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
                table.near[piece] |= 1 << direction;
            }
            if slides(kind, files, forward) {
                table.far[piece] |= 1 << direction;
            }
            direction += 1;
        }
        i += 1;
    }
    table
}

/// Whether a piece steps in a direction.
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

/// Whether a piece slides in a direction.
const fn slides(kind: PieceKind, files: i8, forward: i8) -> bool {
    match kind {
        PieceKind::Lance => files == 0 && forward == 1,
        PieceKind::Bishop | PieceKind::Horse => files != 0 && forward != 0,
        PieceKind::Rook | PieceKind::Dragon => files == 0 || forward == 0,
        _ => false,
    }
}

/// A move of a piece that cannot attack the square itself.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// The square that it leaves; [`NOWHERE`] for none.
    pub(super) from: u8,
    /// The square that it arrives on; [`NOWHERE`] for none.
    pub(super) to: u8,
}

impl Change {
    /// No change.
    pub(super) const NONE: Self = Self {
        from: NOWHERE,
        to: NOWHERE,
    };
}

/// The pieces of `color` that attack `square` after `change` from one of the eight directions, as bits
/// of the places in [`RAYS`].
pub(super) fn attackers_on_rays(
    squares: &Squares,
    color: Color,
    square: Square,
    change: Change,
) -> u64 {
    let attackers = &ATTACKERS[color.index()];
    let (rays, _) = RAYS[square.index()].as_chunks::<8>();
    let mut found = 0;
    for (direction, ray) in rays.iter().enumerate() {
        for (distance, &at) in ray.iter().enumerate() {
            if at == change.to || at == NOWHERE {
                break;
            }
            let piece = squares.0[usize::from(at)];
            if piece == 0 || at == change.from {
                continue;
            }
            let set = if distance == 0 {
                &attackers.near
            } else {
                &attackers.far
            };
            let attacks = u64::from(set[usize::from(piece)] >> direction & 1);
            found |= attacks << (8 * direction + distance);
            break;
        }
    }
    found
}

/// Whether a knight of `color` attacks `square` after `change`.
#[inline(always)]
pub(super) fn is_attacked_by_knight(
    squares: &Squares,
    color: Color,
    square: Square,
    change: Change,
) -> bool {
    let knight = Piece::new(color, PieceKind::Knight) as u8;
    let [a, b] = KNIGHTS[color.index()][square.index()];
    let is_knight = |at: u8| squares.0[usize::from(at)] == knight && at != change.to;
    is_knight(a) || is_knight(b)
}

/// How one square is seen from another: its place in [`RAYS`], or one of the numbers below.
pub(super) static SEEN: [[u8; 81]; 81] = {
    let mut seen = [[UNSEEN; 81]; 81];
    let mut i = 0;
    while i < 81 {
        let mut place = 0;
        while place < 64 {
            if RAYS[i][place] != NOWHERE {
                seen[i][RAYS[i][place] as usize] = place as u8;
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
pub(super) const JUMP: u8 = 64;
/// [`SEEN`] for a square from which no move leads here.
const UNSEEN: u8 = 66;
