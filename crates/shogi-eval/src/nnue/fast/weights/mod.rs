//! The weights of the feature transformer: as a file has them, or in half the memory.
//!
//! Evaluation mostly waits for these weights. Where nearly all of a network's fit in eight bits, it is kept in
//! bytes, with a list of what does not fit.

mod quantise;

use crate::nnue::aligned::Aligned;
use crate::nnue::features::FeatureDelta;
use crate::nnue::simd::{FEW, Isa, Line};

use quantise::{Quantisation, QuantisedWeights, UnitValue, numbers};

/// See the module.
#[derive(Debug)]
pub(super) enum Weights {
    /// By feature, then by unit. The weights of one feature fill whole cache lines.
    Whole(Aligned<i16>),
    /// The same numbers.
    Bytes(ByteWeights),
}

/// Weights in bytes, and what is left of those that do not fit.
///
/// A trained network has a few units with a weight beyond a byte, but hardly any whose weights differ by more than a
/// byte holds. All of the unit's weights are then less by an offset, which is added again once for each feature. Weights
/// that are all so many steps apart, as in networks that count material, are kept as numbers of steps.
#[derive(Debug)]
pub(super) struct ByteWeights {
    /// Two cache lines of a feature in one: the weight of the first, plus 128, in the low byte of each number, that of the second
    /// in the high byte.
    pairs: Aligned<i16>,
    /// By feature: where its outliers begin; then where the offsets begin and where the scales. Nothing when all
    /// weights fit.
    starts: Aligned<u32>,
    /// [Values](UnitValue) of outliers, then of offsets, then of scales.
    notes: Aligned<u32>,
    /// A bit for each feature that has outliers; nothing when none has.
    has_outliers: Vec<u64>,
    /// These features, repeated to fill the array, if they are so few.
    few: Option<[u32; FEW]>,
    /// By unit, what its weights are less by than they were. Nothing when that is always 0.
    offsets: Vec<i16>,
    /// By unit, the scale of its weights. Nothing when that is always 1.
    scales: Vec<i16>,
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
    pub(super) fn view(&self, lines: usize) -> WeightsView<'_> {
        match self {
            Self::Whole(weights) => WeightsView::Whole(WideWeightsView {
                weights: weights.as_chunks().0,
                lines,
            }),
            Self::Bytes(weights) => WeightsView::Bytes(ByteWeightsView {
                pairs: weights.pairs.as_chunks().0,
                len: lines / 2,
                of: weights,
            }),
        }
    }

    /// The bytes of the arrays: weights, and for those in bytes where notes begin, and the notes.
    pub(super) fn arrays(&self) -> [&[u8]; 3] {
        match self {
            Self::Whole(weights) => [bytemuck::cast_slice(weights), &[], &[]],
            Self::Bytes(weights) => [
                bytemuck::cast_slice(&weights.pairs),
                bytemuck::cast_slice(&weights.starts),
                bytemuck::cast_slice(&weights.notes),
            ],
        }
    }
}

/// Returns whether arrays of so many bytes may be those of so many weights of so many features.
pub(super) fn are_lens(lens: [u64; 3], weights: u64, features: u64) -> bool {
    match lens {
        [len, 0, 0] => len == 2 * weights || len == weights,
        [len, starts, notes] => {
            len == weights && starts == 4 * (features + 3) && notes.is_multiple_of(4)
        }
    }
}

impl ByteWeights {
    /// `None` when too many weights do not fit.
    fn new(weights: &[i16], row: usize) -> Option<Self> {
        let quantised = QuantisedWeights::new(weights, row, &Quantisation::new(weights, row))?;
        let [starts, notes] =
            [quantised.starts, quantised.notes].map(|numbers| Aligned::copy_of(&numbers));
        Self::of_arrays(quantised.pairs, starts, notes, row)
    }

