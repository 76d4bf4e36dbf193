//! The side that shows a run to those who watch its queue.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use yane_io::secret::random_bytes;

use super::Queue;
use super::link::Link;
use super::seal::Nonce;
use super::shown::{ShownMessage, ShownSeals};
use super::transient::TransientError;
use crate::FarmError;

/// The time between two looks whether there is something new.
const LOOK: Duration = Duration::from_secs(1);
/// The longest time between two messages: watchers take a run for lost that is silent for several times as long.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// Words of workers that are taken at a time.
const MOST_WORDS: usize = 4096;
/// The time limit for the last message.
const GOODBYE: Duration = Duration::from_secs(2);

/// Shows a run to those who watch its queue ([`QueueWatch`](super::QueueWatch)), on a thread of its own, while this process serves it
/// and until this is dropped. A server that cannot be reached holds nothing up.
pub struct RunPublisher {
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Queue {
    /// Shows the run to those who watch the queue ([`QueueWatch`](super::QueueWatch)), from when this process serves it until the publisher is dropped. `text` gives
    /// its events, a line of JSON each and 512 KiB at most; it is called about once a second, on another thread. The workers of the queue are
    /// added to them, as an event `workers`.
    ///
    /// # Errors
    /// When the address of the queue is invalid, or the system gives no thread.
    pub fn publish(
        &self,
        text: impl Fn() -> Vec<u8> + Send + 'static,
    ) -> Result<RunPublisher, FarmError> {
        RunPublisher::begin(self, Box::new(text))
    }
}

impl RunPublisher {
    fn begin(queue: &Queue, text: Box<dyn Fn() -> Vec<u8> + Send>) -> Result<Self, FarmError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let address = queue.at();
        let link = runtime.block_on(Link::new(&address))?;
        let process = random_bytes().map_err(|error| address.error(error.to_string()))?;
        let stop = Arc::new(Notify::new());
        let mut showing = Showing {
            seals: ShownSeals::new(&address.access.trust, &address.id),
            link,
            queue: queue.clone(),
            text,
            process,
            beat: 0,
            standing: Standing::Waiting,
            last: None,
        };
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("shown".to_owned())
            .spawn(move || runtime.block_on(showing.run(&stopped)))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for RunPublisher {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It returns nothing, and is not expected to panic.
            drop(thread.join());
        }
    }
}

impl std::fmt::Debug for RunPublisher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunPublisher").finish_non_exhaustive()
    }
}

/// Whether this process is the one that shows the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It does not serve the queue yet.
    Waiting,
    /// It serves the queue, or has until its end.
    Serving,
    /// Another process does.
    Lost,
}

/// The work of the thread.
struct Showing {
    link: Link,
    queue: Queue,
    seals: ShownSeals,
    text: Box<dyn Fn() -> Vec<u8> + Send>,
    process: Nonce,
    beat: u64,
    standing: Standing,
    /// What was shown last, and when.
    last: Option<(Instant, Vec<u8>)>,
}

impl Showing {
    async fn run(&mut self, stop: &Notify) {
        tokio::select! {
            () = self.show() => {}
            () = stop.notified() => {}
        }
        // Without a server the last state is that of the last message.
        timeout(GOODBYE, self.look(Duration::ZERO)).await.ok();
    }

    async fn show(&mut self) {
        let mut words = None;
        let mut told = String::new();
        loop {
            if words.is_none() {
                words = self.link.subscribe(self.link.queue.workers()).await.ok();
            }
            if let Some(words) = &mut words {
                self.hear(words);
            }
            match self.look(HEARTBEAT).await {
                Ok(()) => told.clear(),
                Err(error) => {
                    let reason = error.to_string();
                    if told != reason {
                        told.clone_from(&reason);
                        let text = format!("the run cannot be shown to others: {reason}");
                        self.queue.roster.failed(text);
                    }
                }
            }
            sleep(LOOK).await;
        }
    }

    /// Takes what workers say of themselves.
    fn hear(&self, words: &mut Subscriber) {
        for _ in 0..MOST_WORDS {
            let Some(Some(message)) = words.next().now_or_never() else {
                return;
            };
            // Who has another secret is not told of: the server of the run says so of its results.
            if let Some(said) = self.seals.open_worker(&message.payload) {
                self.queue.roster.announced(&said);
            }
        }
    }

    /// Publishes what there is now, if it is new or the last message is as old as `interval`.
    async fn look(&mut self, interval: Duration) -> Result<(), TransientError> {
        self.standing = match (self.queue.is_ours(), self.standing) {
            (_, Standing::Lost) | (Some(false), _) => Standing::Lost,
            (Some(true), _) => Standing::Serving,
            (None, before) => before,
        };
        if self.standing != Standing::Serving {
            return Ok(());
        }
        let mut text = (self.text)();
        if let Some(event) = self.queue.roster.event() {
            text.extend(format!("{event}\n").into_bytes());
        }
        let is_shown = self
            .last
            .as_ref()
            .is_some_and(|(at, last)| at.elapsed() < interval && *last == text);
        if is_shown {
            return Ok(());
        }
        self.beat += 1;
        let message = self.seals.shown(&ShownMessage {
            process: self.process,
            beat: self.beat,
            text: &text,
        });
        self.link.show(message).await?;
        self.last = Some((Instant::now(), text));
        Ok(())
    }
}

/// Says of a worker that it is there, what it is called and how much it has in progress, until it is dropped.
pub(super) async fn announce(link: &Link, word: impl Fn() -> Vec<u8>) {
    loop {
        // Nothing depends on it.
        link.say(link.queue.workers(), word()).await.ok();
        sleep(super::roster::ANNOUNCED).await;
    }
}
