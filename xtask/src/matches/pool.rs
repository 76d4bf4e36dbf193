//! Several games at once: each worker has its own two engine processes.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::thread::JoinHandle;

use anyhow::Result;
use shogi_core::Color;
use shogi_usi::GameResult;

use super::game;
use super::game::{Played, Rules};
use super::openings::Opening;
use super::player::{Answer, Engine, Fault, Player, Question, UsiPlayer};

/// Does `work` for every job on `workers` threads and gives each result to `finish` on the calling
/// thread, in the order in which they end. Every worker starts with a `state` of its own. Stops
/// when `finish` breaks or fails; jobs that have begun are done then, but nobody sees the results.
pub(crate) fn run<Job: Send, State, Done: Send>(
    jobs: impl Iterator<Item = Job> + Send,
    workers: usize,
    state: impl Fn() -> State + Sync,
    work: impl Fn(&mut State, Job) -> Done + Sync,
    mut finish: impl FnMut(Done) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let jobs = Mutex::new(jobs);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, jobs, state, work) = (sender.clone(), &jobs, &state, &work);
            scope.spawn(move || {
                let mut state = state();
                loop {
                    let job = jobs
                        .lock()
                        .expect("no worker panics while it takes a job")
                        .next();
                    let Some(job) = job else { break };
                    if sender.send(work(&mut state, job)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for done in receiver {
            if finish(done)?.is_break() {
                break;
            }
        }
        Ok(())
    })
}

// The two engine processes of a worker.

/// An engine's process, started when it is needed: before the first game and after a protocol violation.
#[derive(Debug)]
struct PlayerSlot<'a> {
    engine: &'a Engine,
    /// Options beside those that the engine always gets, set before every game.
    options: Vec<(String, String)>,
    player: Option<UsiPlayer>,
}

impl Player for PlayerSlot<'_> {
    fn new_game(&mut self) -> Result<(), Fault> {
        let player = match &mut self.player {
            Some(player) => player,
            empty => empty.insert(UsiPlayer::start(self.engine)?),
        };
        player
            .set_options(&self.options)
            .and_then(|()| player.new_game())
            .inspect_err(|_| self.player = None)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        let gone = || Fault::Broken("the engine was not started".to_owned());
        let player = self.player.as_mut().ok_or_else(gone)?;
        // Whatever state the process is in after a fault, the next game starts with a fresh one.
        player
            .best_move(question)
            .inspect_err(|_| self.player = None)
    }

    fn game_over(&mut self, result: GameResult) {
        if let Some(player) = &mut self.player {
            player.game_over(result);
        }
    }
}

/// Engines A and B of a worker.
#[derive(Debug)]
pub(crate) struct EnginePair<'a> {
    slots: [PlayerSlot<'a>; 2],
}

impl<'a> EnginePair<'a> {
    pub(crate) fn new(engines: &'a [Engine; 2]) -> Self {
        Self {
            slots: engines.each_ref().map(|engine| PlayerSlot {
                engine,
                options: Vec::new(),
                player: None,
            }),
        }
    }

    /// Sets options of A and B for the games to come, beside those that the engines always get.
    pub(crate) fn set_options(&mut self, options: [Vec<(String, String)>; 2]) {
        for (slot, options) in self.slots.iter_mut().zip(options) {
            slot.options = options;
        }
    }

    /// Plays the game with the given number.
    pub(crate) fn play(&mut self, game: usize, opening: &Opening, rules: &Rules) -> Played {
        let [a, b] = &mut self.slots;
        match color_of_a(game) {
            Color::Black => game::play([a, b], opening, rules),
            Color::White => game::play([b, a], opening, rules),
        }
    }
}

/// The side of engine A in the game with the given number: black in the first of a pair.
pub(crate) const fn color_of_a(game: usize) -> Color {
    if game.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}

// Load beside a match: threads that do nothing but keep processors busy.

/// Busy threads until it is dropped.
#[derive(Debug)]
pub(crate) struct Stress {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Stress {
    pub(crate) fn start(threads: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = || {
            let over = over.clone();
            thread::spawn(move || {
                let mut number = 1_u64;
                while !over.load(Ordering::Relaxed) {
                    for _ in 0..10_000 {
                        number = black_box(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1);
                    }
                }
            })
        };
        let threads = (0..threads).map(|_| busy()).collect();
        Self { over, threads }
    }
}

impl Drop for Stress {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A busy loop cannot panic.
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        let mut done = Vec::new();
        run(
            0..100,
            4,
            || 1,
            |one, job| job + *one,
            |result| {
                done.push(result);
                Ok(ControlFlow::Continue(()))
            },
        )
        .expect("no errors");
        done.sort_unstable();
        assert_eq!(done, (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_the_work() {
        let mut finished = 0;
        let result = run(
            0..1_000_000,
            2,
            || (),
            |(), job| job,
            |_| {
                finished += 1;
                anyhow::ensure!(finished < 3, "enough");
                Ok(ControlFlow::Continue(()))
            },
        );
        assert!(result.is_err());
        assert_eq!(finished, 3);
    }

    #[test]
    fn the_work_can_be_ended_early() {
        let mut finished = 0;
        let finish = |_| {
            finished += 1;
            Ok(if finished == 5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        run(0..1_000_000, 2, || (), |(), job: i32| job, finish).expect("no errors");
        assert_eq!(finished, 5);
    }
}
