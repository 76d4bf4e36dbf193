//! What the deep engine searches with: PUCT with a policy and value network, with the limits and lines of an engine.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use shogi_core::{Game, Move};
use shogi_deep::{
    DeepModel, PolicyValueEvaluator, PuctRun, PuctSearch, PvMateSolver, RootMove, units_of_win_rate,
};
use shogi_search::{Bound, Control, Limits, Observer, SearchInfo, Value};

use super::clock::{ClockView, DeepClock};
use crate::options::deep::DeepSettings;

/// Least time between two looks at the clock.
const CLOCK_INTERVAL: Duration = Duration::from_millis(10);
/// Plies after which the lines of two moves may have met.
const MEETING_PLIES: [usize; 2] = [2, 4];
/// Longest mate that is reported as one of its length.
const LONGEST_MATE: usize = 245;

/// What one search of the deep engine leaves to the next: the tree, evaluators and mate solvers.
pub(crate) struct DeepCore {
    model: DeepModel,
    evaluators: Vec<Box<dyn PolicyValueEvaluator>>,
    search: Option<PuctSearch>,
    mates: Vec<PvMateSolver>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeepResult {
    pub(crate) best: Move,
    /// The reply that is expected.
    pub(crate) ponder: Option<Move>,
    /// The probability that the best move wins.
    pub(crate) win_rate: f32,
    pub(crate) playouts: u64,
    /// The moves of the root, the best by playouts first.
    pub(crate) moves: Vec<RootMove>,
}

impl DeepCore {
    pub(crate) const fn new(model: DeepModel) -> Self {
        Self {
            model,
            evaluators: Vec::new(),
            search: None,
            mates: Vec::new(),
        }
    }

    /// Forgets the tree.
    pub(crate) fn new_game(&mut self) {
        self.search = None;
    }

    /// Makes evaluators and solvers, and evaluates a position with each, so that the first search need not.
    pub(crate) fn prepare(&mut self, settings: &DeepSettings) {
        let fits = self
            .evaluators
            .iter()
            .all(|evaluator| evaluator.max_batch() == settings.batch.max(1));
        let lanes = self.model.lanes(settings.batch);
        let count = settings.threads.max(1) * lanes;
        if self.evaluators.len() != count || !fits {
            let make = |number: usize| {
                let device = settings.devices.get(number / lanes);
                let device = device.copied().unwrap_or_default();
                let mut evaluator = self.model.evaluator(settings.batch, device);
                evaluator.put(0, &shogi_core::Position::startpos());
                // What fails is told by the search.
                evaluator.try_evaluate(1).ok();
                evaluator
            };
            self.evaluators = (0..count).map(make).collect();
        }
        let is_alike = |solver: &PvMateSolver| solver.nodes() == settings.mate_nodes;
        if !self.mates.iter().all(is_alike) {
            self.mates.clear();
        }
        let solvers = if settings.mate_nodes == 0 {
            0
        } else {
            settings.mate_threads
        };
        let solver = || PvMateSolver::new(settings.mate_nodes);
        self.mates.resize_with(solvers, solver);
    }

    /// Searches the last position of `game`, which has a legal move. Lines go to `observer`, and to `notice` what happens to the connection to a
    /// server, which without it is left for [`crate::Session::take_notices`]. `None` when there is no memory for any move.
    pub(crate) fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        settings: &DeepSettings,
        control: &Control,
        observer: &mut dyn Observer,
        mut notice: Option<&mut dyn FnMut(&str)>,
    ) -> Option<DeepResult> {
        self.prepare(settings);
        let model = self.model.clone();
        let mut tell = || {
            if let Some(notice) = &mut notice {
                model.take_notices().iter().for_each(|text| notice(text));
            }
        };
        tell();
        let search = self.search_of(game, limits, settings);
        let stop = AtomicBool::new(control.is_stopped());
        let left = settings.node_limit.saturating_sub(search.visits());
        let most = limits.nodes.unwrap_or(u64::MAX).min(left.into());
        let run = PuctRun::new(most, &stop).with_lanes(model.lanes(settings.batch));
        let mut watch = Watch {
            search: &search,
            run: &run,
            limits,
            settings,
            control,
            clock: DeepClock::new(limits.time, game.position().ply()),
            next_look: Duration::ZERO,
            next_lines: settings.interval,
        };
        search.run_watched(&mut self.evaluators, &mut self.mates, &run, || {
            tell();
            if watch.is_over(observer) {
                stop.store(true, Relaxed);
            }
        });
        tell();
        let lines = watch.lines();
        for line in &lines {
            observer.info(line);
        }
        let moves = search.root_moves();
        let win_rate = match run.root_mate() {
            Some(_) => 1.0,
            None => moves.first().map_or(0.5, RootMove::win_rate),
        };
        self.search = Some(search);
        let line = lines.into_iter().next()?.pv;
        Some(DeepResult {
            best: *line.first()?,
            ponder: line.get(1).copied(),
            win_rate,
            playouts: run.playouts(),
            moves,
        })
    }

