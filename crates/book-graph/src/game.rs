//! Values of a two-player game on a graph with cycles.
//!
//! A move in a cycle may repeat a position, depending on the game so far, so a position would have one value for every
//! path to it. Instead it gets its value in the game without history: play may go on for ever, the game is worth the
//! value of the move out of the cycles, and a game that never leaves them has a value of its own, for both players the
//! same number. This is a deterministic graphical game (Washburn 1990), and has a value that both players can secure with
//! moves that depend only on the position. It is found by retrograde analysis (Andersson, Hansen, Miltersen, Sørensen:
//! "Deterministic Graphical Games Revisited", 2008): ends better for one player than an endless game are taken from the
//! best down, and that player's nodes that can reach one and the other's that cannot avoid it get its value; likewise for
//! the other player; all other nodes are endless. Every edge is visited once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::adjacency::{Graph, Offsets};
use crate::components::components;

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The one for whom the value of an endless play is given.
    First,
    /// The other.
    Second,
}

/// A move of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its place among the node's moves, which comes back in [`NodeValue::place`].
    pub place: u16,
    /// Place where it leads.
    pub to: MoveTarget,
}

/// The target of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveTarget {
    /// To an end: its value for the mover, and the plies behind it to where that comes from.
    End {
        /// Value for the mover.
        value: i32,
        /// Plies.
        depth: u32,
    },
    /// To a node.
    Node(u32),
}

/// The value of a node for the player who moves there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeValue {
    /// The place of the move that has it.
    pub place: u16,
    /// The value.
    pub value: i32,
    /// Plies to where it comes from.
    pub depth: u32,
}

/// A game: the nodes of one component, with their moves.
#[derive(Debug, Default)]
pub struct CyclicGame {
    mover: Vec<Player>,
    /// By node: its moves.
    rows: Offsets,
    moves: Vec<Move>,
    /// Value for the first player of a play that never ends.
    endless: i32,
}

/// An event: a node has a move of this value, for the player who is being served. Better values come first, among equal
/// ones those found first.
type Event = (i32, Reverse<u64>, u32);

impl CyclicGame {
    /// A game without nodes in which a play that never ends is worth `endless` to the first player.
    pub fn new(endless: i32) -> Self {
        Self {
            endless,
            ..Self::default()
        }
    }

    /// Adds a node with its moves, and returns its number, counted from 0.
    pub fn add(&mut self, mover: Player, moves: impl IntoIterator<Item = Move>) -> u32 {
        self.mover.push(mover);
        self.moves.extend(moves);
        self.rows.push(self.moves.len());
        self.mover.len() as u32 - 1
    }

    /// Solves the game. `before` is the value of a move that leads to a node of the given value, each for the player who
    /// moves there: the negative, or what a mate becomes on its way up. It must turn the order of values round.
    ///
    /// By node; `None` for one without any move.
    pub fn solve(&self, before: impl Fn(i32) -> i32) -> Vec<Option<NodeValue>> {
        let mut solver = Solver {
            game: self,
            graph: self.graph(|_| true),
            before,
            found: vec![None; self.mover.len()],
        };
        for player in [Player::First, Player::Second] {
            solver.attract(player);
        }
        solver.finish_endless();
        solver.found
    }

    fn moves(&self, node: u32) -> &[Move] {
        &self.moves[self.rows.range(node)]
    }

    fn nodes(&self) -> std::ops::Range<u32> {
        0..self.mover.len() as u32
    }

    /// The moves between nodes of which all are `of`.
    fn graph(&self, of: impl Fn(u32) -> bool) -> Graph {
        let mut edges = Vec::new();
        for from in self.nodes().filter(|&from| of(from)) {
            edges.extend(self.moves(from).iter().filter_map(|m| match m.to {
                MoveTarget::Node(to) if of(to) => Some((from, to)),
                _ => None,
            }));
        }
        Graph::new(self.mover.len(), &edges)
    }

