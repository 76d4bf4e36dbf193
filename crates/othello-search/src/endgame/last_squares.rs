//! The last seven empty squares, solved without table and without lists.
//!
//! Everything is generic over the [`Kernel`] and compiled for each one by `cpu`. All scores are of the player to move,
//! with fail-soft bounds of a null window from `alpha` to `alpha + 1`: a score above `alpha` is a lower bound, any other
//! an upper bound.

use othello_core::{Board, Kernel};

use crate::endgame::parity::{CORNERS, odd_quadrants};
use crate::endgame::stability_cut;
use crate::ordering::at;
use crate::ordering::{Children, Effort};

/// Functions that are compiled once for each kernel, so that kernels are inlined; see `cpu`.
pub(crate) trait Compiled: Kernel {
    fn two(self, nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 2]) -> i32;
    fn three(self, nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 3]) -> i32;
    fn four(self, nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 4]) -> i32;
    fn few(self, nodes: &mut u64, board: [u64; 2], alpha: i32, empties: u32) -> i32;
    fn children(self, board: Board, effort: Effort, children: &mut Children);
}

/// The squares next to each square.
static NEIGHBOURS: [u64; 64] = {
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1u64 << square;
        let row = bit | (bit & !0x8080_8080_8080_8080) << 1 | (bit & !0x0101_0101_0101_0101) >> 1;
        all[square] = (row | row << 8 | row >> 8) & !bit;
        square += 1;
    }
    all
};

#[inline(always)]
fn neighbours(square: u32) -> u64 {
    NEIGHBOURS[(square & 63) as usize]
}

/// The final score for the player who has `discs` of a board with so many empty squares.
#[inline(always)]
fn final_score(discs: u32, empties: i32) -> i32 {
    let difference = 2 * discs as i32 + empties - 64;
    difference + empties * difference.signum()
}

/// The score with one empty square.
#[inline(always)]
fn one<K: Kernel>(kernel: K, mover: u64, alpha: i32, empty: u32) -> i32 {
    // What the player to move has if nothing is flipped and the empty square is theirs.
    let base = 2 * mover.count_ones() as i32 - 62;
    let flips = kernel.last_flips(mover, at(empty)) as i32;
    if flips != 0 {
        return base + 2 * flips;
    }
    // The game is over unless the opponent can move; then the winner has the square.
    let over = if base > 0 { base } else { base - 2 };
    if over <= alpha {
        return over;
    }
    let opponent = !mover & !(1 << (empty & 63));
    let flips = kernel.last_flips(opponent, at(empty)) as i32;
    if flips == 0 {
        over
    } else {
        base - 2 - 2 * flips
    }
}

/// The score of a move to `square`, which leaves one empty square; `None` if it is illegal.
#[inline(always)]
fn move_to_one<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    [mover, opponent]: [u64; 2],
    alpha: i32,
    [square, rest]: [u32; 2],
) -> Option<i32> {
    if neighbours(square) & opponent == 0 {
        return None;
    }
    let flips = kernel.flips(mover, opponent, at(square));
    if flips == 0 {
        return None;
    }
    *nodes += 1;
    Some(-one(kernel, opponent ^ flips, -alpha - 1, rest))
}

