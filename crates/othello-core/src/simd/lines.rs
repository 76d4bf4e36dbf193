//! The squares that lie in each direction of each square.

/// The four directions towards higher bits: right, down left, down, down right. A step shifts by so much.
pub(super) const STEPS: [u32; 4] = [1, 7, 8, 9];

/// Squares from which a step in the direction, or against it, stays on the board.
const fn can_go(square: u32, step: u32, up: bool) -> bool {
    let (file, rank) = (square & 7, square >> 3);
    // File change of a step towards higher bits: +1, -1, 0, +1.
    let right = match (step, up) {
        (1 | 9, true) | (7, false) => file < 7,
        (7, true) | (1 | 9, false) => file > 0,
        _ => true,
    };
    let down = step == 1 || (if up { rank < 7 } else { rank > 0 });
    right && down
}

const fn ray(mut square: u32, step: u32, up: bool) -> u64 {
    let mut squares = 0;
    while can_go(square, step, up) {
        square = if up { square + step } else { square - step };
        squares |= 1 << square;
    }
    squares
}

/// All rays from a square: towards higher bits, then towards lower ones, each in the order of [`STEPS`].
#[repr(align(64))]
pub(super) struct Rays {
    pub(super) up: [u64; 4],
    pub(super) down: [u64; 4],
}

/// The rays from each square.
pub(super) static RAYS: [Rays; 64] = {
    let mut all = [const {
        Rays {
            up: [0; 4],
            down: [0; 4],
        }
    }; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < 4 {
            all[square].up[n] = ray(square as u32, STEPS[n], true);
            all[square].down[n] = ray(square as u32, STEPS[n], false);
            n += 1;
        }
        square += 1;
    }
    all
};
