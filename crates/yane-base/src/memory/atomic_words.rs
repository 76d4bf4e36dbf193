//! A large table of numbers that many threads read and write at once.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

use super::maps::{MmapMut, MmapRaw};

/// Bytes below which another thread is not worth starting.
const SHARE: usize = 64 << 20;
/// From so many bytes on, fresh memory is had sooner than zeros are written.
const RENEWED: usize = 512 << 20;

/// An array of atomic numbers, zero at first, on pages of its own.
///
/// It begins on a page, and takes memory only where it has been written. On Linux it asks for large
/// pages, which makes looking here and there faster.
pub struct AtomicWords {
    /// Before the pages, so that it has ended when they are given back.
    population: Option<Population>,
    /// At least one page; exactly eight bytes for each number.
    pages: MmapRaw,
}

impl AtomicWords {
    /// `len` zeros; at least one.
    ///
    /// # Errors
    /// When the system has no such space.
    pub fn zeros(len: usize) -> std::io::Result<Self> {
        let bytes = len
            .max(1)
            .checked_mul(size_of::<AtomicU64>())
            .ok_or(std::io::ErrorKind::OutOfMemory)?;
        Ok(Self {
            population: None,
            pages: zeroed_pages(bytes)?,
        })
    }

    /// Takes the memory of all numbers before they are used, so that whoever writes one first need not wait for a
    /// page: of the first `now` numbers at once, of the others on a thread that goes on after the call, at a low
    /// priority, the last first. A wish: Linux can do it since version 5.14. The numbers stay as they are.
    pub fn populate(&mut self, now: usize) {
        self.population = None;
        let now = now.saturating_mul(size_of::<AtomicU64>());
        self.population = Population::start(&self.pages, now.min(self.pages.len()));
    }

    /// Waits until [`Self::populate`] has taken all memory.
    pub fn wait_until_populated(&mut self) {
        if let Some(population) = self.population.take() {
            population.finish();
        }
    }

    /// The number of bytes that each of at most so many threads works on.
    fn share(&self, threads: usize) -> usize {
        let bytes = self.pages.len();
        bytes.div_ceil(threads.min(bytes / SHARE).max(1))
    }

    /// Sets all numbers to zero: those of a large table by fresh memory from the system, which may have to be
    /// [populated](Self::populate) again, others on up to `threads` threads. Returns whether the memory is fresh.
    pub fn clear(&mut self, threads: usize) -> bool {
        let is_renewed = self.pages.len() >= RENEWED && self.renew();
        if !is_renewed {
            self.write_zeros(threads);
        }
        is_renewed
    }

    /// Replaces the pages by fresh ones, if the system has so many.
    fn renew(&mut self) -> bool {
        self.population = None;
        let fresh = zeroed_pages(self.pages.len());
        fresh.map(|fresh| self.pages = fresh).is_ok()
    }

    fn write_zeros(&mut self, threads: usize) {
        let share = self.share(threads).div_ceil(size_of::<AtomicU64>());
        let words = self.words_mut();
        let zero = |part: &mut [AtomicU64]| part.fill_with(AtomicU64::default);
        let mut parts = words.chunks_mut(share);
        let own = parts.next();
        std::thread::scope(|scope| {
            for part in parts {
                scope.spawn(move || zero(part));
            }
            if let Some(own) = own {
                zero(own);
            }
        });
    }

    #[allow(unsafe_code)]
    fn words_mut(&mut self) -> &mut [AtomicU64] {
        let len = self.pages.len() / size_of::<AtomicU64>();
        // SAFETY: as in `deref`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.pages.as_mut_ptr().cast(), len) }
    }
}

impl Deref for AtomicWords {
    type Target = [AtomicU64];

    #[inline(always)]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        let len = self.pages.len() / size_of::<AtomicU64>();
        // SAFETY: the mapping is as long as that, begins on a page and so is aligned, and lives as long
        // as `self`. Any bytes are a number. It is private to this process; while it is borrowed here,
        // nothing reaches it but atomic accesses (`words_mut` borrows it exclusively). The pointer is one
        // that may be written through.
        unsafe { std::slice::from_raw_parts(self.pages.as_mut_ptr().cast(), len) }
    }
}

