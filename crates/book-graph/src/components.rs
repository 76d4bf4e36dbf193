//! Strongly connected components (SCC): sets of nodes each of which can be reached from every other.

use hashbrown::HashSet;

use crate::adjacency::{Adjacency, NO_NODE};

/// The components of the nodes that can be reached from some roots.
#[derive(Debug)]
pub struct Components {
    /// The nodes, component by component; a component comes after all those it leads to.
    order: Vec<u32>,
    /// Place where each component ends in `order`.
    ends: Vec<u32>,
    /// Number of each node's component; components differ in it, else it means nothing. 0 for nodes
    /// that cannot be reached.
    of: Vec<u32>,
}

impl Components {
    /// Returns all nodes that are reached, component by component; a component comes after all those it
    /// leads to.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns whether two nodes that are reached belong to one component.
    pub fn are_together(&self, a: u32, b: u32) -> bool {
        self.of[a as usize] == self.of[b as usize]
    }

    /// Returns whether a node is reached.
    pub fn is_reached(&self, node: u32) -> bool {
        self.of[node as usize] != 0
    }

    /// The components, each after all those it leads to.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let nodes = &self.order[start as usize..end as usize];
            start = end;
            nodes
        })
    }
}

/// Finds the components, in time linear in nodes and edges, without recursion.
///
/// The algorithm is Tarjan's (1972) in the form of Pearce ("A space-efficient algorithm for finding
/// strongly connected components", 2016), which needs one number a node: while the walk has not
/// finished a node's component, the number of the earliest node known to be in it, then the
/// component's, counted down from above.
pub fn components(edges: Adjacency<'_>, roots: impl Iterator<Item = u32>) -> Components {
    let nodes = edges.len() as u32;
    let mut walk = Walk {
        edges,
        found: vec![0; nodes as usize],
        next: 1,
        next_component: u32::MAX,
        path: Vec::new(),
        open: Vec::new(),
        order: Vec::new(),
        ends: Vec::new(),
    };
    for root in roots {
        if walk.found[root as usize] == 0 {
            walk.run(root);
        }
    }
    Components {
        order: walk.order,
        ends: walk.ends,
        of: walk.found,
    }
}

struct Walk<'a> {
    edges: Adjacency<'a>,
    found: Vec<u32>,
    next: u32,
    next_component: u32,
    path: Vec<Step>,
    /// Finished nodes whose component is not finished.
    open: Vec<u32>,
    order: Vec<u32>,
    ends: Vec<u32>,
}

/// A node on the path of the walk.
struct Step {
    node: u32,
    /// Number of the edge to follow next.
    edge: u32,
    /// Number that the node got when it was found.
    number: u32,
}

impl Walk<'_> {
    fn run(&mut self, root: u32) {
        self.enter(root);
        while let Some(step) = self.path.last_mut() {
            let node = step.node;
            if step.edge == self.edges.range(node).end as u32 {
                self.leave();
                continue;
            }
            let target = self.edges.target(step.edge as usize);
            step.edge += 1;
            if target == NO_NODE {
                continue;
            }
            match self.found[target as usize] {
                0 => self.enter(target),
                number => self.meet(node, number),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.found[node as usize] = self.next;
        self.path.push(Step {
            node,
            edge: self.edges.range(node).start as u32,
            number: self.next,
        });
        self.next += 1;
    }

    /// `node` leads to a node with this number.
    fn meet(&mut self, node: u32, number: u32) {
        let own = &mut self.found[node as usize];
        *own = number.min(*own);
    }

    fn leave(&mut self) {
        let Some(Step { node, number, .. }) = self.path.pop() else {
            return;
        };
        let earliest = self.found[node as usize];
        if earliest == number {
            self.close(node, number);
        } else {
            self.open.push(node);
        }
        if let Some(before) = self.path.last() {
            self.meet(before.node, self.found[node as usize]);
        }
    }

    /// `node` was found first of its component, which is complete.
    fn close(&mut self, node: u32, number: u32) {
        while let Some(&other) = self.open.last()
            && self.found[other as usize] >= number
        {
            self.open.pop();
            self.found[other as usize] = self.next_component;
            self.order.push(other);
        }
        self.found[node as usize] = self.next_component;
        self.order.push(node);
        self.ends.push(self.order.len() as u32);
        self.next_component -= 1;
    }
}

/// Finds all nodes on cycles through `node`, in a graph that grows and is known by functions; `None` when there is no cycle.
///
/// Searches forwards and backwards in turn, as one of the two sides is small as a rule.
pub fn component_of<F, B>(
    node: u32,
    successors: impl Fn(u32) -> F,
    predecessors: impl Fn(u32) -> B,
) -> Option<Vec<u32>>
where
    F: Iterator<Item = u32>,
    B: Iterator<Item = u32>,
{
    let (mut forward, mut backward) = (Reach::from(node), Reach::from(node));
    let mut met = false;
    loop {
        let Some(at) = forward.open.pop() else {
            return met.then(|| within(node, &forward.seen, predecessors));
        };
        for next in successors(at) {
            met |= backward.seen.contains(&next);
            forward.visit(next);
        }
        let Some(at) = backward.open.pop() else {
            return met.then(|| within(node, &backward.seen, successors));
        };
        for next in predecessors(at) {
            met |= forward.seen.contains(&next);
            backward.visit(next);
        }
    }
}

/// The nodes that can be reached from `node` without leaving `set`.
fn within<I: Iterator<Item = u32>>(
    node: u32,
    set: &HashSet<u32>,
    neighbours: impl Fn(u32) -> I,
) -> Vec<u32> {
    let mut reach = Reach::from(node);
    let mut members = Vec::new();
    while let Some(at) = reach.open.pop() {
        members.push(at);
        neighbours(at)
            .filter(|next| set.contains(next))
            .for_each(|next| reach.visit(next));
    }
    members
}

/// The nodes that can be reached from a node in one direction.
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

    fn visit(&mut self, node: u32) {
        if self.seen.insert(node) {
            self.open.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graph;

    #[test]
    fn components_come_after_what_they_lead_to() {
        // 0 -> 1 <-> 2 -> 3 -> 4 -> 3, 5 -> 0, 6 not reached.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 1),
            (2, 3),
            (3, 4),
            (4, 3),
            (5, 0),
            (6, 5),
        ];
        let graph = Graph::new(7, &edges);
        let found = components(graph.forward(), [0, 5].into_iter());
        let sets: Vec<_> = found
            .iter()
            .map(|nodes| {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                nodes
            })
            .collect();
        assert_eq!(sets, [vec![3, 4], vec![1, 2], vec![0], vec![5]]);
        assert!(!found.is_reached(6));
        assert!(found.are_together(3, 4));
        assert!(!found.are_together(1, 3));
        for node in 0..7 {
            let members = component_of(
                node,
                |node| graph.successors(node).iter().copied(),
                |node| graph.predecessors(node).iter().copied(),
            );
            let mut members = members.unwrap_or(vec![node]);
            members.sort_unstable();
            let alone = vec![node];
            let expected = sets.iter().find(|set| set.contains(&node));
            assert_eq!(&members, expected.unwrap_or(&alone));
        }
    }
}
