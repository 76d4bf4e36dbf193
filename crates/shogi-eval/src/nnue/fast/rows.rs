//! Adding and subtracting rows of the first layer.

use super::weights::{ByteRows, RowsOf, WholeRows};
use crate::nnue::simd::{Isa, LINE, Line};

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
            rows.for_each_rest(isa, removed, |sum, rest| {
                let sum = &mut to[sum / LINE][sum % LINE];
                *sum = sum.wrapping_sub(rest);
            });
            rows.for_each_rest(isa, added, |sum, rest| {
                let sum = &mut to[sum / LINE][sum % LINE];
                *sum = sum.wrapping_add(rest);
            });
        }
    }
}

/// In as large tiles as fill the row and fit in registers.
#[inline(always)]
fn tiles<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: impl Rows,
    removed: &[u32],
    added: &[u32],
) {
    match to.len() / 2 {
        pairs if I::TILE >= 8 && pairs.is_multiple_of(8) => {
            tiles_of::<I, 8>(isa, from, to, rows, removed, added);
        }
        pairs if I::TILE >= 4 && pairs.is_multiple_of(4) => {
            tiles_of::<I, 4>(isa, from, to, rows, removed, added);
        }
        pairs if pairs.is_multiple_of(2) => {
            tiles_of::<I, 2>(isa, from, to, rows, removed, added);
        }
        _ => tiles_of::<I, 1>(isa, from, to, rows, removed, added),
    }
}

/// `N` pairs of lines at a time, in registers.
#[inline(always)]
fn tiles_of<I: Isa, const N: usize>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: impl Rows,
    removed: &[u32],
    added: &[u32],
) {
    let from = from.as_chunks::<2>().0.as_chunks::<N>().0;
    let to = to.as_chunks_mut::<2>().0.as_chunks_mut::<N>().0;
    let count = to.len();
    for (at, (from, to)) in from.iter().zip(to).enumerate() {
        let tile = Tile { at, count };
        let sums = rows.update(isa, from, tile, removed, added);
        for ([a, b], [line_a, line_b]) in sums.into_iter().zip(to) {
            isa.store(a, line_a);
            isa.store(b, line_b);
        }
    }
}

/// Pairs of lines in registers.
#[inline(always)]
fn load<I: Isa, const N: usize>(isa: I, lines: &[[Line; 2]; N]) -> [[I::Lane; 2]; N] {
    let mut sums = [[isa.splat(0); 2]; N];
    for (sums, [a, b]) in sums.iter_mut().zip(lines) {
        *sums = [isa.load(a), isa.load(b)];
    }
    sums
}

/// A part of each row.
#[derive(Clone, Copy)]
struct Tile {
    at: usize,
    /// Such parts of a row.
    count: usize,
}

impl Tile {
    /// Where it is among those of all rows.
    #[inline(always)]
    fn of(self, feature: u32) -> usize {
        feature as usize * self.count + self.at
    }
}

/// Rows of some form.
trait Rows: Copy {
    /// The tile's pairs of lines `from`, with the rows `added` and without the rows `removed`.
    fn update<I: Isa, const N: usize>(
        self,
        isa: I,
        from: &[[Line; 2]; N],
        tile: Tile,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N];
}

impl Rows for WholeRows<'_> {
    #[inline(always)]
    fn update<I: Isa, const N: usize>(
        self,
        isa: I,
        from: &[[Line; 2]; N],
        tile: Tile,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N] {
        let tiles = self.lines().as_chunks::<2>().0.as_chunks::<N>().0;
        let mut sums = load(isa, from);
        for &feature in removed {
            for (sums, [a, b]) in sums.iter_mut().zip(&tiles[tile.of(feature)]) {
                *sums = [isa.sub(sums[0], isa.load(a)), isa.sub(sums[1], isa.load(b))];
            }
        }
        for &feature in added {
            for (sums, [a, b]) in sums.iter_mut().zip(&tiles[tile.of(feature)]) {
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
        from: &[[Line; 2]; N],
        tile: Tile,
        removed: &[u32],
        added: &[u32],
    ) -> [[I::Lane; 2]; N] {
        let tiles = self.pairs().as_chunks::<N>().0;
        let mut changes = [[isa.splat(0); 2]; N];
        for &feature in removed {
            for ([sum, high], line) in changes.iter_mut().zip(&tiles[tile.of(feature)]) {
                let both = isa.load(line);
                *sum = isa.sub(*sum, both);
                *high = isa.sub(*high, isa.high_bytes(both));
            }
        }
        for &feature in added {
            for ([sum, high], line) in changes.iter_mut().zip(&tiles[tile.of(feature)]) {
                let both = isa.load(line);
                *sum = isa.add(*sum, both);
                *high = isa.add(*high, isa.high_bytes(both));
            }
        }
        for [sum, high] in &mut changes {
            *sum = isa.sub(*sum, isa.raise(*high));
        }
        // A move leaves as many rows as there were.
        let more = (added.len() as i16).wrapping_sub(removed.len() as i16);
        if more != 0 {
            let bias = isa.splat(more.wrapping_mul(Self::BIAS));
            for [low, _] in &mut changes {
                *low = isa.sub(*low, bias);
            }
        }
        let scales = self.scales().as_chunks::<2>().0.as_chunks::<N>().0;
        if let Some(scales) = scales.get(tile.at) {
            for ([a, b], [by_a, by_b]) in changes.iter_mut().zip(scales) {
                *a = isa.mul(*a, isa.load(by_a));
                *b = isa.mul(*b, isa.load(by_b));
            }
        }
        let offsets = self.offsets().as_chunks::<2>().0.as_chunks::<N>().0;
        if more != 0
            && let Some(offsets) = offsets.get(tile.at)
        {
            let more = isa.splat(more);
            for ([a, b], [by_a, by_b]) in changes.iter_mut().zip(offsets) {
                *a = isa.add(*a, isa.mul(isa.load(by_a), more));
                *b = isa.add(*b, isa.mul(isa.load(by_b), more));
            }
        }
        for ([a, b], [from_a, from_b]) in changes.iter_mut().zip(from) {
            *a = isa.add(*a, isa.load(from_a));
            *b = isa.add(*b, isa.load(from_b));
        }
        changes
    }
}
