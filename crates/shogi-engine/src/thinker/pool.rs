//! Many workers side by side.

use std::io;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Searcher;

/// Workers, as a rule [`super::Thinker`]s, that share work: each takes the next job when it is done with its
/// last.
///
/// ```
/// use shogi_core::{Game, Position};
/// use shogi_engine::{Pool, Session, ThinkLimits, Thinker};
///
/// let mut session = Session::new();
/// let mut pool = Pool::new((0..2).map(|_| session.searcher(1)).collect());
/// let games = ["startpos", "startpos moves 7g7f", "startpos moves 2g2f"]
///     .map(|line| shogi_core::parse_position_line(line).expect("a position"));
/// let limits = ThinkLimits { depth: Some(2), ..ThinkLimits::default() };
/// let mut nodes = 0;
/// pool.run(
///     games.iter(),
///     |searcher, game| searcher.think(game, &limits),
///     |thought| nodes += thought.map_or(0, |thought| thought.nodes),
/// )?;
/// assert!(nodes > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pool<T> {
    workers: Vec<T>,
}

impl<T: Send> Pool<T> {
    /// A pool of `workers`, of which there should be no more than processors.
    pub const fn new(workers: Vec<T>) -> Self {
        Self { workers }
    }

    /// The workers, to be changed or asked one by one.
    pub fn workers(&mut self) -> &mut [T] {
        &mut self.workers
    }

    /// Has `work` done on every one of `jobs`, each by one worker on a thread of its own, and hands the
    /// results to `take` on this thread, in the order in which they are ready. Jobs are taken from the
    /// iterator one by one, as workers become free. Without workers nothing is done.
    ///
    /// # Errors
    /// When the system gives no threads. Jobs that were begun by then are finished.
    ///
    /// # Panics
    /// When `work` panics, after the jobs that were begun.
    pub fn run<J, R: Send>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(&mut T, J) -> R + Sync,
        mut take: impl FnMut(R),
    ) -> io::Result<()> {
        let jobs = Mutex::new(Some(jobs));
        let next = || {
            let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.as_mut()?.next()
        };
        let (sender, results) = mpsc::channel();
        thread::scope(|scope| {
            let mut started = Ok(());
            for worker in &mut self.workers {
                let (sender, next, work) = (sender.clone(), &next, &work);
                let run = move || {
                    while let Some(job) = next() {
                        if sender.send(work(worker, job)).is_err() {
                            break;
                        }
                    }
                };
                let thread = thread::Builder::new()
                    .name("worker".to_owned())
                    .stack_size(Searcher::STACK_BYTES);
                if let Err(error) = thread.spawn_scoped(scope, run) {
                    *jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    started = Err(error);
                    break;
                }
            }
            drop(sender);
            results.iter().for_each(&mut take);
            started
        })
    }
}
