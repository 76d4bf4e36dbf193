//! Runs over the items of a collection: results when they are ready, and again in order.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use farm::{
    Event, FarmError, InOrder, Recorder, RetryPolicy, RunControl, RunKind, SharedBacklog, Stop,
    WorkError, threads,
};

/// An event of a run, on the thread that called it.
#[derive(Debug)]
pub enum CollectionEvent<'a, R> {
    /// A result is ready, in whatever order.
    Ready(&'a R),
    /// The next result in the order of the collection.
    Next(R),
    /// A solver failed, and is made anew: a sentence for people.
    Note(&'a str),
}

/// Runs over collections, which report nothing but their results.
#[derive(Debug)]
struct CollectionRun;

impl RunKind for CollectionRun {
    type Report<'a> = ();
    type Totals = ();
}

/// Passes results on, and keeps them until it is their turn to be passed on in order.
struct CollectionRecorder<R, E, F> {
    early: BTreeMap<usize, R>,
    /// The number of the next result in order.
    wanted: usize,
    on_event: F,
    /// That of the last failure.
    reason: String,
    kind: PhantomData<fn() -> E>,
}

impl<R, E, F> Recorder for CollectionRecorder<R, E, F>
where
    E: From<FarmError>,
    F: FnMut(CollectionEvent<'_, R>) -> Result<(), E>,
{
    type Kind = CollectionRun;
    type Item = usize;
    type Output = R;
    type Error = E;

    fn record(&mut self, _: Option<usize>, &number: &usize, result: R) -> Result<(), E> {
        (self.on_event)(CollectionEvent::Ready(&result))?;
        self.early.insert(number, result);
        while let Some(result) = self.early.remove(&self.wanted) {
            self.wanted += 1;
            (self.on_event)(CollectionEvent::Next(result))?;
        }
        Ok(())
    }

    fn give_up(&mut self, _: &usize) -> Result<(), E> {
        Err(FarmError::GivenUp(std::mem::take(&mut self.reason)).into())
    }

    fn on_event(&mut self, event: &Event<'_, CollectionRun>) {
        if let Event::WorkerFailed { reason, .. } = event {
            (*reason).clone_into(&mut self.reason);
        }
        if let Some(text) = event.message() {
            // Whoever cannot be told now fails at the next result.
            (self.on_event)(CollectionEvent::Note(&text)).ok();
        }
    }
}

/// Works on `items` with `jobs` threads, each with a state of its own, and reports every result twice. `work` gets a flag that has it end
/// early. Ends when `control` does, or `on_event` fails; returns whether all items were done.
///
/// # Errors
/// Those of `on_event`; work that panics at the same item again and again.
pub(crate) fn ordered_map<T: Sync, S, R: Send, E: From<FarmError>>(
    items: &[T],
    jobs: usize,
    control: &RunControl,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T, &AtomicBool) -> R + Send + Sync,
    on_event: impl FnMut(CollectionEvent<'_, R>) -> Result<(), E>,
) -> Result<bool, E> {
    let do_item = |state: &mut S, &number: &usize, stop: &Stop| {
        let result = work(state, &items[number], stop.flag());
        // A result that was cut short does not count.
        stop.check()?;
        Ok::<_, WorkError>(result.into())
    };
    let count = jobs.clamp(1, items.len().max(1));
    let workers = threads(count, |_| state(), do_item).named("solver");
    let source = SharedBacklog::new(InOrder::new(0..items.len()));
    let mut recorder = CollectionRecorder {
        early: BTreeMap::new(),
        wanted: 0,
        on_event,
        reason: String::new(),
        kind: PhantomData,
    };
    // An error of a run is not the end of what the caller does besides.
    let control = control.child();
    let policy = RetryPolicy::default();
    farm::run(&workers, &source, &control, policy, &mut recorder)?;
    Ok(recorder.wanted == items.len())
}

#[cfg(test)]
mod tests {
    use test_support::Faults;

    use super::*;

    /// The reason why a run of these tests ended.
    #[derive(Debug, PartialEq, Eq)]
    enum TestEnd {
        AtResult(u32),
        Run(String),
    }

    impl From<FarmError> for TestEnd {
        fn from(error: FarmError) -> Self {
            Self::Run(error.to_string())
        }
    }

    /// A run: whether all was done, the number of results that were ready, those in order, and the notes.
    type TestRun = (Result<bool, TestEnd>, usize, Vec<u32>, String);

    /// Doubles the numbers below 500, up to a result of `limit`; number 70 panics so often.
    fn double(limit: u32, panics: u32, control: &RunControl) -> TestRun {
        let items: Vec<u32> = (0..500).collect();
        let faults = Faults::new(panics);
        let (mut ready, mut seen, mut notes) = (0, Vec::new(), String::new());
        let work = |(): &mut (), &item: &u32, _: &AtomicBool| {
            assert!(item != 70 || !faults.come(), "a fault of the solver");
            item * 2
        };
        let on_event = |event: CollectionEvent<'_, u32>| {
            match event {
                CollectionEvent::Ready(_) => ready += 1,
                CollectionEvent::Next(result) => {
                    seen.push(result);
                    if result >= limit {
                        return Err(TestEnd::AtResult(result));
                    }
                }
                CollectionEvent::Note(text) => notes += text,
            }
            Ok(())
        };
        let done = ordered_map(&items, 4, control, || (), work, on_event);
        (done, ready, seen, notes)
    }

    #[test]
    fn results_come_in_order_and_errors_end_the_work() {
        let control = RunControl::default();
        let (done, ready, seen, notes) = double(u32::MAX, 0, &control);
        assert_eq!((done, ready, notes.as_str()), (Ok(true), 500, ""));
        assert!(seen.iter().copied().eq((0..500).map(|item| item * 2)));
        let (done, _, seen, _) = double(100, 0, &control);
        assert_eq!((done, seen.len()), (Err(TestEnd::AtResult(100)), 51));
        control.quit();
        let (done, ready, ..) = double(u32::MAX, 0, &control);
        assert_eq!((done, ready), (Ok(false), 0));
    }

    #[test]
    fn a_panic_is_told_and_the_problem_solved_again_and_ends_the_run_at_the_third_time() {
        let control = RunControl::default();
        let (done, ready, seen, notes) = double(u32::MAX, 2, &control);
        assert_eq!((done, ready), (Ok(true), 500));
        assert!(seen.iter().copied().eq((0..500).map(|item| item * 2)));
        assert!(notes.contains("panicked: a fault of the solver"), "{notes}");
        let (done, ready, seen, _) = double(u32::MAX, 3, &control);
        let Err(TestEnd::Run(text)) = done else {
            panic!("{done:?}");
        };
        assert!(text.contains("panicked: a fault of the solver"), "{text}");
        // What was ready was reported.
        assert!(ready >= seen.len());
        assert!(seen.iter().copied().eq((0..70).map(|item| item * 2)));
        assert!(!control.is_quitting());
    }
}
