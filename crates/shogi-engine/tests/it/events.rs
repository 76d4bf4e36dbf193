//! A listener that keeps the events of a search.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use shogi_core::Move;
use shogi_engine::{Listener, Message, PvEnd, SearchOutcome};
use shogi_search::SearchInfo;

/// An event of a search.
#[derive(Debug)]
pub(crate) enum SearchEvent {
    /// Number of a line and its moves.
    Line(usize, Vec<Move>),
    /// A message of the book.
    Book,
    /// The decision.
    Outcome(SearchOutcome),
}

/// Sends the events to a channel.
pub(crate) struct EventSender(Mutex<Sender<SearchEvent>>);

/// A listener and the end of its channel.
pub(crate) fn listener() -> (Arc<EventSender>, Receiver<SearchEvent>) {
    let (sender, receiver) = mpsc::channel();
    (Arc::new(EventSender(Mutex::new(sender))), receiver)
}

impl EventSender {
    fn send(&self, event: SearchEvent) {
        self.0.lock().unwrap().send(event).ok();
    }
}

impl Listener for EventSender {
    fn line(&self, info: &SearchInfo) {
        self.send(SearchEvent::Line(info.multi_pv, info.pv.clone()));
    }

    fn line_with_end(&self, info: &SearchInfo, _: PvEnd) {
        self.line(info);
    }

    fn book(&self, _: &Message) {
        self.send(SearchEvent::Book);
    }

    fn finished(&self, outcome: &SearchOutcome) {
        self.send(SearchEvent::Outcome(*outcome));
    }
}
