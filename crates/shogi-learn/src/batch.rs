//! Batches: the active features of samples and, by row of the feature transformer, which accumulators used it.

use crate::features::MAX_FACTORS;
use crate::shape::Shape;

/// The target of a sample, for its loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// The winning rate that the network shall give.
    pub(crate) value: f32,
    /// The weight of the sample.
    pub(crate) weight: f32,
    /// The winning rate by the score alone.
    pub(crate) score: f32,
    /// The winning rate by the result alone.
    pub(crate) result: f32,
}

impl Target {
    /// A target whose parts are not told apart.
    #[cfg(test)]
    pub(crate) const fn new(value: f32, weight: f32) -> Self {
        Self {
            value,
            weight,
            score: value,
            result: value,
        }
    }
}

/// Samples in the order in which they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// By sample, those of the side to move, then those of the other.
    pub(crate) features: Vec<u32>,
    pub(crate) targets: Vec<Target>,
    /// The stack of each.
    pub(crate) stacks: Vec<u32>,
}

impl Samples {
    /// Takes all of them out.
    pub(crate) fn clear(&mut self) {
        self.features.clear();
        self.targets.clear();
        self.stacks.clear();
    }

    /// Appends those of `other`.
    pub(crate) fn append(&mut self, other: &Self) {
        self.features.extend_from_slice(&other.features);
        self.targets.extend_from_slice(&other.targets);
        self.stacks.extend_from_slice(&other.stacks);
    }
}

/// Samples of one stack beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) stack: usize,
    pub(crate) first: usize,
    pub(crate) end: usize,
}

/// Numbers by key: "gather lists".
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// The keys there are, ascending.
    pub(crate) keys: Vec<u32>,
    /// Start of the list of each key; one more than keys.
    pub(crate) starts: Vec<u32>,
    /// The numbers, ascending in each list.
    pub(crate) entries: Vec<u32>,
    /// Where lists are long: by block of [`ENTRY_BLOCK`] numbers, then by key, the end of the part of the list that is in the block.
    pub(crate) cuts: Vec<u32>,
}

/// Numbers of a block: what the accumulators of so many have in a slab (256 KiB) stays in the cache while lists are gone through block by
/// block.
pub(crate) const ENTRY_BLOCK: u32 = 2048;

/// Entries that a list has in a block, on average, from which on blocks pay.
const LONG: usize = 8;

/// A batch, ready to be trained on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) len: usize,
    /// As in [`Samples`], but with factors they are numbers of touched rows, not of rows.
    pub(crate) features: Vec<u32>,
    pub(crate) targets: Vec<Target>,
    /// All samples, by stack.
    pub(crate) runs: Vec<Run>,
    /// By row, the accumulators (two for each sample) that used it.
    pub(crate) rows: Lists,
    /// By touched row, its factors.
    pub(crate) factors_of: Vec<[u32; MAX_FACTORS]>,
    /// By factor row, the touched rows that have it.
    pub(crate) factors: Lists,
}

/// Makes batches; keeps its memory.
#[derive(Debug)]
pub(crate) struct BatchMaker {
    shape: Shape,
    counts: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    sorted: Samples,
}

