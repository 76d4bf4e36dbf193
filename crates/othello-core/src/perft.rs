//! Perft: the number of games of a certain length, which tests move generation.
//!
//! Programs count passes and finished games in three ways; they differ from depth 9 on.

use crate::{Board, State, simd};

/// The way of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counting {
    /// Moves and passes made at the last ply; games that ended before do not count. Edax's way.
    Moves,
    /// Leaf positions: a pass is a ply, a finished game counts as one. The published numbers; Egaroucid's mode 1.
    Positions,
    /// As [`Positions`](Self::Positions), but a pass is no ply. Egaroucid's mode 2.
    PositionsPassFree,
}

/// The number of games of `depth` plies from a board on. The last two plies are counted, not played.
///
/// ```
/// use othello_core::{Board, Counting, perft};
///
/// assert_eq!(perft(Board::START, 7, Counting::Positions), 55092);
/// ```
pub fn perft(board: Board, depth: u32, counting: Counting) -> u64 {
    let moves = board.legal_moves();
    if depth == 0 {
        return 1;
    }
    if moves.is_empty() {
        return without_move(board, depth, counting);
    }
    match depth {
        1 => u64::from(moves.len()),
        2 => {
            let (mut count, dead) = simd::replies(board, moves.0);
            for square in crate::Squares(dead) {
                count += without_move(board.play_legal(square), 1, counting);
            }
            count
        }
        _ => moves
            .iter()
            .map(|square| perft(board.play_legal(square), depth - 1, counting))
            .sum(),
    }
}

/// [`perft()`] of a board without a legal move; `depth` is not 0.
#[cold]
fn without_move(board: Board, depth: u32, counting: Counting) -> u64 {
    match (board.state(), counting) {
        (State::Over, Counting::Moves) => 0,
        (State::Over, _) => 1,
        (_, Counting::PositionsPassFree) => perft(board.passed(), depth, counting),
        _ => perft(board.passed(), depth - 1, counting),
    }
}

/// The counts of one ply of all games from a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PlyCounts {
    /// Moves and passes made: [`perft()`] with [`Counting::Moves`].
    pub moves: u64,
    /// Passes among them.
    pub passes: u64,
    /// Games found to be over when this ply would be made, won by the player whose turn it would be.
    pub wins: u64,
    /// Games found to be over, drawn.
    pub draws: u64,
    /// Games found to be over, lost by the player whose turn it would be.
    pub losses: u64,
}

/// Counts of plies 1 to `depth` from a board on. Everything is played, so it is many times slower than
/// [`perft()`].
pub fn perft_table(board: Board, depth: u32) -> Vec<PlyCounts> {
    let mut table = vec![PlyCounts::default(); depth as usize];
    fill(board, &mut table);
    table
}

fn fill(board: Board, table: &mut [PlyCounts]) {
    let Some((now, rest)) = table.split_first_mut() else {
        return;
    };
    match board.state() {
        State::Moves => {
            for square in board.legal_moves() {
                now.moves += 1;
                fill(board.play_legal(square), rest);
            }
        }
        State::Pass => {
            now.moves += 1;
            now.passes += 1;
            fill(board.passed(), rest);
        }
        State::Over => match board.score() {
            0 => now.draws += 1,
            score if score > 0 => now.wins += 1,
            _ => now.losses += 1,
        },
    }
}
