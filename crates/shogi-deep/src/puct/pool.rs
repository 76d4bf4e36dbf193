//! Elements with numbers, made when they are needed, never moved, and used again when they were given back.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Elements of a part of a pool.
const PART: usize = 1 << 16;
/// Parts of a pool: as many elements as there are numbers.
const PARTS: usize = 1 << 16;

/// The pool. Elements keep what was written to them: who takes some begins by writing.
pub(super) struct Pool<T> {
    parts: Box<[OnceLock<Box<[T]>>]>,
    /// The number of the first element that was never taken.
    next: AtomicU32,
    /// Ranges are handed out in multiples of so many elements.
    grain: usize,
    /// Ranges that were given back, by their size in grains.
    free: Box<[Mutex<Vec<u32>>]>,
    /// Number of these.
    free_count: AtomicUsize,
}

impl<T: Default> Pool<T> {
    /// An empty pool for ranges of at most `longest` elements, in multiples of `grain`.
    pub(super) fn new(grain: usize, longest: usize) -> Self {
        let classes = longest.div_ceil(grain) + 1;
        Self {
            parts: (0..PARTS).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(0),
            grain,
            free: (0..classes).map(|_| Mutex::default()).collect(),
            free_count: AtomicUsize::new(0),
        }
    }

    /// The number of the first of `count` elements side by side, at most those of [`Self::new`]; `None` when all are used.
    pub(super) fn take(&self, count: usize) -> Option<u32> {
        if count == 0 {
            return Some(0);
        }
        let class = count.div_ceil(self.grain);
        if self.free_count.load(Relaxed) > 0
            && let Some(first) = self.free_of(class).pop()
        {
            self.free_count.fetch_sub(1, Relaxed);
            return Some(first);
        }
        let count = class * self.grain;
        loop {
            let after = |first: u32| first.checked_add(count as u32);
            let first = self.next.fetch_update(Relaxed, Relaxed, after).ok()?;
            let part = self.parts.get(first as usize / PART)?;
            let last = first as usize + count - 1;
            if last / PART == first as usize / PART {
                part.get_or_init(|| (0..PART).map(|_| T::default()).collect());
                return Some(first);
            }
        }
    }

    /// Gives a range back that was taken with this count.
    pub(super) fn give_back(&self, first: u32, count: usize) {
        if count > 0 {
            self.free_of(count.div_ceil(self.grain)).push(first);
            self.free_count.fetch_add(1, Relaxed);
        }
    }

    fn free_of(&self, class: usize) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.free[class]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The elements of a range.
    pub(super) fn slice(&self, first: u32, count: usize) -> &[T] {
        let part = self.parts[first as usize / PART].get();
        part.map_or(&[], |part| &part[first as usize % PART..][..count])
    }

    /// Takes all ranges back.
    pub(super) fn clear(&mut self) {
        *self.next.get_mut() = 0;
        *self.free_count.get_mut() = 0;
        for free in &mut self.free {
            free.get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        }
    }

    /// Bytes of all elements that were made.
    pub(super) fn bytes(&self) -> usize {
        // Parts are made one after the other.
        let made = self.parts.iter().take_while(|part| part.get().is_some());
        made.count() * PART * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stay_within_a_part_and_come_back() {
        let pool = Pool::<AtomicU32>::new(4, 593);
        let mut last = 0;
        for _ in 0..400 {
            let first = pool.take(593).unwrap();
            assert!(first >= last);
            assert_eq!(pool.slice(first, 593).len(), 593);
            last = first + 593;
        }
        pool.give_back(last - 593, 593);
        assert!(pool.take(7).unwrap() > last);
        // 596 elements were handed out.
        assert_eq!(pool.take(594), Some(last - 593));
        assert_eq!(pool.take(0), Some(0));
    }
}
