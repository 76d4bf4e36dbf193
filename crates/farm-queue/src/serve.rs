//! The side that has the work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::runtime::{Builder, Runtime};

use crate::frame;
use crate::link::{Link, Trouble, answer};
use crate::{Job, QueueError};

/// Most units that are published and not finished: more than any farm has seats.
const WINDOW: usize = 8192;
/// How long to wait for results before time goes by.
const TICK: Duration = Duration::from_millis(200);
/// How long to wait after trouble.
const PAUSE: Duration = Duration::from_millis(500);
/// How often to look whether the server has lost anything.
const CHECK: Duration = Duration::from_secs(10);

/// A unit of work.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// What it is known by.
    pub number: u64,
    /// What workers need to know besides, up to a megabyte.
    pub payload: Vec<u8>,
}

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Served<'a> {
    /// The result of a unit, the first one that came. It counts as taken when this was heard without an error:
    /// it has to be safe by then.
    Result {
        /// The unit.
        unit: u64,
        /// What came of it.
        bytes: &'a [u8],
    },
    /// Something does not work just now, and is tried again.
    Trouble(&'a str),
    /// Time goes by. Comes several times a second, and often without anything else.
    Tick,
}

/// What there is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A unit. No other that is out may have its number.
    Unit(Unit),
    /// None just now: what comes of those that are out decides.
    Later,
    /// None any more.
    End,
}

/// Has `units` done by the workers of `job`, and calls `hear` on this thread with what comes of them, in any
/// order. Units must have different numbers. True when there was a result for each; false when `quits` said so
/// before: the units that are left can be served again later, by whoever calls this with them.
///
/// # Errors
/// When the address of the job is wrong, and what `hear` returns as one.
pub fn serve<E: From<QueueError>>(
    job: &Job,
    quits: &dyn Fn() -> bool,
    units: impl Iterator<Item = Unit>,
    mut hear: impl FnMut(Served<'_>) -> Result<(), E>,
) -> Result<bool, E> {
    let serving = Serving::new(job, quits);
    let mut units = units.fuse();
    let next = || units.next().map_or(Next::End, Next::Unit);
    let is_complete = serving.round(usize::MAX, next, &mut hear)?;
    Ok(is_complete && serving.finish(hear)?)
}

/// The side that has the work, for a job whose units follow from what came of others. It is served in rounds:
/// [`Self::begin`], [`Self::round`] as often as need be, [`Self::finish`]. In between, workers wait, and whoever is
/// killed and started again does the same from the beginning.
///
/// All of it returns early when `quits` says so, calls `hear` on the same thread, and fails when the address of
/// the job is wrong, or with what `hear` returns as an error.
#[derive(Clone, Copy)]
pub struct Serving<'a> {
    job: &'a Job,
    quits: &'a dyn Fn() -> bool,
}

impl<'a> Serving<'a> {
    /// Serving `job`, until `quits` at most.
    pub const fn new(job: &'a Job, quits: &'a dyn Fn() -> bool) -> Self {
        Self { job, quits }
    }

    /// Says that the job is not done, so that workers wait, though it may take long until there are units. Whether
    /// it was said.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn begin<E: From<QueueError>>(
        &self,
        hear: impl FnMut(Served<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        self.say(false, hear)
    }

    /// Has the units done that `next` gives, and tells `hear` of their results, in any order. `ahead` bounds how many
    /// are out at a time; `next` is asked for another one when there are fewer, and again after every
    /// result. True when there was a result for each unit.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn round<E: From<QueueError>>(
        &self,
        ahead: usize,
        next: impl FnMut() -> Next,
        hear: impl FnMut(Served<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        runtime()?.block_on(async {
            let mut round = Round {
                link: Link::new(self.job).await?,
                quits: self.quits,
                ahead: ahead.clamp(1, WINDOW),
                next,
                has_ended: false,
                out: BTreeMap::new(),
                hear,
            };
            loop {
                match round.session().await {
                    Ok(is_complete) => return Ok(is_complete),
                    Err(Ended::Caller(error)) => return Err(error),
                    Err(Ended::Trouble(reason)) => (round.hear)(Served::Trouble(&reason))?,
                }
                if (self.quits)() {
                    return Ok(false);
                }
                tokio::time::sleep(PAUSE).await;
            }
        })
    }

    /// Says that the job is done: workers end. Whether it was said.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn finish<E: From<QueueError>>(
        &self,
        hear: impl FnMut(Served<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        self.say(true, hear)
    }

