//! Adding positions, ending leaves, and updating the values above them.

use super::{Edge, LeafState, NONE, NewNode, Node, SearchGraph, hash};

impl SearchGraph {
    /// Adds a position that is not there yet, with the key and the value of each of its moves, of which there
    /// is at least one, the best first. Values are valid again after [`Self::settle`].
    pub(in crate::stera) fn add(
        &mut self,
        new: NewNode,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.add_unsettled(new, moves);
        if self.nodes[node as usize].links > 0 {
            self.join_component(node);
        }
        node
    }

    /// As [`Self::add`] for one of many: [`Self::settle_all`] finds components and values.
    pub(in crate::stera) fn add_unsettled(
        &mut self,
        new: NewNode,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        let first = self.edges.len() as u32;
        self.nodes.push(Node {
            first,
            len: 0,
            links: 0,
            parents: NONE,
            component: NONE,
            value: 0,
            turn: new.turn,
            in_check: new.in_check,
            queued: false,
        });
        self.keys.push(new.key);
        let keys = &self.keys;
        self.stored
            .insert_unique(hash(new.key), node, |&node| hash(keys[node as usize]));
        self.adopt(node);
        for (key, eval) in moves {
            self.add_edge(node, key, eval);
        }
        self.nodes[node as usize].len = (self.edges.len() as u32 - first) as u16;
        self.mark(node);
        node
    }

    /// Links the leaves that lead to the new `node`.
    fn adopt(&mut self, node: u32) {
        let key = self.keys[node as usize];
        let targets = &self.targets;
        let found = self
            .leaves
            .find_entry(hash(key), |&edge| targets[edge as usize] == key);
        let Ok(entry) = found else {
            return;
        };
        let (head, _) = entry.remove();
        self.nodes[node as usize].parents = head;
        let mut at = head;
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            edge.to = node;
            edge.state = LeafState::Free;
            let (from, next) = (edge.from, edge.next);
            self.nodes[from as usize].links += 1;
            self.mark(from);
            at = next;
        }
    }

    fn add_edge(&mut self, from: u32, key: u128, eval: i16) {
        let number = self.edges.len() as u32;
        let mut edge = Edge {
            from,
            to: NONE,
            next: NONE,
            eval,
            state: LeafState::Free,
        };
        self.targets.push(key);
        if let Some(to) = self.find(key) {
            edge.to = to;
            edge.next = std::mem::replace(&mut self.nodes[to as usize].parents, number);
            self.nodes[from as usize].links += 1;
        } else {
            let targets = &self.targets;
            let same = |&edge: &u32| targets[edge as usize] == key;
            if let Some(head) = self.leaves.find_mut(hash(key), same) {
                edge.next = std::mem::replace(head, number);
                // It shares the state of the others.
                let other = self.edges[edge.next as usize];
                edge.state = other.state;
                if other.state == LeafState::Ended {
                    edge.eval = other.eval;
                }
            } else {
                let by_key = |&edge: &u32| hash(targets[edge as usize]);
                self.leaves.insert_unique(hash(key), number, by_key);
            }
        }
        self.edges.push(edge);
    }

    /// Marks all leaves to the position with `key` as being searched.
    pub(in crate::stera) fn take(&mut self, key: u128) {
        self.change(key, |edge| edge.state = LeafState::Taken);
    }

    /// Marks them as ended, with a value where one is known.
    pub(in crate::stera) fn end(&mut self, key: u128, eval: Option<i16>) {
        self.change(key, |edge| {
            edge.state = LeafState::Ended;
            edge.eval = eval.unwrap_or(edge.eval);
        });
    }

    fn change(&mut self, key: u128, change: impl Fn(&mut Edge)) {
        let targets = &self.targets;
        let same = |&edge: &u32| targets[edge as usize] == key;
        let mut at = self.leaves.find(hash(key), same).copied().unwrap_or(NONE);
        while at != NONE {
            let edge = &mut self.edges[at as usize];
            change(edge);
            let (from, next) = (edge.from, edge.next);
            self.mark(from);
            at = next;
        }
        self.settle();
    }
}

impl SearchGraph {
    /// Marks the value of `node` as outdated.
    pub(super) fn mark(&mut self, node: u32) {
        let component = self.nodes[node as usize].component;
        // One member represents its component.
        let node = self
            .components
            .get(component as usize)
            .map_or(node, |component| component[0]);
        let queued = &mut self.nodes[node as usize].queued;
        if !*queued {
            *queued = true;
            self.queue.push_back(node);
        }
    }

    /// Updates all outdated values, upwards as far as anything changes.
    pub(in crate::stera) fn settle(&mut self) {
        while let Some(node) = self.queue.pop_front() {
            self.nodes[node as usize].queued = false;
            let component = self.nodes[node as usize].component;
            if component != NONE {
                self.update_component(component);
                continue;
            }
            let value = self.best(node);
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.mark_parents(node, NONE);
            }
        }
    }

    fn mark_parents(&mut self, node: u32, except_component: u32) {
        let mut at = self.nodes[node as usize].parents;
        while at != NONE {
            let Edge { from, next, .. } = self.edges[at as usize];
            if except_component == NONE || self.nodes[from as usize].component != except_component {
                self.mark(from);
            }
            at = next;
        }
    }

    /// Solves a component anew, and marks the nodes that lead into it.
    fn update_component(&mut self, component: u32) {
        let members = std::mem::take(&mut self.components[component as usize]);
        let values = self.solve(&members);
        self.components[component as usize] = members;
        for (index, value) in values.into_iter().enumerate() {
            let node = self.components[component as usize][index];
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.mark_parents(node, component);
            }
        }
    }
}
