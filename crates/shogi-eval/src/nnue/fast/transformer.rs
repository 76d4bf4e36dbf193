//! The feature transformer. Updating accumulators: adding and subtracting the feature transformer's weights of features, a tile in registers at a time.

use super::affine::{AffineInputs, BLOCK, GROUP};
use super::weights::{ByteWeightsView, WeightsView, WideWeightsView};
use crate::nnue::fast::sizes::LayerSizes;
use crate::nnue::features::{FeatureDelta, FeatureDeltas};
use crate::nnue::simd::{Isa, LINE, Line};

/// Updates an accumulator: `to` becomes `from` with the weights of the features `added`, without those of the features
/// `removed`. All have the same number of lines, a multiple of 2.
#[inline(always)]
pub(super) fn update<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: WeightsView<'_>,
    removed: &[u32],
    added: &[u32],
) {
    match rows {
        WeightsView::Whole(rows) => {
            in_tiles(isa, from, to, Lists(rows, removed, added), &mut Nothing);
        }
        WeightsView::Bytes(rows) => {
            in_tiles(isa, from, to, Lists(rows, removed, added), &mut Nothing);
            if rows.may_have_outliers(isa, removed) || rows.may_have_outliers(isa, added) {
                add_outliers(to, rows, removed, added);
            }
        }
    }
}

/// The same for feature deltas; `all` are those of both perspectives.
#[inline(always)]
pub(super) fn apply_deltas<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: WeightsView<'_>,
    deltas: &[FeatureDelta],
    all: &[u32; FeatureDeltas::ALL],
) {
    update_into(isa, from, to, rows, deltas, &mut Nothing);
    if let WeightsView::Bytes(rows) = rows
        && rows.may_have_outliers(isa, all)
    {
        for &[before, after] in deltas {
            add_outliers(to, rows, &[before], &[after]);
        }
    }
}

/// The same for weights without outliers, with the accumulator given to `sink`.
#[inline(always)]
pub(super) fn update_into<I: Isa>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    rows: WeightsView<'_>,
    deltas: &[FeatureDelta],
    sink: &mut impl AccumulatorSink,
) {
    match rows {
        WeightsView::Whole(rows) => in_tiles(isa, from, to, DeltaWeights(rows, deltas), sink),
        WeightsView::Bytes(rows) => in_tiles(isa, from, to, DeltaWeights(rows, deltas), sink),
    }
}

/// Activates the accumulator in `lines`: gives it to `sink`.
#[inline(always)]
pub(super) fn activate<I: Isa, S: AccumulatorSink>(isa: I, lines: &[Line], sink: &mut S) {
    let pairs = lines.as_chunks::<2>().0.as_chunks::<1>().0;
    if S::HALVES {
        let (left, right) = pairs.split_at(pairs.len() / 2);
        for (at, (left, right)) in left.iter().zip(right).enumerate() {
            sink.take(isa, at, &load(isa, left), &load(isa, right));
        }
    } else {
        for (at, pair) in pairs.iter().enumerate() {
            let sums = load(isa, pair);
            sink.take(isa, at, &sums, &sums);
        }
    }
}

/// Takes the values of an accumulator while they are in registers.
pub(super) trait AccumulatorSink {
    /// True if values are taken together with those half an accumulator further.
    const HALVES: bool;

    /// Tile number `at`: its values `sums`, and those half an accumulator further, or the same.
    fn take<I: Isa, const N: usize>(
        &mut self,
        isa: I,
        at: usize,
        sums: &Pairs<I, N>,
        others: &Pairs<I, N>,
    );
}

/// No activation.
struct Nothing;

impl AccumulatorSink for Nothing {
    const HALVES: bool = false;

    #[inline(always)]
    fn take<I: Isa, const N: usize>(&mut self, _: I, _: usize, _: &Pairs<I, N>, _: &Pairs<I, N>) {}
}

