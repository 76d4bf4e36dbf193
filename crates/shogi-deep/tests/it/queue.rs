//! The queue that searches share: full batches, errors, ends, and results that depend on none of it.

use std::sync::{Arc, Barrier, Condvar, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use shogi_core::{Game, Position};
use shogi_deep::{
    BatchEvaluator, DeepModel, EvaluationError, EvaluationQueue, InputPlanes, PolicyValue,
    PolicyValueEvaluator, PositionBatch, PositionQuery, PuctParams, PuctSearch, QueueSettings,
};
use test_support::fixture_bytes;

/// Longest wait of a test for something that has to come.
const LONG: Duration = Duration::from_secs(60);

/// What the tests do to an evaluator, and see of it.
#[derive(Default)]
struct Stage {
    /// Positions of each batch.
    sizes: Mutex<Vec<usize>>,
    /// Batches that may be evaluated; unlimited without a number.
    allowed: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Stage {
    fn gated() -> Arc<Self> {
        let stage = Self::default();
        *stage.allowed.lock().unwrap() = Some(0);
        Arc::new(stage)
    }

    fn allow(&self, more: usize) {
        let mut allowed = self.allowed.lock().unwrap();
        *allowed = allowed.map(|count| count + more);
        self.changed.notify_all();
    }

    fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap().clone()
    }
}

/// An evaluator whose value is a count of the position's bits; it fails or panics at a batch with this number, from 0.
struct Staged {
    stage: Arc<Stage>,
    fails_at: Option<usize>,
    panics_at: Option<usize>,
}

fn value_of(position: &InputPlanes) -> f32 {
    let sum: usize = position.board_bits().sum();
    (sum % 1000) as f32 / 1000.0
}

impl BatchEvaluator for Staged {
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        let number = {
            let mut sizes = self.stage.sizes.lock().unwrap();
            sizes.push(positions.len());
            self.stage.changed.notify_all();
            sizes.len() - 1
        };
        let mut allowed = self.stage.allowed.lock().unwrap();
        while *allowed == Some(0) {
            allowed = self.stage.changed.wait(allowed).unwrap();
        }
        *allowed = allowed.map(|count| count - 1);
        drop(allowed);
        assert!(self.panics_at != Some(number), "a broken evaluator");
        if self.fails_at == Some(number) {
            return Err(EvaluationError::Failed("out of memory".to_owned()));
        }
        for (position, result) in positions.iter().zip(results) {
            result.value = value_of(&position.planes);
        }
        Ok(())
    }
}

fn queue(stage: &Arc<Stage>, largest: usize, patience: Duration) -> Arc<EvaluationQueue> {
    queue_of(
        Staged {
            stage: Arc::clone(stage),
            fails_at: None,
            panics_at: None,
        },
        largest,
        patience,
    )
}

fn queue_of(evaluator: Staged, largest: usize, patience: Duration) -> Arc<EvaluationQueue> {
    let settings = QueueSettings { largest, patience };
    Arc::new(EvaluationQueue::new(vec![Box::new(evaluator)], settings).unwrap())
}

/// Waits until `is_so`.
#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < LONG, "it never came");
        thread::sleep(Duration::from_millis(1));
    }
}

fn batch(count: usize) -> PositionBatch {
    PositionBatch::of(vec![PositionQuery::new(&Position::startpos()); count])
}

/// Some positions of a game.
fn positions() -> Vec<Position> {
    let mut game = Game::new(Position::startpos());
    let mut positions = vec![game.position().clone()];
    for m in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e", "B*3c", "5e3c+"] {
        game.play_unchecked(game.position().move_from_usi(m).unwrap());
        positions.push(game.position().clone());
    }
    positions
}

#[test]
fn requests_that_wait_are_one_batch() {
    let stage = Stage::gated();
    let queue = queue(&stage, 8, Duration::ZERO);
    let (sender, receiver) = mpsc::channel();
    let submit = |count: usize| {
        let sender = sender.clone();
        queue.submit(batch(count), move |batch, result| {
            sender.send((batch.count(), result)).unwrap();
        });
    };
    submit(1);
    wait_until(|| stage.sizes() == [1]);
    // 1 is being evaluated. The largest batch is 8: 1 + 2 + 5, 4 + 3, 20 alone and in parts, 1.
    for count in [1, 2, 5, 4, 3, 20, 1] {
        submit(count);
    }
    assert_eq!(queue.waiting(), 7);
    stage.allow(100);
    let mut answered = Vec::new();
    for _ in 0..8 {
        let (count, result) = receiver.recv_timeout(LONG).unwrap();
        assert_eq!(result, Ok(()));
        answered.push(count);
    }
    assert_eq!(answered, [1, 1, 2, 5, 4, 3, 20, 1]);
    assert_eq!(stage.sizes(), [1, 8, 7, 8, 8, 4, 1]);
    wait_until(|| queue.counts().batches == 5);
    assert_eq!(queue.counts().positions, 37);
}

