//! Adding and subtracting rows of the first layer.

use crate::nnue::simd::{Isa, Line};

/// `to` becomes `from` and the rows `added`, without the rows `removed`. All have the same number of
/// lines, a multiple of 2.
#[inline(always)]
pub(super) fn update<'a, I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    row: impl Fn(u32) -> &'a [Line] + Copy,
    removed: &[u32],
    added: &[u32],
) {
    let len = to.len().min(from.len());
    let mut at = 0;
    while at < len {
        at += match len - at {
            8.. if I::TILE == 8 => tile::<I, 8>(isa, from, to, at, row, removed, added),
            4.. => tile::<I, 4>(isa, from, to, at, row, removed, added),
            _ => tile::<I, 2>(isa, from, to, at, row, removed, added),
        };
    }
}

/// `N` lines from `at` on, in registers; returns `N`.
#[inline(always)]
fn tile<'a, I: Isa, const N: usize>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    at: usize,
    row: impl Fn(u32) -> &'a [Line] + Copy,
    removed: &[u32],
    added: &[u32],
) -> usize {
    let lines = |lines: &'a [Line]| -> &'a [Line; N] {
        lines[at..].first_chunk().expect("rows are as long as sums")
    };
    let source: &[Line; N] = from[at..].first_chunk().expect("sums are of one length");
    let mut sums = source.each_ref().map(|line| isa.load(line));
    for &feature in removed {
        for (sum, line) in sums.iter_mut().zip(lines(row(feature))) {
            *sum = isa.sub(*sum, isa.load(line));
        }
    }
    for &feature in added {
        for (sum, line) in sums.iter_mut().zip(lines(row(feature))) {
            *sum = isa.add(*sum, isa.load(line));
        }
    }
    for (sum, line) in sums.into_iter().zip(&mut to[at..at + N]) {
        isa.store(sum, line);
    }
    N
}
