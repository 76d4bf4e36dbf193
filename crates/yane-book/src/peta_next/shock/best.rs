//! The best line out of the book, then the best without its last move, and so on.

use std::collections::VecDeque;

use book_graph::Predecessors;
use hashbrown::{HashMap, HashSet};
use shogi_core::Move;

use super::half::SolvedBook;
use crate::graph::NodeId;
use crate::peta_shock::{PetaValue, Target};
use crate::records::Root;
use crate::{Job, Result};

/// A line longer than this many plies counts as endless, as it does when a book is solved.
const LONGEST: u16 = 256;
/// Number of times the value of a position may change after one move was taken out; values that still
/// change then go round in a circle.
const MAX_CHANGES: u32 = 64;

/// A book from which moves are taken out one by one.
pub(super) struct BestLines<'a> {
    book: &'a SolvedBook,
    /// For every position those with a move to it.
    parents: Predecessors,
    /// What positions are worth to the side that moves into them, where that is not what the whole
    /// book says; nothing for positions without moves.
    changed: HashMap<NodeId, Option<PetaValue>>,
    /// Moves that were taken out, by their place.
    removed: HashSet<(NodeId, usize)>,
}

/// The end of a line of best moves.
enum End {
    /// Outside the book, by the move at this place of this position.
    Leaf(NodeId, usize),
    /// By a move back to a position of the line, or a mate.
    Useless(NodeId, usize),
    /// Nothing is left of the root.
    Nothing,
}

impl<'a> BestLines<'a> {
    pub(super) fn new(book: &'a SolvedBook) -> Self {
        Self {
            book,
            parents: book.arena().parents(|| book.arena().nodes()),
            changed: HashMap::new(),
            removed: HashSet::new(),
        }
    }

    /// Calls `add` with the moves of the best lines from `root`, which is `start`, until it has said
    /// `count` times that a position is new or nothing is left.
    pub(super) fn find(
        &mut self,
        root: &Root,
        start: NodeId,
        count: usize,
        job: &Job,
        mut add: impl FnMut(&[Move]) -> Result<bool>,
    ) -> Result<()> {
        let mut left = count;
        while left > 0 {
            job.check()?;
            let mut moves = Vec::new();
            let (node, place) = match self.follow(root, start, &mut moves) {
                End::Leaf(node, place) => {
                    left -= usize::from(add(&moves)?);
                    (node, place)
                }
                End::Useless(node, place) => (node, place),
                End::Nothing => return Ok(()),
            };
            self.remove(node, place);
        }
        Ok(())
    }

    /// Follows the best moves from the root.
    fn follow(&self, root: &Root, start: NodeId, moves: &mut Vec<Move>) -> End {
        let mut position = root.game().position().clone();
        let mut node = start;
        let mut line: HashSet<NodeId> = HashSet::from([start]);
        loop {
            let Some((place, _)) = self.best(node) else {
                // Moves to positions without moves are taken out with their last move, so this is
                // the root.
                return End::Nothing;
            };
            let Some((mv, target)) = self.book.arena().moves(node).nth(place) else {
                return End::Nothing;
            };
            let Some(m) = self.book.legal(node, &position, mv) else {
                return End::Useless(node, place);
            };
            match target {
                Target::Node(child) if !line.insert(child) => return End::Useless(node, place),
                Target::Node(child) if self.book.arena().moves(child).len() > 0 => {
                    moves.push(m);
                    let _ = position.do_move(m);
                    node = child;
                }
                // Positions without moves are in some books; they need a search like any other.
                _ => {
                    moves.push(m);
                    let _ = position.do_move(m);
                    return if position.has_no_legal_move() {
                        End::Useless(node, place)
                    } else {
                        End::Leaf(node, place)
                    };
                }
            }
        }
    }

    /// Returns what a target is worth now to the side that moves there; nothing if it has no moves left.
    fn outcome(&self, target: Target) -> Option<PetaValue> {
        if let Target::Node(child) = target
            && let Some(changed) = self.changed.get(&child)
        {
            return *changed;
        }
        Some(self.book.outcome(target))
    }

    /// The place of the best move that is left, and what it is worth.
    fn best(&self, node: NodeId) -> Option<(usize, PetaValue)> {
        let mut best = None;
        for (place, target) in self.book.arena().targets(node).enumerate() {
            if self.removed.contains(&(node, place)) {
                continue;
            }
            let Some(outcome) = self.outcome(target) else {
                continue;
            };
            if best.is_none_or(|(_, best)| outcome.is_better_than(best)) {
                best = Some((place, outcome));
            }
        }
        best
    }

    /// Takes a move out and finds the values anew, from its position towards the roots.
    fn remove(&mut self, node: NodeId, place: usize) {
        self.removed.insert((node, place));
        let mut queue = VecDeque::from([node]);
        let mut waiting: HashSet<NodeId> = HashSet::from([node]);
        let mut changes: HashMap<NodeId, u32> = HashMap::new();
        while let Some(node) = queue.pop_front() {
            waiting.remove(&node);
            let new = self.best(node).map(|(_, best)| {
                let mut outcome = best.for_parent();
                if outcome.depth > LONGEST {
                    outcome.depth = PetaValue::WORST.depth;
                }
                outcome
            });
            if new == self.outcome(Target::Node(node)) {
                continue;
            }
            self.changed.insert(node, new);
            let changes = changes.entry(node).or_default();
            *changes += 1;
            if *changes > MAX_CHANGES {
                continue;
            }
            for parent in self.parents.of(node.0).iter().copied().map(NodeId) {
                if waiting.insert(parent) {
                    queue.push_back(parent);
                }
            }
        }
    }
}
