//! Playouts: down the tree to a new position, its value, and back.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Game, Move, Move16, Position, Repetition};
use shogi_mate::{LeafAnswer, LeafSolver};

use super::PuctParams;
use super::select::select;
use super::tree::{Child, Edge, EdgeId, Flags, NodeId, Tree};
use crate::evaluator::expect_evaluated;
use crate::{PolicyLabel, PolicyValueEvaluator};

/// The end of a way down the tree.
enum Arrival {
    /// The result for the player of the last move, 0 to 1.
    Known(f32),
    /// A new node, whose value is to come.
    New(NodeId),
    /// A node whose value is to come from another playout.
    Awaited,
    /// The tree is full.
    Full,
}

/// A playout that waits for the evaluator.
struct Waiting {
    path: Vec<EdgeId>,
    node: NodeId,
}

/// Playouts that are evaluated together.
#[derive(Default)]
struct Lane {
    waiting: Vec<Waiting>,
    /// The ways of playouts that met one that is evaluated.
    discarded: Vec<Vec<EdgeId>>,
    is_away: bool,
}

/// A run of playouts: how many there are to be, how many were begun, and what ends it early.
pub struct PuctRun<'a> {
    limit: u64,
    /// Evaluators of each thread.
    pub(super) lanes: usize,
    begun: AtomicU64,
    /// The longest way down the tree.
    deepest: AtomicUsize,
    stop: &'a AtomicBool,
    /// The tree is full, or a thread has failed.
    is_given_up: AtomicBool,
    /// Nobody makes playouts any more.
    pub(super) is_over: AtomicBool,
    pub(super) root_mate: OnceLock<Vec<Move>>,
}

impl<'a> PuctRun<'a> {
    /// So many playouts, unless `stop` becomes true.
    pub fn new(limit: u64, stop: &'a AtomicBool) -> Self {
        Self {
            limit,
            lanes: 1,
            begun: AtomicU64::new(0),
            deepest: AtomicUsize::new(0),
            stop,
            is_given_up: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            root_mate: OnceLock::new(),
        }
    }

    /// The same with so many evaluators for each thread, at least one: while one evaluates, the thread makes playouts for another. This is of use
    /// where [`PolicyValueEvaluator::begin`] comes back at once.
    #[must_use]
    pub fn with_lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes.max(1);
        self
    }

    /// Moves of the longest way down the tree so far.
    pub fn deepest(&self) -> usize {
        self.deepest.load(Relaxed)
    }

    /// Playouts that were made or are being made.
    pub fn playouts(&self) -> u64 {
        self.begun.load(Relaxed)
    }

    /// A mate of the side to move at the root that was found beside the playouts, from its first move to its last.
    pub fn root_mate(&self) -> Option<&[Move]> {
        self.root_mate.get().map(Vec::as_slice)
    }

    /// Ends the run, as nothing more can be done.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Relaxed);
    }

    /// Returns whether it ends, however many playouts are left.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed) || self.is_given_up.load(Relaxed)
    }

    /// Returns whether there are none to be made.
    fn is_spent(&self) -> bool {
        self.is_stopped() || self.begun.load(Relaxed) >= self.limit
    }

    /// Takes one; false when there are none to be made.
    fn take(&self) -> bool {
        let more = |begun: u64| (begun < self.limit).then_some(begun + 1);
        !self.is_stopped() && self.begun.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    /// One that was taken was not made.
    fn give_back(&self) {
        self.begun.fetch_sub(1, Relaxed);
    }
}

/// A thread of a search at work.
pub(super) struct Playouts<'a, E> {
    pub(super) game: Game,
    pub(super) params: &'a PuctParams,
    pub(super) tree: &'a Tree,
    pub(super) root: NodeId,
    /// Moves of the root to be looked at; all of them when empty.
    pub(super) search_moves: &'a [Move16],
    pub(super) mates: LeafSolver,
    /// Each has a batch of its own.
    pub(super) evaluators: &'a mut [E],
    pub(super) root_side: Color,
}

