//! The filter for reports of a search: not more often than `PvInterval`, always the last.

use std::time::Duration;

use shogi_core::{EnteringKingRule, Game, Move};
use shogi_search::{Bound, Observer, SearchInfo};

use crate::listener::{Listener, pv_end};
use crate::options::settings::EngineSettings;

/// Bounds (fail high, fail low) are shown only in searches that are larger than this, where an
/// iteration takes long.
const BOUND_NODES: u64 = 10_000_000;

/// The options about reports.
pub(crate) struct ReportOptions {
    /// Least time between two reports (`PvInterval`).
    interval: Duration,
    /// True if fail highs and fail lows are shown (`OutputFailLHPV`).
    show_bounds: bool,
    /// Number of lines of a complete iteration.
    line_count: usize,
    /// With `ConsiderationMode` the ends of lines are shown, by this rule about entering kings.
    ends: Option<EnteringKingRule>,
}

impl ReportOptions {
    /// For a search that reports `line_count` lines; one without end is shown without delay.
    pub(crate) fn new(settings: &EngineSettings, line_count: usize, infinite: bool) -> Self {
        let consideration = settings.consideration;
        let interval = if infinite || consideration {
            Duration::ZERO
        } else {
            settings.interval
        };
        Self {
            interval,
            show_bounds: settings.shows_bounds && line_count == 1,
            line_count,
            ends: consideration.then(|| settings.entering_king_rule()),
        }
    }

    /// For a search that reports sets of `line_count` lines when they are to be shown.
    pub(crate) fn of_sets(settings: &EngineSettings, line_count: usize) -> Self {
        Self {
            interval: Duration::ZERO,
            ..Self::new(settings, line_count, true)
        }
    }

    /// Number of lines of a complete iteration.
    pub(crate) const fn line_count(&self) -> usize {
        self.line_count
    }
}

/// Collects the lines of an iteration and passes complete sets to the listener.
pub(crate) struct Reporter<'a> {
    listener: &'a dyn Listener,
    options: &'a ReportOptions,
    /// The game whose current position the lines start from.
    game: &'a Game,
    /// The latest line of each number.
    lines: Vec<SearchInfo>,
    last_shown: Duration,
    dirty: bool,
    /// The first moves of the best line as it was shown last.
    shown_best: [Option<Move>; 2],
}

impl<'a> Reporter<'a> {
    /// For a search of the current position of `game`.
    pub(crate) const fn new(
        listener: &'a dyn Listener,
        options: &'a ReportOptions,
        game: &'a Game,
    ) -> Self {
        Self {
            listener,
            options,
            game,
            lines: Vec::new(),
            last_shown: Duration::ZERO,
            dirty: false,
            shown_best: [None; 2],
        }
    }

    /// Reports the lines that have not been shown yet.
    pub(crate) fn flush(&mut self) {
        if self.dirty {
            for line in std::mem::take(&mut self.lines) {
                self.show(&line);
                self.lines.push(line);
            }
            self.dirty = false;
        }
    }

    /// The reply to `best` in the best line as it was shown last.
    pub(crate) fn shown_reply(&self, best: Move) -> Option<Move> {
        let [first, reply] = self.shown_best;
        reply.filter(|_| first == Some(best))
    }
}

impl Reporter<'_> {
    fn show(&mut self, info: &SearchInfo) {
        let end = self.options.ends.and_then(|rule| {
            let (plies, end) = pv_end(self.game, &info.pv, rule);
            end.map(|end| (plies, end))
        });
        let plies = end.map_or(info.pv.len(), |(plies, _)| plies.min(info.pv.len()));
        let shown = &info.pv[..plies];
        if info.multi_pv == 1 {
            self.shown_best = [shown.first().copied(), shown.get(1).copied()];
        }
        match end {
            None => self.listener.line(info),
            Some((_, end)) => {
                let mut info = info.clone();
                info.pv.truncate(plies);
                self.listener.line_with_end(&info, end);
            }
        }
    }
}

