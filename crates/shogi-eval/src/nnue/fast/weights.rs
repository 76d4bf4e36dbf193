//! The weights of the first layer: as a file has them, or in half the memory.
//!
//! Evaluation mostly waits for rows of these weights. Where nearly all of a network's fit in eight bits, it is kept in
//! bytes, with a list of what does not fit.

use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{LINE, Line};

/// Of so many weights one may not fit in a byte.
const FITTING: usize = 64;

/// See the module.
#[derive(Debug)]
pub(super) enum Weights {
    /// By feature, then by sum. The sums of one feature fill whole lines.
    Whole(Aligned<i16>),
    /// The same numbers.
    Bytes(ByteWeights),
}

/// Weights in bytes, and what is left of those that do not fit.
///
/// A trained network has a few units with a weight beyond a byte, but hardly any whose weights differ by more than a
/// byte holds. All of the unit's weights are then less by an offset, which is added again once for each row.
#[derive(Debug)]
pub(super) struct ByteWeights {
    /// Two lines of a row in one: the weight of the first, plus 128, in the low byte of each number, that of the second
    /// in the high byte.
    pairs: Aligned<i16>,
    /// By feature: where the rests of its row begin; then where the offsets begin. Nothing when all weights fit.
    starts: Aligned<u32>,
    /// Rests, then offsets.
    rests: Aligned<u32>,
    /// A bit for each feature whose row has rests; nothing when none has.
    has_rests: Vec<u64>,
    /// By sum, what its weights are less by than they were. Nothing when all are as they were.
    offsets: Vec<i16>,
}

/// What is to be added to a sum: its number, and a number of 16 bits.
#[derive(Clone, Copy)]
struct Rest(u32);

impl Rest {
    const fn new(sum: u16, rest: i16) -> Self {
        Self((sum as u32) << 16 | rest as u16 as u32)
    }

    const fn sum(self) -> usize {
        (self.0 >> 16) as usize
    }

    const fn rest(self) -> i16 {
        self.0 as i16
    }
}

impl Weights {
    /// `weights` in rows of so many, in as little memory as they can be used in.
    pub(super) fn new(weights: Aligned<i16>, row: usize) -> Self {
        match ByteWeights::new(&weights, row) {
            Some(bytes) => Self::Bytes(bytes),
            None => Self::Whole(weights),
        }
    }

    /// The rows, of so many lines each.
    #[inline(always)]
    pub(super) fn rows(&self, lines: usize) -> RowsOf<'_> {
        match self {
            Self::Whole(weights) => RowsOf::Whole(WholeRows {
                weights: weights.as_chunks().0,
                lines,
            }),
            Self::Bytes(weights) => RowsOf::Bytes(ByteRows {
                pairs: weights.pairs.as_chunks().0,
                len: lines / 2,
                of: weights,
            }),
        }
    }

    /// The bytes of the arrays: weights, and for those in bytes where rests begin, and the rests.
    pub(super) fn arrays(&self) -> [&[u8]; 3] {
        match self {
            Self::Whole(weights) => [bytemuck::cast_slice(weights), &[], &[]],
            Self::Bytes(weights) => [
                bytemuck::cast_slice(&weights.pairs),
                bytemuck::cast_slice(&weights.starts),
                bytemuck::cast_slice(&weights.rests),
            ],
        }
    }
}

/// Whether arrays of so many bytes may be those of so many weights of so many features.
pub(super) fn are_lens(lens: [u64; 3], weights: u64, features: u64) -> bool {
    match lens {
        [len, 0, 0] => len == 2 * weights || len == weights,
        [len, starts, rests] => {
            len == weights && starts == 4 * (features + 2) && rests.is_multiple_of(4)
        }
    }
}

