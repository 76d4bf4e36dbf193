//! From the sums of the first layer to the inputs of the small layers: bytes, and which groups of four
//! are not all zero.

use super::layer::{GROUP, LayerInputs};
use super::rows::{Pairs, Sink};
use super::sizes::LayerSizes;
use crate::nnue::simd::Isa;

/// Groups that are written at a time.
const GROUPS: usize = 64 / GROUP;

/// The inputs of the first small layer.
#[derive(Debug)]
pub(super) struct Inputs {
    bytes: Vec<[u8; 64]>,
    /// By 64 bytes, a bit for each group that is not all zero.
    in_use: Vec<u16>,
    /// Room for the numbers of these groups, and some more.
    list: Vec<u16>,
}

impl Inputs {
    /// Room for this many groups, a multiple of 16.
    pub(super) fn new(groups: usize) -> Self {
        Self {
            bytes: vec![[0; 64]; groups / GROUPS],
            in_use: vec![0; groups / GROUPS],
            list: vec![0; groups + 16],
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

    /// All inputs, and the numbers of the groups that are not all zero if they are so few that listing
    /// them is worth while for a layer of these `sizes`.
    #[inline(always)]
    pub(super) fn get<I: Isa>(&mut self, isa: I, sizes: LayerSizes) -> LayerInputs<'_> {
        let lines = sizes.groups / GROUPS;
        let (bytes, in_use) = (self.bytes[..lines].as_flattened(), &self.in_use[..lines]);
        // Going through all groups needs less for each: three quarters of the time with 32 outputs, half of it with 16.
        let eighths = if sizes.outputs >= 32 { 6 } else { 4 };
        let count: u32 = in_use.iter().map(|bits| bits.count_ones()).sum();
        if 8 * count as usize > eighths * sizes.groups {
            return LayerInputs { bytes, list: None };
        }
        let list = &mut self.list[..];
        let (mut listed, mut first) = (0, 0);
        for &bits in in_use {
            if let Some(list) = list[listed..].first_chunk_mut() {
                listed += isa.list_bits(bits, first, list);
            }
            first += GROUPS as u16;
        }
        LayerInputs {
            bytes,
            list: Some(&self.list[..listed]),
        }
    }
}

/// Places for the inputs of a view, and for the bits of their groups. Inputs are the sums, within 0 to 127, or if
/// `PRODUCTS` the products of sums with those half a row further.
pub(super) struct Places<'a, const PRODUCTS: bool>(&'a mut [[u8; 64]], &'a mut [u16]);

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
