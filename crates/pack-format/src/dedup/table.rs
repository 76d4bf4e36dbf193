//! Finding equal keys in memory.
//!
//! An entry is a key and the number of its record.

use hashbrown::HashTable;
use yane_base::random::SplitMix64;

/// Bytes of the number of a record, which is little endian.
pub(super) const NUMBER: usize = 6;
/// Bytes that a table takes for an entry beside the entry itself: a 32-bit place and a tag byte, in a
/// table that may be a little less than half full.
const OVERHEAD: usize = 12;

/// The number of a record as it stands in an entry. 48 bits are enough for ten petabytes.
pub(super) fn number_to_bytes(number: u64) -> [u8; NUMBER] {
    let [a, b, c, d, e, f, ..] = number.to_le_bytes();
    [a, b, c, d, e, f]
}

fn number_of(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number[..NUMBER].copy_from_slice(bytes);
    u64::from_le_bytes(number)
}

/// A number for a key. Each step mixes all bits.
pub(super) fn hash(key: &[u8]) -> u64 {
    key.chunks(8).fold(0, |hash, word| {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        SplitMix64::new(hash ^ u64::from_le_bytes(bytes)).next_u64()
    })
}

/// Different keys, each with the number of a record.
pub(super) struct Table {
    key_len: usize,
    /// Maximum number of entries.
    limit: usize,
    entries: Vec<u8>,
    places: HashTable<u32>,
}

/// Outcome of adding an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// The key is new.
    New,
    /// The key was present, with this record number.
    Duplicate(u64),
    /// The key is new, but the table is full.
    Full,
}

impl Table {
    /// An empty table for up to `wanted` entries with keys of `key_len` bytes that takes no more than
    /// about `memory` bytes.
    pub(super) fn new(key_len: usize, wanted: u64, memory: u64) -> Self {
        let most = memory / (key_len + NUMBER + OVERHEAD) as u64;
        let limit = most.clamp(1, u32::MAX.into()) as usize;
        let room = limit.min(wanted as usize);
        Self {
            key_len,
            limit,
            entries: Vec::with_capacity(room * (key_len + NUMBER)),
            places: HashTable::with_capacity(room),
        }
    }

    /// Removes the memory limit of the table.
    pub(super) const fn lift_limit(&mut self) {
        self.limit = u32::MAX as usize;
    }

    /// Adds an entry. If its key is there already, `replace` says whether its number becomes that of
    /// the new entry.
    #[inline]
    pub(super) fn add(&mut self, entry: &[u8], replace: bool) -> Added {
        let stride = self.key_len + NUMBER;
        let key_at = |place: u32| place as usize * stride..place as usize * stride + self.key_len;
        let key = &entry[..self.key_len];
        // The highest bits are the same in the whole bucket; the table wants different ones there.
        let hashed = |key: &[u8]| hash(key).rotate_right(7);
        let entries = &mut self.entries;
        let hash = hashed(key);
        let found = self
            .places
            .find(hash, |&place| entries[key_at(place)] == *key);
        if let Some(&place) = found {
            let number = &mut entries[key_at(place).end..][..NUMBER];
            let earlier = number_of(number);
            if replace {
                number.copy_from_slice(&entry[self.key_len..]);
            }
            return Added::Duplicate(earlier);
        }
        if self.places.len() >= self.limit {
            return Added::Full;
        }
        let place = self.places.len() as u32;
        entries.extend_from_slice(entry);
        self.places
            .insert_unique(hash, place, |&place| hashed(&entries[key_at(place)]));
        Added::New
    }

    /// The number of an entry.
    pub(super) fn number(&self, entry: &[u8]) -> u64 {
        number_of(&entry[self.key_len..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_are_found() {
        let mut table = Table::new(3, 10, 1000);
        let entry = |key: &str, number| [key.as_bytes(), &number_to_bytes(number)].concat();
        assert_eq!(table.add(&entry("abc", 1 << 40), false), Added::New);
        assert_eq!(table.add(&entry("abd", 2), false), Added::New);
        assert_eq!(table.add(&entry("abc", 3), true), Added::Duplicate(1 << 40));
        assert_eq!(table.add(&entry("abc", 4), false), Added::Duplicate(3));
        assert_eq!(table.add(&entry("abc", 5), false), Added::Duplicate(3));
        assert_eq!(table.number(&entry("abc", 77)), 77);
    }

    #[test]
    fn a_table_is_no_larger_than_its_memory() {
        let memory = 10_000;
        let mut table = Table::new(32, 1 << 20, memory);
        let mut count = 0u32;
        loop {
            let mut entry = [0; 32 + NUMBER];
            entry[..4].copy_from_slice(&count.to_le_bytes());
            match table.add(&entry, false) {
                Added::Full => break,
                added => assert_eq!(added, Added::New),
            }
            count += 1;
        }
        assert_eq!(u64::from(count), memory / (32 + 6 + 12));
        assert_eq!(table.add(&[0; 32 + NUMBER], false), Added::Duplicate(0));
        table.lift_limit();
        assert_eq!(table.add(&[9; 32 + NUMBER], false), Added::New);
    }
}
