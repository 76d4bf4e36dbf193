//! `cargo xtask spsa`: tunes the parameters of a search by self-play.
//!
//! Simultaneous perturbation stochastic approximation: in every iteration all parameters move a little
//! in directions chosen by chance, up in one player and down in the other; the two play pairs of games
//! at fixed nodes; and every parameter follows the direction of the winner. No iteration tells anything,
//! thousands do.
//!
//! * `parameter`: what an engine says about its parameters, and how to paste values back.
//! * `schedule`: how far to shake and how far to follow.
//! * `state`: where the work stands, and the file that keeps it.

mod parameter;
mod schedule;
mod state;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::Outcome;
use crate::matches::openings::Openings;
use crate::matches::player::Limit;
use crate::matches::pool;
use crate::matches::seats::Seats;
use crate::matches::usi_player::{Engine, Setup};
use crate::matches::{AdjudicationArgs, GameResult, Rules, result_of_a};
use parameter::{Parameter, read_parameters};
use state::{Settings, Shake, State};

/// How long the engine may take for anything but a search that time limits.
const HANG: Duration = Duration::from_secs(60);

/// Iterations between two lines of progress.
const TELL_EVERY: usize = 20;

/// Tune the parameters of a search by self-play.
///
/// The engine must be built with the feature `tune`, so that its parameters are options. Prints the
/// values in the form of the table that they come from.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The engine.
    engine: PathBuf,
    /// Where the work stands. If the file exists, the work goes on from there.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Number of iterations of the whole work.
    #[arg(long, default_value_t = 5000)]
    iterations: usize,
    /// Pairs of games in an iteration.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Nodes for each move.
    #[arg(long, default_value_t = 10_000)]
    nodes: u64,
    /// Tune only parameters whose names begin with one of these. Otherwise all but those of time management
    /// (`time_…`), which games at fixed nodes tell nothing about.
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    only: Vec<String>,
    /// An option of the engine.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Openings as for `match`; random ones if not given.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Number of plies after which a game is drawn.
    #[arg(long, default_value_t = 320)]
    max_plies: usize,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
    /// Seed of directions, roundings and random openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of iterations at the same time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
}

impl Args {
    fn rules(&self) -> Rules {
        Rules {
            limit: Limit::Nodes(self.nodes),
            margin: Duration::ZERO,
            hang: HANG,
            max_plies: self.max_plies,
            adjudication: self.adjudication.rules(),
        }
    }

    fn openings(&self) -> Result<Openings> {
        match &self.openings {
            Some(path) => Openings::read(path),
            None => Ok(Openings::Random {
                seed: self.seed,
                plies: 8,
            }),
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            iterations: self.iterations,
            pairs: self.pairs,
            nodes: self.nodes,
            seed: self.seed,
        }
    }

    /// The engine's parameters that are to be tuned.
    fn parameters(&self, engine: &Engine) -> Result<Vec<Parameter>> {
        let mut parameters = read_parameters(engine)?;
        parameters.retain(|parameter| {
            let asked = |prefix: &String| parameter.name.starts_with(prefix.as_str());
            if self.only.is_empty() {
                !parameter.name.starts_with("time_")
            } else {
                self.only.iter().any(asked)
            }
        });
        ensure!(!parameters.is_empty(), "no parameter has such a name");
        Ok(parameters)
    }
}

/// What an iteration found.
struct Played {
    shake: Shake,
    /// Wins of the player that was shaken upwards minus its losses; `None` after a foul.
    balance: Option<i32>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let setup = Setup {
        program: args.engine.clone(),
        options: args.option.clone(),
        folder: None,
    };
    let engine = Engine::new(setup, HANG)?;
    let state = State::open(&args.state, args.settings(), args.parameters(&engine)?)?;
    let (rules, openings) = (args.rules(), args.openings()?);
    let engines = [engine.clone(), engine];
    let first = state.iteration();
    let mut fouls = 0;
    let state = Mutex::new(state);
    // Nobody panics while it has the state.
    let locked = || state.lock().unwrap_or_else(PoisonError::into_inner);
    pool::run(
        (first..args.iterations).map(|number| locked().shake(number)),
        args.concurrency as usize,
        || Seats::new(&engines),
        |seats, shake| play(seats, shake, args.pairs, &openings, &rules),
        |Played { shake, balance }| {
            let mut state = locked();
            fouls += usize::from(balance.is_none());
            state.follow(&shake, balance.unwrap_or(0));
            state.save(&args.state)?;
            if state.iteration() % TELL_EVERY == 0 {
                eprintln!("{}", state.progress());
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let state = locked();
    for parameter in state.parameters() {
        println!("{}", parameter.to_table_line());
    }
    if fouls > 0 {
        eprintln!("{fouls} iterations were not counted: an engine crashed or answered nonsense");
    }
    Ok(Outcome::from_found(fouls > 0))
}

/// Plays the games of an iteration.
fn play(
    seats: &mut Seats<'_>,
    shake: Shake,
    pairs: u32,
    openings: &Openings,
    rules: &Rules,
) -> Played {
    seats.set_options(shake.options.clone());
    let first = shake.iteration * pairs as usize;
    let mut balance = 0;
    for pair in first..first + pairs as usize {
        let opening = openings.get(pair);
        for game in [2 * pair, 2 * pair + 1] {
            let played = seats.play(game, &opening, rules);
            if played.reason.is_foul() {
                return Played {
                    shake,
                    balance: None,
                };
            }
            balance += match result_of_a(game, &played) {
                GameResult::Win => 1,
                GameResult::Draw => 0,
                GameResult::Loss => -1,
            };
        }
    }
    Played {
        shake,
        balance: Some(balance),
    }
}
