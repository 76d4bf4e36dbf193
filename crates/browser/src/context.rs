//! The requests of one tab: quick ones are answered at once, searches one after the other.
//!
//! All is on one thread. A search may let the host handle messages ([`yane_clock::pause_point`]), so that [`TabContext::hear`] is called while
//! [`TabContext::run_next`] is on its way: nothing is borrowed while a request is answered.

use std::cell::RefCell;
use std::collections::VecDeque;

use page_messages::{
    DoneReason, Effort, EventSink, Hello, PROTOCOL, PageCommand, PageFailure, PageRequest,
    PageService, StopFlag, broadcast, done_event, event_text, unasked_error,
};
use serde_json::Value;

/// Requests that may wait at a time.
const MOST_WAITING: usize = 1_000;

/// Why a request is to end before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Stopped,
    Replaced,
    /// The tab is hidden: it is run again when the tab is seen.
    Paused,
}

/// A search that runs.
#[derive(Debug)]
struct Running {
    id: u64,
    effort: Effort,
    stop: StopFlag,
    ending: Option<Ending>,
}

/// A search that waits.
#[derive(Debug)]
struct Waiting {
    request: PageRequest,
    effort: Effort,
    stop: StopFlag,
}

/// What is to be done.
#[derive(Debug)]
struct State {
    waiting: VecDeque<Waiting>,
    running: Option<Running>,
    is_visible: bool,
}

/// Passes a message to the page. Of messages that are the state of a stream the page may miss those before the latest.
pub type Emit = dyn Fn(&str, Newness);

/// What a newer message of the same request, name and key means for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newness {
    /// Nothing: each has to arrive.
    Event,
    /// It takes its place.
    State,
}

/// What a tab asks, and who answers.
pub struct TabContext {
    service: Box<dyn PageService>,
    emit: Box<Emit>,
    state: RefCell<State>,
}

impl State {
    /// The place of the search that is next.
    fn next(&self) -> Option<usize> {
        let is_ready = |waiting: &Waiting| waiting.effort != Effort::Watched || self.is_visible;
        let next = self.waiting.iter().position(is_ready);
        next.filter(|_| self.running.is_none())
    }
}

impl TabContext {
    /// A context that passes messages of a service to `emit`.
    pub fn new(
        service: impl PageService + 'static,
        emit: impl Fn(&str, Newness) + 'static,
    ) -> Self {
        Self {
            service: Box::new(service),
            emit: Box::new(emit),
            state: RefCell::new(State {
                waiting: VecDeque::new(),
                running: None,
                is_visible: true,
            }),
        }
    }

    /// Says what the service can do. `build` tells a page that it is old.
    pub fn greet(&self, build: &str) {
        let hello = Hello {
            proto: PROTOCOL,
            build: build.to_owned(),
            caps: self.service.capabilities(),
            tab: 1,
        };
        (self.emit)(&hello.to_text(), Newness::Event);
    }

    /// Takes a message of the page. Quick requests are answered before this returns; others wait for [`run_next`](Self::run_next).
    pub fn hear(&self, text: &str) {
        match PageCommand::parse(text) {
            Ok(PageCommand::Request(request)) => self.ask(request),
            Ok(PageCommand::Stop(id)) => self.end(id, Ending::Stopped),
            Ok(PageCommand::Visible(is_visible)) => self.see(is_visible),
            Err(failure) => (self.emit)(&unasked_error(&failure), Newness::Event),
        }
    }

    fn see(&self, is_visible: bool) {
        let mut state = self.state.borrow_mut();
        state.is_visible = is_visible;
        if let Some(running) = &mut state.running
            && !is_visible
            && running.effort == Effort::Watched
        {
            running.stop.stop();
            running.ending.get_or_insert(Ending::Paused);
        }
    }

    fn ask(&self, request: PageRequest) {
        if let Some(replaced) = request.replaces {
            self.end(replaced, Ending::Replaced);
        }
        let id = request.id;
        let failed = |text: String| {
            (self.emit)(&unasked_error(&PageFailure::new(text)), Newness::Event);
        };
        if self.is_live(id) {
            return failed(format!("id {id} is of a request that runs"));
        }
        match self.service.effort(&request.op) {
            None => {
                let failure = PageFailure::new(format!("'{}' is no operation", request.op));
                self.done(id, &DoneReason::Failed(failure));
            }
            Some(Effort::Quick) => {
                let answered = self.answer(&request, &StopFlag::default());
                self.done(id, &reason(answered, None));
            }
            Some(effort) => {
                let mut state = self.state.borrow_mut();
                if state.waiting.len() >= MOST_WAITING {
                    drop(state);
                    return failed(format!("{MOST_WAITING} requests are not finished"));
                }
                state.waiting.push_back(Waiting {
                    request,
                    effort,
                    stop: StopFlag::default(),
                });
            }
        }
    }

