//! Numbers in memory that begin on a cache line, for vector instructions.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use bytemuck::Pod;
use yane_io::{Map, Pages};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Arrays of this many bytes are asked for as large pages.
const LARGE: usize = 4 << 20;

/// A slice of numbers whose first one lies at an address divisible by 64.
///
/// It cannot be cloned, as the copy would lie elsewhere. Large arrays lie in large pages where the
/// system allows it (Linux: transparent huge pages), which makes looking up rows here and there faster.
/// Instead it may be a part of a mapped file, which is copied before it is changed.
pub struct Aligned<T>(Storage<T>);

enum Storage<T> {
    /// A little more is allocated, and the part that begins on a line is used.
    Heap {
        numbers: Vec<T>,
        start: usize,
        len: usize,
    },
    /// Nothing but the numbers.
    Pages(Pages),
    /// A part of a file, whose bounds and alignment were checked.
    Mapped { map: Arc<Map>, bytes: Range<usize> },
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

    /// A copy of `numbers`.
    pub(super) fn copy_of(numbers: &[T]) -> Self {
        let mut copy = Self::zeros(numbers.len());
        copy.copy_from_slice(numbers);
        copy
    }

    /// The numbers in these `bytes` of a file, in the byte order of this machine. They stay there if they
    /// begin on a line, else they are copied. `None` when the file does not have them or they are no
    /// whole numbers.
    pub(super) fn part_of(map: &Arc<Map>, bytes: Range<usize>) -> Option<Self> {
        let part = map.get(bytes.clone())?;
        if part.len() % size_of::<T>() != 0 {
            return None;
        }
        if part.as_ptr().align_offset(LINE) == 0 {
            let map = Arc::clone(map);
            return Some(Self(Storage::Mapped { map, bytes }));
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
        match &self.0 {
            Storage::Heap {
                numbers,
                start,
                len,
            } => &numbers[*start..start + len],
            Storage::Pages(pages) => bytemuck::cast_slice(pages),
            Storage::Mapped { map, bytes } => bytemuck::cast_slice(&map[bytes.clone()]),
        }
    }
}

impl<T: Pod> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        if matches!(self.0, Storage::Mapped { .. }) {
            *self = Self::copy_of(self);
        }
        match &mut self.0 {
            Storage::Heap {
                numbers,
                start,
                len,
            } => &mut numbers[*start..*start + *len],
            Storage::Pages(pages) => bytemuck::cast_slice_mut(pages),
            Storage::Mapped { .. } => &mut [],
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
        // What begins elsewhere is copied.
        let part = Aligned::<i16>::part_of(&map, 3..7).unwrap();
        assert_eq!(*part, [0x101; 2]);
        assert_eq!(part.as_ptr().align_offset(LINE), 0);
    }
}
