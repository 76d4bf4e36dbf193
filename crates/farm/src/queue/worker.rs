//! The run loop over the items of a queue.

use super::{ItemQueue, Queue, RemoteItem};
use crate::worker::OutputOf;
use crate::{Event, Recorder, RetryPolicy, RunControl, Worker, Workers};

/// Does the items of `queue` by `workers` until nothing is left or `control` ends the run, and sends what `encode` makes of
/// their outputs. `recorder` gets the outputs too, to count and report them.
///
/// # Errors
/// See [`run`](crate::run()); when the address of the queue is invalid.
pub fn work<W, R>(
    queue: &Queue,
    workers: &W,
    encode: impl Fn(&R::Item, &R::Output) -> Vec<u8>,
    control: &RunControl,
    policy: RetryPolicy,
    recorder: &mut R,
) -> Result<(), R::Error>
where
    W: Workers<Worker: Worker<Item = R::Item>>,
    R: Recorder<Item: RemoteItem, Output = OutputOf<W>>,
{
    let worker = ItemQueue::new(queue)?;
    let mut sender = ResultSender {
        worker: &worker,
        encode,
        recorder,
    };
    let result = crate::run(workers, &worker, control, policy, &mut sender);
    worker.finish(&|| control.is_quitting());
    result
}

/// Sends results before they are recorded.
struct ResultSender<'a, I: RemoteItem, F, R> {
    worker: &'a ItemQueue<I>,
    encode: F,
    recorder: &'a mut R,
}

impl<I, F, R> Recorder for ResultSender<'_, I, F, R>
where
    I: RemoteItem,
    R: Recorder<Item = I>,
    F: Fn(&I, &R::Output) -> Vec<u8>,
{
    type Kind = R::Kind;
    type Item = I;
    type Output = R::Output;
    type Error = R::Error;

    fn record(
        &mut self,
        worker: Option<usize>,
        item: &I,
        output: R::Output,
    ) -> Result<(), R::Error> {
        self.worker
            .put(item.number(), (self.encode)(item, &output))?;
        self.recorder.record(worker, item, output)
    }

    fn give_up(&mut self, item: &I) -> Result<(), R::Error> {
        self.worker.put(item.number(), Vec::new())?;
        self.recorder.give_up(item)
    }

    fn save_if_due(&mut self) -> Result<(), R::Error> {
        if let Some(reason) = self.worker.take_error() {
            let reason = reason.as_str();
            self.recorder.on_event(&Event::TransientError { reason });
        }
        self.recorder.save_if_due()
    }

    fn on_event(&mut self, event: &Event<'_, R::Kind>) {
        self.recorder.on_event(event);
    }
}
