//! Pages from the allocator, where the system has no memory maps (WebAssembly): what this folder uses of `memmap2`, by its names.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Where pages begin: at multiples of this.
const PAGE: usize = 4096;

/// Bytes that are zero at first, on pages of their own.
#[derive(Debug)]
pub(crate) struct MmapMut {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it owns its bytes.
unsafe impl Send for MmapMut {}
// SAFETY: its bytes are only read through shared references.
unsafe impl Sync for MmapMut {}

impl MmapMut {
    /// `len` zeros, at least one.
    ///
    /// # Errors
    ///
    /// When the allocator has no such space.
    pub(crate) fn map_anon(len: usize) -> std::io::Result<Self> {
        let none = std::io::ErrorKind::OutOfMemory;
        let layout = Layout::from_size_align(len.max(1), PAGE).map_err(|_| none)?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        Ok(Self {
            start: NonNull::new(start).ok_or(none)?,
            layout,
        })
    }
}

impl Deref for MmapMut {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes were allocated, and all have values.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }
}

impl DerefMut for MmapMut {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for MmapMut {
    fn drop(&mut self) {
        // SAFETY: allocated with that layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// The same, for who writes through shared references.
#[derive(Debug)]
pub(crate) struct MmapRaw(MmapMut);

impl From<MmapMut> for MmapRaw {
    fn from(pages: MmapMut) -> Self {
        Self(pages)
    }
}

impl MmapRaw {
    /// The number of bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.layout.size()
    }

    /// The first byte, which may be written while it lives.
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.0.start.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_aligned_and_written() {
        for len in [0, 1, 4097, 1 << 20] {
            let mut pages = MmapMut::map_anon(len).unwrap();
            assert_eq!(pages.len(), len.max(1));
            assert!(pages.iter().all(|&byte| byte == 0));
            assert_eq!(pages.as_ptr().align_offset(PAGE), 0);
            pages[len / 2] = 7;
            assert_eq!(pages[len / 2], 7);
            let raw = MmapRaw::from(pages);
            assert_eq!(raw.len(), len.max(1));
            // SAFETY: within the pages, which nobody else reaches.
            assert_eq!(unsafe { *raw.as_mut_ptr().add(len / 2) }, 7);
        }
        assert!(MmapMut::map_anon(usize::MAX / 2).is_err());
    }
}
