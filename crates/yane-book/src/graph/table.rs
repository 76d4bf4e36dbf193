//! From keys to nodes.

use super::NodeId;

/// Which of the nodes with one key the table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefer {
    First,
    Last,
}

/// An open-addressing hash table from 128-bit keys to nodes, behind two bit filters.
///
/// The keys lie in node order in an array of their own; the table has only node numbers. Nearly all
/// look-ups are for keys that are not there, and time goes into waiting for memory. So they pass
/// through sieves: the first has 4 bits a key and stays in a core's own cache up to a few million
/// keys, the second has 32 and lets one in 250 through that it should not.
#[derive(Debug)]
pub(super) struct KeyTable {
    keys: Vec<u128>,
    slots: Vec<u32>,
    coarse: Vec<u64>,
    fine: Vec<u64>,
}

const EMPTY: u32 = u32::MAX;

impl KeyTable {
    /// Fills the table. Nodes that share a key with another and are not preferred are returned,
    /// rising. Nodes for which `absent` holds are left out.
    pub(super) fn new(keys: Vec<u128>, prefer: Prefer, absent: &[NodeId]) -> (Self, Vec<NodeId>) {
        let mut table = Self {
            slots: vec![EMPTY; keys.len() * 5 / 3 + 8],
            coarse: vec![0; keys.len() / 16 + 8],
            fine: vec![0; keys.len() / 2 + 8],
            keys,
        };
        let mut others = Vec::new();
        let mut absent = absent.iter().peekable();
        for node in 0..table.keys.len() as u32 {
            if absent.next_if(|id| id.0 == node).is_some() {
                continue;
            }
            let key = table.keys[node as usize];
            let (word, bit) = table.coarse_place(key);
            table.coarse[word] |= bit;
            let (word, bits) = table.fine_place(key);
            table.fine[word] |= bits;
            let (slot, found) = table.find(key);
            if found == EMPTY {
                table.slots[slot] = node;
            } else if prefer == Prefer::Last {
                table.slots[slot] = node;
                others.push(NodeId(found));
            } else {
                others.push(NodeId(node));
            }
        }
        others.sort_unstable();
        (table, others)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Leaves in `places` the places of those `keys` that may be in the table: all that are, and
    /// hardly any other.
    #[inline]
    pub(super) fn sieve(&self, keys: &[u128], places: &mut Vec<u16>) {
        places.clear();
        places.resize(keys.len(), 0);
        // Without branches on the outcome, so that many look-ups are under way at once.
        let mut kept = 0;
        for (place, &key) in keys.iter().enumerate() {
            places[kept] = place as u16;
            let (word, bit) = self.coarse_place(key);
            kept += usize::from(self.coarse[word] & bit != 0);
        }
        let passed = kept;
        kept = 0;
        for at in 0..passed {
            let place = places[at];
            places[kept] = place;
            let (word, bits) = self.fine_place(keys[place as usize]);
            kept += usize::from(self.fine[word] & bits == bits);
        }
        places.truncate(kept);
    }

    /// The node with this key.
    #[inline(always)]
    pub(super) fn get(&self, key: u128) -> Option<NodeId> {
        let (_, found) = self.find(key);
        (found != EMPTY).then_some(NodeId(found))
    }

    /// Word and bit of `key` in the coarse filter.
    #[inline(always)]
    fn coarse_place(&self, key: u128) -> (usize, u64) {
        let word = scale(key as u64, self.coarse.len());
        (word, 1 << ((key >> 76) as u64 & 63))
    }

    /// Word and bits of `key` in the fine filter.
    #[inline(always)]
    fn fine_place(&self, key: u128) -> (usize, u64) {
        let word = scale(key as u64, self.fine.len());
        let high = (key >> 64) as u64;
        (word, 1 << (high & 63) | 1 << (high >> 6 & 63))
    }

    /// The slot of `key`, or the free one where it would go.
    #[inline(always)]
    fn find(&self, key: u128) -> (usize, u32) {
        let mut slot = scale((key >> 64) as u64, self.slots.len());
        loop {
            let node = self.slots[slot];
            if node == EMPTY || self.keys[node as usize] == key {
                return (slot, node);
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }
}

/// A number below `len` from a random `hash`.
#[inline(always)]
fn scale(hash: u64, len: usize) -> usize {
    ((u128::from(hash) * len as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_put_in() {
        let key = |n: u64| u128::from(n.wrapping_mul(0x9e3779b97f4a7c15)) * 0x2545f4914f6cdd1d_u128;
        let keys: Vec<_> = (1..=1000).chain([7, 500]).map(key).collect();
        for (prefer, seven, others) in [
            (Prefer::First, 6, [1000, 1001]),
            (Prefer::Last, 1000, [6, 499]),
        ] {
            let (table, left_out) = KeyTable::new(keys.clone(), prefer, &[NodeId(3)]);
            assert_eq!(left_out, others.map(NodeId));
            assert_eq!(table.get(key(7)), Some(NodeId(seven)));
            assert_eq!(table.get(key(4)), None);
            let mut places = Vec::new();
            let wanted: Vec<_> = (5..=10_000).map(key).collect();
            table.sieve(&wanted, &mut places);
            assert!(places[..996].iter().copied().eq(0..996));
            assert!(places.len() < 996 + 200, "{}", places.len());
            assert!((1001..11_000).all(|n| table.get(key(n)).is_none()));
        }
    }
}
