//! A tab: its requests that are not finished, and the events that wait for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use page_messages::{
    DoneReason, EventQueue, EventSink, PageFailure, QueueFull, StopFlag, Urgency, done_event,
    event_text,
};
use serde_json::Value;
use tokio::sync::Notify;

/// Bytes of a message at most, in both directions.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// Requests of a tab that may run or wait at a time.
const MOST_REQUESTS: usize = 1_000;

/// Why a request is to end before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The page stopped it.
    Stopped,
    /// Another request replaces it.
    Replaced,
    /// Its tab is hidden: it is run again when the tab is seen.
    Paused,
}

/// What became of a request that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It ended.
    Ended,
    /// It is to be run again when its tab is seen.
    Paused,
}

#[derive(Debug)]
struct Live {
    stop: StopFlag,
    ending: Option<Ending>,
}

/// A tab that is connected.
#[derive(Debug)]
pub(crate) struct Tab {
    /// Its number.
    pub(crate) id: u64,
    queue: Mutex<EventQueue>,
    /// Wakes the writer of the socket.
    pub(crate) wake: Notify,
    is_closed: AtomicBool,
    is_visible: AtomicBool,
    live: Mutex<HashMap<u64, Live>>,
}

impl Tab {
    pub(crate) fn new(id: u64) -> Self {
        Self {
            id,
            queue: Mutex::default(),
            wake: Notify::new(),
            is_closed: AtomicBool::new(false),
            is_visible: AtomicBool::new(true),
            live: Mutex::default(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, EventQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> MutexGuard<'_, HashMap<u64, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(crate) fn is_visible(&self) -> bool {
        self.is_visible.load(Ordering::Relaxed)
    }

    pub(crate) fn set_visible(&self, is_visible: bool) {
        self.is_visible.store(is_visible, Ordering::Relaxed);
    }

    /// Requests that are not finished.
    pub(crate) fn requests(&self) -> usize {
        self.live().len()
    }

    /// Sends a message.
    pub(crate) fn send(&self, id: Option<u64>, text: String) {
        self.added(self.queue().push(id, text));
    }

    fn added(&self, added: Result<(), QueueFull>) {
        if added.is_err() {
            // Nobody reads them.
            self.is_closed.store(true, Ordering::Relaxed);
        }
        self.wake.notify_one();
    }

    /// The urgency of what waits, and whether states are among it.
    pub(crate) fn waiting(&self) -> (Option<Urgency>, bool) {
        let queue = self.queue();
        (queue.urgency(), queue.has_states())
    }

    pub(crate) fn take(&self) -> Vec<String> {
        self.queue().take()
    }

    pub(crate) fn take_urgent(&self) -> Vec<String> {
        self.queue().take_urgent()
    }

    /// Notes a new request.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub(crate) fn begin(&self, id: u64) -> Result<(), PageFailure> {
        let mut live = self.live();
        if live.contains_key(&id) {
            return Err(PageFailure::new(format!(
                "id {id} is of a request that runs"
            )));
        }
        if live.len() >= MOST_REQUESTS {
            let text = format!("{MOST_REQUESTS} requests of this tab are not finished");
            return Err(PageFailure::new(text));
        }
        let stop = StopFlag::default();
        live.insert(id, Live { stop, ending: None });
        Ok(())
    }

    /// The stop flag of a request; `None` if it ended.
    pub(crate) fn stop_flag(&self, id: u64) -> Option<StopFlag> {
        self.live().get(&id).map(|live| live.stop.clone())
    }

    /// Asks a request to end; returns whether there is one of this id.
    pub(crate) fn end(&self, id: u64, ending: Ending) -> bool {
        let mut live = self.live();
        let Some(live) = live.get_mut(&id) else {
            return false;
        };
        live.stop.stop();
        // Whoever stopped it first says why; a pause is no end.
        if matches!(live.ending, None | Some(Ending::Paused)) {
            live.ending = Some(ending);
        }
        true
    }

    /// Takes the result of a request that was answered: ends it, or makes it ready to be run again if it was paused.
    pub(crate) fn settle(&self, id: u64, result: Result<(), PageFailure>) -> Settled {
        if let Some(live) = self.live().get_mut(&id)
            && live.ending == Some(Ending::Paused)
        {
            *live = Live {
                stop: StopFlag::default(),
                ending: None,
            };
            return Settled::Paused;
        }
        self.finish(id, result);
        Settled::Ended
    }

    /// Ends a request: its last message.
    pub(crate) fn finish(&self, id: u64, result: Result<(), PageFailure>) {
        let Some(live) = self.live().remove(&id) else {
            return;
        };
        let reason = match (result, live.ending) {
            (_, Some(Ending::Replaced)) => DoneReason::Replaced,
            (_, Some(Ending::Stopped | Ending::Paused)) => DoneReason::Stopped,
            (Ok(()), None) => DoneReason::Finished,
            (Err(failure), None) => DoneReason::Failed(failure),
        };
        self.send(Some(id), done_event(id, &reason));
    }

    /// Ends everything: the socket is gone.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        for live in self.live().values_mut() {
            live.ending = Some(Ending::Stopped);
            live.stop.stop();
        }
        self.wake.notify_one();
    }
}

/// The events of one request.
pub(crate) struct TabSink<'a> {
    pub(crate) tab: &'a Tab,
    pub(crate) id: u64,
    /// Tells all tabs something.
    pub(crate) all: &'a dyn Fn(&str, Value),
    /// The size of an event that was too long to be sent.
    pub(crate) too_long: std::cell::Cell<Option<usize>>,
}

impl TabSink<'_> {
    /// The text of an event; `None` if nobody is there to read it.
    fn text(&self, name: &str, fields: Value) -> Option<String> {
        if self.tab.is_closed() {
            return None;
        }
        let text = event_text(self.id, name, fields);
        if text.len() > MOST_BYTES {
            self.too_long.set(Some(text.len()));
            return None;
        }
        Some(text)
    }
}

impl EventSink for TabSink<'_> {
    fn event(&self, name: &str, fields: Value) {
        if let Some(text) = self.text(name, fields) {
            self.tab.send(Some(self.id), text);
        }
    }

    fn state(&self, name: &str, key: u64, fields: Value) {
        if let Some(text) = self.text(name, fields) {
            let added = self.tab.queue().push_state(self.id, name, key, text);
            self.tab.added(added);
        }
    }

    fn broadcast(&self, name: &str, fields: Value) {
        (self.all)(name, fields);
    }
}
