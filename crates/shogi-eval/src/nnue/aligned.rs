//! Numbers in memory that begin on a cache line, for vector instructions.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// A slice of numbers whose first one lies at an address divisible by 64.
///
/// A little more is allocated and the part that begins on a line is used, so no unsafe code is
/// needed. It cannot be cloned, as the copy would lie elsewhere.
pub struct Aligned<T> {
    storage: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let spare = LINE / size_of::<T>();
        let storage = vec![T::default(); len + spare];
        let start = storage.as_ptr().align_offset(LINE).min(spare);
        Self {
            storage,
            start,
            len,
        }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.storage[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.storage[self.start..self.start + self.len]
    }
}

impl<T> fmt::Debug for Aligned<T> {
    /// Tells how many numbers there are: they may be hundreds of millions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aligned")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<T: PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Aligned<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_on_a_line() {
        for len in [0, 1, 31, 32, 1000] {
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
