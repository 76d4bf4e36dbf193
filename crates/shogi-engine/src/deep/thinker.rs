//! The deep engine as a thinker.

use std::panic::{AssertUnwindSafe, catch_unwind};

use shogi_core::Game;
use shogi_deep::{DeepModel, RootMove, RootProof, centipawns_of_win_rate};
use shogi_usi::Score;

use super::core::DeepCore;
use crate::options::deep::DeepSettings;
use crate::search::request::decided;
use crate::thinker::lines::{Lines, without_search};
use crate::thinker::{
    Decision, MoveVisits, ThinkError, ThinkLimits, Thinker, Thought, ThoughtLine,
};

/// An independent search of the deep engine on one thread: nodes are playouts, exactly so many, and no depth ends a search that has a number of
/// them. Any number share the weights of one network.
///
/// Moves that no playout went through have no line. Moves whose end is proved have the score of a mate of unknown length, and no other move has a
/// higher score than the best one: a move that few playouts went through may have looked better to the network.
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
        let (mut limits, control) = (task.limits(), task.control());
        if limits.nodes.is_some() {
            // The depth is looked at by the clock: results could not be repeated.
            limits.depth = None;
        }
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
            core.search(game, &limits, &settings, &control, &mut lines, None)
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
        let lines = lines.reported(game, self.consideration.then_some(rule));
        Ok(Thought {
            decision: if resigns { Decision::Resign } else { play },
            lines: with_proofs(lines, &result.moves),
            visits: visits(&result.moves),
            nodes: result.playouts,
            elapsed: control.elapsed(),
        })
    }
}

/// The lines without those of moves that were not tried, except for the first; proved ones with the score of a mate of unknown length, others with
/// at most that of the first.
fn with_proofs(lines: Vec<ThoughtLine>, moves: &[RootMove]) -> Vec<ThoughtLine> {
    let most = lines.first().map(|line| line.score);
    let known = |(number, mut line): (usize, ThoughtLine)| {
        let first = line.pv.first();
        if let Some(root) = moves.iter().find(|root| Some(&root.m) == first) {
            if root.visits == 0 && number > 0 {
                return None;
            }
            line.score = match (root.proof, line.score) {
                (RootProof::Wins, Score::Cp(_)) => Score::MateUnknown,
                (RootProof::Loses, Score::Cp(_)) => Score::MatedUnknown,
                (_, Score::Cp(cp)) => Score::Cp(match most {
                    Some(Score::Cp(most)) => cp.min(most),
                    _ => cp,
                }),
                (_, score) => score,
            };
        }
        Some(line)
    };
    lines.into_iter().enumerate().filter_map(known).collect()
}

/// The moves that were tried.
fn visits(moves: &[RootMove]) -> Vec<MoveVisits> {
    let tried = moves.iter().filter(|root| root.visits > 0);
    let visits = tried.map(|root| MoveVisits {
        mv: root.m,
        visits: root.visits,
        win_rate: match root.proof {
            RootProof::Wins => 1.0,
            RootProof::Loses => 0.0,
            RootProof::Open | RootProof::Draws => root.win_rate(),
        },
    });
    visits.collect()
}
