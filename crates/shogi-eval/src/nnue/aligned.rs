//! Numbers in memory that begin on a cache line, for vector instructions.

#![allow(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bytemuck::Pod;
use yane_base::memory::Pages;
use yane_io::Map;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Arrays of this many bytes are asked for as large pages.
const LARGE: usize = 4 << 20;

/// A slice of numbers whose first one lies at an address divisible by 64.
///
/// It cannot be cloned, as the copy would lie elsewhere. Large arrays lie in large pages where the
/// system allows it (Linux: transparent huge pages), which makes looking up weights here and there faster.
/// Instead it may be a part of a mapped file, which is copied before it is changed.
pub struct Aligned<T> {
    /// The numbers, somewhere in `storage`: kernels look at a dozen arrays for each position, and finding out where
    /// they lie took longer than some of the layers.
    numbers: NonNull<T>,
    len: usize,
    storage: Storage<T>,
}

/// The owner of the memory, which stays in place when this moves.
enum Storage<T> {
    /// A little more is allocated, and the part that begins on a line is used.
    Heap { _numbers: Vec<T> },
    /// Nothing but the numbers.
    Pages { _pages: Pages },
    /// A part of a file.
    Mapped { _map: Arc<Map> },
}

// SAFETY: it owns the numbers, or shares a map that nobody changes, and hands them out as a slice would be.
unsafe impl<T: Send> Send for Aligned<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Aligned<T> {}

impl<T: Pod> Aligned<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        if let Some(mut pages) = pages(len.saturating_mul(size_of::<T>())) {
            let numbers: &mut [T] = bytemuck::cast_slice_mut(&mut pages);
            return Self {
                len: numbers.len(),
                numbers: NonNull::from(numbers).cast(),
                storage: Storage::Pages { _pages: pages },
            };
        }
        let spare = LINE / size_of::<T>();
        let mut numbers = vec![T::zeroed(); len + spare];
        let start = numbers.as_ptr().align_offset(LINE).min(spare);
        Self {
            numbers: NonNull::from(&mut numbers[start..start + len]).cast(),
            len,
            storage: Storage::Heap { _numbers: numbers },
        }
    }

    /// A copy of `numbers`.
    pub fn copy_of(numbers: &[T]) -> Self {
        let mut copy = Self::zeros(numbers.len());
        copy.copy_from_slice(numbers);
        copy
    }

    /// The numbers in these `bytes` of a file, in the byte order of this machine. They stay there if they
    /// begin on a line, else they are copied. `None` when the file does not have them or they are no
    /// whole numbers.
    pub(super) fn part_of(map: &Arc<Map>, bytes: Range<usize>) -> Option<Self> {
        let part = map.get(bytes)?;
        if part.len() % size_of::<T>() != 0 {
            return None;
        }
        if part.as_ptr().align_offset(LINE) == 0 {
            let numbers: &[T] = bytemuck::cast_slice(part);
            return Some(Self {
                numbers: NonNull::from(numbers).cast(),
                len: numbers.len(),
                storage: Storage::Mapped {
                    _map: Arc::clone(map),
                },
            });
        }
        let mut copy = Self::zeros(part.len() / size_of::<T>());
        bytemuck::cast_slice_mut(&mut copy).copy_from_slice(part);
        Some(copy)
    }
}

/// Zeros in pages of their own, if there are enough and the system gives them.
fn pages(bytes: usize) -> Option<Pages> {
    let pages = (bytes >= LARGE).then(|| Pages::zeros(bytes));
    pages?.ok()
}

impl<T: Pod> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `numbers` and `len` are those of a slice of what `storage` owns, which stays in its place and is
        // reached in no other way.
        unsafe { slice::from_raw_parts(self.numbers.as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        if matches!(self.storage, Storage::Mapped { .. }) {
            *self = Self::copy_of(self);
        }
        // SAFETY: as in `deref`; the pointer is that of a slice that may be written, as it is not that of a map.
        unsafe { slice::from_raw_parts_mut(self.numbers.as_ptr(), self.len) }
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

    #[test]
    fn parts_of_files_are_seen_in_place_and_copied_to_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        std::fs::write(&path, [1; 200]).unwrap();
        let map = Arc::new(Map::open(&path).unwrap());
        assert!(Aligned::<i16>::part_of(&map, 64..201).is_none());
        assert!(Aligned::<i16>::part_of(&map, 64..67).is_none());
        let mut part = Aligned::<i16>::part_of(&map, 64..200).unwrap();
        assert_eq!(*part, [0x101; 68]);
        assert_eq!(part.as_ptr().cast(), map[64..].as_ptr());
        part[0] = 7;
        assert_eq!((part[0], part[1], map[64]), (7, 0x101, 1));
        // A part that begins at an unaligned place is copied.
        let part = Aligned::<i16>::part_of(&map, 3..7).unwrap();
        assert_eq!(*part, [0x101; 2]);
        assert_eq!(part.as_ptr().align_offset(LINE), 0);
    }
}
