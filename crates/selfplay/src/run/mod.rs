//! Many games side by side.

mod control;
mod seat;
mod summary;
mod units;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use shogi_engine::Searcher;
use yane_io::Shard;

use crate::game::Rules;
use crate::output::{Output, Plan};
use crate::{Players, Result, SelfplayError, Settings, Starts};
use seat::{Report, Seat, Work};
use units::Units;

pub use control::Control;
pub use summary::{Event, Observer, Summary};

/// How often engines that think too long, and files that are due, are looked for.
const TICK: Duration = Duration::from_millis(100);
/// How often a game is tried before it is given up.
const TRIES: u32 = 3;

/// Plays the games of `settings` that belong to `shard`, into the file `path` and those that follow it, until
/// all are played or `control` says so. A run that was interrupted goes on.
///
/// # Errors
/// When files cannot be read or written, or no engine is left. Finished games are safe.
pub fn run(
    settings: &Settings,
    starts: &Starts,
    players: &Players,
    shard: Shard,
    path: PathBuf,
    control: &Control,
    observer: &dyn Observer,
) -> Result<Summary> {
    let mut output = Output::open(Plan {
        path,
        description: description(settings, starts, shard),
        seed: settings.seed,
        shard,
        rotation: settings.rotation,
        dedup: settings.dedup_games,
    })?;
    let total = settings.games.map(|games| shard.share_of(games));
    let work = Work {
        players,
        starts,
        seed: settings.seed,
        shard,
        control,
        units: Units::new(total, &output),
        rules: Rules {
            max_game_ply: settings.max_game_ply,
            nodes: settings.nodes,
            random_plies: settings.random_plies,
            entering_king_rule: settings.entering_king_rule,
            adjudication: settings.adjudication.clone(),
            format: settings.format.clone(),
        },
    };
    observer.event(&Event::Begun {
        seats: players.seats(),
        finished: output.finished(),
        total,
        lost: output.lost(),
        path: &output.path(),
    });
    let mut farm = Farm {
        settings,
        observer,
        output: &mut output,
        summary: Summary::default(),
        tries: HashMap::new(),
        begun: Instant::now(),
        saved: Instant::now(),
    };
    let played = farm.play(&work);
    let summary = farm.end();
    let is_complete = match total {
        // Nobody goes on with a run that has no end.
        None => played.is_ok(),
        Some(total) => output.finished() >= total,
    };
    output.finish(is_complete)?;
    played?;
    Ok(Summary {
        is_complete,
        ..summary
    })
}

/// Everything that the games follow from.
fn description(settings: &Settings, starts: &Starts, shard: Shard) -> String {
    let engines: Vec<_> = settings
        .engines
        .iter()
        .map(|it| (&it.name, &it.path, &it.options))
        .collect();
    format!(
        "shard {shard} seed {} nodes {} plies {} random {} starts {:016x} format {:?} rule {} {:?} dedup {} \
         engines {engines:?}",
        settings.seed,
        settings.nodes,
        settings.max_game_ply,
        settings.random_plies,
        starts.fingerprint(),
        settings.format,
        settings.entering_king_rule.name(),
        settings.adjudication,
        settings.dedup_games,
    )
}

/// Takes what comes from the seats.
struct Farm<'a> {
    settings: &'a Settings,
    observer: &'a dyn Observer,
    output: &'a mut Output,
    summary: Summary,
    /// How often games failed.
    tries: HashMap<u64, u32>,
    begun: Instant,
    saved: Instant,
}

impl Farm<'_> {
    fn play(&mut self, work: &Work<'_>) -> Result<()> {
        let seats: Vec<Arc<Seat>> = (0..work.players.seats()).map(|_| Arc::default()).collect();
        let (sender, reports) = mpsc::channel();
        std::thread::scope(|scope| {
            let mut result = Ok(());
            for (number, seat) in seats.iter().enumerate() {
                let (sender, seat) = (sender.clone(), Arc::clone(seat));
                let thread = std::thread::Builder::new()
                    .name(format!("seat {number}"))
                    .stack_size(Searcher::STACK_BYTES);
                let run = move || seat::sit(number, &seat, work, &sender);
                if let Err(error) = thread.spawn_scoped(scope, run) {
                    work.control.quit();
                    result = Err(SelfplayError::Thread(error));
                    break;
                }
            }
            drop(sender);
            let taken = self.take_all(work, &seats, &reports);
            if taken.is_err() {
                work.control.quit();
            }
            // The seats end by themselves: they are out of games, told to quit, or closed.
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

    fn take_all(
        &mut self,
        work: &Work<'_>,
        seats: &[Arc<Seat>],
        reports: &mpsc::Receiver<Report>,
    ) -> Result<()> {
        let mut closed = Vec::new();
        loop {
            match reports.recv_timeout(TICK) {
                Ok(Report::Closed { seat, reason }) => {
                    let name = work.players.name(seat);
                    self.observer.event(&Event::Closed {
                        seat,
                        name,
                        reason: &reason,
                    });
                    closed.push(reason);
                    if closed.len() == seats.len() {
                        return Err(SelfplayError::NoEngines(closed.pop().unwrap_or_default()));
                    }
                }
                Ok(report) => self.take(work, report)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let quits = work.control.is_quitting();
            for seat in seats {
                if quits {
                    seat.stop();
                } else {
                    seat.check_time(self.settings.move_timeout);
                }
            }
            if self.saved.elapsed() >= self.settings.save_interval {
                self.save()?;
            }
        }
    }

    fn take(&mut self, work: &Work<'_>, report: Report) -> Result<()> {
        match report {
            Report::Game {
                seat,
                number,
                played,
            } => {
                let bytes = played.encode(&self.settings.format);
                self.output.put(number, &bytes)?;
                self.tries.remove(&number);
                work.units.done();
                self.summary.count(&played, self.begun.elapsed());
                self.observer.event(&Event::Game {
                    seat,
                    number: work.shard.unit(number),
                    played: &played,
                    summary: &self.summary,
                });
            }
            Report::Failed {
                seat,
                number,
                reason,
            } => {
                self.summary.failures += 1;
                let name = work.players.name(seat);
                self.observer.event(&Event::Failed {
                    seat,
                    name,
                    reason: &reason,
                });
                if let Some(number) = number {
                    let tries = self.tries.entry(number).or_default();
                    *tries += 1;
                    if *tries < TRIES {
                        work.units.again(number);
                    } else {
                        self.output.put(number, &[])?;
                        self.summary.given_up += 1;
                        work.units.done();
                    }
                }
            }
            Report::Closed { .. } => {}
        }
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        self.output.save()?;
        self.saved = Instant::now();
        self.observer.event(&Event::Saved {
            path: &self.output.path(),
            games: self.output.finished(),
        });
        Ok(())
    }

    fn end(self) -> Summary {
        Summary {
            elapsed: self.begun.elapsed(),
            ..self.summary
        }
    }
}
