//! From the sums of the first layer to the inputs of the small layers: bytes, and which groups of four
//! are not all zero.

use super::layer::{GROUP, LayerInputs};
use super::sizes::LayerSizes;
use crate::nnue::simd::{Isa, Line};

/// Groups that are written at a time.
const GROUPS: usize = 64 / GROUP;

/// The inputs of the first small layer.
#[derive(Debug)]
pub(super) struct Inputs {
    bytes: Vec<[u8; 64]>,
    /// By 64 bytes, a bit for each group that is not all zero.
    in_use: Vec<u16>,
    /// How many bits are set.
    count: usize,
    /// Room for the numbers of these groups, and some more.
    list: Vec<u16>,
}

impl Inputs {
    /// Room for this many groups, a multiple of 16.
    pub(super) fn new(groups: usize) -> Self {
        Self {
            bytes: vec![[0; 64]; groups / GROUPS],
            in_use: vec![0; groups / GROUPS],
            count: 0,
            list: vec![0; groups + 16],
        }
    }

    /// Takes the sums of both views, the mover's first, within 0 to 127.
    #[inline(always)]
    pub(super) fn clip<I: Isa>(&mut self, isa: I, sizes: LayerSizes, views: [&[Line]; 2]) {
        let [mover, other] = views;
        let (first, second) = self.places(sizes);
        let count = first.clip(isa, mover) + second.clip(isa, other);
        self.count = count as usize;
    }

    /// Takes the products of the halves of both views, the mover's first.
    #[inline(always)]
    pub(super) fn multiply<I: Isa>(&mut self, isa: I, sizes: LayerSizes, views: [&[Line]; 2]) {
        let [mover, other] = views;
        let (first, second) = self.places(sizes);
        let count = first.multiply(isa, mover) + second.multiply(isa, other);
        self.count = count as usize;
    }

    /// Where the inputs of both views belong.
    #[inline(always)]
    fn places(&mut self, sizes: LayerSizes) -> (Places<'_>, Places<'_>) {
        let (len, half) = (sizes.groups / GROUPS, sizes.groups / GROUPS / 2);
        let (first, second) = self.bytes[..len].split_at_mut(half);
        let (first_in_use, second_in_use) = self.in_use[..len].split_at_mut(half);
        (Places(first, first_in_use), Places(second, second_in_use))
    }

    /// All inputs, and the numbers of the groups that are not all zero if they are so few that listing
    /// them is worth while for a layer of these `sizes`.
    #[inline(always)]
    pub(super) fn get<I: Isa>(&mut self, isa: I, sizes: LayerSizes) -> LayerInputs<'_> {
        let lines = sizes.groups / GROUPS;
        let (bytes, in_use) = (self.bytes[..lines].as_flattened(), &self.in_use[..lines]);
        // Going through all groups needs less for each: three quarters of the time with 32 outputs, half of it with 16.
        let eighths = if sizes.outputs >= 32 { 6 } else { 4 };
        if 8 * self.count > eighths * sizes.groups {
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

/// Places for inputs, and for the bits of their groups.
struct Places<'a>(&'a mut [[u8; 64]], &'a mut [u16]);

impl Places<'_> {
    /// Writes sums within 0 to 127; returns how many groups are not all zero.
    #[inline(always)]
    fn clip<I: Isa>(self, isa: I, lines: &[Line]) -> u32 {
        let mut count = 0;
        let places = self.0.iter_mut().zip(self.1);
        for ([a, b], (bytes, in_use)) in lines.as_chunks::<2>().0.iter().zip(places) {
            *in_use = write(isa, isa.clip(isa.load(a), isa.load(b)), bytes);
            count += in_use.count_ones();
        }
        count
    }

    /// Writes products of the halves; returns the same.
    #[inline(always)]
    fn multiply<I: Isa>(self, isa: I, lines: &[Line]) -> u32 {
        let mut count = 0;
        let (left, right) = lines.split_at(lines.len() / 2);
        let pairs = left.as_chunks::<2>().0.iter().zip(right.as_chunks::<2>().0);
        for (([a, b], [c, d]), (bytes, in_use)) in pairs.zip(self.0.iter_mut().zip(self.1)) {
            let first = [isa.load(a), isa.load(c)];
            let second = [isa.load(b), isa.load(d)];
            *in_use = write(isa, isa.products([first, second]), bytes);
            count += in_use.count_ones();
        }
        count
    }
}

/// Writes inputs; returns a bit for each group that is not all zero.
#[inline(always)]
fn write<I: Isa>(isa: I, bytes: I::Bytes, place: &mut [u8; 64]) -> u16 {
    isa.store_bytes(bytes, place);
    isa.groups_in_use(bytes)
}
