//! Arguments that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use farm::RunControl;
use farm::queue::{Access, Queue};
use tournament::{
    AgreedDrawRule, AgreedWinRule, Conditions, EngineChecks, EngineSpec, MatchAdjudication,
    MoveLimit, Openings, OptionSet, RoundRotation, RuleBook, Sprt, TextError,
};
use yane_cli::{EventArgs, EventLog, QueueTrustArgs, RunScreen, ScreenStyle, UsageError};
use yane_io::Job;

/// The limit of moves.
#[derive(Args, Clone, Debug)]
pub(crate) struct LimitArgs {
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", conflicts_with_all = ["nodes", "depth", "time", "byoyomi"])]
    movetime: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", conflicts_with_all = ["depth", "time", "byoyomi"])]
    nodes: Option<u64>,
    /// Depth of every search
    #[arg(long, value_name = "PLIES", conflicts_with_all = ["time", "byoyomi"])]
    depth: Option<u32>,
    /// Time on the clock for the game
    #[arg(long, value_name = "MS")]
    time: Option<u64>,
    /// Time that a move adds to the clock
    #[arg(long, value_name = "MS", requires = "time", conflicts_with = "byoyomi")]
    increment: Option<u64>,
    /// Time for each move when the clock has run out
    #[arg(long, value_name = "MS")]
    byoyomi: Option<u64>,
}

impl LimitArgs {
    /// The limit, if one is given.
    pub(crate) fn limit(&self) -> Option<MoveLimit> {
        let clock = MoveLimit::Clock {
            time: self.time.unwrap_or(0),
            increment: self.increment.unwrap_or(0),
            byoyomi: self.byoyomi.unwrap_or(0),
        };
        let fixed = [
            self.movetime.map(MoveLimit::MoveTime),
            self.nodes.map(MoveLimit::Nodes),
            self.depth.map(MoveLimit::Depth),
        ];
        let has_clock = self.time.is_some() || self.byoyomi.is_some();
        let fixed = fixed.into_iter().flatten().next();
        fixed.or(has_clock.then_some(clock))
    }
}

/// What rounds of games take in turn.
#[derive(Args, Clone, Debug)]
pub(crate) struct RotationArgs {
    /// Factors of the limit, which rounds take in turn: results do not depend on one number of nodes then
    #[arg(long, value_name = "FACTOR,...", value_delimiter = ',', value_parser = positive)]
    multipliers: Vec<f64>,
    /// Options of all engines that rounds take in turn, such as a network; give it again for each set. Results do not
    /// depend on one of them then, and a match has the score with each
    #[arg(long, value_name = "NAME=VALUE,...")]
    in_turn: Vec<OptionSet>,
}

impl RotationArgs {
    pub(crate) fn rotation(&self) -> RoundRotation {
        RoundRotation {
            multipliers: self.multipliers.clone(),
            options: self.in_turn.clone(),
        }
    }
}

/// A number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, TextError> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or(TextError::Missing("a number above 0"))
}

/// The openings of games.
#[derive(Args, Clone, Debug)]
pub(crate) struct OpeningArgs {
    /// Openings, one a line: of shogi a `position` line or an SFEN, of othello moves or a board; or game records of shogi (KIF,
    /// KI2, CSA, JKF). Random ones if not given
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Moves of each opening in the file that are played [default: all; 24 of a game record]
    #[arg(long, value_name = "PLIES", requires = "openings")]
    pub(crate) opening_plies: Option<usize>,
    /// Number of random moves in an opening that is not from a file
    #[arg(
        long,
        default_value_t = 8,
        value_name = "PLIES",
        conflicts_with = "openings"
    )]
    random_plies: u32,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

impl OpeningArgs {
    pub(crate) fn openings(&self, rules: &dyn RuleBook) -> anyhow::Result<Openings> {
        Ok(match &self.openings {
            Some(path) => Openings::read(path, rules, self.opening_plies)?,
            None => Openings::Random {
                seed: self.seed,
                plies: self.random_plies,
            },
        })
    }

    /// The openings in words.
    pub(crate) fn describe(&self) -> String {
        let random = || format!("{} random plies, seed {}", self.random_plies, self.seed);
        let file = |path: &PathBuf| match self.opening_plies {
            Some(plies) => format!("{}, {plies} plies", path.display()),
            None => path.display().to_string(),
        };
        self.openings.as_ref().map_or_else(random, file)
    }
}

/// The longest silence of an engine without a limit of time, unless `--hang` says another.
const HANG: Duration = Duration::from_secs(60);

