//! From keys to nodes.

use shogi_core::PlayerKey;

use super::NodeId;

/// Choice among nodes with one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefer {
    First,
    Last,
}

/// An open-addressing hash table from 128-bit keys to nodes, behind a filter.
///
/// The keys lie in node order in an array of their own; the table has only node numbers. Nearly all
/// look-ups are for keys that are not there, and time goes into waiting for memory. So the filter is
/// made for the way the questions come: after all moves of a position that capture nothing, the side
/// to move has the same pieces on the same squares, and that chooses the filter's line. One look at
/// memory answers for all these moves together.
#[derive(Debug)]
pub(super) struct KeyTable {
    keys: Vec<u128>,
    slots: Vec<u32>,
    filter: Vec<FilterLine>,
}

const EMPTY: u32 = u32::MAX;

/// Number of keys that share a cache line of the filter on average: 4 bytes a key.
const KEYS_IN_LINE: usize = 16;

/// A part of the filter: a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct FilterLine([u64; 8]);

/// The node in the slot where the search for a key begins, or [`EMPTY`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess(u32);

impl KeyTable {
    /// A table for about `expected` keys, to be filled with [`Self::push`].
    pub(super) fn new(expected: usize) -> Self {
        Self {
            keys: Vec::with_capacity(expected),
            slots: Vec::new(),
            filter: vec![FilterLine::default(); expected / KEYS_IN_LINE + 1],
        }
    }

    /// Adds the key of the next node.
    pub(super) fn push(&mut self, key: u128, mover: PlayerKey) {
        self.keys.push(key);
        let line = self.filter_place(mover);
        self.filter[line].add(key);
    }

    /// Makes the table ready for look-ups. Nodes that share a key with another and are not preferred
    /// are returned, rising. The nodes `absent` (rising) are left out.
    pub(super) fn finish(&mut self, prefer: Prefer, absent: &[NodeId]) -> Vec<NodeId> {
        self.keys.shrink_to_fit();
        self.slots = vec![EMPTY; self.keys.len() * 5 / 3 + 8];
        let mut others = Vec::new();
        let mut absent = absent.iter().peekable();
        for node in 0..self.keys.len() as u32 {
            if absent.next_if(|id| id.0 == node).is_some() {
                continue;
            }
            let (slot, found) = self.find(self.keys[node as usize]);
            if found == EMPTY {
                self.slots[slot] = node;
            } else if prefer == Prefer::Last {
                self.slots[slot] = node;
                others.push(NodeId(found));
            } else {
                others.push(NodeId(node));
            }
        }
        others.sort_unstable();
        others
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The filter's line number `place`.
    #[inline(always)]
    pub(super) fn filter_line(&self, place: usize) -> FilterLine {
        self.filter[place]
    }

    /// Number of the filter's line for positions in which the side to move has this.
    #[inline(always)]
    pub(super) fn filter_place(&self, mover: PlayerKey) -> usize {
        scale(mover.bits(), self.filter.len())
    }

    /// First part of a look-up. The parts are apart so that those of many keys can wait for memory
    /// together.
    #[inline(always)]
    pub(super) fn guess(&self, key: u128) -> Guess {
        Guess(self.slots[scale((key >> 64) as u64, self.slots.len())])
    }

    /// Second part of a look-up: whether the guess is right.
    #[inline(always)]
    pub(super) fn is_right(&self, key: u128, guess: Guess) -> bool {
        // A wrong place for an empty slot costs less than a branch that waits for the slot.
        let at = (guess.0 as usize).min(self.keys.len() - 1);
        self.keys[at] == key
    }

    /// Last part: the node with this key.
    #[inline(always)]
    pub(super) fn conclude(&self, key: u128, guess: Guess, right: bool) -> Option<NodeId> {
        match guess.0 {
            EMPTY => None,
            node if right => Some(NodeId(node)),
            _ => self.get(key),
        }
    }

    /// The node with this key.
    pub(super) fn get(&self, key: u128) -> Option<NodeId> {
        let (_, found) = self.find(key);
        (found != EMPTY).then_some(NodeId(found))
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

impl FilterLine {
    /// The two bits of a key, each as word and number of the bit.
    #[inline(always)]
    const fn places(key: u128) -> [(usize, u32); 2] {
        let hash = key as u64;
        [
            (hash as usize & 7, (hash >> 3 & 63) as u32),
            ((hash >> 9) as usize & 7, (hash >> 12 & 63) as u32),
        ]
    }

    fn add(&mut self, key: u128) {
        for (word, bit) in Self::places(key) {
            self.0[word] |= 1 << bit;
        }
    }

    /// False for most keys that are not in the table.
    #[inline(always)]
    pub(super) const fn passes(&self, key: u128) -> bool {
        let [(word, bit), (other_word, other_bit)] = Self::places(key);
        (self.0[word] >> bit & self.0[other_word] >> other_bit) & 1 != 0
    }
}

/// A number below `len` from a random `hash`.
#[inline(always)]
fn scale(hash: u64, len: usize) -> usize {
    ((u128::from(hash) * len as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use shogi_core::{Color, KeyBuilder, Piece, Square};

    use super::*;

    #[test]
    fn finds_what_was_put_in() {
        let key = |n: u64| u128::from(n.wrapping_mul(0x9e3779b97f4a7c15)) * 0x2545f4914f6cdd1d_u128;
        let mover = |n: u64| {
            let mut builder = KeyBuilder::default();
            builder.put(Piece::BlackKing, Square::ALL[n as usize % 81]);
            builder.put(Piece::BlackGold, Square::ALL[n as usize / 81]);
            builder.player_key(Color::Black)
        };
        let numbers: Vec<_> = (1..=1000).chain([7, 500]).collect();
        for (prefer, seven, others) in [
            (Prefer::First, 6, [1000, 1001]),
            (Prefer::Last, 1000, [6, 499]),
        ] {
            let mut table = KeyTable::new(1000);
            for n in numbers.iter().copied() {
                table.push(key(n), mover(n));
            }
            let left_out = table.finish(prefer, &[NodeId(3)]);
            assert_eq!(left_out, others.map(NodeId));
            assert_eq!(table.get(key(7)), Some(NodeId(seven)));
            assert_eq!(table.get(key(4)), None);
            let found = |n| {
                let guess = table.guess(key(n));
                table.conclude(key(n), guess, table.is_right(key(n), guess))
            };
            let passes = |n: &u64| {
                let line = table.filter_line(table.filter_place(mover(*n)));
                line.passes(key(*n))
            };
            assert!((5..=1000).all(|n| passes(&n) && found(n) == table.get(key(n))));
            assert!((5..=1000).all(|n| found(n).is_some()));
            assert!((1001..5_000).filter(passes).count() < 400);
            assert!((1001..5_000).all(|n| found(n).is_none()));
        }
    }
}