/// Adds the quantisation outliers of the features `added`, subtracts those of the features `removed`.
fn add_outliers(sums: &mut [Line], rows: ByteWeightsView<'_>, removed: &[u32], added: &[u32]) {
    for (sum, rest) in removed.iter().flat_map(|&row| rows.outliers_of(row)) {
        let sum = &mut sums[sum / LINE][sum % LINE];
        *sum = sum.wrapping_sub(rest);
    }
    for (sum, rest) in added.iter().flat_map(|&row| rows.outliers_of(row)) {
        let sum = &mut sums[sum / LINE][sum % LINE];
        *sum = sum.wrapping_add(rest);
    }
}

/// In as large tiles as fill the accumulator, or half of it, and fit in registers.
#[inline(always)]
fn in_tiles<I: Isa, S: AccumulatorSink>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    change: impl Change,
    sink: &mut S,
) {
    let parts = if S::HALVES { 2 } else { 1 };
    let room = I::TILE / parts;
    match to.len() / 2 / parts {
        pairs if room >= 8 && pairs.is_multiple_of(8) => {
            in_tiles_of::<I, S, 8>(isa, from, to, change, sink);
        }
        pairs if room >= 4 && pairs.is_multiple_of(4) => {
            in_tiles_of::<I, S, 4>(isa, from, to, change, sink);
        }
        pairs if room >= 2 && pairs.is_multiple_of(2) => {
            in_tiles_of::<I, S, 2>(isa, from, to, change, sink);
        }
        _ => in_tiles_of::<I, S, 1>(isa, from, to, change, sink),
    }
}

/// `N` pairs of lines at a time, in registers.
#[inline(always)]
fn in_tiles_of<I: Isa, S: AccumulatorSink, const N: usize>(
    isa: I,
    from: &[Line],
    to: &mut [Line],
    change: impl Change,
    sink: &mut S,
) {
    let from = from.as_chunks::<2>().0.as_chunks::<N>().0;
    let to = to.as_chunks_mut::<2>().0.as_chunks_mut::<N>().0;
    let count = to.len();
    if S::HALVES {
        let half = count / 2;
        let ((from, from_right), (to, to_right)) = (from.split_at(half), to.split_at_mut(half));
        let lefts = from.iter().zip(to);
        let rights = from_right.iter().zip(to_right);
        for (at, ((from, to), (from_right, to_right))) in lefts.zip(rights).enumerate() {
            let left = change.of(isa, from, Tile { at, count });
            store(isa, &left, to);
            let at_right = Tile {
                at: half + at,
                count,
            };
            let right = change.of(isa, from_right, at_right);
            store(isa, &right, to_right);
            sink.take(isa, at, &left, &right);
        }
    } else {
        for (at, (from, to)) in from.iter().zip(to).enumerate() {
            let sums = change.of(isa, from, Tile { at, count });
            store(isa, &sums, to);
            sink.take(isa, at, &sums, &sums);
        }
    }
}

/// Pairs of lines in registers.
pub(super) type Pairs<I, const N: usize> = [[<I as Isa>::Lane; 2]; N];

/// A tile: a part of the accumulator and of the weights of each feature.
#[derive(Clone, Copy)]
struct Tile {
    at: usize,
    /// Number of tiles.
    count: usize,
}

impl Tile {
    /// Its place among the tiles of all features.
    #[inline(always)]
    fn of(self, feature: u32) -> usize {
        feature as usize * self.count + self.at
    }
}

/// A change of an accumulator.
trait Change: Copy {
    /// The sums of the tile that were `from`.
    fn of<I: Isa, const N: usize>(self, isa: I, from: &[[Line; 2]; N], tile: Tile) -> Pairs<I, N>;
}

/// Rows by lists: removed and added features.
#[derive(Clone, Copy)]
struct Lists<'a, R>(R, &'a [u32], &'a [u32]);

/// Rows by feature deltas.
#[derive(Clone, Copy)]
struct DeltaWeights<'a, R>(R, &'a [FeatureDelta]);

