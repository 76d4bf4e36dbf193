//! The weights of the feature transformer: as a file has them, or in half the memory.
//!
//! Evaluation mostly waits for rows of these weights. Where nearly all of a network's fit in eight bits, it is kept in
//! bytes, with a list of what does not fit.

mod quantise;

use crate::nnue::aligned::Aligned;
use crate::nnue::features::FeatureDelta;
use crate::nnue::simd::{FEW, Isa, Line};

use quantise::{Quantisation, QuantisedWeights, UnitValue, numbers};

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
/// byte holds. All of the unit's weights are then less by an offset, which is added again once for each row. Weights
/// that are all so many steps apart, as in networks that count material, are kept as numbers of steps.
#[derive(Debug)]
pub(super) struct ByteWeights {
    /// Two lines of a row in one: the weight of the first, plus 128, in the low byte of each number, that of the second
    /// in the high byte.
    pairs: Aligned<i16>,
    /// By feature: where the outliers of its row begin; then where the offsets begin and where the scales. Nothing when all
    /// weights fit.
    starts: Aligned<u32>,
    /// [Values](UnitValue) of outliers, then of offsets, then of scales.
    notes: Aligned<u32>,
    /// A bit for each feature whose row has outliers; nothing when none has.
    has_outliers: Vec<u64>,
    /// These features, repeated to fill the array, if they are so few.
    few: Option<[u32; FEW]>,
    /// By sum, what its weights are less by than they were. Nothing when that is always 0.
    offsets: Vec<i16>,
    /// By sum, what its weights are to be multiplied by. Nothing when that is always 1.
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
    pub(super) fn rows(&self, lines: usize) -> RowsOf<'_> {
        match self {
            Self::Whole(weights) => RowsOf::Whole(WideRows {
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

    /// Returns whether rows of `features` may have outliers. If not, that is certain.
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

/// The feature transformer's rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowsOf<'a> {
    Whole(WideRows<'a>),
    Bytes(ByteRows<'a>),
}

/// Rows of 16-bit weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideRows<'a> {
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

impl<'a> WideRows<'a> {
    /// The lines of all rows.
    #[inline(always)]
    pub(super) fn lines(self) -> &'a [Line] {
        self.weights
    }
}

impl<'a> ByteRows<'a> {
    /// The offset of each weight of the first of two lines.
    pub(super) const BIAS: i16 = quantise::BIAS;

    /// The lines of all rows, each two lines of weights in one.
    #[inline(always)]
    pub(super) fn pairs(self) -> &'a [Line] {
        self.pairs
    }

    /// By sum, what each row has more than its bytes and [scales](Self::scales) say, besides
    /// [outliers](Self::outliers_of); nothing when that is zero.
    #[inline(always)]
    pub(super) fn offsets(self) -> &'a [Line] {
        self.of.offsets.as_chunks().0
    }

    /// By sum, what bytes are to be multiplied by; nothing when that is 1.
    #[inline(always)]
    pub(super) fn scales(self) -> &'a [Line] {
        self.of.scales.as_chunks().0
    }

    /// Returns whether bytes do not have everything of the rows of some of these features, as far as it can be told soon.
    #[inline(always)]
    pub(super) fn may_have_outliers<I: Isa>(self, isa: I, features: &[u32]) -> bool {
        self.of.may_have_outliers(isa, features)
    }

    /// The outliers of the row of `feature`: the number of a sum, and what has to be added to it.
    pub(super) fn outliers_of(self, feature: u32) -> impl Iterator<Item = (usize, i16)> {
        let notes = self.of.outliers_of(feature as usize).iter();
        notes.map(|&note| (UnitValue(note).sum(), UnitValue(note).number()))
    }
}

impl RowsOf<'_> {
    /// Returns whether bytes do not have everything of the rows of some of these features, as far as it can be told soon.
    #[inline(always)]
    pub(super) fn may_have_outliers<I: Isa>(self, isa: I, features: &[u32]) -> bool {
        match self {
            Self::Whole(_) => false,
            Self::Bytes(rows) => rows.may_have_outliers(isa, features),
        }
    }

    /// Asks for the beginnings of the rows of `deltas`, which will be needed soon; the processor guesses the rest. Any
    /// numbers will do; short rows bring their neighbours along.
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

    /// The same for rows that will be needed at once: where each begins, as asking for more takes longer than waiting.
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

/// Returns whether rows are worth asking for before they are needed: 1 MiB of them is soon in the second level of the cache.
#[inline(always)]
fn is_far(lines: &[Line]) -> bool {
    lines.len() > 1 << 14
}

/// Asks for the first `N` lines of the rows of `features`, which have so many each.
#[inline(always)]
fn prefetch<const N: usize>(lines: &[Line], len: usize, features: &[u32]) {
    for &feature in features {
        let rest = lines.get(feature as usize * len..);
        if let Some(first) = rest.and_then(<[Line]>::first_chunk::<N>) {
            first.iter().for_each(yane_mem::prefetch);
        }
    }
}

#[cfg(test)]
mod tests;
