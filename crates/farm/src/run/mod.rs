//! Many engines side by side.

mod seat;
mod status;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use shogi_engine::Searcher;

use crate::{Control, FarmError, Players, Source, Work};
use seat::{Report, ReportOf, Shared, sit};

pub use seat::Seat;
pub use status::EngineStatus;

/// How often engines that think too long are looked for.
const TICK: Duration = Duration::from_millis(100);

/// How many reports for each seat wait to be heard at most: little is lost with this process then, however long the
/// listener is busy with files.
const AHEAD: usize = 4;

/// How patient a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long an engine may think about one position before it counts as failed.
    pub think_timeout: Duration,
    /// How often a unit is tried before it is given up, at least 1. That an engine fails at a unit twice in
    /// a row counts once as long as there are others: it may be the engine's fault.
    pub tries: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            think_timeout: Duration::from_secs(600),
            tries: 3,
        }
    }
}

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a, U, D> {
    /// A unit is finished. It counts as done, and will not be handed out again, when this was heard without
    /// an error: so what came of it has to be made safe now.
    Done {
        /// Where it was done.
        seat: usize,
        /// The unit.
        unit: &'a U,
        /// What came of it.
        done: D,
    },
    /// An engine failed and is started again. Its unit is done again.
    Failed {
        /// Its seat.
        seat: usize,
        /// The unit, if it was at work.
        unit: Option<&'a U>,
        /// What happened.
        reason: &'a str,
    },
    /// A unit failed so often that it is given up; comes after [`Self::Failed`].
    GivenUp {
        /// The unit.
        unit: &'a U,
    },
    /// An engine failed too often, and works no more.
    Closed {
        /// Its seat.
        seat: usize,
        /// What happened last.
        reason: &'a str,
    },
    /// Time goes by. Comes after every other event and ten times a second.
    Tick {
        /// The seats, in order.
        seats: &'a [Arc<Seat>],
    },
}

/// What a run of work `W` tells.
type EventOf<'a, W> = Event<'a, <W as Work>::Unit, <W as Work>::Done>;

/// Has the units of `source` done by `players`, one at each seat at a time, until there are none left or
/// `control` says so. `hear` is called on this thread with all that happens; seats that are a few units ahead of it
/// wait.
///
/// # Errors
/// When no engine is left, and what `hear` returns as one: the run ends then.
pub fn run<W, S, E>(
    players: &Players,
    work: &W,
    source: &S,
    control: &Control,
    rules: Rules,
    hear: impl FnMut(EventOf<'_, W>) -> Result<(), E>,
) -> Result<(), E>
where
    W: Work,
    S: Source<Unit = W::Unit>,
    E: From<FarmError>,
{
    let shared = Shared {
        players,
        work,
        source,
        control,
    };
    let seats: Vec<Arc<Seat>> = (0..players.seats()).map(|_| Arc::default()).collect();
    let (sender, reports) = mpsc::sync_channel(AHEAD * seats.len());
    let mut farm = Farm {
        source,
        control,
        rules,
        seats: &seats,
        tries: HashMap::new(),
        hear,
    };
    std::thread::scope(|scope| {
        // When the listener panics, nobody waits to be heard.
        let reports = reports;
        let _end = EndOnPanic {
            control,
            seats: &seats,
        };
        let mut result = Ok(());
        for (number, seat) in seats.iter().enumerate() {
            let (sender, seat, shared) = (sender.clone(), Arc::clone(seat), &shared);
            let thread = std::thread::Builder::new()
                .name(format!("seat {number}"))
                .stack_size(Searcher::STACK_BYTES);
            let work = move || sit(number, &seat, shared, &sender);
            if let Err(error) = thread.spawn_scoped(scope, work) {
                control.quit();
                result = Err(FarmError::Thread(error).into());
                break;
            }
        }
        drop(sender);
        let taken = farm.take_all::<W, E>(&reports);
        if taken.is_err() {
            control.quit();
        }
        // The seats end by themselves: they are out of work, told to quit, or closed.
        while !matches!(
            reports.recv_timeout(TICK),
            Err(RecvTimeoutError::Disconnected)
        ) {
            for seat in &seats {
                seat.stop();
            }
        }
        result.and(taken)
    })
}

/// Ends a run whose listener panics: the scope would wait for seats that nobody tells to stop.
struct EndOnPanic<'a> {
    control: &'a Control,
    seats: &'a [Arc<Seat>],
}

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.control.quit();
            self.seats.iter().for_each(|seat| seat.stop());
        }
    }
}

/// Takes what comes from the seats.
struct Farm<'a, S, U, H> {
    source: &'a S,
    control: &'a Control,
    rules: Rules,
    seats: &'a [Arc<Seat>],
    /// How often units failed, and where the last time.
    tries: HashMap<U, (u32, usize)>,
    hear: H,
}

impl<S: Source, H> Farm<'_, S, S::Unit, H> {
    fn take_all<W, E>(&mut self, reports: &Receiver<ReportOf<W>>) -> Result<(), E>
    where
        W: Work<Unit = S::Unit>,
        E: From<FarmError>,
        H: FnMut(EventOf<'_, W>) -> Result<(), E>,
    {
        let mut closed = 0;
        loop {
            match reports.recv_timeout(TICK) {
                Ok(Report::Closed { seat, reason }) => {
                    self.seats[seat].close();
                    (self.hear)(Event::Closed {
                        seat,
                        reason: &reason,
                    })?;
                    closed += 1;
                    if closed == self.seats.len() {
                        return Err(FarmError::NoEngines(reason).into());
                    }
                }
                Ok(Report::Done { seat, unit, done }) => {
                    (self.hear)(Event::Done {
                        seat,
                        unit: &unit,
                        done,
                    })?;
                    self.tries.remove(&unit);
                    self.source.done(&unit);
                }
                Ok(Report::Failed { seat, unit, reason }) => {
                    (self.hear)(Event::Failed {
                        seat,
                        unit: unit.as_ref(),
                        reason: &reason,
                    })?;
                    if let Some(unit) = unit {
                        self.failed::<W, E>(&unit, seat)?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let quits = self.control.is_quitting();
            for seat in self.seats {
                if quits {
                    seat.stop();
                } else {
                    seat.check_time(self.rules.think_timeout);
                }
            }
            (self.hear)(Event::Tick { seats: self.seats })?;
        }
    }

    /// A unit failed at a seat: it is done again, or given up.
    fn failed<W, E>(&mut self, unit: &S::Unit, seat: usize) -> Result<(), E>
    where
        W: Work<Unit = S::Unit>,
        H: FnMut(EventOf<'_, W>) -> Result<(), E>,
    {
        let mut numbered = self.seats.iter().enumerate();
        let has_others = numbered.any(|(number, other)| number != seat && !other.is_closed());
        let (tries, last) = self.tries.entry(unit.clone()).or_insert((0, usize::MAX));
        if *last != seat || !has_others {
            *tries += 1;
        }
        *last = seat;
        if *tries < self.rules.tries {
            self.source.again(unit);
            return Ok(());
        }
        self.tries.remove(unit);
        (self.hear)(Event::GivenUp { unit })?;
        self.source.done(unit);
        Ok(())
    }
}