impl Change for Lists<'_, WideWeightsView<'_>> {
    #[inline(always)]
    fn of<I: Isa, const N: usize>(self, isa: I, from: &[[Line; 2]; N], tile: Tile) -> Pairs<I, N> {
        let Self(rows, removed, added) = self;
        let tiles = rows.lines().as_chunks::<2>().0.as_chunks::<N>().0;
        let mut sums = load(isa, from);
        for &feature in removed {
            subtract(isa, &mut sums, &tiles[tile.of(feature)]);
        }
        for &feature in added {
            add(isa, &mut sums, &tiles[tile.of(feature)]);
        }
        sums
    }
}

impl Change for DeltaWeights<'_, WideWeightsView<'_>> {
    #[inline(always)]
    fn of<I: Isa, const N: usize>(self, isa: I, from: &[[Line; 2]; N], tile: Tile) -> Pairs<I, N> {
        let Self(rows, deltas) = self;
        let tiles = rows.lines().as_chunks::<2>().0.as_chunks::<N>().0;
        let mut sums = load(isa, from);
        for &[before, after] in deltas {
            subtract(isa, &mut sums, &tiles[tile.of(before)]);
            add(isa, &mut sums, &tiles[tile.of(after)]);
        }
        sums
    }
}

impl Change for Lists<'_, ByteWeightsView<'_>> {
    #[inline(always)]
    fn of<I: Isa, const N: usize>(self, isa: I, from: &[[Line; 2]; N], tile: Tile) -> Pairs<I, N> {
        let Self(rows, removed, added) = self;
        let tiles = rows.pairs().as_chunks::<N>().0;
        let mut changes = ByteSums::<I, N>::zero(isa);
        for &feature in removed {
            changes.subtract(isa, &tiles[tile.of(feature)]);
        }
        for &feature in added {
            changes.add(isa, &tiles[tile.of(feature)]);
        }
        let more = (added.len() as i16).wrapping_sub(removed.len() as i16);
        let mut sums = changes.scaled(isa, rows, tile, more);
        if more != 0 {
            add_offsets(isa, &mut sums, rows, tile, more);
        }
        add(isa, &mut sums, from);
        sums
    }
}

impl Change for DeltaWeights<'_, ByteWeightsView<'_>> {
    /// As many features are added as removed, so nothing is to be done about what all weights of a unit have more.
    #[inline(always)]
    fn of<I: Isa, const N: usize>(self, isa: I, from: &[[Line; 2]; N], tile: Tile) -> Pairs<I, N> {
        let Self(rows, deltas) = self;
        let tiles = rows.pairs().as_chunks::<N>().0;
        let mut changes = ByteSums::<I, N>::zero(isa);
        for &[before, after] in deltas {
            changes.subtract(isa, &tiles[tile.of(before)]);
            changes.add(isa, &tiles[tile.of(after)]);
        }
        let mut sums = changes.scaled(isa, rows, tile, 0);
        add(isa, &mut sums, from);
        sums
    }
}

#[inline(always)]
fn load<I: Isa, const N: usize>(isa: I, lines: &[[Line; 2]; N]) -> Pairs<I, N> {
    let mut sums = [[isa.splat(0); 2]; N];
    for (sums, [a, b]) in sums.iter_mut().zip(lines) {
        *sums = [isa.load(a), isa.load(b)];
    }
    sums
}

#[inline(always)]
fn store<I: Isa, const N: usize>(isa: I, sums: &Pairs<I, N>, lines: &mut [[Line; 2]; N]) {
    for (&[a, b], [line_a, line_b]) in sums.iter().zip(lines) {
        isa.store(a, line_a);
        isa.store(b, line_b);
    }
}

#[inline(always)]
fn add<I: Isa, const N: usize>(isa: I, sums: &mut Pairs<I, N>, row: &[[Line; 2]; N]) {
    for (sums, [a, b]) in sums.iter_mut().zip(row) {
        *sums = [isa.add(sums[0], isa.load(a)), isa.add(sums[1], isa.load(b))];
    }
}

