//! Taking memory from the system before it is used.

use memmap2::MmapRaw;

/// A thread that takes the memory of pages. It ends early when this is dropped.
#[derive(Debug)]
pub(super) struct Population {
    #[cfg(all(target_os = "linux", not(miri)))]
    thread: linux::Thread,
}

impl Population {
    /// Takes the memory of the first `now` bytes of `pages` at once, and begins with the others on a thread. `None`
    /// when nothing is left to do, or the system does not know how.
    ///
    /// The pages must not be given back before the population has ended, which `Population` as a field before
    /// theirs sees to.
    pub(super) fn start(pages: &MmapRaw, now: usize) -> Option<Self> {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            linux::Thread::start(pages, now).map(|thread| Self { thread })
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        {
            let _ = (pages, now);
            None
        }
    }

    /// Waits until all memory is taken.
    pub(super) fn finish(self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        self.thread.finish();
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use std::ops::Range;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread::{self, JoinHandle};

    use memmap2::{Advice, MmapRaw};

    /// Bytes that are taken in one call: a large page of most processors. While they are, the system hands no other
    /// memory to this process, so it must not be long.
    const STEP: usize = 2 << 20;

    #[derive(Debug)]
    pub(super) struct Thread {
        stop: Arc<AtomicBool>,
        handle: Option<JoinHandle<()>>,
    }

    impl Thread {
        pub(super) fn start(pages: &MmapRaw, now: usize) -> Option<Self> {
            if now > 0 {
                pages.advise_range(Advice::PopulateWrite, 0, now).ok()?;
            }
            let begin = pages.as_ptr().addr();
            let rest = (begin + now)
                .next_multiple_of(STEP)
                .min(begin + pages.len())..begin + pages.len();
            // What lies before the first whole step.
            let _ = pages.advise_range(Advice::PopulateWrite, now, rest.start - begin - now);
            if rest.is_empty() {
                return None;
            }
            let stop = Arc::new(AtomicBool::new(false));
            let handle = thread::Builder::new().name("populate".to_owned()).spawn({
                let stop = Arc::clone(&stop);
                move || populate(rest, &stop)
            });
            // Without a thread pages come when they are used.
            let handle = Some(handle.ok()?);
            Some(Self { stop, handle })
        }

        pub(super) fn finish(mut self) {
            if let Some(handle) = self.handle.take() {
                handle.join().ok();
            }
        }
    }

    impl Drop for Thread {
        fn drop(&mut self) {
            self.stop.store(true, Relaxed);
            if let Some(handle) = self.handle.take() {
                handle.join().ok();
            }
        }
    }

    /// Takes the memory at these addresses, the last first, until `stop`.
    fn populate(mut addresses: Range<usize>, stop: &AtomicBool) {
        lower_priority();
        while !addresses.is_empty() && !stop.load(Relaxed) {
            let len = STEP.min(addresses.len());
            addresses.end -= len;
            if !populate_step(addresses.end, len) {
                return;
            }
        }
    }

    #[allow(unsafe_code)]
    fn populate_step(address: usize, len: usize) -> bool {
        let start = std::ptr::without_provenance_mut(address);
        // SAFETY: the advice changes no byte, so nobody who uses the memory at the same time can see it. The
        // addresses are those of the pages, which outlive this thread (it is joined before they are given back).
        unsafe { libc::madvise(start, len, libc::MADV_POPULATE_WRITE) == 0 }
    }

    /// Threads that search come first: whatever they need sooner they take themselves.
    #[allow(unsafe_code)]
    fn lower_priority() {
        const NICE: libc::c_int = 19;
        // SAFETY: reads nothing from memory. On Linux 0 is the calling thread alone. A wish.
        unsafe {
            libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
        }
    }
}
