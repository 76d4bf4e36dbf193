//! Adding and subtracting rows of the first layer.

use super::weights::{ByteRows, RowsOf, WholeRows};
use crate::nnue::simd::{Isa, Line};

/// `to` becomes `from` and the rows `added`, without the rows `removed`. All have the same number of
/// lines, a multiple of 2.
#[inline(always)]
pub(super) fn update<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: RowsOf<'_>,
    removed: &[u32],
    added: &[u32],
) {
    match rows {
        RowsOf::Whole(rows) => tiles(isa, from, to, rows, removed, added),
        RowsOf::Bytes(rows) => {
            tiles(isa, from, to, rows, removed, added);
            let sums = to.as_flattened_mut();
            for (sum, rest) in rows.rests(removed) {
                sums[sum] = sums[sum].wrapping_sub(rest);
            }
            for (sum, rest) in rows.rests(added) {
                sums[sum] = sums[sum].wrapping_add(rest);
            }
        }
    }
}

#[inline(always)]
fn tiles<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: impl Rows,
    removed: &[u32],
    added: &[u32],
) {
    let (from, to) = (from.as_chunks().0, to.as_chunks_mut().0);
    let len = to.len().min(from.len());
    let mut at = 0;
    while at < len {
        at += match len - at {
            4.. if I::TILE == 8 => tile::<I, 4>(isa, from, to, at, rows, removed, added),
            2.. => tile::<I, 2>(isa, from, to, at, rows, removed, added),
            _ => tile::<I, 1>(isa, from, to, at, rows, removed, added),
        };
    }
}

/// `N` pairs of lines from `at` on, in registers; returns `N`.
#[inline(always)]
fn tile<I: Isa, const N: usize>(
    isa: I,
    from: &[[Line; 2]],
    to: &mut [[Line; 2]],
    at: usize,
    rows: impl Rows,
    removed: &[u32],
    added: &[u32],
) -> usize {
    let source: &[[Line; 2]; N] = from[at..].first_chunk().expect("sums are of one length");
    let sums = source.each_ref().map(|[a, b]| [isa.load(a), isa.load(b)]);
    let sums = rows.update(isa, sums, at, removed, added);
    for ([a, b], [line_a, line_b]) in sums.into_iter().zip(&mut to[at..at + N]) {
        isa.store(a, line_a);
        isa.store(b, line_b);
    }
    N
}

/// Rows of some form.
trait Rows: Copy {
    /// `sums`, pairs of lines from `at` on, with the rows `added` and without the rows `removed`.
    fn update<I: Isa, const N: usize>(
        self,
        isa: I,
        sums: [[I::Lane; 2]; N],
        at: usize,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N];
}

impl Rows for WholeRows<'_> {
    #[inline(always)]
    fn update<I: Isa, const N: usize>(
        self,
        isa: I,
        mut sums: [[I::Lane; 2]; N],
        at: usize,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N] {
        let part = |feature| part::<[Line; 2], N>(self.row(feature).as_chunks().0, at);
        for &feature in removed {
            for (sums, [a, b]) in sums.iter_mut().zip(part(feature)) {
                *sums = [isa.sub(sums[0], isa.load(a)), isa.sub(sums[1], isa.load(b))];
            }
        }
        for &feature in added {
            for (sums, [a, b]) in sums.iter_mut().zip(part(feature)) {
                *sums = [isa.add(sums[0], isa.load(a)), isa.add(sums[1], isa.load(b))];
            }
        }
        sums
    }
}

impl Rows for ByteRows<'_> {
    /// A number with two weights is added as it is, and its high byte by itself: the first sums are what is left of
    /// the numbers without the high bytes, all within 16 bits.
    #[inline(always)]
    fn update<I: Isa, const N: usize>(
        self,
        isa: I,
        sums: [[I::Lane; 2]; N],
        at: usize,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N] {
        let part = |feature| part::<Line, N>(self.row(feature), at);
        let more = (added.len() as i16).wrapping_sub(removed.len() as i16);
        let bias = isa.splat(more.wrapping_mul(Self::BIAS));
        let mut sums = sums.map(|[a, b]| [isa.sub(isa.add(a, isa.raise(b)), bias), b]);
        for &feature in removed {
            for (sums, line) in sums.iter_mut().zip(part(feature)) {
                let both = isa.load(line);
                *sums = [
                    isa.sub(sums[0], both),
                    isa.sub(sums[1], isa.high_bytes(both)),
                ];
            }
        }
        for &feature in added {
            for (sums, line) in sums.iter_mut().zip(part(feature)) {
                let both = isa.load(line);
                *sums = [
                    isa.add(sums[0], both),
                    isa.add(sums[1], isa.high_bytes(both)),
                ];
            }
        }
        sums.map(|[both, b]| [isa.sub(both, isa.raise(b)), b])
    }
}

#[inline(always)]
fn part<T, const N: usize>(row: &[T], at: usize) -> &[T; N] {
    row[at..].first_chunk().expect("rows are as long as sums")
}
