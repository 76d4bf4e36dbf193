//! Rings: sets of positions that lie on common cycles.
//!
//! The value of a position must not depend on the way by which it was reached, or it could not be kept. So a
//! ring has the values of the game in which nobody looks back: play that never leaves it is a draw, or, when
//! one side is in check in all positions of the loop in which it has the move, won for that side. With values
//! at its ends this is the value that a search finds which follows every line and ends it at its first
//! repetition. A ring cannot be solved from the values it had, which could hold each other up: it is solved
//! afresh ([`super::solve`]) whenever something behind it changes.

use hashbrown::HashSet;

use super::components::components;
use super::{NONE, Net};

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

impl Net {
    /// Finds the ring that the new `node` closes, if it does. Every cycle that is new goes through it.
    pub(super) fn join_ring(&mut self, node: u32) {
        if let Some(members) = self.ring_of(node) {
            self.make_ring(members);
            self.touch(node);
        }
    }

    fn make_ring(&mut self, members: Vec<u32>) {
        let ring = self.rings.len() as u32;
        for &member in &members {
            let old = std::mem::replace(&mut self.nodes[member as usize].ring, ring);
            if old != NONE {
                // All of its members are members of the new one.
                self.rings[old as usize] = Vec::new();
            }
        }
        self.rings.push(members);
    }

    /// All nodes on cycles through `node`. Looks forwards and backwards in turn: one side is small, as a rule.
    fn ring_of(&self, node: u32) -> Option<Vec<u32>> {
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

    /// Finds all rings and values, after many positions were added.
    pub(in super::super) fn settle_all(&mut self) {
        let children: Vec<Vec<u32>> = (0..self.nodes.len() as u32)
            .map(|node| self.children(node).collect())
            .collect();
        let found = components(children.len(), |node, index| {
            children[node as usize].get(index).copied()
        });
        self.queue.clear();
        self.rings.clear();
        for node in &mut self.nodes {
            (node.ring, node.queued) = (NONE, false);
        }
        for members in found {
            if let [node] = members[..] {
                self.nodes[node as usize].value = self.best(node);
                continue;
            }
            let values = self.solve(&members);
            for (&member, value) in members.iter().zip(values) {
                self.nodes[member as usize].value = value;
            }
            self.make_ring(members);
        }
    }
}
