//! Large arrays of bytes, and large values, on pages of their own; and asking for memory before it is needed.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;

use super::maps::MmapMut;

/// Bytes on pages of their own, zero at first.
///
/// They take memory only where they have been written. On Linux large pages are asked for, which spares the processor
/// looks at its tables of pages where bytes are read here and there. A wish: ordinary pages do as well, only slower.
#[derive(Debug)]
pub struct Pages(MmapMut);

impl Pages {
    /// `len` zeros; at least one.
    ///
    /// # Errors
    /// When the system has no such space.
    pub fn zeros(len: usize) -> std::io::Result<Self> {
        let pages = MmapMut::map_anon(len.max(1))?;
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Ok(Self(pages))
    }
}

impl Deref for Pages {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Pages {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

// One large value on pages of its own.

/// A value on pages of its own, zero at first: for tables of fixed sizes that are read here and there (see
/// [`Pages`]). It never lies on the stack, however large it is.
pub struct PageBox<T> {
    /// As many bytes as the value has.
    pages: Pages,
    value: PhantomData<T>,
}

impl<T: Zeroable> PageBox<T> {
    /// A value all of whose bytes are zero.
    ///
    /// # Errors
    /// When the system has no such space.
    pub fn zeroed() -> std::io::Result<Self> {
        const {
            assert!(align_of::<T>() <= 4096, "pages begin at multiples of 4096");
            assert!(!std::mem::needs_drop::<T>(), "the value is not dropped");
        }
        Ok(Self {
            pages: Pages::zeros(size_of::<T>())?,
            value: PhantomData,
        })
    }
}

impl<T> Deref for PageBox<T> {
    type Target = T;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn deref(&self) -> &T {
        // SAFETY: the pages are as long as the value, begin at a multiple of its alignment, and were zero, which is
        // a value; since then they have only been written as one. They live as long as `self`.
        unsafe { &*self.pages.as_ptr().cast() }
    }
}

impl<T> DerefMut for PageBox<T> {
    #[inline(always)]
    #[allow(unsafe_code)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { &mut *self.pages.as_mut_ptr().cast() }
    }
}

impl<T> fmt::Debug for PageBox<T> {
    /// Tells how large the value is, not what it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageBox")
            .field("bytes", &size_of::<T>())
            .finish_non_exhaustive()
    }
}

// Asking the processor for memory before it is needed.

/// Asks for the cache line of `place`, which will be looked at soon. It is a hint: nothing is read, and processors other
/// than x86-64 are not asked, as there is no stable way to.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: every x86-64 processor has the instruction, and it reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_can_be_written() {
        for len in [0, 1, 5000, 3 << 20] {
            let mut pages = Pages::zeros(len).unwrap();
            assert_eq!(pages.len(), len.max(1));
            assert_eq!(pages.as_ptr().align_offset(4096), 0);
            assert!(pages.iter().all(|&byte| byte == 0));
            let last = pages.len() - 1;
            pages[last] = 7;
            assert_eq!(pages[last], 7);
        }
        assert!(Pages::zeros(usize::MAX / 2).is_err());
    }

    #[test]
    fn values_are_zero_and_can_be_written() {
        #[derive(Zeroable)]
        #[repr(C)]
        struct Tables {
            small: [i16; 7],
            large: [u64; 1 << 15],
        }
        let mut tables = PageBox::<Tables>::zeroed().unwrap();
        assert_eq!(tables.small, [0; 7]);
        assert!(tables.large.iter().all(|&word| word == 0));
        tables.small[6] = -3;
        tables.large[(1 << 15) - 1] = 9;
        assert_eq!((tables.small[6], tables.small[5]), (-3, 0));
        assert_eq!(tables.large.iter().sum::<u64>(), 9);
    }
}
