//! Many games side by side.

mod summary;

use std::path::PathBuf;
use std::time::Instant;

use farm::{Control, Desk, Finished, Players, Unfinished, Units, Work};
use rand::SeedableRng as _;
use yane_io::Shard;

use crate::game::{self, Played, Random, play};
use crate::output::{Output, Plan};
use crate::{Result, Settings, Starts};

pub use summary::{Event, Observer, Summary};

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
    let work = Games {
        starts,
        seed: settings.seed,
        shard,
        rules: game::Rules {
            max_game_ply: settings.max_game_ply,
            nodes: settings.nodes,
            random_plies: settings.random_plies,
            entering_king_rule: settings.entering_king_rule,
            adjudication: settings.adjudication.clone(),
            format: settings.format.clone(),
        },
    };
    let units = Units::new(output.first(), total, output.numbers());
    observer.event(&Event::Begun {
        seats: players.seats(),
        finished: output.finished(),
        total,
        lost: output.lost(),
        path: &output.path(),
    });
    let mut tally = Tally {
        settings,
        players,
        shard,
        observer,
        output: &mut output,
        summary: Summary::default(),
        begun: Instant::now(),
        saved: Instant::now(),
    };
    let rules = farm::Rules {
        think_timeout: settings.move_timeout,
        tries: TRIES,
    };
    let played = farm::run(players, &work, &units, control, rules, |event| {
        tally.hear(event)
    });
    let summary = tally.end();
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

/// Games by number.
struct Games<'a> {
    starts: &'a Starts,
    seed: u64,
    shard: Shard,
    rules: game::Rules,
}

impl Work for Games<'_> {
    type Unit = u64;
    type Done = Box<Played>;

    fn work(
        &self,
        &number: &u64,
        desk: &mut Desk<'_>,
    ) -> std::result::Result<Finished<Box<Played>>, Unfinished> {
        let unit = self.shard.unit(number);
        let game = self.starts.start(self.seed, unit);
        let mut random =
            Random::seed_from_u64(self.seed ^ unit.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let played = play(game, &self.rules, &mut random, desk)?;
        Ok(Finished {
            foul: played.foul.clone(),
            done: Box::new(played),
        })
    }
}

/// Takes what comes from the seats.
struct Tally<'a> {
    settings: &'a Settings,
    players: &'a Players,
    shard: Shard,
    observer: &'a dyn Observer,
    output: &'a mut Output,
    summary: Summary,
    begun: Instant,
    saved: Instant,
}

impl Tally<'_> {
    fn hear(&mut self, event: farm::Event<'_, u64, Box<Played>>) -> Result<()> {
        match event {
            farm::Event::Done { seat, unit, done } => {
                let bytes = done.encode(&self.settings.format);
                self.output.put(*unit, &bytes)?;
                self.summary.count(&done, self.begun.elapsed());
                self.observer.event(&Event::Game {
                    seat,
                    number: self.shard.unit(*unit),
                    played: &done,
                    summary: &self.summary,
                });
            }
            farm::Event::Failed { seat, reason, .. } => {
                self.summary.failures += 1;
                let name = self.players.name(seat);
                self.observer.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::GivenUp { unit } => {
                self.output.put(*unit, &[])?;
                self.summary.given_up += 1;
            }
            farm::Event::Closed { seat, reason } => {
                let name = self.players.name(seat);
                self.observer.event(&Event::Closed { seat, name, reason });
            }
            _ if self.saved.elapsed() >= self.settings.save_interval => self.save()?,
            _ => {}
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
