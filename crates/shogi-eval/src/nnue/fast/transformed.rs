//! The transformed features, inputs of `fc_0`: accumulators after `ClippedReLU`, or products of them, and the non-zero mask
//! (NNZ) of their groups of four.

use super::affine::{AffineInputs, BLOCK, GROUP};
use super::prepared::LayerSizes;
use super::transformer::{AccumulatorSink, Pairs};
use crate::nnue::simd::Isa;

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
    /// Vectors of each view, from the first on, whose groups are not worth listing.
    dense: usize,
    /// True if blocks are gone through from the end: in turn, so that the weights that were used last, and may still be in
    /// the first level of the cache where not all have room, are used first.
    backward: bool,
}

impl Inputs {
    /// Room for this many groups, a multiple of 16; `dense` [vectors](VECTOR) of each view are gone through whole.
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

    /// The inputs: those that lie first in each view as blocks, and of the others the groups that are not all zero.
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

/// The place for the inputs of one perspective and for their non-zero mask. Inputs are the sums, within 0 to 127, or if
/// `PRODUCTS` the products of sums with those half a row further.
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
