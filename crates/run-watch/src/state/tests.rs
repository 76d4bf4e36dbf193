use serde_json::{Value, json};

use super::*;

fn taken(events: &[Value]) -> RunState {
    let mut state = RunState::default();
    for event in events {
        let event = RunEvent::parse(event.to_string().as_bytes()).unwrap();
        state.take(&event, event.at);
    }
    state
}

#[test]
fn a_run_of_games_has_results_workers_and_a_curve() {
    let mut events = vec![
        json!({"event": "run", "at": 1000, "program": "gensfen", "command": "gensfen --run", "pid": 7,
            "started": 1000}),
        json!({"event": "begin", "at": 1000, "workers": 2, "total": 4, "output": "a.pack"}),
        json!({"event": "progress", "at": 1000, "state": "running", "stage": "playing", "done": 0,
            "total": 4, "unit": "games", "rate": 0.0, "elapsed": 0.0, "eta": null}),
        json!({"event": "workers", "at": 1000, "workers": [{"worker": 0, "engine": "e", "state": "searching",
            "nodes": 0}]}),
    ];
    for (game, result) in ["black", "draw", "black"].iter().enumerate() {
        events.push(
            json!({"event": "game", "at": 1500, "worker": game % 2, "game": game,
            "plies": 95 + 10 * game, "result": result, "reason": "resignation"}),
        );
    }
    events
        .push(json!({"event": "failed", "at": 1600, "worker": 1, "engine": "e", "reason": "gone"}));
    events.push(
        json!({"event": "workers", "at": 3000, "workers": [{"worker": 0, "engine": "e",
        "state": "idle", "nodes": 5000}]}),
    );
    events.push(
        json!({"event": "progress", "at": 3000, "state": "paused", "stage": "playing", "done": 3,
        "total": 4, "unit": "games", "rate": 1.5, "elapsed": 2.0, "eta": 0.7}),
    );
    let state = taken(&events);
    assert_eq!(state.state(3000), "paused");
    assert_eq!(state.state(3000 + LOST_AFTER + 1), "lost");
    assert_eq!(state.failures, 1);
    let worker = &state.workers[&0];
    assert_eq!((worker.done, worker.rate), (2, Some(2500.0)));
    assert_eq!((state.workers[&1].done, state.workers[&1].failures), (1, 1));
    assert_eq!(
        state.results["result"].json(),
        json!([{"name": "black", "n": "2"}, {"name": "draw", "n": "1"}])
    );
    assert_eq!(
        state.histograms["plies"].json("plies")["counts"],
        json!(["0", "0", "0", "0", "0", "0", "0", "0", "0", "1", "1", "1"])
    );
    let games: Vec<_> = state.series[0]
        .curve
        .points()
        .map(|at| (at.x, at.y))
        .collect();
    assert_eq!(games, [(0.0, 0.0), (2.0, 3.0)]);
    assert_eq!(
        (state.progress.total, state.output.as_deref()),
        (Some(4), Some("a.pack"))
    );
}

#[test]
fn ends_say_how() {
    for (end, state) in [
        (json!({"event": "end", "state": "done"}), "done"),
        (json!({"event": "end", "state": "stopped"}), "stopped"),
        (json!({"event": "end", "complete": false}), "stopped"),
        (json!({"event": "end", "complete": true}), "done"),
        (
            json!({"event": "end", "state": "failed", "text": "no space"}),
            "failed",
        ),
    ] {
        let taken = taken(std::slice::from_ref(&end));
        assert_eq!(taken.state(0), state);
        assert_eq!(taken.end, Some(end));
    }
}

#[test]
fn learning_and_matches_have_curves() {
    let state = taken(&[
        json!({"event": "loss", "epoch": 0.5, "loss": 0.7, "rate": 0.001}),
        json!({"event": "epoch", "epoch": 1, "train_excess": 0.6, "valid_excess": 0.65}),
        json!({"event": "score", "games": 10, "elo": {"difference": 20.0, "low": -30.0, "high": 70.0},
            "superiority": 0.8, "llr": 0.3}),
        json!({"event": "figure", "name": "mae", "x_name": "phase", "x": 3.0, "value": 2.5}),
    ]);
    let names: Vec<_> = state
        .series
        .iter()
        .map(|one| (&*one.name, &*one.x))
        .collect();
    let expected = [
        ("loss", "epoch"),
        ("learning_rate", "epoch"),
        ("train_loss", "epoch"),
        ("valid_loss", "epoch"),
        ("elo", "games"),
        ("superiority", "games"),
        ("llr", "games"),
        ("mae", "phase"),
    ];
    assert_eq!(names, expected);
    let elo = state.series[4].curve.last().unwrap();
    assert_eq!((elo.x, elo.y, elo.error), (10.0, 20.0, Some(50.0)));
    assert!(state.figures.contains(&("mae".to_owned(), 2.5)));
}

#[test]
fn rounds_of_books_are_counted() {
    let state = taken(&[
        json!({"event": "listed", "round": 1, "positions": 100, "found": 9, "chosen": 5}),
        json!({"event": "grown", "thought": 5}),
        json!({"event": "listed", "round": 2, "positions": 105, "found": 9, "chosen": 4}),
        json!({"event": "grown", "thought": 4}),
    ]);
    let searched = state.series.iter().find(|one| one.name == "searched");
    let points: Vec<_> = searched
        .unwrap()
        .curve
        .points()
        .map(|at| (at.x, at.y))
        .collect();
    assert_eq!(points, [(1.0, 5.0), (2.0, 4.0)]);
}

#[test]
fn what_is_kept_is_bounded() {
    let mut events = Vec::new();
    for n in 0..2000 {
        events.push(json!({"event": "failed", "worker": n, "reason": "x".repeat(5000)}));
        events.push(json!({"event": "figure", "name": n.to_string(), "x_name": "n", "x": 1.0, "value": 1.0}));
    }
    let state = taken(&events);
    assert_eq!(state.failures, 2000);
    assert_eq!(state.last_failures.len(), MOST_FAILURES);
    assert_eq!(state.workers.len(), MOST_WORKERS);
    assert!(state.has_more_workers);
    assert_eq!(
        (state.series.len(), state.figures.len()),
        (MOST_CURVES, MOST_CURVES)
    );
}