    /// `None` when the arrays do not belong together.
    pub(super) fn of_arrays(
        pairs: Aligned<i16>,
        starts: Aligned<u32>,
        notes: Aligned<u32>,
        row: usize,
    ) -> Option<Self> {
        let features = 2 * pairs.len() / row;
        let mut has_outliers = Vec::new();
        let mut few = None;
        let [mut offsets, mut scales] = [Vec::new(), Vec::new()];
        if !starts.is_empty() || !notes.is_empty() {
            let ends = [starts.first(), starts.last()].map(|end| end.copied().unwrap_or(1));
            let is_right = starts.len() == features + 3
                && ends == [0, notes.len() as u32]
                && starts.is_sorted()
                && notes.iter().all(|&note| UnitValue(note).sum() < row);
            if !is_right {
                return None;
            }
            if starts[features] > 0 {
                has_outliers = vec![0; features.div_ceil(64)];
                let mut with_outliers = Vec::new();
                for (feature, ends) in starts.windows(2).take(features).enumerate() {
                    if ends[0] != ends[1] {
                        has_outliers[feature / 64] |= 1 << (feature % 64);
                        with_outliers.push(feature as u32);
                    }
                }
                if with_outliers.len() <= FEW {
                    few = Some(std::array::from_fn(|i| {
                        with_outliers[i % with_outliers.len()]
                    }));
                }
            }
            let [outliers_end, offsets_end] = [starts[features], starts[features + 1]];
            offsets = numbers(&notes[outliers_end as usize..offsets_end as usize], row, 0);
            scales = numbers(&notes[offsets_end as usize..], row, 1);
        }
        Some(Self {
            pairs,
            starts,
            notes,
            has_outliers,
            few,
            offsets,
            scales,
        })
    }

    /// Returns whether weights of `features` may have outliers. If not, that is certain.
    #[inline(always)]
    fn may_have_outliers<I: Isa>(&self, isa: I, features: &[u32]) -> bool {
        if self.has_outliers.is_empty() {
            return false;
        }
        // Sixteen are compared at once.
        let (Some(few), Some(last)) = (&self.few, features.last_chunk()) else {
            return !features.is_empty();
        };
        let mut found = isa.has_any(last, few);
        for chunk in features[..features.len() - 1].as_chunks().0 {
            found |= isa.has_any(chunk, few);
        }
        found
    }

    fn outliers_of(&self, feature: usize) -> &[u32] {
        let has_outliers = self.has_outliers[feature / 64] >> (feature % 64) & 1 != 0;
        if has_outliers {
            &self.notes[self.starts[feature] as usize..self.starts[feature + 1] as usize]
        } else {
            &[]
        }
    }
}

/// The feature transformer's weights.
#[derive(Clone, Copy, Debug)]
pub(super) enum WeightsView<'a> {
    Whole(WideWeightsView<'a>),
    Bytes(ByteWeightsView<'a>),
}

/// Rows of 16-bit weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideWeightsView<'a> {
    weights: &'a [Line],
    lines: usize,
}

/// Rows of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteWeightsView<'a> {
    pairs: &'a [Line],
    /// Pairs of lines.
    len: usize,
    of: &'a ByteWeights,
}

impl<'a> WideWeightsView<'a> {
    /// The cache lines of all features.
    #[inline(always)]
    pub(super) fn lines(self) -> &'a [Line] {
        self.weights
    }
}

impl<'a> ByteWeightsView<'a> {
    /// The offset of each weight of the first of two lines.
    pub(super) const BIAS: i16 = quantise::BIAS;

    /// The cache lines of all features, each two of weights in one.
    #[inline(always)]
    pub(super) fn pairs(self) -> &'a [Line] {
        self.pairs
    }

    /// By unit, what each feature has more than its bytes and [scales](Self::scales) say, besides
    /// [outliers](Self::outliers_of); nothing when that is zero.
    #[inline(always)]
    pub(super) fn offsets(self) -> &'a [Line] {
        self.of.offsets.as_chunks().0
    }

    /// By unit, the scale of its bytes; nothing when that is 1.
    #[inline(always)]
    pub(super) fn scales(self) -> &'a [Line] {
        self.of.scales.as_chunks().0
    }

    /// Returns whether bytes do not have everything of the weights of some of these features, as far as it can be told soon.
    #[inline(always)]
    pub(super) fn may_have_outliers<I: Isa>(self, isa: I, features: &[u32]) -> bool {
        self.of.may_have_outliers(isa, features)
    }

    /// The outliers of `feature`: the number of a unit, and what has to be added to it.
    pub(super) fn outliers_of(self, feature: u32) -> impl Iterator<Item = (usize, i16)> {
        let notes = self.of.outliers_of(feature as usize).iter();
        notes.map(|&note| (UnitValue(note).sum(), UnitValue(note).number()))
    }
}

