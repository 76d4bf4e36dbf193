//! `arena match`, `gauntlet` and `round-robin`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tournament::{
    Contestant, EngineSpec, GameName, GameSchedule, MatchEvent, MatchPlan, MoveLimit, Pairing,
    PartDesign, Place, RunNote, Stress, Team, play_match,
};
use yane_cli::{FINDINGS, INTERRUPTED, RunScreen, Stage, UsageError};
use yane_io::Unit;

use crate::args::{
    ConditionArgs, EngineArgs, LimitArgs, OpeningArgs, QueueArgs, Role, RotationArgs, RunArgs,
    SprtArgs, with_options,
};
use crate::players;
use crate::records::{RecordFormat, Records};
use crate::report;
use crate::report::{GAMES_OF_TEST, Report};

/// Games of a match without `--games`.
const GAMES: u64 = 100;

/// Play two engines against each other with alternating colours.
///
/// Every opening is played twice with colours exchanged. An engine is a program, or `PROGRAM,KEY=VALUE,...` with the
/// keys `name`, `dir` (working folder), `scale` (factor of its limit), `protocol` (of othello: gtp or nboard) and options of the
/// engine. With --log a match that
/// was interrupted resumes when the same command is run again. Exits with 1 if an engine played an illegal
/// move, crashed or overstepped its time.
#[derive(Args, Clone, Debug)]
#[command(after_help = MATCH_EXAMPLES)]
pub struct MatchArgs {
    /// Engine A. The score is given from its point of view
    a: EngineSpec,
    /// Engine B
    b: EngineSpec,
    /// Number of games: 100 unless given, with --elo1 as many as the test takes, up to 100,000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    #[command(flatten)]
    engines: EngineArgs,
    #[command(flatten)]
    sprt: SprtArgs,
    #[command(flatten)]
    play: PlayArgs,
}

/// Play one engine against each of several others.
///
/// As `match`; every opening is played twice, with colours exchanged, by each pair of engines.
#[derive(Args, Clone, Debug)]
#[command(after_help = GAUNTLET_EXAMPLES)]
pub struct GauntletArgs {
    #[command(flatten)]
    field: FieldArgs,
}

/// Play every engine against every other.
///
/// As `match`; every opening is played twice, with colours exchanged, by each pair of engines.
#[derive(Args, Clone, Debug)]
#[command(after_help = ROUND_ROBIN_EXAMPLES)]
pub struct RoundRobinArgs {
    #[command(flatten)]
    field: FieldArgs,
}

/// The engines and games of a gauntlet or a round robin.
#[derive(Args, Clone, Debug)]
struct FieldArgs {
    /// The engines, as for `match`; in a gauntlet the first meets all others
    #[arg(value_name = "ENGINES")]
    engines: Vec<EngineSpec>,
    /// More engines, from a file: {`ENGINE_SETTING`: [{path, name, options}, ...]} (JSON5)
    #[arg(long = "engines", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Number of rounds: in each, every pair of engines plays two games
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// An option of all engines
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    #[command(flatten)]
    play: PlayArgs,
}

/// How games are played.
#[derive(Args, Clone, Debug)]
pub(crate) struct PlayArgs {
    /// The game: `shogi`, or `othello`, whose engines speak GTP or NBoard
    #[arg(long, value_name = "GAME", default_value_t = GameName::Shogi)]
    pub(crate) game: GameName,
    #[command(flatten)]
    limit: LimitArgs,
    /// No limit from here: engines think as they were started or set, such as at a level
    #[arg(long, conflicts_with_all = ["movetime", "nodes", "depth", "time", "byoyomi"])]
    own_limits: bool,
    #[command(flatten)]
    pub(crate) rotation: RotationArgs,
    #[command(flatten)]
    pub(crate) starts: OpeningArgs,
    /// Number of games at the same time. Give an even number to have both games of a pair side by
    /// side
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: u32,
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    /// Threads that keep processors busy beside the match, to see what engines do under load
    #[arg(long, default_value_t = 0, value_name = "THREADS")]
    stress: u32,
    /// Log of the games as JSON lines. If it exists, the match resumes from there
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Folder for a record of each game, with names, times and scores
    #[arg(long, value_name = "FOLDER", conflicts_with = "work")]
    records: Option<PathBuf>,
    /// Format of these records
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "csa",
        requires = "records"
    )]
    record_format: RecordFormat,
    #[command(flatten)]
    queue: QueueArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs `arena match`.
///
/// # Errors
/// When engines cannot be started, or files cannot be read or written.
pub fn run_match(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let sprt = args.sprt.sprt()?;
    let usual = if sprt.is_some() { GAMES_OF_TEST } else { GAMES };
    let engines = args.engines.apply(&args.a, &args.b)?;
    let plan = MatchPlan {
        sprt,
        ..args
            .play
            .plan(Pairing::Match, engines.into(), args.games.unwrap_or(usual))?
    };
    args.play.run(&plan)
}

