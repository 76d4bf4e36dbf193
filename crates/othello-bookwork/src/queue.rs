//! Who searches: machines that share a NATS queue.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use farm::queue::{Access, ItemQueue, Queue, RefusedResult, RemoteItem as _, Server};
use farm::{
    Backlog, Event, FarmError, Next, Recorder, RunControl, RunKind, SharedBacklog, Source as _,
};
use othello_eval::Weights;
use othello_search::Control;
use yane_io::{Job, Progress};

use crate::item::{BookSearcher, SearchAnswer, SearchItem};
use crate::workers::{Answering, STACK, TICK, Workers, lock, parse_reply};
use crate::{BookGrowthError, Result};

/// The queue of a name at the address of a NATS server: what processes that work on the same book have in common. `weights`
/// tells the evaluation, on which answers depend.
pub fn queue(url: &str, name: &str, weights: &str, access: Access) -> Queue {
    let description = format!("othello-bookwork 1; {name}; {weights}");
    let mut queue = Queue::new(url, &description);
    queue.access = access;
    queue
}

/// Machines that work for a queue ([`work_for_queue`]).
pub struct QueueWorkers {
    queue: Queue,
    control: RunControl,
    progress: Arc<dyn Progress>,
}

impl QueueWorkers {
    /// Serves a queue until `job` is cancelled at most. Waits for the server if need be.
    ///
    /// # Errors
    ///
    /// The address of the queue is invalid.
    pub fn new(queue: Queue, job: &Job) -> Result<Self> {
        let workers = Self {
            queue,
            control: RunControl::with_flag(Arc::clone(&job.cancelled)),
            progress: Arc::clone(&job.progress),
        };
        Server::new(&workers.queue, &workers.control)
            .open(|reason| workers.progress.note(reason))?;
        Ok(workers)
    }
}

/// Items that may be published at a time.
const PUBLISHED: usize = 1024;

impl Workers for QueueWorkers {
    fn ahead(&self) -> usize {
        PUBLISHED
    }

    fn answer(&mut self, asking: &mut dyn Answering) -> Result<bool> {
        let served = Mutex::new(Served {
            asking,
            error: None,
        });
        let backlog = SharedBacklog::new(ServedItems(&served));
        let mut results = Results {
            served: &served,
            control: &self.control,
            is_wanted: true,
            progress: &*self.progress,
        };
        let decode = |item: &SearchItem, bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).ok();
            let reply = text.and_then(|text| parse_reply(text, item));
            reply.ok_or_else(|| RefusedResult::new("it is no answer to this search"))
        };
        // A round ends early when the run has enough, which is not the end of the process.
        let own = RunControl::default();
        results.control = &own;
        let watch = self.control.clone();
        let ended = AtomicBool::new(false);
        let done = std::thread::scope(|scope| {
            let (own, ended) = (&own, &ended);
            scope.spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    if watch.is_quitting() {
                        own.quit();
                        return;
                    }
                    std::thread::sleep(TICK);
                }
            });
            let done =
                Server::new(&self.queue, own).round(PUBLISHED, &backlog, decode, &mut results);
            ended.store(true, Ordering::Relaxed);
            done
        });
        let is_wanted = results.is_wanted;
        if let Some(error) = lock(&served).error.take() {
            return Err(error);
        }
        Ok(done? && is_wanted)
    }

    fn close(&mut self) -> Result<()> {
        let control = RunControl::default();
        Server::new(&self.queue, &control).close(|reason| self.progress.note(reason))?;
        Ok(())
    }
}

/// Runs that serve searches.
#[derive(Clone, Copy, Debug)]
struct ServedSearches;

impl RunKind for ServedSearches {
    type Report<'a> = ();
    type Totals = ();
}

struct Served<'a> {
    asking: &'a mut dyn Answering,
    error: Option<BookGrowthError>,
}

struct ServedItems<'a, 'b>(&'a Mutex<Served<'b>>);

impl Backlog for ServedItems<'_, '_> {
    type Item = SearchItem;

    fn next(&mut self) -> Next<SearchItem> {
        let mut served = lock(self.0);
        served.asking.next().unwrap_or_else(|error| {
            served.error = Some(error);
            Next::End
        })
    }

    fn ack(&mut self, _: &SearchItem) {}

    fn nack(&mut self, item: &SearchItem) {
        lock(self.0).asking.again(*item);
    }
}

struct Results<'a, 'b> {
    served: &'a Mutex<Served<'b>>,
    control: &'a RunControl,
    is_wanted: bool,
    progress: &'a dyn Progress,
}

impl Recorder for Results<'_, '_> {
    type Kind = ServedSearches;
    type Item = SearchItem;
    type Output = (SearchAnswer, u64);
    type Error = BookGrowthError;

    fn record(
        &mut self,
        _: Option<usize>,
        item: &SearchItem,
        (answer, nodes): (SearchAnswer, u64),
    ) -> Result<()> {
        lock(self.served).asking.answered(item, answer, nodes)
    }

    fn give_up(&mut self, item: &SearchItem) -> Result<()> {
        self.progress.note(&format!(
            "{item}: a worker sent no answer; it is handed out again"
        ));
        lock(self.served).asking.again(*item);
        Ok(())
    }

    fn save_if_due(&mut self) -> Result<()> {
        let mut served = lock(self.served);
        if let Some(error) = served.error.take() {
            return Err(error);
        }
        if !served.asking.tick()? {
            self.is_wanted = false;
            self.control.quit();
        }
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, ServedSearches>) {
        if let Event::TransientError { reason } = event {
            self.progress
                .note(&format!("queue: {reason}; trying again"));
        }
    }
}

/// Searches on `threads` threads for the process that serves `queue`, until there is nothing left or `job` is cancelled.
/// Returns the number of searches.
///
/// # Errors
///
/// The address of the queue is invalid.
pub fn work_for_queue(
    queue: &Queue,
    threads: usize,
    weights: &Arc<Weights>,
    job: &Job,
) -> Result<u64> {
    let items = ItemQueue::<SearchItem>::new(queue)?;
    let is_quitting = || job.cancelled.load(Ordering::Relaxed);
    let failed: Mutex<Option<FarmError>> = Mutex::new(None);
    let running = Mutex::new(threads);
    let searches = std::thread::scope(|scope| {
        let mut handles = Vec::new();
        for n in 0..threads {
            let (items, failed, running) = (&items, &failed, &running);
            let work = move || {
                let mut searcher = BookSearcher::new(Arc::clone(weights));
                let control = Control::with_stop(Arc::clone(&job.cancelled));
                let mut searches = 0;
                while let Some(item) = items.next(&is_quitting) {
                    let Some((answer, nodes)) = searcher.search(&item, &control) else {
                        items.nack(&item);
                        break;
                    };
                    searches += 1;
                    job.progress.advance(1);
                    if let Err(error) =
                        items.put(item.number(), format!("{nodes} {answer}").into_bytes())
                    {
                        lock(failed).get_or_insert(error);
                    }
                }
                *lock(running) -= 1;
                searches
            };
            let thread = std::thread::Builder::new()
                .name(format!("search {n}"))
                .stack_size(STACK);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    *lock(running) -= 1;
                    lock(failed).get_or_insert(error.into());
                }
            }
        }
        while *lock(&running) > 0 {
            if let Some(reason) = items.take_error() {
                job.progress.note(&format!("queue: {reason}; trying again"));
            }
            std::thread::sleep(TICK);
        }
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_default())
            .sum()
    });
    items.finish(&is_quitting);
    match lock(&failed).take() {
        Some(error) => Err(error.into()),
        None => Ok(searches),
    }
}
