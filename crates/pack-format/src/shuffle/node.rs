//! The tree of buckets and its random generators.

use yane_base::random::{Rng, ShuffleStream, shuffle_stream};

/// Up to so many units are shuffled by exchanging: they should fit in a core's cache.
pub(super) const LEAF: usize = 4096;

/// Bytes of the seed before the path.
const PREFIX: usize = 9;
/// Deeper than any file reaches: each level divides by 256.
const MAX_DEPTH: usize = 32 - PREFIX;

/// Place of a bucket in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// The user's seed (8 bytes), the depth (1), and the numbers of the buckets on the way.
    seed: [u8; 32],
}

impl Node {
    /// The bucket of everything.
    pub(super) fn root(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self { seed: bytes }
    }

    /// One of the buckets of this one.
    pub(super) fn child(mut self, bucket: u8) -> Self {
        let depth = usize::from(self.seed[8]);
        self.seed[8] = self.seed[8].wrapping_add(1);
        // A path that is too long for its place mixes with itself, which does no harm.
        let place = &mut self.seed[PREFIX + depth % MAX_DEPTH];
        *place = place.wrapping_mul(167).wrapping_add(bucket);
        self
    }

    /// The bucket's own generator.
    fn rng(&self) -> ShuffleStream {
        shuffle_stream(self.seed)
    }

    /// Returns the random choice of a bucket for each unit.
    pub(super) fn draws(&self) -> Draws {
        Draws {
            rng: self.rng(),
            bytes: [0; DRAWN],
            at: DRAWN,
        }
    }

    /// Shuffles by exchanging.
    pub(super) fn exchange<T>(&self, units: &mut [T]) {
        let mut rng = self.rng();
        for end in (1..units.len() as u32).rev() {
            units.swap(end as usize, below(&mut rng, end + 1) as usize);
        }
    }
}

/// Random bytes made at once.
const DRAWN: usize = 1024;

/// Random numbers of buckets.
#[derive(Debug)]
pub(super) struct Draws {
    rng: ShuffleStream,
    bytes: [u8; DRAWN],
    at: usize,
}

impl Draws {
    #[inline(always)]
    pub(super) fn next(&mut self) -> u8 {
        if self.at == DRAWN {
            self.rng.fill_bytes(&mut self.bytes);
            self.at = 0;
        }
        let byte = self.bytes[self.at];
        self.at += 1;
        byte
    }
}

/// A number below `bound`, each equally likely (Lemire, "Fast random integer generation in an
/// interval", 2019).
#[inline(always)]
fn below(rng: &mut ShuffleStream, bound: u32) -> u32 {
    let mut product = u64::from(rng.next_u32()) * u64::from(bound);
    if (product as u32) < bound {
        let threshold = bound.wrapping_neg() % bound;
        while (product as u32) < threshold {
            product = u64::from(rng.next_u32()) * u64::from(bound);
        }
    }
    (product >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut rng = Node::root(1).rng();
        for bound in [1u32, 2, 3, 7, 100, 3_000_000_000] {
            let draws = 100_000;
            let mut counts = HashMap::new();
            for _ in 0..draws {
                let number = below(&mut rng, bound);
                assert!(number < bound);
                *counts
                    .entry(u64::from(number) * 7 / u64::from(bound))
                    .or_insert(0u32) += 1;
            }
            // With 3 billion the multiplication without rejection would prefer some numbers by half.
            let cells = u64::from(bound.min(7));
            let expected = f64::from(draws) / cells as f64;
            for (cell, count) in counts {
                if bound != 100 {
                    assert!(
                        (f64::from(count) - expected).abs() < 5.0 * expected.sqrt(),
                        "{bound} {cell}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_node_has_a_generator_of_its_own() {
        let root = Node::root(5);
        let mut nodes = vec![
            root,
            Node::root(6),
            root.child(0).child(0),
            root.child(0).child(1),
        ];
        nodes.extend((0..=255).map(|bucket| root.child(bucket)));
        nodes.push(root.child(1).child(0));
        let first: std::collections::HashSet<u64> =
            nodes.iter().map(|node| node.rng().next_u64()).collect();
        assert_eq!(first.len(), nodes.len());
        let deep = (0..200).fold(root, |node, _| node.child(3));
        assert_ne!(deep, deep.child(3));
    }
}
