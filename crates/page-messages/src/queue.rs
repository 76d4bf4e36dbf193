//! The events of a tab that have not been sent yet.

use std::collections::{HashMap, HashSet};

/// How soon an event has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// At once, with all earlier events of its request.
    Now,
    /// With the next states of streams.
    Soon,
}

/// Too much is waiting for a tab that takes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tab takes no messages: {0} are waiting")]
pub struct QueueFull(pub usize);

#[derive(Debug)]
struct Waiting {
    id: Option<u64>,
    stream: Option<(u64, String, u64)>,
    text: String,
}

impl Waiting {
    /// Returns whether it has to be sent at once: all but states of streams.
    const fn is_urgent(&self) -> bool {
        self.stream.is_none()
    }
}

/// Events that wait to be sent, in their order. A newer state of a stream takes the place of an older one that still waits, so that a
/// tab that is slow gets the latest and needs no more memory than one that is not.
#[derive(Debug, Default)]
pub struct EventQueue {
    waiting: Vec<Waiting>,
    /// Where the state of a stream waits.
    states: HashMap<(u64, String, u64), usize>,
}

impl EventQueue {
    /// Events that may wait at most.
    pub const MOST: usize = 20_000;

    /// Adds an event that has to arrive; `id` is that of its request, if it has one.
    ///
    /// # Errors
    ///
    /// [`QueueFull`] if [`MOST`](Self::MOST) events are waiting; the event is not added.
    pub fn push(&mut self, id: Option<u64>, text: String) -> Result<(), QueueFull> {
        // What is newer must not take the place of what was before this event.
        if let Some(id) = id {
            self.states.retain(|stream, _| stream.0 != id);
        }
        self.add(Waiting {
            id,
            stream: None,
            text,
        })
    }

    /// Adds the latest state of a stream.
    ///
    /// # Errors
    ///
    /// [`QueueFull`] if [`MOST`](Self::MOST) events are waiting and none is of this stream; the event is not added.
    pub fn push_state(
        &mut self,
        id: u64,
        name: &str,
        key: u64,
        text: String,
    ) -> Result<(), QueueFull> {
        let stream = (id, name.to_owned(), key);
        if let Some(&at) = self.states.get(&stream) {
            self.waiting[at].text = text;
            return Ok(());
        }
        let at = self.waiting.len();
        self.add(Waiting {
            id: Some(id),
            stream: Some(stream.clone()),
            text,
        })?;
        self.states.insert(stream, at);
        Ok(())
    }

    fn add(&mut self, event: Waiting) -> Result<(), QueueFull> {
        if self.waiting.len() >= Self::MOST {
            return Err(QueueFull(self.waiting.len()));
        }
        self.waiting.push(event);
        Ok(())
    }

    /// The urgency of what waits; `None` if nothing does.
    pub fn urgency(&self) -> Option<Urgency> {
        if self.waiting.iter().any(Waiting::is_urgent) {
            return Some(Urgency::Now);
        }
        (!self.waiting.is_empty()).then_some(Urgency::Soon)
    }

    /// Returns whether a state of a stream waits.
    pub fn has_states(&self) -> bool {
        self.waiting.iter().any(|event| event.stream.is_some())
    }

    /// Takes everything.
    pub fn take(&mut self) -> Vec<String> {
        self.states.clear();
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|event| event.text).collect()
    }

    /// Takes what has to be sent at once; states of streams whose requests have nothing else to say stay.
    pub fn take_urgent(&mut self) -> Vec<String> {
        let ids: HashSet<u64> = self
            .waiting
            .iter()
            .filter(|event| event.is_urgent())
            .filter_map(|event| event.id)
            .collect();
        let (taken, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|event| event.is_urgent() || event.id.is_some_and(|id| ids.contains(&id)));
        self.waiting = kept;
        self.states.clear();
        for (at, event) in self.waiting.iter().enumerate() {
            if let Some(stream) = &event.stream {
                self.states.insert(stream.clone(), at);
            }
        }
        taken.into_iter().map(|event| event.text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn only_the_latest_state_of_a_stream_waits() {
        let mut queue = EventQueue::default();
        for n in 0..100_000 {
            queue.push_state(1, "hint", 0, format!("a{n}")).unwrap();
            queue.push_state(1, "hint", 1, format!("b{n}")).unwrap();
        }
        queue.push_state(2, "hint", 0, text("c")).unwrap();
        assert_eq!(queue.urgency(), Some(Urgency::Soon));
        assert_eq!(queue.take(), ["a99999", "b99999", "c"]);
        assert_eq!((queue.urgency(), queue.take().len()), (None, 0));
    }

    #[test]
    fn the_last_state_comes_before_the_end() {
        let mut queue = EventQueue::default();
        queue.push_state(1, "hint", 0, text("old")).unwrap();
        queue.push_state(2, "hint", 0, text("other")).unwrap();
        queue.push_state(1, "hint", 0, text("last")).unwrap();
        queue.push(Some(1), text("done")).unwrap();
        assert_eq!(queue.take_urgent(), ["last", "done"]);
        // What stayed is still overwritten.
        queue.push_state(2, "hint", 0, text("newer")).unwrap();
        assert_eq!(queue.take(), ["newer"]);
    }

    #[test]
    fn a_state_behind_an_event_stays_behind_it() {
        let mut queue = EventQueue::default();
        queue.push_state(1, "progress", 0, text("1")).unwrap();
        queue.push(Some(1), text("event")).unwrap();
        queue.push_state(1, "progress", 0, text("2")).unwrap();
        assert_eq!(queue.take(), ["1", "event", "2"]);
    }

    #[test]
    fn a_tab_that_takes_nothing_fills_the_queue() {
        let mut queue = EventQueue::default();
        for _ in 0..EventQueue::MOST {
            queue.push(None, String::new()).unwrap();
        }
        assert_eq!(
            queue.push(None, String::new()),
            Err(QueueFull(EventQueue::MOST))
        );
        assert_eq!(queue.take().len(), EventQueue::MOST);
        assert_eq!(queue.push(None, String::new()), Ok(()));
    }
}