impl BatchMaker {
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            shape,
            counts: Vec::new(),
            pairs: Vec::new(),
            sorted: Samples::default(),
        }
    }

    /// Makes `samples` the batch.
    pub(crate) fn make(&mut self, samples: &mut Samples, batch: &mut Batch) {
        self.sort_by_stack(samples, batch);
        let active = self.shape.features.active_count();
        batch.len = samples.targets.len();
        std::mem::swap(&mut batch.features, &mut samples.features);
        std::mem::swap(&mut batch.targets, &mut samples.targets);
        let keys = |pairs: &mut Vec<[u32; 2]>| {
            pairs.clear();
            for (accumulator, features) in (0..).zip(batch.features.chunks_exact(active)) {
                pairs.extend(features.iter().map(|&feature| [feature, accumulator]));
            }
        };
        keys(&mut self.pairs);
        make_lists(
            &mut self.counts,
            self.shape.features.rows(),
            &self.pairs,
            &mut batch.rows,
        );
        if self.shape.features.is_factorised() {
            self.factorise(batch);
        }
    }

    /// Numbers features by touched row, and lists the factors.
    fn factorise(&mut self, batch: &mut Batch) {
        let features = self.shape.features;
        self.counts
            .resize(features.rows().max(self.counts.len()), 0);
        batch.factors_of.clear();
        self.pairs.clear();
        for (number, &row) in (0..).zip(&batch.rows.keys) {
            self.counts[row as usize] = number;
            let (count, factors) = features.factors(row as usize);
            let factors = factors.map(|factor| factor as u32);
            batch.factors_of.push(factors);
            self.pairs
                .extend(factors[..count].iter().map(|&factor| [factor, number]));
        }
        for feature in &mut batch.features {
            *feature = self.counts[*feature as usize];
        }
        for &row in &batch.rows.keys {
            self.counts[row as usize] = 0;
        }
        make_lists(
            &mut self.counts,
            features.factor_rows(),
            &self.pairs,
            &mut batch.factors,
        );
    }

    /// Brings samples of the same stack together, in their order.
    fn sort_by_stack(&mut self, samples: &mut Samples, batch: &mut Batch) {
        batch.runs.clear();
        let len = samples.targets.len();
        let stacks = self.shape.stacks();
        if stacks == 1 {
            batch.runs.push(Run {
                stack: 0,
                first: 0,
                end: len,
            });
            return;
        }
        let mut order: Vec<u32> = (0..len as u32).collect();
        order.sort_by_key(|&sample| samples.stacks[sample as usize]);
        let features = 2 * self.shape.features.active_count();
        self.sorted.clear();
        for &sample in &order {
            let sample = sample as usize;
            self.sorted
                .features
                .extend_from_slice(&samples.features[sample * features..][..features]);
            self.sorted.targets.push(samples.targets[sample]);
            self.sorted.stacks.push(samples.stacks[sample]);
        }
        std::mem::swap(&mut self.sorted, samples);
        for (sample, &stack) in samples.stacks.iter().enumerate() {
            match batch.runs.last_mut() {
                Some(run) if run.stack == stack as usize => run.end = sample + 1,
                _ => batch.runs.push(Run {
                    stack: stack as usize,
                    first: sample,
                    end: sample + 1,
                }),
            }
        }
    }
}