/// Runs `arena gauntlet`.
///
/// # Errors
/// See [`run_match`].
pub fn run_gauntlet(args: &GauntletArgs) -> anyhow::Result<ExitCode> {
    args.field.run(Pairing::Gauntlet)
}

/// Runs `arena round-robin`.
///
/// # Errors
/// See [`run_match`].
pub fn run_round_robin(args: &RoundRobinArgs) -> anyhow::Result<ExitCode> {
    args.field.run(Pairing::RoundRobin)
}

impl FieldArgs {
    fn run(&self, pairing: Pairing) -> anyhow::Result<ExitCode> {
        let mut engines = self.engines.clone();
        if let Some(path) = &self.file {
            let settings = shogi_farm::settings::read_engines(path)?.into_iter();
            engines.extend(settings.map(|engine| EngineSpec {
                name: (engine.name != engine.path).then_some(engine.name),
                options: engine.options.into_iter().collect(),
                ..EngineSpec::new(engine.path)
            }));
        }
        if engines.len() < 2 {
            let text = "expected at least two engines, as arguments or by --engines FILE";
            return Err(UsageError(text.to_owned()).into());
        }
        let engines: Result<Vec<_>, _> = engines
            .iter()
            .map(|engine| with_options(engine, &self.option, &[]))
            .collect();
        let engines = engines?;
        let pairs = pairing.pairs(engines.len()).len() as u64;
        let plan = self.play.plan(pairing, engines, 2 * pairs * self.rounds)?;
        self.play.run(&plan)
    }
}

impl PlayArgs {
    pub(crate) fn plan(
        &self,
        pairing: Pairing,
        engines: Vec<EngineSpec>,
        games: u64,
    ) -> anyhow::Result<MatchPlan> {
        let is_of_shogi = self.records.is_some() || self.starts.opening_plies.is_some();
        if self.game != GameName::Shogi && is_of_shogi {
            let text = "--records and --opening-plies are for games of shogi";
            return Err(UsageError(text.to_owned()).into());
        }
        let own = self.own_limits.then_some(MoveLimit::Own);
        let limit = own.or_else(|| self.limit.limit()).ok_or_else(no_limit)?;
        Ok(MatchPlan {
            game: self.game,
            pairing,
            engines,
            tuned: None,
            games,
            limit,
            rotation: self.rotation.rotation(),
            parts: PartDesign::default(),
            openings: self.starts.openings(&*self.game.rules())?,
            openings_text: self.starts.describe(),
            conditions: self.conditions.conditions(limit),
            sprt: None,
        })
    }

    pub(crate) fn run(&self, plan: &MatchPlan) -> anyhow::Result<ExitCode> {
        plan.check()?;
        let (control, screen) = self.run.begin()?;
        let rules = self.game.rules();
        let contestants = if self.queue.serves() {
            Vec::new()
        } else {
            let checks = self
                .conditions
                .checks
                .checks(self.conditions.patience(), &plan.rotation);
            Contestant::open_all(&plan.engines, &self.game.protocol(), &checks)?
        };
        contestants
            .iter()
            .try_for_each(|contestant| contestant.check_limit(plan.limit))?;
        let notes = players::notes(plan, &contestants, self.concurrency);
        for note in &notes {
            screen.note(note);
        }
        let team = Team {
            contestants,
            rules: rules.clone(),
            conditions: plan.conditions,
        };
        let _stress = Stress::start(self.stress);
        let workers = self.concurrency as usize;
        let role = self.queue.role(|url| plan.queue(url))?;
        let place = match &role {
            Role::Worker(queue) => return work(queue, &team, plan, workers, &control, &screen),
            Role::Server(queue) => Place::Queue(queue),
            Role::Alone => Place::Here {
                team: &team,
                workers,
            },
        };
        let report = Report::new(plan, &team.contestants, notes)?;
        let records = self.records.as_deref();
        let records = records
            .map(|folder| Records::open(folder, self.record_format, plan))
            .transpose()?;
        let observer = |event: &MatchEvent<'_>| match event {
            MatchEvent::Started { standings } => {
                screen.log(
                    &json!({"event": "begin", "workers": workers, "finished": standings.games,
                    "total": report.games(), "output": self.log.as_deref().map(Path::to_string_lossy)}),
                );
                if standings.games > 0 {
                    let games = yane_cli::counted(u64::from(standings.games), "game", "games");
                    screen.note(&format!("Resuming after {games}."));
                }
                start_bar(
                    &screen,
                    "playing",
                    report.games(),
                    u64::from(standings.games),
                );
            }
            MatchEvent::Game {
                game,
                standings,
                by_part,
            } => {
                screen.note(&report.game_line(game, standings));
                if screen.has_events() {
                    screen.log(&report::game_event(game));
                    screen.log(&report.score_event(standings));
                }
                if let Some(records) = &records {
                    records.write(game, &screen);
                }
                screen.advance(1);
                screen.draw(|_| vec![report.live_table(standings, by_part)]);
            }
            MatchEvent::Note(note) => note_run(&screen, *note),
            _ => {}
        };
        let log = self.log.as_deref();
        let result = play_match(plan, &*rules, log, place, &control, &observer)?;
        screen.clear();
        if self.run.screen.json {
            yane_cli::print::json(&report.summary(&result)?)?;
        } else {
            yane_cli::print::lines(report.text(&result))?;
        }
        if !result.is_complete {
            screen.note(match log {
                Some(_) => "Interrupted. Run the same command to continue.",
                None => "Interrupted. With --log FILE the same command would continue.",
            });
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if records.is_some_and(|records| records.has_failed()) {
            return Ok(ExitCode::from(FINDINGS));
        }
        Ok(if result.standings.violations() > 0 {
            ExitCode::from(FINDINGS)
        } else {
            ExitCode::SUCCESS
        })
    }
}

