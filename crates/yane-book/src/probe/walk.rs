//! What is expected to follow a move: the best moves of the book.

use rand::{Rng, RngExt};
use shogi_core::{Game, Move, Repetition};

use super::Books;
use super::select::legal;
use crate::Result;

/// At most `length` moves, beginning with `first`: then always a move of the book with the best
/// value, drawn by count where several have it. Ends with a repetition too, which is named.
pub(super) fn walk(
    books: &Books,
    game: &Game,
    first: Move,
    length: u32,
    flipped: bool,
    rng: &mut impl Rng,
) -> Result<(Vec<Move>, Repetition)> {
    let mut game = game.clone();
    let mut pv = Vec::new();
    let mut next = Some(first);
    while let Some(m) = next {
        game.play(m);
        pv.push(m);
        let repetition = game.repetition().kind;
        if repetition != Repetition::None {
            return Ok((pv, repetition));
        }
        if pv.len() as u64 >= u64::from(length) {
            break;
        }
        let moves = books.find(game.position(), flipped)?;
        let mut listed = legal(game.position(), &moves);
        let best = listed.first().map(|first| first.book_move.eval);
        listed.retain(|m| best.is_some_and(|best| m.book_move.eval >= best));
        let counts: Vec<_> = listed.iter().map(|m| m.book_move.count).collect();
        next = draw(&counts, rng).map(|at| listed[at].mv);
    }
    Ok((pv, Repetition::None))
}

/// Draws an index as often as its weight says; evenly when all are 0. `None` without weights.
pub(super) fn draw(weights: &[u64], rng: &mut impl Rng) -> Option<usize> {
    if weights.is_empty() {
        return None;
    }
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if total == 0 {
        return Some(rng.random_range(0..weights.len()));
    }
    let mut left = rng.random_range(0..total);
    weights.iter().position(|&weight| {
        let hit = left < u128::from(weight);
        left = left.saturating_sub(u128::from(weight));
        hit
    })
}
