//! The side that has the work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt as _;

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
    hear: impl FnMut(Served<'_>) -> Result<(), E>,
) -> Result<bool, E> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(QueueError::System)?;
    runtime.block_on(async {
        let mut serving = Serving {
            link: Link::new(job).await?,
            quits,
            units: units.fuse(),
            out: BTreeMap::new(),
            hear,
        };
        loop {
            match serving.session().await {
                Ok(is_complete) => return Ok(is_complete),
                Err(Ended::Caller(error)) => return Err(error),
                Err(Ended::Trouble(reason)) => (serving.hear)(Served::Trouble(&reason))?,
            }
            if quits() {
                return Ok(false);
            }
            tokio::time::sleep(PAUSE).await;
        }
    })
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

struct Serving<'a, I, H> {
    link: Link,
    quits: &'a dyn Fn() -> bool,
    units: I,
    /// Units that are published and not finished.
    out: BTreeMap<u64, Vec<u8>>,
    hear: H,
}

impl<I, H, E> Serving<'_, I, H>
where
    I: Iterator<Item = Unit>,
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
            if self.out.is_empty() {
                self.link.set_done(true).await?;
                // What is left is only what came twice.
                self.link.remove_stream().await.ok();
                return Ok(true);
            }
            self.take(&results).await?;
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
        while self.out.len() < WINDOW {
            let Some(unit) = self.units.next() else { break };
            new.push(frame::pack(unit.number, &unit.payload));
            self.out.insert(unit.number, unit.payload);
        }
        self.link.publish(subject, new.into_iter()).await
    }

    /// Takes what results there are.
    async fn take(&mut self, results: &PullConsumer) -> Result<(), Ended<E>> {
        let batch = results.batch().max_messages(256).expires(TICK).messages();
        let mut batch = answer(batch).await?;
        while let Some(message) = batch.next().await {
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
        Ok(())
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