/// The score with two empty squares.
#[inline(always)]
pub(crate) fn two<K: Kernel>(
    kernel: K,
    nodes: &mut u64,
    [mover, opponent]: [u64; 2],
    alpha: i32,
    [a, b]: [u32; 2],
) -> i32 {
    *nodes += 1;
    let mut best = -65;
    for (square, rest) in [(a, b), (b, a)] {
        let score = move_to_one(kernel, nodes, [mover, opponent], alpha, [square, rest]);
        if let Some(score) = score {
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best > -65 {
        return best;
    }
    // The opponent moves, if there is a move.
    let mut worst = 65;
    for (square, rest) in [(a, b), (b, a)] {
        let reply = move_to_one(kernel, nodes, [opponent, mover], -alpha - 1, [square, rest]);
        if let Some(reply) = reply {
            if -reply <= alpha {
                return -reply;
            }
            worst = worst.min(-reply);
        }
    }
    if worst < 65 {
        worst
    } else {
        final_score(mover.count_ones(), 2)
    }
}

/// The board after a move to `square`, from the opponent's view; `None` if it is illegal.
#[inline(always)]
fn play<K: Kernel>(kernel: K, [mover, opponent]: [u64; 2], square: u32) -> Option<[u64; 2]> {
    if neighbours(square) & opponent == 0 {
        return None;
    }
    let flips = kernel.flips(mover, opponent, at(square));
    (flips != 0).then(|| [opponent ^ flips, mover | flips | 1 << (square & 63)])
}

/// The score with `N` empty squares: of the best move, of the opponent's best one if there is none, or of the final board.
///
/// `orders` are the empty squares in the order of trial, each with the others; `search` scores the board behind a move.
#[inline(always)]
fn best_of<K: Kernel, const N: usize, const REST: usize>(
    kernel: K,
    board: [u64; 2],
    alpha: i32,
    orders: [(u32, [u32; REST]); N],
    mut search: impl FnMut([u64; 2], i32, [u32; REST]) -> i32,
) -> i32 {
    let mut best = -65;
    for (square, rest) in orders {
        if let Some(next) = play(kernel, board, square) {
            let score = -search(next, -alpha - 1, rest);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best > -65 {
        return best;
    }
    let passed = [board[1], board[0]];
    let mut worst = 65;
    for (square, rest) in orders {
        if let Some(next) = play(kernel, passed, square) {
            let score = search(next, alpha, rest);
            if score <= alpha {
                return score;
            }
            worst = worst.min(score);
        }
    }
    if worst < 65 {
        worst
    } else {
        final_score(board[0].count_ones(), N as i32)
    }
}

/// The score with three empty squares: a lone one in its quadrant first.
#[inline(always)]
pub(crate) fn three<K: Compiled>(
    kernel: K,
    nodes: &mut u64,
    board: [u64; 2],
    alpha: i32,
    [a, b, c]: [u32; 3],
) -> i32 {
    *nodes += 1;
    // Bits 2 and 5 of a square's number are its quadrant.
    let same = |a: u32, b: u32| (a ^ b) & 0o44 == 0;
    let [a, b, c] = if same(b, c) {
        [a, b, c]
    } else if same(a, c) {
        [b, a, c]
    } else if same(a, b) {
        [c, a, b]
    } else {
        [a, b, c]
    };
    let orders = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
    best_of(kernel, board, alpha, orders, |next, alpha, rest| {
        kernel.two(nodes, next, alpha, rest)
    })
}

/// The score with four empty squares, those of odd quadrants first.
#[inline(always)]
pub(crate) fn four<K: Compiled>(
    kernel: K,
    nodes: &mut u64,
    board: [u64; 2],
    alpha: i32,
    [a, b, c, d]: [u32; 4],
) -> i32 {
    *nodes += 1;
    if let Some(score) = stability_cut(board, alpha, 4) {
        return score;
    }
    let orders = [
        (a, [b, c, d]),
        (b, [a, c, d]),
        (c, [a, b, d]),
        (d, [a, b, c]),
    ];
    best_of(kernel, board, alpha, orders, |next, alpha, rest| {
        kernel.three(nodes, next, alpha, rest)
    })
}

/// The squares of a set with at least four, those of odd quadrants first.
#[inline(always)]
fn four_squares(empty: u64) -> [u32; 4] {
    let odd = empty & odd_quadrants(empty);
    let mut parts = [odd, empty & !odd];
    std::array::from_fn(|_| {
        let part = &mut parts[usize::from(parts[0] == 0)];
        let square = part.trailing_zeros();
        *part &= part.wrapping_sub(1);
        square
    })
}

/// The score with four or more empty squares, by parity alone.
#[inline(always)]
pub(crate) fn few<K: Compiled>(
    kernel: K,
    nodes: &mut u64,
    [mover, opponent]: [u64; 2],
    alpha: i32,
    empties: u32,
) -> i32 {
    let empty = !(mover | opponent);
    if empties == 4 {
        return kernel.four(nodes, [mover, opponent], alpha, four_squares(empty));
    }
    *nodes += 1;
    if let Some(score) = stability_cut([mover, opponent], alpha, empties) {
        return score;
    }
    let moves = kernel.legal_moves(mover, opponent);
    if moves == 0 {
        return if kernel.legal_moves(opponent, mover) == 0 {
            final_score(mover.count_ones(), empties as i32)
        } else {
            -kernel.few(nodes, [opponent, mover], -alpha - 1, empties)
        };
    }
    let odd = odd_quadrants(empty);
    let mut best = -65;
    for mut part in [moves & odd & CORNERS, moves & odd & !CORNERS, moves & !odd] {
        while part != 0 {
            let square = part.trailing_zeros();
            part &= part - 1;
            let flips = kernel.flips(mover, opponent, at(square));
            let next = [opponent ^ flips, mover | flips | 1 << (square & 63)];
            let score = if empties == 5 {
                let rest = four_squares(empty & !(1 << (square & 63)));
                -kernel.four(nodes, next, -alpha - 1, rest)
            } else {
                -kernel.few(nodes, next, -alpha - 1, empties - 1)
            };
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    best
}
