//! From the sums of the first layer to the inputs of the small layers: bytes, and a list of those
//! groups of four that are not all zero.

use super::layer::GROUP;
use crate::nnue::simd::{Isa, Line};

/// The inputs of the first small layer.
#[derive(Debug)]
pub(super) struct Inputs {
    bytes: Vec<[u8; 64]>,
    /// Sixteen more places than there are groups.
    list: Vec<u16>,
    listed: usize,
}

impl Inputs {
    /// Room for two views of `lines` lines of sums, for products half as much.
    pub(super) fn new(lines: usize) -> Self {
        Self {
            bytes: vec![[0; 64]; lines],
            list: vec![0; lines * 64 / GROUP + 16],
            listed: 0,
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
        self.listed = writer.listed;
    }

    /// Takes the products of the halves of both views, the mover's first.
    #[inline(always)]
    pub(super) fn multiply<I: Isa>(&mut self, isa: I, views: [&[Line]; 2]) {
        let mut writer = Writer::new(self);
        for lines in views {
            let (left, right) = lines.split_at(lines.len() / 2);
            let pairs = left.as_chunks::<2>().0.iter().zip(right.as_chunks::<2>().0);
            for ([a, b], [c, d]) in pairs {
                let pairs = [[a, c], [b, d]].map(|pair| pair.map(|line| isa.load(line)));
                writer.write(isa, isa.products(pairs));
            }
        }
        self.listed = writer.listed;
    }

    /// All groups.
    #[inline(always)]
    pub(super) fn groups(&self) -> &[[u8; GROUP]] {
        self.bytes.as_flattened().as_chunks().0
    }

    /// The numbers of the groups that are not all zero, in order.
    #[inline(always)]
    pub(super) fn list(&self) -> &[u16] {
        &self.list[..self.listed]
    }
}

/// Writes inputs, 64 at a time.
struct Writer<'a> {
    places: std::slice::IterMut<'a, [u8; 64]>,
    list: &'a mut [u16],
    listed: usize,
    /// The number of the next group.
    next: u16,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    fn new(inputs: &'a mut Inputs) -> Self {
        Self {
            places: inputs.bytes.iter_mut(),
            list: &mut inputs.list,
            listed: 0,
            next: 0,
        }
    }

    #[inline(always)]
    fn write<I: Isa>(&mut self, isa: I, bytes: I::Bytes) {
        if let Some(place) = self.places.next()
            && let Some(list) = self.list[self.listed..].first_chunk_mut()
        {
            isa.store_bytes(bytes, place);
            self.listed += isa.list_groups(bytes, self.next, list);
            self.next += (64 / GROUP) as u16;
        }
    }
}
