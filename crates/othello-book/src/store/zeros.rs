//! Large arrays of bytes that are looked at here and there.

use std::ops::{Deref, DerefMut};

use yane_mem::Pages;

/// Arrays of this many bytes have pages of their own.
const LARGE: usize = 2 << 20;

/// Bytes, at first zeros. Many lie in large pages where the system has them.
#[derive(Debug)]
pub(super) enum Zeros {
    Pages(Pages),
    Heap(Vec<u8>),
}

impl Zeros {
    pub(super) fn new(len: usize) -> Self {
        let pages = (len >= LARGE).then(|| Pages::zeros(len));
        match pages {
            Some(Ok(pages)) => Self::Pages(pages),
            _ => Self::Heap(vec![0; len]),
        }
    }
}

impl Deref for Zeros {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Pages(pages) => pages,
            Self::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for Zeros {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pages(pages) => pages,
            Self::Heap(bytes) => bytes,
        }
    }
}