impl WeightsView<'_> {
    /// Returns whether bytes do not have everything of the weights of some of these features, as far as it can be told soon.
    #[inline(always)]
    pub(super) fn may_have_outliers<I: Isa>(self, isa: I, features: &[u32]) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Bytes(rows) => rows.may_have_outliers(isa, features),
        }
    }

    /// Prefetches the beginnings of the weights of `deltas`, which will be needed soon; the processor guesses the rest. Any
    /// numbers will do; short arrays bring their neighbours along.
    #[inline(always)]
    pub(super) fn prefetch(self, views: [&[FeatureDelta]; 2]) {
        let [black, white] = views.map(<[FeatureDelta]>::as_flattened);
        match self {
            Self::Whole(rows) if is_far(rows.weights) => {
                prefetch::<8>(rows.weights, rows.lines, black);
                prefetch::<8>(rows.weights, rows.lines, white);
            }
            Self::Bytes(rows) if is_far(rows.pairs) => {
                prefetch::<4>(rows.pairs, rows.len, black);
                prefetch::<4>(rows.pairs, rows.len, white);
            }
            Self::Whole(_) | Self::Bytes(_) => {}
        }
    }

    /// The same for weights that will be needed at once: where each begins, as asking for more takes longer than waiting.
    #[inline(always)]
    pub(super) fn prefetch_all(self, features: &[u32]) {
        match self {
            Self::Whole(rows) if is_far(rows.weights) => {
                prefetch::<1>(rows.weights, rows.lines, features);
            }
            Self::Bytes(rows) if is_far(rows.pairs) => {
                prefetch::<1>(rows.pairs, rows.len, features);
            }
            Self::Whole(_) | Self::Bytes(_) => {}
        }
    }
}

/// Returns whether weights are worth prefetching: 1 MiB of them is soon in the second level of the cache.
#[inline(always)]
fn is_far(lines: &[Line]) -> bool {
    lines.len() > 1 << 14
}

