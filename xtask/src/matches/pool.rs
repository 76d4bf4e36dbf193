//! Several games at once: each worker has its own two engine processes.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc;

use anyhow::Result;

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
