//! Helpers of the tests of the search.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use shogi_core::{Delta, Game, Position};
use shogi_eval::{Evaluator, PositionalEvaluator};
use shogi_search::{
    Control, Limits, Observer, SearchInfo, SearchOptions, SearchResult, SharedState, search,
};

/// Keeps all reports and checks that every line can be played.
pub(crate) struct Recorder {
    pub(crate) game: Game,
    pub(crate) infos: Vec<SearchInfo>,
}

impl Observer for Recorder {
    fn info(&mut self, info: &SearchInfo) {
        let mut position = self.game.position().clone();
        assert!(!info.pv.is_empty());
        for &m in &info.pv {
            assert!(
                position.is_legal(m),
                "{m} in {:?} of {}",
                info.pv,
                self.game.position().to_sfen()
            );
            let _ = position.do_move_unchecked(m);
        }
        self.infos.push(info.clone());
    }
}

/// A search and what it reported.
pub(crate) struct Thought {
    pub(crate) result: Option<SearchResult>,
    pub(crate) infos: Vec<SearchInfo>,
}

impl Thought {
    /// The result of a search that had a move.
    pub(crate) fn found(&self) -> &SearchResult {
        self.result.as_ref().expect("the position has a legal move")
    }
}

/// Searches with a fresh state and the positional evaluation.
pub(crate) fn think_with(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    control: &Control,
) -> Thought {
    think_in(game, limits, options, control, &mut SharedState::new(4))
}

/// Searches with what earlier searches left in `shared` and the positional evaluation.
pub(crate) fn think_in(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    control: &Control,
    shared: &mut SharedState,
) -> Thought {
    let mut recorder = Recorder {
        game: game.clone(),
        infos: Vec::new(),
    };
    let mut evaluator = PositionalEvaluator::new();
    let result = search(
        game,
        limits,
        options,
        &mut evaluator,
        shared,
        control,
        &mut recorder,
    );
    Thought {
        result,
        infos: recorder.infos,
    }
}

/// Searches with default options.
pub(crate) fn think(game: &Game, limits: &Limits) -> Thought {
    think_with(game, limits, &SearchOptions::default(), &Control::new())
}

/// Searches `sfen` to `depth`.
pub(crate) fn think_deep(sfen: &str, depth: u32) -> Thought {
    think(&game(sfen), &to_depth(depth))
}

/// A game that starts at `sfen`.
pub(crate) fn game(sfen: &str) -> Game {
    Game::new(Position::from_sfen(sfen).expect("a valid SFEN"))
}

/// Just a depth limit.
pub(crate) fn to_depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// The SFENs of a file of golden positions.
pub(crate) fn fixture_sfens(name: &str) -> Vec<String> {
    fixture_sfens_in("shogi", name)
}

/// The SFENs of a file of golden positions in a folder of the fixtures.
#[allow(dead_code)]
pub(crate) fn fixture_sfens_in(folder: &str, name: &str) -> Vec<String> {
    sfens_of(&test_support::fixture(format!("{folder}/{name}")))
}

/// The SFENs of a file of JSON lines.
#[allow(dead_code)]
pub(crate) fn sfens_of(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the file exists");
    text.lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
            row["sfen"].as_str().expect("a position").to_owned()
        })
        .collect()
}

/// An evaluator that raises the flag to stop when its search has played `stop_at` moves, and counts the moves played
/// while it is up. So how soon a stop is heeded is counted in nodes, whatever else the machine does.
pub(crate) struct StoppingEvaluator {
    evaluator: PositionalEvaluator,
    stop: Arc<AtomicBool>,
    stop_at: u64,
    played: u64,
    pub(crate) played_after_stop: u64,
}

impl StoppingEvaluator {
    pub(crate) fn new(stop: &Arc<AtomicBool>, stop_at: u64) -> Self {
        Self {
            evaluator: PositionalEvaluator::new(),
            stop: Arc::clone(stop),
            stop_at,
            played: 0,
            played_after_stop: 0,
        }
    }
}

impl Evaluator for StoppingEvaluator {
    fn reset(&mut self, position: &Position) {
        self.evaluator.reset(position);
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.played += 1;
        self.played_after_stop += u64::from(self.stop.load(Relaxed));
        if self.played == self.stop_at {
            self.stop.store(true, Relaxed);
        }
        self.evaluator.push(delta);
    }

    fn pop(&mut self) {
        self.evaluator.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.evaluator.evaluate(position)
    }
}
