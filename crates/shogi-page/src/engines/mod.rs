//! Engines: ours in this process, and programs that speak USI.

mod options;
mod own;
mod told;
mod usi;
mod usi_process;

use std::sync::Arc;
use std::time::Duration;

use page_messages::{PageFailure, StopFlag};
use serde::Serialize;
use serde_json::Value;
use shogi_core::{Game, Move};
use shogi_usi::{ClockTimes, GoCommand};

use crate::books::BookAdvice;

pub(crate) use options::OptionChanges;
pub use own::OwnEngine;
pub(crate) use told::{FoundLine, Totals};
pub use usi::{UsiEngine, UsiSettings};

/// The name of our engine in requests.
pub(crate) const OWN: &str = "own";

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To know the values of moves.
    Consider,
    /// To choose a move, as strong as this.
    Play(Option<u8>),
}

/// How long a search goes on. Without any limit: until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchLimits {
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) clock: Option<ClockTimes>,
}

impl SearchLimits {
    /// Returns whether it goes on until it is stopped.
    pub(crate) const fn is_endless(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.time.is_none() && self.clock.is_none()
    }
}

/// A search to be made.
#[derive(Clone, Debug)]
pub(crate) struct SearchTask<'a> {
    pub(crate) game: &'a Game,
    pub(crate) purpose: Purpose,
    pub(crate) limits: SearchLimits,
    /// Lines to find.
    pub(crate) lines: usize,
    /// The moves to search; all when empty.
    pub(crate) search_moves: Vec<Move>,
    /// True if the engine's own book may answer.
    pub(crate) uses_book: bool,
}

impl SearchTask<'_> {
    /// The command for engines.
    fn go(&self) -> GoCommand {
        GoCommand {
            depth: self.limits.depth,
            nodes: self.limits.nodes,
            movetime: self.limits.time,
            clock: self.limits.clock.unwrap_or_default(),
            infinite: self.limits.is_endless(),
            search_moves: self
                .search_moves
                .iter()
                .filter_map(|m| shogi_core::MoveText::from_usi(&m.to_string()))
                .collect(),
            ..GoCommand::default()
        }
    }
}

/// What a search tells while it runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// The latest state of a line.
    Line(FoundLine),
    /// Numbers of the whole search.
    Totals(Totals),
    /// A move of the engine's own book.
    Book(BookAdvice),
    /// Nothing new, some milliseconds after the last: what was held back may be told.
    Nothing,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// With a move.
    Move(Move),
    /// The engine gives up.
    Resign,
    /// It declares a win.
    Win,
    /// It was stopped before there was any.
    Nothing,
}

/// The answer to a search for a mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MateAnswer {
    /// A line that mates; whether none is shorter.
    Mate(Vec<Move>, MateLength),
    /// There is none.
    None,
    /// It is not known.
    Unknown,
}

/// What is known of the length of a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MateLength {
    /// There is no shorter one.
    Shortest,
    /// There may be shorter ones.
    AtMost,
}

/// How far a search for a mate is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MateState {
    pub(crate) nodes: u64,
    pub(crate) elapsed: Duration,
    /// The line of a mate that was found while a shorter one is searched.
    pub(crate) found: Option<Vec<Move>>,
}

/// The state of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EngineState {
    /// It has not been started yet.
    Idle,
    /// It is there.
    Ready,
    /// It failed; the next request starts it anew.
    Failed,
}

/// An engine in messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EngineFields {
    pub(crate) engine: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) state: EngineState,
    pub(crate) note: Option<String>,
    pub(crate) options: Vec<Value>,
    /// The file that it plays with, `null` for what is built in; `None` where nobody chooses one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<Value>,
}

/// An engine. One search runs at a time; the other methods do not wait for it.
pub(crate) trait PageEngine: Send + Sync {
    /// The name by which requests choose it.
    fn label(&self) -> &str;

    /// What is told about it.
    fn fields(&self) -> EngineFields;

    /// Its state.
    fn state(&self) -> EngineState;

    /// Changes options for the searches that begin from now on.
    ///
    /// # Errors
    ///
    /// An option that it does not offer, or a value that does not fit; nothing is changed then.
    fn set_options(&self, changes: &OptionChanges) -> Result<(), PageFailure>;

    /// The next search knows nothing of those before.
    fn clear(&self);

    /// Gets it ready for a search.
    ///
    /// # Errors
    ///
    /// Why it cannot be used.
    fn prepare(&self, stop: &StopFlag) -> Result<(), PageFailure>;

    /// Searches until a limit is reached or it is stopped.
    ///
    /// # Errors
    ///
    /// The engine failed.
    fn search(
        &self,
        task: &SearchTask<'_>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(Told),
    ) -> Result<Decided, PageFailure>;

    /// Searches for a mate by checks.
    ///
    /// # Errors
    ///
    /// The engine failed, or knows no such search.
    fn mate(
        &self,
        game: &Game,
        time: Option<Duration>,
        stop: &StopFlag,
        tell: &mut dyn FnMut(MateState),
    ) -> Result<MateAnswer, PageFailure>;
}

/// All engines, ours first.
#[derive(Clone)]
pub(crate) struct Engines {
    own: Arc<OwnEngine>,
    others: Arc<Vec<UsiEngine>>,
}

impl Engines {
    pub(crate) fn new(own: OwnEngine, others: Vec<UsiEngine>) -> Self {
        Self {
            own: Arc::new(own),
            others: Arc::new(others),
        }
    }

    /// Ours.
    pub(crate) fn own(&self) -> &OwnEngine {
        &self.own
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn PageEngine> {
        let own: &dyn PageEngine = &*self.own;
        let others = self.others.iter();
        std::iter::once(own).chain(others.map(|engine| -> &dyn PageEngine { engine }))
    }

    /// The engine of a name; ours without one.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    pub(crate) fn get(&self, name: Option<&str>) -> Result<&dyn PageEngine, PageFailure> {
        let name = name.unwrap_or(OWN);
        self.iter()
            .find(|engine| engine.label() == name)
            .ok_or_else(|| {
                let name = name.escape_debug();
                let text = "this server was started without it: choose an engine in the settings";
                PageFailure::new(format!("engine '{name}': {text}"))
            })
    }
}
