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

/// Sums with some rows swapped for others.
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
        let rows = self.weights.rows(ROW / LINE);
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

/// Returns whether sums become the same with `weights` in bytes and as they are.
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