#[test]
fn clients_take_turns() {
    let stage = Stage::gated();
    let queue = queue(&stage, 2, Duration::ZERO);
    let (sender, receiver) = mpsc::channel();
    let submit = |client: u64, count: usize| {
        let sender = sender.clone();
        queue.submit_for(client, batch(count), move |batch, _| {
            sender.send((client, batch.count())).unwrap();
        });
    };
    submit(1, 1);
    wait_until(|| stage.sizes() == [1]);
    // The first client wants much, and others come later.
    for _ in 0..4 {
        submit(1, 2);
    }
    submit(2, 1);
    submit(3, 1);
    stage.allow(100);
    let answered: Vec<_> = (0..7)
        .map(|_| receiver.recv_timeout(LONG).unwrap())
        .collect();
    let expected = [(1, 1), (1, 2), (2, 1), (3, 1), (1, 2), (1, 2), (1, 2)];
    assert_eq!(answered, expected);
}

#[test]
fn batches_fill_up_when_many_search() {
    const SEARCHES: usize = 12;
    let stage = Stage::gated();
    let queue = queue(&stage, 64, Duration::from_millis(300));
    queue.submit(batch(1), |_, _| {});
    wait_until(|| stage.sizes() == [1]);
    thread::scope(|scope| {
        for _ in 0..SEARCHES {
            scope.spawn(|| {
                let mut evaluator = queue.evaluator(1);
                for position in positions() {
                    evaluator.put(0, &position);
                    evaluator.evaluate(1);
                    let expected = value_of(&InputPlanes::new(&position));
                    assert!((evaluator.output(0).value - expected).abs() < 1e-6);
                }
            });
        }
        wait_until(|| queue.waiting() == SEARCHES);
        stage.allow(1);
        wait_until(|| stage.sizes().len() == 2);
        assert_eq!(stage.sizes(), [1, SEARCHES]);
        stage.allow(1_000_000);
    });
    let sizes = stage.sizes();
    let count = SEARCHES * positions().len();
    assert_eq!(sizes.iter().sum::<usize>(), 1 + count);
    // Half of them come together at least, as long as all of them search.
    assert!(sizes.len() <= 1 + count / 4, "{sizes:?}");
}

#[test]
fn a_search_alone_does_not_wait_for_others() {
    let stage = Arc::new(Stage::default());
    let queue = queue(&stage, 64, LONG);
    let mut evaluator = queue.evaluator(16);
    assert_eq!(evaluator.max_batch(), 16);
    for count in [16, 0, 3, 16, 1, 9] {
        for place in 0..count {
            evaluator.put(place, &Position::startpos());
        }
        evaluator.evaluate(count);
    }
    assert_eq!(stage.sizes(), [16, 3, 16, 1, 9]);
}

#[test]
fn an_error_goes_to_all_of_its_batch_and_the_queue_goes_on() {
    let stage = Stage::gated();
    let evaluator = Staged {
        stage: Arc::clone(&stage),
        fails_at: Some(1),
        panics_at: None,
    };
    let queue = queue_of(evaluator, 64, Duration::ZERO);
    queue.submit(batch(1), |_, result| assert_eq!(result, Ok(())));
    wait_until(|| stage.sizes() == [1]);
    let failed = EvaluationError::Failed("out of memory".to_owned());
    thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                let (back, result) = queue.evaluate(batch(2));
                assert_eq!((back.count(), result), (2, Err(failed.clone())));
            });
        }
        wait_until(|| queue.waiting() == 5);
        stage.allow(100);
    });
    assert_eq!(queue.evaluate(batch(3)).1, Ok(()));
    assert_eq!(stage.sizes(), [1, 10, 3]);
}

#[test]
fn a_broken_evaluator_fails_all_who_wait() {
    let stage = Stage::gated();
    let evaluator = Staged {
        stage: Arc::clone(&stage),
        fails_at: None,
        panics_at: Some(0),
    };
    let queue = queue_of(evaluator, 2, Duration::ZERO);
    let broken = EvaluationError::Failed("a broken evaluator".to_owned());
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(queue.evaluate(batch(2)).1, Err(broken.clone())));
        }
        wait_until(|| queue.waiting() == 5);
        stage.allow(100);
    });
    assert_eq!(stage.sizes(), [2]);
    // Later ones fail too, and a search that asks for more says why it ends.
    assert_eq!(queue.evaluate(batch(1)).1, Err(broken.clone()));
    let search = thread::scope(|scope| {
        let search = || PuctSearch::new(game(), PuctParams::default(), &mut queue.evaluator(4));
        scope.spawn(search).join().map(drop)
    });
    let said = search.unwrap_err();
    let said = said.downcast_ref::<String>().unwrap();
    assert!(said.ends_with("a broken evaluator"), "{said}");
}