/// The conditions of games.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConditionArgs {
    /// Time that an engine may think longer than allowed before it loses on time
    #[arg(long, default_value_t = 100, value_name = "MS")]
    margin: u64,
    /// Longest silence of an engine where its time is not limited: 60,000 unless given, with --own-limits as long as it likes
    #[arg(long, value_name = "MS")]
    hang: Option<u64>,
    /// Number of plies after which a game is drawn
    #[arg(long, default_value_t = 512, value_name = "PLIES")]
    max_plies: usize,
    /// A game is won when both engines say, for as many moves each as --resign-moves, that one of
    /// them is at least this far ahead
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(u32).range(1..))]
    resign_score: Option<u32>,
    /// Moves of each side for --resign-score
    #[arg(long, value_name = "MOVES", default_value_t = 4, requires = "resign_score",
          value_parser = clap::value_parser!(u32).range(1..))]
    resign_moves: u32,
    /// A game is drawn when both engines say, for as many moves each as --draw-moves, that nobody is
    /// further ahead than this
    #[arg(long, value_name = "CP")]
    draw_score: Option<u32>,
    /// Moves of each side for --draw-score
    #[arg(long, value_name = "MOVES", default_value_t = 8, requires = "draw_score",
          value_parser = clap::value_parser!(u32).range(1..))]
    draw_moves: u32,
    /// Number of plies before which no game is drawn by --draw-score
    #[arg(
        long,
        value_name = "PLIES",
        default_value_t = 160,
        requires = "draw_score"
    )]
    draw_after: usize,
    #[command(flatten)]
    pub(crate) checks: CheckArgs,
}

/// How engines are checked.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// Let engines play that say of an error while they get ready (`info string Error! ...`); without it the run stops with
    /// their words
    #[arg(long)]
    allow_engine_errors: bool,
}

impl CheckArgs {
    /// The checks of engines that get so much time, with sets of options that rounds take in turn.
    pub(crate) fn checks(&self, patience: Duration, rotation: &RoundRotation) -> EngineChecks {
        EngineChecks {
            allow_errors: self.allow_engine_errors,
            in_turn: rotation.option_sets(),
            ..EngineChecks::new(patience)
        }
    }
}

impl ConditionArgs {
    /// The conditions of games with such a limit of moves.
    pub(crate) fn conditions(&self, limit: MoveLimit) -> Conditions {
        let usual = match limit {
            MoveLimit::Own => Conditions::ANY_SILENCE,
            _ => HANG,
        };
        Conditions {
            margin: Duration::from_millis(self.margin),
            hang: self.hang.map_or(usual, Duration::from_millis),
            max_plies: self.max_plies,
            adjudication: MatchAdjudication {
                resign: self.resign_score.map(|score| AgreedWinRule {
                    score_cp: i64::from(score),
                    moves: self.resign_moves,
                }),
                draw: self.draw_score.map(|score| AgreedDrawRule {
                    score_cp: i64::from(score),
                    moves: self.draw_moves,
                    after_plies: self.draw_after,
                }),
            },
        }
    }

    /// How long engines may take to get ready.
    pub(crate) fn patience(&self) -> Duration {
        self.hang.map_or(HANG, Duration::from_millis)
    }
}

/// Options and folders of engines A and B.
#[derive(Args, Clone, Debug)]
pub(crate) struct EngineArgs {
    /// An option of all engines
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(crate) option: Vec<String>,
    /// An option of engine A
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    option_a: Vec<String>,
    /// An option of engine B
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    option_b: Vec<String>,
    /// Working folder of engine A; where the program is if not given
    #[arg(long, value_name = "FOLDER")]
    dir_a: Option<PathBuf>,
    /// Working folder of engine B
    #[arg(long, value_name = "FOLDER")]
    dir_b: Option<PathBuf>,
}

impl EngineArgs {
    /// Engines A and B with their options and folders.
    pub(crate) fn apply(
        &self,
        a: &EngineSpec,
        b: &EngineSpec,
    ) -> Result<[EngineSpec; 2], UsageError> {
        let mut a = with_options(a, &self.option, &self.option_a)?;
        let mut b = with_options(b, &self.option, &self.option_b)?;
        a.folder = self.dir_a.clone().or(a.folder);
        b.folder = self.dir_b.clone().or(b.folder);
        Ok([a, b])
    }
}

