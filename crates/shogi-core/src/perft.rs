//! Perft: counting the positions after a number of plies, the standard check of a move generator.

use crate::movegen::{LegalAll, MoveList};
use crate::{Move, Position};

/// How the last ply is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The moves of the last ply are counted as sets and not played.
    Bulk,
    /// Every move of the last ply is played and taken back.
    Played,
}

/// Number of move sequences of `depth` plies from `position`, every legal move included. 1 for depth
/// 0.
///
/// ```
/// use shogi_core::{Leaves, Position, perft};
/// assert_eq!(perft(&mut Position::startpos(), 3, Leaves::Bulk), 25_470);
/// ```
pub fn perft(position: &mut Position, depth: u32, leaves: Leaves) -> u64 {
    match leaves {
        Leaves::Bulk => perft_bulk(position, depth),
        Leaves::Played => perft_played(position, depth),
    }
}

fn perft_bulk(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => return 1,
        1 => return position.count_moves::<LegalAll>() as u64,
        _ => {}
    }
    let mut moves = MoveList::new();
    position.generate::<LegalAll>(&mut moves);
    let mut nodes = 0;
    for &m in &moves {
        let undo = position.do_move(m);
        nodes += perft_bulk(position, depth - 1);
        position.undo_move(m, &undo);
    }
    nodes
}

fn perft_played(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.generate::<LegalAll>(&mut moves);
    let mut nodes = 0;
    for &m in &moves {
        let undo = position.do_move(m);
        nodes += perft_played(position, depth - 1);
        position.undo_move(m, &undo);
    }
    nodes
}

/// [`perft`] split by the first move, in the order of generation.
pub fn perft_divide(position: &mut Position, depth: u32) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let moves = position.moves::<LegalAll>();
    let count = |m: Move| {
        let undo = position.do_move(m);
        let nodes = perft_bulk(position, depth - 1);
        position.undo_move(m, &undo);
        (m, nodes)
    };
    moves.into_iter().map(count).collect()
}
