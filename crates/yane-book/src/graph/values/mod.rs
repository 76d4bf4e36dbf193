//! Values of positions from the values at the ends of the book, by negamax over the whole graph.
//!
//! Work grows linearly with the number of links (but for sorting of values within cycles), nothing
//! recurses, and no value depends on the order in which positions are visited:
//!
//! 1. [`Judge`] collects the moves of a linked book that matter in [`GraphMoves`].
//! 2. From some roots the reachable nodes are found, and their strongly connected components.
//! 3. A move back to a position that every line from the roots has passed (a dominator) repeats it in
//!    any game, and ends the game there (`repetition`): a draw, or, if one side was in check in every
//!    position of the loop in which it had the move, a loss for the side that gave the checks.
//! 4. Positions get their values after all those that they lead to. Those that lie on cycles even now
//!    are solved together ([`book_graph::game`]).
//!
//! On a graph without cycles this is plain negamax. What it does not see, because it depends on the
//! game and not on the position: that a line has come back to the same board with more or fewer
//! pieces in hand, and that a cycle which can be entered at several places was entered in such a way
//! that a move inside repeats a position.

mod graph_moves;
mod solution;

use book_graph::game::{CyclicGame, Move, MoveTarget, Player};
use book_graph::{Components, Dominators, Graph, NO_NODE, components};
use shogi_core::Color;

use graph_moves::MoveKind;
use solution::PERPETUAL;

use crate::BookMove;
use crate::graph::customary_order;
pub(crate) use graph_moves::{Facts, GraphMoves, Judge};
use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, Position};
pub(crate) use solution::{MateStep, Rules, Solution};

/// The solved part of the graph that can be reached from the roots.
#[derive(Debug)]
pub(crate) struct Values {
    /// The moves, repetitions ended.
    pub(crate) moves: GraphMoves,
    /// By node: the fewest plies from a root to it, plus one; 0 when it cannot be reached.
    pub(crate) distance: Vec<u32>,
    /// A solution for each of the rules.
    pub(crate) solutions: Vec<Solution>,
    /// Number of nodes that can be reached.
    pub(crate) reached: u64,
    /// Number of nodes in sets that lie on common cycles.
    pub(crate) cyclic: u64,
    /// Number of moves that repeat a position in any game.
    pub(crate) repetitions: u64,
}

impl Values {
    /// Solves the part of the graph that can be reached from `roots` under each of `rules`.
    pub(crate) fn new(mut moves: GraphMoves, roots: &[u32], rules: &[Rules]) -> Self {
        let distance = distances(&moves, roots);
        let found = components(moves.adjacency(), roots.iter().copied());
        let cyclic = found.iter().filter(|nodes| nodes.len() > 1);
        let cyclic = cyclic.map(|nodes| nodes.len() as u64).sum();
        let repetitions = end_repetitions(&mut moves, &found, roots);
        // A move that ended led back to a node that was passed before, so every node is still reached.
        let found = if repetitions > 0 {
            components(moves.adjacency(), roots.iter().copied())
        } else {
            found
        };
        let solutions = rules
            .iter()
            .map(|&rules| solve(&moves, &found, rules))
            .collect();
        Self {
            reached: found.order().len() as u64,
            moves,
            distance,
            solutions,
            cyclic,
            repetitions,
        }
    }
}

/// Breadth first: by node, plies from the nearest root plus one; 0 for what is not reached.
fn distances(moves: &GraphMoves, roots: &[u32]) -> Vec<u32> {
    let mut distance = vec![0; moves.len()];
    let mut queue = Vec::new();
    for &root in roots {
        if distance[root as usize] == 0 {
            distance[root as usize] = 1;
            queue.push(root);
        }
    }
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for at in moves.range(node) {
            if let Some(target) = moves.target(at)
                && distance[target as usize] == 0
            {
                distance[target as usize] = distance[node as usize] + 1;
                queue.push(target);
            }
        }
    }
    distance
}

/// Values of all nodes of `components`, the components of `moves`.
fn solve(moves: &GraphMoves, components: &Components, rules: Rules) -> Solution {
    let mut solution = Solution::unknown(moves, rules);
    let mut local = vec![0; moves.len()];
    for nodes in components.iter() {
        if let &[node] = nodes {
            solution.solve_alone(moves, node);
        } else {
            solve_cyclic(&mut solution, moves, nodes, &mut local);
        }
    }
    solution
}

