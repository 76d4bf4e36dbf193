//! Runs that are watched by their queues, from a machine that takes no part in them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;
use tokio::time::sleep;

use super::access::{Access, Address, Urls};
use super::link::{Link, ShownNext};
use super::seal::{Nonce, Seals};
use super::shown::{ShownMessage, ShownSeals};
use super::transient::TransientError;
use crate::FarmError;

/// The time between two looks at the server.
const LOOK: Duration = Duration::from_secs(1);
/// Runs that are known; of more, those whose turn was longest ago are forgotten.
const MOST_RUNS: usize = 500;
/// Messages of one look.
const MOST_MESSAGES: usize = 1000;
/// Processes that are remembered of a run.
const MOST_PROCESSES: usize = 16;

/// The runs that are shared over a NATS server, as those show themselves who serve them. Reads only: nothing on the server is made or
/// changed by it, and nobody notices it. What was not sealed with the secret is counted, and nothing else.
pub struct QueueWatch {
    /// Where it looks, without passwords.
    address: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What was shown of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedRun {
    /// The name of its queue on the server ([`Queue::id`](super::Queue::id)).
    pub id: String,
    /// When it was shown, in milliseconds since 1970.
    pub at: u64,
    /// Its events, a line of JSON each.
    pub text: Vec<u8>,
}

/// How watching goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchStatus {
    /// Messages that were read.
    pub messages: u64,
    /// Those of them that were not sealed with the secret, were too long, or came again.
    pub refused: u64,
    /// Why nothing is seen, or not everything; for people.
    pub text: Option<String>,
}

#[derive(Debug, Default)]
struct Shared {
    seen: Mutex<Seen>,
    stop: Notify,
}

/// What was seen.
#[derive(Debug, Default)]
struct Seen {
    runs: BTreeMap<String, SeenRun>,
    /// Queues with messages that cannot be opened.
    sealed: BTreeSet<String>,
    status: WatchStatus,
    /// The server's or the connection's error.
    error: Option<String>,
}

#[derive(Debug)]
struct SeenRun {
    process: Nonce,
    beat: u64,
    /// Processes that served it before.
    earlier: VecDeque<Nonce>,
    /// What was not taken yet.
    news: Option<WatchedRun>,
    /// The number of its last message on the server.
    sequence: u64,
}

impl QueueWatch {
    /// Begins to watch the runs of a server: `nats://host:4222` or several addresses of one cluster, separated by commas; or one of
    /// them, `nats://host:4222/ID`.
    ///
    /// # Errors
    /// When the address is invalid, or on another machine and there is no secret.
    pub fn new(url: &str, access: Access) -> Result<Self, FarmError> {
        let (url, id) = split(url);
        let address = Address {
            url: Urls(url.to_owned()),
            seals: Seals::new(&access.trust, b""),
            access,
            id: id.unwrap_or("*").to_owned(),
        };
        let is_name = |id: &str| id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(id) = id.filter(|id| !is_name(id)) {
            let reason = format!("{id:?} is no name of a run, which is 16 hexadecimal digits");
            return Err(address.error(reason));
        }
        let shown = match id {
            Some(id) => format!("{}/{id}", address.url),
            None => address.url.to_string(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let link = runtime.block_on(Link::new(&address))?;
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = watch(&link, &own) => {}
                        () = own.stop.notified() => {}
                    }
                });
            })?;
        Ok(Self {
            address: shown,
            shared,
            thread: Some(thread),
        })
    }

    /// The address, without passwords.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What was shown of runs since the last time: the last of each.
    pub fn take(&self) -> Vec<WatchedRun> {
        let mut seen = self.shared.lock();
        let runs = seen.runs.values_mut();
        runs.filter_map(|run| run.news.take()).collect()
    }

    /// How it goes on.
    pub fn status(&self) -> WatchStatus {
        let seen = self.shared.lock();
        let sealed = || {
            let count = seen.sealed.len();
            (count > 0).then(|| {
                let runs = if count == 1 { "run" } else { "runs" };
                format!("{count} {runs} there cannot be read: another secret than here, or none, or another version")
            })
        };
        WatchStatus {
            text: seen.error.clone().or_else(sealed),
            ..seen.status.clone()
        }
    }
}

impl Drop for QueueWatch {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It returns nothing, and is not expected to panic.
            drop(thread.join());
        }
    }
}

impl std::fmt::Debug for QueueWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueueWatch")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// The addresses, and the name of a run behind them.
fn split(url: &str) -> (&str, Option<&str>) {
    let host = url.rfind("://").map_or(0, |at| at + 3);
    match url[host..].split_once('/') {
        Some((before, id)) => {
            let id = id.trim_end_matches('/');
            (
                &url[..host + before.len()],
                Some(id).filter(|id| !id.is_empty()),
            )
        }
        None => (url, None),
    }
}

/// Reads what is new, again and again.
async fn watch(link: &Link, shared: &Shared) {
    let mut place = Place::default();
    loop {
        match look(link, shared, &mut place).await {
            Ok(()) => {
                shared.lock().error = None;
                place.is_known = true;
            }
            Err(error) => {
                shared.lock().error = Some(error.to_string());
                place.is_known = false;
            }
        }
        sleep(LOOK).await;
    }
}

