//! Work on a whole book whose results are told piece by piece: it goes on on a thread of its own, and this one tells. Where there are no threads, all is
//! told when the work is over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use page_messages::{EventSink, StopFlag};
use serde_json::{Value, json};
use yane_book::BookError;
use yane_io::{Job, Progress, Unit};

/// How often is told what was found.
const EVERY: Duration = Duration::from_millis(100);
/// Results of an event at most.
const MOST: usize = 200;
/// Results that wait to be told at most; then the work waits.
const WAITING: usize = 4 * MOST;

/// The progress of the work, for who looks at any time.
#[derive(Default)]
struct Seen {
    stage: Mutex<(Option<u64>, Unit)>,
    done: AtomicU64,
}

impl Progress for Seen {
    fn stage(&self, _: &str, total: Option<u64>, unit: Unit) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (total, unit);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, amount: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn note(&self, _: &str) {}
}

impl Seen {
    fn fields(&self) -> Value {
        let (total, unit) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.done.load(Ordering::Relaxed);
        // Steps are rounded up at the end.
        let done = total.map_or(done, |total| done.min(total));
        let unit = match unit {
            Unit::Bytes => "bytes",
            _ => "positions",
        };
        json!({ "done": done.to_string(), "total": total.map(|total| total.to_string()), "unit": unit })
    }
}

/// False in the tab of a browser.
const HAS_THREADS: bool = !cfg!(all(target_arch = "wasm32", target_os = "unknown"));

/// Where results go while the work goes on.
pub(super) enum Results<T> {
    /// To the thread that tells them.
    Told(SyncSender<T>),
    /// To where they wait until the work is over.
    Kept(Mutex<Vec<T>>),
}

impl<T> Results<T> {
    /// Sends a result; false if nobody wants more.
    pub(super) fn send(&self, result: T) -> bool {
        match self {
            Self::Told(sender) => sender.send(result).is_ok(),
            Self::Kept(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(result);
                true
            }
        }
    }
}

/// Does work that sends results, and has them told: `tell` gets them in pieces with numbers. Returns what the work returns; `None` if it was
/// stopped.
///
/// # Errors
///
/// What the work fails at.
pub(super) fn streamed<T: Send, R: Send>(
    job: &Job,
    stop: &StopFlag,
    sink: &dyn EventSink,
    work: impl FnOnce(&Job, &Results<T>) -> Result<R, BookError> + Send,
    mut tell: impl FnMut(u64, Vec<T>),
) -> Result<Option<R>, BookError> {
    let seen = Arc::new(Seen::default());
    let job = Job {
        progress: Arc::clone(&seen) as Arc<dyn Progress>,
        cancelled: stop.shared(),
        ..job.clone()
    };
    if !HAS_THREADS {
        let results = Results::Kept(Mutex::default());
        let done = work(&job, &results);
        tell_kept(results, &mut tell);
        sink.state("progress", 0, seen.fields());
        return ended(done, stop);
    }
    let (sender, results) = sync_channel(WAITING);
    let done = thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let results = Results::Told(sender);
            work(&job, &results)
        });
        tell_all(&results, &mut tell, &mut || {
            sink.state("progress", 0, seen.fields());
        });
        worker.join()
    });
    sink.state("progress", 0, seen.fields());
    match done {
        Ok(done) => ended(done, stop),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// What the work returned; `None` if it was stopped.
fn ended<R>(done: Result<R, BookError>, stop: &StopFlag) -> Result<Option<R>, BookError> {
    match done {
        Err(_) if stop.is_stopped() => Ok(None),
        done => done.map(Some),
    }
}

/// Tells what was kept.
fn tell_kept<T>(results: Results<T>, tell: &mut dyn FnMut(u64, Vec<T>)) {
    let Results::Kept(kept) = results else { return };
    let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut number = 0;
    while !kept.is_empty() {
        let behind = kept.split_off(kept.len().min(MOST));
        tell(number, std::mem::replace(&mut kept, behind));
        number += 1;
    }
}

/// Tells results until the work is over.
fn tell_all<T>(
    results: &Receiver<T>,
    tell: &mut dyn FnMut(u64, Vec<T>),
    tell_progress: &mut dyn FnMut(),
) {
    let (mut number, mut piece, mut last) = (0, Vec::new(), Instant::now());
    loop {
        let received = results.recv_timeout(EVERY.saturating_sub(last.elapsed()));
        let is_over = matches!(received, Err(RecvTimeoutError::Disconnected));
        piece.extend(received.ok());
        if !is_over && piece.len() < MOST && last.elapsed() < EVERY {
            continue;
        }
        if !piece.is_empty() {
            tell(number, std::mem::take(&mut piece));
            number += 1;
        }
        if is_over {
            return;
        }
        if last.elapsed() >= EVERY {
            tell_progress();
            last = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_told_in_pieces() {
        let results = Results::Kept(Mutex::default());
        for number in 0..=2 * MOST {
            assert!(results.send(number));
        }
        let mut told = Vec::new();
        tell_kept(results, &mut |number, piece| told.push((number, piece)));
        let lengths: Vec<_> = told.iter().map(|(_, piece)| piece.len()).collect();
        assert_eq!(lengths, [MOST, MOST, 1]);
        assert_eq!(told[2], (2, vec![2 * MOST]));
    }
}
