//! Who searches: machines that share a NATS queue.

use std::sync::Arc;
use std::time::Duration;

use farm::queue::{Access, Queue, RefusedResult, Server};
use farm::{Event, Recorder, RunControl, SharedBacklog};
use othello_eval::Weights;
use yane_io::{Job, Progress};

use crate::backlog::{AnswerRecorder, BookSearches, RoundBacklog, SearchBacklog};
use crate::error::{BookGrowthError, Result};
use crate::item::{FoundAnswer, SearchItem};
use crate::searchers::{search_retries, search_threads};

/// Items that may be published at a time.
pub(crate) const PUBLISHED: usize = 1024;

/// The queue of a name at the address of a NATS server: what processes that work on the same book have in common. `weights`
/// tells the evaluation, on which answers depend.
pub fn queue(url: &str, name: &str, weights: &str, access: Access) -> Queue {
    let description = format!("othello-bookwork 1; {name}; {weights}");
    let mut queue = Queue::new(url, &description);
    queue.access = access;
    queue
}

/// Has lists searched by the machines of a queue, in a round each, until none will come.
pub(crate) fn serve(
    queue: &Queue,
    backlog: &SearchBacklog<'_>,
    control: &RunControl,
    progress: &dyn Progress,
) -> Result<()> {
    // Machines wait for items from now on.
    Server::new(queue, control).open(|reason| progress.note(reason))?;
    while backlog.wait_for_list(&|| control.is_quitting()) {
        // A round ends early when the run has enough, which is not the end of the process.
        let round = control.child();
        let ended = round.clone();
        let mut recorder = AnswerRecorder::new(backlog, progress, Box::new(move || ended.quit()));
        let of_round = SharedBacklog::new(RoundBacklog(backlog));
        let decode = |item: &SearchItem, bytes: &[u8]| decode(bytes, item);
        Server::new(queue, &round).round(PUBLISHED, &of_round, decode, &mut recorder)?;
        backlog.take_back();
    }
    Ok(())
}

/// Publishes that everything is done, so that the machines end.
pub(crate) fn close(queue: &Queue, progress: &dyn Progress) -> Result<()> {
    Server::new(queue, &RunControl::default()).close(|reason| progress.note(reason))?;
    Ok(())
}

/// The answer of a result, if it is one for the item.
fn decode(bytes: &[u8], item: &SearchItem) -> std::result::Result<FoundAnswer, RefusedResult> {
    let text = std::str::from_utf8(bytes).ok();
    let found = text.and_then(|text| FoundAnswer::parse(text, item));
    found.ok_or_else(|| RefusedResult::new("it is no answer to this search"))
}

/// Searches on `threads` threads for the process that serves `queue`, until there is nothing left or `job` is cancelled.
/// Returns the number of searches.
///
/// # Errors
///
/// The address of the queue is invalid; a search panicked again and again.
pub fn work_for_queue(
    queue: &Queue,
    threads: usize,
    weights: &Arc<Weights>,
    job: &Job,
) -> Result<u64> {
    let workers = search_threads(threads, weights);
    let control = RunControl::of_job(job);
    let mut recorder = Count { job, searches: 0 };
    farm::queue::work(
        queue,
        &workers,
        |_, found: &FoundAnswer| found.to_string().into_bytes(),
        &control,
        search_retries(Duration::MAX),
        &mut recorder,
    )?;
    Ok(recorder.searches)
}

/// Counts the searches for a queue.
struct Count<'a> {
    job: &'a Job,
    searches: u64,
}

impl Recorder for Count<'_> {
    type Kind = BookSearches;
    type Item = SearchItem;
    type Output = FoundAnswer;
    type Error = BookGrowthError;

    fn record(&mut self, _: Option<usize>, _: &SearchItem, _: FoundAnswer) -> Result<()> {
        self.searches += 1;
        self.job.progress.advance(1);
        Ok(())
    }

    fn give_up(&mut self, item: &SearchItem) -> Result<()> {
        self.job.progress.note(&format!("{item}: given up here"));
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, BookSearches>) {
        if let Some(text) = event.message() {
            self.job.progress.note(&text);
        }
    }
}
