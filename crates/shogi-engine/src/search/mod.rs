//! Searches: the memory that one leaves to the next, and the request that a `go` command and the options make.

mod running;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Declaration, EnteringKingRule, Game, Move, Position};
use shogi_eval::loader::{AnyEvaluator, Evaluation};
use shogi_eval::nnue::FvScale;
use shogi_search::{
    Clock, Control, Limits, Observer, Params, SearchOptions, SearchResult, SearchUnit, SharedState,
    ThreadPlacement, TimeBudget, TimeLimit, Value, quiescence, search_with_helpers,
};
use shogi_usi::{GoCommand, Options};
use yane_base::random::stream;
use yane_book::probe::{Books, Message, ProbeOptions, probe};

use crate::deep::DeepCore;
use crate::human_time::{HumanTime, Impression};
use crate::options::{placement, search_options, search_params, threads, time_options};
use crate::skill::{Skill, SkillLines};
use crate::{Listener, SearchOutcome};

pub(crate) use running::{ReportOptions, Reporter, RunningSearch, STACK_BYTES};

/// What a search works with and leaves to the next.
pub(crate) enum EngineCore {
    /// The alpha-beta engine's.
    AlphaBeta(Box<SearchCore>),
    /// The deep engine's.
    Deep(Box<DeepCore>),
}

/// The evaluators, the transposition table and the histories that one search leaves to the next.
pub(crate) struct SearchCore {
    evaluator: AnyEvaluator,
    /// Evaluators of the other threads.
    helpers: Vec<AnyEvaluator>,
    /// The evaluation of the evaluators; `None` when they have to be made.
    evaluation: Option<ScaledEvaluation>,
    pub(crate) shared: SharedState,
}

/// An evaluation with the divisor of [`Evaluation::evaluator`].
#[derive(Clone, Debug)]
pub(crate) struct ScaledEvaluation {
    pub(crate) evaluation: Evaluation,
    pub(crate) scale: Option<FvScale>,
    /// The unit in which it is searched.
    pub(crate) unit: SearchUnit,
}

impl ScaledEvaluation {
    /// An evaluator for one thread.
    pub(crate) fn evaluator(&self) -> AnyEvaluator {
        self.evaluation.evaluator(self.scale)
    }

    /// Returns whether every position has the same value to searches with both.
    fn is_same(&self, other: &Self) -> bool {
        (self.scale, self.unit) == (other.scale, other.unit)
            && self.evaluation.is_same(&other.evaluation)
    }
}

impl SearchCore {
    pub(crate) fn new(hash_mib: usize, evaluation: ScaledEvaluation) -> Self {
        let mut shared = SharedState::new(hash_mib);
        shared.unit = evaluation.unit;
        Self {
            evaluator: evaluation.evaluator(),
            helpers: Vec::new(),
            evaluation: Some(evaluation),
            shared,
        }
    }

    /// Sets the evaluation. When it is another one, the transposition table and histories are cleared.
    pub(crate) fn evaluate_with(&mut self, evaluation: ScaledEvaluation) {
        let current = self.evaluation.as_ref();
        if !current.is_some_and(|current| current.is_same(&evaluation)) {
            self.evaluator = evaluation.evaluator();
            self.helpers.clear();
            self.shared.unit = evaluation.unit;
            self.evaluation = Some(evaluation);
            self.shared.clear();
        }
    }

    /// Sets the number of threads, at least one.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        let helpers = threads.saturating_sub(1);
        let evaluation = self.evaluation.as_ref();
        self.helpers.resize_with(helpers, || {
            evaluation.map_or_else(without_data, ScaledEvaluation::evaluator)
        });
    }

    /// [`shogi_search::search`] with this core.
    pub(crate) fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        options: &SearchOptions,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Option<SearchResult> {
        search_with_helpers(
            game,
            limits,
            options,
            &mut self.evaluator,
            &mut self.helpers,
            &mut self.shared,
            control,
            observer,
        )
    }

    /// [`shogi_search::quiescence`] with this core.
    pub(crate) fn quiescence(
        &mut self,
        game: &Game,
        options: &SearchOptions,
    ) -> (Value, Vec<Move>) {
        quiescence(game, options, &mut self.evaluator, &mut self.shared)
    }

    /// Frees the evaluation, so that another can take its place in memory.
    pub(crate) fn drop_evaluation(&mut self) {
        self.evaluator = without_data();
        self.helpers.clear();
        self.evaluation = None;
    }
}