#[test]
fn one_of_two_evaluators_may_break() {
    let stages = [Stage::gated(), Arc::new(Stage::default())];
    let staged = |stage: &Arc<Stage>, panics_at| -> Box<dyn BatchEvaluator> {
        Box::new(Staged {
            stage: Arc::clone(stage),
            fails_at: None,
            panics_at,
        })
    };
    let settings = QueueSettings {
        largest: 1,
        patience: Duration::ZERO,
    };
    let evaluators = vec![staged(&stages[0], Some(0)), staged(&stages[1], None)];
    let queue = EvaluationQueue::new(evaluators, settings).unwrap();
    let (sender, receiver) = mpsc::channel();
    let mut sent = 0;
    // Until the first one has something to do.
    wait_until(|| {
        let sender = sender.clone();
        queue.submit(batch(1), move |_, result| sender.send(result).unwrap());
        !stages[0].sizes().is_empty()
    });
    stages[0].allow(1);
    drop(sender);
    wait_until(|| queue.waiting() == 0);
    for _ in 0..20 {
        assert_eq!(queue.evaluate(batch(1)).1, Ok(()));
    }
    let failed = receiver.iter().filter(|result| {
        sent += 1;
        result.is_err()
    });
    assert_eq!(failed.count(), 1);
    assert_eq!(sent, 1 + stages[1].sizes().len() - 20);
}

#[test]
fn the_end_reaches_all_who_wait() {
    let stage = Stage::gated();
    let queue = queue(&stage, 1, Duration::ZERO);
    thread::scope(|scope| {
        let running = scope.spawn(|| queue.evaluate(batch(1)).1);
        wait_until(|| stage.sizes() == [1]);
        let waiting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| queue.evaluate(batch(1)).1))
            .collect();
        wait_until(|| queue.waiting() == 4);
        queue.close();
        for thread in waiting {
            assert_eq!(thread.join().unwrap(), Err(EvaluationError::Closed));
        }
        stage.allow(1);
        assert_eq!(running.join().unwrap(), Ok(()));
    });
    assert_eq!(queue.evaluate(batch(1)).1, Err(EvaluationError::Closed));
    // Threads end with the queue, and with the last evaluator of it.
    drop(queue);
    let model = DeepModel::from_bytes(fixture_bytes("deep/mtiny.onnx")).unwrap();
    let queue = Arc::new(model.start_queue(Some(3), 4).unwrap());
    let mut evaluator = queue.evaluator(1);
    drop(queue);
    evaluator.put(0, &Position::startpos());
    evaluator.evaluate(1);
}

fn game() -> Game {
    Game::new(Position::startpos())
}

#[test]
fn searches_are_the_same_with_and_without_the_queue() {
    let model = DeepModel::from_bytes(fixture_bytes("deep/mtiny.onnx")).unwrap();
    let queue = Arc::new(model.start_queue(Some(2), 16).unwrap());
    let search = |evaluator: &mut dyn FnMut() -> Box<dyn PolicyValueEvaluator>, number: usize| {
        let mut game = game();
        for m in ["7g7f", "3c3d", "2g2f"].into_iter().take(number % 4) {
            game.play_unchecked(game.position().move_from_usi(m).unwrap());
        }
        let mut evaluator = evaluator();
        let mut search = PuctSearch::new(game, PuctParams::default(), &mut evaluator);
        search.run(&mut evaluator, 60);
        search.root_moves()
    };
    let alone: Vec<_> = (0..4)
        .map(|number| search(&mut || model.evaluator(1 + number % 3, 0), number))
        .collect();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..12)
            .map(|thread| {
                let (queue, search) = (&queue, &search);
                let number = thread % 4;
                scope.spawn(move || {
                    search(&mut || Box::new(queue.evaluator(1 + number % 3)), number)
                })
            })
            .collect();
        for (thread, found) in threads.into_iter().enumerate() {
            // To the last bit of sums and priors.
            assert_eq!(found.join().unwrap(), alone[thread % 4]);
        }
    });
    let counts = queue.counts();
    assert!(counts.positions > 600 && counts.batches <= counts.positions);
}