    /// Says whether the job is done, however long that takes.
    fn say<E: From<QueueError>>(
        &self,
        is_done: bool,
        mut hear: impl FnMut(Served<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        runtime()?.block_on(async {
            let link = Link::new(self.job).await?;
            while let Err(reason) = link.set_done(is_done).await {
                hear(Served::Trouble(&reason))?;
                if (self.quits)() {
                    return Ok(false);
                }
                tokio::time::sleep(PAUSE).await;
            }
            if is_done {
                // What is left is only what came twice.
                link.remove_stream().await.ok();
            }
            Ok(true)
        })
    }
}

/// Means to wait for the network, on this thread.
fn runtime() -> Result<Runtime, QueueError> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok(runtime)
}

/// Why a session ends before its time.
enum Ended<E> {
    Trouble(Trouble),
    Caller(E),
}

impl<E> From<Trouble> for Ended<E> {
    fn from(reason: Trouble) -> Self {
        Self::Trouble(reason)
    }
}

/// A round, through any number of sessions.
struct Round<'a, N, H> {
    link: Link,
    quits: &'a dyn Fn() -> bool,
    ahead: usize,
    next: N,
    /// Whether there is no unit any more.
    has_ended: bool,
    /// Units that are published and not finished.
    out: BTreeMap<u64, Vec<u8>>,
    hear: H,
}

impl<N, H, E> Round<'_, N, H>
where
    N: FnMut() -> Next,
    H: FnMut(Served<'_>) -> Result<(), E>,
{
    /// Serves until the end, or until there is trouble. Begins by publishing what is not finished, whatever
    /// the server has of it: workers that are at it notice nothing.
    async fn session(&mut self) -> Result<bool, Ended<E>> {
        let stream = self.link.make_stream().await?;
        let results = self.link.job.results();
        let results = self.link.consumer(&stream, "server", results).await?;
        self.link.set_done(false).await?;
        let units = self.link.job.units();
        answer(stream.purge().filter(units.clone()).into_future()).await?;
        let again = self
            .out
            .iter()
            .map(|(&unit, bytes)| frame::pack(unit, bytes));
        self.link.publish(&units, again).await?;
        let mut checked = Instant::now();
        loop {
            self.fill(&units).await?;
            if self.has_ended && self.out.is_empty() {
                return Ok(true);
            }
            self.take(&results, &units).await?;
            (self.hear)(Served::Tick).map_err(Ended::Caller)?;
            if (self.quits)() {
                return Ok(false);
            }
            if checked.elapsed() >= CHECK {
                self.check(&stream).await?;
                checked = Instant::now();
            }
        }
    }

    /// Publishes units until enough are out.
    async fn fill(&mut self, subject: &str) -> Result<(), Trouble> {
        let mut new = Vec::new();
        while self.out.len() < self.ahead && !self.has_ended {
            match (self.next)() {
                Next::Unit(unit) => {
                    new.push(frame::pack(unit.number, &unit.payload));
                    self.out.insert(unit.number, unit.payload);
                }
                Next::Later => break,
                Next::End => self.has_ended = true,
            }
        }
        self.link.publish(subject, new.into_iter()).await
    }

    /// Takes what results there are. Publishes more units meanwhile, so that nobody waits for the end of this.
    async fn take(&mut self, results: &PullConsumer, units: &str) -> Result<(), Ended<E>> {
        let batch = results.batch().max_messages(256).expires(TICK).messages();
        let mut batch = answer(batch).await?;
        loop {
            let message = if let Some(message) = batch.next().now_or_never() {
                message
            } else {
                self.fill(units).await?;
                batch.next().await
            };
            let Some(message) = message else {
                return Ok(());
            };
            let message = message.map_err(|error| error.to_string())?;
            if let Some((unit, bytes)) = frame::unpack(&message.payload)
                && self.out.contains_key(&unit)
            {
                (self.hear)(Served::Result { unit, bytes }).map_err(Ended::Caller)?;
                self.out.remove(&unit);
            }
            // One that comes again because this was lost is known by then.
            message.ack().await.map_err(|error| error.to_string())?;
        }
    }

    /// Whether the server still has a message for every unit that is out: the unit, or its result.
    async fn check(&self, stream: &Stream) -> Result<(), Trouble> {
        let info = answer(stream.get_info()).await?;
        if info.state.messages < self.out.len() as u64 {
            return Err("the server has lost units; they are published again".to_owned());
        }
        Ok(())
    }
}
