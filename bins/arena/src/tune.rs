//! `arena tune` and `arena values`: parameters tuned by games, and wins by their values.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use farm::RunControl;
use serde_json::json;
use tournament::{
    Contestant, EngineSpec, GameName, MatchEvent, MatchPlan, MatchScore, MoveLimit,
    ParameterSource, ParamsFile, Place, SpinRange, Team, TuneEvent, TuneFiles, TuneMethod,
    TunePlan, TuneResult, TunedParameter, ValueTable, closing_log, play_match, tune,
};
use yane_cli::{FINDINGS, INTERRUPTED, RunScreen, print};

use crate::args::{
    ConditionArgs, LimitArgs, OpeningArgs, QueueArgs, Role, RotationArgs, RunArgs, ScreenArgs,
    positive, with_options,
};
use crate::matches::{note_run, start_bar, work};
use crate::report;
use crate::report::score_json;

/// Nodes for each move without another limit.
const NODES: u64 = 10_000;

/// Iterations between two notes about parameters.
const TELL_EVERY: usize = 20;

/// Tune parameters of an engine by games (SPSA).
///
/// In every iteration all parameters move a little in random directions, up in one player and down in the other; both play,
/// and the parameters follow the winner. The parameters are those that the engine prints at `params` (this project's engine
/// built with the feature `tune`), or those of a `.params` file, or any options that are numbers. The state is safe after
/// every iteration; the same command resumes. At the end a match of the tuned values against those at the start says
/// whether they help.
#[derive(Args, Clone, Debug)]
#[command(after_help = TUNE_EXAMPLES)]
pub struct TuneArgs {
    /// The engine, as for `match`
    engine: EngineSpec,
    /// The checkpoint. If the file exists, tuning resumes from there
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Parameters in the field's form, NAME, int, VALUE, MIN, MAX, STEP, RATE a line; written back with the tuned values
    #[arg(long, value_name = "FILE", conflicts_with = "spin")]
    params: Option<PathBuf>,
    /// Write the tuned values there and leave the file of --params as it is
    #[arg(long, value_name = "FILE", requires = "params")]
    params_out: Option<PathBuf>,
    /// An option to tune: NAME, NAME=MIN..MAX, NAME=MIN..MAX/STEP or NAME=MIN..MAX/STEP/RATE; may be given again
    #[arg(long, value_name = "OPTION")]
    spin: Vec<SpinRange>,
    /// Tune only parameters whose names begin with one of these. Otherwise all but those of time management
    /// (`time_...`) among those that an engine prints
    #[arg(long, value_name = "PREFIX,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Learning rate of all parameters instead of their own: the usual 0.002 is for tens of thousands of iterations, a few
    /// hundred need about ten times as much
    #[arg(long, value_name = "RATE", value_parser = positive)]
    rate: Option<f64>,
    /// A fixed opponent of both players; without one they play each other
    #[arg(long, value_name = "ENGINE")]
    base: Option<EngineSpec>,
    /// Number of iterations of the whole work
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Pairs of games in an iteration, of each player where there is a base
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// `spsa`, or `sample`: parameters stay, and games are played with values around them, for `arena values`
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = Method::Spsa)]
    method: Method,
    /// Steps to either side with --method sample
    #[arg(long, value_name = "STEPS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    interval: u32,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    rotation: RotationArgs,
    /// An option of the engine and of the base
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    option: Vec<String>,
    #[command(flatten)]
    starts: OpeningArgs,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Games of the match of the tuned values against those at the start; 0: none
    #[arg(long, value_name = "GAMES", default_value_t = 400)]
    check: u64,
    /// Page (HTML) with the path of each parameter, kept up to date
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Log of values and results, game by game, as classic tuning engines write it (`PARAMETERS_LOG_FILE_PATH`); `arena
    /// values` makes a table of it
    #[arg(long, value_name = "FILE")]
    param_log: Option<PathBuf>,
    /// Number of games at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    #[command(flatten)]
    queue: QueueArgs,
    /// With --serve: games that are handed out at a time, about as many as all machines play at once
    #[arg(long, value_name = "N", requires = "serve", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    ahead: u32,
    #[command(flatten)]
    run: RunArgs,
}

/// A method by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    Spsa,
    Sample,
}