/// The engine with options of all, then its own.
pub(crate) fn with_options(
    spec: &EngineSpec,
    all: &[String],
    own: &[String],
) -> Result<EngineSpec, UsageError> {
    let wrong = |error: TextError| UsageError(format!("option {error}"));
    let mut made = spec.clone();
    let written = std::mem::take(&mut made.options);
    for option in all {
        made.add_option(option).map_err(wrong)?;
    }
    made.options.extend(written);
    for option in own {
        made.add_option(option).map_err(wrong)?;
    }
    Ok(made)
}

/// The sequential test.
#[derive(Args, Clone, Debug)]
pub(crate) struct SprtArgs {
    /// Sequential test: stop when it is decided whether A is rather --elo0 or --elo1 stronger
    #[arg(
        long,
        value_name = "ELO",
        requires = "elo1",
        allow_negative_numbers = true
    )]
    elo0: Option<f64>,
    /// The greater of the two differences that are tested
    #[arg(
        long,
        value_name = "ELO",
        requires = "elo0",
        allow_negative_numbers = true
    )]
    elo1: Option<f64>,
    /// Probability that the test decides for elo1 when elo0 is true
    #[arg(
        long,
        value_name = "PROBABILITY",
        default_value_t = 0.05,
        requires = "elo1"
    )]
    alpha: f64,
    /// Probability that the test decides for elo0 when elo1 is true
    #[arg(
        long,
        value_name = "PROBABILITY",
        default_value_t = 0.05,
        requires = "elo1"
    )]
    beta: f64,
}

impl SprtArgs {
    /// The test, if one is asked for.
    pub(crate) fn sprt(&self) -> anyhow::Result<Option<Sprt>> {
        let tested = self.elo0.zip(self.elo1);
        let test = tested.map(|(elo0, elo1)| Sprt::new(elo0, elo1, self.alpha, self.beta));
        Ok(test.transpose()?)
    }
}

/// Work shared by machines.
#[derive(Args, Clone, Debug)]
pub(crate) struct QueueArgs {
    /// Share the games with other machines over a NATS server, such as `nats://host:4222`
    #[arg(long, value_name = "URL")]
    queue: Option<String>,
    /// Hand out games over the queue, and have the results
    #[arg(long, requires = "queue", conflicts_with = "work")]
    serve: bool,
    /// Play games of the queue, with the same settings; writes no files
    #[arg(long, requires = "queue")]
    work: bool,
    /// Seconds after which others get the games of a process that is silent
    #[arg(long, value_name = "SECONDS", requires = "queue", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=86400))]
    lease: u64,
    #[command(flatten)]
    trust: QueueTrustArgs,
}

/// The role of this process.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// It plays all games.
    Alone,
    /// It hands out games.
    Server(Queue),
    /// It plays games that are handed out.
    Worker(Queue),
}

impl QueueArgs {
    /// The role; `queue` makes the queue at an address.
    pub(crate) fn role(
        &self,
        queue: impl FnOnce(&str) -> tournament::Result<Queue>,
    ) -> anyhow::Result<Role> {
        let Some(url) = &self.queue else {
            return Ok(Role::Alone);
        };
        let mut queue = queue(url)?;
        queue.access = Access {
            lease: Duration::from_secs(self.lease),
            trust: self.trust.trust()?,
            login: self.trust.login()?,
        };
        match (self.serve, self.work) {
            (true, _) => {
                EventLog::current().share(|text| queue.publish(text))?;
                Ok(Role::Server(queue))
            }
            (_, true) => Ok(Role::Worker(queue)),
            _ => {
                let missing = "--queue: add --serve to hand out games, or --work to play them";
                Err(UsageError(missing.to_owned()).into())
            }
        }
    }

    /// True if this process plays no games itself.
    pub(crate) const fn serves(&self) -> bool {
        self.serve
    }
}

/// Progress and results.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScreenArgs {
    /// Results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Progress and results of a run.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    events: EventArgs,
}

impl RunArgs {
    /// Begins a run: its control, which Ctrl-C and who controls it end, and its screen.
    pub(crate) fn begin(&self) -> anyhow::Result<(RunControl, RunScreen)> {
        let job = Job::default();
        self.events.begin(&job)?;
        let screen = RunScreen::new(self.screen.style()).for_job(&job);
        Ok((RunControl::of_job(&job), screen))
    }
}

impl ScreenArgs {
    pub(crate) const fn style(&self) -> ScreenStyle {
        ScreenStyle {
            quiet: self.quiet,
            json: self.json,
        }
    }
}