impl ByteWeights {
    /// `None` when too many weights do not fit.
    fn new(weights: &[i16], row: usize) -> Option<Self> {
        let mut split = Split::new(weights, row, &vec![0; row])?;
        if split.rests.is_empty() {
            return Self::of_arrays(split.pairs, Aligned::zeros(0), Aligned::zeros(0), row);
        }
        let offsets = offsets(weights, row);
        if offsets.iter().any(|&offset| offset != 0) {
            split = Split::new(weights, row, &offsets)?;
        }
        split.rests.extend(sparse(offsets.into_iter()));
        split.starts.push(split.rests.len() as u32);
        let [starts, rests] = [split.starts, split.rests].map(|numbers| Aligned::copy_of(&numbers));
        Self::of_arrays(split.pairs, starts, rests, row)
    }

    /// `None` when the arrays do not belong together.
    pub(super) fn of_arrays(
        pairs: Aligned<i16>,
        starts: Aligned<u32>,
        rests: Aligned<u32>,
        row: usize,
    ) -> Option<Self> {
        let features = 2 * pairs.len() / row;
        let mut has_rests = Vec::new();
        let mut offsets = Vec::new();
        if starts.is_empty() {
            if !rests.is_empty() {
                return None;
            }
        } else {
            let ends = [starts.first(), starts.last()].map(|end| end.copied().unwrap_or(1));
            let is_right = starts.len() == features + 2
                && ends == [0, rests.len() as u32]
                && starts.is_sorted()
                && rests.iter().all(|&rest| Rest(rest).sum() < row);
            if !is_right {
                return None;
            }
            let offsets_from = starts[features] as usize;
            if offsets_from > 0 {
                has_rests = vec![0; features.div_ceil(64)];
                for (feature, ends) in starts.windows(2).take(features).enumerate() {
                    has_rests[feature / 64] |= u64::from(ends[0] != ends[1]) << (feature % 64);
                }
            }
            if offsets_from < rests.len() {
                offsets = vec![0; row];
                for &offset in &rests[offsets_from..] {
                    offsets[Rest(offset).sum()] = Rest(offset).rest();
                }
            }
        }
        Some(Self {
            pairs,
            starts,
            rests,
            has_rests,
            offsets,
        })
    }

    #[inline(always)]
    fn rests_of(&self, feature: usize) -> &[u32] {
        let has_rests = self.has_rests[feature / 64] >> (feature % 64) & 1 != 0;
        if has_rests {
            &self.rests[self.starts[feature] as usize..self.starts[feature + 1] as usize]
        } else {
            &[]
        }
    }
}

/// The part of a weight that fits in a byte.
#[inline(always)]
fn byte(weight: i16) -> i16 {
    weight.clamp(i8::MIN.into(), i8::MAX.into())
}

/// Weights in bytes, after subtraction of offsets.
struct Split {
    pairs: Aligned<i16>,
    /// By feature, where its rests begin, and where the last end.
    starts: Vec<u32>,
    rests: Vec<u32>,
}

impl Split {
    /// `None` when too many weights do not fit.
    fn new(weights: &[i16], row: usize, offsets: &[i16]) -> Option<Self> {
        let mut pairs = Aligned::zeros(weights.len() / 2);
        let (mut starts, mut rests) = (vec![0], Vec::new());
        let most = weights.len() / FITTING;
        let rows = weights.chunks_exact(row);
        for (weights, pairs) in rows.zip(pairs.chunks_exact_mut(row / 2)) {
            let fits = pair_up(
                weights.as_chunks().0,
                offsets.as_chunks().0,
                pairs.as_chunks_mut().0,
            );
            if !fits {
                let less = weights.iter().zip(offsets).map(|(a, b)| a.wrapping_sub(*b));
                rests.extend(sparse(less.map(rest)));
                if rests.len() > most {
                    return None;
                }
            }
            starts.push(rests.len() as u32);
        }
        Some(Self {
            pairs,
            starts,
            rests,
        })
    }
}

