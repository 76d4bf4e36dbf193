//! The request of a search of the deep engine: a `go` command combined with the options.

use std::cell::Cell;
use std::sync::Arc;

use shogi_core::{EnteringKingRule, Game};
use shogi_search::{Control, Limits, TimeLimit};
use yane_clock::Instant;

use super::core::DeepCore;
use crate::engine::SearchTask;
use crate::human_time::{HumanTime, Impression};
use crate::listener::{Listener, SearchOutcome};
use crate::options::deep::DeepSettings;
use crate::options::settings::EngineSettings;
use crate::search::book::BookRequest;
use crate::search::report::{ReportOptions, Reporter};
use crate::search::request::{decide, fit_options, hold_back, human_time, limits};
use crate::skill::{Skill, SkillLines};

/// Everything that a search needs beside its [`DeepCore`].
pub(super) struct DeepRequest {
    game: Arc<Game>,
    limits: Limits,
    settings: DeepSettings,
    rule: EnteringKingRule,
    /// Scores of at most this many centipawns below zero are resigned.
    resign_value: i64,
    skill: Option<Skill>,
    /// The times of a person, where they are asked for.
    human: Option<HumanTime>,
    report: ReportOptions,
    book: Option<BookRequest>,
}

impl DeepRequest {
    /// The request that a task and the options make; `settings` are those of the deep engine.
    pub(super) fn new(
        task: SearchTask,
        common: &EngineSettings,
        mut settings: DeepSettings,
    ) -> Self {
        let (game, random) = (task.game, task.random);
        let mut limits = limits(&task.go, task.search_moves, &game, common, random);
        if limits.nodes.is_some() && matches!(limits.time, TimeLimit::Budget(_)) {
            // A number of playouts stands in place of the clock.
            limits.time = TimeLimit::None;
        }
        let mut search = common.search_options();
        let line_count = fit_options(&mut search, game.position(), &limits);
        settings.lines = line_count;
        let skill = Skill::of(&common.skill, random).filter(|_| !limits.infinite);
        let human = human_time(common, skill, &limits);
        if let Some(skill) = skill {
            skill.limit(&mut limits, &mut search);
            settings.lines = search.multi_pv;
        }
        Self {
            rule: search.entering_king_rule,
            resign_value: common.resign_value,
            report: ReportOptions::of_sets(common, line_count),
            game,
            limits,
            settings,
            skill,
            human,
            book: task.book,
        }
    }

    /// Finds the decision and reports lines meanwhile. The core is lost when the search fails.
    pub(super) fn run(
        &self,
        core: DeepCore,
        control: &Control,
        listener: &dyn Listener,
    ) -> (SearchOutcome, Option<DeepCore>) {
        let (begin, impression) = (Instant::now(), Cell::new(None));
        let search = |core: &mut DeepCore| self.search(core, control, listener, &impression);
        let (limits, book) = (&self.limits, self.book.as_ref());
        let decided = decide(&self.game, limits, self.rule, book, listener, core, search);
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
        core: &mut DeepCore,
        control: &Control,
        listener: &dyn Listener,
        impression: &Cell<Option<Impression>>,
    ) -> Option<SearchOutcome> {
        let mut reporter = Reporter::new(listener, &self.report, &self.game);
        let (limits, settings) = (&self.limits, &self.settings);
        let mut notice = |text: &str| listener.message(text);
        let notice: Option<&mut dyn FnMut(&str)> = Some(&mut notice);
        let (result, chosen) = if let Some(skill) = self.skill {
            let mut lines = SkillLines::new(&mut reporter, self.report.line_count());
            let result = core.search(&self.game, limits, settings, control, &mut lines, notice)?;
            let chosen = lines.choose(skill);
            impression
                .set(chosen.map(|(best, _)| Impression::new(&self.game, best, lines.lines())));
            (result, chosen)
        } else {
            let result =
                core.search(&self.game, limits, settings, control, &mut reporter, notice)?;
            (result, None)
        };
        reporter.flush();
        let units = shogi_deep::centipawns_of_win_rate(result.win_rate, settings.eval_coef);
        if result.win_rate < settings.resign_threshold || i64::from(units) <= -self.resign_value {
            return Some(SearchOutcome::Resign);
        }
        let (best, ponder) =
            chosen.unwrap_or_else(|| (result.best, reporter.shown_reply(result.best)));
        Some(SearchOutcome::Move { best, ponder })
    }
}