    /// The value of an endless game for the player who moves at `node`.
    fn endless_for(&self, node: u32) -> i32 {
        self.for_mover(node, self.endless)
    }
}

/// Nodes that lead to each other, among which a play that never ends has a value of its own.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The nodes.
    pub nodes: Vec<u32>,
    /// The value of a play that stays among them, for the first player.
    pub endless: i32,
}

impl CyclicGame {
    /// The strongly connected components of several nodes among the nodes that are `of`.
    pub fn components(&self, of: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let found = components(self.graph(of).forward(), self.nodes());
        let found = found.iter().filter(|nodes| nodes.len() > 1);
        found.map(<[u32]>::to_vec).collect()
    }

    /// Solves a game in which a play that stays in one of the `loops`, which have no node in common, has the value of that
    /// loop: the values of the nodes, each of which must have a move. `before` is as for [`Self::solve`], whose values these
    /// are if there is no loop.
    ///
    /// Let the game be cut off as an endless one after so many moves: from some number of moves on its values do not change
    /// any more. So all nodes begin with the value of an endless play, and sweeps over them make the values right: for a
    /// component of few nodes that is quicker than retrograde analysis. The loops are solved by themselves in every sweep,
    /// with the values around them as they are.
    pub fn solve_with_loops(&self, before: impl Fn(i32) -> i32, loops: &[Loop]) -> Vec<i32> {
        let mut sweeps = Sweeps {
            game: self,
            before,
            values: self.nodes().map(|node| self.endless_for(node)).collect(),
        };
        let mut is_in_loop = vec![false; self.mover.len()];
        for &node in loops.iter().flat_map(|of| &of.nodes) {
            is_in_loop[node as usize] = true;
        }
        let outside: Vec<u32> = self
            .nodes()
            .filter(|&node| !is_in_loop[node as usize])
            .collect();
        // As many sweeps as there are nodes are enough; nearly always a few are.
        for _ in 0..=2 * self.mover.len() {
            let mut changed = false;
            for of in loops {
                changed |= sweeps.solve_loop(of);
            }
            changed |= sweeps.sweep(&outside);
            if !changed {
                break;
            }
        }
        sweeps.values
    }

    /// The value for the player who moves at `node` of what is worth `value` to the first player.
    fn for_mover(&self, node: u32, value: i32) -> i32 {
        match self.mover[node as usize] {
            Player::First => value,
            Player::Second => -value,
        }
    }
}

/// Value iteration.
struct Sweeps<'a, F> {
    game: &'a CyclicGame,
    before: F,
    values: Vec<i32>,
}

impl<F: Fn(i32) -> i32> Sweeps<'_, F> {
    /// Gives every one of `nodes` the value of its best move; whether any is another one.
    fn sweep(&mut self, nodes: &[u32]) -> bool {
        let mut changed = false;
        for &node in nodes {
            let moves = self.game.moves(node).iter().map(|m| match m.to {
                MoveTarget::End { value, .. } => value,
                MoveTarget::Node(to) => (self.before)(self.values[to as usize]),
            });
            let best = moves.max().expect("every node has a move");
            changed |= std::mem::replace(&mut self.values[node as usize], best) != best;
        }
        changed
    }

    /// Solves a loop with the values around it as they are; whether it changed.
    fn solve_loop(&mut self, of: &Loop) -> bool {
        let values = |sweeps: &Self| -> Vec<i32> {
            let nodes = of.nodes.iter();
            nodes.map(|&node| sweeps.values[node as usize]).collect()
        };
        let old = values(self);
        for &node in &of.nodes {
            self.values[node as usize] = self.game.for_mover(node, of.endless);
        }
        for _ in 0..=2 * of.nodes.len() {
            if !self.sweep(&of.nodes) {
                break;
            }
        }
        values(self) != old
    }
}

struct Solver<'a, F> {
    game: &'a CyclicGame,
    graph: Graph,
    before: F,
    found: Vec<Option<NodeValue>>,
}

