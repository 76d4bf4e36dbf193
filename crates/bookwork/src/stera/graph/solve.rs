//! The values of a component: a game on a cyclic graph.
//!
//! Let the game be cut off as a draw after so many moves: from some number of moves on its values do not change
//! any more, and are those of the game without end. So all values begin as draws, and sweeps over the component
//! make them right.
//!
//! Loops on which one side is in check whenever it has the move are solved by themselves in every sweep, as
//! won for that side, and a move within them does not count: the side that gives the checks has to leave.

use hashbrown::HashMap;
use shogi_core::Color;

use super::{NONE, PERPETUAL, SearchGraph};

/// A component by itself; its nodes are numbered from 0.
struct ComponentGame {
    /// By node: the best value of the edges that lead out of the component.
    outside: Vec<i32>,
    /// By node: where the others lead.
    inside: Vec<Vec<u32>>,
    turn: Vec<Color>,
    in_check: Vec<bool>,
}

/// A value below all others.
const LOWEST: i32 = -40_000;

impl SearchGraph {
    /// The values of a component's members.
    pub(super) fn solve(&self, members: &[u32]) -> Vec<i32> {
        ComponentGame::new(self, members).solve()
    }
}

impl ComponentGame {
    fn new(graph: &SearchGraph, members: &[u32]) -> Self {
        let numbers = members.iter().enumerate();
        let numbers: HashMap<u32, u32> = numbers
            .map(|(number, &member)| (member, number as u32))
            .collect();
        let mut component = Self {
            outside: Vec::with_capacity(members.len()),
            inside: Vec::with_capacity(members.len()),
            turn: Vec::with_capacity(members.len()),
            in_check: Vec::with_capacity(members.len()),
        };
        for &member in members {
            let mut outside = LOWEST;
            let mut inside = Vec::new();
            for edge in graph.edges_of(member) {
                // Most edges are leaves, which are not looked for.
                if edge.to != NONE
                    && let Some(&number) = numbers.get(&edge.to)
                {
                    inside.push(number);
                } else {
                    outside = outside.max(graph.worth(edge));
                }
            }
            let node = graph.nodes[member as usize];
            component.outside.push(outside);
            component.inside.push(inside);
            component.turn.push(node.turn);
            component.in_check.push(node.in_check);
        }
        component
    }

    fn solve(&self) -> Vec<i32> {
        let mut values = vec![0; self.outside.len()];
        let loops = self.loops();
        let mut is_in_loop = vec![false; values.len()];
        for &node in loops.iter().flat_map(|(_, nodes)| nodes) {
            is_in_loop[node as usize] = true;
        }
        // As many sweeps as there are nodes are enough; nearly always a few are.
        for _ in 0..=2 * values.len() {
            let mut changed = false;
            for (checked, nodes) in &loops {
                changed |= self.solve_loop(*checked, nodes, &mut values);
            }
            for node in (0..values.len()).filter(|&node| !is_in_loop[node]) {
                changed |= self.update(node, &mut values);
            }
            if !changed {
                break;
            }
        }
        values
    }

    /// Gives a node the value of its best edge; whether it is another one.
    fn update(&self, node: usize, values: &mut [i32]) -> bool {
        let inside = self.inside[node].iter();
        let best = inside.map(|&to| -values[to as usize]).max();
        let value = self.outside[node].max(best.unwrap_or(LOWEST));
        std::mem::replace(&mut values[node], value) != value
    }

    /// Loops on which a side is in check whenever it has the move, with that side.
    fn loops(&self) -> Vec<(Color, Vec<u32>)> {
        let of = |checked: Color| {
            let stays =
                |node: u32| self.turn[node as usize] != checked || self.in_check[node as usize];
            let nodes = self.inside.len() as u32;
            let edges: Vec<(u32, u32)> = (0..nodes)
                .filter(|&from| stays(from))
                .flat_map(|from| {
                    let to = self.inside[from as usize].iter();
                    to.filter(|&&to| stays(to)).map(move |&to| (from, to))
                })
                .collect();
            let graph = book_graph::Graph::new(nodes as usize, &edges);
            let found = book_graph::components(graph.forward(), 0..nodes);
            let found = found.iter().filter(|nodes| nodes.len() > 1);
            found.map(<[u32]>::to_vec).collect::<Vec<_>>()
        };
        if !self.in_check.contains(&true) {
            return Vec::new();
        }
        let mut owner = vec![0u8; self.inside.len()];
        let mut loops = Vec::new();
        for checked in [Color::Black, Color::White] {
            for nodes in of(checked) {
                for &node in &nodes {
                    owner[node as usize] += 1;
                }
                loops.push((checked, nodes));
            }
        }
        // Both sides in check for ever: neither side loses.
        for (_, nodes) in &mut loops {
            nodes.retain(|&node| owner[node as usize] == 1);
        }
        loops
    }

    /// Solves a loop with the values around it as they are; whether it changed.
    fn solve_loop(&self, checked: Color, nodes: &[u32], values: &mut [i32]) -> bool {
        let old: Vec<i32> = nodes.iter().map(|&node| values[node as usize]).collect();
        for &node in nodes {
            let wins = self.turn[node as usize] == checked;
            values[node as usize] = if wins { PERPETUAL } else { -PERPETUAL };
        }
        for _ in 0..=2 * nodes.len() {
            let mut changed = false;
            for &node in nodes {
                changed |= self.update(node as usize, values);
            }
            if !changed {
                break;
            }
        }
        let now = nodes.iter().map(|&node| values[node as usize]);
        !now.eq(old)
    }
}