    /// Returns whether a request is not finished.
    fn is_live(&self, id: u64) -> bool {
        let state = self.state.borrow();
        state
            .running
            .as_ref()
            .is_some_and(|running| running.id == id)
            || state.waiting.iter().any(|waiting| waiting.request.id == id)
    }

    /// Ends a request, if there is one of this id.
    fn end(&self, id: u64, ending: Ending) {
        let mut state = self.state.borrow_mut();
        if let Some(running) = state.running.as_mut().filter(|running| running.id == id) {
            running.stop.stop();
            // Whoever stopped it first says why; a pause is no end.
            if matches!(running.ending, None | Some(Ending::Paused)) {
                running.ending = Some(ending);
            }
            return;
        }
        let at = state
            .waiting
            .iter()
            .position(|waiting| waiting.request.id == id);
        if let Some(at) = at {
            state.waiting.remove(at);
            drop(state);
            self.done(id, &reason(Ok(()), Some(ending)));
        }
    }

    /// Runs the search that is next, if there is one and none is running; returns its id.
    pub fn run_next(&self) -> Option<u64> {
        let mut state = self.state.borrow_mut();
        let at = state.next()?;
        let Waiting {
            request,
            effort,
            stop,
        } = state.waiting.remove(at)?;
        let id = request.id;
        state.running = Some(Running {
            id,
            effort,
            stop: stop.clone(),
            ending: None,
        });
        drop(state);
        let answered = self.answer(&request, &stop);
        let mut state = self.state.borrow_mut();
        let ending = state.running.take().and_then(|running| running.ending);
        if ending == Some(Ending::Paused) {
            state.waiting.push_front(Waiting {
                request,
                effort,
                stop: StopFlag::default(),
            });
            return Some(id);
        }
        drop(state);
        self.done(id, &reason(answered, ending));
        Some(id)
    }

    /// The id of the search that is next; `None` if there is none, or if one is running.
    pub fn next_id(&self) -> Option<u64> {
        let state = self.state.borrow();
        let waiting = state.waiting.get(state.next()?)?;
        Some(waiting.request.id)
    }

    /// What ends a search that waits or runs.
    pub fn stop_flag(&self, id: u64) -> Option<StopFlag> {
        let state = self.state.borrow();
        let running = state.running.iter().map(|one| (one.id, &one.stop));
        let waiting = state.waiting.iter().map(|one| (one.request.id, &one.stop));
        let mut all = running.chain(waiting);
        all.find(|(one, _)| *one == id)
            .map(|(_, stop)| stop.clone())
    }

    fn answer(&self, request: &PageRequest, stop: &StopFlag) -> Result<(), PageFailure> {
        let sink = ContextSink {
            id: request.id,
            emit: &*self.emit,
        };
        self.service.answer(request, &sink, stop)
    }

    fn done(&self, id: u64, reason: &DoneReason) {
        (self.emit)(&done_event(id, reason), Newness::Event);
    }
}

/// Why a request that was answered ended.
fn reason(answered: Result<(), PageFailure>, ending: Option<Ending>) -> DoneReason {
    match (answered, ending) {
        (_, Some(Ending::Replaced)) => DoneReason::Replaced,
        (_, Some(Ending::Stopped | Ending::Paused)) => DoneReason::Stopped,
        (Ok(()), None) => DoneReason::Finished,
        (Err(failure), None) => DoneReason::Failed(failure),
    }
}

/// The events of one request. All are passed on.
struct ContextSink<'a> {
    id: u64,
    emit: &'a Emit,
}