#[test]
fn others_get_what_a_device_that_fails_had() {
    let stage = Arc::new(Stage::default());
    let broken = Staged {
        stage: Stage::gated(),
        fails_at: Some(0),
        panics_at: None,
    };
    let gate = Arc::clone(&broken.stage);
    let whole = Staged {
        stage: Arc::clone(&stage),
        fails_at: None,
        panics_at: None,
    };
    let settings = QueueSettings {
        largest: 1,
        patience: Duration::ZERO,
    };
    let evaluators: Vec<Box<dyn BatchEvaluator>> = vec![Box::new(broken), Box::new(whole)];
    let queue = EvaluationQueue::new(evaluators, settings).unwrap();
    let (sender, receiver) = mpsc::channel();
    let sent = std::cell::Cell::new(0);
    // Until the first one has something to do.
    wait_until(|| {
        let sender = sender.clone();
        queue.submit(batch(1), move |_, result| sender.send(result).unwrap());
        sent.set(sent.get() + 1);
        !gate.sizes().is_empty()
    });
    gate.allow(1);
    for _ in 0..sent.get() {
        assert_eq!(receiver.recv_timeout(LONG).unwrap(), Ok(()));
    }
    let notices = queue.take_notices();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].starts_with("out of memory"), "{notices:?}");
    // It is not asked again.
    for _ in 0..10 {
        assert_eq!(queue.evaluate(batch(1)).1, Ok(()));
    }
    assert_eq!(gate.sizes(), [1]);
}

/// A card: each batch takes the same time.
struct Card {
    stage: Arc<Stage>,
    time: Duration,
}

impl BatchEvaluator for Card {
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        self.stage.sizes.lock().unwrap().push(positions.len());
        thread::sleep(self.time);
        for (position, result) in positions.iter().zip(results) {
            result.value = value_of(&position.planes);
        }
        Ok(())
    }
}

/// Searches that ask together of two evaluators of a card.
const SEARCHES: usize = 64;

/// Threads that do not get their turn ask too late, on a machine that is busy with other things: batches are full in one
/// of some attempts.
#[test]
fn two_evaluators_of_a_card_share_full_batches() {
    let means: Vec<f64> = (0..10)
        .map(|_| mean_batch_of_two_evaluators())
        .take_while(|&mean| mean < 0.8 * SEARCHES as f64)
        .collect();
    assert!(means.len() < 10, "{means:?}");
}

fn mean_batch_of_two_evaluators() -> f64 {
    let stage = Arc::new(Stage::default());
    let card = || -> Box<dyn BatchEvaluator> {
        Box::new(Card {
            stage: Arc::clone(&stage),
            time: Duration::from_millis(20),
        })
    };
    let settings = QueueSettings {
        largest: SEARCHES,
        patience: Duration::from_millis(1),
    };
    let queue = Arc::new(EvaluationQueue::new(vec![card(), card()], settings).unwrap());
    let (positions, start) = (positions(), Barrier::new(SEARCHES));
    thread::scope(|scope| {
        for _ in 0..SEARCHES {
            scope.spawn(|| {
                let mut evaluator = queue.evaluator(1);
                start.wait();
                for number in 0..30 {
                    evaluator.put(0, &positions[number % 8]);
                    evaluator.evaluate(1);
                }
            });
        }
    });
    let counts = queue.counts();
    assert_eq!(counts.positions, 30 * SEARCHES as u64);
    counts.mean_batch()
}

#[test]
fn a_thread_goes_on_while_its_batch_is_away() {
    let stage = Arc::new(Stage::default());
    let cards: Vec<Box<dyn BatchEvaluator>> = (0..2)
        .map(|_| -> Box<dyn BatchEvaluator> {
            Box::new(Card {
                stage: Arc::clone(&stage),
                time: Duration::from_millis(5),
            })
        })
        .collect();
    let settings = QueueSettings {
        largest: 8,
        patience: Duration::from_micros(100),
    };
    let queue = Arc::new(EvaluationQueue::new(cards, settings).unwrap());
    let mut evaluators: Vec<_> = (0..4).map(|_| queue.evaluator(8)).collect();
    let search = PuctSearch::new(game(), PuctParams::default(), &mut evaluators[0]);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let run = shogi_deep::PuctRun::new(500, &stop).with_lanes(2);
    search.run_watched(&mut evaluators, &mut [], &run, || {});
    // All that was begun has come back.
    assert_eq!((run.playouts(), search.visits()), (500, 500));
    let visits: u32 = search.root_moves().iter().map(|root| root.visits).sum();
    assert_eq!(visits, 500);
    assert!(run.deepest() >= 2);
}
