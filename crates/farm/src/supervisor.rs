//! The thread of a worker, and its supervisor, which makes the worker anew after a failure or a panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::SyncSender;

use yane_io::job::Crew;

use crate::control::RunControl;
use crate::policy::RetryPolicy;
use crate::source::Source;
use crate::worker::{ItemOf, OutputOf, Stop, WorkError, Worker, Workers};

/// State shared by all workers.
pub(crate) struct Shared<'a, W, S> {
    pub(crate) workers: &'a W,
    pub(crate) source: &'a S,
    pub(crate) control: &'a RunControl,
    /// Those who have an item are busy.
    pub(crate) crew: Crew,
    pub(crate) policy: RetryPolicy,
}

/// A message of worker `worker` to the run loop.
pub(crate) struct Message<I, O> {
    pub(crate) worker: usize,
    pub(crate) content: Content<I, O>,
}

/// What happened.
pub(crate) enum Content<I, O> {
    Finished {
        item: I,
        output: O,
    },
    Failed {
        /// The item in progress.
        item: Option<I>,
        reason: String,
    },
    /// The work, or the start of the worker, panicked.
    Panicked {
        item: Option<I>,
        reason: String,
    },
    /// It failed too often.
    Closed {
        reason: String,
    },
    /// No other try would tell anything else.
    Refused {
        reason: String,
    },
    /// The thread ends by a panic outside of the work: of the source, or of the end of a worker.
    Died {
        reason: String,
    },
}

/// The messages about the work of `W`.
pub(crate) type MessageOf<W> = Message<ItemOf<W>, OutputOf<W>>;
type ContentOf<W> = Content<ItemOf<W>, OutputOf<W>>;

/// Does items until there is nothing left, the run ends, or the worker is closed.
pub(crate) fn worker_loop<W, S>(
    number: usize,
    stop: Stop,
    shared: &Shared<'_, W, S>,
    messages: &SyncSender<MessageOf<W>>,
) where
    W: Workers<Worker: Worker<Item = S::Item>>,
    S: Source,
{
    let mut supervisor = Supervisor {
        number,
        stop,
        shared,
        messages,
        worker: None,
        failures: 0,
        violations: 0,
    };
    let ended = catch(|| {
        shared.workers.enter(number);
        while !shared.control.is_quitting() && supervisor.next_item().is_some() {}
        supervisor.worker = None;
    });
    if let Err(Panic { message: reason }) = ended {
        supervisor.send(Content::Died { reason });
    }
}

/// Keeps a worker running.
struct Supervisor<'a, W: Workers, S> {
    number: usize,
    stop: Stop,
    shared: &'a Shared<'a, W, S>,
    messages: &'a SyncSender<MessageOf<W>>,
    worker: Option<W::Worker>,
    /// Failures in a row.
    failures: u32,
    /// Items in a row that were spoilt by protocol violations.
    violations: u32,
}

impl<W, S> Supervisor<'_, W, S>
where
    W: Workers<Worker: Worker<Item = S::Item>>,
    S: Source,
{
    /// Does one item; `None` when the worker is done.
    fn next_item(&mut self) -> Option<()> {
        // First a worker, so that no item suffers from one that cannot be started.
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => match catch(|| self.shared.workers.start(self.number)) {
                Ok(Ok(worker)) => worker,
                Ok(Err(error)) => return self.failed_by(None, error),
                Err(panic) => return self.panicked(None, panic.message),
            },
        };
        let control = self.shared.control;
        control.wait_if_paused();
        let item = self.shared.source.next(&|| control.is_quitting())?;
        self.stop.clear();
        if control.is_quitting() {
            return None;
        }
        let worked = {
            let _busy = self.shared.crew.busy();
            catch(|| worker.work(&item, &self.stop))
        };
        match worked {
            Ok(Ok(finished)) => {
                self.failures = 0;
                let output = finished.output;
                self.send(Content::Finished { item, output })?;
                let Some(violation) = finished.violation else {
                    self.violations = 0;
                    self.worker = Some(worker);
                    return Some(());
                };
                drop(worker);
                self.violations += 1;
                self.failed(None, format!("protocol violation: {violation}"))
            }
            Ok(Err(error)) => {
                let item = self.drop_worker(worker, item)?;
                self.failed_by(Some(item), error)
            }
            Err(panic) => {
                let item = self.drop_worker(worker, item)?;
                self.panicked(Some(item), panic.message)
            }
        }
    }

    /// Drops a worker that failed; a panic then is that of the item too, and ends this thread.
    fn drop_worker(&self, worker: W::Worker, item: ItemOf<W>) -> Option<ItemOf<W>> {
        let Err(Panic { message: reason }) = catch(|| drop(worker)) else {
            return Some(item);
        };
        let item = Some(item);
        let told = reason.clone();
        self.send(Content::Panicked { item, reason: told })?;
        self.send(Content::Closed { reason })?;
        None
    }

    /// Reports an error; `None` when the worker is done.
    fn failed_by(&mut self, item: Option<ItemOf<W>>, error: WorkError) -> Option<()> {
        match error {
            WorkError::Stopped if self.shared.control.is_quitting() => None,
            WorkError::Stopped => {
                let early = "stopped before its end".to_owned();
                let reason = self.stop.check().err().map_or(early, |it| it.to_string());
                self.failed(item, reason)
            }
            WorkError::Failed(reason) => self.failed(item, reason),
            WorkError::Refused(reason) => {
                self.send(Content::Refused { reason })?;
                None
            }
        }
    }

    fn send(&self, content: ContentOf<W>) -> Option<()> {
        let worker = self.number;
        self.messages.send(Message { worker, content }).ok()
    }

    /// Reports a failure; `None` when the worker is closed.
    fn failed(&mut self, item: Option<ItemOf<W>>, reason: String) -> Option<()> {
        if self.violations == 0 {
            self.failures += 1;
        }
        let told = reason.clone();
        self.send(Content::Failed { item, reason: told })?;
        self.close_or_wait(reason)
    }

    /// Reports a panic; `None` when the worker is closed.
    fn panicked(&mut self, item: Option<ItemOf<W>>, reason: String) -> Option<()> {
        self.failures += 1;
        let told = reason.clone();
        self.send(Content::Panicked { item, reason: told })?;
        self.close_or_wait(reason)
    }

    /// Waits before the worker is started again; `None` when it is closed instead.
    fn close_or_wait(&self, reason: String) -> Option<()> {
        let policy = &self.shared.policy;
        if self.failures >= policy.failures || self.violations >= policy.violations {
            self.send(Content::Closed { reason })?;
            return None;
        }
        let failures = self.failures.max(self.violations);
        let wait = policy.backoff.wait(self.number, failures);
        self.shared.control.sleep(wait);
        Some(())
    }
}

/// The result of `work`, or the message of its panic. What it changes is thrown away then.
fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Panic {
        message: panic_text(&*panic),
    })
}

/// A panic that was caught.
struct Panic {
    message: String,
}

/// The message of a panic.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