/// Prefetches the first `N` cache lines of the weights of `features`, which have so many each.
#[inline(always)]
fn prefetch<const N: usize>(lines: &[Line], len: usize, features: &[u32]) {
    for &feature in features {
        let rest = lines.get(feature as usize * len..);
        if let Some(first) = rest.and_then(<[Line]>::first_chunk::<N>) {
            first.iter().for_each(yane_base::memory::prefetch);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::quantise::FITTING;
    use super::*;
    use crate::nnue::arch::MAX_WIDTH;
    use crate::nnue::fast::transformer;
    use crate::nnue::features::{FeatureDelta, FeatureDeltas, MAX_CHANGED};
    use crate::nnue::simd::{Isa, Kernel, LINE, Level};

    const ROW: usize = 6 * LINE;

    /// Accumulators with some features more and some less.
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
            let rows = self.weights.view(ROW / LINE);
            rows.prefetch_all(self.added);
            let lines = to.as_chunks_mut().0;
            transformer::update(
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

    /// Accumulators with some features swapped for others.
    struct DeltaPass<'a> {
        weights: &'a Weights,
        sums: &'a [i16],
        deltas: &'a [FeatureDelta],
    }

    impl Kernel for DeltaPass<'_> {
        type Output = Vec<i16>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Vec<i16> {
            let from = Aligned::copy_of(self.sums);
            let mut to = Aligned::<i16>::zeros(ROW);
            let rows = self.weights.view(ROW / LINE);
            rows.prefetch([self.deltas; 2]);
            let mut all = [u32::MAX; FeatureDeltas::ALL];
            for (place, feature) in all.iter_mut().zip(self.deltas.as_flattened()) {
                *place = *feature;
            }
            let lines = to.as_chunks_mut().0;
            transformer::apply_deltas(isa, from.as_chunks().0, lines, rows, self.deltas, &all);
            to.to_vec()
        }
    }

    fn weight() -> impl Strategy<Value = i16> {
        let edge = prop::sample::select(vec![-129, -128, -1, 0, 127, 128, i16::MIN, i16::MAX]);
        prop_oneof![400 => -128..=127i16, 1 => any::<i16>(), 1 => edge]
    }

    /// Returns whether accumulators become the same with `weights` in bytes and as they are.
    fn check(
        weights: &[i16],
        sums: &[i16],
        removed: &[u32],
        added: &[u32],
    ) -> Result<(), TestCaseError> {
        let whole = Weights::Whole(Aligned::copy_of(weights));
        let bytes = Weights::Bytes(ByteWeights::new(weights, ROW).unwrap());
        let row = |feature: u32| &weights[feature as usize * ROW..][..ROW];
        let deltas: Vec<FeatureDelta> = removed
            .iter()
            .zip(added)
            .take(MAX_CHANGED)
            .map(|(&a, &b)| [a, b])
            .collect();
        let mut swapped = sums.to_vec();
        for (n, sum) in swapped.iter_mut().enumerate() {
            for &[before, after] in &deltas {
                *sum = sum.wrapping_sub(row(before)[n]).wrapping_add(row(after)[n]);
            }
        }
        let mut expected = sums.to_vec();
        for (n, sum) in expected.iter_mut().enumerate() {
            for &feature in removed {
                *sum = sum.wrapping_sub(row(feature)[n]);
            }
            for &feature in added {
                *sum = sum.wrapping_add(row(feature)[n]);
            }
        }
        for weights in [&whole, &bytes] {
            for level in Level::available() {
                let update = Update {
                    weights,
                    sums,
                    removed,
                    added,
                };
                prop_assert_eq!(&level.run(update), &expected, "{:?}", level);
                let swapping = DeltaPass {
                    weights,
                    sums,
                    deltas: &deltas,
                };
                prop_assert_eq!(&level.run(swapping), &swapped, "{:?}", level);
            }
        }
        Ok(())
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
            check(&weights, &sums, &removed, &added)?;
        }

        #[test]
        fn so_are_rows_of_units_with_scales_and_offsets(
            mut weights in vec(-127..=127i16, 8 * ROW),
            units in vec((-500..=500i16, 1..=200i16), ROW),
            sums in vec(any::<i16>(), ROW),
            removed in vec(0..8u32, 0..5),
            added in vec(0..8u32, 0..5),
        ) {
            for row in weights.chunks_exact_mut(ROW) {
                for (weight, (offset, scale)) in row.iter_mut().zip(&units) {
                    *weight = *weight * scale + offset;
                }
            }
            check(&weights, &sums, &removed, &added)?;
        }

        #[test]
        fn rests_are_found_whether_few_rows_have_any_or_many(
            outliers in vec((0..40usize, 0..ROW), 0..2 * FEW),
            sums in vec(any::<i16>(), ROW),
            removed in vec(0..40u32, 0..40),
            added in vec(0..40u32, 0..40),
        ) {
            let mut weights: Vec<_> = (0..40 * ROW).map(|n| (n % 256) as i16 - 128).collect();
            for &(feature, sum) in &outliers {
                weights[feature * ROW + sum] = 20_000 + feature as i16;
            }
            let rows = outliers.iter().map(|&(feature, _)| feature).collect::<HashSet<_>>();
            let few = ByteWeights::new(&weights, ROW).unwrap().few;
            prop_assert_eq!(few.is_some(), (1..=FEW).contains(&rows.len()));
            check(&weights, &sums, &removed, &added)?;
        }
    }

    #[test]
    fn units_that_fit_in_no_byte_are_noted() {
        let mut weights = vec![0; 8 * ROW];
        for feature in 0..8 {
            weights[feature * ROW + 3] = 360 * (feature as i16 - 4);
            weights[feature * ROW + 5] = [-200, 55][feature % 2] + i16::from(feature == 2);
            weights[feature * ROW + 9] = 300 + feature as i16;
        }
        let noted = [
            UnitValue::new(5, -72),
            UnitValue::new(9, 304),
            UnitValue::new(3, 360),
        ];
        let is_noted = |notes: &[u32]| notes.iter().map(|&note| UnitValue(note)).eq(noted);
        let bytes = ByteWeights::new(&weights, ROW).unwrap();
        assert!(bytes.has_outliers.is_empty() && is_noted(&bytes.notes));
        assert_eq!(bytes.starts[7..], [0, 0, 2, 3]);
        assert_eq!((bytes.offsets[9], bytes.scales[9]), (304, 1));
        assert_eq!((bytes.offsets[3], bytes.scales[3]), (0, 360));
        // One that is far away stays a rest, and keeps nothing from the others.
        weights[11] = i16::MAX;
        weights[11 + ROW] = 1;
        let bytes = ByteWeights::new(&weights, ROW).unwrap();
        assert_eq!((bytes.starts[1], bytes.starts[8]), (1, 1));
        assert!(is_noted(&bytes.notes[1..]) && !bytes.has_outliers.is_empty());
        // All fit as they are.
        let bytes = ByteWeights::new(&vec![127; 8 * ROW], ROW).unwrap();
        assert!(bytes.starts.is_empty() && bytes.scales.is_empty());
    }

    #[test]
    fn too_many_large_weights_stay_as_they_are() {
        let mut weights: Vec<i16> = (0..64 * ROW).map(|n| (n / ROW % 2) as i16).collect();
        let is_whole = |weights: &[i16]| {
            matches!(
                Weights::new(Aligned::copy_of(weights), ROW),
                Weights::Whole(_)
            )
        };
        let most = weights.len() / FITTING;
        for (n, weight) in weights.iter_mut().enumerate().take(most) {
            *weight = 3 * n as i16 + 300;
        }
        assert!(!is_whole(&weights));
        weights[most] = 300;
        assert!(is_whole(&weights));
    }

    #[test]
    fn the_last_sum_of_the_widest_row_has_a_number() {
        let mut weights = vec![0; MAX_WIDTH];
        weights[MAX_WIDTH - 1] = i16::MIN;
        let quantisation = Quantisation::plain(MAX_WIDTH);
        let notes = QuantisedWeights::new(&weights, MAX_WIDTH, &quantisation)
            .unwrap()
            .notes;
        let last = UnitValue::new((MAX_WIDTH - 1) as u16, i16::MIN + 128);
        assert_eq!(notes, [last.0]);
        assert_eq!((last.sum(), last.number()), (MAX_WIDTH - 1, i16::MIN + 128));
    }

    #[test]
    fn arrays_that_do_not_belong_together_are_refused() {
        let of = |pairs: usize, starts: &[u32], notes: &[u32]| {
            let pairs = Aligned::zeros(pairs);
            let [starts, notes] = [starts, notes].map(Aligned::copy_of);
            ByteWeights::of_arrays(pairs, starts, notes, ROW).is_some()
        };
        let last = UnitValue::new(ROW as u16 - 1, 5).0;
        assert!(of(ROW, &[], &[]));
        assert!(of(ROW, &[0, 0, 1, 1, 1], &[last]), "a rest");
        assert!(of(ROW, &[0, 0, 0, 1, 1], &[last]), "an offset");
        assert!(of(ROW, &[0, 0, 0, 0, 1], &[last]), "a scale");
        assert!(!of(ROW, &[], &[last]));
        assert!(!of(ROW, &[0, 1, 1, 1], &[last]), "a row too few");
        assert!(!of(ROW, &[0, 0, 2, 2, 2], &[last]), "beyond the end");
        assert!(!of(ROW, &[0, 2, 1, 1, 1], &[last]), "backwards");
        assert!(
            !of(ROW, &[1, 1, 1, 1, 1], &[last]),
            "not from the beginning"
        );
        let beyond = UnitValue::new(ROW as u16, 5).0;
        assert!(!of(ROW, &[0, 0, 1, 1, 1], &[beyond]), "no such sum");
        assert!(are_lens([10, 0, 0], 10, 3) && are_lens([20, 0, 0], 10, 3));
        assert!(are_lens([10, 24, 8], 10, 3));
        for lens in [
            [11, 0, 0],
            [20, 24, 8],
            [10, 20, 8],
            [10, 24, 9],
            [10, 0, 4],
        ] {
            assert!(!are_lens(lens, 10, 3), "{lens:?}");
        }
    }
}
