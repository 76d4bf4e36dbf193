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
    let source = Some(from);
    let mut at = 0;
    if I::TILE == 8 {
        while at + 8 <= to.len() {
            tile::<I, 8>(isa, source, to, at, row, removed, added);
            at += 8;
        }
    }
    while at + 4 <= to.len() {
        tile::<I, 4>(isa, source, to, at, row, removed, added);
        at += 4;
    }
    while at + 2 <= to.len() {
        tile::<I, 2>(isa, source, to, at, row, removed, added);
        at += 2;
    }
}

/// As [`update`], in place.
#[inline(always)]
pub(super) fn update_in_place<'a, I: Isa>(
    isa: I,
    to: &mut [Line],
    row: impl Fn(u32) -> &'a [Line] + Copy,
    removed: &[u32],
    added: &[u32],
) {
    let mut at = 0;
    if I::TILE == 8 {
        while at + 8 <= to.len() {
            tile::<I, 8>(isa, None, to, at, row, removed, added);
            at += 8;
        }
    }
    while at + 4 <= to.len() {
        tile::<I, 4>(isa, None, to, at, row, removed, added);
        at += 4;
    }
    while at + 2 <= to.len() {
        tile::<I, 2>(isa, None, to, at, row, removed, added);
        at += 2;
    }
}

/// `N` lines from `at` on, in registers.
#[inline(always)]
fn tile<'a, I: Isa, const N: usize>(
    isa: I,
    from: Option<&[Line]>,
    to: &mut [Line],
    at: usize,
    row: impl Fn(u32) -> &'a [Line] + Copy,
    removed: &[u32],
    added: &[u32],
) {
    let lines = |lines: &'a [Line]| -> &'a [Line; N] {
        lines[at..].first_chunk().expect("rows are as long as sums")
    };
    let mut sums = {
        let source: &[Line] = from.unwrap_or(to);
        let source: &[Line; N] = source[at..].first_chunk().expect("sums are of one length");
        source.each_ref().map(|line| isa.load(line))
    };
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
}

/// Asks for rows that will be added or subtracted soon.
#[inline(always)]
pub(super) fn prefetch<'a, I: Isa>(
    isa: I,
    row: impl Fn(u32) -> &'a [Line] + Copy,
    features: &[u32],
) {
    for &feature in features {
        for line in row(feature) {
            isa.prefetch(line);
        }
    }
}
