//! Many games side by side.

mod ledger;
mod queue;
mod summary;

use std::path::PathBuf;

use farm::{Control, Desk, Finished, Players, Unfinished, Units, Work};
use rand::SeedableRng as _;
use yane_io::Shard;

use crate::game::{self, Played, Random, play};
use crate::{Result, Settings, Starts};
use ledger::Ledger;

pub use queue::{job, serve, work};
pub use summary::{Event, Observer, Outline, Summary};

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
    let mut ledger = Ledger::open(settings, starts, shard, path, observer)?;
    let work = Games::new(settings, starts, shard);
    let output = ledger.output();
    let units = Units::new(output.first(), output.total(), output.numbers());
    ledger.begin(players.seats());
    let played = farm::run(players, &work, &units, control, rules(settings), |event| {
        hear(&mut ledger, players, event)
    });
    let summary = ledger.finish(played.is_ok())?;
    played?;
    Ok(summary)
}

/// How patient a run is.
const fn rules(settings: &Settings) -> farm::Rules {
    farm::Rules {
        think_timeout: settings.move_timeout,
        tries: TRIES,
    }
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
         engines {engines:?}{}",
        settings.seed,
        settings.nodes,
        settings.max_game_ply,
        settings.random_plies,
        starts.fingerprint(),
        settings.format,
        settings.entering_king_rule.name(),
        settings.adjudication,
        settings.dedup_games,
        if settings.forget { "" } else { " remembering" },
    )
}

/// Games by number.
struct Games<'a> {
    starts: &'a Starts,
    seed: u64,
    shard: Shard,
    rules: game::Rules,
}

impl<'a> Games<'a> {
    fn new(settings: &Settings, starts: &'a Starts, shard: Shard) -> Self {
        Self {
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
                forget: settings.forget,
            },
        }
    }
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
fn hear(
    ledger: &mut Ledger<'_>,
    players: &Players,
    event: farm::Event<'_, u64, Box<Played>>,
) -> Result<()> {
    match event {
        farm::Event::Done { seat, unit, done } => {
            let bytes = done.encode(ledger.format());
            ledger.put(*unit, &bytes)?;
            ledger.played(seat, *unit, &done);
            Ok(())
        }
        farm::Event::Failed { seat, reason, .. } => {
            ledger.failed(seat, players.name(seat), reason);
            Ok(())
        }
        farm::Event::GivenUp { unit } => ledger.give_up(*unit),
        farm::Event::Closed { seat, reason } => {
            let name = players.name(seat);
            ledger.tell(&Event::Closed { seat, name, reason });
            Ok(())
        }
        farm::Event::Tick { seats } => {
            ledger.save_if_due()?;
            ledger.tell(&Event::Tick { seats });
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Counts looks at seats, and games.
    #[derive(Default)]
    struct Counter {
        looks: Cell<usize>,
        games: Cell<usize>,
    }

    impl Observer for Counter {
        fn event(&self, event: &Event<'_>) {
            match event {
                Event::Tick { seats } => {
                    assert_eq!(seats.len(), 2);
                    self.looks.set(self.looks.get() + 1);
                }
                Event::Game { .. } => self.games.set(self.games.get() + 1),
                _ => {}
            }
        }
    }

    #[test]
    fn a_run_shows_its_seats() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings {
            games: Some(3),
            nodes: 10,
            max_game_ply: 40,
            ..Settings::default()
        };
        settings.engines[0].multi = 2;
        let players = settings.players(&[]).unwrap();
        let counter = Counter::default();
        let summary = run(
            &settings,
            &Starts::initial(),
            &players,
            Shard::WHOLE,
            folder.path().join("games.pack"),
            &Control::default(),
            &counter,
        );
        assert!(summary.unwrap().is_complete);
        assert_eq!(counter.games.get(), 3);
        assert!(counter.looks.get() >= 3);
    }
}
