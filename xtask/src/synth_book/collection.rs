//! The positions met so far: each once, with the smallest move number it was met at.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use shogi_core::{PackedSfen, Position};

use crate::hash;
use splitmix::SplitMix64;

/// A set of positions, in the order in which they were first met.
///
/// About 160 bytes a position: the texts lie in one buffer.
#[derive(Debug, Default)]
pub(super) struct Collection {
    numbers: HashMap<PackedSfen, u32>,
    /// The first three fields of every SFEN, one after the other.
    texts: Vec<u8>,
    /// Where each text ends.
    ends: Vec<u64>,
    plies: Vec<u16>,
}

impl Collection {
    /// Number of positions.
    pub(super) fn len(&self) -> usize {
        self.plies.len()
    }

    /// Adds `position`, whose packed form is `packed`, or lowers its move number.
    pub(super) fn add(&mut self, position: &Position, packed: PackedSfen) {
        let ply = position.ply() as u16;
        match self.numbers.entry(packed) {
            Entry::Occupied(known) => {
                let known = &mut self.plies[*known.get() as usize];
                *known = ply.min(*known);
            }
            Entry::Vacant(free) => {
                free.insert(self.plies.len() as u32);
                self.texts
                    .extend_from_slice(position.to_sfen_without_ply().as_bytes());
                self.ends.push(self.texts.len() as u64);
                self.plies.push(ply);
            }
        }
    }

    /// Lets go of what only [`Collection::add`] needs.
    pub(super) fn freeze(&mut self) {
        self.numbers = HashMap::new();
    }

    /// The SFEN of position `number` without its move number.
    pub(super) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.bytes(number)).expect("an SFEN is ASCII")
    }

    fn bytes(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[number] as usize]
    }

    /// The smallest move number at which position `number` was met.
    pub(super) fn ply(&self, number: u32) -> u16 {
        self.plies[number as usize]
    }

    /// The numbers of all positions in the bytewise order of their lines.
    pub(super) fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.len() as u32).collect();
        // No text is in the book twice, and no character of one sorts before the space that ends
        // it: the move numbers cannot change the order.
        numbers.sort_unstable_by(|&a, &b| self.bytes(a).cmp(self.bytes(b)));
        numbers
    }

    /// The numbers of all positions in random order, the same for a `seed`.
    pub(super) fn shuffled(&self, seed: u64) -> Vec<u32> {
        let mut numbers = self.sorted();
        let mut random = SplitMix64::new(hash::combine(seed, u64::MAX));
        for last in (1..numbers.len()).rev() {
            numbers.swap(last, random.index(last + 1));
        }
        numbers
    }
}
