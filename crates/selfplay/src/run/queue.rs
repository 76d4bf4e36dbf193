//! Games that many machines play, and one keeps.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Instant;

use farm::{Control, Players};
use farm_queue::{Job, Served, Unit, Worker};
use yane_io::Shard;

use super::ledger::Ledger;
use super::summary::Outline;
use super::{Event, Games, Observer, Summary, description, rules};
use crate::game::Played;
use crate::{Result, Settings, Starts};

/// What machines that play the games of `settings` have in common, at the server `url`. Their engines may be in
/// different places.
pub fn job(settings: &Settings, starts: &Starts, url: &str) -> Job {
    let mut common = settings.clone();
    for engine in &mut common.engines {
        engine.path.clear();
    }
    let description = description(&common, starts, Shard::WHOLE);
    Job::new(url, &format!("games {:?} {description}", settings.games))
}

/// Has the games of `settings` played by those who [`work`] for `job`, into the file `path` and those that follow
/// it, which become the same as those of [`run`](super::run). A run that was interrupted goes on.
///
/// # Errors
/// When files cannot be read or written, or the job has no proper address. Finished games are safe.
pub fn serve(
    settings: &Settings,
    starts: &Starts,
    path: PathBuf,
    job: &Job,
    control: &Control,
    observer: &dyn Observer,
) -> Result<Summary> {
    let mut ledger = Ledger::open(settings, starts, Shard::WHOLE, path, observer)?;
    let first = ledger.output().first();
    let finished: HashSet<u64> = ledger.output().numbers().collect();
    // Larger numbers are the journal's own.
    let numbers = first..ledger.output().total().unwrap_or(u64::MAX >> 1);
    let numbers = numbers.filter(|number| !finished.contains(number));
    let units = numbers.map(|number| Unit {
        number,
        payload: Vec::new(),
    });
    ledger.begin(0);
    let quits = || control.is_quitting();
    let served = farm_queue::serve(job, &quits, units, |served| match served {
        Served::Result { unit, bytes } => match Outline::unpack(bytes) {
            Some((game, bytes)) => {
                ledger.put(unit, bytes)?;
                ledger.received(unit, game);
                Ok(())
            }
            None => ledger.give_up(unit),
        },
        Served::Trouble(reason) => {
            ledger.tell(&Event::Trouble { reason });
            Ok(())
        }
        _ => {
            ledger.save_if_due()?;
            ledger.tell(&Event::Tick { seats: &[] });
            Ok(())
        }
    });
    let summary = ledger.finish(served.is_ok())?;
    served?;
    Ok(summary)
}

/// Plays games of `settings` for whoever serves `job`, until there are none left or `control` says so.
///
/// # Errors
/// When no engine is left, or the job has no proper address.
pub fn work(
    settings: &Settings,
    starts: &Starts,
    players: &Players,
    job: &Job,
    control: &Control,
    observer: &dyn Observer,
) -> Result<Summary> {
    let begun = Instant::now();
    let worker = Worker::new(job)?;
    let games = Games::new(settings, starts, Shard::WHOLE);
    let mut summary = Summary::default();
    let hear = |event: farm::Event<'_, u64, Box<Played>>| {
        match event {
            farm::Event::Done {
                seat,
                unit: &number,
                done,
            } => {
                let game = Outline::from(&*done);
                worker.put(number, game.pack(&done.encode(&settings.format)))?;
                summary.count(game, begun.elapsed());
                observer.event(&Event::Game {
                    seat,
                    number,
                    played: &done,
                    summary: &summary,
                });
            }
            farm::Event::Failed { seat, reason, .. } => {
                summary.failures += 1;
                let name = players.name(seat);
                observer.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::GivenUp { unit } => {
                summary.given_up += 1;
                worker.put(*unit, Vec::new())?;
            }
            farm::Event::Closed { seat, reason } => {
                let name = players.name(seat);
                observer.event(&Event::Closed { seat, name, reason });
            }
            farm::Event::Tick { seats } => {
                observer.event(&Event::Tick { seats });
                if let Some(reason) = worker.trouble() {
                    observer.event(&Event::Trouble { reason: &reason });
                }
            }
            _ => {}
        }
        Ok::<_, crate::SelfplayError>(())
    };
    let played = farm::run(
        players,
        &games,
        &worker.numbers(),
        control,
        rules(settings),
        hear,
    );
    worker.finish(&|| control.is_quitting());
    played?;
    Ok(Summary {
        elapsed: begun.elapsed(),
        is_complete: !control.is_quitting(),
        ..summary
    })
}
