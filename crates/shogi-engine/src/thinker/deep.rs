//! The deep engine as a thinker.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shogi_core::Game;
use shogi_deep::{DeepModel, centipawns_of_win_rate};

use super::searcher::{Lines, without_search};
use super::{Decision, ThinkError, ThinkLimits, Thinker, Thought};
use crate::deep::DeepCore;
use crate::options::deep::DeepSettings;
use crate::search::decided;

/// An independent search of the deep engine on one thread: nodes are playouts. Any number share the weights of one network.
///
/// [`crate::Session::thinker`] makes one when the deep engine plays.
pub(crate) struct DeepThinker {
    core: DeepCore,
    settings: DeepSettings,
    resign_value: i64,
    /// True if ends of lines are reported.
    consideration: bool,
}

impl DeepThinker {
    pub(crate) fn new(
        model: DeepModel,
        settings: DeepSettings,
        resign_value: i64,
        consideration: bool,
    ) -> Self {
        Self {
            core: DeepCore::new(model),
            settings,
            resign_value,
            consideration,
        }
    }
}

impl Thinker for DeepThinker {
    fn name(&self) -> &'static str {
        concat!("yaneura ", env!("CARGO_PKG_VERSION"), " (deep)")
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.core.new_game();
        Ok(())
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        Ok(())
    }

    fn think(&mut self, game: &Game, task: &ThinkLimits) -> Result<Thought, ThinkError> {
        task.check(game)?;
        let (limits, control) = (task.limits(), task.control());
        let rule = self.settings.params.entering_king_rule;
        if let Some(outcome) = decided(game.position(), rule, &limits) {
            return Ok(without_search(&outcome, control.elapsed()));
        }
        let settings = DeepSettings {
            lines: task.lines.max(1),
            interval: None,
            ..self.settings.clone()
        };
        let mut lines = Lines::default();
        let core = &mut self.core;
        let searched = catch_unwind(AssertUnwindSafe(|| {
            core.search(game, &limits, &settings, &control, &mut lines)
        }));
        let Ok(Some(result)) = searched else {
            // Its state may be inconsistent.
            self.core.new_game();
            return Err(ThinkError::Failed);
        };
        let cp = centipawns_of_win_rate(result.win_rate, settings.eval_coef);
        let resigns =
            result.win_rate < settings.resign_threshold || i64::from(cp) <= -self.resign_value;
        let play = Decision::Play {
            best: result.best,
            ponder: result.ponder,
        };
        Ok(Thought {
            decision: if resigns { Decision::Resign } else { play },
            lines: lines.reported(game, self.consideration.then_some(rule)),
            nodes: result.playouts,
            elapsed: control.elapsed(),
        })
    }
}
