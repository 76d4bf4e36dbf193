//! What a `go` command and the options ask of a search, whichever engine it is, and decisions without a search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Declaration, EnteringKingRule, Game, Move, Position};
use shogi_search::{Clock, Control, Limits, SearchOptions, TimeBudget, TimeLimit};
use shogi_usi::GoCommand;
use yane_clock::Instant;

use super::book::BookRequest;
use crate::human_time::{HumanTime, Impression};
use crate::listener::{Listener, SearchOutcome};
use crate::options::settings::EngineSettings;
use crate::skill::Skill;

/// The times of a person, if the options and the limits are for them.
pub(crate) fn human_time(
    settings: &EngineSettings,
    skill: Option<Skill>,
    limits: &Limits,
) -> Option<HumanTime> {
    let skill = skill.filter(|_| settings.skill.human_time)?;
    HumanTime::new(skill, &limits.time)
}

/// The limits for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
/// the times of `rtime` differ.
pub(crate) fn limits(
    go: &GoCommand,
    search_moves: Vec<Move>,
    game: &Game,
    settings: &EngineSettings,
    random: u64,
) -> Limits {
    let or_option = |given: Option<u64>, option| given.map(|limit| limit.max(1)).or(option);
    let depth = or_option(go.depth.map(u64::from), settings.depth_limit);
    Limits {
        depth: depth.map(|depth| depth.min(u64::from(u32::MAX)) as u32),
        nodes: or_option(go.nodes, settings.nodes_limit),
        time: time_limit(go, game, settings, random),
        search_moves,
        infinite: go.infinite,
    }
}

/// The time limit: that of time management unless the command has another. Without any clock it is as with empty
/// clocks, so that a bare `go` is answered soon.
fn time_limit(go: &GoCommand, game: &Game, settings: &EngineSettings, random: u64) -> TimeLimit {
    if let Some(time) = go.movetime {
        return TimeLimit::MoveTime(time);
    }
    if go.infinite || ((go.depth.is_some() || go.nodes.is_some()) && go.rtime.is_none()) {
        return TimeLimit::None;
    }
    let position = game.position();
    let (time, increment) = match position.side_to_move() {
        Color::Black => (go.clock.btime, go.clock.binc),
        Color::White => (go.clock.wtime, go.clock.winc),
    };
    let ms = |time: Option<Duration>| time.unwrap_or_default().as_millis() as u64;
    let clock = Clock {
        time: ms(time),
        inc: ms(increment),
        byoyomi: ms(go.clock.byoyomi),
        rtime: ms(go.rtime),
        random,
    };
    let budget = TimeBudget::for_play(
        &clock,
        position.ply(),
        settings.max_moves_to_draw(),
        &settings.time,
        &settings.params,
    );
    TimeLimit::Budget(budget)
}

/// Fits `options` to the moves to search: one that was asked for is searched even when it is a pointless
/// non-promotion. Returns the number of lines that there will be.
pub(crate) fn fit_options(
    options: &mut SearchOptions,
    position: &Position,
    limits: &Limits,
) -> usize {
    let named = &limits.search_moves;
    options.generate_all_legal_moves |= named
        .iter()
        .any(|&m| position.is_pointless_non_promotion(m));
    let root_moves = match (named.len(), options.generate_all_legal_moves) {
        (0, false) => position.count_moves::<Legal>(),
        (0, true) => position.count_moves::<LegalAll>(),
        (named, _) => named,
    };
    options.multi_pv.min(root_moves)
}

