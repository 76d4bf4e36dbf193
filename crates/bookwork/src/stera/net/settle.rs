//! Keeping values right.

use super::{Edge, NONE, Net};

impl Net {
    /// The value of `node` may not be right any more.
    pub(super) fn touch(&mut self, node: u32) {
        let ring = self.nodes[node as usize].ring;
        // One member of a ring stands for all of it.
        let node = self.rings.get(ring as usize).map_or(node, |ring| ring[0]);
        let queued = &mut self.nodes[node as usize].queued;
        if !*queued {
            *queued = true;
            self.queue.push_back(node);
        }
    }

    /// Makes all values right.
    pub(in super::super) fn settle(&mut self) {
        while let Some(node) = self.queue.pop_front() {
            self.nodes[node as usize].queued = false;
            let ring = self.nodes[node as usize].ring;
            if ring != NONE {
                self.settle_ring(ring);
                continue;
            }
            let value = self.best(node);
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.touch_parents(node, NONE);
            }
        }
    }

    fn touch_parents(&mut self, node: u32, but_of_ring: u32) {
        let mut at = self.nodes[node as usize].parents;
        while at != NONE {
            let Edge { from, next, .. } = self.edges[at as usize];
            if but_of_ring == NONE || self.nodes[from as usize].ring != but_of_ring {
                self.touch(from);
            }
            at = next;
        }
    }

    /// Solves a ring afresh, and tells those that lead into it.
    fn settle_ring(&mut self, ring: u32) {
        let members = std::mem::take(&mut self.rings[ring as usize]);
        let values = self.solve(&members);
        self.rings[ring as usize] = members;
        for (index, value) in values.into_iter().enumerate() {
            let node = self.rings[ring as usize][index];
            if std::mem::replace(&mut self.nodes[node as usize].value, value) != value {
                self.touch_parents(node, ring);
            }
        }
    }
}
