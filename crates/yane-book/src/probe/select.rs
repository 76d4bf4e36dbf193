//! Selection of the moves of a position that may be played.

use shogi_core::{Game, Move, Position, Repetition};
use yane_base::random::{Rng, RngExt};

use super::{Books, Message, ProbeOptions};
use crate::{BookMove, Result};

/// A move of the book that is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The move.
    pub mv: Move,
    /// The move with the book's fields.
    pub book_move: BookMove,
}

/// A move that may be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The reply that the book expects, legal after the move.
    pub ponder: Option<Move>,
    /// Value in the book, for the side to move.
    pub eval: i32,
    /// Number of times it is chosen, relative to the others.
    pub weight: u64,
}

/// Result of the selection among the moves of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The moves that can be played, by count, then by value.
    pub listed: Vec<Listed>,
    /// Moves that may be played.
    pub candidates: Vec<Candidate>,
    /// Moves of the book that are illegal.
    pub illegal: Vec<Message>,
    /// Reasons why moves were left out.
    pub notes: Vec<Message>,
}

/// The moves that may be played in `position`, with their weights. Nothing is left to chance here.
///
/// # Errors
/// When a file of the books is broken at this position.
pub fn select(books: &Books, position: &Position, options: &ProbeOptions) -> Result<Selection> {
    if !options.own_book || position.ply() > options.max_ply {
        return Ok(Selection::default());
    }
    let moves = books.find_by(position, options.flipped)?;
    let mut selection = Selection {
        listed: legal(position, &moves),
        illegal: illegal(position, &moves),
        ..Selection::default()
    };
    let playable = filter(position, options, &selection.listed, &mut selection.notes);
    let even = !options.consider_count || playable.iter().all(|m| m.book_move.count == 0);
    for listed in playable {
        selection.candidates.push(Candidate {
            mv: listed.mv,
            ponder: ponder(books, position, &listed, options.flipped)?,
            eval: listed.book_move.eval,
            weight: if even { 1 } else { listed.book_move.count },
        });
    }
    selection
        .candidates
        .retain(|candidate| candidate.weight > 0);
    Ok(selection)
}

/// The moves that are legal, in their order.
pub(super) fn legal(position: &Position, moves: &[BookMove]) -> Vec<Listed> {
    let listed = |&book_move: &BookMove| {
        let mv = position.move_from_16(book_move.mv?)?;
        position.is_legal(mv).then_some(Listed { mv, book_move })
    };
    moves.iter().filter_map(listed).collect()
}

/// Complaints about the moves that are not legal. `none` is no complaint: it says that there is
/// nothing to play.
fn illegal(position: &Position, moves: &[BookMove]) -> Vec<Message> {
    let is_legal = |mv| {
        position
            .move_from_16(mv)
            .is_some_and(|m| position.is_legal(m))
    };
    let named = moves.iter().filter_map(|book_move| book_move.mv);
    let complaint = |mv| Message::Illegal {
        mv,
        sfen: position.to_sfen(),
    };
    named.filter(|&mv| !is_legal(mv)).map(complaint).collect()
}

/// Counts of all moves together.
pub(super) fn total_count(listed: &[Listed]) -> u128 {
    listed.iter().map(|m| u128::from(m.book_move.count)).sum()
}

/// Returns what `NarrowBook` and the limits of depth and value leave.
fn filter(
    position: &Position,
    options: &ProbeOptions,
    listed: &[Listed],
    notes: &mut Vec<Message>,
) -> Vec<Listed> {
    let side = position.side_to_move();
    let mut moves = listed.to_vec();
    if options.narrow {
        let before = moves.len();
        let total = total_count(&moves);
        moves.retain(|m| u128::from(m.book_move.count) * 10 >= total);
        let after = moves.len();
        if after < before {
            notes.push(Message::Narrow { before, after });
        }
    }
    let Some(first) = moves.first().map(|m| m.book_move) else {
        return moves;
    };
    let depth_limit = options.depth_limit[side];
    if depth_limit != 0 && first.depth < depth_limit {
        let option = options.profile.depth_limit_name(side);
        notes.push(Message::TooShallow { option });
        return Vec::new();
    }
    let (diff, limit) = (options.eval_diff[side], options.eval_limit[side]);
    let least = first.eval.saturating_sub(diff).max(limit);
    let before = moves.len();
    moves.retain(|m| m.book_move.eval >= least);
    let after = moves.len();
    if after < before {
        notes.push(Message::Worse {
            diff: (options.profile.eval_diff_name(side), diff),
            limit: (options.profile.eval_limit_name(side), limit),
            before,
            after,
        });
    }
    moves
}

/// The reply to `listed`: the registered one, else the first move of the position after it.
fn ponder(
    books: &Books,
    position: &Position,
    listed: &Listed,
    flipped: bool,
) -> Result<Option<Move>> {
    let mut next = position.clone();
    let _ = next.do_move_unchecked(listed.mv);
    let reply = match listed.book_move.ponder {
        Some(reply) => Some(reply),
        None => books
            .find_by(&next, flipped)?
            .first()
            .and_then(|first| first.mv),
    };
    let reply = reply.and_then(|reply| next.move_from_16(reply));
    Ok(reply.filter(|&reply| next.is_legal(reply)))
}

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
        game.play_unchecked(m);
        pv.push(m);
        let repetition = game.repetition().kind;
        if repetition != Repetition::None {
            return Ok((pv, repetition));
        }
        if pv.len() as u64 >= u64::from(length) {
            break;
        }
        let moves = books.find_by(game.position(), flipped)?;
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
