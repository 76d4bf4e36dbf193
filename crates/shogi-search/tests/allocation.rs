//! The nodes of a search allocate nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use shogi_core::{Game, Position};
use shogi_eval::PositionalEvaluator;
use shogi_search::bench::BENCH_POSITIONS;
use shogi_search::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};

/// The system's allocator, counting.
struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Silent;

impl Observer for Silent {
    fn info(&mut self, _: &SearchInfo) {}
}

/// Allocations of a search of so many nodes.
fn allocations(game: &Game, nodes: u64, shared: &mut SharedState) -> u64 {
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let before = COUNT.load(Relaxed);
    let found = search(
        game,
        &limits,
        &SearchOptions::default(),
        &mut PositionalEvaluator::new(),
        shared,
        &Control::new(),
        &mut Silent,
    );
    assert_eq!(found.unwrap().nodes, nodes);
    COUNT.load(Relaxed) - before
}

/// One test alone in its program, as the allocator counts for all threads.
#[test]
fn allocations_do_not_grow_with_nodes() {
    let mut shared = SharedState::new(4);
    for sfen in BENCH_POSITIONS.iter().step_by(3) {
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let few = allocations(&game, 1_000, &mut shared);
        let many = allocations(&game, 101_000, &mut shared);
        // Iterations copy their lines; there are a few dozen of them.
        assert!(many < few + 500, "{few} {many} {sfen}");
    }
}
