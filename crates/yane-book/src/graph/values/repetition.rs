//! Moves that repeat a position whatever the game was.

use super::graph_moves::{Facts, GraphMoves, MoveKind};
use book_graph::{Components, NO_NODE};
use book_graph::{Dominators, Graph};
use shogi_core::Color;

/// A loop with more positions than this is taken for a draw without looking whether it is a perpetual
/// check. It keeps the work linear; nobody checks a thousand times.
const LOOP_LIMIT: usize = 1024;

/// Finds the moves that lead from a position to one that every game has passed on its way there, and
/// turns them into moves that end the game: a draw, or won or lost by perpetual check. Returns how
/// many there are.
pub(super) fn end_repetitions(
    moves: &mut GraphMoves,
    components: &Components,
    roots: &[u32],
) -> u64 {
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
