//! What a search counts, how soon it stops, and simple policies whose visits are known.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::thread;
use std::time::{Duration, Instant};

use shogi_core::{Game, Position};
use shogi_deep::{
    PolicyValue, PolicyValueEvaluator, PuctParams, PuctRun, PuctSearch, PvMateSolver, RootProof,
};

use crate::puct::Mock;

fn game(sfen: &str) -> Game {
    Game::new(Position::from_sfen(sfen).unwrap())
}

#[test]
fn equal_moves_are_visited_equally() {
    let mut mock = Mock::new(true, 1);
    let start = game(Position::STARTPOS_SFEN);
    let mut search = PuctSearch::new(start, PuctParams::default(), &mut mock);
    for each in [10, 20] {
        search.run(&mut mock, 300);
        let moves = search.root_moves();
        assert_eq!(moves.len(), 30);
        for root in moves {
            assert_eq!(root.visits, each, "{}", root.m);
        }
    }
}

#[test]
fn a_move_that_mates_takes_every_playout() {
    // Gold drops mate on one square.
    let mate = game("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    let params = PuctParams {
        leaf_mate_nodes: 0,
        ..PuctParams::default()
    };
    let mut mock = Mock::new(true, 1);
    let mut search = PuctSearch::new(mate, params, &mut mock);
    let mut playouts = 0;
    let found = loop {
        search.run(&mut mock, 1);
        playouts += 1;
        let best = search.root_moves()[0];
        if best.proof == RootProof::Wins {
            break best;
        }
        // Each move is looked at once before any is looked at twice.
        assert!(playouts < search.root_moves().len(), "no mate");
    };
    assert_eq!((found.m.to_string().as_str(), found.visits), ("G*5b", 1));
    search.run(&mut mock, 500);
    let best = search.root_moves()[0];
    assert_eq!((best.m, best.visits), (found.m, 501));
    assert!((best.win_rate() - 1.0).abs() < 1e-6);
}

#[test]
fn playouts_are_exact_with_any_threads_and_batches() {
    for threads in [1, 2, 8] {
        for places in [1, 8, 32] {
            let mut mocks: Vec<Mock> = (0..threads).map(|_| Mock::new(true, places)).collect();
            let start = game(Position::STARTPOS_SFEN);
            let mut search = PuctSearch::new(start, PuctParams::default(), &mut mocks[0]);
            let mut all = 0;
            for count in [1, 5, 64, 333] {
                let never = AtomicBool::new(false);
                search.run_threads(&mut mocks, count, &never);
                all += count;
                assert_eq!(search.visits(), all, "{threads} {places}");
            }
        }
    }
}

/// An evaluator that takes its time, and counts.
struct Slow<'a> {
    outputs: Vec<PolicyValue>,
    time: Duration,
    stop: &'a AtomicBool,
    /// Batches, and those that were begun after the stop.
    batches: &'a [AtomicU32; 2],
}

impl PolicyValueEvaluator for Slow<'_> {
    fn max_batch(&self) -> usize {
        self.outputs.len()
    }

    fn put(&mut self, _place: usize, _position: &Position) {}

    fn evaluate(&mut self, count: usize) {
        if count > 0 {
            self.batches[0].fetch_add(1, SeqCst);
            self.batches[1].fetch_add(self.stop.load(SeqCst).into(), SeqCst);
            thread::sleep(self.time);
        }
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.outputs[place]
    }
}

#[test]
fn a_stop_is_obeyed_after_a_batch() {
    const BATCH: Duration = Duration::from_millis(60);
    let (threads, places) = (2_u32, 4);
    let late = (0..5).map(|_| {
        let stop = AtomicBool::new(false);
        let batches = [0, 0].map(AtomicU32::new);
        let make = || Slow {
            outputs: vec![PolicyValue::default(); places],
            time: BATCH,
            stop: &stop,
            batches: &batches,
        };
        let mut evaluators: Vec<_> = (0..threads).map(|_| make()).collect();
        let start = game(Position::STARTPOS_SFEN);
        let params = PuctParams::default();
        let search = PuctSearch::new(start, params, &mut evaluators[0]);
        let run = PuctRun::new(u64::MAX, &stop);
        // A solver that would search for minutes stops too.
        let mut solvers = [PvMateSolver::new(1 << 30)];
        let mut stopped = None;
        search.run_watched(&mut evaluators, &mut solvers, &run, || {
            if batches[0].load(SeqCst) > 10 && stopped.is_none() {
                stop.store(true, SeqCst);
                stopped = Some(Instant::now());
            }
        });
        let late = stopped.unwrap().elapsed();
        // A thread evaluates what it has gathered by then, and nothing more.
        let after = batches[1].load(SeqCst);
        assert!(after <= threads, "{after} batches");
        late
    });
    // On a busy machine one of several goes as it should.
    let late = late.min().unwrap();
    assert!(late <= BATCH + Duration::from_millis(10), "{late:?}");
}
