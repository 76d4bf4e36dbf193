//! What is reached when one side plays its best moves and the other any.

use hashbrown::HashSet;
use shogi_core::{Color, Move, Position};

use super::book::SolvedBook;
use crate::graph::NodeId;
use crate::peta_shock::{Outcome, Target};
use crate::records::Root;
use crate::{Job, Result, Unit};

/// Positions outside the book, with the lines that lead there.
pub(super) struct Reached {
    /// The moves that were followed, each with the number of the one before it.
    steps: Vec<(Option<u32>, Move)>,
    leaves: Vec<Leaf>,
}

/// A position outside the book.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    before: Option<u32>,
    m: Move,
    /// For black.
    value: i16,
}

impl Reached {
    /// All positions, the worst for `side` first; equal ones as they were met.
    pub(super) fn worst_first(&self, side: Color) -> Vec<Leaf> {
        let mut leaves = self.leaves.clone();
        leaves.sort_by_key(|leaf| match side {
            Color::Black => leaf.value,
            Color::White => -leaf.value,
        });
        leaves
    }

    /// The moves from the root.
    pub(super) fn moves(&self, leaf: Leaf) -> Vec<Move> {
        let mut moves = vec![leaf.m];
        let mut before = leaf.before;
        while let Some(number) = before {
            let (earlier, m) = self.steps[number as usize];
            moves.push(m);
            before = earlier;
        }
        moves.reverse();
        moves
    }
}

/// A position to go on from: the number of the move that led there.
struct Open {
    node: NodeId,
    step: Option<u32>,
    position: Position,
}

/// Walks from `root`, which is `start`, with `side` playing its best moves (all that tie) and the
/// other any, only moves with values from `-limit` to `limit`. Every position of the book is gone
/// through once.
pub(super) fn reached(
    book: &SolvedBook,
    root: &Root,
    start: NodeId,
    side: Color,
    limit: u16,
    job: &Job,
) -> Result<Reached> {
    job.progress.stage("walking", None, Unit::Positions);
    let mut reached = Reached {
        steps: Vec::new(),
        leaves: Vec::new(),
    };
    let mut known: HashSet<NodeId> = HashSet::from([start]);
    let mut open = vec![Open {
        node: start,
        step: None,
        position: root.game().position().clone(),
    }];
    let mut done = 0u64;
    while let Some(here) = open.pop() {
        done += 1;
        if done.is_multiple_of(1 << 12) {
            job.check()?;
            job.progress.advance(1 << 12);
        }
        let first = open.len();
        for (m, target, value) in candidates(book, &here, side, limit) {
            match target {
                Target::Leaf(_) => reached.leaves.push(Leaf {
                    before: here.step,
                    m,
                    value: match here.position.side_to_move() {
                        Color::Black => value,
                        Color::White => -value,
                    },
                }),
                Target::Node(child) => {
                    if known.insert(child) {
                        let mut position = here.position.clone();
                        let _ = position.do_move(m);
                        open.push(Open {
                            node: child,
                            step: Some(reached.steps.len() as u32),
                            position,
                        });
                        reached.steps.push((here.step, m));
                    }
                }
            }
        }
        open[first..].reverse();
    }
    Ok(reached)
}

/// The moves to follow, with their values.
fn candidates(book: &SolvedBook, here: &Open, side: Color, limit: u16) -> Vec<(Move, Target, i16)> {
    let mut best = Outcome::WORST;
    let mut moves = Vec::new();
    for (mv, target) in book.arena().moves(here.node) {
        let outcome = book.outcome(target);
        if outcome.is_better_than(best) {
            best = outcome;
        }
        let m = book.legal(here.node, &here.position, mv);
        moves.extend(m.map(|m| (m, target, outcome.value)));
    }
    let own = here.position.side_to_move() == side;
    moves.retain(|&(_, _, value)| value.unsigned_abs() <= limit && (!own || value == best.value));
    moves
}
