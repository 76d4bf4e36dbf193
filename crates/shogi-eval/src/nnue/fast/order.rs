//! The permutation of the feature transformer's units that makes zeros come together.
//!
//! The first affine layer skips groups of four inputs that are all zero. In a file units lie as training left them, each
//! zero at its own times, so that hardly a group is: of a real network's units two thirds may be zero and four fifths of
//! the groups not. Here units that are zero in the same positions, of a sample, come together. Evaluations are the same,
//! as the accumulator does not depend on the order.

use std::cmp::Reverse;

use shogi_core::{Color, Position};

use super::affine::GROUP;
use super::transformer::GROUPS;
use crate::PieceList;
use crate::nnue::arch::Architecture;
use crate::nnue::network::Transformer;
use crate::nnue::reference;
use crate::nnue::simd::PACKED;

/// Positions of games of this engine against itself, eight of each game.
const SAMPLE: &str = include_str!("sample.sfen");

/// For each position of the sample and each perspective a bit: whether a unit's input of the affine layers is not zero.
type NnzMask = [u64; WORDS];

const WORDS: usize = 4;

/// A permutation of units. Of networks with products a unit is a pair: the two halves of a row have the same order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    units: Vec<u16>,
    /// For each group of four in how many views of positions of the sample it is in use.
    uses: Vec<u32>,
}

impl Order {
    /// Finds the order for a network with these parameters.
    pub(super) fn new(architecture: &Architecture, transformer: &Transformer) -> Self {
        let features = architecture.features();
        let mut nnz = Vec::new();
        for (n, sfen) in SAMPLE.lines().enumerate() {
            let Ok(position) = Position::from_sfen(sfen) else {
                continue;
            };
            let list = PieceList::new(&position);
            for perspective in Color::ALL {
                let active = features.active(&position, &list, perspective);
                let active = active.iter().map(|&feature| feature as usize);
                let sums = reference::sum_rows(transformer, active);
                let inputs = reference::inputs(architecture, &sums);
                nnz.resize(inputs.len(), NnzMask::default());
                let sample = 2 * n + perspective.index();
                for (bits, input) in nnz.iter_mut().zip(inputs) {
                    bits[sample / 64 % WORDS] |= u64::from(input != 0) << (sample % 64);
                }
            }
        }
        Self::of(&nnz)
    }

    /// Units in groups, the groups that are in use most often first.
    fn of(nnz: &[NnzMask]) -> Self {
        let units = together(nnz);
        let uses = |group: &[u16]| {
            let group = group.iter().map(|&unit| nnz[usize::from(unit)]);
            count(group.fold(NnzMask::default(), |a, b| zip(a, b, |a, b| a | b)))
        };
        let (whole, rest) = units.as_chunks::<GROUP>();
        let mut groups = whole.to_vec();
        groups.sort_by_key(|group| Reverse(uses(group)));
        Self {
            uses: groups.iter().map(|group| uses(group)).collect(),
            units: [groups.as_flattened(), rest].concat(),
        }
    }

    /// The number of input vectors of a perspective, from the first on, that have so many groups in use as a rule that going through
    /// all of them takes less time than listing those, in a layer with so many outputs.
    pub(super) fn dense(&self, outputs: usize) -> usize {
        // All groups take three quarters of the time of as many that are listed with 32 outputs, half of it with 16.
        let eighths = if outputs >= 32 { 6 } else { 4 };
        let all = (GROUPS * WORDS * 64) as u32;
        let vectors = self.uses.chunks(GROUPS);
        vectors
            .take_while(|uses| 8 * uses.iter().sum::<u32>() > eighths * all)
            .count()
    }

    /// The unit that lies at this place.
    pub(super) fn unit(&self, place: usize) -> Option<usize> {
        self.units.get(place).map(|&unit| usize::from(unit))
    }