/// By sum, what to subtract from its weights so that more of them fit in bytes; 0 where nothing does that.
fn offsets(weights: &[i16], row: usize) -> Vec<i16> {
    let mut ranges = vec![[i16::MAX, i16::MIN]; row];
    for weights in weights.chunks_exact(row) {
        for ([least, most], &weight) in ranges.iter_mut().zip(weights) {
            *least = weight.min(*least);
            *most = weight.max(*most);
        }
    }
    let offset = |[least, most]: [i16; 2]| {
        if rest(least) == 0 && rest(most) == 0 {
            0
        } else {
            // A byte reaches one further down than up.
            (i32::from(least) + i32::from(most) + 1).div_euclid(2) as i16
        }
    };
    let mut offsets: Vec<i16> = ranges.into_iter().map(offset).collect();
    // One weight far away is better left alone than all others moved towards it.
    let mut gains = vec![0; row];
    for weights in weights.chunks_exact(row) {
        let sums = gains.iter_mut().zip(weights.iter().zip(&offsets));
        for (gain, (&weight, &offset)) in sums {
            let [before, after] = [weight, weight.wrapping_sub(offset)].map(|w| rest(w) != 0);
            *gain += i32::from(before) - i32::from(after);
        }
    }
    for (offset, gain) in offsets.iter_mut().zip(gains) {
        if gain <= 0 {
            *offset = 0;
        }
    }
    offsets
}

/// Writes two lines, less by the offsets, into one each; whether all weights fit.
#[inline(always)]
fn pair_up(lines: &[Line], offsets: &[Line], pairs: &mut [Line]) -> bool {
    let mut rests = 0;
    let lines = lines.as_chunks().0.iter().zip(offsets.as_chunks().0);
    for (([low, high], [low_offsets, high_offsets]), pair) in lines.zip(pairs) {
        for n in 0..LINE {
            let low = low[n].wrapping_sub(low_offsets[n]);
            let high = high[n].wrapping_sub(high_offsets[n]);
            rests |= rest(low) | rest(high);
            pair[n] = (byte(low) + ByteRows::BIAS) | byte(high) << 8;
        }
    }
    rests == 0
}

/// What does not fit of a weight.
#[inline(always)]
fn rest(weight: i16) -> i16 {
    weight - byte(weight)
}

/// Those that are not zero.
fn sparse(numbers: impl Iterator<Item = i16>) -> impl Iterator<Item = u32> {
    let numbers = numbers.enumerate().filter(|&(_, number)| number != 0);
    // Sums have numbers of 16 bits (`MAX_WIDTH`).
    numbers.map(|(sum, number)| Rest::new(sum as u16, number).0)
}

/// The first layer's rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowsOf<'a> {
    Whole(WholeRows<'a>),
    Bytes(ByteRows<'a>),
}

/// Rows of numbers of sixteen bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeRows<'a> {
    weights: &'a [Line],
    lines: usize,
}

/// Rows of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteRows<'a> {
    pairs: &'a [Line],
    /// Pairs of lines.
    len: usize,
    of: &'a ByteWeights,
}

impl<'a> WholeRows<'a> {
    /// The lines of all rows.
    #[inline(always)]
    pub(super) fn lines(self) -> &'a [Line] {
        self.weights
    }
}

impl<'a> ByteRows<'a> {
    /// What is added to each weight of the first of two lines.
    pub(super) const BIAS: i16 = 128;

    /// The lines of all rows, each two lines of weights in one.
    #[inline(always)]
    pub(super) fn pairs(self) -> &'a [Line] {
        self.pairs
    }

    /// By sum, what each row has more than its bytes, besides [rests](Self::for_each_rest); nothing when that is zero.
    #[inline(always)]
    pub(super) fn offsets(self) -> &'a [Line] {
        self.of.offsets.as_chunks().0
    }

    /// Calls `f` with what the bytes do not have of the rows of `features`: the number of a sum, and what has to be
    /// added to it.
    #[inline(always)]
    pub(super) fn for_each_rest(self, features: &[u32], mut f: impl FnMut(usize, i16)) {
        // Many networks have none at all.
        if self.of.has_rests.is_empty() {
            return;
        }
        for &feature in features {
            for &rest in self.of.rests_of(feature as usize) {
                f(Rest(rest).sum(), Rest(rest).rest());
            }
        }
    }
}

