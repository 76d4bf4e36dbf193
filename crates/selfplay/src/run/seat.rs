//! One board of the farm, and the engine that plays there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use shogi_core::Game;
use shogi_engine::{ThinkError, ThinkLimits, Thinker, Thought};
use yane_io::Shard;

use super::Control;
use super::units::Units;
use crate::game::{Played, Random, Rules, Table, Unfinished, play};
use crate::{Player, Players, Starts};

/// Failures in a row after which an engine plays no more.
const MOST_FAILURES: u32 = 6;
/// Games in a row that an engine may lose by breaking the rules.
const MOST_FOULS: u32 = 3;
/// How long to wait after the first failure; twice as long after each further one.
const BACKOFF: Duration = Duration::from_millis(250);

/// What all seats share.
pub(super) struct Work<'a> {
    pub(super) players: &'a Players,
    pub(super) starts: &'a Starts,
    pub(super) seed: u64,
    pub(super) shard: Shard,
    pub(super) control: &'a Control,
    pub(super) units: Units,
    pub(super) rules: Rules,
}

/// What a seat tells.
pub(super) enum Report {
    Game {
        seat: usize,
        number: u64,
        played: Box<Played>,
    },
    Failed {
        seat: usize,
        /// The game that was being played.
        number: Option<u64>,
        reason: String,
    },
    Closed {
        seat: usize,
        reason: String,
    },
}

/// What others see of a seat.
#[derive(Debug, Default)]
pub(super) struct Seat {
    stop: Arc<AtomicBool>,
    is_late: AtomicBool,
    /// When its engine began to think: milliseconds since [`epoch`], plus 1; 0 when it does not.
    since: AtomicU64,
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
    /// Has the engine answer at once.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Has it answer at once if it has been thinking longer than `most`.
    pub(super) fn check_time(&self, most: Duration) {
        let since = self.since.load(Ordering::Acquire);
        if since > 0 && now().saturating_sub(since) > most.as_millis() as u64 {
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

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        self.control.wait_if_paused();
        self.seat.since.store(now(), Ordering::Release);
        let thought = self.player.think(game, limits);
        self.seat.since.store(0, Ordering::Release);
        thought
    }
}

/// Plays games at a seat until there are none left.
pub(super) fn sit(number: usize, seat: &Seat, work: &Work<'_>, reports: &Sender<Report>) {
    let mut host = Host {
        number,
        work,
        reports,
        player: None,
        failures: 0,
        fouls: 0,
    };
    while !work.control.is_quitting() && host.round(seat).is_some() {}
}

/// Keeps a seat going.
struct Host<'a> {
    number: usize,
    work: &'a Work<'a>,
    reports: &'a Sender<Report>,
    player: Option<Player>,
    /// Failures in a row.
    failures: u32,
    /// Games in a row that were lost by breaking the rules.
    fouls: u32,
}

impl Host<'_> {
    /// Plays one game; `None` when the seat is done.
    fn round(&mut self, seat: &Seat) -> Option<()> {
        // First an engine, so that no game suffers from one that cannot be started.
        let mut player = match self.player.take() {
            Some(player) => player,
            None => match self.work.players.start(self.number) {
                Ok(player) => player,
                Err(error) => return self.failed(None, error.to_string()),
            },
        };
        let control = self.work.control;
        let game = self.work.units.next(|| control.is_quitting())?;
        seat.clear();
        if control.is_quitting() {
            return None;
        }
        match one_game(game, &mut player, seat, self.work) {
            Ok(played) => {
                self.failures = 0;
                let foul = played.foul.clone();
                let played = Box::new(played);
                self.tell(Report::Game {
                    seat: self.number,
                    number: game,
                    played,
                })?;
                let Some(foul) = foul else {
                    self.fouls = 0;
                    self.player = Some(player);
                    return Some(());
                };
                self.fouls += 1;
                self.failed(None, format!("broke the rules: {foul}"))
            }
            Err(Unfinished::Stopped) => None,
            Err(error) => self.failed(Some(game), error.to_string()),
        }
    }

    fn tell(&self, report: Report) -> Option<()> {
        self.reports.send(report).ok()
    }

    /// The engine is gone; whether another one may be better.
    fn failed(&mut self, number: Option<u64>, reason: String) -> Option<()> {
        if self.fouls == 0 {
            self.failures += 1;
        }
        self.tell(Report::Failed {
            seat: self.number,
            number,
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
        self.work.control.sleep(BACKOFF * 2u32.pow(doublings));
        Some(())
    }
}

/// Plays a game.
fn one_game(
    unit: u64,
    player: &mut Player,
    seat: &Seat,
    work: &Work<'_>,
) -> Result<Played, Unfinished> {
    let unit = work.shard.unit(unit);
    let game = work.starts.start(work.seed, unit);
    let mut random = Random::seed_from_u64(work.seed ^ unit.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut watched = Watched {
        player,
        seat,
        control: work.control,
    };
    let mut table = Table {
        thinker: &mut watched,
        stop: &seat.stop,
        is_late: &seat.is_late,
    };
    play(game, &work.rules, &mut random, &mut table)
}
