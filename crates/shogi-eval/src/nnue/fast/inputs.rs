//! From the sums of the first layer to the inputs of the small layers: bytes, and which groups of four
//! are not all zero.

use super::layer::{GROUP, LayerInputs};
use crate::nnue::simd::{Isa, Line};

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
            bytes: vec![[0; 64]; groups / 16],
            in_use: vec![0; groups / 16],
            count: 0,
            list: vec![0; groups + 16],
        }
    }

    /// Takes the sums of both views, the mover's first, within 0 to 127.
    #[inline(always)]
    pub(super) fn clip<I: Isa>(&mut self, isa: I, views: [&[Line]; 2]) {
        let mut writer = Writer::new(self);
        for lines in views {
            for [a, b] in lines.as_chunks::<2>().0 {
                writer.write(isa, isa.clip(isa.load(a), isa.load(b)));
            }
        }
        self.count = writer.count;
    }

    /// Takes the products of the halves of both views, the mover's first.
    #[inline(always)]
    pub(super) fn multiply<I: Isa>(&mut self, isa: I, views: [&[Line]; 2]) {
        let mut writer = Writer::new(self);
        for lines in views {
            let (left, right) = lines.split_at(lines.len() / 2);
            let pairs = left.as_chunks::<2>().0.iter().zip(right.as_chunks::<2>().0);
            for ([a, b], [c, d]) in pairs {
                let first = [isa.load(a), isa.load(c)];
                let second = [isa.load(b), isa.load(d)];
                writer.write(isa, isa.products([first, second]));
            }
        }
        self.count = writer.count;
    }

    /// All inputs, and the numbers of the groups that are not all zero if they are so few that listing
    /// them is worth while for a layer with so many outputs.
    #[inline(always)]
    pub(super) fn get<I: Isa>(&mut self, isa: I, outputs: usize) -> LayerInputs<'_> {
        let bytes = self.bytes.as_flattened();
        // Going through all groups needs less for each: three quarters of the time with 32 outputs, half of it with 16.
        let eighths = if outputs >= 32 { 6 } else { 4 };
        if 8 * self.count > eighths * 16 * self.in_use.len() {
            return LayerInputs { bytes, list: None };
        }
        let list = &mut self.list[..];
        let (mut listed, mut first) = (0, 0);
        for &bits in &self.in_use {
            if let Some(list) = list[listed..].first_chunk_mut() {
                listed += isa.list_bits(bits, first, list);
            }
            first += (64 / GROUP) as u16;
        }
        LayerInputs {
            bytes,
            list: Some(&self.list[..listed]),
        }
    }
}

/// Writes inputs, 64 at a time.
struct Writer<'a> {
    places: std::iter::Zip<std::slice::IterMut<'a, [u8; 64]>, std::slice::IterMut<'a, u16>>,
    count: usize,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    fn new(inputs: &'a mut Inputs) -> Self {
        Self {
            places: inputs.bytes.iter_mut().zip(&mut inputs.in_use),
            count: 0,
        }
    }

    #[inline(always)]
    fn write<I: Isa>(&mut self, isa: I, bytes: I::Bytes) {
        if let Some((place, in_use)) = self.places.next() {
            isa.store_bytes(bytes, place);
            *in_use = isa.groups_in_use(bytes);
            self.count += in_use.count_ones() as usize;
        }
    }
}
