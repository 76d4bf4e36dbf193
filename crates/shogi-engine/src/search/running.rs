//! A search that runs on a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use shogi_core::Game;
use shogi_search::{Control, SearchInfo};
use shogi_usi::GoCommand;
use yane_book::probe::Message;

use super::STACK_BYTES;
use crate::engine::SearchWork;
use crate::listener::{Listener, PvEnd, SearchOutcome, SharedListener};

/// Interval of checking whether a decision that is held back may be given.
const RELEASE_INTERVAL: Duration = Duration::from_millis(1);

/// State shared by the session and the search thread, besides the [`Control`].
#[derive(Default)]
struct SearchFlags {
    /// The decision has been made.
    done: AtomicBool,
    /// True if nothing more is reported, as the search is being replaced.
    silent: AtomicBool,
}

/// A search that was started. Not necessarily still running.
pub(crate) struct RunningSearch {
    /// The command.
    pub(crate) go: GoCommand,
    /// The position that was asked about; with `Stochastic_Ponder` another one is searched.
    pub(crate) game: Arc<Game>,
    /// The listener.
    pub(crate) listener: SharedListener,
    control: Arc<Control>,
    flags: Arc<SearchFlags>,
    thread: JoinHandle<()>,
}

/// The listener behind a gate that closes when the search is to be silent.
struct GatedListener {
    listener: SharedListener,
    flags: Arc<SearchFlags>,
}

impl GatedListener {
    fn is_open(&self) -> bool {
        !self.flags.silent.load(Ordering::Acquire)
    }
}

impl Listener for GatedListener {
    fn line(&self, info: &SearchInfo) {
        if self.is_open() {
            self.listener.line(info);
        }
    }

    fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
        if self.is_open() {
            self.listener.line_with_end(info, end);
        }
    }

    fn decided(&self, outcome: &SearchOutcome) {
        if self.is_open() {
            self.listener.decided(outcome);
        }
    }

    fn message(&self, text: &str) {
        if self.is_open() {
            self.listener.message(text);
        }
    }

    fn book(&self, message: &Message) {
        if self.is_open() {
            self.listener.book(message);
        }
    }

    fn finished(&self, outcome: &SearchOutcome) {
        if self.is_open() {
            self.flags.done.store(true, Ordering::Release);
            self.listener.finished(outcome);
        }
    }
}

impl RunningSearch {
    /// Starts a search: `work` finds the decision.
    pub(crate) fn start(
        work: SearchWork,
        go: GoCommand,
        game: Arc<Game>,
        listener: SharedListener,
    ) -> std::io::Result<Self> {
        let control = if go.ponder {
            Control::pondering()
        } else {
            Control::new()
        };
        let control = Arc::new(control);
        let flags = Arc::new(SearchFlags::default());
        let gate = GatedListener {
            listener: listener.clone(),
            flags: flags.clone(),
        };
        let (seen, infinite) = (control.clone(), go.infinite);
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let outcome = work(&seen, &gate);
                let held_back = || (infinite || seen.is_pondering()) && !seen.is_stopped();
                while held_back() {
                    thread::sleep(RELEASE_INTERVAL);
                }
                gate.finished(&outcome);
            })?;
        Ok(Self {
            go,
            game,
            listener,
            control,
            flags,
            thread,
        })
    }

    /// Returns whether the decision has been made.
    pub(crate) fn is_done(&self) -> bool {
        self.flags.done.load(Ordering::Acquire)
    }

    /// Returns whether it has been asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Returns whether it waits for ponderhit or stop.
    pub(crate) fn is_pondering(&self) -> bool {
        self.control.is_pondering() && !self.is_stopped()
    }

    /// Tells the search to decide now.
    pub(crate) fn stop(&self) {
        self.control.stop();
    }

    /// The opponent played the expected move.
    pub(crate) fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Stops it without any further report.
    pub(crate) fn silence(&self) {
        self.flags.silent.store(true, Ordering::Release);
        self.control.stop();
    }

    /// Waits until its thread has ended.
    pub(crate) fn join(self) {
        // A panic of the search is an outcome of its own; one of a listener is its own affair.
        self.thread.join().ok();
    }
}
