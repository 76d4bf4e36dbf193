//! Quantising 16-bit weights to bytes: an offset and a scale for each unit, and the outliers that bytes cannot hold.

use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{LINE, Line};

/// By unit: its weights are `offset` and `scale` times what is kept of them, and outliers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Quantisation {
    pub(super) offsets: Vec<i16>,
    /// At least 1.
    pub(super) scales: Vec<i16>,
}

impl Quantisation {
    /// Everything is kept as it is.
    pub(super) fn plain(row: usize) -> Self {
        Self {
            offsets: vec![0; row],
            scales: vec![1; row],
        }
    }

    /// The quantisation of `weights`, in rows of so many, that leaves the fewest outliers.
    pub(super) fn new(weights: &[i16], row: usize) -> Self {
        let mut quantisation = Self::plain(row);
        let ranges = ranges(weights, row);
        if ranges.iter().all(|range| range.fits()) {
            return quantisation;
        }
        let units = ranges.iter().zip(steps(weights, &ranges)).enumerate();
        for (unit, (range, step)) in units.filter(|(_, (range, _))| !range.fits()) {
            quantisation.offsets[unit] = range.middle(step);
            quantisation.scales[unit] = step;
        }
        // One weight far away is better left alone than all others moved towards it.
        let gains = if quantisation.has_scales() {
            quantisation.gains::<true>(weights)
        } else {
            quantisation.gains::<false>(weights)
        };
        for (unit, gain) in gains.into_iter().enumerate() {
            if gain <= 0 {
                (quantisation.offsets[unit], quantisation.scales[unit]) = (0, 1);
            }
        }
        quantisation
    }

    /// Returns whether any unit has a scale.
    pub(super) fn has_scales(&self) -> bool {
        self.scales.iter().any(|&scale| scale != 1)
    }

    /// By unit, how many outliers fewer there are with it.
    fn gains<const SCALED: bool>(&self, weights: &[i16]) -> Vec<i32> {
        let mut gains = vec![0; self.offsets.len()];
        for weights in weights.chunks_exact(gains.len()) {
            let units = weights.iter().zip(self.units());
            for (gain, (&weight, (offset, scale))) in gains.iter_mut().zip(units) {
                let before = quantise::<false>(weight, 0, 1).1;
                let after = quantise::<SCALED>(weight, offset, scale).1;
                *gain += i32::from(before != 0) - i32::from(after != 0);
            }
        }
        gains
    }

    /// Offset and scale of each unit.
    pub(super) fn units(&self) -> impl Iterator<Item = (i16, i16)> {
        self.offsets
            .iter()
            .copied()
            .zip(self.scales.iter().copied())
    }
}

/// Quantises a weight: the part that fits in a byte, and the outlier that is left. All within 16 bits. The scale is 1
/// unless `SCALED`, which takes longer.
#[inline(always)]
pub(super) fn quantise<const SCALED: bool>(weight: i16, offset: i16, scale: i16) -> (i16, i16) {
    let less = weight.wrapping_sub(offset);
    if !SCALED {
        let kept = less.clamp(i8::MIN.into(), i8::MAX.into());
        return (kept, less.wrapping_sub(kept));
    }
    // As exact as a division of whole numbers for numbers of 16 bits, and vectors have it.
    let kept = (f32::from(less) / f32::from(scale)) as i16;
    let kept = kept.clamp(i8::MIN.into(), i8::MAX.into());
    (kept, less.wrapping_sub(kept.wrapping_mul(scale)))
}

/// The least and the greatest weight of a unit.
#[derive(Clone, Copy)]
struct WeightRange {
    least: i16,
    most: i16,
}

impl WeightRange {
    fn fits(self) -> bool {
        i16::from(i8::MIN) <= self.least && self.most <= i8::MAX.into()
    }

    /// The offset with which the most weights fit when they are all so many steps apart; 0 if all fit without one.
    fn middle(self, step: i16) -> i16 {
        let [least, most, step] = [self.least, self.most, step].map(i32::from);
        let [first, last] = [least, most].map(|weight| weight / step);
        if least % step == 0 && first >= i8::MIN.into() && last <= i8::MAX.into() {
            return 0;
        }
        // A byte reaches one further down than up.
        (least + step * ((most - least + step) / (2 * step))) as i16
    }
}

fn ranges(weights: &[i16], row: usize) -> Vec<WeightRange> {
    let none = WeightRange {
        least: i16::MAX,
        most: i16::MIN,
    };
    let mut ranges = vec![none; row];
    for weights in weights.chunks_exact(row) {
        for (range, &weight) in ranges.iter_mut().zip(weights) {
            range.least = range.least.min(weight);
            range.most = range.most.max(weight);
        }
    }
    ranges
}

