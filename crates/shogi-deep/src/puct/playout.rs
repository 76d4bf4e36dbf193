//! Playouts: down the tree to a new position, its value, and back.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Game, Move, Position, Repetition};
use shogi_mate::{LeafAnswer, LeafSolver};

use super::PuctParams;
use super::select::select;
use super::tree::{Child, EdgeId, Flags, NodeId, Tree};
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

/// Playouts that all threads of a search still have to make.
pub(super) struct Budget<'a> {
    left: AtomicU32,
    stop: &'a AtomicBool,
    is_full: AtomicBool,
}

impl<'a> Budget<'a> {
    /// So many, unless `stop` becomes true.
    pub(super) const fn new(count: u32, stop: &'a AtomicBool) -> Self {
        Self {
            left: AtomicU32::new(count),
            stop,
            is_full: AtomicBool::new(false),
        }
    }

    /// Returns whether the search stops, however many are left.
    fn stops(&self) -> bool {
        self.stop.load(Relaxed) || self.is_full.load(Relaxed)
    }

    /// Returns whether there are none to be made.
    fn is_spent(&self) -> bool {
        self.stops() || self.left.load(Relaxed) == 0
    }

    /// Takes one; false when there are none to be made.
    fn take(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        !self.stops() && self.left.fetch_update(Relaxed, Relaxed, less).is_ok()
    }

    /// One that was taken was not made.
    fn give_back(&self) {
        self.left.fetch_add(1, Relaxed);
    }
}

/// A thread of a search at work.
pub(super) struct Playouts<'a, E> {
    pub(super) game: Game,
    pub(super) params: &'a PuctParams,
    pub(super) tree: &'a Tree,
    pub(super) mates: LeafSolver,
    pub(super) evaluator: &'a mut E,
    pub(super) root_side: Color,
}

impl<E: PolicyValueEvaluator> Playouts<'_, E> {
    /// Gives the root its moves and their priors.
    pub(super) fn expand_root(&mut self) {
        let moves = self.moves();
        if self.tree.expand(Tree::ROOT, &moves) && !moves.is_empty() {
            self.evaluator.put(0, self.game.position());
            self.evaluator.evaluate(1);
            self.take_output(0, Tree::ROOT);
        }
    }

    /// Makes playouts as long as `budget` has some.
    pub(super) fn run(&mut self, budget: &Budget<'_>) {
        if self.tree.edge_count(Tree::ROOT) == 0 {
            return;
        }
        let places = self.evaluator.max_batch();
        let mut waiting: Vec<Waiting> = Vec::with_capacity(places);
        let mut discarded: Vec<Vec<EdgeId>> = Vec::new();
        loop {
            for _ in 0..places {
                if !budget.take() {
                    break;
                }
                let (path, arrival) = self.descend();
                let depth = path.len();
                match arrival {
                    Arrival::Known(result) => self.back_up(&path, result),
                    Arrival::New(node) => {
                        self.evaluator.put(waiting.len(), self.game.position());
                        waiting.push(Waiting { path, node });
                    }
                    Arrival::Awaited | Arrival::Full => {
                        budget.give_back();
                        let is_full = matches!(arrival, Arrival::Full);
                        budget.is_full.fetch_or(is_full, Relaxed);
                        discarded.push(path);
                    }
                }
                for _ in 0..depth {
                    self.game.undo();
                }
            }
            let is_idle = waiting.is_empty() && !discarded.is_empty();
            self.evaluator.evaluate(waiting.len());
            for path in discarded.drain(..) {
                for edge in path {
                    self.tree.take_visit_back(edge);
                }
            }
            for (place, playout) in waiting.drain(..).enumerate() {
                let value = self.take_output(place, playout.node);
                self.back_up(&playout.path, 1.0 - value);
            }
            if budget.is_spent() {
                return;
            }
            if is_idle {
                std::thread::yield_now();
            }
        }
    }

    /// Goes down by the choice of [`select`], counting a visit (a virtual loss) on the way.
    fn descend(&mut self) -> (Vec<EdgeId>, Arrival) {
        let tree = self.tree;
        let mut path: Vec<EdgeId> = Vec::new();
        let mut node = Tree::ROOT;
        loop {
            if !tree.make_counts(node) {
                return (path, Arrival::Full);
            }
            let is_root = node == Tree::ROOT;
            let chosen = select(tree.counts(node), tree.edges(node), self.params, is_root);
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
            self.game.play(m);
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
        let (flags, result) = if let Some(end) = self.game_end(side) {
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

    /// How the game ends in the position, if rules say so: what that proves, and the result for the player of the last move.
    fn game_end(&mut self, side: Color) -> Option<(Flags, f32)> {
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
                let mut mates = || {
                    let answer = self.mates.solve(position, nodes.into());
                    matches!(answer, LeafAnswer::Mate { .. })
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
    fn take_output(&mut self, place: usize, node: NodeId) -> f32 {
        let output = self.evaluator.output(place);
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