impl EventSink for ContextSink<'_> {
    fn event(&self, name: &str, fields: Value) {
        (self.emit)(&event_text(self.id, name, fields), Newness::Event);
    }

    fn state(&self, name: &str, _: u64, fields: Value) {
        (self.emit)(&event_text(self.id, name, fields), Newness::State);
    }

    fn broadcast(&self, name: &str, fields: Value) {
        (self.emit)(&broadcast(name, fields), Newness::Event);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use serde_json::json;

    use super::*;

    thread_local! {
        /// The context of a test, for what it hears in the middle of an answer.
        static CONTEXT: Cell<Option<&'static TabContext>> = const { Cell::new(None) };
        /// What it hears then.
        static MEANWHILE: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// Answers with the name of the operation.
    struct Echo;

    impl PageService for Echo {
        fn capabilities(&self) -> Vec<String> {
            vec!["echo".to_owned()]
        }

        fn effort(&self, op: &str) -> Option<Effort> {
            match op {
                "quick" => Some(Effort::Quick),
                "search" => Some(Effort::Search),
                "watched" => Some(Effort::Watched),
                _ => None,
            }
        }

        fn answer(
            &self,
            request: &PageRequest,
            sink: &dyn EventSink,
            stop: &StopFlag,
        ) -> Result<(), PageFailure> {
            if let Some(text) = MEANWHILE.take() {
                CONTEXT.get().unwrap().hear(text);
            }
            if request.fields.get("fails").is_some() {
                return Err(PageFailure::new("no"));
            }
            let name = if stop.is_stopped() {
                "stopped"
            } else {
                &request.op
            };
            sink.event(name, json!({}));
            Ok(())
        }
    }

    type Lines = Rc<RefCell<Vec<String>>>;

    /// A context, and what it says: id, event, reason.
    fn context() -> (&'static TabContext, Lines) {
        let lines = Lines::default();
        let told = Rc::clone(&lines);
        let context = TabContext::new(Echo, move |text, _| {
            let event: Value = serde_json::from_str(text).unwrap();
            let [id, ev, why] = ["id", "ev", "why"].map(|name| match &event[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            told.borrow_mut()
                .push(format!("{id} {ev} {why}").trim().to_owned());
        });
        let context: &'static TabContext = Box::leak(Box::new(context));
        CONTEXT.set(Some(context));
        (context, lines)
    }

    fn take(lines: &Lines) -> Vec<String> {
        std::mem::take(&mut lines.borrow_mut())
    }

    #[test]
    fn quick_requests_are_answered_at_once_and_searches_in_turn() {
        let (context, lines) = context();
        context.greet("b");
        context.hear(r#"{"id":1,"op":"search"}"#);
        context.hear(r#"{"id":2,"op":"quick"}"#);
        context.hear(r#"{"id":3,"op":"other"}"#);
        context.hear(r#"{"id":4,"op":"search","fails":1}"#);
        context.hear(r#"{"id":4,"op":"search"}"#);
        context.hear("{");
        let at_once = [
            "hello",
            "2 quick",
            "2 done finished",
            "3 done error",
            "error",
            "error",
        ];
        assert_eq!(take(&lines), at_once);
        assert_eq!(context.next_id(), Some(1));
        assert_eq!(context.run_next(), Some(1));
        assert_eq!(context.run_next(), Some(4));
        assert_eq!((context.run_next(), context.next_id()), (None, None));
        assert_eq!(
            take(&lines),
            ["1 search", "1 done finished", "4 done error"]
        );
    }

    #[test]
    fn a_search_is_stopped_replaced_and_paused_while_it_runs() {
        let (context, lines) = context();
        for (text, end) in [
            (r#"{"op":"stop","id":1}"#, "1 done stopped"),
            (r#"{"id":2,"op":"quick","replaces":1}"#, "1 done replaced"),
        ] {
            context.hear(r#"{"id":1,"op":"search"}"#);
            MEANWHILE.set(Some(text));
            context.run_next();
            assert_eq!(take(&lines).last().unwrap(), end);
        }
        context.hear(r#"{"id":1,"op":"watched"}"#);
        MEANWHILE.set(Some(r#"{"op":"visible","on":false}"#));
        context.run_next();
        assert_eq!(take(&lines), ["1 stopped"]);
        assert_eq!((context.run_next(), context.next_id()), (None, None));
        context.hear(r#"{"op":"visible","on":true}"#);
        assert_eq!(context.run_next(), Some(1));
        assert_eq!(take(&lines), ["1 watched", "1 done finished"]);
    }

    #[test]
    fn what_waits_is_stopped_without_being_run() {
        let (context, lines) = context();
        context.hear(r#"{"id":1,"op":"search"}"#);
        context.hear(r#"{"id":2,"op":"search","replaces":1}"#);
        assert!(context.stop_flag(1).is_none() && context.stop_flag(2).is_some());
        context.hear(r#"{"op":"stop","id":2}"#);
        context.hear(r#"{"op":"stop","id":7}"#);
        assert_eq!(take(&lines), ["1 done replaced", "2 done stopped"]);
        assert_eq!(context.run_next(), None);
    }
}
