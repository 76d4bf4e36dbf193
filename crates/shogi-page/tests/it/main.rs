//! The operations of the page, as its back end answers them.

mod engines;
mod imports;
mod operations;
mod samples;
mod streams;

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use page_messages::{EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde_json::{Value, json};
use shogi_engine::Session;
use shogi_page::{OwnEngine, ShogiPage, UsiEngine};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Our engine with one thread and a small table.
fn own() -> OwnEngine {
    let mut session = Session::new();
    for (name, value) in [
        ("Threads", "1"),
        ("USI_Hash", "1"),
        ("Evaluation", "positional"),
        ("USI_OwnBook", "false"),
    ] {
        session.set_option(name, Some(value)).unwrap();
    }
    session.set_seed(1);
    OwnEngine::new(session, "test 1.0")
}

fn page() -> ShogiPage {
    page_with(Vec::new())
}

fn page_with(others: Vec<UsiEngine>) -> ShogiPage {
    ShogiPage::new(own(), others)
}

/// What was told, each with its name: of a stream only the latest state, as a slow tab gets it.
#[derive(Default)]
struct Heard(RefCell<Vec<(String, Option<u64>, Value)>>);

impl EventSink for Heard {
    fn event(&self, name: &str, fields: Value) {
        self.0.borrow_mut().push((name.to_owned(), None, fields));
    }

    fn state(&self, name: &str, key: u64, fields: Value) {
        let mut all = self.0.borrow_mut();
        all.retain(|(other, other_key, _)| other != name || *other_key != Some(key));
        all.push((name.to_owned(), Some(key), fields));
    }

    fn broadcast(&self, name: &str, fields: Value) {
        self.event(name, fields);
    }
}

/// Asks a service; the events with their names in `ev`.
fn ask_of(page: &dyn PageService, op: &str, fields: Value) -> Result<Vec<Value>, PageFailure> {
    assert!(page.effort(op).is_some(), "{op}");
    let heard = Heard::default();
    let request = PageRequest::new(1, op, fields);
    page.answer(&request, &heard, &StopFlag::default())?;
    let told = heard.0.into_inner().into_iter();
    let with_name = |(name, _, mut fields): (String, Option<u64>, Value)| {
        fields["ev"] = json!(name);
        fields
    };
    Ok(told.map(with_name).collect())
}

fn ask(op: &str, fields: Value) -> Vec<Value> {
    let answer = ask_of(&page(), op, fields);
    answer.unwrap_or_else(|failure| panic!("{op}: {failure}"))
}

/// The last event of an answer.
fn last(op: &str, fields: Value) -> Value {
    ask(op, fields).pop().unwrap()
}

fn failure(op: &str, fields: Value) -> String {
    ask_of(&page(), op, fields).unwrap_err().text
}

/// Sends what is told to another thread.
struct Wire(Sender<Value>);

impl Wire {
    fn send(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        // The test may have seen enough.
        let _seen = self.0.send(fields);
    }
}

impl EventSink for Wire {
    fn event(&self, name: &str, fields: Value) {
        self.send(name, fields);
    }

    fn state(&self, name: &str, _: u64, fields: Value) {
        self.send(name, fields);
    }

    fn broadcast(&self, name: &str, fields: Value) {
        self.send(name, fields);
    }
}

/// A request that is being answered.
struct Asked {
    events: Receiver<Value>,
    stop: StopFlag,
    thread: JoinHandle<Result<(), PageFailure>>,
}

impl Asked {
    fn new(page: &ShogiPage, op: &str, fields: Value) -> Self {
        let (send, events) = channel();
        let stop = StopFlag::default();
        let (page, own_stop) = (page.clone(), stop.clone());
        let request = PageRequest::new(1, op, fields);
        let thread = std::thread::spawn(move || page.answer(&request, &Wire(send), &own_stop));
        Self {
            events,
            stop,
            thread,
        }
    }

    /// The first event that is wanted.
    #[track_caller]
    fn wait(&self, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.events.recv_timeout(Duration::from_millis(100)) {
                Ok(event) if is_it(&event) => return event,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => assert!(Instant::now() < end, "too late"),
                Err(RecvTimeoutError::Disconnected) => panic!("it ended"),
            }
        }
    }

    /// Stops it, and returns its last event, those about engines apart.
    #[track_caller]
    fn stop(self) -> Value {
        self.stop.stop();
        let events = self.end().unwrap();
        let mut own = events.into_iter().rev();
        own.find(|event| event["ev"] != "engine").expect("an event")
    }

    /// Waits for its end; the events that nobody waited for.
    fn end(self) -> Result<Vec<Value>, PageFailure> {
        self.thread.join().unwrap()?;
        Ok(self.events.try_iter().collect())
    }
}

/// The depth of the first line of a `thought`.
fn depth(event: &Value) -> u64 {
    event["lines"][0]["depth"].as_u64().unwrap_or(0)
}