/// Pages of so many zeros, large ones if the system has them.
fn zeroed_pages(bytes: usize) -> std::io::Result<MmapRaw> {
    let pages = MmapMut::map_anon(bytes)?;
    // A wish: ordinary pages do as well, only slower.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Ok(pages.into())
}

impl fmt::Debug for AtomicWords {
    /// Tells how many numbers there are: they may be billions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWords")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

// Populating the memory in the background, before it is used.

/// A thread that takes the memory of pages. It ends early when this is dropped.
#[derive(Debug)]
struct Population {
    #[cfg(all(target_os = "linux", not(miri)))]
    thread: linux::Thread,
}

impl Population {
    /// Takes the memory of the first `now` bytes of `pages` at once, and begins with the others on a thread. `None`
    /// when nothing is left to do, or the system does not know how.
    ///
    /// The pages must not be given back before the population has ended, which `Population` as a field before
    /// theirs sees to.
    fn start(pages: &MmapRaw, now: usize) -> Option<Self> {
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
    fn finish(self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        self.thread.finish();
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use std::ops::Range;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;
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
            // Bytes before the first whole step.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn threads_write_and_all_is_cleared() {
        // Miri takes minutes for so many.
        let len = if cfg!(miri) { 1000 } else { 3 * SHARE / 8 + 5 };
        let mut words = AtomicWords::zeros(len).unwrap();
        assert_eq!(words.len(), len);
        assert_eq!(words.as_ptr().align_offset(64), 0);
        let places = [0, 1, len / 3, len - 1];
        std::thread::scope(|scope| {
            for place in places {
                let words = &words;
                scope.spawn(move || words[place].fetch_add(7, Relaxed));
            }
        });
        assert!(places.iter().all(|&place| words[place].load(Relaxed) == 7));
        words.populate(len / 2);
        assert!(places.iter().all(|&place| words[place].load(Relaxed) == 7));
        words.wait_until_populated();
        assert!(places.iter().all(|&place| words[place].load(Relaxed) == 7));
        assert!(!words.clear(4));
        assert!(places.iter().all(|&place| words[place].load(Relaxed) == 0));
    }

    #[test]
    #[cfg_attr(miri, ignore = "is too large")]
    fn large_tables_are_cleared_by_fresh_memory() {
        let len = RENEWED / 8;
        let mut words = AtomicWords::zeros(len).unwrap();
        words.populate(0);
        let places = [0, len / 2, len - 1];
        for place in places {
            words[place].store(7, Relaxed);
        }
        // The thread that populates it has just begun.
        assert!(words.clear(1));
        assert!(places.iter().all(|&place| words[place].load(Relaxed) == 0));
        assert_eq!(words.len(), len);
    }

    #[cfg(target_os = "linux")]
    #[test]
    #[cfg_attr(miri, ignore = "has no pages")]
    fn memory_is_taken_before_it_is_used() {
        // Number of page faults of this thread.
        let faults = || -> u64 {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let (_, after_name) = stat.rsplit_once(')').unwrap();
            after_name
                .split_ascii_whitespace()
                .nth(7)
                .unwrap()
                .parse()
                .unwrap()
        };
        let faults_of_use = |words: &AtomicWords| {
            let before = faults();
            words
                .iter()
                .step_by(512)
                .for_each(|word| word.store(1, Relaxed));
            faults() - before
        };
        let len = (3 * SHARE + (1 << 20)) / 8;
        let without = faults_of_use(&AtomicWords::zeros(len).unwrap());
        assert!(without > 90, "{without}");
        for now in [0, len / 3, len] {
            let mut words = AtomicWords::zeros(len).unwrap();
            words.populate(now);
            words.wait_until_populated();
            let with = faults_of_use(&words);
            // Linux before 5.14 does not know the wish.
            assert!(with < 20 || with >= without, "{with} of {without}");
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(AtomicWords::zeros(usize::MAX / 4).is_err());
        assert_eq!(AtomicWords::zeros(0).unwrap().len(), 1);
    }
}
