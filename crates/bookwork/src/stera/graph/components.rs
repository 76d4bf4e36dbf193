//! Strongly connected components (SCC) of more than one node: positions that lie on common cycles.
//!
//! The value of a position must not depend on the way by which it was reached, or it could not be kept. So a
//! component has the values of the game without history ([`book_graph::game`]): play that never leaves it is a draw, or,
//! when one side is in check in all positions of a loop in which it has the move, won for that side. With values
//! at its ends this is the value that a search finds which follows every line and ends it at its first
//! repetition. A component cannot be solved from the values it had, which could hold each other up: it is solved
//! anew whenever something behind it changes.

use book_graph::game::{CyclicGame, Loop, Move, MoveTarget, Player};
use book_graph::{Graph, component_of, components};
use hashbrown::HashMap;
use shogi_core::Color;

use super::{NONE, PERPETUAL, SearchGraph};

impl SearchGraph {
    /// Finds the component that the new `node` closes, if it does. Every cycle that is new goes through it.
    pub(super) fn join_component(&mut self, node: u32) {
        let members = component_of(node, |node| self.children(node), |node| self.parents(node));
        if let Some(members) = members {
            self.add_component(members);
            self.mark(node);
        }
    }

    fn add_component(&mut self, members: Vec<u32>) {
        let component = self.components.len() as u32;
        for &member in &members {
            let old = std::mem::replace(&mut self.nodes[member as usize].component, component);
            if old != NONE {
                // All of its members are members of the new one.
                self.components[old as usize] = Vec::new();
            }
        }
        self.components.push(members);
    }

    /// Finds all components and values, after many positions were added.
    pub(in crate::stera) fn settle_all(&mut self) {
        let nodes = self.nodes.len() as u32;
        let edges: Vec<(u32, u32)> = (0..nodes)
            .flat_map(|from| self.children(from).map(move |to| (from, to)))
            .collect();
        let graph = Graph::new(nodes as usize, &edges);
        let found = components(graph.forward(), 0..nodes);
        self.queue.clear();
        self.components.clear();
        for node in &mut self.nodes {
            (node.component, node.queued) = (NONE, false);
        }
        for members in found.iter() {
            if let [node] = *members {
                self.nodes[node as usize].value = self.best(node);
                continue;
            }
            let values = self.solve(members);
            for (&member, value) in members.iter().zip(values) {
                self.nodes[member as usize].value = value;
            }
            self.add_component(members.to_vec());
        }
    }

    /// The values of a component's members.
    pub(super) fn solve(&self, members: &[u32]) -> Vec<i32> {
        let numbers = members.iter().enumerate();
        let numbers: HashMap<u32, u32> = numbers
            .map(|(number, &member)| (member, number as u32))
            .collect();
        let mut game = CyclicGame::new(0);
        let mut moves = Vec::new();
        for &member in members {
            // Of the moves out of the component only the best value matters.
            let mut outside = None;
            for edge in self.edges_of(member) {
                // Most edges are leaves, which are not looked for.
                if edge.to != NONE
                    && let Some(&number) = numbers.get(&edge.to)
                {
                    moves.push(MoveTarget::Node(number));
                } else {
                    outside = outside.max(Some(self.worth(edge)));
                }
            }
            moves.extend(outside.map(|value| MoveTarget::End { value, depth: 0 }));
            let mover = match self.nodes[member as usize].turn {
                Color::Black => Player::First,
                Color::White => Player::Second,
            };
            game.add(mover, moves.drain(..).map(|to| Move { place: 0, to }));
        }
        game.solve_with_loops(|value| -value, &self.perpetual_checks(members, &game))
    }

    /// Loops of a component on which a side is in check whenever it has the move, which wins there.
    fn perpetual_checks(&self, members: &[u32], game: &CyclicGame) -> Vec<Loop> {
        let node = |number: u32| &self.nodes[members[number as usize] as usize];
        if !members
            .iter()
            .any(|&member| self.nodes[member as usize].in_check)
        {
            return Vec::new();
        }
        let mut owners = vec![0u8; members.len()];
        let mut loops = Vec::new();
        for (checked, endless) in [(Color::Black, PERPETUAL), (Color::White, -PERPETUAL)] {
            let stays = |number| node(number).turn != checked || node(number).in_check;
            for nodes in game.components(stays) {
                for &number in &nodes {
                    owners[number as usize] += 1;
                }
                loops.push(Loop { nodes, endless });
            }
        }
        // Both sides in check for ever: neither side loses.
        for Loop { nodes, .. } in &mut loops {
            nodes.retain(|&number| owners[number as usize] == 1);
        }
        loops
    }
}
