//! One search by several threads.
//!
//! All search the same root and share the tables, so that each profits from what the others find out. Positions
//! that one is searching look a little worse to the others, which spreads them over the tree.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::num::NO_REPETITION;
use crate::search::{Outcome, Poll, Searcher, View};

/// Moves made between two looks at the flag.
const INTERVAL: u64 = 512;

/// What the threads tell each other.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// A helper has decided the root.
    pub(crate) decided: AtomicBool,
    /// The helpers have to end.
    done: AtomicBool,
    /// Moves made by helpers.
    pub(crate) nodes: AtomicU64,
}

/// A helper's way to hear that it has to end.
struct HelperPoll<'a> {
    signals: &'a Signals,
    counted: Cell<u64>,
}

impl HelperPoll<'_> {
    fn count(&self, nodes: u64) {
        let new = nodes - self.counted.replace(nodes);
        self.signals.nodes.fetch_add(new, Ordering::Relaxed);
    }
}

impl Poll for HelperPoll<'_> {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
        self.count(view.nodes);
        let done = self.signals.done.load(Ordering::Relaxed);
        (!done).then_some(view.nodes + INTERVAL)
    }
}

/// [`Searcher::search`] with helpers.
pub(crate) fn search(
    main: &mut Searcher,
    helpers: &mut [Searcher],
    budget: u16,
    control: &impl Poll,
    signals: &Signals,
) -> Outcome {
    if helpers.is_empty() {
        return main.search(budget, control);
    }
    signals.done.store(false, Ordering::Relaxed);
    let outcome = thread::scope(|scope| {
        for helper in helpers {
            helper.follow(main);
            scope.spawn(|| help(helper, budget, signals));
        }
        let outcome = main.search(budget, control);
        signals.done.store(true, Ordering::Relaxed);
        outcome
    });
    if signals.decided.swap(false, Ordering::Relaxed) && !outcome.is_final() {
        // What the helper found is in the table.
        main.resume();
        return main.search(budget, control);
    }
    outcome
}

fn help(helper: &mut Searcher, budget: u16, signals: &Signals) {
    let poll = HelperPoll {
        signals,
        counted: Cell::new(0),
    };
    let outcome = helper.search(budget, &poll);
    poll.count(helper.nodes());
    if outcome.is_final() && outcome.repetition == NO_REPETITION {
        signals.decided.store(true, Ordering::Relaxed);
    }
}
