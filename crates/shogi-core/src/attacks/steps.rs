//! Step attacks from tables.

use crate::{Bitboard, Color, MoveClass, Square};

type StepTable = [[Bitboard; 81]; 2];

/// Steps as (files to the left, ranks up for black).
const PAWN: &[(i8, i8)] = &[(0, 1)];
const KNIGHT: &[(i8, i8)] = &[(1, 2), (-1, 2)];
const SILVER: &[(i8, i8)] = &[(0, 1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
const GOLD: &[(i8, i8)] = &[(0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1)];
const ORTHOGONAL: &[(i8, i8)] = &[(0, 1), (1, 0), (-1, 0), (0, -1)];
const DIAGONAL: &[(i8, i8)] = &[(1, 1), (-1, 1), (1, -1), (-1, -1)];

const fn step_table(steps: &[(i8, i8)]) -> StepTable {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut square = 0;
    while square < 81 {
        let mut i = 0;
        while i < steps.len() {
            let (left, up) = steps[i];
            if let Some(to) = Square::ALL[square].offset(left, -up) {
                table[0][square] = table[0][square].or(Bitboard::from_square(to));
            }
            if let Some(to) = Square::ALL[square].offset(left, up) {
                table[1][square] = table[1][square].or(Bitboard::from_square(to));
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const fn union(a: &StepTable, b: &StepTable) -> StepTable {
    let mut table = *a;
    let mut square = 0;
    while square < 81 {
        table[0][square] = table[0][square].or(b[0][square]);
        table[1][square] = table[1][square].or(b[1][square]);
        square += 1;
    }
    table
}

const ORTHOGONALS: StepTable = step_table(ORTHOGONAL);
const DIAGONALS: StepTable = step_table(DIAGONAL);

/// Step part of every class, indexed by class, colour and square. The step part of bishop, rook and
/// lance is empty; the horse's and the dragon's is the king-like part that the slider has not.
static STEPS: [StepTable; MoveClass::COUNT] = {
    let mut table = [[[Bitboard::EMPTY; 81]; 2]; MoveClass::COUNT];
    table[MoveClass::Pawn as usize] = step_table(PAWN);
    table[MoveClass::Knight as usize] = step_table(KNIGHT);
    table[MoveClass::Silver as usize] = step_table(SILVER);
    table[MoveClass::Gold as usize] = step_table(GOLD);
    table[MoveClass::King as usize] = union(&ORTHOGONALS, &DIAGONALS);
    table[MoveClass::Horse as usize] = ORTHOGONALS;
    table[MoveClass::Dragon as usize] = DIAGONALS;
    table
};

/// The squares next to `square` or a knight's jump away that a piece moving like `class` attacks
/// whatever stands between. Empty for bishop, rook and lance; for horse and dragon only the steps
/// that bishop and rook lack.
#[inline(always)]
pub const fn step_attacks(color: Color, class: MoveClass, square: Square) -> Bitboard {
    STEPS[class as usize][color as usize][square as usize]
}

/// The square in front of a pawn, if there is one.
#[inline(always)]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Pawn, square)
}

/// The knight's two jumps.
#[inline(always)]
pub fn knight_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Knight, square)
}

/// The silver's five steps.
#[inline(always)]
pub fn silver_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Silver, square)
}

/// The six steps of gold, promoted pawn, lance, knight and silver.
#[inline(always)]
pub fn gold_attacks(color: Color, square: Square) -> Bitboard {
    step_attacks(color, MoveClass::Gold, square)
}

/// The king's eight steps.
#[inline(always)]
pub fn king_attacks(square: Square) -> Bitboard {
    step_attacks(Color::Black, MoveClass::King, square)
}
