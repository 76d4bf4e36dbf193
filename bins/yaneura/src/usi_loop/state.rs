//! What the loop knows: the session, what it waits for, and what is held back.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender};

use shogi_core::Diagram;
use shogi_engine::Session;

use crate::picture::BestLine;
use crate::streams::{Event, OutputHandle};

use crate::error::LineError;

use shogi_usi::Command;
use shogi_usi::{GoCommand, MateLimit};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;

/// Continue with the next command, or end.
pub(super) type Flow = ControlFlow<()>;

pub(super) const GO_ON: Flow = ControlFlow::Continue(());

pub(super) const END: Flow = ControlFlow::Break(());

/// The source of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Arguments or a file.
    Queue,
    /// Standard input.
    Input,
}

/// The engine with its input and output.
pub(crate) struct UsiLoop {
    pub(crate) session: Session,
    pub(super) output: OutputHandle,
    pub(super) events: Receiver<Event>,
    pub(super) sender: Sender<Event>,
    /// Commands from arguments and files, which come before standard input.
    pub(super) queue: VecDeque<String>,
    /// Events from standard input that have to wait.
    pub(super) held: VecDeque<Event>,
    /// Set while commands wait for the running search to answer.
    pub(super) waiting: bool,
    /// A long command, until it is done. Other commands wait meanwhile, except those that end it.
    pub(super) job: Option<BackgroundJob>,
    /// Searches that have not answered yet: one, or two when a `go` follows a `go`.
    pub(super) unanswered: u32,
    /// What the end of the program waits for while the last search is running.
    pub(super) patience: Patience,
    /// Options that the `eval_options.txt` of the evaluation folder has fixed.
    pub(super) fixed_by_evaluation: Vec<String>,
    /// The object of commands about the position.
    pub(super) subject: Subject,
    /// The answer to a `go` that is given without a search, as long as it is too early for it.
    pub(super) held_answer: Option<HeldAnswer>,
    /// The best line that a search of the current position has found.
    pub(super) best_line: BestLine,
    /// The value of `DebugLogFile` when the log was opened.
    pub(super) log_name: String,
}

/// The position that commands are about. Never an earlier one than that of the last `position` command.
pub(super) enum Subject {
    /// The game of the session.
    Game,
    /// A placement that is no position of a game, as the side to move could take the king: it can be evaluated and
    /// solved for mate.
    Diagram(Box<Diagram>),
    /// No position: the last `position` could not be parsed, for this reason.
    Unreadable(String),
}

/// The wait for a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// It is stopped at once.
    No,
    /// For [`MOMENT`].
    Moment,
    /// Until it has answered.
    Whole,
}

/// What the program waits for when it ends while a search is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience {
    pub(super) at_quit: Wait,
    pub(super) at_end: Wait,
}

impl Patience {
    /// For a search after `go`: a GUI that quits waits for nothing.
    pub(super) const fn for_search(source: Source) -> Self {
        Self {
            at_quit: Wait::No,
            at_end: Self::end_of(source, Wait::No),
        }
    }

    /// For a search after `go mate`.
    pub(super) const fn for_mate(go: &GoCommand, source: Source) -> Self {
        let is_limited = matches!(go.mate, Some(MateLimit::Time(_)))
            || go.movetime.is_some()
            || go.nodes.is_some();
        let at_end = if is_limited {
            Wait::Whole
        } else {
            Wait::Moment
        };
        Self {
            at_quit: Wait::Moment,
            at_end: Self::end_of(source, at_end),
        }
    }

    /// For a search that a person has asked for.
    pub(super) const PERSON: Self = Self {
        at_quit: Wait::Whole,
        at_end: Wait::Whole,
    };

    /// Commands from arguments and files are a script: the end of the input is not the end of it.
    pub(super) const fn end_of(source: Source, otherwise: Wait) -> Wait {
        match source {
            Source::Queue => Wait::Whole,
            Source::Input => otherwise,
        }
    }
}

/// Returns whether an event asks for the end of the program.
pub(super) fn is_end(event: &Event) -> bool {
    match event {
        Event::End => true,
        Event::Line(line) => is_word(line, "quit"),
        _ => false,
    }
}

/// `bestmove resign` that is held back until `stop`, as the position is not one of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldAnswer {
    /// Given at `ponderhit` too.
    UntilPonderHit,
    /// Given at `stop` only.
    UntilStop,
}

// Long commands (`perft`, `bench`, `speedtest`, `qsearch_psv`, `learn`) on a thread of their own, so that `stop` and `quit` are
// read meanwhile.

/// The work of a background job: it prints results itself, and ends soon after the flag is set.
pub(crate) type Work =
    Box<dyn FnOnce(&OutputHandle, &Arc<AtomicBool>) -> Result<(), LineError> + Send>;

/// A job that was started.
pub(super) struct BackgroundJob {
    pub(super) stop: Arc<AtomicBool>,
    pub(super) thread: JoinHandle<()>,
}

/// Returns whether the line is the command `word`, whatever follows it.
pub(super) fn is_word(line: &str, word: &str) -> bool {
    Command::split(line).is_some_and(|(first, _)| first == word)
}
