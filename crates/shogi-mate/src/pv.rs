//! The principal variation of a proven mate, from the table.

use shogi_core::movegen::{LegalAll, MoveList};
use shogi_core::{Move, Undo};

use crate::dfpn::{Poll, Searcher};

/// The defender's choice of moves in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Defence {
    /// The longest defence that the table knows.
    Known,
    /// The defence after which the mate takes exactly the proven number of plies, which is the shortest.
    Best,
}

/// A line from the searcher's position, where a mate within `length` plies is proven, to the mate.
/// `None` when the search was stopped before it was complete.
pub(crate) fn mating_line(
    searcher: &mut Searcher,
    length: u16,
    defence: Defence,
    poll: &dyn Poll,
) -> Option<Vec<Move>> {
    let mut played: Vec<(Move, Undo)> = Vec::new();
    let mut left = length;
    let complete = loop {
        let step = if searcher.is_or_node() {
            attack(searcher, left, defence, poll)
        } else {
            defend(searcher, left, defence, poll)
        };
        match step {
            PvStep::Play(m, after) => {
                played.push((m, searcher.advance(m)));
                left = after;
            }
            PvStep::Mated => break true,
            PvStep::Lost => break false,
        }
    };
    let moves = played.iter().map(|&(m, _)| m).collect();
    for (m, undo) in played.iter().rev() {
        searcher.retreat(*m, undo);
    }
    complete.then_some(moves)
}

enum PvStep {
    /// A move, and the length of the mate after it.
    Play(Move, u16),
    /// The defender is mated.
    Mated,
    /// The search was stopped.
    Lost,
}

/// The move to the shortest mate known.
fn attack(searcher: &mut Searcher, left: u16, defence: Defence, poll: &dyn Poll) -> PvStep {
    if let Some(m) = searcher.mate_in_one() {
        return PvStep::Play(m, 0);
    }
    let Some(budget) = left.checked_sub(1) else {
        return PvStep::Lost;
    };
    let moves = searcher.checks();
    for searched in [false, true] {
        if searched && searcher.search_anew(left, poll).pn != 0 {
            return PvStep::Lost;
        }
        let known = moves.iter().filter_map(|&m| {
            let decided = searcher.known_after(m, budget)?;
            decided.mate.then_some((decided.length, m))
        });
        if let Some((length, m)) = known.min_by_key(|&(length, _)| length) {
            let after = if defence == Defence::Best {
                budget
            } else {
                length
            };
            return PvStep::Play(m, after);
        }
    }
    PvStep::Lost
}

/// An answer that makes the mate long.
fn defend(searcher: &mut Searcher, left: u16, defence: Defence, poll: &dyn Poll) -> PvStep {
    let moves = searcher.position().moves::<LegalAll>();
    if moves.is_empty() {
        return PvStep::Mated;
    }
    let Some(budget) = left.checked_sub(1) else {
        return PvStep::Lost;
    };
    for searched in [false, true] {
        if searched && searcher.search_anew(left, poll).pn != 0 {
            return PvStep::Lost;
        }
        let mut known = known_answers(searcher, &moves, budget);
        let complete = known.len() == moves.len();
        if known.is_empty() || defence == Defence::Best && !searched && !complete {
            continue;
        }
        if defence == Defence::Best && !complete {
            known = proven_answers(searcher, &moves, budget, poll);
        }
        // The longest first; of equally long ones those that give no piece away.
        known.sort_by_key(|&(length, m)| (std::cmp::Reverse(length), m.is_drop()));
        if defence == Defence::Known {
            return PvStep::Play(known[0].1, known[0].0);
        }
        return longest(searcher, &known, budget, poll);
    }
    PvStep::Lost
}

fn known_answers(searcher: &Searcher, moves: &MoveList, budget: u16) -> Vec<(u16, Move)> {
    let known = moves.iter().filter_map(|&m| {
        let decided = searcher.known_after(m, budget)?;
        decided.mate.then_some((decided.length, m))
    });
    known.collect()
}

/// The same, with those that the table has dropped proven again.
fn proven_answers(
    searcher: &mut Searcher,
    moves: &MoveList,
    budget: u16,
    poll: &dyn Poll,
) -> Vec<(u16, Move)> {
    let mut known = Vec::with_capacity(moves.len());
    for &m in moves {
        let undo = searcher.advance(m);
        let outcome = searcher.search(budget, poll);
        searcher.retreat(m, &undo);
        if outcome.pn == 0 {
            known.push((outcome.length, m));
        }
    }
    known
}

/// The first of the answers after which there is no mate in fewer than `budget` plies.
fn longest(searcher: &mut Searcher, known: &[(u16, Move)], budget: u16, poll: &dyn Poll) -> PvStep {
    for &(length, m) in known {
        if length < budget {
            break;
        }
        if budget < 3 {
            return PvStep::Play(m, budget);
        }
        let undo = searcher.advance(m);
        let outcome = searcher.search(budget - 2, poll);
        searcher.retreat(m, &undo);
        if !outcome.is_final() {
            return PvStep::Lost;
        }
        if outcome.pn != 0 {
            return PvStep::Play(m, budget);
        }
    }
    PvStep::Lost
}