    /// Writes one part of a row, by unit, to `places`, so many that whole vectors of bytes are made of them: each where it
    /// becomes the input with its place in this order.
    pub(super) fn lay_out(&self, part: &[i16], places: &mut [i16]) {
        for (places, units) in places
            .chunks_exact_mut(PACKED.len())
            .zip(self.units.chunks(PACKED.len()))
        {
            for (&place, &unit) in PACKED.iter().zip(units) {
                places[usize::from(place)] = part[usize::from(unit)];
            }
        }
    }
}

/// Units in groups, each of one that is in use as often as any that is left, and of those that are in use most nearly
/// when the group is.
fn together(nnz: &[NnzMask]) -> Vec<u16> {
    let mut left: Vec<u16> = (0..nnz.len() as u16).collect();
    left.sort_by_key(|&unit| Reverse(count(nnz[usize::from(unit)])));
    let mut order = Vec::with_capacity(left.len());
    let mut group = NnzMask::default();
    while !left.is_empty() {
        let next = if order.len() % GROUP == 0 {
            group = NnzMask::default();
            0
        } else {
            most_alike(group, &left, nnz)
        };
        let unit = left.remove(next);
        group = zip(group, nnz[usize::from(unit)], |a, b| a | b);
        order.push(unit);
    }
    order
}

/// The unit of `left` that has the largest share of times in use together with `group` among those in which either is;
/// the first of several.
fn most_alike(group: NnzMask, left: &[u16], nnz: &[NnzMask]) -> usize {
    let mut best = (0, 0, 1);
    for (at, &unit) in left.iter().enumerate() {
        let unit = nnz[usize::from(unit)];
        let both = count(zip(group, unit, |a, b| a & b));
        let either = count(zip(group, unit, |a, b| a | b)).max(1);
        if both * best.2 > best.1 * either {
            best = (at, both, either);
        }
    }
    best.0
}

fn zip(a: NnzMask, b: NnzMask, f: impl Fn(u64, u64) -> u64) -> NnzMask {
    std::array::from_fn(|i| f(a[i], b[i]))
}

fn count(bits: NnzMask) -> u32 {
    bits.iter().map(|bits| bits.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_fills_the_bits() {
        let count = SAMPLE.lines().flat_map(Position::from_sfen).count();
        assert_eq!(count, SAMPLE.lines().count());
        assert_eq!(2 * count, 64 * WORDS);
    }

    #[test]
    fn vectors_that_are_mostly_in_use_are_dense() {
        // Of a hundred groups and two units more every other one is in use always, the others in a quarter of the sample.
        let nnz: Vec<NnzMask> = (0..102 * GROUP - 2)
            .map(|unit| {
                let words = if (unit / GROUP).is_multiple_of(2) {
                    WORDS
                } else {
                    1
                };
                std::array::from_fn(|word| if word < words { u64::MAX } else { 0 })
            })
            .collect();
        let order = Order::of(&nnz);
        assert!(order.uses.is_sorted_by(|a, b| a >= b));
        assert_eq!(order.units.len(), nnz.len());
        // 51 groups are three vectors and three groups.
        assert_eq!((order.dense(32), order.dense(16)), (3, 3));
        let order = Order::of(&vec![[u64::MAX; WORDS]; 40 * GROUP]);
        assert_eq!(order.dense(32), 2, "half a vector is not worth it");
        assert_eq!(Order::of(&[NnzMask::default(); 64]).dense(16), 0);
    }

    #[test]
    fn units_that_are_zero_together_lie_together() {
        // Three kinds of units in turn, one of them never in use.
        let kinds = [[1, 1, 0, 0], [0; 4], [6, 0, 0, 6]];
        let nnz: Vec<NnzMask> = (0..24).map(|unit| kinds[unit % 3]).collect();
        let order = together(&nnz);
        for group in order.chunks(GROUP) {
            assert!(
                group.iter().all(|unit| unit % 3 == group[0] % 3),
                "{order:?}"
            );
        }
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..24));
    }
}