impl<F: Fn(i32) -> i32> Solver<'_, F> {
    /// Finds the nodes from which `player` gets more than from an endless game.
    fn attract(&mut self, player: Player) {
        let game = self.game;
        let sign = |node: u32| {
            if game.mover[node as usize] == player {
                1
            } else {
                -1
            }
        };
        let endless = if player == Player::First {
            game.endless
        } else {
            -game.endless
        };
        let mut events = BinaryHeap::new();
        let mut count = 0..;
        let mut push = |events: &mut BinaryHeap<Event>, value, node| {
            if value > endless {
                events.extend(count.next().map(|count| (value, Reverse(count), node)));
            }
        };
        let mut open: Vec<_> = game.nodes().map(|node| game.moves(node).len()).collect();
        for node in game.nodes() {
            for m in game.moves(node) {
                if let MoveTarget::End { value, .. } = m.to {
                    push(&mut events, value * sign(node), node);
                }
            }
        }
        while let Some((value, _, node)) = events.pop() {
            if self.found[node as usize].is_some() {
                continue;
            }
            open[node as usize] -= 1;
            if game.mover[node as usize] != player && open[node as usize] > 0 {
                continue;
            }
            self.settle(node, value * sign(node));
            let before = (self.before)(value * sign(node));
            for &previous in self.graph.predecessors(node) {
                push(&mut events, before * sign(previous), previous);
            }
        }
    }

    /// Gives a node its value, which one of its moves that are known by now has.
    fn settle(&mut self, node: u32, value: i32) {
        let found = self.game.moves(node).iter().find_map(|m| {
            let depth = match m.to {
                MoveTarget::End { value: end, depth } => (end == value).then_some(depth),
                MoveTarget::Node(to) => self.found[to as usize]
                    .filter(|next| (self.before)(next.value) == value)
                    .map(|next| next.depth.saturating_add(1)),
            };
            depth.map(|depth| (m.place, depth))
        });
        let (place, depth) = found.expect("a move that is known has the value");
        self.found[node as usize] = Some(NodeValue {
            place,
            value,
            depth,
        });
    }

    /// All nodes that are left are worth an endless game. Each has a move that keeps that.
    fn finish_endless(&mut self) {
        let game = self.game;
        // Target of the best move: a node that is also left, or `None` for a move out.
        let mut next = vec![None; self.found.len()];
        let is_left: Vec<bool> = self.found.iter().map(Option::is_none).collect();
        for node in game.nodes().filter(|&node| is_left[node as usize]) {
            let value = game.endless_for(node);
            let found = game.moves(node).iter().find(|m| match m.to {
                MoveTarget::End { value: end, .. } => end == value,
                MoveTarget::Node(to) => is_left[to as usize],
            });
            let Some(m) = found else { continue };
            let depth = match m.to {
                MoveTarget::End { depth, .. } => depth,
                MoveTarget::Node(to) => {
                    next[node as usize] = Some(to);
                    0
                }
            };
            self.found[node as usize] = Some(NodeValue {
                place: m.place,
                value,
                depth,
            });
        }
        let depth_of = |node: u32| self.found[node as usize].map_or(0, |found| found.depth);
        for (node, depth) in distances(&next, depth_of) {
            if let Some(found) = &mut self.found[node as usize] {
                found.depth = depth;
            }
        }
    }
}

