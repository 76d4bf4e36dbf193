//! The request of a search of the deep engine: a `go` command combined with the options.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use shogi_core::{EnteringKingRule, Game, Move};
use shogi_search::{Control, Limits, TimeLimit};
use shogi_usi::{GoCommand, Options};

use super::DeepCore;
use crate::human_time::{HumanTime, Impression};
use crate::options::deep::DeepSettings;
use crate::options::search_options;
use crate::search::{
    BookRequest, ReportOptions, Reporter, decide, fit_options, hold_back, human_time, limits,
};
use crate::skill::{Skill, SkillLines};
use crate::{Listener, SearchOutcome};

/// Everything that a search needs beside its [`DeepCore`].
pub(crate) struct DeepRequest {
    pub(crate) game: Arc<Game>,
    pub(crate) limits: Limits,
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
    /// The request for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes the times of `rtime` differ.
    pub(crate) fn new(
        go: &GoCommand,
        game: Arc<Game>,
        search_moves: Vec<Move>,
        options: &Options,
        settings: DeepSettings,
        random: u64,
        book: Option<BookRequest>,
    ) -> Self {
        let mut limits = limits(go, search_moves, &game, options, random);
        if limits.nodes.is_some() && matches!(limits.time, TimeLimit::Budget(_)) {
            // A number of playouts stands in place of the clock.
            limits.time = TimeLimit::None;
        }
        let mut search = search_options(options);
        let line_count = fit_options(&mut search, game.position(), &limits);
        let mut settings = settings;
        settings.lines = line_count;
        let skill = Skill::of(options, random).filter(|_| !limits.infinite);
        let human = human_time(options, skill, &limits);
        if let Some(skill) = skill {
            skill.limit(&mut limits, &mut search);
            settings.lines = search.multi_pv;
        }
        Self {
            rule: search.entering_king_rule,
            resign_value: options.spin("ResignValue"),
            report: ReportOptions::of_sets(options, line_count),
            game,
            limits,
            settings,
            skill,
            human,
            book,
        }
    }

    /// Finds the decision and reports lines meanwhile. The core is lost when the search fails.
    pub(crate) fn run(
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
