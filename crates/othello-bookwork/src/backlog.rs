//! Where a run and those who search meet. The run puts a list of positions there and waits; workers take searches, and their
//! answers make the tasks of the list go on.
//!
//! Workers live as long as the run and not only as long as a list: programs on other machines are not started anew for each.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use farm::{Backlog, Event, Next, Recorder, RunKind, Source};
use yane_io::Progress;

use crate::error::{BookGrowthError, Result};
use crate::item::{FoundAnswer, SearchItem};
use crate::list::ListWork;

/// The interval of looks at budgets, and of workers without an item at the end of the run.
const TICK: Duration = Duration::from_millis(100);

/// The list that is worked on, if there is one.
pub(crate) struct SearchBacklog<'t> {
    state: Mutex<BacklogState<'t>>,
    /// There may be an item, a list, or this is the end.
    has_work: Condvar,
    /// The list may have ended.
    has_ended: Condvar,
}

struct BacklogState<'t> {
    list: Option<ListWork<'t>>,
    /// An error of the list, with which it ends.
    error: Option<BookGrowthError>,
    /// Items of the list that workers have.
    in_progress: usize,
    /// Workers that wait for an item.
    waiting: usize,
    /// True if no list will come any more, or nobody is left to search.
    is_closed: bool,
}

impl BacklogState<'_> {
    /// The next item of the list, if there is one now.
    fn take(&mut self) -> Option<SearchItem> {
        if self.is_closed || self.error.is_some() {
            return None;
        }
        match self.list.as_mut()?.next() {
            Ok(Next::Item(item)) => {
                self.in_progress += 1;
                Some(item)
            }
            Ok(Next::Later | Next::End) => None,
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// True if no more items of the list will be handed out.
    fn has_ended(&self) -> bool {
        self.error.is_some() || self.list.as_ref().is_none_or(ListWork::has_ended)
    }

    /// True if the list can be given back.
    fn is_idle(&self) -> bool {
        self.is_closed || (self.in_progress == 0 && self.has_ended())
    }
}

impl<'t> SearchBacklog<'t> {
    pub(crate) const fn new() -> Self {
        Self {
            state: Mutex::new(BacklogState {
                list: None,
                error: None,
                in_progress: 0,
                waiting: 0,
                is_closed: false,
            }),
            has_work: Condvar::new(),
            has_ended: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BacklogState<'t>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The run.

    /// Has a list worked on until it has ended, or nobody is left to search; returns it.
    pub(crate) fn work_on(&self, list: ListWork<'t>) -> Result<ListWork<'t>> {
        let mut state = self.lock();
        let list = state.list.insert(list);
        // What the journal answers needs nobody.
        match list.next()? {
            Next::Item(item) => list.again(item),
            Next::Later | Next::End => {}
        }
        self.has_work.notify_all();
        while !state.is_idle() {
            let waited = self.has_ended.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.in_progress = 0;
        let list = state.list.take();
        match (state.error.take(), list) {
            (Some(error), _) => Err(error),
            (None, Some(list)) => Ok(list),
            (None, None) => unreachable!("only this function takes the list away"),
        }
    }

    /// Ends the work: no list will come any more, or nobody is left to search.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.has_work.notify_all();
        self.has_ended.notify_all();
    }

    // Those who search.

    /// Waits for a list that has not ended; false when none will come.
    pub(crate) fn wait_for_list(&self, is_quitting: &dyn Fn() -> bool) -> bool {
        let mut state = self.lock();
        loop {
            if state.is_closed || is_quitting() {
                return false;
            }
            if !state.has_ended() {
                return true;
            }
            let waited = self.has_work.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes back all items that workers have.
    pub(crate) fn take_back(&self) {
        self.lock().in_progress = 0;
        self.has_ended.notify_all();
    }

    /// Uses the answer of an item. When this returns it is in the journal.
    fn answered(&self, item: &SearchItem, found: FoundAnswer) -> Result<()> {
        match &mut self.lock().list {
            Some(list) => list.answered(item, found),
            // It ended before the answer came.
            None => Ok(()),
        }
    }

    /// An item is with its worker no more; `returned` is handed out again.
    fn leave(&self, returned: Option<SearchItem>) {
        let mut state = self.lock();
        state.in_progress = state.in_progress.saturating_sub(1);
        if let (Some(item), Some(list)) = (returned, &mut state.list) {
            list.again(item);
        }
        self.wake(&state);
    }

    /// Wakes those who have something to do now.
    fn wake(&self, state: &BacklogState<'_>) {
        if state.is_idle() {
            self.has_ended.notify_all();
        } else if state.waiting > 0 && state.list.as_ref().is_some_and(ListWork::may_have_item) {
            self.has_work.notify_all();
        }
    }

    /// Looks at the budgets of the list. Returns false if no more items of it will be handed out.
    fn tick(&self) -> bool {
        let mut state = self.lock();
        if let Some(list) = &mut state.list {
            list.tick();
        }
        self.wake(&state);
        !state.has_ended()
    }
}

/// Workers of this machine take items as long as the run lasts.
impl Source for SearchBacklog<'_> {
    type Item = SearchItem;

    fn next(&self, is_quitting: &dyn Fn() -> bool) -> Option<SearchItem> {
        let mut state = self.lock();
        loop {
            if state.is_closed || is_quitting() {
                return None;
            }
            if let Some(item) = state.take() {
                return Some(item);
            }
            if state.is_idle() {
                self.has_ended.notify_all();
            }
            state.waiting += 1;
            let waited = self.has_work.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    fn ack(&self, _: &SearchItem) {
        self.leave(None);
    }

    fn nack(&self, item: &SearchItem) {
        self.leave(Some(*item));
    }
}

/// The items of one list, for a round of a queue.
pub(crate) struct RoundBacklog<'d, 't>(pub(crate) &'d SearchBacklog<'t>);

impl Backlog for RoundBacklog<'_, '_> {
    type Item = SearchItem;

    fn next(&mut self) -> Next<SearchItem> {
        let mut state = self.0.lock();
        match state.take() {
            Some(item) => Next::Item(item),
            None if state.has_ended() || state.is_closed => Next::End,
            None => Next::Later,
        }
    }

    fn ack(&mut self, _: &SearchItem) {
        self.0.leave(None);
    }

    fn nack(&mut self, item: &SearchItem) {
        self.0.leave(Some(*item));
    }
}

/// Closes a backlog when the work ends, also by a panic.
pub(crate) struct CloseAtEnd<'d, 't>(pub(crate) &'d SearchBacklog<'t>);

impl Drop for CloseAtEnd<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Runs of searches for a book.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BookSearches;

impl RunKind for BookSearches {
    type Report<'a> = ();
    type Totals = ();
}

/// Puts answers where the tasks find them, and tells of failures.
pub(crate) struct AnswerRecorder<'d, 't, 'p> {
    backlog: &'d SearchBacklog<'t>,
    progress: &'p dyn Progress,
    /// Called several times a second once no more items of the list will be handed out.
    on_end: Box<dyn Fn() + 'p>,
    ticked: Instant,
    /// The last failure.
    reason: String,
}

impl<'d, 't, 'p> AnswerRecorder<'d, 't, 'p> {
    pub(crate) fn new(
        backlog: &'d SearchBacklog<'t>,
        progress: &'p dyn Progress,
        on_end: Box<dyn Fn() + 'p>,
    ) -> Self {
        Self {
            backlog,
            progress,
            on_end,
            ticked: Instant::now(),
            reason: String::new(),
        }
    }
}

impl Recorder for AnswerRecorder<'_, '_, '_> {
    type Kind = BookSearches;
    type Item = SearchItem;
    type Output = FoundAnswer;
    type Error = BookGrowthError;

    fn record(&mut self, _: Option<usize>, item: &SearchItem, found: FoundAnswer) -> Result<()> {
        self.backlog.answered(item, found)
    }

    /// A book without the answer would be another one.
    fn give_up(&mut self, item: &SearchItem) -> Result<()> {
        let reason = std::mem::take(&mut self.reason);
        Err(BookGrowthError::Workers(format!("{item}: {reason}")))
    }

    fn save_if_due(&mut self) -> Result<()> {
        if self.ticked.elapsed() >= TICK {
            self.ticked = Instant::now();
            if !self.backlog.tick() {
                (self.on_end)();
            }
        }
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, BookSearches>) {
        if let Event::WorkerFailed { reason, .. } | Event::TransientError { reason } = event {
            (*reason).clone_into(&mut self.reason);
        }
        if let Some(text) = event.message() {
            self.progress.note(&text);
        }
    }
}
