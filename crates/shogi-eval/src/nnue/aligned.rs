//! Numbers in memory that begin on a cache line, for vector instructions.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Arrays of this many bytes are asked for as large pages.
const LARGE: usize = 4 << 20;

/// A slice of numbers whose first one lies at an address divisible by 64.
///
/// It cannot be cloned, as the copy would lie elsewhere. Large arrays lie in large pages where the
/// system allows it (Linux: transparent huge pages), which makes looking up rows here and there faster.
pub struct Aligned<T>(Storage<T>);

enum Storage<T> {
    /// A little more is allocated, and the part that begins on a line is used.
    Heap {
        numbers: Vec<T>,
        start: usize,
        len: usize,
    },
    /// Nothing but the numbers.
    Pages(MmapMut),
}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        if let Some(pages) = pages(len.saturating_mul(size_of::<T>())) {
            return Self(Storage::Pages(pages));
        }
        let spare = LINE / size_of::<T>();
        let numbers = vec![T::zeroed(); len + spare];
        let start = numbers.as_ptr().align_offset(LINE).min(spare);
        Self(Storage::Heap {
            numbers,
            start,
            len,
        })
    }
}

/// Zeros in pages of their own, if there are enough and the system gives them.
fn pages(bytes: usize) -> Option<MmapMut> {
    if bytes < LARGE {
        return None;
    }
    let pages = MmapMut::map_anon(bytes).ok()?;
    // A wish: ordinary pages do as well, only slower.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Heap {
                numbers,
                start,
                len,
            } => &numbers[*start..start + len],
            Storage::Pages(pages) => bytemuck::cast_slice(pages),
        }
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Storage::Heap {
                numbers,
                start,
                len,
            } => &mut numbers[*start..*start + *len],
            Storage::Pages(pages) => bytemuck::cast_slice_mut(pages),
        }
    }
}

impl<T: Pod> fmt::Debug for Aligned<T> {
    /// Tells how many numbers there are: they may be hundreds of millions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aligned")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl<T: Pod + PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + Eq> Eq for Aligned<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_on_a_line() {
        for len in [0, 1, 31, 32, 1000, LARGE] {
            let mut numbers = Aligned::<i16>::zeros(len);
            assert_eq!(numbers.len(), len);
            assert!(numbers.iter().all(|&n| n == 0));
            assert_eq!(numbers.as_ptr().align_offset(LINE), 0);
            numbers.fill(7);
            let moved = numbers;
            assert_eq!(moved.iter().filter(|&&n| n == 7).count(), len);
            assert_eq!(Aligned::<i8>::zeros(len).as_ptr().align_offset(LINE), 0);
        }
    }
}
