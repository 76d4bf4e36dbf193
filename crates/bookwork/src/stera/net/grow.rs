//! New positions, and what becomes of leaves.

use super::{Edge, Facts, NONE, Net, Node, State, hash};

impl Net {
    /// Adds a position that is not there yet, with the key and the value of each of its moves, of which there
    /// is at least one, the best first. Values are right again after [`Self::settle`].
    pub(in super::super) fn add(
        &mut self,
        facts: Facts,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.add_unsettled(facts, moves);
        if self.nodes[node as usize].links > 0 {
            self.join_ring(node);
        }
        node
    }

    /// As [`Self::add`] for the first of many: rings and values are found by [`Self::settle_all`].
    pub(in super::super) fn add_unsettled(
        &mut self,
        facts: Facts,
        moves: impl IntoIterator<Item = (u128, i16)>,
    ) -> u32 {
        let node = self.nodes.len() as u32;
        let first = self.edges.len() as u32;
        self.nodes.push(Node {
            first,
            len: 0,
            links: 0,
            parents: NONE,
            ring: NONE,
            value: 0,
            turn: facts.turn,
            in_check: facts.in_check,
            queued: false,
        });
        self.keys.push(facts.key);
        let keys = &self.keys;
        self.stored
            .insert_unique(hash(facts.key), node, |&node| hash(keys[node as usize]));
        self.adopt(node);
        for (key, eval) in moves {
            self.add_edge(node, key, eval);
        }
        self.nodes[node as usize].len = (self.edges.len() as u32 - first) as u16;
        self.touch(node);
        node
    }

    /// The leaves that lead to the new `node` lead into the book now.
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
            edge.state = State::Free;
            let (from, next) = (edge.from, edge.next);
            self.nodes[from as usize].links += 1;
            self.touch(from);
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
            state: State::Free,
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
                // What is known of the others is true of this one.
                let other = self.edges[edge.next as usize];
                edge.state = other.state;
                if other.state == State::Ended {
                    edge.eval = other.eval;
                }
            } else {
                let by_key = |&edge: &u32| hash(targets[edge as usize]);
                self.leaves.insert_unique(hash(key), number, by_key);
            }
        }
        self.edges.push(edge);
    }

    /// All leaves to the position with `key` are being searched.
    pub(in super::super) fn take(&mut self, key: u128) {
        self.change(key, |edge| edge.state = State::Taken);
    }

    /// Nothing can be searched behind them; with a value where one is known.
    pub(in super::super) fn end(&mut self, key: u128, eval: Option<i16>) {
        self.change(key, |edge| {
            edge.state = State::Ended;
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
            self.touch(from);
            at = next;
        }
        self.settle();
    }
}