/// An evaluator that takes no memory.
fn without_data() -> AnyEvaluator {
    Evaluation::positional().evaluator(None)
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

impl SearchRequest {
    /// Finds the decision and reports lines meanwhile. The core is lost when the search fails.
    pub(crate) fn run(
        &self,
        core: SearchCore,
        control: &Control,
        listener: &dyn Listener,
    ) -> (SearchOutcome, Option<SearchCore>) {
        let (begin, impression) = (Instant::now(), Cell::new(None));
        let rule = self.search.entering_king_rule;
        let search = |core: &mut SearchCore| self.search(core, control, listener, &impression);
        let (limits, book) = (&self.limits, self.book.as_ref());
        let decided = decide(&self.game, limits, rule, book, listener, core, search);
        hold_back(
            self.human,
            &self.game,
            &decided.0,
            impression.get(),
            begin,
            control,
        );
        decided
    }

    fn search(
        &self,
        core: &mut SearchCore,
        control: &Control,
        listener: &dyn Listener,
        impression: &Cell<Option<Impression>>,
    ) -> Option<SearchOutcome> {
        let mut reporter = Reporter::new(listener, &self.report, &self.game);
        core.shared.params = self.params.clone();
        core.set_threads(self.threads);
        core.shared.placement = self.placement.clone();
        let mut search = |observer: &mut dyn Observer| {
            core.search(&self.game, &self.limits, &self.search, control, observer)
        };
        let (result, chosen) = if let Some(skill) = self.skill {
            let mut lines = SkillLines::new(&mut reporter, self.report.line_count());
            let result = search(&mut lines)?;
            let chosen = lines.choose(skill);
            impression
                .set(chosen.map(|(best, _)| Impression::new(&self.game, best, lines.lines())));
            (result, chosen)
        } else {
            (search(&mut reporter)?, None)
        };
        reporter.flush();
        if i64::from(result.score.centipawns()) <= -self.resign_value {
            return Some(SearchOutcome::Resign);
        }
        Some(match chosen {
            Some((best, ponder)) => SearchOutcome::Move { best, ponder },
            None => SearchOutcome::Move {
                best: result.best,
                ponder: reporter.shown_reply(result.best),
            },
        })
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

// The request of a search: a `go` command combined with the options.

/// Everything that a search needs beside the memory of its [`SearchCore`].
pub(crate) struct SearchRequest {
    /// The game that is searched: for a ponder search with `Stochastic_Ponder` the one before the last move.
    pub(crate) game: Arc<Game>,
    /// The limits: depth, nodes, time control; and the moves to search.
    pub(crate) limits: Limits,
    /// Multi-PV, draw values and rules.
    pub(crate) search: SearchOptions,
    /// The parameters of the search.
    pub(crate) params: Params,
    /// Number of threads that search.
    pub(crate) threads: usize,
    /// Their placement on processors.
    pub(crate) placement: ThreadPlacement,
    /// Scores of at most this many centipawns below zero are resigned.
    pub(crate) resign_value: i64,
    /// The strength limit; `None` for full strength.
    pub(crate) skill: Option<Skill>,
    /// The times of a person, where they are asked for.
    pub(crate) human: Option<HumanTime>,
    /// The options about reports.
    pub(crate) report: ReportOptions,
    /// The book, probed before searching; `None` when the search itself is wanted.
    pub(crate) book: Option<BookRequest>,
}

/// The purpose of looking into the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookPurpose {
    /// A move of the book is the decision.
    Play,
    /// Its moves are shown, then the position is searched: in analysis.
    Show,
}

/// The book probe of one decision.
pub(crate) struct BookRequest {
    pub(crate) purpose: BookPurpose,
    pub(crate) books: Arc<Books>,
    pub(crate) options: ProbeOptions,
    /// The seed of the choice among moves of the book.
    pub(crate) seed: u64,
}

impl BookRequest {
    /// The move of the book, if it has one and is to be played. Of the moves that are only shown, those in `named` alone, unless
    /// that is empty.
    pub(crate) fn probe(
        &self,
        game: &Game,
        named: &[Move],
        listener: &dyn Listener,
    ) -> Option<SearchOutcome> {
        let mut rng = stream(self.seed);
        let found = probe(&self.books, game, &self.options, &mut rng);
        let is_shown_only = self.purpose == BookPurpose::Show;
        let messages = if is_shown_only {
            shown_in_analysis(found.messages, named)
        } else {
            found.messages
        };
        for message in &messages {
            listener.book(message);
        }
        if is_shown_only {
            return None;
        }
        found.choice.map(|choice| SearchOutcome::Move {
            best: choice.mv,
            ponder: choice.ponder,
        })
    }
}

/// The messages of the book that are of use in analysis: the moves, those in `named` alone unless that is empty, and what is wrong
/// with the book; not how a move would be chosen.
fn shown_in_analysis(messages: Vec<Message>, named: &[Move]) -> Vec<Message> {
    let mut number = 0;
    let mut shown = |message| match message {
        Message::Line(mut line) => {
            let first = line.pv.first()?;
            if !named.is_empty() && !named.contains(first) {
                return None;
            }
            number += 1;
            line.number = number;
            Some(Message::Line(line))
        }
        Message::Illegal { .. } | Message::Broken(_) => Some(message),
        _ => None,
    };
    messages.into_iter().filter_map(&mut shown).collect()
}

impl SearchRequest {
    /// The request for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
    /// the times of `rtime` differ.
    pub(crate) fn new(
        go: &GoCommand,
        game: Arc<Game>,
        search_moves: Vec<Move>,
        options: &Options,
        random: u64,
        book: Option<BookRequest>,
    ) -> Self {
        let mut limits = limits(go, search_moves, &game, options, random);
        let mut search = search_options(options);
        let line_count = fit_options(&mut search, game.position(), &limits);
        // Analysis is never limited.
        let skill = Skill::of(options, random).filter(|_| !limits.infinite);
        let human = human_time(options, skill, &limits);
        if let Some(skill) = skill {
            skill.limit(&mut limits, &mut search);
        }
        let threads = threads(options);
        Self {
            params: search_params(options),
            threads,
            placement: placement(options, threads),
            resign_value: options.spin("ResignValue"),
            skill,
            human,
            report: ReportOptions::new(options, line_count, limits.infinite),
            game,
            limits,
            search,
            book,
        }
    }
}

/// The times of a person, if the options and the limits are for them.
pub(crate) fn human_time(
    options: &Options,
    skill: Option<Skill>,
    limits: &Limits,
) -> Option<HumanTime> {
    let skill = skill.filter(|_| options.check("HumanTime"))?;
    HumanTime::new(skill, &limits.time)
}

/// The limits for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
/// the times of `rtime` differ.
pub(crate) fn limits(
    go: &GoCommand,
    search_moves: Vec<Move>,
    game: &Game,
    options: &Options,
    random: u64,
) -> Limits {
    let or_option = |given: Option<u64>, name| {
        given
            .map(|limit| limit.max(1))
            .or_else(|| match options.spin(name) {
                0 => None,
                limit => Some(limit.unsigned_abs()),
            })
    };
    let depth = or_option(go.depth.map(u64::from), "DepthLimit");
    Limits {
        depth: depth.map(|depth| depth.min(u64::from(u32::MAX)) as u32),
        nodes: or_option(go.nodes, "NodesLimit"),
        time: time_limit(go, game, options, random),
        search_moves,
        infinite: go.infinite,
    }
}

/// The time limit: that of time management unless the command has another. Without any clock it is as with empty
/// clocks, so that a bare `go` is answered soon.
fn time_limit(go: &GoCommand, game: &Game, options: &Options, random: u64) -> TimeLimit {
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
    let max_moves = options.spin("MaxMovesToDraw") as u32;
    let budget = TimeBudget::for_play(
        &clock,
        position.ply(),
        max_moves,
        &time_options(options),
        &search_params(options),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::deep::Edition;
    use crate::options::engine_options;
    use shogi_core::Position;
    use yane_book::probe::Profile;

    fn limits_of(go: &str, options: &Options) -> Limits {
        let game = Game::new(Position::startpos());
        limits(&go.parse().unwrap(), Vec::new(), &game, options, 7)
    }

    #[test]
    fn limits_of_the_command_override_the_options() {
        let mut options = engine_options(Profile::Classic, Edition::AlphaBeta);
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
        let options = engine_options(Profile::Classic, Edition::AlphaBeta);
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
