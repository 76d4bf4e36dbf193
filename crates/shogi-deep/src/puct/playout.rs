//! Playouts: down the tree to a new position, its value, and back.

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Game, Move, Position, Repetition};
use shogi_mate::{LeafAnswer, LeafSolver};

use super::PuctParams;
use super::select::select;
use super::tree::{Flags, NO_NODE, NodeId, Tree};
use crate::{PolicyLabel, PolicyValue, PolicyValueEvaluator};

/// An edge: its node and its number there.
type EdgeId = (NodeId, usize);

/// The end of a way down the tree.
enum Arrival {
    /// The result for the player of the last move, 0 to 1.
    Known(f32),
    /// A new node, whose value is to come.
    New(NodeId),
    /// A node whose value is to come from an earlier playout of this batch.
    Awaited,
}

/// A playout that waits for the evaluator.
struct Waiting {
    path: Vec<EdgeId>,
    node: NodeId,
}

/// A search at work.
pub(super) struct Playouts<'a, E> {
    pub(super) game: &'a mut Game,
    pub(super) params: &'a PuctParams,
    pub(super) tree: &'a mut Tree,
    pub(super) mates: &'a mut LeafSolver,
    pub(super) evaluator: &'a mut E,
    pub(super) root_side: Color,
}

impl<E: PolicyValueEvaluator> Playouts<'_, E> {
    /// Gives the root its moves and their priors.
    pub(super) fn expand_root(&mut self) {
        if self.expand(Tree::ROOT) {
            self.evaluator.put(0, self.game.position());
            self.evaluator.evaluate(1);
            self.take_output(0, Tree::ROOT);
        }
    }

    /// Makes `count` playouts.
    pub(super) fn run(&mut self, count: u32) {
        if self.tree.edges(Tree::ROOT).is_empty() {
            return;
        }
        let mut done = 0;
        let places = self.evaluator.max_batch();
        let mut waiting: Vec<Waiting> = Vec::with_capacity(places);
        let mut discarded: Vec<Vec<EdgeId>> = Vec::new();
        while done < count {
            let mut tries = 0;
            while done < count && tries < places {
                tries += 1;
                let (path, arrival) = self.descend();
                let depth = path.len();
                match arrival {
                    Arrival::Known(result) => {
                        self.back_up(&path, result);
                        done += 1;
                    }
                    Arrival::New(node) => {
                        self.evaluator.put(waiting.len(), self.game.position());
                        waiting.push(Waiting { path, node });
                        done += 1;
                    }
                    Arrival::Awaited => discarded.push(path),
                }
                self.back_to_root(depth);
            }
            self.evaluator.evaluate(waiting.len());
            for path in discarded.drain(..) {
                self.take_back(&path);
            }
            for (place, playout) in waiting.drain(..).enumerate() {
                let value = self.take_output(place, playout.node);
                self.back_up(&playout.path, 1.0 - value);
            }
        }
    }

    /// Goes down by the choice of [`select`], counting a visit (a virtual loss) on the way.
    fn descend(&mut self) -> (Vec<EdgeId>, Arrival) {
        let mut path: Vec<EdgeId> = Vec::new();
        let mut node = Tree::ROOT;
        loop {
            let edges = self.tree.edges(node);
            let chosen = select(self.tree.node(node), edges, self.params, node == Tree::ROOT);
            let edge = edges[chosen.edge];
            match (chosen.proves, path.last()) {
                (None, _) => self.tree.node_mut(node).prior_sum += edge.prior,
                (Some(flags), Some(&(parent, number))) => {
                    self.tree.edges_mut(parent)[number].flags.add(flags);
                }
                (Some(_), None) => {}
            }
            self.tree.node_mut(node).visits += 1;
            self.tree.edges_mut(node)[chosen.edge].visits += 1;
            self.game.play(edge.m);
            path.push((node, chosen.edge));
            let side = self.game.position().side_to_move();
            if edge.child == NO_NODE {
                let arrival = self.arrive_first((node, chosen.edge), side);
                return (path, arrival);
            }
            let result = if edge.flags.has(Flags::WIN) {
                0.0
            } else if edge.flags.has(Flags::LOSE) {
                1.0
            } else if edge.flags.has(Flags::DRAW) {
                self.draw_result(side)
            } else if !self.tree.node(edge.child).is_evaluated {
                return (path, Arrival::Awaited);
            } else {
                node = edge.child;
                continue;
            };
            return (path, Arrival::Known(result));
        }
    }

    /// Takes back the moves of a playout.
    fn back_to_root(&mut self, depth: usize) {
        for _ in 0..depth {
            self.game.undo();
        }
    }

    /// The first visit of the position behind an edge.
    fn arrive_first(&mut self, (node, number): EdgeId, side: Color) -> Arrival {
        let child = self.tree.add_node();
        let (flags, result) = match self.game_end(side) {
            Some(end) => end,
            None if self.expand(child) => {
                self.tree.edges_mut(node)[number].child = child;
                return Arrival::New(child);
            }
            None => (Flags::LOSE, 1.0),
        };
        let edge = &mut self.tree.edges_mut(node)[number];
        edge.child = child;
        edge.flags.add(flags);
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

    /// Gives a node the moves of the position; false when there are none.
    fn expand(&mut self, node: NodeId) -> bool {
        let moves = legal_moves(self.game.position(), self.params.generate_all_legal_moves);
        self.tree.expand(node, &moves);
        !moves.is_empty()
    }

    /// Makes the output of a place the priors of a node's moves; gives the value for its side to move.
    fn take_output(&mut self, place: usize, node: NodeId) -> f32 {
        let PolicyValue { logits, value } = self.evaluator.output(place);
        let per_temperature = 1.0 / self.params.softmax_temperature;
        let edges = self.tree.edges_mut(node);
        let mut most = f32::NEG_INFINITY;
        for edge in edges.iter_mut() {
            edge.prior = logits[PolicyLabel::new(edge.m).index()] * per_temperature;
            most = most.max(edge.prior);
        }
        let mut sum = 0.0;
        for edge in edges.iter_mut() {
            edge.prior = (edge.prior - most).exp();
            sum += edge.prior;
        }
        for edge in edges {
            edge.prior /= sum;
        }
        let value = *value;
        self.tree.node_mut(node).is_evaluated = true;
        value
    }

    /// Adds a result, seen by the player of the last move, to the edges of a path.
    fn back_up(&mut self, path: &[EdgeId], mut result: f32) {
        for &(node, number) in path.iter().rev() {
            self.tree.node_mut(node).wins += result;
            self.tree.edges_mut(node)[number].wins += result;
            result = 1.0 - result;
        }
    }

    /// Takes back the visits of a playout that came to nothing.
    fn take_back(&mut self, path: &[EdgeId]) {
        for &(node, number) in path {
            self.tree.node_mut(node).visits -= 1;
            self.tree.edges_mut(node)[number].visits -= 1;
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
