//! Several threads search together.

use std::sync::Arc;

use crate::common::{Recorder, StoppingEvaluator, fixture_sfens, game, to_depth};
use shogi_core::{Game, Position};
use shogi_eval::PositionalEvaluator;
use shogi_search::{
    Control, Limits, SearchOptions, SearchResult, SharedState, Value, search_with_helpers,
};

fn think(
    game: &Game,
    limits: &Limits,
    helpers: usize,
    shared: &mut SharedState,
    control: &Control,
) -> (Option<SearchResult>, Recorder) {
    think_with(
        game,
        limits,
        &SearchOptions::default(),
        helpers,
        shared,
        control,
    )
}

fn think_with(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    helpers: usize,
    shared: &mut SharedState,
    control: &Control,
) -> (Option<SearchResult>, Recorder) {
    let mut recorder = Recorder {
        game: game.clone(),
        infos: Vec::new(),
    };
    let mut others = vec![PositionalEvaluator::new(); helpers];
    let result = search_with_helpers(
        game,
        limits,
        options,
        &mut PositionalEvaluator::new(),
        &mut others,
        shared,
        control,
        &mut recorder,
    );
    (result, recorder)
}

#[test]
fn all_threads_count_and_the_answer_is_sound() {
    let game = Game::new(Position::startpos());
    let mut shared = SharedState::new(8);
    // More and fewer threads than before, on the same table.
    for helpers in [3, 1, 0, 2] {
        let limits = Limits {
            nodes: Some(60_000),
            ..Limits::default()
        };
        let (result, recorder) = think(&game, &limits, helpers, &mut shared, &Control::new());
        let found = result.unwrap();
        assert!(game.position().is_legal(found.best));
        assert!(found.nodes >= 60_000, "{}", found.nodes);
        assert!(found.nodes < 60_000 + 600 * (1 + helpers as u64) || helpers > 0);
        let last = recorder.infos.last().unwrap();
        assert_eq!(last.pv[0], found.best);
        assert!(recorder.infos.is_sorted_by_key(|info| info.nodes));
    }
}

/// Returns what to play and what to ponder on are the first moves of the best line that was reported last.
#[test]
fn the_answer_belongs_to_the_last_line() {
    let openings = fixture_sfens("legal_moves.jsonl");
    let mut shared = SharedState::new(4);
    let mut replies = 0;
    for (n, sfen) in openings.iter().step_by(9).take(40).enumerate() {
        let game = game(sfen);
        for helpers in [0, 1, 3] {
            let options = SearchOptions {
                multi_pv: [1, 3][n % 2],
                extend_lines: n % 3 == 0,
                ..SearchOptions::default()
            };
            let limits = Limits {
                // Few enough to end within an iteration, or before the first one.
                nodes: Some(1 + (n as u64 * 7919 + helpers as u64 * 104_729) % 6000),
                ..Limits::default()
            };
            let control = Control::new();
            let (result, recorder) =
                think_with(&game, &limits, &options, helpers, &mut shared, &control);
            let Some(found) = result else {
                continue;
            };
            let mut best_lines = recorder
                .infos
                .iter()
                .rev()
                .filter(|info| info.multi_pv == 1);
            let last = best_lines.next().expect("a line");
            assert_eq!(last.pv[0], found.best, "{sfen}");
            assert_eq!(last.pv.get(1).copied(), found.ponder, "{sfen}");
            replies += u32::from(found.ponder.is_some());
        }
    }
    assert!(replies > 80, "{replies}");
}

#[test]
fn mates_are_found_together() {
    // Gold to 5b mates.
    let game = game("4k4/9/4P4/9/9/9/9/9/4K4 b G 1");
    let mut shared = SharedState::new(1);
    let (result, _) = think(&game, &to_depth(6), 3, &mut shared, &Control::new());
    let found = result.unwrap();
    assert_eq!(found.score, Value::mate_in(1));
    assert_eq!(found.best.to_string(), "G*5b");
}

#[test]
fn a_position_without_moves_needs_no_threads() {
    let mated = game("4k4/4G4/4P4/9/9/9/9/9/4K4 w R2B3g4s4n4lr16p 1");
    let mut shared = SharedState::new(1);
    let (result, _) = think(&mated, &Limits::default(), 2, &mut shared, &Control::new());
    assert!(result.is_none());
}

#[test]
fn a_stop_ends_all_threads_soon() {
    let game = Game::new(Position::startpos());
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    for stop_at in [1, 5000, 43_210] {
        let stop = Arc::default();
        let evaluator = || StoppingEvaluator::new(&stop, stop_at);
        let mut main = evaluator();
        let mut helpers = [evaluator(), evaluator(), evaluator()];
        let mut recorder = Recorder {
            game: game.clone(),
            infos: Vec::new(),
        };
        let found = search_with_helpers(
            &game,
            &limits,
            &SearchOptions::default(),
            &mut main,
            &mut helpers,
            &mut SharedState::new(4),
            &Control::with_stop(Arc::clone(&stop)),
            &mut recorder,
        );
        assert!(game.position().is_legal(found.unwrap().best));
        for evaluator in helpers.iter().chain([&main]) {
            let late = evaluator.played_after_stop;
            assert!(late <= 1000, "{late} nodes after a stop at {stop_at}");
        }
    }
}
