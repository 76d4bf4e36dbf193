//! Who serves a queue: one process at a time.
//!
//! The server of a queue renews a message in the stream of states, on a thread of its own. Each message replaces the
//! one that its writer has seen last, or is refused, so that of two processes one knows that it came second. A process
//! that was killed renews nothing: when its lease is over another one takes over, with the same epoch, so that results
//! that were sent meanwhile count.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use yane_io::secret::random_bytes;

use super::access::Address;
use super::link::{FoundState, Link};
use super::seal::{Nonce, StateMessage};
use super::transient::TransientError;
use crate::FarmError;

/// The longest time without renewal after which a process counts as dead.
const LONGEST: Duration = Duration::from_secs(15);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);
/// The time limit for leaving a queue to others.
const GOODBYE: Duration = Duration::from_secs(1);
/// The owner of a queue that nobody serves.
pub(super) const NOBODY: Nonce = [0; 16];

/// The ownership of a queue by this process: renewed until it is dropped.
pub(super) struct Owner {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    standing: Mutex<Standing>,
    changed: Condvar,
    stop: Notify,
}

/// How it stands, and what was to be told.
#[derive(Default)]
struct Standing {
    claim: Claim,
    /// The last transient error, or what is waited for.
    told: Option<String>,
}

#[derive(Clone, Copy, Default)]
enum Claim {
    /// Not known yet.
    #[default]
    Pending,
    /// The queue is this process's.
    Ours { epoch: Nonce },
    /// Another process serves it.
    Lost,
}

/// How the ownership of a queue stands, for those who serve it.
pub(super) struct Ownership {
    /// The epoch of this process's messages, once the queue is its own.
    pub(super) epoch: Option<Nonce>,
    /// What is to be told, once.
    pub(super) told: Option<String>,
}

impl Owner {
    /// Begins to claim the queue.
    pub(super) fn claim(queue: &Address) -> Result<Self, FarmError> {
        let random = || random_bytes().map_err(|error| queue.error(error.to_string()));
        let mut name: Nonce = random()?;
        name[0] |= 1;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let link = runtime.block_on(Link::new(queue))?;
        let shared = Arc::new(Shared::default());
        let mut claimer = Claimer {
            name,
            fresh: random()?,
            lease: queue.access.lease.min(LONGEST),
            link,
            shared: Arc::clone(&shared),
            beat: 0,
        };
        let thread = std::thread::Builder::new()
            .name("owner".to_owned())
            .spawn(move || runtime.block_on(claimer.keep()))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Returns whether the queue is this process's; `None` while that is not known.
    pub(super) fn is_ours(&self) -> Option<bool> {
        match self.shared.lock().claim {
            Claim::Pending => None,
            Claim::Ours { .. } => Some(true),
            Claim::Lost => Some(false),
        }
    }

    /// How it stands, after a short while at most.
    ///
    /// # Errors
    /// When another process serves the queue.
    pub(super) fn ownership(&self, queue: &Address) -> Result<Ownership, FarmError> {
        let mut standing = self.shared.lock();
        if matches!(standing.claim, Claim::Pending) && standing.told.is_none() {
            let waited = self
                .shared
                .changed
                .wait_timeout(standing, Duration::from_millis(100));
            standing = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let epoch = match standing.claim {
            Claim::Pending => None,
            Claim::Ours { epoch } => Some(epoch),
            Claim::Lost => {
                let reason = "in use: another process serves the same run; end one of them";
                return Err(queue.error(reason.to_owned()));
            }
        };
        let told = standing.told.take();
        Ok(Ownership { epoch, told })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It returns nothing, and is not expected to panic.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, claim: Claim) {
        self.lock().claim = claim;
        self.changed.notify_all();
    }

    fn tell(&self, reason: String) {
        self.lock().told = Some(reason);
        self.changed.notify_all();
    }
}

/// The work of the thread of an owner.
struct Claimer {
    /// A random number of this process.
    name: Nonce,
    /// The epoch of a run that begins here.
    fresh: Nonce,
    lease: Duration,
    link: Link,
    shared: Arc<Shared>,
    beat: u64,
}

/// Another process that may live: the message that it wrote last, and since when that is so.
struct Rival {
    sequence: u64,
    since: Instant,
}

impl Claimer {
    /// Claims the queue and renews that until told to stop; then leaves it to others.
    async fn keep(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut held = None;
        tokio::select! {
            () = self.claim_and_renew(&mut held) => return,
            () = shared.stop.notified() => {}
        }
        if let Some((epoch, sequence)) = held {
            // Without a server the lease runs out.
            let write = self.write(NOBODY, epoch, sequence);
            tokio::time::timeout(GOODBYE, write).await.ok();
        }
    }

    /// Returns when another process serves the queue.
    async fn claim_and_renew(&mut self, held: &mut Option<(Nonce, u64)>) {
        let mut rival = None;
        loop {
            match self.step(held, &mut rival).await {
                Ok(true) => tokio::time::sleep(self.lease / 3).await,
                Ok(false) if matches!(self.shared.lock().claim, Claim::Lost) => return,
                Ok(false) => tokio::time::sleep(self.lease / 10).await,
                Err(error) => {
                    self.shared.tell(error.to_string());
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Writes the next message if that may be; returns whether it was.
    async fn step(
        &mut self,
        held: &mut Option<(Nonce, u64)>,
        rival: &mut Option<Rival>,
    ) -> Result<bool, TransientError> {
        let epoch = held.map(|(epoch, _)| epoch);
        let (epoch, sequence) = match self.link.last_state().await? {
            FoundState::Nothing => (epoch.unwrap_or(self.fresh), 0),
            FoundState::Forged { sequence } => {
                self.shared.tell(
                    "the state of the queue was written by somebody without the right secret"
                        .to_owned(),
                );
                (epoch.unwrap_or(self.fresh), sequence)
            }
            FoundState::State { sequence, state } => {
                let is_ours = state.owner == self.name;
                if !is_ours && !state.is_done && state.owner != NOBODY {
                    if !self.is_dead(rival, sequence) {
                        return Ok(false);
                    }
                    self.shared
                        .tell("the process that served it before is gone".to_owned());
                }
                let next = if state.is_done {
                    self.fresh
                } else {
                    state.epoch
                };
                (epoch.unwrap_or(next), sequence)
            }
        };
        let sequence = self.write(self.name, epoch, sequence).await?;
        *held = Some((epoch, sequence));
        *rival = None;
        self.shared.set(Claim::Ours { epoch });
        Ok(true)
    }

    /// Looks whether another process renews its message: then the queue is lost. True when it has not for a lease.
    fn is_dead(&self, rival: &mut Option<Rival>, sequence: u64) -> bool {
        match rival {
            Some(known) if known.sequence == sequence => known.since.elapsed() > self.lease,
            Some(_) => {
                self.shared.set(Claim::Lost);
                false
            }
            None => {
                *rival = Some(Rival {
                    sequence,
                    since: Instant::now(),
                });
                self.shared.tell(format!(
                    "another process has served this run; looking for {} s whether it still does",
                    self.lease.as_secs().max(1)
                ));
                false
            }
        }
    }

    async fn write(
        &mut self,
        owner: Nonce,
        epoch: Nonce,
        sequence: u64,
    ) -> Result<u64, TransientError> {
        self.beat += 1;
        let state = StateMessage {
            is_done: false,
            owner,
            epoch,
            beat: self.beat,
        };
        self.link.put_state(&state, sequence).await
    }
}
