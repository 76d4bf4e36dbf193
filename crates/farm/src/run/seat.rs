//! One place of the farm, and the engine that works there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use shogi_core::Game;
use shogi_engine::{ThinkError, ThinkLimits, Thinker, Thought};

use crate::{Control, Desk, Player, Players, Source, Unfinished, Work};

/// Failures in a row after which an engine works no more.
const MOST_FAILURES: u32 = 6;
/// Units in a row that an engine may spoil by breaking the rules.
const MOST_FOULS: u32 = 3;
/// How long to wait after the first failure; twice as long after each further one.
const BACKOFF: Duration = Duration::from_millis(250);

/// What all seats share.
pub(super) struct Shared<'a, W, S> {
    pub(super) players: &'a Players,
    pub(super) work: &'a W,
    pub(super) source: &'a S,
    pub(super) control: &'a Control,
}

/// What a seat tells.
pub(super) enum Report<U, D> {
    Done {
        seat: usize,
        unit: U,
        done: D,
    },
    Failed {
        seat: usize,
        /// What was being done.
        unit: Option<U>,
        reason: String,
    },
    Closed {
        seat: usize,
        reason: String,
    },
}

/// What others see of a seat.
#[derive(Debug, Default)]
pub struct Seat {
    stop: Arc<AtomicBool>,
    is_late: AtomicBool,
    /// When its engine began to think: milliseconds since [`epoch`], plus 1; 0 when it does not.
    since: AtomicU64,
    /// Positions that its engines visited, and how long that took, in microseconds.
    nodes: AtomicU64,
    thought: AtomicU64,
    is_closed: AtomicBool,
}

/// A moment before everything.
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

fn now() -> u64 {
    epoch().elapsed().as_millis() as u64 + 1
}

impl Seat {
    /// Positions that were visited here, as far as engines tell.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// How long engines have thought here, answers that are not there yet left out.
    pub fn thought(&self) -> Duration {
        Duration::from_micros(self.thought.load(Ordering::Relaxed))
    }

    /// How long the engine has been thinking by now; `None` when it does not.
    pub fn thinking(&self) -> Option<Duration> {
        let since = self.since.load(Ordering::Acquire);
        (since > 0).then(|| Duration::from_millis(now().saturating_sub(since)))
    }

    /// Whether the engine failed too often, and works no more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Has the engine answer at once.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Has it answer at once if it has been thinking longer than `most`.
    pub(super) fn check_time(&self, most: Duration) {
        if self.thinking().is_some_and(|time| time > most) {
            self.is_late.store(true, Ordering::Release);
            self.stop();
        }
    }

    fn clear(&self) {
        self.is_late.store(false, Ordering::Release);
        self.stop.store(false, Ordering::Release);
    }
}

/// A player whose time is watched, and who waits while the run is paused.
struct Watched<'a> {
    player: &'a mut Player,
    seat: &'a Seat,
    control: &'a Control,
}

impl Thinker for Watched<'_> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.player.new_game()
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        self.player.next_game()
    }

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        self.control.wait_if_paused();
        self.seat.since.store(now(), Ordering::Release);
        let thought = self.player.think(game, limits);
        self.seat.since.store(0, Ordering::Release);
        if let Ok(thought) = &thought {
            let seat = self.seat;
            seat.nodes.fetch_add(thought.nodes, Ordering::Relaxed);
            let time = thought.elapsed.as_micros() as u64;
            seat.thought.fetch_add(time, Ordering::Relaxed);
        }
        thought
    }
}

/// What a seat tells about work of the kind `W`.
pub(super) type ReportOf<W> = Report<<W as Work>::Unit, <W as Work>::Done>;

/// Works at a seat until there is nothing left.
pub(super) fn sit<W: Work, S: Source<Unit = W::Unit>>(
    number: usize,
    seat: &Seat,
    shared: &Shared<'_, W, S>,
    reports: &SyncSender<ReportOf<W>>,
) {
    let mut host = Host {
        number,
        shared,
        reports,
        player: None,
        failures: 0,
        fouls: 0,
    };
    shared.players.pin(number);
    while !shared.control.is_quitting() && host.round(seat).is_some() {}
}

/// Keeps a seat going.
struct Host<'a, W: Work, S> {
    number: usize,
    shared: &'a Shared<'a, W, S>,
    reports: &'a SyncSender<ReportOf<W>>,
    player: Option<Player>,
    /// Failures in a row.
    failures: u32,
    /// Units in a row that were spoilt by breaking the rules.
    fouls: u32,
}

impl<W: Work, S: Source<Unit = W::Unit>> Host<'_, W, S> {
    /// Does one unit; `None` when the seat is done.
    fn round(&mut self, seat: &Seat) -> Option<()> {
        // First an engine, so that no unit suffers from one that cannot be started.
        let mut player = match self.player.take() {
            Some(player) => player,
            None => match self.shared.players.start(self.number) {
                Ok(player) => player,
                Err(error) => return self.failed(None, error.to_string()),
            },
        };
        let control = self.shared.control;
        let unit = self.shared.source.next(&|| control.is_quitting())?;
        seat.clear();
        if control.is_quitting() {
            return None;
        }
        let mut watched = Watched {
            player: &mut player,
            seat,
            control,
        };
        let mut desk = Desk {
            thinker: &mut watched,
            stop: &seat.stop,
            is_late: &seat.is_late,
        };
        match self.shared.work.work(&unit, &mut desk) {
            Ok(finished) => {
                self.failures = 0;
                self.tell(Report::Done {
                    seat: self.number,
                    unit,
                    done: finished.done,
                })?;
                let Some(foul) = finished.foul else {
                    self.fouls = 0;
                    self.player = Some(player);
                    return Some(());
                };
                self.fouls += 1;
                self.failed(None, format!("broke the rules: {foul}"))
            }
            Err(Unfinished::Stopped) => None,
            Err(error) => self.failed(Some(unit), error.to_string()),
        }
    }

    fn tell(&self, report: ReportOf<W>) -> Option<()> {
        self.reports.send(report).ok()
    }

    /// The engine is gone; whether another one may be better.
    fn failed(&mut self, unit: Option<W::Unit>, reason: String) -> Option<()> {
        if self.fouls == 0 {
            self.failures += 1;
        }
        self.tell(Report::Failed {
            seat: self.number,
            unit,
            reason: reason.clone(),
        })?;
        if self.failures >= MOST_FAILURES || self.fouls >= MOST_FOULS {
            self.tell(Report::Closed {
                seat: self.number,
                reason,
            })?;
            return None;
        }
        let doublings = self.failures.max(self.fouls).saturating_sub(1);
        self.shared.control.sleep(BACKOFF * 2u32.pow(doublings));
        Some(())
    }
}
