//! One large value on pages of its own.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Zeroable;

use crate::Pages;

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

#[cfg(test)]
mod tests {
    use super::*;

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
