//! The request of a search of the alpha-beta engine: a `go` command combined with the options.

use std::cell::Cell;
use std::sync::Arc;

use shogi_core::Game;
use shogi_search::{Control, Limits, Observer, Params, SearchOptions, ThreadPlacement};
use yane_clock::Instant;

use super::core::SearchCore;
use crate::engine::SearchTask;
use crate::human_time::{HumanTime, Impression};
use crate::listener::{Listener, SearchOutcome};
use crate::options::settings::EngineSettings;
use crate::search::book::BookRequest;
use crate::search::report::{ReportOptions, Reporter};
use crate::search::request::{decide, fit_options, hold_back, human_time, limits};
use crate::skill::{Skill, SkillLines};

/// Everything that a search needs beside the memory of its [`SearchCore`].
pub(super) struct SearchRequest {
    /// The game that is searched: for a ponder search with `Stochastic_Ponder` the one before the last move.
    game: Arc<Game>,
    /// The limits: depth, nodes, time control; and the moves to search.
    limits: Limits,
    /// Multi-PV, draw values and rules.
    search: SearchOptions,
    /// The parameters of the search.
    params: Params,
    /// Number of threads that search.
    threads: usize,
    /// Their placement on processors.
    placement: ThreadPlacement,
    /// Scores of at most this many centipawns below zero are resigned.
    resign_value: i64,
    /// The strength limit; `None` for full strength.
    skill: Option<Skill>,
    /// The times of a person, where they are asked for.
    human: Option<HumanTime>,
    /// The options about reports.
    report: ReportOptions,
    /// The book, probed before searching; `None` when the search itself is wanted.
    book: Option<BookRequest>,
}

impl SearchRequest {
    /// The request that a task and the options make.
    pub(super) fn new(task: SearchTask, settings: &EngineSettings) -> Self {
        let (game, random) = (task.game, task.random);
        let mut limits = limits(&task.go, task.search_moves, &game, settings, random);
        let mut search = settings.search_options();
        let line_count = fit_options(&mut search, game.position(), &limits);
        // Analysis is never limited.
        let skill = Skill::of(&settings.skill, random).filter(|_| !limits.infinite);
        let human = human_time(settings, skill, &limits);
        if let Some(skill) = skill {
            skill.limit(&mut limits, &mut search);
        }
        let threads = settings.threads;
        Self {
            params: settings.params.clone(),
            threads,
            placement: settings.placement(threads),
            resign_value: settings.resign_value,
            skill,
            human,
            report: ReportOptions::new(settings, line_count, limits.infinite),
            game,
            limits,
            search,
            book: task.book,
        }
    }
}

impl SearchRequest {
    /// Finds the decision and reports lines meanwhile. The core is lost when the search fails.
    pub(super) fn run(
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
