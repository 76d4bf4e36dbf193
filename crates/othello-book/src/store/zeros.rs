//! Large arrays of bytes that are looked at here and there.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Arrays of this many bytes are asked for as large pages.
const LARGE: usize = 2 << 20;

/// Bytes, at first zeros. Many lie in large pages where the system has them, which spares the processor a look at its
/// tables of pages whenever it reads a byte somewhere else.
#[derive(Debug)]
pub(super) enum Zeros {
    Pages(MmapMut),
    Heap(Vec<u8>),
}

impl Zeros {
    pub(super) fn new(len: usize) -> Self {
        match MmapMut::map_anon(len) {
            Ok(pages) if len >= LARGE => {
                // A wish: ordinary pages do as well, only slower.
                #[cfg(target_os = "linux")]
                let _ = pages.advise(memmap2::Advice::HugePage);
                Self::Pages(pages)
            }
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