/// The decision without a search, of the book, or of `search`; any move where that fails, and then the core is lost.
pub(crate) fn decide<C>(
    game: &Game,
    limits: &Limits,
    rule: EnteringKingRule,
    book: Option<&BookRequest>,
    listener: &dyn Listener,
    mut core: C,
    search: impl FnOnce(&mut C) -> Option<SearchOutcome>,
) -> (SearchOutcome, Option<C>) {
    if let Some(outcome) = decided(game.position(), rule, limits) {
        listener.decided(&outcome);
        return (outcome, Some(core));
    }
    let searched = catch_unwind(AssertUnwindSafe(|| {
        let outcome = book
            .and_then(|book| book.probe(game, &limits.search_moves, listener))
            .or_else(|| search(&mut core));
        (outcome, core)
    }));
    let failed = || fallback(game.position(), limits);
    match searched {
        Ok((outcome, core)) => (outcome.unwrap_or_else(failed), Some(core)),
        Err(_) => (failed(), None),
    }
}

/// Holds a decision back as long as a person would think, who has this `impression`; without one the move comes from the book.
pub(crate) fn hold_back(
    human: Option<HumanTime>,
    game: &Game,
    outcome: &SearchOutcome,
    impression: Option<Impression>,
    begin: Instant,
    control: &Control,
) {
    if let (Some(human), &SearchOutcome::Move { best, .. }) = (human, outcome) {
        let impression = impression.unwrap_or_else(|| Impression::new(game, best, &[]));
        human.hold(impression, begin, control);
    }
}

/// Any move, so that an error of the program does not lose the game at once.
pub(crate) fn fallback(position: &Position, limits: &Limits) -> SearchOutcome {
    let named = limits.search_moves.first().copied();
    match named.or_else(|| position.moves::<LegalAll>().first().copied()) {
        Some(fallback) => SearchOutcome::Failed { fallback },
        None => SearchOutcome::Mated,
    }
}

/// The decision without a search: a declaration, unless moves to search were named, or no legal move.
pub(crate) fn decided(
    position: &Position,
    rule: EnteringKingRule,
    limits: &Limits,
) -> Option<SearchOutcome> {
    if limits.search_moves.is_empty() {
        match position.declaration(rule) {
            Some(Declaration::Win) => return Some(SearchOutcome::DeclareWin),
            Some(Declaration::Try(m)) => return Some(SearchOutcome::Try(m)),
            None => {}
        }
    }
    position.has_no_legal_move().then_some(SearchOutcome::Mated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::EngineOptions;
    use crate::options::settings::Edition;
    use shogi_core::Position;
    use yane_book::probe::Profile;

    fn limits_of(go: &str, options: &EngineOptions) -> Limits {
        let game = Game::new(Position::startpos());
        let settings = options.settings();
        limits(&go.parse().unwrap(), Vec::new(), &game, settings, 7)
    }

    #[test]
    fn limits_of_the_command_override_the_options() {
        let mut options = EngineOptions::new(Profile::Classic, Edition::AlphaBeta);
        options.set("DepthLimit", Some("7")).unwrap();
        let by_option = limits_of("btime 60000", &options);
        assert_eq!((by_option.depth, by_option.nodes), (Some(7), None));
        assert!(matches!(by_option.time, TimeLimit::Budget(_)));
        let given = limits_of("depth 3 nodes 0", &options);
        assert_eq!((given.depth, given.nodes), (Some(3), Some(1)));
        assert_eq!(given.time, TimeLimit::None);
    }

    #[test]
    fn each_side_has_its_clock() {
        let options = EngineOptions::new(Profile::Classic, Edition::AlphaBeta);
        let optimum = |go: &str| match limits_of(go, &options).time {
            TimeLimit::Budget(budget) => budget.optimum,
            other => panic!("{other:?}"),
        };
        assert!(optimum("btime 600000 wtime 10000") > optimum("btime 10000 wtime 600000"));
        assert!(optimum("") <= 100);
        assert_eq!(
            limits_of("infinite btime 5", &options).time,
            TimeLimit::None
        );
        let movetime = TimeLimit::MoveTime(Duration::from_millis(10));
        assert_eq!(limits_of("movetime 10", &options).time, movetime);
        assert!((100..150).contains(&optimum("rtime 100")));
    }
}
