//! The state that a search leaves for the next one, and the solver of short mates that it asks.

use std::fmt::Debug;

use yane_base::memory::PageBox;

use crate::history::Histories;
use crate::long_mate::LongMateSolver;
use crate::mate_probe::leaf_solver;
use crate::mate_probe::{MakeMateProbe, MateProbe};
use crate::time_manager::TimeMemory;
use crate::tt::TranspositionTable;
use crate::{Params, SearchUnit, ThreadPlacement};

/// The state that a search leaves for the next one: the transposition table and the histories. Also holds the
/// search parameters and where threads run.
#[derive(Debug)]
pub struct SharedState {
    pub(crate) tt: TranspositionTable,
    /// State of each thread, at least one.
    pub(crate) threads: Vec<ThreadState>,
    pub(crate) time_manager: TimeMemory,
    make_mate_probe: Option<MakeMateProbe>,
    /// Search parameters; the defaults unless a tuner changes them.
    pub params: Params,
    /// The unit in which the search counts. A change wants [`clear`](Self::clear).
    pub unit: SearchUnit,
    /// The processors on which the threads of searches run; anywhere unless set. The thread that calls
    /// [`search`](crate::search) is bound as well, and stays so.
    pub placement: ThreadPlacement,
}

/// The state that one thread leaves for the next search.
#[derive(Debug)]
pub(crate) struct ThreadState {
    pub(crate) histories: PageBox<Histories>,
    pub(crate) mate_probe: Option<Box<dyn MateProbe>>,
    /// Made when it is first needed, by the first thread alone.
    pub(crate) long_mates: Option<Box<LongMateSolver>>,
}

impl ThreadState {
    fn new(make_mate_probe: Option<MakeMateProbe>, params: &Params) -> Self {
        Self {
            histories: Histories::new(params),
            mate_probe: make_mate_probe.map(|make| make()),
            long_mates: None,
        }
    }
}

impl SharedState {
    /// An empty state whose transposition table takes `hash_mib` mebibytes (at least 1; less where
    /// the system has no more). The histories take about 20 more for each thread.
    pub fn new(hash_mib: usize) -> Self {
        Self {
            tt: TranspositionTable::new(hash_mib),
            threads: vec![ThreadState::new(Some(leaf_solver), &Params::default())],
            time_manager: TimeMemory::default(),
            make_mate_probe: Some(leaf_solver),
            params: Params::default(),
            unit: SearchUnit::default(),
            placement: ThreadPlacement::anywhere(),
        }
    }

    /// Forgets everything but the parameters.
    pub fn clear(&mut self) {
        self.tt.clear(self.threads.len());
        for thread in &mut self.threads {
            thread.histories.clear(&self.params);
        }
        self.time_manager = TimeMemory::default();
    }

    /// Looks for short mates with what `make` makes for each thread, or for no mates at all, long ones included.
    pub fn set_mate_probe(&mut self, make: Option<MakeMateProbe>) {
        self.make_mate_probe = make;
        for thread in &mut self.threads {
            thread.mate_probe = make.map(|make| make());
        }
    }

    /// Changes the size of the transposition table, which forgets everything. Nothing happens when
    /// the size is the same.
    pub fn resize(&mut self, hash_mib: usize) {
        if self.tt.mib() != hash_mib.max(1) {
            // The old one goes first: there may not be room for both.
            self.tt = TranspositionTable::new(1);
            self.tt = TranspositionTable::new(hash_mib);
        }
    }

    /// A new game begins: what the last one taught is forgotten, so that games can be repeated.
    pub fn new_game(&mut self) {
        self.clear();
    }

    /// Takes the memory that a search with so many threads needs, so that the first one need not: that of a large
    /// transposition table in the background.
    pub fn reserve(&mut self, threads: usize) {
        self.tt.populate();
        self.make_threads(threads);
    }

    fn make_threads(&mut self, threads: usize) {
        let make = self.make_mate_probe;
        self.threads
            .resize_with(threads.max(1), || ThreadState::new(make, &self.params));
    }

    /// Size of the transposition table in mebibytes.
    pub fn hash_mib(&self) -> usize {
        self.tt.mib()
    }

    /// A search with so many threads begins.
    pub(crate) fn begin(&mut self, threads: usize) {
        self.tt.new_search();
        self.make_threads(threads);
        for thread in &mut self.threads {
            thread.histories.new_search();
        }
    }
}
