//! What tabs ask, and who answers: quick requests at once, searches by seats.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use page_messages::{
    AllPages, Effort, EventSink, Hello, PROTOCOL, PageCommand, PageFailure, PageRequest,
    PageService, broadcast, unasked_error,
};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::seats::{Asked, Seats};
use crate::settings::PageSettings;
use crate::tab::{Ending, Settled, Tab, TabSink};

/// The tabs of a server and the service that answers them.
pub(crate) struct Hub {
    service: Arc<dyn PageService>,
    settings: PageSettings,
    seats: Seats,
    tabs: Mutex<HashMap<u64, Arc<Tab>>>,
    last_tab: AtomicU64,
    build: String,
    /// Where requests are answered: threads of the runtime that may block.
    threads: Handle,
}

impl Hub {
    pub(crate) fn new(
        service: Arc<dyn PageService>,
        settings: PageSettings,
        seats: usize,
        build: String,
        threads: Handle,
    ) -> Arc<Self> {
        let hub = Arc::new(Self {
            service,
            settings,
            seats: Seats::new(seats),
            tabs: Mutex::default(),
            last_tab: AtomicU64::new(0),
            build,
            threads,
        });
        let pages: Arc<dyn AllPages> = Arc::new(Pages(Arc::downgrade(&hub)));
        hub.service.start(&pages);
        hub
    }

    fn tabs(&self) -> MutexGuard<'_, HashMap<u64, Arc<Tab>>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new tab, to which `hello` is said.
    pub(crate) fn open(&self) -> Arc<Tab> {
        let id = self.last_tab.fetch_add(1, Ordering::Relaxed) + 1;
        let tab = Arc::new(Tab::new(id));
        let mut caps = self.service.capabilities();
        caps.push("settings".to_owned());
        let hello = Hello {
            proto: PROTOCOL,
            build: self.build.clone(),
            caps,
            tab: id,
        };
        tab.send(None, hello.to_text());
        self.tabs().insert(id, Arc::clone(&tab));
        tab
    }

    /// A tab is gone: all that it asked ends.
    pub(crate) fn close(&self, tab: &Tab) {
        self.tabs().remove(&tab.id);
        tab.close();
        self.seats.forget(tab);
    }

    /// All tabs are gone.
    pub(crate) fn close_all(&self) {
        let tabs: Vec<_> = self.tabs().values().cloned().collect();
        for tab in tabs {
            self.close(&tab);
        }
    }

    /// The number of tabs, and of their requests that are not finished.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let tabs = self.tabs();
        (tabs.len(), tabs.values().map(|tab| tab.requests()).sum())
    }

    /// Tells all tabs something, but for one that knows it.
    fn tell_all(&self, name: &str, fields: Value, but: Option<u64>) {
        let tabs: Vec<_> = self.tabs().values().cloned().collect();
        let text = broadcast(name, fields);
        for tab in tabs.iter().filter(|tab| Some(tab.id) != but) {
            tab.send(None, text.clone());
        }
    }

    /// A frame of a tab.
    pub(crate) fn hear(self: &Arc<Self>, tab: &Arc<Tab>, text: &str) {
        match PageCommand::parse(text) {
            Ok(PageCommand::Request(request)) => self.ask(tab, request),
            Ok(PageCommand::Stop(id)) => self.stop(tab, id, Ending::Stopped),
            Ok(PageCommand::Visible(is_visible)) => {
                tab.set_visible(is_visible);
                if !is_visible {
                    for id in self.seats.watched(tab) {
                        tab.end(id, Ending::Paused);
                    }
                }
                self.seat();
            }
            Err(failure) => tab.send(None, unasked_error(&failure)),
        }
    }

    fn stop(self: &Arc<Self>, tab: &Arc<Tab>, id: u64, ending: Ending) {
        if tab.end(id, ending) && self.seats.remove(tab, id) {
            tab.finish(id, Ok(()));
        }
    }

    fn ask(self: &Arc<Self>, tab: &Arc<Tab>, request: PageRequest) {
        if let Some(replaced) = request.replaces {
            self.stop(tab, replaced, Ending::Replaced);
        }
        let id = request.id;
        if let Err(failure) = tab.begin(id) {
            tab.send(None, unasked_error(&failure));
            return;
        }
        let effort = match request.op.as_str() {
            "settings.get" | "settings.put" => Some(Effort::Quick),
            op => self.service.effort(op),
        };
        let Some(effort) = effort else {
            let failure = PageFailure::new(format!("'{}' is no operation", request.op));
            tab.finish(id, Err(failure));
            return;
        };
        let seat = match effort {
            Effort::Quick => String::new(),
            Effort::Search | Effort::Watched => self.service.seat(&request),
        };
        let asked = Asked {
            tab: Arc::clone(tab),
            request,
            effort,
            seat,
        };
        if effort == Effort::Quick {
            let hub = Arc::clone(self);
            self.threads.spawn_blocking(move || hub.answer(&asked));
        } else {
            self.seats.add(asked);
            self.seat();
        }
    }

    /// Begins searches while seats are free.
    fn seat(self: &Arc<Self>) {
        while let Some(asked) = self.seats.next() {
            let hub = Arc::clone(self);
            self.threads.spawn_blocking(move || {
                let settled = hub.answer(&asked);
                hub.seats.leave(&asked.tab, asked.request.id);
                if settled == Settled::Paused {
                    hub.wait_again(asked);
                }
                hub.seat();
            });
        }
    }

    /// A paused search waits again, unless it was stopped meanwhile.
    fn wait_again(&self, asked: Asked) {
        let (tab, id) = (Arc::clone(&asked.tab), asked.request.id);
        self.seats.add(asked);
        let is_stopped = tab.stop_flag(id).is_none_or(|stop| stop.is_stopped());
        if is_stopped && self.seats.remove(&tab, id) {
            tab.finish(id, Ok(()));
        }
    }

    /// Answers a request on this thread.
    fn answer(&self, asked: &Asked) -> Settled {
        let (tab, request) = (&*asked.tab, &asked.request);
        let Some(stop) = tab.stop_flag(request.id) else {
            return Settled::Ended;
        };
        let all = |name: &str, fields| self.tell_all(name, fields, None);
        let sink = TabSink {
            tab,
            all: &all,
            id: request.id,
            too_long: None.into(),
        };
        let answered = catch_unwind(AssertUnwindSafe(|| match request.op.as_str() {
            "settings.get" => {
                sink.event("settings", json!({ "settings": self.settings.get() }));
                Ok(())
            }
            "settings.put" => self.put_settings(tab, request),
            _ => self.service.answer(request, &sink, &stop),
        }));
        let answered = answered
            .unwrap_or_else(|_| Err(PageFailure::new("this is an error of the program itself")));
        let result = match sink.too_long.get() {
            Some(size) if answered.is_ok() => {
                let text = format!("an answer of {size} bytes is too long");
                Err(PageFailure::new(text))
            }
            _ => answered,
        };
        tab.settle(request.id, result)
    }

    fn put_settings(&self, tab: &Tab, request: &PageRequest) -> Result<(), PageFailure> {
        let settings = request.fields.get("settings").cloned().unwrap_or_default();
        self.settings.put(settings.clone())?;
        let fields = json!({ "settings": settings, "from": tab.id });
        self.tell_all("settings", fields, Some(tab.id));
        Ok(())
    }
}

/// The tabs, as services see them.
struct Pages(Weak<Hub>);

impl AllPages for Pages {
    fn broadcast(&self, name: &str, fields: Value) {
        if let Some(hub) = self.0.upgrade() {
            hub.tell_all(name, fields, None);
        }
    }
}
