//! `cargo xtask spsa`: tunes the parameters of a search by self-play.
//!
//! Simultaneous perturbation stochastic approximation: in every iteration all parameters move a little
//! in random directions, up in one player and down in the other; the two play pairs of games at fixed
//! nodes; and every parameter moves in the direction of the winner. A single iteration says nothing; thousands do.
//!
//! `state` has the gain schedule and the checkpoint.

mod state;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::matches::openings::Openings;
use crate::matches::player::{Engine, Limit, Setup};
use crate::matches::pool::EnginePair;
use crate::matches::{AdjudicationArgs, GameResult, Rules, pool, result_of_a};

use state::{Perturbation, Settings, State};

/// The time that the engine may take for anything but a search on the clock.
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
    /// The checkpoint. If the file exists, tuning resumes from there.
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

/// The result of an iteration.
struct IterationResult {
    perturbation: Perturbation,
    /// Wins of the player that was perturbed upwards minus its losses; `None` after a protocol violation.
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
    let mut violations = 0;
    let state = Mutex::new(state);
    // Nobody panics while it has the state.
    let locked = || state.lock().unwrap_or_else(PoisonError::into_inner);
    pool::run(
        (first..args.iterations).map(|number| locked().perturb(number)),
        args.concurrency as usize,
        || EnginePair::new(&engines),
        |engine_pair, perturbation| play(engine_pair, perturbation, args.pairs, &openings, &rules),
        |IterationResult {
             perturbation,
             balance,
         }| {
            let mut state = locked();
            violations += usize::from(balance.is_none());
            state.update(&perturbation, balance.unwrap_or(0));
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
    if violations > 0 {
        eprintln!(
            "{violations} iterations were not counted: an engine crashed or answered nonsense"
        );
    }
    Ok(Outcome::from_found(violations > 0))
}

/// Plays the games of an iteration.
fn play(
    engine_pair: &mut EnginePair<'_>,
    perturbation: Perturbation,
    pairs: u32,
    openings: &Openings,
    rules: &Rules,
) -> IterationResult {
    engine_pair.set_options(perturbation.options.clone());
    let first = perturbation.iteration * pairs as usize;
    let mut balance = 0;
    for pair in first..first + pairs as usize {
        let opening = openings.get(pair);
        for game in [2 * pair, 2 * pair + 1] {
            let played = engine_pair.play(game, &opening, rules);
            if played.reason.is_violation() {
                return IterationResult {
                    perturbation,
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
    IterationResult {
        perturbation,
        balance: Some(balance),
    }
}

// A parameter, read from an engine and printed as a line of the table.

/// A parameter that is being tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parameter {
    /// Name, which is also that of the engine's option.
    name: String,
    /// The tuned value so far, not rounded.
    value: f64,
    default: i64,
    min: i64,
    max: i64,
    /// The perturbation in the last iteration.
    step: f64,
    /// The learning rate: the part of a step that it moves for one point in the last iteration.
    rate: f64,
}

impl Parameter {
    /// Reads a line `NAME, int, DEFAULT, MIN, MAX, STEP, RATE`, the form that tuning frameworks share.
    fn parse(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, "int", default, min, max, step, rate] = fields[..] else {
            anyhow::bail!("{line:?} does not describe a parameter");
        };
        let whole = |text: &str| text.parse::<i64>().with_context(|| line.to_owned());
        let real = |text: &str| text.parse::<f64>().with_context(|| line.to_owned());
        let parameter = Self {
            name: name.to_owned(),
            value: real(default)?,
            default: whole(default)?,
            min: whole(min)?,
            max: whole(max)?,
            step: real(step)?,
            rate: real(rate)?,
        };
        ensure!(
            parameter.min <= parameter.default && parameter.default <= parameter.max,
            "{line:?}: the default lies outside of the range"
        );
        ensure!(
            parameter.step > 0.0 && parameter.rate > 0.0,
            "{line:?}: step and rate must be positive"
        );
        Ok(parameter)
    }

    /// The nearest value in the range.
    fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min as f64, self.max as f64)
    }

    /// The line of the table of parameters, with the value as it is now.
    fn to_table_line(&self) -> String {
        format!(
            "    {} = {:.0}, {}..={}, {};",
            self.name, self.value, self.min, self.max, self.step
        )
    }
}

/// Asks an engine for its parameters.
///
/// # Errors
/// When it has none, or they are no options of it.
fn read_parameters(engine: &Engine) -> Result<Vec<Parameter>> {
    let mut process = engine.start()?;
    process.send_line("params")?;
    // All lines before the answer to this command belong to the list.
    process.send_line("isready")?;
    let mut parameters = Vec::new();
    loop {
        let line = process.next_line(engine.patience())?;
        if line == "readyok" {
            break;
        }
        if line.contains(", int,") {
            parameters.push(Parameter::parse(&line)?);
        }
    }
    ensure!(
        !parameters.is_empty(),
        "{} tells no parameters",
        engine.name()
    );
    for parameter in &parameters {
        ensure!(
            process.has_option(&parameter.name),
            "{} has no option {}: is it built with the feature `tune`?",
            engine.name(),
            parameter.name
        );
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_pasted_back() {
        let mut parameter =
            Parameter::parse("lmr_base, int, 500, 0, 1500, 60, 0.002").expect("one");
        assert_eq!((parameter.min, parameter.max), (0, 1500));
        parameter.value = 512.6;
        assert_eq!(
            parameter.to_table_line(),
            "    lmr_base = 513, 0..=1500, 60;"
        );
        assert!((parameter.clamp(-3.0)).abs() < f64::EPSILON);
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "a, float, 1, 0, 2, 1, 0.002",
            "a, int, 3, 0, 2, 1, 0.002",
            "a, int, 1, 0, 2, 0, 0.002",
            "a, int, 1, 0, 2",
            "a, int, x, 0, 2, 1, 0.002",
        ] {
            assert!(Parameter::parse(line).is_err(), "{line}");
        }
    }
}
