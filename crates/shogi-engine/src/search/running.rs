//! A search on its thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_core::Game;
use shogi_search::{Control, SearchInfo};
use shogi_usi::GoCommand;
use yane_book::probe::Message;

use super::{SearchCore, SearchRequest};
use crate::{Listener, PvEnd, SearchOutcome};

/// The search recurses once for each ply and keeps a list of moves in each frame.
pub(crate) const STACK_BYTES: usize = 64 << 20;
/// How often a decision that is held back checks whether it may be given.
const RELEASE_INTERVAL: Duration = Duration::from_millis(1);

/// State shared by the session and the search thread, besides the [`Control`].
#[derive(Default)]
struct SearchFlags {
    /// The decision has been made.
    done: AtomicBool,
    /// Nothing more is reported: the search is being replaced.
    silent: AtomicBool,
}

/// A search that was started. Not necessarily still running.
pub(crate) struct RunningSearch {
    /// The command.
    pub(crate) go: GoCommand,
    /// The position that was asked about; with `Stochastic_Ponder` another one is searched.
    pub(crate) game: Arc<Game>,
    /// The listener.
    pub(crate) listener: Arc<dyn Listener>,
    control: Arc<Control>,
    flags: Arc<SearchFlags>,
    thread: JoinHandle<Option<SearchCore>>,
}

/// The listener behind a gate that closes when the search is to be silent.
struct GatedListener {
    listener: Arc<dyn Listener>,
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
    /// Starts a search.
    pub(crate) fn start(
        request: SearchRequest,
        core: SearchCore,
        go: GoCommand,
        game: Arc<Game>,
        listener: Arc<dyn Listener>,
    ) -> std::io::Result<Self> {
        let control = Arc::new(Control::new(go.ponder));
        let flags = Arc::new(SearchFlags::default());
        let gate = GatedListener {
            listener: listener.clone(),
            flags: flags.clone(),
        };
        let seen = control.clone();
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let (outcome, core) = request.run(core, &seen, &gate);
                let held_back =
                    || (request.limits.infinite || seen.is_pondering()) && !seen.is_stopped();
                while held_back() {
                    thread::sleep(RELEASE_INTERVAL);
                }
                gate.finished(&outcome);
                core
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

    /// Whether the decision has been made.
    pub(crate) fn is_done(&self) -> bool {
        self.flags.done.load(Ordering::Acquire)
    }

    /// Whether it has been asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.control.is_stopped()
    }

    /// Whether it waits for ponderhit or stop.
    pub(crate) fn is_pondering(&self) -> bool {
        self.control.is_pondering() && !self.is_stopped()
    }

    /// Asks for the decision now.
    pub(crate) fn stop(&self) {
        self.control.stop();
    }

    /// The opponent played the expected move.
    pub(crate) fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Stops it so that it says nothing more.
    pub(crate) fn silence(&self) {
        self.flags.silent.store(true, Ordering::Release);
        self.control.stop();
    }

    /// Waits until its thread has ended.
    pub(crate) fn join(self) -> Option<SearchCore> {
        self.thread.join().ok().flatten()
    }
}
