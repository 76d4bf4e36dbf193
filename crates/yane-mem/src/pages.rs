//! Large arrays of bytes on pages of their own.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

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
}
