//! Weights of 16 bits made bytes and notes.

use super::fit::{Fit, split};
use crate::nnue::aligned::Aligned;
use crate::nnue::simd::{LINE, Line};

/// What is added to each weight of the first of two lines.
pub(super) const BIAS: i16 = 128;

/// Of so many weights one may not fit in a byte.
pub(super) const FITTING: usize = 64;

/// Something about a sum: its number, and a number of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note(pub(super) u32);

impl Note {
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

/// The arrays of weights in bytes.
pub(super) struct Split {
    pub(super) pairs: Aligned<i16>,
    /// By feature, where notes of its outliers begin; then where those of offsets and of scales begin and where these end.
    /// Nothing without notes.
    pub(super) starts: Vec<u32>,
    pub(super) notes: Vec<u32>,
}

impl Split {
    /// With this fit; `None` when too many weights do not fit.
    pub(super) fn new(weights: &[i16], row: usize, fit: &Fit) -> Option<Self> {
        if fit.has_scales() {
            Self::of::<true>(weights, row, fit)
        } else {
            Self::of::<false>(weights, row, fit)
        }
    }

    /// See [`split`].
    fn of<const SCALED: bool>(weights: &[i16], row: usize, fit: &Fit) -> Option<Self> {
        let mut pairs = Aligned::zeros(weights.len() / 2);
        let (mut starts, mut notes) = (vec![0], Vec::new());
        let most = weights.len() / FITTING;
        let rows = weights.chunks_exact(row);
        for (weights, pairs) in rows.zip(pairs.chunks_exact_mut(row / 2)) {
            if !pair_up::<SCALED>(weights.as_chunks().0, fit, pairs.as_chunks_mut().0) {
                let units = weights.iter().zip(fit.units());
                let outliers = units.map(|(&weight, (offset, scale))| {
                    let (_, rest) = split::<SCALED>(weight, offset, scale);
                    rest
                });
                notes_of(outliers, 0, &mut notes);
                if notes.len() > most {
                    return None;
                }
            }
            starts.push(notes.len() as u32);
        }
        notes_of(fit.offsets.iter().copied(), 0, &mut notes);
        starts.push(notes.len() as u32);
        notes_of(fit.scales.iter().copied(), 1, &mut notes);
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

/// Writes two lines into one each; whether all weights fit.
#[inline(always)]
fn pair_up<const SCALED: bool>(lines: &[Line], fit: &Fit, pairs: &mut [Line]) -> bool {
    let mut outliers = 0;
    let offsets = fit.offsets.as_chunks::<LINE>().0.as_chunks::<2>().0;
    let scales = fit.scales.as_chunks::<LINE>().0.as_chunks::<2>().0;
    let lines = lines.as_chunks::<2>().0.iter().zip(pairs);
    for ((lines, pair), (offsets, scales)) in lines.zip(offsets.iter().zip(scales)) {
        for n in 0..LINE {
            let low = split::<SCALED>(lines[0][n], offsets[0][n], scales[0][n]);
            let high = split::<SCALED>(lines[1][n], offsets[1][n], scales[1][n]);
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
    notes.extend(numbers.map(|(sum, number)| Note::new(sum as u16, number).0));
}

/// The numbers of all sums of a row of which these are noted; nothing when none is.
pub(super) fn numbers(notes: &[u32], row: usize, usual: i16) -> Vec<i16> {
    let mut numbers = vec![usual; if notes.is_empty() { 0 } else { row }];
    for &note in notes {
        numbers[Note(note).sum()] = Note(note).number();
    }
    numbers
}