#[inline(always)]
fn subtract<I: Isa, const N: usize>(isa: I, sums: &mut Pairs<I, N>, row: &[[Line; 2]; N]) {
    for (sums, [a, b]) in sums.iter_mut().zip(row) {
        *sums = [isa.sub(sums[0], isa.load(a)), isa.sub(sums[1], isa.load(b))];
    }
}

/// A tile of an accumulator whose weights are bytes, in registers. A number with two weights is added as it is, and its high byte by itself: the
/// first sums are what is left of the numbers without the high bytes, all within 16 bits.
struct ByteSums<I: Isa, const N: usize>(Pairs<I, N>);

impl<I: Isa, const N: usize> ByteSums<I, N> {
    #[inline(always)]
    fn zero(isa: I) -> Self {
        Self([[isa.splat(0); 2]; N])
    }

    #[inline(always)]
    fn add(&mut self, isa: I, row: &[Line; N]) {
        for ([sum, high], line) in self.0.iter_mut().zip(row) {
            let both = isa.load(line);
            *sum = isa.add(*sum, both);
            *high = isa.add(*high, isa.high_bytes(both));
        }
    }

    #[inline(always)]
    fn subtract(&mut self, isa: I, row: &[Line; N]) {
        for ([sum, high], line) in self.0.iter_mut().zip(row) {
            let both = isa.load(line);
            *sum = isa.sub(*sum, both);
            *high = isa.sub(*high, isa.high_bytes(both));
        }
    }

    /// The sums of both weights of each number times the scales, for `more` features added than removed.
    #[inline(always)]
    fn scaled(self, isa: I, rows: ByteWeightsView<'_>, tile: Tile, more: i16) -> Pairs<I, N> {
        let mut sums = self.0;
        for [sum, high] in &mut sums {
            *sum = isa.sub(*sum, isa.raise(*high));
        }
        if more != 0 {
            let bias = isa.splat(more.wrapping_mul(ByteWeightsView::BIAS));
            for [low, _] in &mut sums {
                *low = isa.sub(*low, bias);
            }
        }
        let scales = rows.scales().as_chunks::<2>().0.as_chunks::<N>().0;
        if let Some(scales) = scales.get(tile.at) {
            for ([a, b], [by_a, by_b]) in sums.iter_mut().zip(scales) {
                *a = isa.mul(*a, isa.load(by_a));
                *b = isa.mul(*b, isa.load(by_b));
            }
        }
        sums
    }
}

/// Adds what weights are less by than they were, for `more` features added than removed.
#[inline(always)]
fn add_offsets<I: Isa, const N: usize>(
    isa: I,
    sums: &mut Pairs<I, N>,
    rows: ByteWeightsView<'_>,
    tile: Tile,
    more: i16,
) {
    let offsets = rows.offsets().as_chunks::<2>().0.as_chunks::<N>().0;
    if let Some(offsets) = offsets.get(tile.at) {
        let more = isa.splat(more);
        for ([a, b], [by_a, by_b]) in sums.iter_mut().zip(offsets) {
            *a = isa.add(*a, isa.mul(isa.load(by_a), more));
            *b = isa.add(*b, isa.mul(isa.load(by_b), more));
        }
    }
}

// The transformed features, inputs of `fc_0`: accumulators after `ClippedReLU`, or products of them, and the non-zero mask
// (NNZ) of their groups of four.

/// Inputs that are written at a time.
pub(super) const VECTOR: usize = 64;

/// Groups that are.
pub(super) const GROUPS: usize = VECTOR / GROUP;

/// Blocks that are.
const BLOCKS: usize = VECTOR / BLOCK;

