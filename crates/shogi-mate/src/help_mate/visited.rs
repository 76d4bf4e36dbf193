//! The visited positions: a set of 128-bit keys (two different ones never count as one), and the predecessor of each,
//! for the line of the solution.

use shogi_core::Move;

/// Shards of the set, which grow one at a time: that needs little additional memory.
const SHARDS: usize = 64;
/// Slots of a shard at first.
const FIRST_SLOTS: usize = 16;

/// Error: no memory is left for another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// A set of keys within a bound of memory.
#[derive(Debug)]
pub(super) struct VisitedSet {
    shards: Vec<Shard>,
    bytes: usize,
}

/// Open addressing; an empty slot is 0.
#[derive(Debug, Default)]
struct Shard {
    slots: Vec<u128>,
    used: usize,
}

/// 0 marks empty slots. That a real key is 0 or 1 will not happen in the life of the universe.
const fn as_slot(key: u128) -> u128 {
    if key == 0 { 1 } else { key }
}

impl VisitedSet {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            bytes: 0,
        }
    }

    /// Memory it takes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns whether `key` is in the set.
    pub(super) fn contains(&self, key: u128) -> bool {
        let shard = &self.shards[shard_of(key)];
        !shard.slots.is_empty() && shard.slots[shard.find(as_slot(key))] != 0
    }

    /// Adds `key` and returns whether it is new. The set may take up to `limit` bytes.
    pub(super) fn insert(&mut self, key: u128, limit: usize) -> Result<bool, Full> {
        let shard = &mut self.shards[shard_of(key)];
        let key = as_slot(key);
        if shard.needs_room() {
            let before = shard.slots.len() * size_of::<u128>();
            let after = shard.next_len() * size_of::<u128>();
            if self.bytes + after > limit {
                return Err(Full);
            }
            shard.grow()?;
            self.bytes += after - before;
        }
        let slot = shard.find(key);
        let is_new = shard.slots[slot] == 0;
        if is_new {
            shard.slots[slot] = key;
            shard.used += 1;
        }
        Ok(is_new)
    }
}

/// The shard of a key: its highest bits. The low half is the place in it.
const fn shard_of(key: u128) -> usize {
    (key >> (128 - SHARDS.trailing_zeros())) as usize
}

impl Shard {
    /// At most four of five slots are used.
    const fn needs_room(&self) -> bool {
        self.used * 5 >= self.slots.len() * 4
    }

    const fn next_len(&self) -> usize {
        if self.slots.is_empty() {
            FIRST_SLOTS
        } else {
            self.slots.len() * 5 / 4
        }
    }

    /// The slot with `key`, or the empty one where it belongs.
    fn find(&self, key: u128) -> usize {
        let len = self.slots.len();
        let mut slot = ((key as u64 as u128 * len as u128) >> 64) as usize;
        while self.slots[slot] != 0 && self.slots[slot] != key {
            slot += 1;
            if slot == len {
                slot = 0;
            }
        }
        slot
    }

    fn grow(&mut self) -> Result<(), Full> {
        let len = self.next_len();
        let mut slots = Vec::new();
        slots.try_reserve_exact(len).map_err(|_| Full)?;
        slots.resize(len, 0);
        let old = std::mem::replace(&mut self.slots, slots);
        for key in old.into_iter().filter(|&key| key != 0) {
            let slot = self.find(key);
            self.slots[slot] = key;
        }
        Ok(())
    }
}

/// Steps that are allocated at once.
const CHUNK: usize = 1 << 12;

/// A position with the attacker to move: the moves that led to it from an earlier one.
#[derive(Clone, Copy, Debug)]
struct Predecessor {
    parent: u32,
    /// `None` at a start that has no move before its reply.
    check: Option<Move>,
    /// `None` at the position of the problem.
    reply: Option<Move>,
}

/// The predecessors of all positions by number, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Predecessors {
    chunks: Vec<Vec<Predecessor>>,
    len: u32,
}

impl Predecessors {
    /// Adds a position reached from `parent` (from itself, if it is a start) and returns its number;
    /// `None` when there are no more numbers.
    pub(super) fn push(
        &mut self,
        parent: Option<u32>,
        check: Option<Move>,
        reply: Option<Move>,
    ) -> Option<u32> {
        let number = self.len;
        self.len = number.checked_add(1)?;
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let parent = parent.unwrap_or(number);
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(Predecessor {
                parent,
                check,
                reply,
            });
        }
        Some(number)
    }

    /// Memory it takes.
    pub(super) const fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Predecessor>()
    }

    /// The moves from the start to the position with this number.
    pub(super) fn line_to(&self, number: u32) -> Vec<Move> {
        let mut backwards = Vec::new();
        let mut number = number;
        loop {
            let step = &self.chunks[number as usize / CHUNK][number as usize % CHUNK];
            backwards.extend(step.reply);
            backwards.extend(step.check);
            if step.parent == number {
                break;
            }
            number = step.parent;
        }
        backwards.reverse();
        backwards
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Spread keys; every third comes twice.
    fn key(i: u64) -> u128 {
        let i = u128::from(i - u64::from(i % 3 == 2));
        (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    #[test]
    fn agrees_with_a_plain_set() {
        let mut visited = VisitedSet::new();
        let mut plain = HashSet::new();
        for i in 0..50_000 {
            assert_eq!(visited.contains(key(i)), plain.contains(&key(i)));
            assert_eq!(visited.insert(key(i), usize::MAX), Ok(plain.insert(key(i))));
        }
        assert_eq!(visited.insert(0, usize::MAX), Ok(true));
        assert!(visited.contains(0) && !visited.contains(2));
        let slots: usize = visited.shards.iter().map(|shard| shard.slots.len()).sum();
        assert_eq!(visited.bytes(), slots * 16);
    }

    #[test]
    fn the_limit_is_kept() {
        let mut visited = VisitedSet::new();
        let limit = 100_000;
        let full = (0..50_000).position(|i| visited.insert(key(i), limit) == Err(Full));
        assert!(visited.bytes() <= limit);
        // Of 6,250 slots most are in use.
        assert!((3_000..7_500).contains(&full.unwrap()), "{full:?}");
    }
}
