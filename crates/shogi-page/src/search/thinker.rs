//! An engine of the page as a thinker, for analyses: one search after the other, each of which can be stopped.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use page_messages::{PageFailure, StopFlag};
use shogi_core::Game;
use shogi_engine::{Decision, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine};
use yane_clock::Instant;

use crate::engines::{
    Decided, FoundLine, PageEngine, Purpose, SearchLimits, SearchTask, Told, Totals,
};

/// An engine as a thinker.
pub(super) struct PageThinker<'a> {
    engine: &'a dyn PageEngine,
    stop: StopFlag,
    name: String,
    /// Why the last search failed.
    failure: Mutex<Option<PageFailure>>,
}

impl<'a> PageThinker<'a> {
    pub(super) fn new(engine: &'a dyn PageEngine, stop: &StopFlag) -> Self {
        Self {
            engine,
            stop: stop.clone(),
            name: engine.fields().name,
            failure: Mutex::default(),
        }
    }

    /// The flag that stops it.
    pub(super) fn stop(&self) -> Arc<AtomicBool> {
        self.stop.shared()
    }

    /// Why the last search failed.
    pub(super) fn take_failure(&self) -> Option<PageFailure> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    fn search(&self, task: &SearchTask<'_>) -> Result<Thought, PageFailure> {
        let mut lines: Vec<FoundLine> = Vec::new();
        let mut totals = Totals::default();
        let begin = Instant::now();
        let decided = self
            .engine
            .search(task, &self.stop, &mut |told| match told {
                Told::Line(line) => match lines.iter_mut().find(|one| one.number == line.number) {
                    Some(one) => *one = line,
                    None => lines.push(line),
                },
                Told::Totals(newer) => totals.update(newer),
                Told::Book(_) | Told::Nothing => {}
            })?;
        lines.sort_by_key(|line| line.number);
        let line = |line: FoundLine| ThoughtLine {
            depth: line.depth,
            sel_depth: line.sel_depth.unwrap_or(0),
            score: line.score,
            bound: line.bound,
            pv: line.pv,
            end: None,
        };
        Ok(Thought {
            decision: match decided {
                Decided::Move(best) => Decision::Play { best, ponder: None },
                Decided::Win => Decision::DeclareWin,
                Decided::Resign | Decided::Nothing => Decision::Resign,
            },
            lines: lines.into_iter().map(line).collect(),
            visits: Vec::new(),
            nodes: totals.nodes.unwrap_or_default(),
            elapsed: begin.elapsed(),
        })
    }
}

impl Thinker for PageThinker<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.engine.clear();
        Ok(())
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        Ok(())
    }

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        let task = SearchTask {
            game,
            purpose: Purpose::Consider,
            limits: SearchLimits {
                depth: limits.depth,
                nodes: limits.nodes,
                time: limits.time.map(|time| time.max(Duration::from_millis(1))),
                clock: None,
            },
            lines: limits.lines,
            search_moves: limits.search_moves.clone(),
            uses_book: false,
        };
        self.search(&task).map_err(|failure| {
            let mut place = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some(failure);
            ThinkError::Failed
        })
    }
}
