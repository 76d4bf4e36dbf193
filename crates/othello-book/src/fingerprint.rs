//! Fingerprints of books: order-independent hashes of their records.

use crate::edax::EdaxRecord;

/// The sum of the hashes of a book's records, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) count: u64,
    pub(crate) sum: u128,
}

impl Fingerprint {
    /// The encoded length in bytes.
    pub(crate) const LEN: usize = 24;

    /// Adds the bytes of a record.
    pub(crate) fn add(&mut self, record: &[u8]) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash(record));
    }

    /// Adds a record of Edax, whatever the order of its links.
    pub(crate) fn add_record(&mut self, record: &EdaxRecord, bytes: &mut Vec<u8>) {
        let is_sorted = record.links.is_sorted_by_key(|link| link.number);
        bytes.clear();
        if is_sorted {
            record.write_to(bytes);
        } else {
            let mut sorted = record.clone();
            sorted.links.sort_by_key(|link| (link.number, link.score));
            sorted.write_to(bytes);
        }
        self.add(bytes);
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&self.count.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sum.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        let (count, sum) = bytes.split_at(8);
        Self {
            count: u64::from_le_bytes(count.try_into().unwrap_or_default()),
            sum: u128::from_le_bytes(sum.try_into().unwrap_or_default()),
        }
    }
}

/// A 128-bit hash, not resistant to attacks.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    let seed = bytes.len() as u64;
    let (mut low, mut high) = (seed ^ 0x9e37_79b9_7f4a_7c15, !seed);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        low = fold(low ^ word, 0xa076_1d64_78bd_642f) ^ low.rotate_left(23);
        high = fold(high ^ word, 0xe703_7ed1_a0b4_28db) ^ high.rotate_left(41);
    }
    let low = fold(low ^ high.rotate_left(32), 0x8ebc_6af0_9c88_c6e3);
    let high = fold(high ^ low, 0x5899_65cc_7537_4cc3);
    u128::from(high) << 64 | u128::from(low)
}

/// The two halves of a product, combined by "xor".
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    (product ^ product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use othello_core::Board;

    use super::*;
    use crate::Edge;

    #[test]
    fn any_bit_makes_another_hash() {
        let bytes = [7u8; 45];
        let mut seen = vec![hash(&bytes), hash(&bytes[..44]), hash(&[]), hash(&[0])];
        for bit in 0..8 * bytes.len() {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            let sum = hash(&other);
            let differ = (sum ^ hash(&bytes)).count_ones();
            assert!((30..=98).contains(&differ), "bit {bit}: {differ}");
            seen.push(sum);
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn the_order_of_records_and_links_does_not_count() {
        let edge = |score, number| Edge { score, number };
        let record = |links: &[Edge]| EdaxRecord {
            board: Board::START,
            wins: 0,
            draws: 0,
            losses: 0,
            lines: 1,
            value: 2,
            lower: 0,
            upper: 4,
            level: 10,
            links: links.to_vec(),
            leaf: Edge::NO_LEAF,
        };
        let of = |records: &[EdaxRecord]| {
            let mut sum = Fingerprint::default();
            for record in records {
                sum.add_record(record, &mut Vec::new());
            }
            sum
        };
        let (a, b) = (edge(2, 19), edge(1, 26));
        let (one, other, third) = (record(&[a, b]), record(&[b, a]), record(&[a]));
        let sum = of(&[one.clone(), third.clone()]);
        assert_eq!(sum, of(&[third.clone(), other]));
        assert_ne!(sum, of(&[one.clone(), one]));
        assert_ne!(sum, of(&[third]));
        assert_eq!(Fingerprint::from_bytes(sum.to_bytes()), sum);
    }
}
