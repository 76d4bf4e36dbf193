//! Strongly connected components (SCC) of more than one node: positions that lie on common cycles.
//!
//! The value of a position must not depend on the way by which it was reached, or it could not be kept. So a
//! component has the values of the game without history: play that never leaves it is a draw, or, when
//! one side is in check in all positions of the loop in which it has the move, won for that side. With values
//! at its ends this is the value that a search finds which follows every line and ends it at its first
//! repetition. A component cannot be solved from the values it had, which could hold each other up: it is solved
//! anew ([`super::solve`]) whenever something behind it changes.
//!
//! The component that a new node closes is found by searching from it in both directions; all components at once by
//! [`book_graph`].

use hashbrown::HashSet;

use super::{NONE, SearchGraph};

/// What can be reached from a node in one direction.
struct Reach {
    seen: HashSet<u32>,
    open: Vec<u32>,
}

impl Reach {
    fn from(node: u32) -> Self {
        Self {
            seen: HashSet::from_iter([node]),
            open: vec![node],
        }
    }
}

impl SearchGraph {
    /// Finds the component that the new `node` closes, if it does. Every cycle that is new goes through it.
    pub(super) fn join_component(&mut self, node: u32) {
        if let Some(members) = self.component_of(node) {
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

    /// All nodes on cycles through `node`. Looks forwards and backwards in turn: one side is small, as a rule.
    fn component_of(&self, node: u32) -> Option<Vec<u32>> {
        let mut ways = [Reach::from(node), Reach::from(node)];
        let mut met = false;
        for turn in 0.. {
            let way = turn % 2;
            let Some(at) = ways[way].open.pop() else {
                if !met {
                    return None;
                }
                let [forward, backward] = ways;
                return Some(if way == 0 {
                    self.within(node, &forward.seen, false)
                } else {
                    self.within(node, &backward.seen, true)
                });
            };
            let neighbours: Vec<u32> = if way == 0 {
                self.children(at).collect()
            } else {
                self.parents(at).collect()
            };
            for next in neighbours {
                met |= ways[1 - way].seen.contains(&next);
                if ways[way].seen.insert(next) {
                    ways[way].open.push(next);
                }
            }
        }
        None
    }

    /// What can be reached from `node`, forwards or backwards, without leaving `set`.
    fn within(&self, node: u32, set: &HashSet<u32>, forwards: bool) -> Vec<u32> {
        let mut reach = Reach::from(node);
        let mut members = Vec::new();
        while let Some(at) = reach.open.pop() {
            members.push(at);
            let mut visit = |next: u32| {
                if set.contains(&next) && reach.seen.insert(next) {
                    reach.open.push(next);
                }
            };
            if forwards {
                self.children(at).for_each(&mut visit);
            } else {
                self.parents(at).for_each(&mut visit);
            }
        }
        members
    }

    /// Finds all components and values, after many positions were added.
    pub(in crate::stera) fn settle_all(&mut self) {
        let nodes = self.nodes.len() as u32;
        let edges: Vec<(u32, u32)> = (0..nodes)
            .flat_map(|from| self.children(from).map(move |to| (from, to)))
            .collect();
        let graph = book_graph::Graph::new(nodes as usize, &edges);
        let found = book_graph::components(graph.forward(), 0..nodes);
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
}
