//! Stable discs: discs that no sequence of moves can flip. They bound the score.
//!
//! Counted are discs of stable edges (by a table made by playing all moves of an edge), discs on four full lines, and
//! discs that are next to stable ones, or on a full line, in all four directions.

use std::sync::LazyLock;

use othello_core::{Board, Squares};

/// Squares that are not on the edge of the board.
const INNER: u64 = 0x007e_7e7e_7e7e_7e00;

/// By an edge's discs of a player (high byte) and of the opponent (low byte), the player's stable ones.
static EDGES: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut table = vec![0; 1 << 16].into_boxed_slice();
    // Fuller edges first: the others come to them by moves.
    for empty in 0..=8 {
        for player in 0..=255u8 {
            for opponent in 0..=255u8 {
                let is_edge = player & opponent == 0;
                if is_edge && (player | opponent).count_zeros() == empty {
                    let stable = edge(player, opponent, &table);
                    table[usize::from(player) << 8 | usize::from(opponent)] = stable;
                }
            }
        }
    }
    table
});

/// The stable discs of `player` on an edge, from those of the edges that one move leads to. A disc can be placed without
/// flips on the edge, as it may flip others.
fn edge(player: u8, opponent: u8, table: &[u8]) -> u8 {
    let mut stable = player;
    for square in 0..8 {
        let bit = 1 << square;
        if (player | opponent) & bit != 0 {
            continue;
        }
        let flips = flips_on_edge(player, opponent, square);
        let after = (player | bit | flips, opponent & !flips);
        stable &= table[usize::from(after.0) << 8 | usize::from(after.1)];
        let flips = flips_on_edge(opponent, player, square);
        let after = (player & !flips, opponent | bit | flips);
        stable &= table[usize::from(after.0) << 8 | usize::from(after.1)];
    }
    stable
}

/// The flips on an edge of a disc of `mover`.
fn flips_on_edge(mover: u8, opponent: u8, square: u32) -> u8 {
    let run = |squares: &mut dyn Iterator<Item = u32>| {
        let mut flips = 0;
        for at in squares {
            if opponent >> at & 1 != 0 {
                flips |= 1 << at;
            } else {
                return if mover >> at & 1 != 0 { flips } else { 0 };
            }
        }
        0
    };
    run(&mut (square + 1..8)) | run(&mut (0..square).rev())
}

/// The squares on full lines, for each direction: ranks, files, diagonals in steps of 9 and of 7.
#[inline(always)]
fn full_lines(discs: u64) -> [u64; 4] {
    let mut rank = discs & discs >> 1;
    rank &= rank >> 2;
    rank &= rank >> 4;
    let rank = (rank & 0x0101_0101_0101_0101).wrapping_mul(0xff);
    let mut file = discs & discs.rotate_right(8);
    file &= file.rotate_right(16);
    file &= file.rotate_right(32);
    [
        rank,
        file,
        full_diagonals::<9>(discs),
        full_diagonals::<7>(discs),
    ]
}

/// The squares from which `steps` steps of a diagonal direction leave the board.
const fn leaving(step: u32, steps: u32, up: bool) -> u64 {
    let mut squares = 0;
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        let right = if up == (step == 9) { 7 - file } else { file };
        let room = if up { 7 - rank } else { rank };
        if right < steps || room < steps {
            squares |= 1 << square;
        }
        square += 1;
    }
    squares
}

#[inline(always)]
fn full_diagonals<const STEP: u32>(discs: u64) -> u64 {
    let mut up = discs;
    let mut down = discs;
    macro_rules! double {
        ($steps:literal) => {
            up &= up >> (STEP * $steps) | const { leaving(STEP, $steps, true) };
            down &= down << (STEP * $steps) | const { leaving(STEP, $steps, false) };
        };
    }
    double!(1);
    double!(2);
    double!(4);
    up & down
}