    /// The tree for a search, with what is known of the position.
    fn search_of(&mut self, game: &Game, limits: &Limits, settings: &DeepSettings) -> PuctSearch {
        let evaluator = &mut self.evaluators[0];
        let params = settings.params.clone();
        let Some(mut search) = self.search.take() else {
            let mut search = PuctSearch::new(game.clone(), params, evaluator);
            if !limits.search_moves.is_empty() {
                search.set_game(game.clone(), &limits.search_moves, evaluator);
            }
            return search;
        };
        search.set_params(params, evaluator);
        search.set_game(game.clone(), &limits.search_moves, evaluator);
        if !settings.reuses && search.visits() > 0 {
            search.forget(evaluator);
        }
        search
    }
}

/// A running search, looked at every few milliseconds.
struct Watch<'a> {
    search: &'a PuctSearch,
    run: &'a PuctRun<'a>,
    limits: &'a Limits,
    settings: &'a DeepSettings,
    control: &'a Control,
    clock: DeepClock,
    next_look: Duration,
    /// The time of the next lines; `None`: they are shown at the end alone.
    next_lines: Option<Duration>,
}

impl Watch<'_> {
    /// Shows lines when it is time to; returns whether the search has to end.
    fn is_over(&mut self, observer: &mut dyn Observer) -> bool {
        if self.control.is_stopped() {
            return true;
        }
        let elapsed = self.control.elapsed();
        if elapsed < self.next_look {
            return false;
        }
        self.next_look = elapsed + CLOCK_INTERVAL;
        if let (Some(next), Some(interval)) = (self.next_lines, self.settings.interval)
            && elapsed >= next
        {
            self.next_lines = Some(elapsed + interval);
            self.lines().iter().for_each(|line| observer.info(line));
        }
        if self.limits.infinite || self.control.is_pondering() {
            return false;
        }
        let search = self.search;
        let moves = search.root_moves();
        let is_deep = |depth: u32| {
            let line = moves.first().map(|best| search.line(best.m));
            line.is_some_and(|line| line.len() >= depth as usize)
        };
        let view = ClockView {
            elapsed: elapsed.as_millis() as i64,
            pondered: self.control.pondered().as_millis() as i64,
            playouts: self.run.playouts(),
            moves: &moves,
            lines_meet: &|| lines_meet(search, &moves),
        };
        self.run.root_mate().is_some()
            || self.clock.is_over(&view)
            || self.limits.depth.is_some_and(is_deep)
    }

    /// The lines as they are now, best first.
    fn lines(&self) -> Vec<SearchInfo> {
        let elapsed = self.control.elapsed();
        let deepest = self.run.deepest();
        let full = 1000 * u64::from(self.search.visits()) / u64::from(self.settings.node_limit);
        let mut lines = Vec::new();
        let mut add = |score: Value, nodes: u64, pv: Vec<Move>| {
            lines.push(SearchInfo {
                depth: pv.len() as u32,
                sel_depth: pv.len().max(deepest) as u32,
                multi_pv: lines.len() + 1,
                score,
                bound: Bound::Exact,
                nodes,
                hash_full: full.min(1000) as u32,
                elapsed,
                pv,
            });
        };
        let mate = self.run.root_mate();
        if let Some(line) = mate {
            let plies = line.len().min(LONGEST_MATE) as u32;
            add(Value::mate_in(plies), self.run.playouts(), line.to_vec());
        }
        let first = mate.and_then(|line| line.first().copied());
        let shown = self.settings.lines - usize::from(mate.is_some());
        let moves = self.search.root_moves();
        let others = moves.iter().filter(|root| Some(root.m) != first);
        for (number, root) in others.take(shown).enumerate() {
            let mut pv = self.search.line(root.m);
            if pv.is_empty() {
                pv.push(root.m);
            }
            let is_best = number == 0 && mate.is_none();
            let nodes = if is_best {
                self.run.playouts()
            } else {
                root.visits.into()
            };
            let units = units_of_win_rate(root.win_rate(), self.settings.eval_coef);
            add(Value(units), nodes, pv);
        }
        lines
    }
}

/// Returns whether the lines of the two best moves come to the same position.
fn lines_meet(search: &PuctSearch, moves: &[RootMove]) -> bool {
    let [best, second] = moves else {
        return moves.len() > 2 && lines_meet(search, &moves[..2]);
    };
    let keys = [best, second].map(|root| {
        let mut position = search.game().position().clone();
        let mut keys = vec![position.key()];
        for m in search.line(root.m) {
            let _ = position.do_move_unchecked(m);
            keys.push(position.key());
        }
        keys
    });
    let meets = |plies: usize| {
        let [one, other] = [0, 1].map(|number| keys[number].get(plies));
        one.is_some() && one == other
    };
    MEETING_PLIES.into_iter().any(meets)
}
