//! The cost of a solve before it searches does not grow with the table.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use shogi_core::Position;
use shogi_mate::{Answer, MateLimits, SilentMateObserver, Solver, SolverOptions};

/// The system's allocator, counting bytes.
struct Counting;

static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // These bytes are not counted: whether they are written shows in the count of pages.
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        BYTES.fetch_add(size as u64, Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Pages of memory that this process has touched first, where the system tells it.
fn touched_pages() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let faults = after_name.split_ascii_whitespace().nth(7);
    faults.and_then(|faults| faults.parse().ok()).unwrap_or(0)
}

fn solve_mate_in_one(solver: &mut Solver) {
    let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").expect("a position");
    let stop = AtomicBool::new(false);
    let solution = solver.solve(
        &position,
        &MateLimits::default(),
        &stop,
        &mut SilentMateObserver,
    );
    assert!(matches!(solution.answer, Answer::Mate(line) if line.moves.len() == 1));
}

/// Bytes allocated and pages touched first by `work`.
fn cost(work: impl FnOnce()) -> (u64, u64) {
    // Memory for reading the number of pages.
    touched_pages();
    let before = (BYTES.load(Relaxed), touched_pages());
    work();
    let bytes = BYTES.load(Relaxed) - before.0;
    (bytes, touched_pages() - before.1)
}

/// One test alone in its program, as the allocator and the system count for all threads.
#[test]
fn a_solve_has_no_fixed_cost() {
    for threads in [1, 2] {
        let mut solver = None;
        let (bytes, pages) = cost(|| {
            let mut fresh = Solver::new(SolverOptions {
                hash_bytes: 1 << 30,
                threads,
                ..SolverOptions::default()
            });
            solve_mate_in_one(&mut fresh);
            solver = Some(fresh);
        });
        // The table has 262,144 pages of 4 KiB.
        assert!(
            bytes < 256 << 10 && pages < 1000,
            "{bytes} bytes, {pages} pages"
        );
        let mut solver = solver.expect("it was made");
        let (bytes, pages) = cost(|| (0..10).for_each(|_| solve_mate_in_one(&mut solver)));
        assert!(
            bytes < 160 << 10 && pages < 200,
            "{bytes} bytes, {pages} pages"
        );
    }
}