/// Starts a bar of games.
pub(crate) fn start_bar(screen: &RunScreen, name: &str, total: Option<u64>, done: u64) {
    screen.start(Some(Stage {
        name: name.to_owned(),
        total,
        unit: Unit::Games,
        done,
        details: true,
    }));
}

/// Notes what users should know of a run; an error of a queue once.
pub(crate) fn note_run(screen: &RunScreen, note: RunNote<'_>) {
    match note {
        RunNote::TransientError(reason) if screen.is_new_error(reason) => {
            screen.note(&format!("queue: {reason}; trying again"));
        }
        RunNote::Remark(text) => screen.note(text),
        _ => {}
    }
}

/// Plays games that another process hands out.
pub(crate) fn work(
    queue: &farm::queue::Queue,
    team: &Team,
    schedule: &dyn GameSchedule,
    workers: usize,
    control: &farm::RunControl,
    screen: &RunScreen,
) -> anyhow::Result<ExitCode> {
    start_bar(screen, "playing", None, 0);
    let games = tournament::work(
        queue,
        team,
        schedule,
        workers,
        control,
        &|_, _| screen.advance(1),
        &|note| note_run(screen, note),
    )
    .context("working for the queue")?;
    screen.clear();
    if screen.json() {
        yane_cli::print::json(&json!({ "games": games }))?;
    } else {
        yane_cli::print::lines([format!("games played for the queue: {games}")])?;
    }
    Ok(if control.is_quitting() {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

const MATCH_EXAMPLES: &str = "\
Examples:
  arena match new/yaneura old/yaneura --nodes 20000 --games 600 --concurrency 2 --option Threads=1 --option USI_Hash=64 --log match.jsonl
      300 openings with both colours; the same command resumes after an interruption
  arena match new/yaneura old/yaneura --time 10000 --increment 100 --elo0 0 --elo1 5 --option Threads=1 --openings balanced.sfen
      until it is clear whether the new one is stronger
  arena match yaneura,name=ten,scale=10 other --nodes 2000 --option Threads=1
      ten times the nodes for one of them
  arena match --game othello 'othello gtp --level 10 --threads 1,name=ours' 'edax -gtp -l 10,name=edax' --own-limits
  arena match --game othello 'othello gtp,name=new' 'old/othello gtp,name=old' --time 20000 --openings xot.txt
      engines for othello, by GTP, at levels of their own or with 20 seconds for a game
  arena match a b --nodes 20000 --option Threads=1 --queue nats://farm:4222 --serve --log match.jsonl
  arena match a b --nodes 20000 --option Threads=1 --queue nats://farm:4222 --work --concurrency 16
      games of many machines: one serves, all others work; all with the same YANE_SECRET

Exit code 0: done; 1: failed, or an engine misbehaved; 2: wrong usage; 130: interrupted.";

const GAUNTLET_EXAMPLES: &str = "\
Examples:
  arena gauntlet new/yaneura old/yaneura YaneuraOu,name=yaneuraou gpsusi --nodes 20000 --rounds 100 --option Threads=1 --log gauntlet.jsonl
      200 games of the new engine with each of three others
  arena gauntlet new --engines opponents.json5 --movetime 100 --concurrency 4 --option Threads=1
      opponents from a file

Exit code 0: done; 1: failed, or an engine misbehaved; 2: wrong usage; 130: interrupted.";

const ROUND_ROBIN_EXAMPLES: &str = "\
Examples:
  arena round-robin e,name=16,FV_SCALE=16 e,name=20,FV_SCALE=20 e,name=26,FV_SCALE=26 --nodes 50000 --option Threads=1 --log scales.jsonl
      one engine with three values of an option
  arena rate scales.jsonl
      its table again, from the log

Exit code 0: done; 1: failed, or an engine misbehaved; 2: wrong usage; 130: interrupted.";

/// An error about a limit that is missing.
pub(crate) fn no_limit() -> UsageError {
    let text = "no limit is given: add --nodes, --movetime, --depth, --time or --byoyomi";
    UsageError(text.to_owned())
}