/// Gives all `nodes` of a component with cycles their values, those of the game in which nobody looks back
/// ([`book_graph::game`]). What is left of the cycles when the moves that repeat a position in any case are ended can be
/// entered at several places. The values of the nodes that the component leads to are there. `local` has a place for every
/// node of the book.
fn solve_cyclic(solution: &mut Solution, moves: &GraphMoves, nodes: &[u32], local: &mut [u32]) {
    for (number, &node) in nodes.iter().enumerate() {
        local[node as usize] = number as u32;
    }
    let inside = |target: u32| {
        let number = local[target as usize];
        (nodes.get(number as usize) == Some(&target)).then_some(number)
    };
    let mut game = CyclicGame::new(endless(solution, moves, nodes));
    for &node in nodes {
        let mover = match moves.facts[node as usize].color() {
            Color::Black => Player::First,
            Color::White => Player::Second,
        };
        let of_node = moves.range(node).enumerate().filter_map(|(place, at)| {
            let to = if let Some(to) = moves.target(at).and_then(inside) {
                MoveTarget::Node(to)
            } else {
                let worth = solution.worth(moves, node, at)?;
                MoveTarget::End {
                    value: worth.value,
                    depth: worth.depth,
                }
            };
            Some(Move {
                place: place as u16,
                to,
            })
        });
        game.add(mover, of_node);
    }
    let found = game.solve(|value| solution.before(value));
    for (&node, found) in nodes.iter().zip(found) {
        if let Some(found) = found {
            solution.set(node, found.place, found.value, found.depth);
        }
    }
}

/// Value for black of a game that stays among `nodes`: a draw, or perpetual check if one side is in
/// check whenever it moves.
fn endless(solution: &Solution, moves: &GraphMoves, nodes: &[u32]) -> i32 {
    let always_checked = |color: Color| {
        let mut facts = nodes.iter().map(|&node| moves.facts[node as usize]);
        facts.all(|facts| facts.color() != color || facts.has(Facts::CHECK))
    };
    match Color::ALL.map(always_checked) {
        [true, false] => PERPETUAL,
        [false, true] => -PERPETUAL,
        _ => solution.draw(),
    }
}

// Moves that repeat a position whatever the game before.

/// A loop with more positions than this is taken for a draw without looking whether it is a perpetual
/// check. It keeps the work linear; nobody checks a thousand times.
const LOOP_LIMIT: usize = 1024;

/// Finds the moves that lead from a position to one that every game has passed on its way there, and
/// turns them into moves that end the game: a draw, or won or lost by perpetual check. Returns how
/// many there are.
fn end_repetitions(moves: &mut GraphMoves, components: &Components, roots: &[u32]) -> u64 {
    let mut is_entry = vec![false; moves.len()];
    for &root in roots {
        is_entry[root as usize] = true;
    }
    for &node in components.order() {
        for at in moves.range(node) {
            if let Some(target) = moves.target(at)
                && !components.are_together(target, node)
            {
                is_entry[target as usize] = true;
            }
        }
    }
    let mut local = vec![0; moves.len()];
    let mut ended = 0;
    for nodes in components.iter().filter(|nodes| nodes.len() > 1) {
        ended += Cycles::new(moves, components, nodes, &is_entry, &mut local).end(moves);
    }
    ended
}

/// A component with cycles.
struct Cycles<'a> {
    /// By local number: the node.
    nodes: &'a [u32],
    /// By node: the local number.
    local: &'a [u32],
    graph: Graph,
    dominators: Dominators,
    facts: Vec<Facts>,
}

impl<'a> Cycles<'a> {
    fn new(
        moves: &GraphMoves,
        components: &Components,
        nodes: &'a [u32],
        is_entry: &[bool],
        local: &'a mut [u32],
    ) -> Self {
        for (number, &node) in nodes.iter().enumerate() {
            local[node as usize] = number as u32;
        }
        let mut edges = Vec::new();
        for (number, &node) in nodes.iter().enumerate() {
            for at in moves.range(node) {
                if let Some(target) = moves.target(at)
                    && components.are_together(target, node)
                {
                    edges.push((number as u32, local[target as usize]));
                }
            }
        }
        let graph = Graph::new(nodes.len(), &edges);
        let entries: Vec<_> = (0..nodes.len() as u32)
            .filter(|&number| is_entry[nodes[number as usize] as usize])
            .collect();
        Self {
            dominators: Dominators::new(&graph, &entries),
            facts: nodes
                .iter()
                .map(|&node| moves.facts[node as usize])
                .collect(),
            nodes,
            local,
            graph,
        }
    }

    /// Returns whether `target` is a node of this component, and which.
    fn number_of(&self, target: u32) -> Option<u32> {
        let number = self.local[target as usize];
        (self.nodes.get(number as usize) == Some(&target)).then_some(number)
    }