/// By unit, the largest step that all weights are a number of steps apart, if they do not fit in a byte; else 1.
fn steps(weights: &[i16], ranges: &[WeightRange]) -> Vec<i16> {
    let firsts = &weights[..ranges.len()];
    // Nothing is known of a unit as long as its step is 0. Differences need 17 bits.
    let mut steps: Vec<i32> = ranges.iter().map(|range| range.fits().into()).collect();
    for weights in weights.chunks_exact(ranges.len()) {
        let mut are_steps = true;
        for ((&weight, &first), &step) in weights.iter().zip(firsts).zip(&steps) {
            let apart = i32::from(weight) - i32::from(first);
            // As exact as a division of whole numbers for so few bits, and vectors have it.
            are_steps &= (apart as f32 / step as f32) as i32 * step == apart;
        }
        if are_steps {
            continue;
        }
        for ((&weight, &first), step) in weights.iter().zip(firsts).zip(&mut steps) {
            *step = greatest_common_divisor(*step, i32::from(weight) - i32::from(first));
        }
        if steps.iter().all(|&step| step == 1) {
            break;
        }
    }
    let steps = steps.into_iter().map(|step| step.try_into().unwrap_or(1));
    steps.map(|step: i16| step.max(1)).collect()
}

/// Not negative; of 0 and a number, that number.
fn greatest_common_divisor(a: i32, b: i32) -> i32 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// The offset of each weight of the first of two lines.
pub(super) const BIAS: i16 = 128;

/// Of so many weights one may not fit in a byte.
pub(super) const FITTING: usize = 64;

/// A value of 16 bits that belongs to a unit: an outlier, an offset or a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitValue(pub(super) u32);

impl UnitValue {
    pub(super) const fn new(sum: u16, number: i16) -> Self {
        Self((sum as u32) << 16 | number as u16 as u32)
    }

    pub(super) const fn sum(self) -> usize {
        (self.0 >> 16) as usize
    }

    pub(super) const fn number(self) -> i16 {
        self.0 as i16
    }
}

/// The arrays of quantised weights.
pub(super) struct QuantisedWeights {
    pub(super) pairs: Aligned<i16>,
    /// By feature, where notes of its outliers begin; then where those of offsets and of scales begin and where these end.
    /// Nothing without notes.
    pub(super) starts: Vec<u32>,
    pub(super) notes: Vec<u32>,
}

impl QuantisedWeights {
    /// With this quantisation; `None` when too many weights do not fit.
    pub(super) fn new(weights: &[i16], row: usize, quantisation: &Quantisation) -> Option<Self> {
        if quantisation.has_scales() {
            Self::of::<true>(weights, row, quantisation)
        } else {
            Self::of::<false>(weights, row, quantisation)
        }
    }

    /// See [`quantise`].
    fn of<const SCALED: bool>(
        weights: &[i16],
        row: usize,
        quantisation: &Quantisation,
    ) -> Option<Self> {
        let mut pairs = Aligned::zeros(weights.len() / 2);
        let (mut starts, mut notes) = (vec![0], Vec::new());
        let most = weights.len() / FITTING;
        let rows = weights.chunks_exact(row);
        for (weights, pairs) in rows.zip(pairs.chunks_exact_mut(row / 2)) {
            if !pair_up::<SCALED>(weights.as_chunks().0, quantisation, pairs.as_chunks_mut().0) {
                let units = weights.iter().zip(quantisation.units());
                let outliers = units.map(|(&weight, (offset, scale))| {
                    let (_, outlier) = quantise::<SCALED>(weight, offset, scale);
                    outlier
                });
                notes_of(outliers, 0, &mut notes);
                if notes.len() > most {
                    return None;
                }
            }
            starts.push(notes.len() as u32);
        }
        notes_of(quantisation.offsets.iter().copied(), 0, &mut notes);
        starts.push(notes.len() as u32);
        notes_of(quantisation.scales.iter().copied(), 1, &mut notes);
        starts.push(notes.len() as u32);
        if notes.is_empty() {
            starts.clear();
        }
        Some(Self {
            pairs,
            starts,
            notes,
        })
    }
}