impl<E: PolicyValueEvaluator> Playouts<'_, E> {
    /// Gives the root its moves and their priors.
    pub(super) fn expand_root(&mut self) {
        let named = |m: &Move| self.search_moves.contains(&Move16::from(*m));
        let mut moves = self.moves();
        if moves.iter().filter(|&m| named(m)).count() < self.search_moves.len() {
            moves = legal_moves(self.game.position(), true);
        }
        if self.tree.expand(self.root, &moves) && !moves.is_empty() {
            self.evaluators[0].put(0, self.game.position());
            self.evaluators[0].evaluate(1);
            self.take_output(0, 0, self.root);
        }
    }

    /// Makes playouts as long as `run` has some: for each evaluator in turn, while the others evaluate.
    pub(super) fn make(&mut self, run: &PuctRun<'_>) {
        if self.tree.edge_count(self.root) == 0 {
            return;
        }
        let mut lanes: Vec<Lane> = self.evaluators.iter().map(|_| Lane::default()).collect();
        for number in (0..lanes.len()).cycle() {
            let is_idle = self.finish(number, &mut lanes[number]);
            if !run.is_spent() {
                if is_idle {
                    std::thread::yield_now();
                }
                self.fill(number, &mut lanes[number], run);
            } else if lanes.iter().all(|lane| !lane.is_away) {
                return;
            }
        }
    }

    /// Makes a batch of playouts, and begins their evaluation.
    fn fill(&mut self, number: usize, lane: &mut Lane, run: &PuctRun<'_>) {
        for _ in 0..self.evaluators[number].max_batch() {
            if !run.take() {
                break;
            }
            let (path, arrival) = self.descend();
            let depth = path.len();
            run.deepest.fetch_max(depth, Relaxed);
            match arrival {
                Arrival::Known(result) => self.back_up(&path, result),
                Arrival::New(node) => {
                    let place = lane.waiting.len();
                    self.evaluators[number].put(place, self.game.position());
                    lane.waiting.push(Waiting { path, node });
                }
                Arrival::Awaited | Arrival::Full => {
                    run.give_back();
                    if matches!(arrival, Arrival::Full) {
                        run.give_up();
                    }
                    lane.discarded.push(path);
                }
            }
            for _ in 0..depth {
                self.game.undo();
            }
        }
        lane.is_away = true;
        expect_evaluated(self.evaluators[number].begin(lane.waiting.len()));
    }

    /// Waits for the batch of an evaluator, and adds its results; returns whether there were none, as all playouts met others.
    fn finish(&mut self, number: usize, lane: &mut Lane) -> bool {
        if !std::mem::take(&mut lane.is_away) {
            return false;
        }
        let is_idle = lane.waiting.is_empty() && !lane.discarded.is_empty();
        expect_evaluated(self.evaluators[number].finish());
        for path in lane.discarded.drain(..) {
            for edge in path {
                self.tree.take_visit_back(edge);
            }
        }
        for (place, playout) in lane.waiting.drain(..).enumerate() {
            let value = self.take_output(number, place, playout.node);
            self.back_up(&playout.path, 1.0 - value);
        }
        is_idle
    }

    /// Goes down by the choice of [`select`], counting a visit (a virtual loss) on the way.
    fn descend(&mut self) -> (Vec<EdgeId>, Arrival) {
        let tree = self.tree;
        let mut path: Vec<EdgeId> = Vec::new();
        let mut node = self.root;
        loop {
            if !tree.make_counts(node) {
                return (path, Arrival::Full);
            }
            let is_root = node == self.root;
            let (counts, edges) = (tree.counts(node), tree.edges(node).enumerate());
            let chosen = if is_root && !self.search_moves.is_empty() {
                let named = |(_, edge): &(usize, Edge)| self.search_moves.contains(&edge.code);
                select(counts, edges.filter(named), self.params, true)
            } else {
                select(counts, edges, self.params, is_root)
            };
            let Some(chosen) = chosen else {
                // A mated side: its edge was proved before anybody comes here.
                return (path, Arrival::Known(1.0));
            };
            let (edge, here) = (chosen.edge, (node, chosen.number));
            match (chosen.proves, path.last()) {
                (None, _) => tree.add_prior(node, edge.prior),
                (Some(flags), Some(&parent)) => tree.prove(parent, flags),
                (Some(_), None) => {}
            }
            tree.add_visit(here);
            path.push(here);
            let Some(m) = self.game.position().move_from_16(edge.code) else {
                unreachable!("the moves of a node are those of its position");
            };
            self.game.play_unchecked(m);
            let side = self.game.position().side_to_move();
            let child = match edge.child {
                Child::Node(child) => child,
                Child::None if tree.begin_child(here) => {
                    let arrival = self.arrive_first(here, side);
                    return (path, arrival);
                }
                Child::None | Child::BeingMade => return (path, Arrival::Awaited),
            };
            let result = if edge.flags.has(Flags::WIN) {
                0.0
            } else if edge.flags.has(Flags::LOSE) {
                1.0
            } else if edge.flags.has(Flags::DRAW) {
                self.draw_result(side)
            } else if !tree.is_evaluated(child) {
                return (path, Arrival::Awaited);
            } else {
                node = child;
                continue;
            };
            return (path, Arrival::Known(result));
        }
    }

    /// The first visit of the position behind an edge, by the thread that makes its node.
    fn arrive_first(&mut self, edge: EdgeId, side: Color) -> Arrival {
        let Some(child) = self.tree.add_node() else {
            self.tree.set_child(edge, None);
            return Arrival::Full;
        };
        let (flags, result) = if let Some(end) = self.game_end(child, side) {
            end
        } else {
            let moves = self.moves();
            if !self.tree.expand(child, &moves) {
                self.tree.set_child(edge, None);
                return Arrival::Full;
            }
            if !moves.is_empty() {
                self.tree.set_child(edge, Some(child));
                return Arrival::New(child);
            }
            (Flags::LOSE, 1.0)
        };
        self.tree.prove(edge, flags);
        self.tree.set_child(edge, Some(child));
        Arrival::Known(result)
    }

    /// How the game ends in the position of a new node, if rules or a mate say so: what that proves, and the result for the player of the last move.
    fn game_end(&mut self, node: NodeId, side: Color) -> Option<(Flags, f32)> {
        let position = self.game.position();
        let draw = (Flags::DRAW, self.draw_result(side));
        if self
            .params
            .max_moves_to_draw
            .is_some_and(|most| position.ply() > most)
        {
            let is_mate = position.in_check() && legal_moves(position, true).is_empty();
            return Some(if is_mate { (Flags::LOSE, 1.0) } else { draw });
        }
        match self.game.repetition().kind {
            Repetition::Win | Repetition::Superior => Some((Flags::WIN, 0.0)),
            Repetition::Lose | Repetition::Inferior => Some((Flags::LOSE, 1.0)),
            Repetition::Draw => Some(draw),
            Repetition::None => {
                let nodes = self.params.leaf_mate_nodes;
                let rule = self.params.entering_king_rule;
                let mut mates = || match self.mates.solve(position, nodes.into()) {
                    LeafAnswer::Mate { .. } => true,
                    LeafAnswer::NoMate => {
                        self.tree.set_mate_searched(node, true);
                        false
                    }
                    LeafAnswer::Unknown => false,
                };
                let wins = nodes > 0 && mates() || position.declaration(rule).is_some();
                wins.then_some((Flags::WIN, 0.0))
            }
        }
    }

    /// A draw for the player of the last move, when `side` is to move.
    fn draw_result(&self, side: Color) -> f32 {
        1.0 - self.params.draw_value(self.root_side, side)
    }

    /// The moves that the position has in the tree.
    fn moves(&self) -> Vec<Move> {
        legal_moves(self.game.position(), self.params.generate_all_legal_moves)
    }

    /// Makes the output of a place the priors of a node's moves; gives the value for its side to move.
    fn take_output(&mut self, lane: usize, place: usize, node: NodeId) -> f32 {
        let output = self.evaluators[lane].output(place);
        let temperature = self.params.softmax_temperature;
        self.tree.set_priors(node, &output.logits, temperature);
        output.value
    }

    /// Adds a result, seen by the player of the last move, to the edges of a path.
    fn back_up(&self, path: &[EdgeId], mut result: f32) {
        for &edge in path.iter().rev() {
            self.tree.add_result(edge, result);
            result = 1.0 - result;
        }
    }
}

/// The legal moves in the order of their labels.
fn legal_moves(position: &Position, all: bool) -> Vec<Move> {
    let mut moves: Vec<Move> = if all {
        position.moves::<LegalAll>().to_vec()
    } else {
        position.moves::<Legal>().to_vec()
    };
    moves.sort_unstable_by_key(|&m| PolicyLabel::new(m));
    moves
}
