//! Positions that lie on common cycles.
//!
//! What is left of the cycles when the moves that repeat a position in any case are ended can be
//! entered at several places. Whether a move there repeats a position depends on the game so far, so
//! a position would have one value for every way to it. It is given the value of the game in which
//! nobody looks back: play goes on as long as it likes, the game is worth what the move out of the
//! cycles is worth, and a game that never leaves them is a draw, for both players the same number.
//! This is a deterministic graphical game (Washburn 1990), and has a value that both players can
//! secure with moves that depend only on the position. It is found by going back from the ends
//! (Andersson, Hansen, Miltersen, Sørensen: "Deterministic Graphical Games Revisited", 2008): ends
//! better for black than a draw are taken from the best down, and black's positions that can reach
//! one and white's that cannot avoid it get its value; likewise for white from the other end; all
//! other positions are draws. Every link is looked at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use shogi_core::Color;

use super::dominators::SmallGraph;
use super::rows::{Facts, Rows};
use super::solution::{PERPETUAL, Solution};

/// Gives all `nodes` of a component their values; those of the nodes it leads to are there. `local`
/// has a place for every node of the book.
pub(super) fn solve(solution: &mut Solution, rows: &Rows, nodes: &[u32], local: &mut [u32]) {
    let mut game = Game::new(solution, rows, nodes, local);
    for side in Color::ALL {
        game.attract(solution, side);
    }
    game.draw_the_rest(solution);
}

/// A component and how far it is solved.
struct Game<'a> {
    /// By local number: the node.
    nodes: &'a [u32],
    graph: SmallGraph,
    /// By local number: who moves.
    mover: Vec<Color>,
    /// All moves, node by node.
    moves: Vec<Step>,
    /// By local number: where its moves begin.
    first: Vec<u32>,
    solved: Vec<bool>,
    /// Value for black of a game that never ends.
    endless: i32,
}

/// A move of a node.
#[derive(Clone, Copy)]
struct Step {
    /// Its place in the node's row.
    place: u16,
    to: To,
}

#[derive(Clone, Copy)]
enum To {
    /// Out of the component: value for the mover, and plies to where it comes from.
    End { value: i32, depth: u32 },
    /// To the node with this local number.
    Node(u32),
}

/// That a node has a move of this value, for the side that is being served; better values first,
/// among equal ones those found first.
type Event = (i32, Reverse<u64>, u32);

impl<'a> Game<'a> {
    fn new(solution: &Solution, rows: &Rows, nodes: &'a [u32], local: &mut [u32]) -> Self {
        for (number, &node) in nodes.iter().enumerate() {
            local[node as usize] = number as u32;
        }
        let inside = |target: u32| {
            let number = local[target as usize];
            (nodes.get(number as usize) == Some(&target)).then_some(number)
        };
        let (mut moves, mut first, mut links) = (Vec::new(), vec![0], Vec::new());
        for (number, &node) in nodes.iter().enumerate() {
            for (place, at) in rows.range(node).enumerate() {
                let to = if let Some(to) = rows.target(at).and_then(inside) {
                    links.push((number as u32, to));
                    To::Node(to)
                } else if let Some(worth) = solution.worth(rows, node, at) {
                    To::End {
                        value: worth.value,
                        depth: worth.depth,
                    }
                } else {
                    continue;
                };
                let place = place as u16;
                moves.push(Step { place, to });
            }
            first.push(moves.len() as u32);
        }
        let color = |&node: &u32| rows.facts[node as usize].color();
        Self {
            graph: SmallGraph::new(nodes.len(), &links),
            mover: nodes.iter().map(color).collect(),
            moves,
            first,
            solved: vec![false; nodes.len()],
            endless: endless(solution, rows, nodes),
            nodes,
        }
    }

    fn moves(&self, number: u32) -> &[Step] {
        let number = number as usize;
        &self.moves[self.first[number] as usize..self.first[number + 1] as usize]
    }