/// Sorts pairs of a key below `keys` and a number, by number, into lists: a counting sort. `counts` are zeros before and after.
fn make_lists(counts: &mut Vec<u32>, keys: usize, pairs: &[[u32; 2]], lists: &mut Lists) {
    counts.resize(keys.max(counts.len()), 0);
    for &[key, _] in pairs {
        counts[key as usize] += 1;
    }
    lists.keys.clear();
    lists.starts.clear();
    let mut start = 0;
    for (key, count) in (0..).zip(&mut counts[..keys]) {
        if *count > 0 {
            lists.keys.push(key);
            lists.starts.push(start);
            // From here on where the next number of the list goes.
            start += std::mem::replace(count, start);
        }
    }
    lists.starts.push(start);
    lists.entries.clear();
    lists.entries.resize(pairs.len(), 0);
    lists.cuts.clear();
    let blocks = pairs.last().map_or(0, |&[_, last]| last / ENTRY_BLOCK + 1);
    let is_cut = blocks > 1 && pairs.len() >= LONG * lists.keys.len() * blocks as usize;
    let mut end = if is_cut { ENTRY_BLOCK } else { u32::MAX };
    for &[key, number] in pairs {
        while number >= end {
            lists
                .cuts
                .extend(lists.keys.iter().map(|&key| counts[key as usize]));
            end += ENTRY_BLOCK;
        }
        let place = &mut counts[key as usize];
        lists.entries[*place as usize] = number;
        *place += 1;
    }
    if is_cut {
        lists.cuts.extend_from_slice(&lists.starts[1..]);
    }
    for &key in &lists.keys {
        counts[key as usize] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_every_number_once() {
        let mut counts = Vec::new();
        let mut lists = Lists::default();
        for _ in 0..2 {
            let pairs = [[5, 0], [2, 0], [5, 1], [0, 2], [5, 2]];
            make_lists(&mut counts, 6, &pairs, &mut lists);
            assert_eq!(lists.keys, [0, 2, 5]);
            assert_eq!(lists.starts, [0, 1, 2, 5]);
            assert_eq!(lists.entries, [2, 0, 0, 1, 2]);
            assert!(counts.iter().all(|&count| count == 0));
        }
    }

    #[test]
    fn long_lists_are_cut_into_blocks() {
        let (mut counts, mut lists) = (Vec::new(), Lists::default());
        let numbers = 0..3 * ENTRY_BLOCK + 5;
        let pairs: Vec<_> = numbers.map(|number| [number % 2 * 3, number]).collect();
        make_lists(&mut counts, 4, &pairs, &mut lists);
        let blocks: Vec<_> = lists.cuts.chunks_exact(2).collect();
        assert_eq!(blocks.len(), 4);
        let mut from = [lists.starts[0], lists.starts[1]];
        for (number, ends) in (0..).zip(blocks) {
            for (from, &to) in from.iter_mut().zip(ends) {
                let entries = &lists.entries[*from as usize..to as usize];
                assert!(!entries.is_empty());
                assert!(entries.iter().all(|entry| entry / ENTRY_BLOCK == number));
                *from = to;
            }
        }
        assert_eq!(from, lists.starts[1..]);
        // Short lists, and those of one block, are not.
        make_lists(&mut counts, 4, &pairs[..2000], &mut lists);
        assert!(lists.cuts.is_empty());
        let scattered: Vec<_> = (0..9000).map(|number| [number / 9, number]).collect();
        make_lists(&mut counts, 1000, &scattered, &mut lists);
        assert!(lists.cuts.is_empty());
    }

    #[test]
    fn samples_of_a_stack_come_together() {
        let shape = Shape::new("SFNN_k_32_8_8_k3k3".parse().unwrap(), false);
        let mut samples = Samples::default();
        for (number, stack) in [3, 1, 3, 0].into_iter().enumerate() {
            samples.features.extend([number as u32; 4]);
            samples.stacks.push(stack);
            let value = number as f32;
            samples.targets.push(Target::new(value, 1.0));
        }
        let mut batch = Batch::default();
        BatchMaker::new(shape).make(&mut samples, &mut batch);
        let runs: Vec<_> = batch
            .runs
            .iter()
            .map(|r| (r.stack, r.first, r.end))
            .collect();
        assert_eq!(runs, [(0, 0, 1), (1, 1, 2), (3, 2, 4)]);
        let values: Vec<_> = batch.targets.iter().map(|target| target.value).collect();
        assert_eq!(values, [3.0, 1.0, 0.0, 2.0]);
    }

    #[test]
    fn factors_list_the_rows_that_have_them() {
        let shape = Shape::new("halfkp_32x2-8-8".parse().unwrap(), true);
        let mut samples = Samples::default();
        let row = |king: u32, piece: u32| king * 1548 + piece;
        samples.features.extend([row(1, 5); 38]);
        samples.features.extend([row(2, 5); 38]);
        samples.stacks.push(0);
        samples.targets.push(Target::new(0.5, 1.0));
        let mut batch = Batch::default();
        BatchMaker::new(shape).make(&mut samples, &mut batch);
        assert_eq!(batch.rows.keys, [row(1, 5), row(2, 5)]);
        assert_eq!(batch.features[37..39], [0, 1]);
        assert_eq!(batch.factors.keys, [5]);
        assert_eq!(batch.factors.entries, [0, 1]);
    }
}
