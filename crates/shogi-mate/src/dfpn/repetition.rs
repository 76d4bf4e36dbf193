//! Repetition on the path from the root.
//!
//! An attacker that repeats a board with no more in hand than before has gained nothing, so that move fails. Such a
//! disproof holds on this path only (the graph history interaction problem): it becomes a disproof for good where the
//! repeated position itself is decided, as all of the loop lies below it. Until then it is stored for the path, in a
//! separate table.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use shogi_core::{Hand, Move};
use yane_base::memory::AtomicWords;

/// The positions from the root to the present one.
#[derive(Debug)]
pub(crate) struct Path {
    steps: Vec<PathStep>,
    /// The latest step of each bucket, plus one.
    heads: Box<[u16]>,
}

#[derive(Clone, Copy, Debug)]
struct PathStep {
    key: u64,
    hand: Hand,
    /// The step before it in the same bucket, plus one.
    before: u16,
}

const BUCKETS: usize = 1 << 12;

impl Path {
    pub(crate) fn new() -> Self {
        Self {
            steps: Vec::new(),
            heads: vec![0; BUCKETS].into(),
        }
    }

    /// Appends a position.
    pub(crate) fn push(&mut self, key: u64, hand: Hand) {
        let head = &mut self.heads[bucket(key)];
        self.steps.push(PathStep {
            key,
            hand,
            before: *head,
        });
        *head = self.steps.len() as u16;
    }

    /// Returns whether the path is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn pop(&mut self) {
        if let Some(step) = self.steps.pop() {
            self.heads[bucket(step.key)] = step.before;
        }
    }

    /// The number of the latest step at this very position.
    pub(crate) fn find_same(&self, key: u64, hand: Hand) -> Option<usize> {
        let mut next = self.heads[bucket(key)];
        while next != 0 {
            let step = &self.steps[next as usize - 1];
            if step.key == key && step.hand == hand {
                return Some(next as usize - 1);
            }
            next = step.before;
        }
        None
    }

    /// The number of the latest step at the same board with at least as much in the attacker's hand.
    #[inline]
    pub(crate) fn find(&self, key: u64, hand: Hand) -> Option<usize> {
        let mut next = self.heads[bucket(key)];
        while next != 0 {
            let step = &self.steps[next as usize - 1];
            if step.key == key && step.hand.contains(hand) {
                return Some(next as usize - 1);
            }
            next = step.before;
        }
        None
    }
}

const fn bucket(key: u64) -> usize {
    (key >> 20) as usize % BUCKETS
}

/// The key of a path from the key of the path without its last move.
#[inline(always)]
pub(crate) const fn path_key(before: u64, m: Move) -> u64 {
    let mixed = (before ^ m.bits() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// Disproofs by repetition, by path.
#[derive(Debug)]
pub(crate) struct RepetitionTable {
    /// Two words an entry: the path's key XOR the data, and the data.
    words: AtomicWords,
    generation: AtomicU16,
}

/// Entries that a path may lie in.
const WAYS: usize = 4;

impl RepetitionTable {
    /// A table of about `bytes` bytes, less where the system has no such space.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut sets = (bytes / (WAYS * 16)).max(16);
        let words = loop {
            match AtomicWords::zeros(sets * WAYS * 2) {
                Ok(words) => break words,
                Err(error) => assert!(sets > 16, "no memory for the smallest table: {error}"),
            }
            sets = (sets / 2).max(16);
        };
        Self {
            words,
            generation: AtomicU16::new(1),
        }
    }

    /// Clears the table at no cost. No other thread may be using it.
    pub(crate) fn clear(&self) {
        let mut generation = self.generation();
        if generation == u16::MAX {
            for word in &*self.words {
                word.store(0, Ordering::Relaxed);
            }
            generation = 0;
        }
        self.generation.store(generation + 1, Ordering::Relaxed);
    }

    fn generation(&self) -> u16 {
        self.generation.load(Ordering::Relaxed)
    }

    fn set(&self, path: u64) -> &[AtomicU64] {
        let sets = self.words.len() as u64 / (2 * WAYS as u64);
        let set = (((path >> 32) * sets) >> 32) as usize;
        &self.words[set * 2 * WAYS..(set + 1) * 2 * WAYS]
    }

    /// The depth of the repeated position, when it is known that the position at the end of `path` is no mate within
    /// `budget` plies because of it; and the length of that disproof.
    pub(crate) fn look_up(&self, path: u64, budget: u16) -> Option<(i32, u16)> {
        for entry in self.set(path).chunks_exact(2) {
            let data = entry[1].load(Ordering::Relaxed);
            if entry[0].load(Ordering::Relaxed) ^ data == path && data as u16 == self.generation() {
                let length = (data >> 16) as u16;
                let start = (data >> 32) as i32;
                return (length >= budget).then_some((start, length));
            }
        }
        None
    }

    /// Stores a disproof by repetition.
    pub(crate) fn save(&self, path: u64, start: i32, length: u16) {
        let data =
            u64::from(self.generation()) | u64::from(length) << 16 | u64::from(start as u32) << 32;
        let set = self.set(path);
        let is = |entry: &[AtomicU64], wanted: &dyn Fn(u64, u64) -> bool| {
            let old = entry[1].load(Ordering::Relaxed);
            wanted(entry[0].load(Ordering::Relaxed) ^ old, old)
        };
        let entries = || set.chunks_exact(2);
        let place = entries()
            .position(|entry| is(entry, &|key, _| key == path))
            .or_else(|| entries().position(|e| is(e, &|_, old| old as u16 != self.generation())))
            .unwrap_or((path ^ path >> 7) as usize % WAYS);
        set[2 * place].store(path ^ data, Ordering::Relaxed);
        set[2 * place + 1].store(data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::HandKind;

    #[test]
    fn the_path_finds_larger_hands_only() {
        let mut path = Path::new();
        let pawn = Hand::EMPTY.with(HandKind::Pawn);
        path.push(5, pawn);
        path.push(6, Hand::EMPTY);
        path.push(5, Hand::EMPTY);
        assert_eq!(path.find(5, Hand::EMPTY), Some(2));
        assert_eq!(path.find(5, pawn), Some(0));
        assert_eq!(path.find(5, pawn.with(HandKind::Pawn)), None);
        path.pop();
        assert_eq!(path.find(5, Hand::EMPTY), Some(0));
        assert_eq!(path.find(7, Hand::EMPTY), None);
    }

    #[test]
    fn repetitions_are_found_by_path_and_budget() {
        let table = RepetitionTable::new(1 << 10);
        table.save(77, -1, 9);
        assert_eq!(table.look_up(77, 9), Some((-1, 9)));
        assert_eq!(table.look_up(77, 11), None);
        assert_eq!(table.look_up(78, 9), None);
        table.clear();
        assert_eq!(table.look_up(77, 9), None);
    }
}