/// Writes two lines into one each. Returns whether all weights fit.
#[inline(always)]
fn pair_up<const SCALED: bool>(
    lines: &[Line],
    quantisation: &Quantisation,
    pairs: &mut [Line],
) -> bool {
    let mut outliers = 0;
    let offsets = quantisation
        .offsets
        .as_chunks::<LINE>()
        .0
        .as_chunks::<2>()
        .0;
    let scales = quantisation.scales.as_chunks::<LINE>().0.as_chunks::<2>().0;
    let lines = lines.as_chunks::<2>().0.iter().zip(pairs);
    for ((lines, pair), (offsets, scales)) in lines.zip(offsets.iter().zip(scales)) {
        for n in 0..LINE {
            let low = quantise::<SCALED>(lines[0][n], offsets[0][n], scales[0][n]);
            let high = quantise::<SCALED>(lines[1][n], offsets[1][n], scales[1][n]);
            outliers |= low.1 | high.1;
            pair[n] = (low.0 + BIAS) | high.0 << 8;
        }
    }
    outliers == 0
}

/// Notes those numbers that are not the usual.
fn notes_of(numbers: impl Iterator<Item = i16>, usual: i16, notes: &mut Vec<u32>) {
    let numbers = numbers.enumerate().filter(|&(_, number)| number != usual);
    // Sums have numbers of 16 bits (`MAX_WIDTH`).
    notes.extend(numbers.map(|(sum, number)| UnitValue::new(sum as u16, number).0));
}

/// The numbers of all units of a feature of which these are noted; nothing when none is.
pub(super) fn numbers(notes: &[u32], row: usize, usual: i16) -> Vec<i16> {
    let mut numbers = vec![usual; if notes.is_empty() { 0 } else { row }];
    for &note in notes {
        numbers[UnitValue(note).sum()] = UnitValue(note).number();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::simd::LINE;

    const ROW: usize = 2 * LINE;

    /// The quantisation of a unit with these weights.
    fn fit(weights: &[i16]) -> (i16, i16) {
        let mut rows = vec![0; weights.len() * ROW];
        for (row, &weight) in rows.chunks_exact_mut(ROW).zip(weights) {
            row[3] = weight;
        }
        let quantisation = Quantisation::new(&rows, ROW);
        assert!(
            (0..ROW).all(|unit| unit == 3
                || (quantisation.offsets[unit], quantisation.scales[unit]) == (0, 1))
        );
        (quantisation.offsets[3], quantisation.scales[3])
    }

    #[test]
    fn weights_that_fit_stay_as_they_are() {
        assert_eq!(fit(&[-128, 127, 5]), (0, 1));
        assert_eq!(fit(&[0, 100, -100]), (0, 1), "though all are multiples");
    }

    #[test]
    fn weights_of_one_side_get_an_offset() {
        assert_eq!(fit(&[-200, 54, 55]), (-72, 1));
        assert_eq!(fit(&[200, -54, -55]), (73, 1));
        assert_eq!(fit(&[300, 301, 307]), (304, 1));
        assert_eq!(fit(&[300, 300]), (300, 1));
    }

    #[test]
    fn weights_in_steps_are_kept_as_numbers_of_steps() {
        assert_eq!(fit(&[0, 180, -9_540, 1_260]), (0, 180));
        assert_eq!(
            fit(&[7, 187, -9_533, 1_267]),
            (-4_133, 180),
            "all are 7 more"
        );
        assert_eq!(fit(&[0, 2 * 127, 2]), (0, 2));
        assert_eq!(fit(&[0, 2 * 128, 2]), (128, 2));
        assert_eq!(fit(&[i16::MIN, i16::MAX]), (0, 1), "a step of 17 bits");
    }

    #[test]
    fn weights_far_away_move_no_others() {
        assert_eq!(fit(&[i16::MAX, 0, 1, 2]), (0, 1));
        assert_eq!(fit(&[20_000, 0, 1, 2, -129, 130]), (0, 1));
    }

    #[test]
    fn what_is_kept_and_what_is_left_are_the_weight() {
        for scale in [1, 2, 7, 180, i16::MAX] {
            for offset in [0, 1, -300, i16::MIN] {
                for weight in i16::MIN..=i16::MAX {
                    let (kept, outlier) = quantise::<true>(weight, offset, scale);
                    if scale == 1 {
                        assert_eq!(quantise::<false>(weight, offset, 1), (kept, outlier));
                    }
                    assert!(i8::try_from(kept).is_ok());
                    let whole = kept.wrapping_mul(scale).wrapping_add(offset);
                    assert_eq!(whole.wrapping_add(outlier), weight);
                    let steps = i32::from(weight.wrapping_sub(offset)) / i32::from(scale);
                    assert_eq!(i32::from(kept), steps.clamp(-128, 127));
                }
            }
        }
    }
}