/// Print wins by the values of parameters.
///
/// Reads logs of `tune --param-log`, or of classic tuning engines (`PARAMETERS_LOG_FILE_PATH`). A line of the table:
/// `VALUE : WINS - DRAWS - LOSSES(WINS% ELO)`, of the games that were won or lost.
#[derive(Args, Clone, Debug)]
pub struct ValueArgs {
    /// The logs
    #[arg(required = true, value_name = "LOGS")]
    logs: Vec<PathBuf>,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Runs `arena values`.
///
/// # Errors
/// When a log cannot be read.
pub fn run_values(args: &ValueArgs) -> anyhow::Result<ExitCode> {
    let table = ValueTable::read(&args.logs)?;
    if args.screen.json {
        print::json(&table.json())?;
    } else {
        print::lines(table.lines())?;
    }
    if table.cut_lines() > 0 && !args.screen.quiet {
        let count = table.cut_lines();
        eprintln!("{count} last lines without their partner do not count (cut off)");
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `arena tune`.
///
/// # Errors
/// When an engine cannot be started, parameters or files cannot be read or written, or the checkpoint is of another
/// tuning.
pub fn run_tune(args: &TuneArgs) -> anyhow::Result<ExitCode> {
    let mut plan = args.plan()?;
    let (control, screen) = args.run.begin()?;
    let rules = GameName::Shogi.rules();
    // Parameters come from the engine, so that it is started where games are handed out, too.
    let checks = &args.conditions.checks;
    let checks = checks.checks(args.conditions.patience(), &plan.rotation);
    let mut engines = plan.team();
    if args.queue.serves() {
        engines.truncate(1);
    }
    let team = Team {
        contestants: Contestant::open_all(&engines, &GameName::Shogi.protocol(), &checks)?,
        rules: rules.clone(),
        conditions: plan.conditions,
    };
    plan.parameters = args.parameters(&team.contestants[0])?;
    let workers = args.concurrency as usize;
    let queues = args.queues(&plan)?;
    if let Some([Role::Worker(tuning), Role::Worker(closing)]) = &queues {
        let code = work(tuning, &team, &plan, workers, &control, &screen)?;
        if args.check == 0 || control.is_quitting() || args.method == Method::Sample {
            return Ok(code);
        }
        // Its values come with each game.
        let plan = plan.closing_match(&plan.parameters, args.check);
        return work(closing, &team, &plan, workers, &control, &screen);
    }
    let places: [Place<'_>; 2] = match &queues {
        Some([Role::Server(tuning), Role::Server(closing)]) => {
            [Place::Queue(tuning), Place::Queue(closing)]
        }
        _ => {
            [Place::Here {
                team: &team,
                workers,
            }; 2]
        }
    };
    let result = args.tune(&plan, &*rules, places[0], &control, &screen)?;
    if !result.is_complete {
        args.print(&result, None)?;
        screen.note("Interrupted. Run the same command to continue.");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let mut closing = None;
    if args.check > 0 && args.method == Method::Spsa {
        let plan = plan.closing_match(result.state.parameters(), args.check);
        let (score, is_complete) =
            args.closing_match(&plan, &*rules, places[1], &control, &screen)?;
        if !is_complete {
            screen.note("Interrupted. Run the same command to continue with the closing match.");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        closing = Some(score);
    }
    args.print(&result, closing.as_ref())?;
    Ok(if result.violations > 0 {
        ExitCode::from(FINDINGS)
    } else {
        ExitCode::SUCCESS
    })
}

impl TuneArgs {
    fn plan(&self) -> anyhow::Result<TunePlan> {
        let limit = self.limit.limit().unwrap_or(MoveLimit::Nodes(NODES));
        let base = self.base.as_ref();
        let base = base.map(|base| with_options(base, &self.option, &[]));
        Ok(TunePlan {
            engine: with_options(&self.engine, &self.option, &[])?,
            // The engine tells them.
            parameters: Vec::new(),
            base: base.transpose()?,
            iterations: self.iterations as usize,
            pairs: self.pairs,
            method: match self.method {
                Method::Spsa => TuneMethod::Spsa,
                Method::Sample => TuneMethod::Sample {
                    interval: self.interval,
                },
            },
            seed: self.starts.seed,
            limit,
            rotation: self.rotation.rotation(),
            openings: self.starts.openings(&*GameName::Shogi.rules())?,
            openings_text: self.starts.describe(),
            conditions: self.conditions.conditions(limit),
            ahead: self.ahead as usize,
        })
    }

    /// The parameters, which are options of the engine.
    fn parameters(&self, engine: &Contestant) -> anyhow::Result<Vec<TunedParameter>> {
        let mut parameters = self.source().read(engine, &self.only)?;
        if let Some(rate) = self.rate {
            for parameter in &mut parameters {
                parameter.rate = rate;
            }
        }
        Ok(parameters)
    }

    fn source(&self) -> ParameterSource {
        match &self.params {
            Some(path) => ParameterSource::File(path.clone()),
            None if self.spin.is_empty() => ParameterSource::Engine,
            None => ParameterSource::Spins(self.spin.clone()),
        }
    }

    /// The roles of this process in the queues of the tuning and of the closing match, if there are queues.
    fn queues(&self, plan: &TunePlan) -> anyhow::Result<Option<[Role; 2]>> {
        let tuning = self.queue.role(|url| Ok(plan.queues(url)[0].clone()))?;
        if matches!(tuning, Role::Alone) {
            return Ok(None);
        }
        let closing = self.queue.role(|url| Ok(plan.queues(url)[1].clone()))?;
        Ok(Some([tuning, closing]))
    }

    fn tune(
        &self,
        plan: &TunePlan,
        rules: &dyn tournament::RuleBook,
        place: Place<'_>,
        control: &RunControl,
        screen: &RunScreen,
    ) -> anyhow::Result<TuneResult> {
        let params = self.params.as_deref().map(ParamsFile::read).transpose()?;
        let files = TuneFiles {
            state: self.state.clone(),
            params: params.map(|file| (file, self.params_out.clone())),
            html: self.html.clone(),
            values: self.param_log.clone(),
        };
        start_bar(screen, "tuning", None, 0);
        let observer = |event: &TuneEvent<'_>| match event {
            TuneEvent::Game => screen.advance(1),
            TuneEvent::Iteration(state) => {
                screen.draw(|_| vec![state.progress()]);
                if state.iteration().is_multiple_of(TELL_EVERY) {
                    screen.note(&state.progress());
                }
            }
            TuneEvent::Note(note) => note_run(screen, *note),
            _ => {}
        };
        let result = tune(plan, &files, rules, place, control, &observer)?;
        screen.clear();
        Ok(result)
    }

    fn closing_match(
        &self,
        plan: &MatchPlan,
        rules: &dyn tournament::RuleBook,
        place: Place<'_>,
        control: &RunControl,
        screen: &RunScreen,
    ) -> anyhow::Result<(MatchScore, bool)> {
        let observer = |event: &MatchEvent<'_>| match event {
            MatchEvent::Started { standings } => {
                let done = u64::from(standings.games);
                start_bar(screen, "closing match", Some(plan.games), done);
            }
            MatchEvent::Game {
                game, standings, ..
            } => {
                if screen.has_events() {
                    screen.log(&report::game_event(game));
                    screen.log(&report::score_of(&standings.first_score(), None));
                }
                screen.advance(1);
                screen.draw(|_| vec![format!("tuned {}", standings.first_score())]);
            }
            MatchEvent::Note(note) => note_run(screen, *note),
            _ => {}
        };
        let log = closing_log(&self.state);
        let result = play_match(plan, rules, Some(&log), place, control, &observer)?;
        screen.clear();
        Ok((result.standings.first_score(), result.is_complete))
    }

    /// Prints the values, and what the closing match says.
    fn print(&self, result: &TuneResult, closing: Option<&MatchScore>) -> anyhow::Result<()> {
        let parameters = result.state.parameters();
        if self.run.screen.json {
            return Ok(print::json(&json!({
                "complete": result.is_complete,
                "iterations": result.state.iteration(),
                "violations": result.violations,
                "parameters": parameters,
                "closing_match": closing.map(score_json),
                "helped": closing.map(verdict),
            }))?);
        }
        let mut lines: Vec<String> = parameters
            .iter()
            .map(TunedParameter::to_table_line)
            .collect();
        if result.violations > 0 {
            lines.push(format!(
                "{} iterations do not count: an engine crashed, answered nonsense or overstepped its time",
                result.violations
            ));
        }
        if let Some(score) = closing {
            let elo = score
                .elo()
                .map_or(String::new(), |elo| format!(", Elo {elo} (95 %)"));
            lines.push(format!(
                "tuned values against those at the start: {score}{elo}"
            ));
            lines.push(format!("the tuned values {}", verdict(score)));
        }
        Ok(print::lines(lines)?)
    }
}

/// What the closing match shows about the tuned values.
fn verdict(score: &MatchScore) -> &'static str {
    match score.elo() {
        Some(elo) if elo.low > 0.0 => "help",
        Some(elo) if elo.high < 0.0 => "harm",
        _ => "are not shown to help",
    }
}

const TUNE_EXAMPLES: &str = "\
Examples:
  arena tune ./yaneura --state tune.json --only lmr_ --iterations 20000 --nodes 10000 --option Threads=1 --option USI_Hash=16 \\
      --openings balanced.sfen --resign-score 1500 --concurrency 2 --html tune.html
      the engine of this project, built with --features tune; prints lines for its table
  arena tune ./YaneuraOu --state tune.json --params suisho.params --base ./rival --nodes 20000 --multipliers 1,2,2.5,3 --option Threads=1
      a file of parameters, against a fixed opponent; the file is written back
  arena tune ./yaneura --state tune.json --nodes 40000 --option Threads=1 --in-turn EvalDir=nets/quiet \\
      --in-turn EvalDir=nets/sharp
      pairs of games take the networks in turn, so that the values fit more than one
  arena tune ./engine --state scale.json --spin FV_SCALE=8..48/2 --time 5000 --increment 50 --option Threads=1
      one option of any engine
  arena tune ./engine --state x.json --spin FV_SCALE=8..48/4 --method sample --param-log x.log --iterations 2000 \\
      --option Threads=1
  arena values x.log
      wins by value

Exit code 0: done; 1: failed, or an engine misbehaved; 2: wrong usage; 130: interrupted, the same command continues.";