    /// Finds the nodes from which `side` gets more than from an endless game.
    fn attract(&mut self, solution: &mut Solution, side: Color) {
        let sign = |color: Color| if color == side { 1 } else { -1 };
        let endless = self.endless * sign(Color::Black);
        let mut events = BinaryHeap::new();
        let mut count = 0..;
        let mut push = |events: &mut BinaryHeap<Event>, value, number| {
            if value > endless {
                events.extend(count.next().map(|count| (value, Reverse(count), number)));
            }
        };
        let mut open: Vec<_> = self
            .first
            .windows(2)
            .map(|ends| ends[1] - ends[0])
            .collect();
        for number in 0..self.nodes.len() as u32 {
            for step in self.moves(number) {
                if let To::End { value, .. } = step.to {
                    push(
                        &mut events,
                        value * sign(self.mover[number as usize]),
                        number,
                    );
                }
            }
        }
        while let Some((value, _, number)) = events.pop() {
            if self.solved[number as usize] {
                continue;
            }
            let mover = self.mover[number as usize];
            open[number as usize] -= 1;
            if mover != side && open[number as usize] > 0 {
                continue;
            }
            self.settle(solution, number, value * sign(mover));
            let before = solution.before(value * sign(mover));
            for &previous in self.graph.previous(number) {
                let previous_mover = self.mover[previous as usize];
                push(&mut events, before * sign(previous_mover), previous);
            }
        }
    }

    /// Gives a node its value, which one of its moves that are known by now has.
    fn settle(&mut self, solution: &mut Solution, number: u32, value: i32) {
        let found = self.moves(number).iter().find_map(|step| match step.to {
            To::End { value: end, depth } => (end == value).then_some((step.place, depth)),
            To::Node(to) => {
                let node = self.nodes[to as usize];
                let known = self.solved[to as usize];
                (known && solution.value_before(node) == value)
                    .then(|| (step.place, solution.depth(node).saturating_add(1)))
            }
        });
        if let Some((place, depth)) = found {
            solution.set(self.nodes[number as usize], place, value, depth);
        }
        self.solved[number as usize] = true;
    }

    /// All nodes that are left are draws. Each has a move that keeps the draw.
    fn draw_the_rest(&self, solution: &mut Solution) {
        let value = |number: u32| match self.mover[number as usize] {
            Color::Black => self.endless,
            Color::White => -self.endless,
        };
        // Where the best move leads: to a node that is left, too, or out.
        let mut next = vec![None; self.nodes.len()];
        let left = || (0..self.nodes.len() as u32).filter(|&number| !self.solved[number as usize]);
        for number in left() {
            let found = self.moves(number).iter().find(|step| match step.to {
                To::End { value: end, .. } => end == value(number),
                To::Node(to) => !self.solved[to as usize],
            });
            if let Some(step) = found {
                let depth = match step.to {
                    To::End { depth, .. } => depth,
                    To::Node(to) => {
                        next[number as usize] = Some(to);
                        0
                    }
                };
                let node = self.nodes[number as usize];
                solution.set(node, step.place, value(number), depth);
            }
        }
        for (number, depth) in
            distances(&next, |number| solution.depth(self.nodes[number as usize]))
        {
            solution.set_depth(self.nodes[number as usize], depth);
        }
    }
}

/// Value for black of a game that stays among `nodes`: a draw, or perpetual check if one side is in
/// check whenever it moves.
fn endless(solution: &Solution, rows: &Rows, nodes: &[u32]) -> i32 {
    let always_checked = |color: Color| {
        let mut facts = nodes.iter().map(|&node| rows.facts[node as usize]);
        facts.all(|facts| facts.color() != color || facts.has(Facts::CHECK))
    };
    match Color::ALL.map(always_checked) {
        [true, false] => PERPETUAL,
        [false, true] => -PERPETUAL,
        _ => solution.draw(),
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

    #[test]
    fn ways_end_where_they_repeat() {
        // 0 -> 1 -> 2 -> 3 -> 1; 4 -> 5, which ends after 7 plies; 6 -> 4.
        let next = [Some(1), Some(2), Some(3), Some(1), Some(5), None, Some(4)];
        let found = distances(&next, |_| 7);
        assert_eq!(found, [(0, 4), (1, 3), (2, 3), (3, 3), (4, 8), (6, 9)]);
    }
}
