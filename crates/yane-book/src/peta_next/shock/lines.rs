//! Lines of a solved book: the best one out of the book, then the best without its last move, and so on; and what is reached
//! when one side plays its best moves and the other any.

use std::collections::VecDeque;
use std::sync::Arc;

use book_graph::Predecessors;
use hashbrown::{HashMap, HashSet};
use shogi_core::{Color, Move, Move16, Position};

use crate::book_move::flip_move;
use crate::db::BadLines;
use crate::graph::{GraphSource, Identity, Index, NodeId, SourceRecord, View};
use crate::peta_shock::{Arena, PetaValue, Solved, Target, solve};
use crate::records::{Root, legal_move};
use crate::{Job, Result, Unit};

/// A line longer than this many plies counts as endless, as it does when a book is solved.
const LONGEST: u16 = 256;
/// Number of times the value of a position may change after one move was taken out; values that still
/// change then go round in a circle.
const MAX_CHANGES: u32 = 64;

/// A book from which moves are taken out one by one.
pub(super) struct BestLines<'a> {
    book: &'a SolvedBook,
    /// For every position, the positions with a move to it.
    parents: Predecessors,
    /// Values of positions for the side that moves into them, where they differ from those of the
    /// whole book; `None` for positions without moves.
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
    /// No move of the root is left.
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
                    let _ = position.do_move_unchecked(m);
                    node = child;
                }
                // Positions without moves are in some books; they need a search like any other.
                _ => {
                    moves.push(m);
                    let _ = position.do_move_unchecked(m);
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

    /// Returns the place of the best move that is left, and its value.
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

    /// Removes a move and recomputes the values, from its position towards the roots.
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

// Positions that are reached when one side plays its best moves and the other any.

/// Positions outside the book, with the lines that lead there.
pub(super) struct Reached {
    /// The moves that were followed, each with the number of the one before it.
    steps: Vec<(Option<u32>, Move)>,
    leaves: Vec<ReachedLeaf>,
}

/// A position outside the book.
#[derive(Clone, Copy)]
pub(super) struct ReachedLeaf {
    before: Option<u32>,
    m: Move,
    /// Value for black.
    value: i16,
}

impl Reached {
    /// All positions, the worst for `side` first; equal ones as they were met.
    pub(super) fn worst_first(&self, side: Color) -> Vec<ReachedLeaf> {
        let mut leaves = self.leaves.clone();
        leaves.sort_by_key(|leaf| match side {
            Color::Black => leaf.value,
            Color::White => -leaf.value,
        });
        leaves
    }

    /// The moves from the root.
    pub(super) fn moves(&self, leaf: ReachedLeaf) -> Vec<Move> {
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

/// A position to continue from: the number of the move that led there.
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
                Target::Leaf(_) => reached.leaves.push(ReachedLeaf {
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
                        let _ = position.do_move_unchecked(m);
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
    let mut best = PetaValue::WORST;
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

/// A book with the outcome of every position.
pub(super) struct SolvedBook {
    index: Arc<Index>,
    solved: Solved,
    /// Choice whether each entry is written with white to move.
    white: Vec<bool>,
    /// Positions, and what was left out.
    pub(super) positions: u64,
    pub(super) left_out: u64,
}

impl SolvedBook {
    /// Reads and solves a book.
    pub(super) fn read<S: GraphSource>(source: &S, bad_lines: BadLines, job: &Job) -> Result<Self> {
        let index = Index::build(job, source, Identity::UpToFlip, bad_lines)?;
        let index = Arc::new(index);
        let (arena, links) = Arena::link(&index, source, job)?;
        Ok(Self {
            white: white_to_move(source, index.len(), job)?,
            index,
            solved: solve(arena, job)?,
            positions: links.nodes,
            left_out: links.bad_moves + links.bad_positions,
        })
    }

    pub(super) const fn arena(&self) -> &Arena {
        self.solved.arena()
    }

    /// Returns what a target is worth to the side that moves there.
    #[inline]
    pub(super) fn outcome(&self, target: Target) -> PetaValue {
        match target {
            Target::Leaf(value) => PetaValue::leaf(value),
            Target::Node(node) => self.solved.outcome(node),
        }
    }

    /// The node of a position, if it has moves.
    pub(super) fn find(&self, position: &Position) -> Option<NodeId> {
        let node = self.index.find(position)?;
        (self.arena().moves(node).len() > 0).then_some(node)
    }

    /// A move of `node` as it is played in `position`, which is that node.
    pub(super) fn legal(&self, node: NodeId, position: &Position, mv: Move16) -> Option<Move> {
        let flipped = self.white[node.index()] != (position.side_to_move() == Color::White);
        legal_move(position, if flipped { flip_move(mv) } else { mv })
    }
}

/// For every entry of a book whether white is to move.
fn white_to_move<S: GraphSource>(source: &S, len: usize, job: &Job) -> Result<Vec<bool>> {
    job.progress
        .stage("read sides", Some(source.size()), Unit::Bytes);
    let mut white = Vec::with_capacity(len);
    let mut read = source.open()?;
    while let Some(chunk) = read()? {
        job.check()?;
        white.extend(source.records(&chunk).map(|record| {
            let position = record.position(View::AsWritten);
            position.is_ok_and(|(position, _)| position.side_to_move() == Color::White)
        }));
        job.progress.advance(S::chunk_size(&chunk));
    }
    // A book that has grown meanwhile must not lead beyond the graph.
    white.resize(len, false);
    Ok(white)
}