impl RowsOf<'_> {
    /// Asks for the beginnings of the rows of `features`, which will be needed soon; the processor guesses the rest. Any
    /// numbers will do; short rows bring their neighbours along.
    #[inline(always)]
    pub(super) fn prefetch(self, features: &[u32]) {
        match self {
            Self::Whole(rows) => prefetch::<8>(rows.weights, rows.lines, features),
            Self::Bytes(rows) => prefetch::<4>(rows.pairs, rows.len, features),
        }
    }

    /// The same for rows that will be needed at once: where each begins, as asking for more takes longer than waiting.
    #[inline(always)]
    pub(super) fn prefetch_all(self, features: &[u32]) {
        match self {
            Self::Whole(rows) => prefetch::<1>(rows.weights, rows.lines, features),
            Self::Bytes(rows) => prefetch::<1>(rows.pairs, rows.len, features),
        }
    }
}

/// Asks for the first `N` lines of the rows of `features`, which have so many each, if they are worth asking for.
#[inline(always)]
fn prefetch<const N: usize>(lines: &[Line], len: usize, features: &[u32]) {
    /// So many lines, 1 MiB, are soon in the second level of the cache.
    const NEAR: usize = 1 << 14;
    if lines.len() <= NEAR {
        return;
    }
    for &feature in features {
        let rest = lines.get(feature as usize * len..);
        if let Some(first) = rest.and_then(<[Line]>::first_chunk::<N>) {
            first.iter().for_each(yane_io::prefetch);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::nnue::arch::MAX_WIDTH;
    use crate::nnue::fast::rows;
    use crate::nnue::simd::{Isa, Kernel, Level};

    const ROW: usize = 6 * LINE;

    /// Sums with some rows more and some less.
    struct Update<'a> {
        weights: &'a Weights,
        sums: &'a [i16],
        removed: &'a [u32],
        added: &'a [u32],
    }

    impl Kernel for Update<'_> {
        type Output = Vec<i16>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Vec<i16> {
            let from = Aligned::copy_of(self.sums);
            let mut to = Aligned::<i16>::zeros(ROW);
            let rows = self.weights.rows(ROW / LINE);
            rows.prefetch_all(self.added);
            let lines = to.as_chunks_mut().0;
            rows::update(
                isa,
                from.as_chunks().0,
                lines,
                rows,
                self.removed,
                self.added,
            );
            to.to_vec()
        }
    }

    fn weight() -> impl Strategy<Value = i16> {
        let edge = prop::sample::select(vec![-129, -128, -1, 0, 127, 128, i16::MIN, i16::MAX]);
        prop_oneof![400 => -128..=127i16, 1 => any::<i16>(), 1 => edge]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn rows_in_bytes_are_those_that_they_were_made_of(
            weights in vec(weight(), 8 * ROW),
            sums in vec(any::<i16>(), ROW),
            removed in vec(0..8u32, 0..5),
            added in vec(0..8u32, 0..5),
        ) {
            let whole = Weights::Whole(Aligned::copy_of(&weights));
            let bytes = Weights::Bytes(ByteWeights::new(&weights, ROW).unwrap());
            let row = |feature: u32| &weights[feature as usize * ROW..][..ROW];
            let mut expected = sums.clone();
            for (n, sum) in expected.iter_mut().enumerate() {
                for &feature in &removed {
                    *sum = sum.wrapping_sub(row(feature)[n]);
                }
                for &feature in &added {
                    *sum = sum.wrapping_add(row(feature)[n]);
                }
            }
            for weights in [&whole, &bytes] {
                for level in Level::available() {
                    let update = Update { weights, sums: &sums, removed: &removed, added: &added };
                    prop_assert_eq!(&level.run(update), &expected, "{:?}", level);
                }
            }
        }
    }

    #[test]
    fn a_unit_with_weights_of_one_side_has_an_offset() {
        let mut weights = vec![0; 8 * ROW];
        for feature in 0..8 {
            weights[feature * ROW + 5] = [-200, 55][feature % 2];
            weights[feature * ROW + 7] = [200, -55][feature % 2];
            weights[feature * ROW + 9] = 300 + feature as i16;
        }
        let bytes = ByteWeights::new(&weights, ROW).unwrap();
        assert!(bytes.has_rests.is_empty());
        let expected = [(5, -72), (7, 73), (9, 304)];
        let found = bytes
            .rests
            .iter()
            .map(|&rest| (Rest(rest).sum(), Rest(rest).rest()));
        assert!(found.eq(expected));
        // One that is far away stays a rest, and keeps nothing from the others.
        weights[11] = i16::MAX;
        let bytes = ByteWeights::new(&weights, ROW).unwrap();
        assert_eq!((bytes.starts[1], bytes.starts[8]), (1, 1));
        let found = bytes.rests[1..].iter();
        assert!(
            found
                .map(|&rest| (Rest(rest).sum(), Rest(rest).rest()))
                .eq(expected)
        );
        weights[11] = 0;
        // No byte holds both.
        weights[5] = 56;
        weights[5 + ROW] = -201;
        let bytes = ByteWeights::new(&weights, ROW).unwrap();
        assert!(bytes.starts[8] > 0 && !bytes.has_rests.is_empty());
    }

    #[test]
    fn too_many_large_weights_stay_as_they_are() {
        let mut weights = vec![127; 64 * ROW];
        let is_whole = |weights: &[i16]| {
            matches!(
                Weights::new(Aligned::copy_of(weights), ROW),
                Weights::Whole(_)
            )
        };
        let most = weights.len() / FITTING;
        weights[..most].fill(-129);
        assert!(!is_whole(&weights));
        weights[most] = 128;
        assert!(is_whole(&weights));
    }

    #[test]
    fn the_last_sum_of_the_widest_row_has_a_number() {
        let mut weights = vec![0; MAX_WIDTH];
        weights[MAX_WIDTH - 1] = i16::MIN;
        let rests = Split::new(&weights, MAX_WIDTH, &vec![0; MAX_WIDTH])
            .unwrap()
            .rests;
        let [rest] = rests[..] else {
            panic!("{}", rests.len())
        };
        let rest = Rest(rest);
        assert_eq!((rest.sum(), rest.rest()), (MAX_WIDTH - 1, i16::MIN + 128));
    }

    #[test]
    fn arrays_that_do_not_belong_together_are_refused() {
        let of = |pairs: usize, starts: &[u32], rests: &[u32]| {
            let pairs = Aligned::zeros(pairs);
            let [starts, rests] = [starts, rests].map(Aligned::copy_of);
            ByteWeights::of_arrays(pairs, starts, rests, ROW).is_some()
        };
        let last = Rest::new(ROW as u16 - 1, 5).0;
        assert!(of(ROW, &[], &[]));
        assert!(of(ROW, &[0, 0, 1, 1], &[last]));
        assert!(of(ROW, &[0, 0, 0, 1], &[last]), "an offset");
        assert!(!of(ROW, &[], &[last]));
        assert!(!of(ROW, &[0, 1, 1], &[last]), "a row too few");
        assert!(!of(ROW, &[0, 0, 2, 2], &[last]), "beyond the end");
        assert!(!of(ROW, &[0, 2, 1, 1], &[last]), "backwards");
        assert!(!of(ROW, &[1, 1, 1, 1], &[last]), "not from the beginning");
        assert!(
            !of(ROW, &[0, 0, 1, 1], &[Rest::new(ROW as u16, 5).0]),
            "no such sum"
        );
        assert!(are_lens([10, 0, 0], 10, 3) && are_lens([20, 0, 0], 10, 3));
        assert!(are_lens([10, 20, 8], 10, 3));
        for lens in [
            [11, 0, 0],
            [20, 20, 8],
            [10, 16, 8],
            [10, 20, 9],
            [10, 0, 4],
        ] {
            assert!(!are_lens(lens, 10, 3), "{lens:?}");
        }
    }
}