/// The discs on the a-file (or, shifted, the h-file) as a byte, rank 1 first.
#[inline(always)]
const fn file_byte(discs: u64, file: u32) -> usize {
    ((discs >> file & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// A byte as squares of the a-file.
#[inline(always)]
const fn file_squares(byte: u8) -> u64 {
    ((byte & 0x7f) as u64).wrapping_mul(0x0002_0408_1020_4081) & 0x0101_0101_0101_0101
        | ((byte >> 7) as u64) << 56
}

/// The stable discs on the edges of `player`.
#[inline(always)]
pub(crate) fn stable_edges(player: u64, opponent: u64) -> u64 {
    let table = &**EDGES;
    let look = |player: usize, opponent: usize| table[(player << 8 | opponent) & 0xffff];
    let first = look(player as usize & 255, opponent as usize & 255);
    let last = look((player >> 56) as usize, (opponent >> 56) as usize);
    let left = look(file_byte(player, 0), file_byte(opponent, 0));
    let right = look(file_byte(player, 7), file_byte(opponent, 7));
    u64::from(first) | u64::from(last) << 56 | file_squares(left) | file_squares(right) << 7
}

/// The number of corners of `player`, and of discs next to them on an edge.
#[inline(always)]
pub(crate) const fn corner_stability(player: u64) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    const LEFT: u64 = 0x0100_0000_0000_0001;
    const RIGHT: u64 = 0x8000_0000_0000_0080;
    const TOP: u64 = 0x81;
    const BOTTOM: u64 = 0x8100_0000_0000_0000;
    let near =
        (player & LEFT) << 1 | (player & RIGHT) >> 1 | (player & TOP) << 8 | (player & BOTTOM) >> 8;
    (player & (CORNERS | near)).count_ones() as i32
}

/// The discs of both sides of which it is known that no moves flip them; there may be more.
///
/// ```
/// use othello_core::{Board, Squares};
/// use othello_search::stable_squares;
///
/// let board = Board::new(0x0000_0000_0000_0007, 0x0000_0000_0000_0100)?;
/// assert_eq!(stable_squares(board), Squares(0x07));
/// # Ok::<(), othello_core::BoardError>(())
/// ```
pub fn stable_squares(board: Board) -> Squares {
    let (mover, opponent) = (board.mover(), board.opponent());
    Squares(stable(mover, opponent) | stable(opponent, mover))
}

/// The number of discs of `player` that are known to be stable.
#[inline(always)]
pub(crate) fn stable_discs(player: u64, opponent: u64) -> u32 {
    stable(player, opponent).count_ones()
}

#[inline(always)]
fn stable(player: u64, opponent: u64) -> u64 {
    let full = full_lines(player | opponent);
    let [rank, file, falling, rising] = full;
    let inner = player & INNER;
    let mut stable = stable_edges(player, opponent) | inner & rank & file & falling & rising;
    if stable == 0 {
        return 0;
    }
    loop {
        let by_rank = stable >> 1 | stable << 1 | rank;
        let by_file = stable >> 8 | stable << 8 | file;
        let by_falling = stable >> 9 | stable << 9 | falling;
        let by_rising = stable >> 7 | stable << 7 | rising;
        let next = stable | inner & by_rank & by_file & by_falling & by_rising;
        if next == stable {
            return stable;
        }
        stable = next;
    }
}

/// An upper bound of the score by the opponent's stable discs, if there is one not above `alpha`.
#[inline(always)]
pub(crate) fn stability_cut([mover, opponent]: [u64; 2], alpha: i32, empties: u32) -> Option<i32> {
    if alpha < threshold(empties) {
        return None;
    }
    let bound = 64 - 2 * stable_discs(opponent, mover) as i32;
    (bound <= alpha).then_some(bound)
}

/// The least `alpha` at which the count is worth its time: the fuller the board, the more stable discs.
const fn threshold(empties: u32) -> i32 {
    let n = empties as i32;
    match n {
        0..=9 => 2 * n - 2,
        10..=24 => 2 * n,
        _ if n < 40 => n + 24,
        _ => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_core::{Game, Move, State};
    use test_support::SplitMix64;

    #[test]
    fn stable_discs_are_never_flipped() {
        let mut random = SplitMix64::new(1);
        let mut counted = 0;
        for _ in 0..300 {
            let mut game = Game::default();
            let mut stable_of = [0u64; 2];
            loop {
                let board = game.position().board();
                let (now, next) = (board.mover(), board.opponent());
                assert_eq!(stable_of[0] & !now, 0, "{board:?}");
                assert_eq!(stable_of[1] & !next, 0, "{board:?}");
                stable_of = [stable(now, next), stable(next, now)];
                assert!(stable_of[0] & !now == 0 && stable_of[1] & !next == 0);
                counted += stable_of[0].count_ones();
                let mv = match board.state() {
                    State::Moves => {
                        let moves = board.legal_moves();
                        let n = random.next_u64() % u64::from(moves.len());
                        Move::Place(moves.iter().nth(n as usize).unwrap())
                    }
                    State::Pass => Move::Pass,
                    State::Over => break,
                };
                game.play_unchecked(mv);
                stable_of.swap(0, 1);
            }
        }
        assert!(counted > 20_000, "{counted}");
    }

    #[test]
    fn full_lines_are_full() {
        let mut random = SplitMix64::new(2);
        for n in 0..2000 {
            let discs = (0..n % 6).fold(u64::MAX, |discs, _| {
                discs & !(1 << (random.next_u64() & 63))
            });
            let lines = full_lines(discs);
            for square in 0..64i32 {
                for (line, (across, up)) in lines.iter().zip([(1, 0), (0, 1), (1, 1), (-1, 1)]) {
                    let is_full = (-7..8).all(|k| {
                        let (file, rank) = (square % 8 + k * across, square / 8 + k * up);
                        let is_on = (0..8).contains(&file) && (0..8).contains(&rank);
                        !is_on || discs >> (rank * 8 + file) & 1 != 0
                    });
                    assert_eq!(
                        line >> square & 1 != 0,
                        is_full,
                        "{discs:#x} {square} {across}"
                    );
                }
            }
        }
    }

    #[test]
    fn edges_are_read_and_written_alike() {
        for byte in 0..=255u8 {
            assert_eq!(file_byte(file_squares(byte), 0), usize::from(byte));
            assert_eq!(file_byte(file_squares(byte) << 7, 7), usize::from(byte));
        }
        // A full edge is stable, and so is a run from a corner.
        assert_eq!(stable_edges(0b0000_0111, 0), 0b0000_0111);
        assert_eq!(stable_edges(0b0101_0101, 0b1010_1010).count_ones(), 4);
        assert_eq!(stable_edges(0b0011_1100, 0), 0);
        assert_eq!(corner_stability(0b0000_0111), 2);
    }
}
