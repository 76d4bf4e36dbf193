//! Play of one game. Engines choose moves; the rules of its end are checked here.

mod adjudication;
mod opening;
mod playing;
mod rules;
mod scores;

use farm::WorkError;
use shogi_core::Game;
use shogi_farm::{WorkerContext, work_error};

use adjudication::Adjudicator;
use opening::opening;
use playing::Play;
pub(crate) use playing::Played;
pub(crate) use rules::{GameRules, Random, Verdict};

/// Plays a game from the end of the game that `start` gives for attempt 0, whose moves count for repetitions; for
/// later attempts if a filter refuses the position after the random moves.
///
/// # Errors
/// When the engine fails, reports no score, or the run ends: nothing is recorded then.
pub(crate) fn play(
    start: &dyn Fn(u64) -> Game,
    rules: &GameRules,
    random: &mut Random,
    context: &mut WorkerContext<'_>,
) -> Result<Played, WorkError> {
    begin(rules, context)?;
    let mut play = opening(start, rules, random, context)?;
    let start = play.game.position().clone();
    let mut adjudicator = Adjudicator::new(&rules.adjudication, random);
    let verdict = loop {
        if let Some(verdict) = play.verdict() {
            break verdict;
        }
        if let Some(verdict) = play.ply(context, &mut adjudicator, random)? {
            break verdict;
        }
    };
    Ok(Played {
        start,
        plies: play.plies,
        verdict,
        violation: play.violation,
    })
}

/// A start position with the moves that lead to it: the opening of a game.
///
/// # Errors
/// See [`play`].
pub(crate) fn balanced_start(
    start: &dyn Fn(u64) -> Game,
    rules: &GameRules,
    random: &mut Random,
    context: &mut WorkerContext<'_>,
) -> Result<Game, WorkError> {
    begin(rules, context)?;
    Ok(opening(start, rules, random, context)?.game)
}

/// Tells the engine that a game begins.
fn begin(rules: &GameRules, context: &mut WorkerContext<'_>) -> Result<(), WorkError> {
    let begun = if rules.forget {
        context.engine.new_game()
    } else {
        context.engine.next_game()
    };
    begun.map_err(|error| work_error(&error))
}