/// How far the stream was read.
#[derive(Debug, Default)]
struct Place {
    /// The stream: when it was created, in nanoseconds since 1970.
    stream: i128,
    /// The number of the last message.
    sequence: u64,
    /// All of it was read just now.
    is_known: bool,
}

async fn look(link: &Link, shared: &Shared, place: &mut Place) -> Result<(), TransientError> {
    let Some(stream) = link.shown().await? else {
        return Err(TransientError::NothingShown);
    };
    if (stream.created, stream.last) < (place.stream, place.sequence)
        || stream.created != place.stream
    {
        *place = Place {
            stream: stream.created,
            ..Place::default()
        };
    }
    for _ in 0..MOST_MESSAGES {
        if place.sequence >= stream.last {
            break;
        }
        let Some(next) = stream.next(link, place.sequence + 1).await? else {
            // What is left is of others.
            place.sequence = stream.last;
            break;
        };
        place.sequence = next.sequence;
        shared.lock().take(link, &next, place.is_known);
    }
    Ok(())
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Takes a message; one that came while the server was watched came now.
    fn take(&mut self, link: &Link, next: &ShownNext, came_now: bool) {
        self.status.messages += 1;
        let now = now();
        let at = if came_now { now } else { now.min(next.at) };
        let seals = ShownSeals::new(&link.queue.access.trust, &next.id);
        let opened = seals.open_shown(&next.payload);
        let Some(shown) = opened else {
            self.status.refused += 1;
            if self.sealed.len() < MOST_RUNS && !self.runs.contains_key(&next.id) {
                self.sealed.insert(next.id.clone());
            }
            return;
        };
        self.sealed.remove(&next.id);
        if !self.believe(next, &shown, at) {
            self.status.refused += 1;
        }
    }

    /// Takes what is shown of a run, unless it was shown before.
    fn believe(&mut self, next: &ShownNext, shown: &ShownMessage<'_>, at: u64) -> bool {
        let news = Some(WatchedRun {
            id: next.id.clone(),
            at,
            text: shown.text.to_vec(),
        });
        if let Some(run) = self.runs.get_mut(&next.id) {
            let is_old = if run.process == shown.process {
                shown.beat <= run.beat
            } else {
                run.earlier.contains(&shown.process)
            };
            if is_old {
                return false;
            }
            if run.process != shown.process {
                run.earlier.push_back(run.process);
                if run.earlier.len() > MOST_PROCESSES {
                    run.earlier.pop_front();
                }
            }
            (run.process, run.beat) = (shown.process, shown.beat);
            (run.news, run.sequence) = (news, next.sequence);
            return true;
        }
        if self.runs.len() >= MOST_RUNS {
            let oldest = self.runs.iter().min_by_key(|(_, run)| run.sequence);
            let oldest = oldest.map(|(id, _)| id.clone());
            oldest.map(|id| self.runs.remove(&id));
        }
        let run = SeenRun {
            process: shown.process,
            beat: shown.beat,
            earlier: VecDeque::new(),
            news,
            sequence: next.sequence,
        };
        self.runs.insert(next.id.clone(), run);
        true
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_may_be_named_behind_the_address() {
        for (url, expected) in [
            ("nats://farm:4222", ("nats://farm:4222", None)),
            ("nats://farm:4222/", ("nats://farm:4222", None)),
            (
                "nats://a:1,tls://b:2/00ff",
                ("nats://a:1,tls://b:2", Some("00ff")),
            ),
            ("farm/12", ("farm", Some("12"))),
        ] {
            assert_eq!(split(url), expected, "{url}");
        }
        let wrong = QueueWatch::new("nats://localhost:1/what", Access::default());
        let text = wrong.unwrap_err().to_string();
        assert!(text.contains("no name of a run"), "{text}");
        let far = QueueWatch::new("nats://farm.example:1", Access::default());
        assert!(far.unwrap_err().to_string().contains("there is no secret"));
    }

    #[test]
    fn what_comes_again_is_not_believed() {
        let mut seen = Seen::default();
        let next = ShownNext {
            id: "00".to_owned(),
            sequence: 1,
            at: 0,
            payload: Vec::new(),
        };
        let mut believes = |process: u8, beat: u64| {
            let process = [process; 16];
            let text = b"{}";
            seen.believe(
                &next,
                &ShownMessage {
                    process,
                    beat,
                    text,
                },
                5,
            )
        };
        assert!(believes(1, 1) && believes(1, 3));
        assert!(!believes(1, 3) && !believes(1, 2));
        // Another process goes on, and the first one is over.
        assert!(believes(2, 1) && !believes(1, 9) && believes(2, 2));
    }

    #[test]
    fn runs_are_bounded() {
        let mut seen = Seen::default();
        for n in 0..2000 {
            let next = ShownNext {
                id: format!("{n:016x}"),
                sequence: n,
                at: 0,
                payload: Vec::new(),
            };
            let shown = ShownMessage {
                process: [1; 16],
                beat: 1,
                text: b"",
            };
            assert!(seen.believe(&next, &shown, 5));
        }
        assert_eq!(seen.runs.len(), MOST_RUNS);
        assert_eq!(seen.runs.values().next().unwrap().sequence, 1500);
    }
}