    /// Ends the moves that lead back to a dominator.
    fn end(&self, moves: &mut GraphMoves) -> u64 {
        let mut ended = 0;
        let mut seen = Seen::new(self.nodes.len());
        // The walk's way to the current node; a dominator of it is always on it.
        let mut way: Vec<u32> = Vec::new();
        let mut depth = vec![0usize; self.nodes.len()];
        for (number, from) in self.dominators.walked() {
            let at = from.map_or(0, |from| depth[from as usize] + 1);
            depth[number as usize] = at;
            way.truncate(at);
            way.push(number);
            let node = self.nodes[number as usize];
            for at in moves.range(node) {
                let Some(back) = moves.target(at).and_then(|target| self.number_of(target)) else {
                    continue;
                };
                if !self.dominators.dominates(back, number) {
                    continue;
                }
                let next = way[depth[back as usize] + 1];
                moves.ponder[at] = self.move_between(moves, back, next);
                moves.kind[at] = self.verdict(number, back, &mut seen);
                moves.target[at] = NO_NODE;
                ended += 1;
            }
        }
        ended
    }

    /// The first move that leads from one node to another.
    fn move_between(&self, moves: &GraphMoves, from: u32, to: u32) -> Option<shogi_core::Move16> {
        let (from, to) = (self.nodes[from as usize], self.nodes[to as usize]);
        moves
            .range(from)
            .find(|&at| moves.target(at) == Some(to))
            .map(|at| moves.mv[at])
    }

    /// Returns what the move from `last` back to `head`, which dominates it, is worth: looks at the natural
    /// loop of the move, all positions from which `last` can be reached without passing `head`.
    fn verdict(&self, last: u32, head: u32, seen: &mut Seen) -> MoveKind {
        let mut checked = [true; 2];
        seen.begin();
        seen.add(head);
        seen.add(last);
        let mut looked = 0;
        while let Some(&number) = seen.list.get(looked) {
            looked += 1;
            let facts = self.facts[number as usize];
            checked[facts.color().index()] &= facts.has(Facts::CHECK);
            if checked == [false; 2] || seen.list.len() > LOOP_LIMIT {
                return MoveKind::Draw;
            }
            if number != head {
                for &previous in self.graph.predecessors(number) {
                    seen.add(previous);
                }
            }
        }
        let mover = self.facts[last as usize].color();
        match Color::ALL.map(|color| checked[color.index()]) {
            [true, true] => MoveKind::Draw,
            [black, _] if black == (mover == Color::Black) => MoveKind::Win,
            _ => MoveKind::Lose,
        }
    }
}

/// A set of nodes that is emptied quickly.
struct Seen {
    stamp: Vec<u32>,
    now: u32,
    list: Vec<u32>,
}

impl Seen {
    fn new(len: usize) -> Self {
        Self {
            stamp: vec![0; len],
            now: 0,
            list: Vec::new(),
        }
    }

    fn begin(&mut self) {
        self.now += 1;
        self.list.clear();
    }

    fn add(&mut self, number: u32) {
        if self.stamp[number as usize] != self.now {
            self.stamp[number as usize] = self.now;
            self.list.push(number);
        }
    }
}

impl Values {
    /// Puts the moves of `node` in `moves` in the customary order: those that lead on with what
    /// `solution` says of them, the `registered` others with what the book says, depth 0.
    pub(crate) fn moves(
        &self,
        solution: &Solution,
        node: u32,
        position: &Position,
        registered: &[BookMove],
        moves: &mut Vec<BookMove>,
    ) {
        let graph = &self.moves;
        let mut known_moves: Vec<(u32, BookMove)> = Vec::new();
        for m in position.moves::<LegalAll>() {
            let mv = Move16::from(m);
            let row = graph
                .range(node)
                .find(|&at| graph.mv[at] == mv && graph.kind[at] != MoveKind::Leaf);
            let known = if let Some(at) = row {
                solution.worth(graph, node, at).map(|worth| BookMove {
                    ponder: worth.ponder,
                    eval: worth.value,
                    depth: worth.depth.min(i32::MAX as u32) as i32,
                    ..BookMove::new(Some(mv))
                })
            } else {
                let leaf = registered.iter().find(|known| known.mv == Some(mv));
                leaf.map(|known| BookMove {
                    depth: 0,
                    count: 1,
                    ..*known
                })
            };
            known_moves.extend(known.map(|known| (customary_order(position, m), known)));
        }
        known_moves.sort_unstable_by_key(|&(place, _)| place);
        moves.extend(known_moves.into_iter().map(|(_, known)| known));
    }

    /// The best reply to the move `mv` of `node` if it leads to a position that is solved.
    pub(crate) fn reply(
        &self,
        solution: &Solution,
        node: u32,
        mv: Option<Move16>,
    ) -> Option<Move16> {
        let mut moves = self.moves.range(node);
        let at = moves.find(|&at| Some(self.moves.mv[at]) == mv)?;
        solution.best_move(&self.moves, self.moves.target(at)?)
    }
}

#[cfg(test)]
mod tests;
