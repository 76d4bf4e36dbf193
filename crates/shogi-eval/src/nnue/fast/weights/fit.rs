//! What is done to the weights of each unit so that they fit in bytes.

/// By unit: its weights are `offset` and `scale` times what is kept of them, and outliers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) offsets: Vec<i16>,
    /// At least 1.
    pub(super) scales: Vec<i16>,
}

impl Fit {
    /// Everything is kept as it is.
    pub(super) fn plain(row: usize) -> Self {
        Self {
            offsets: vec![0; row],
            scales: vec![1; row],
        }
    }

    /// That which leaves fewer outliers of `weights`, in rows of so many, wherever one does.
    pub(super) fn new(weights: &[i16], row: usize) -> Self {
        let mut fit = Self::plain(row);
        let ranges = ranges(weights, row);
        if ranges.iter().all(|range| range.fits()) {
            return fit;
        }
        let units = ranges.iter().zip(steps(weights, &ranges)).enumerate();
        for (unit, (range, step)) in units.filter(|(_, (range, _))| !range.fits()) {
            fit.offsets[unit] = range.middle(step);
            fit.scales[unit] = step;
        }
        // One weight far away is better left alone than all others moved towards it.
        let gains = if fit.has_scales() {
            fit.gains::<true>(weights)
        } else {
            fit.gains::<false>(weights)
        };
        for (unit, gain) in gains.into_iter().enumerate() {
            if gain <= 0 {
                (fit.offsets[unit], fit.scales[unit]) = (0, 1);
            }
        }
        fit
    }

    /// Whether any unit has a scale.
    pub(super) fn has_scales(&self) -> bool {
        self.scales.iter().any(|&scale| scale != 1)
    }

    /// By unit, how many outliers fewer there are with it.
    fn gains<const SCALED: bool>(&self, weights: &[i16]) -> Vec<i32> {
        let mut gains = vec![0; self.offsets.len()];
        for weights in weights.chunks_exact(gains.len()) {
            let units = weights.iter().zip(self.units());
            for (gain, (&weight, (offset, scale))) in gains.iter_mut().zip(units) {
                let before = split::<false>(weight, 0, 1).1;
                let after = split::<SCALED>(weight, offset, scale).1;
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

/// What is kept of a weight, a number that fits in a byte, and what is left of it. All within 16 bits. The scale is 1
/// unless `SCALED`, which takes longer.
#[inline(always)]
pub(super) fn split<const SCALED: bool>(weight: i16, offset: i16, scale: i16) -> (i16, i16) {
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
struct Range {
    least: i16,
    most: i16,
}

impl Range {
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

fn ranges(weights: &[i16], row: usize) -> Vec<Range> {
    let none = Range {
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
fn steps(weights: &[i16], ranges: &[Range]) -> Vec<i16> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::simd::LINE;

    const ROW: usize = 2 * LINE;

    /// What is done to a unit with these weights.
    fn fit(weights: &[i16]) -> (i16, i16) {
        let mut rows = vec![0; weights.len() * ROW];
        for (row, &weight) in rows.chunks_exact_mut(ROW).zip(weights) {
            row[3] = weight;
        }
        let fit = Fit::new(&rows, ROW);
        assert!((0..ROW).all(|unit| unit == 3 || (fit.offsets[unit], fit.scales[unit]) == (0, 1)));
        (fit.offsets[3], fit.scales[3])
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
                    let (kept, rest) = split::<true>(weight, offset, scale);
                    if scale == 1 {
                        assert_eq!(split::<false>(weight, offset, 1), (kept, rest));
                    }
                    assert!(i8::try_from(kept).is_ok());
                    let whole = kept.wrapping_mul(scale).wrapping_add(offset);
                    assert_eq!(whole.wrapping_add(rest), weight);
                    let steps = i32::from(weight.wrapping_sub(offset)) / i32::from(scale);
                    assert_eq!(i32::from(kept), steps.clamp(-128, 127));
                }
            }
        }
    }
}
