//! From the sums of the first layer to the inputs of the small layers: bytes, and which groups of four
//! are not all zero.

use super::layer::{BLOCK, GROUP, LayerInputs};
use super::rows::{Pairs, Sink};
use super::sizes::LayerSizes;
use crate::nnue::simd::Isa;

/// Inputs that are written at a time.
pub(super) const VECTOR: usize = 64;

/// Groups that are.
pub(super) const GROUPS: usize = VECTOR / GROUP;

/// Blocks that are.
const BLOCKS: usize = VECTOR / BLOCK;

/// The inputs of the first small layer.
#[derive(Debug)]
pub(super) struct Inputs {
    bytes: Vec<[u8; VECTOR]>,
    /// By vector, a bit for each group that is not all zero.
    in_use: Vec<u16>,
    /// Room for the numbers of these groups, and some more.
    list: Vec<u16>,
    /// Vectors of each view, from the first on, whose groups are not worth listing.
    dense: usize,
    /// Whether blocks are gone through from the end: in turn, so that the weights that were used last, and may still be in
    /// the first level of the cache where not all have room, are used first.
    backward: bool,
}

impl Inputs {
    /// Room for this many groups, a multiple of 16; `dense` [vectors](VECTOR) of each view are gone through whole.
    pub(super) fn new(groups: usize, dense: usize) -> Self {
        Self {
            bytes: vec![[0; VECTOR]; groups / GROUPS],
            in_use: vec![0; groups / GROUPS],
            list: vec![0; groups + 16],
            dense,
            backward: false,
        }
    }

    /// Where the inputs of both views belong, the mover's first.
    #[inline(always)]
    pub(super) fn places<const PRODUCTS: bool>(
        &mut self,
        sizes: LayerSizes,
    ) -> [Places<'_, PRODUCTS>; 2] {
        let (len, half) = (sizes.groups / GROUPS, sizes.groups / GROUPS / 2);
        let (first, second) = self.bytes[..len].split_at_mut(half);
        let (first_in_use, second_in_use) = self.in_use[..len].split_at_mut(half);
        [Places(first, first_in_use), Places(second, second_in_use)]
    }

    /// The inputs: those that lie first in each view as blocks, and of the others the groups that are not all zero.
    #[inline(always)]
    pub(super) fn get<I: Isa>(&mut self, isa: I, sizes: LayerSizes) -> LayerInputs<'_> {
        let vectors = sizes.groups / GROUPS;
        let half = vectors / 2;
        let dense = self.dense.min(half);
        let (bytes, in_use) = (&self.bytes[..vectors], &self.in_use[..vectors]);
        let mut listed = 0;
        for view in [0, half] {
            let vectors = view + dense..view + half;
            for (vector, &bits) in vectors.clone().zip(&in_use[vectors]) {
                if let Some(list) = self.list[listed..].first_chunk_mut() {
                    listed += isa.list_bits(bits, (vector * GROUPS) as u16, list);
                }
            }
        }
        self.backward = !self.backward;
        let blocks = |view: usize| BLOCKS * view..BLOCKS * (view + dense);
        LayerInputs {
            bytes: bytes.as_flattened(),
            blocks: [blocks(0), blocks(half)],
            backward: self.backward,
            list: &self.list[..listed],
        }
    }
}

/// Places for the inputs of a view, and for the bits of their groups. Inputs are the sums, within 0 to 127, or if
/// `PRODUCTS` the products of sums with those half a row further.
pub(super) struct Places<'a, const PRODUCTS: bool>(&'a mut [[u8; VECTOR]], &'a mut [u16]);

impl<const PRODUCTS: bool> Sink for Places<'_, PRODUCTS> {
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
        let in_use = self.1.as_chunks_mut::<N>().0.get_mut(at);
        let (Some(bytes), Some(in_use)) = (bytes, in_use) else {
            return;
        };
        for (n, (&[a, b], &[c, d])) in sums.iter().zip(others).enumerate() {
            let inputs = if PRODUCTS {
                isa.products([[a, c], [b, d]])
            } else {
                isa.clip(a, b)
            };
            isa.store_bytes(inputs, &mut bytes[n]);
            in_use[n] = isa.groups_in_use(inputs);
        }
    }
}