/// Plies along `next` to the end of the way, or until it repeats a node; `end` is the depth where a
/// way ends. Yields each node that has a next one with its number of plies.
fn distances(next: &[Option<u32>], end: impl Fn(u32) -> u32) -> Vec<(u32, u32)> {
    let mut known: Vec<Option<u32>> = vec![None; next.len()];
    let mut place = vec![u32::MAX; next.len()];
    let mut way = Vec::new();
    for start in 0..next.len() as u32 {
        let mut at = start;
        let mut depth = loop {
            if let Some(depth) = known[at as usize] {
                break depth;
            }
            if place[at as usize] != u32::MAX {
                // A cycle: as many plies from each of its nodes as it is long.
                let from = place[at as usize] as usize;
                let length = (way.len() - from) as u32;
                for number in way.drain(from..) {
                    let number: u32 = number;
                    known[number as usize] = Some(length);
                }
                break length;
            }
            let Some(to) = next[at as usize] else {
                break end(at);
            };
            place[at as usize] = way.len() as u32;
            way.push(at);
            at = to;
        };
        while let Some(number) = way.pop() {
            depth = depth.saturating_add(1);
            known[number as usize] = Some(depth);
        }
    }
    let known = known.into_iter().zip(0..);
    known
        .filter_map(|(depth, number)| depth.map(|depth| (number, depth)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{First, Second};

    const fn end(place: u16, value: i32) -> Move {
        Move {
            place,
            to: MoveTarget::End { value, depth: 0 },
        }
    }

    const fn to(place: u16, node: u32) -> Move {
        Move {
            place,
            to: MoveTarget::Node(node),
        }
    }

    #[test]
    fn a_player_leaves_a_cycle_when_that_is_better_than_an_endless_game() {
        for (endless, first, second) in [(0, 5, -5), (7, 7, -7)] {
            let mut game = CyclicGame::new(endless);
            // The first player may leave with 5, the second only by losing 9.
            game.add(First, [to(0, 1), end(1, 5)]);
            game.add(Second, [to(0, 0), end(1, -9)]);
            let found = game.solve(|value| -value);
            assert_eq!(found[0].unwrap().value, first, "{endless}");
            assert_eq!(found[1].unwrap().value, second, "{endless}");
            let place = u16::from(endless == 0);
            assert_eq!(found[0].unwrap().place, place);
        }
    }

    #[test]
    fn a_node_without_a_move_has_no_value() {
        let mut game = CyclicGame::default();
        game.add(First, []);
        assert_eq!(game.solve(|value| -value), [None]);
    }

    proptest::proptest! {
        #[test]
        fn sweeps_find_the_values_of_retrograde_analysis(
            nodes in proptest::collection::vec(
                proptest::collection::vec((0..6u32, -5..5i32), 1..4),
                8,
            ),
            endless in -5..5i32,
        ) {
            let mut game = CyclicGame::new(endless);
            for (node, moves) in (0..).zip(nodes) {
                // The players move in turn.
                let other = 1 - node % 2;
                let moves = (0..).zip(moves).map(|(place, (half, value))| {
                    if half < 4 { to(place, 2 * half + other) } else { end(place, value) }
                });
                game.add([First, Second][node as usize % 2], moves);
            }
            let found = game.solve(|value| -value);
            let values = game.solve_with_loops(|value| -value, &[]);
            proptest::prop_assert_eq!(
                found.iter().map(|found| found.unwrap().value).collect::<Vec<_>>(),
                values
            );
        }
    }

    #[test]
    fn a_play_that_stays_in_a_loop_has_the_value_of_the_loop() {
        let mut game = CyclicGame::new(0);
        // 0 <-> 1 is a loop that the first player wins by 50; the second may leave it to 2, and lose 20.
        game.add(First, [to(0, 1), end(1, 5)]);
        game.add(Second, [to(0, 0), to(1, 2)]);
        game.add(First, [end(0, 20), to(1, 1)]);
        let loops = [Loop {
            nodes: vec![0, 1],
            endless: 50,
        }];
        assert_eq!(game.components(|node| node < 2), [[1, 0]]);
        let values = game.solve_with_loops(|value| -value, &loops);
        assert_eq!(values, [20, -20, 20]);
    }

    #[test]
    fn ways_end_where_they_repeat() {
        // 0 -> 1 -> 2 -> 3 -> 1; 4 -> 5, which ends after 7 plies; 6 -> 4.
        let next = [Some(1), Some(2), Some(3), Some(1), Some(5), None, Some(4)];
        let found = distances(&next, |_| 7);
        assert_eq!(found, [(0, 4), (1, 3), (2, 3), (3, 3), (4, 8), (6, 9)]);
    }
}