/// The inputs of `fc_0`.
#[derive(Debug)]
pub(super) struct Inputs {
    bytes: Vec<[u8; VECTOR]>,
    /// By vector, a bit for each group that is not all zero.
    nnz: Vec<u16>,
    /// Room for the numbers of these groups, and some more.
    list: Vec<u16>,
    /// Vectors of each perspective, from the first on, whose groups are not worth listing.
    dense: usize,
    /// True if blocks are gone through from the end: in turn, so that the weights that were used last, and may still be in
    /// the first level of the cache where not all have room, are used first.
    backward: bool,
}

impl Inputs {
    /// Room for this many groups, a multiple of 16; `dense` [vectors](VECTOR) of each perspective are gone through whole.
    pub(super) fn new(groups: usize, dense: usize) -> Self {
        Self {
            bytes: vec![[0; VECTOR]; groups / GROUPS],
            nnz: vec![0; groups / GROUPS],
            list: vec![0; groups + 16],
            dense,
            backward: false,
        }
    }

    /// The places for the inputs of both perspectives, the side to move first.
    #[inline(always)]
    pub(super) fn places<const PRODUCTS: bool>(
        &mut self,
        sizes: LayerSizes,
    ) -> [Places<'_, PRODUCTS>; 2] {
        let (len, half) = (sizes.groups / GROUPS, sizes.groups / GROUPS / 2);
        let (first, second) = self.bytes[..len].split_at_mut(half);
        let (first_nnz, second_nnz) = self.nnz[..len].split_at_mut(half);
        [Places(first, first_nnz), Places(second, second_nnz)]
    }

    /// The inputs: those that lie first in each perspective as blocks, and of the others the groups that are not all zero.
    #[inline(always)]
    pub(super) fn get<I: Isa>(&mut self, isa: I, sizes: LayerSizes) -> AffineInputs<'_> {
        let vectors = sizes.groups / GROUPS;
        let half = vectors / 2;
        let dense = self.dense.min(half);
        let (bytes, nnz) = (&self.bytes[..vectors], &self.nnz[..vectors]);
        let mut listed = 0;
        for view in [0, half] {
            let vectors = view + dense..view + half;
            for (vector, &bits) in vectors.clone().zip(&nnz[vectors]) {
                if let Some(list) = self.list[listed..].first_chunk_mut() {
                    listed += isa.list_bits(bits, (vector * GROUPS) as u16, list);
                }
            }
        }
        self.backward = !self.backward;
        let blocks = |view: usize| BLOCKS * view..BLOCKS * (view + dense);
        AffineInputs {
            bytes: bytes.as_flattened(),
            blocks: [blocks(0), blocks(half)],
            backward: self.backward,
            list: &self.list[..listed],
        }
    }
}

/// The place for the inputs of one perspective and for their non-zero mask. Inputs are the accumulator's values, within 0 to 127, or if
/// `PRODUCTS` the products of values with those half an accumulator further.
pub(super) struct Places<'a, const PRODUCTS: bool>(&'a mut [[u8; VECTOR]], &'a mut [u16]);

impl<const PRODUCTS: bool> AccumulatorSink for Places<'_, PRODUCTS> {
    const HALVES: bool = PRODUCTS;

    #[inline(always)]
    fn take<I: Isa, const N: usize>(
        &mut self,
        isa: I,
        at: usize,
        sums: &Pairs<I, N>,
        others: &Pairs<I, N>,
    ) {
        let bytes = self.0.as_chunks_mut::<N>().0.get_mut(at);
        let nnz = self.1.as_chunks_mut::<N>().0.get_mut(at);
        let (Some(bytes), Some(nnz)) = (bytes, nnz) else {
            return;
        };
        for (n, (&[a, b], &[c, d])) in sums.iter().zip(others).enumerate() {
            let inputs = if PRODUCTS {
                isa.products([[a, c], [b, d]])
            } else {
                isa.clipped_relu(a, b)
            };
            isa.store_bytes(inputs, &mut bytes[n]);
            nnz[n] = isa.nnz_mask(inputs);
        }
    }
}