impl Observer for Reporter<'_> {
    fn info(&mut self, info: &SearchInfo) {
        let index = info.multi_pv.saturating_sub(1);
        if index > self.lines.len() {
            return;
        }
        if index == self.lines.len() {
            self.lines.push(info.clone());
        } else {
            self.lines[index] = info.clone();
        }
        self.dirty = true;
        let complete = info.multi_pv >= self.options.line_count;
        let wanted =
            info.bound == Bound::Exact || (self.options.show_bounds && info.nodes > BOUND_NODES);
        let due = info.elapsed >= self.last_shown + self.options.interval;
        if complete && wanted && due {
            self.last_shown = info.elapsed;
            self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::listener::{PvEnd, SearchOutcome};
    use crate::options::EngineOptions;
    use crate::options::settings::Edition;
    use shogi_core::Position;
    use shogi_search::Value;
    use yane_book::probe::Profile;

    #[derive(Default)]
    struct Seen(Mutex<Vec<(u32, usize)>>);

    impl Listener for Seen {
        fn line(&self, info: &SearchInfo) {
            self.0.lock().unwrap().push((info.depth, info.multi_pv));
        }

        fn finished(&self, _: &SearchOutcome) {}
    }

    fn info(depth: u32, multi_pv: usize, elapsed_ms: u64, bound: Bound) -> SearchInfo {
        SearchInfo {
            depth,
            sel_depth: depth,
            multi_pv,
            score: Value(0),
            bound,
            nodes: 1,
            hash_full: 0,
            elapsed: Duration::from_millis(elapsed_ms),
            pv: Vec::new(),
        }
    }

    fn shown(line_count: usize, infinite: bool, infos: &[SearchInfo]) -> Vec<(u32, usize)> {
        let seen = Seen::default();
        let options = EngineOptions::new(Profile::Classic, Edition::AlphaBeta);
        let game = Game::new(Position::startpos());
        let options = ReportOptions::new(options.settings(), line_count, infinite);
        let mut reporter = Reporter::new(&seen, &options, &game);
        for info in infos {
            reporter.info(info);
        }
        reporter.flush();
        reporter.flush();
        seen.0.into_inner().unwrap()
    }

    #[test]
    fn the_interval_is_kept_and_the_last_line_is_shown() {
        let exact = |depth, ms| info(depth, 1, ms, Bound::Exact);
        let infos = [
            exact(1, 1),
            exact(2, 301),
            exact(3, 400),
            exact(4, 599),
            exact(5, 610),
        ];
        assert_eq!(shown(1, false, &infos), [(2, 1), (5, 1)]);
        assert_eq!(shown(1, true, &infos).len(), 5);
        assert_eq!(shown(1, false, &infos[..1]), [(1, 1)]);
    }

    #[test]
    fn lines_come_in_whole_sets() {
        let infos: Vec<_> = (1..=2)
            .flat_map(|d| (1..=3).map(move |n| info(d, n, 0, Bound::Exact)))
            .collect();
        let expected = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)];
        assert_eq!(shown(3, true, &infos), expected);
        assert_eq!(shown(3, false, &infos), expected[3..]);
    }

    #[test]
    fn a_bound_is_shown_only_at_the_end() {
        let infos = [info(1, 1, 1, Bound::Exact), info(2, 1, 2, Bound::Lower)];
        assert_eq!(shown(1, true, &infos), [(1, 1), (2, 1)]);
        let more = [
            infos[0].clone(),
            infos[1].clone(),
            info(2, 1, 3, Bound::Exact),
        ];
        assert_eq!(shown(1, true, &more), [(1, 1), (2, 1)]);
    }

    #[derive(Default)]
    struct Ends(Mutex<Vec<(usize, Option<PvEnd>)>>);

    impl Listener for Ends {
        fn line(&self, info: &SearchInfo) {
            self.0.lock().unwrap().push((info.pv.len(), None));
        }

        fn line_with_end(&self, info: &SearchInfo, end: PvEnd) {
            self.0.lock().unwrap().push((info.pv.len(), Some(end)));
        }

        fn finished(&self, _: &SearchOutcome) {}
    }

    #[test]
    fn ends_are_shown_for_consideration() {
        let game = Game::new(Position::startpos());
        let mut walked = game.clone();
        let pv = ["2h3h", "8b7b", "3h2h", "7b8b", "2h3h", "9c9d"].map(|text| {
            let m = walked.position().move_from_usi(text).unwrap();
            walked.play_unchecked(m);
            m
        });
        let line = SearchInfo {
            pv: pv.to_vec(),
            ..info(1, 1, 1, Bound::Exact)
        };
        let mut options = EngineOptions::new(Profile::Classic, Edition::AlphaBeta);
        let mut shown = |mode: &str| {
            options.set("ConsiderationMode", Some(mode)).unwrap();
            let ends = Ends::default();
            let report = ReportOptions::new(options.settings(), 1, false);
            let mut reporter = Reporter::new(&ends, &report, &game);
            reporter.info(&line);
            reporter.flush();
            ends.0.into_inner().unwrap()
        };
        assert_eq!(shown("false"), [(6, None)]);
        let draw = PvEnd::Repetition(shogi_core::Repetition::Draw);
        assert_eq!(shown("true"), [(5, Some(draw))]);
    }
}
