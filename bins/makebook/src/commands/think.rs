//! `think` and `endless_extend_tree`, alone and with many machines.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bookwork::endless::{Endless, EndlessSummary, grow};
use bookwork::think::{DepthSource, Task, Think, queue, work};
use bookwork::{BookRunEvent, BookSummary, StopReason, ThinkCounts, endless};
use clap::Args;
use farm::RunControl;
use farm::queue::{Access, Queue};
use shogi_farm::EnginePool;
use yane_book::db::LineEnd;
use yane_book::positions::Wanted;
use yane_book::{Job, Silent};
use yane_cli::{EventLog, INTERRUPTED, UsageError};
use yane_io::{Flush, Shard};

use super::from_sfen::inputs_and_output;
use super::mine::TO_CONTINUE;
use super::{list_problems, tell_variations, text_books};
use crate::args::{
    EngineArgs, ExtendArgs, QueueArgs, Role, SessionArgs, Settings, StrictArgs, VariationArgs,
};
use crate::print;
use crate::thinking::{
    FATE, RunProgress, Style, accept_limits, end, engine_contents, engine_pool, engines, lines,
    plain, work_lines,
};

/// Limits of the search of a position, and how its result is kept.
#[derive(Args, Debug)]
pub(crate) struct LimitArgs {
    /// The first position of a game to search, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) startmoves: usize,
    /// Nodes of each search; 0: no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) nodes: u64,
    /// Time of each search in milliseconds; 0: no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) time: u64,
    /// Moves to find in each position (`MultiPV`)
    #[arg(long, value_name = "N", default_value_t = 3, alias = "MultiPV",
          value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) multipv: u16,
    /// Write the depth that was reached instead of --depth; positions with enough moves are not searched again
    #[arg(long)]
    pub(crate) reached_depth: bool,
    /// The count of the moves [default: the engine's version times 100]
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// Seconds between updates of the book
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    pub(crate) book_save_interval: u64,
    /// When to flush the journal to the disk: `always`, `never`, or every so many seconds
    #[arg(long, value_name = "WHEN", default_value = "10")]
    pub(crate) journal_flush: FlushArg,
    #[command(flatten)]
    pub(crate) sessions: SessionArgs,
    /// Print the marks of the classic program: `.` a position, `S` saved, `s` nothing to save
    #[arg(long)]
    pub(crate) classic_progress: bool,
}

/// `think [bw] IN [IN] BOOK …`
#[derive(Args, Debug)]
#[command(
    override_usage = "makebook think [OPTIONS] <RECORDS.sfen> <BOOK.db>
       makebook think bw [OPTIONS] <BLACK.sfen> <WHITE.sfen> <BOOK.db>",
    after_help = THINK_EXAMPLES
)]
pub(crate) struct ThinkArgs {
    #[arg(
        help = "The records (`no_file`: none), and the book that grows; need not be there",
        required = true, num_args = 2.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    /// Take black's positions from the first records and white's from the second
    #[arg(long)]
    pub(crate) bw: bool,
    /// The last position of a game to search
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) moves: usize,
    /// Depth to search to, which also decides what the book knows well enough
    #[arg(long, value_name = "D", default_value_t = 24,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: u32,
    /// Only part X of Y, counted from 1
    #[arg(long, value_names = ["X", "Y"], num_args = 2, conflicts_with_all = ["shard", "queue"])]
    pub(crate) cluster: Option<Vec<u64>>,
    /// Only part I of N, counted from 0, such as 0/4. Tasks of Slurm arrays and Kubernetes indexed jobs
    /// set it by themselves
    #[arg(long, value_name = "I/N", conflicts_with = "queue")]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) variations: VariationArgs,
    #[command(flatten)]
    pub(crate) strict: StrictArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

const THINK_EXAMPLES: &str = "\
Every position of the records is searched and its best moves are put into the book, unless they are there,
searched as deep, already. No result is ever lost: the same command resumes after Ctrl-C, a crash or a
power cut.

Examples:
  makebook think games.sfen book.db moves 16 depth 32
  makebook think games.sfen book.db startmoves 5 moves 16 depth 32 cluster 1 3
  makebook think bw black.sfen white.sfen book.db depth 20 book_save_interval 300
  makebook think games.sfen book.db nodes 1000000 multipv 5 --hash 256
  makebook think games.sfen book.db time 5000 --engine engines/YaneuraOu --multi 8
  makebook think games.sfen book.db depth 30 --engines settings/engines.json5
  makebook think games.sfen book.db nodes 1000000 --queue nats://farm:4222 --serve
  makebook think games.sfen book.db nodes 1000000 --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the records;
      all with the same YANE_SECRET";

/// `endless_extend_tree BOOK ROOTS THINK …`
#[derive(Args, Debug)]
#[command(after_help = ENDLESS_EXAMPLES)]
pub(crate) struct EndlessArgs {
    /// The book that grows
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// Root positions: a record file, one line of moves or SFEN each
    #[arg(value_name = "ROOTS.txt")]
    pub(crate) roots: PathBuf,
    /// The lines to search, written in every round
    #[arg(value_name = "THINK.txt")]
    pub(crate) list: PathBuf,
    /// Most rounds
    #[arg(long = "loop", id = "loop", value_name = "N", default_value_t = 256)]
    pub(crate) loops: u64,
    /// The last position of a line to search
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub(crate) moves: usize,
    /// Depth to search to, which also decides what the book knows well enough
    #[arg(long, value_name = "D", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) extend: ExtendArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

const ENDLESS_EXAMPLES: &str = "\
extend_tree and think in turn, until no line leads to anything new. A file with the one word startpos
makes a book grow from the initial position; the book need not be there.

Examples:
  makebook endless_extend_tree book.db startpos.txt think.txt depth 8 moves 32 loop 100
  makebook endless_extend_tree book.db roots.txt think.txt nodes 100000 black_eval_limit -50
  makebook endless_extend_tree book.db roots.txt think.txt depth 8 extend_range -1 1
  makebook endless_extend_tree book.db roots.txt think.txt --queue nats://farm:4222 --serve
  makebook endless_extend_tree book.db roots.txt think.txt --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the roots;
      all with the same YANE_SECRET";

/// The flush interval of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlushArg(pub(crate) Flush);

impl FromStr for FlushArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "always" => Flush::Always,
            "never" => Flush::Never,
            seconds => {
                let seconds = seconds
                    .parse()
                    .map_err(|_| "expected `always`, `never`, or a number of seconds".to_owned())?;
                Flush::Every(Duration::from_secs(seconds))
            }
        }))
    }
}

/// Searches the positions of records.
pub(crate) fn think(args: ThinkArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    let (inputs, book) = inputs_and_output("think", args.files, args.bw)?;
    text_books("think", &[&book])?;
    let mut options = Think::new(inputs, book);
    limit(&mut options, &args.limits, settings);
    options.wanted = Wanted {
        first: args.limits.startmoves.max(1),
        last: args.moves,
        variations: args.variations.choice(),
        bad_lines: args.strict.bad_lines(),
    };
    options.depth = args.depth;
    if role == Role::Alone {
        // Tasks of an array that share a queue share all positions.
        options.shard = shard(args.cluster.as_deref(), args.shard)?;
    }
    let job = settings.job()?;
    if !matches!(role, Role::Worker(_)) {
        options.contents = engine_contents(&args.engines, job.threads)?;
    }
    let run = ThinkRun::new(&args.limits, &args.engines, job, settings);
    let access = args.queue.access()?;
    match role {
        Role::Alone => run.alone(options),
        Role::Server(url) => run.serve(options, url, access),
        Role::Worker(url) => run.work(&options, url, access),
    }
}

/// The parts of a run besides its options.
struct ThinkRun<'a> {
    control: RunControl,
    limits: &'a LimitArgs,
    engines: &'a EngineArgs,
    job: Job,
    settings: &'a Settings,
}

impl<'a> ThinkRun<'a> {
    fn new(
        limits: &'a LimitArgs,
        engines: &'a EngineArgs,
        job: Job,
        settings: &'a Settings,
    ) -> Self {
        Self {
            control: RunControl::of_job(&job),
            limits,
            engines,
            job,
            settings,
        }
    }

    /// Says on standard error why there is nothing to search.
    fn say_why_nothing(&self, counts: &ThinkCounts, depth: u32, book: &Path) {
        if self.settings.quiet() {
            return;
        }
        let ThinkCounts {
            share,
            known,
            ended,
            known_without_value,
            ..
        } = counts;
        eprintln!(
            "Nothing to search: of {share} positions the book knows {known} at depth {depth} or more, \
             and {ended} are at the end of the game."
        );
        if *known_without_value > 0 {
            eprintln!(
                "{known_without_value} of these have no value: moves of game records carry depth 32 and were never \
                 searched. `makebook analyze {}` gives them values; so does a depth above 32 here.",
                book.display(),
            );
        }
    }

    fn alone(&self, options: Think) -> anyhow::Result<ExitCode> {
        let (depth, book) = (options.depth, options.book.clone());
        let reading = self.settings.part_of(&self.job);
        let task = Task::prepare(options, &reading).map_err(plain)?;
        drop(reading);
        list_problems(task.problems());
        tell_variations(task.variations_left_out());
        if task.counts().to_do == 0 {
            self.say_why_nothing(task.counts(), depth, &book);
            let summary = task.leave().map_err(plain)?;
            return print_result(&summary, lines(&summary), None, self.settings);
        }
        let pool = match self.engine_pool() {
            Ok(pool) => pool,
            Err(error) => {
                task.leave().map_err(plain)?;
                return Err(error);
            }
        };
        let screen = screen(self.limits, self.settings, &pool, &self.job);
        let result = task.run(&pool, &self.control, &|event: &BookRunEvent<'_>| {
            screen.on_event(event);
        });
        screen.clear();
        let summary = result.map_err(plain)?;
        print_result(&summary, lines(&summary), Some(&screen), self.settings)
    }

    fn endless_alone(&self, options: &Endless) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.limits, self.settings, &pool, &self.job);
        let result = grow(
            options,
            &pool,
            &self.control,
            &self.job,
            &|event: &BookRunEvent<'_>| {
                screen.on_event(event);
            },
        );
        self.end_endless(result, &screen)
    }

    /// Prints how a book grew by itself.
    fn end_endless(
        &self,
        result: bookwork::Result<EndlessSummary>,
        screen: &RunProgress,
    ) -> anyhow::Result<ExitCode> {
        screen.clear();
        let growth = result.map_err(plain)?;
        match growth.reason {
            StopReason::NothingLeft => screen.note("No line leads to anything new."),
            StopReason::Rounds => screen.note("Reached --loop."),
            // Shown at the end.
            _ => {}
        }
        let summary = &growth.summary;
        print_result(summary, lines(summary), Some(screen), self.settings)
    }

    fn engine_pool(&self) -> anyhow::Result<EnginePool> {
        let pool = engine_pool(self.engines, self.job.threads, &[])?;
        let is_limited = self.limits.nodes > 0 || self.limits.time > 0;
        accept_limits(&pool, is_limited)?;
        Ok(pool)
    }
}

/// Grows a book by itself.
pub(crate) fn endless(args: EndlessArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    text_books("endless_extend_tree", &[&args.book])?;
    let mut think = Think::new(Vec::new(), args.book);
    limit(&mut think, &args.limits, settings);
    think.wanted = Wanted {
        first: args.limits.startmoves.max(1),
        last: args.moves,
        ..Wanted::default()
    };
    think.depth = args.depth;
    let job = Job {
        progress: Arc::new(Silent),
        ..settings.job()?
    };
    if !matches!(role, Role::Worker(_)) {
        think.contents = engine_contents(&args.engines, job.threads)?;
    }
    let options = Endless {
        think,
        roots: args.roots,
        list: args.list,
        extend: args.extend.options(),
        rounds: args.loops,
    };
    std::fs::metadata(&options.roots).map_err(yane_io::Error::io(&options.roots))?;
    let run = ThinkRun::new(&args.limits, &args.engines, job, settings);
    let access = args.queue.access()?;
    match role {
        Role::Alone => run.endless_alone(&options),
        Role::Server(url) => run.serve_endless(&options, url, access),
        Role::Worker(url) => run.work_endless(&options, url, access),
    }
}

/// The limits of both commands.
fn limit(options: &mut Think, args: &LimitArgs, settings: &Settings) {
    options.nodes = Some(args.nodes).filter(|&nodes| nodes > 0);
    options.time = Some(Duration::from_millis(args.time)).filter(|time| !time.is_zero());
    options.lines = args.multipv.into();
    if args.reached_depth {
        options.depth_source = DepthSource::Reached;
    }
    options.count = args.count;
    options.keeps_hash = args.sessions.keep_hash;
    options.save_interval = Duration::from_secs(args.book_save_interval);
    options.think_timeout = Duration::from_secs(args.sessions.think_timeout);
    options.flush = args.journal_flush.0;
    options.line_end = settings.line_end_or(LineEnd::CrLf);
}

fn screen(args: &LimitArgs, settings: &Settings, pool: &EnginePool, job: &Job) -> RunProgress {
    let style = Style {
        quiet: settings.quiet(),
        json: settings.json(),
        classic: args.classic_progress,
    };
    RunProgress::new(style, pool, job)
}

/// The shard of this process: by the command line, or else by the cluster's scheduler.
fn shard(cluster: Option<&[u64]>, shard: Option<Shard>) -> anyhow::Result<Shard> {
    if let Some(&[part, parts]) = cluster {
        let shard = part.checked_sub(1).and_then(|part| Shard::new(part, parts));
        let wrong = || UsageError(format!("cluster {part} {parts}: expected X from 1 to Y"));
        return Ok(shard.ok_or_else(wrong)?);
    }
    let shard = match shard {
        Some(shard) => Some(shard),
        None => Shard::from_scheduler(|name| std::env::var(name).ok())
            .map_err(|error| UsageError(error.to_string()))?,
    };
    Ok(shard.unwrap_or(Shard::WHOLE))
}

/// Prints the result of a run, as `lines` or as an event; the exit code.
pub(super) fn print_result(
    summary: &BookSummary,
    lines: impl IntoIterator<Item = String>,
    screen: Option<&RunProgress>,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    EventLog::current().write(&end(summary));
    if settings.json() {
        print::json(&end(summary))?;
    } else {
        if screen.is_some_and(RunProgress::has_marked) {
            print::lines([""])?;
        }
        print::lines(lines)?;
    }
    Ok(if !summary.is_complete {
        if let Some(screen) = screen {
            screen.note(TO_CONTINUE);
        }
        ExitCode::from(INTERRUPTED)
    } else if summary.given_up > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

// `think` and `endless_extend_tree` with many machines.

impl ThinkRun<'_> {
    /// Hands out positions at `url`, and keeps the book.
    fn serve(&self, options: Think, url: &str, access: Access) -> anyhow::Result<ExitCode> {
        let engines = engines(self.engines, self.job.threads)?;
        // A process that hands out positions searches none.
        let screen = screen(
            self.limits,
            self.settings,
            &EnginePool::new(&[], &[], &[])?,
            &self.job,
        );
        let reading = self.settings.part_of(&self.job);
        let task = Task::prepare(options, &reading).map_err(plain)?;
        drop(reading);
        list_problems(task.problems());
        tell_variations(task.variations_left_out());
        let mut queue = task.queue(&engines, url);
        queue.access = access;
        EventLog::current().share(|text| queue.publish(text))?;
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = task.serve(&queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        print_result(&summary, lines(&summary), Some(&screen), self.settings)
    }

    /// Searches positions that are handed out at `url`.
    fn work(&self, options: &Think, url: &str, access: Access) -> anyhow::Result<ExitCode> {
        let engines = engines(self.engines, self.job.threads)?;
        let reading = self.settings.part_of(&self.job);
        let mut queue = queue(options, &engines, url, &reading).map_err(plain)?;
        drop(reading);
        queue.access = access;
        self.work_for(options, &queue)
    }

    fn work_for(&self, options: &Think, queue: &Queue) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.limits, self.settings, &pool, &self.job);
        screen.wait_for_work(pool.workers());
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = work(options, &pool, queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        let lines = work_lines(&summary, FATE);
        print_result(&summary, lines, Some(&screen), self.settings)
    }

    /// Grows a book by the searches of workers at `url`.
    fn serve_endless(
        &self,
        options: &Endless,
        url: &str,
        access: Access,
    ) -> anyhow::Result<ExitCode> {
        let queue = self.endless_queue(options, url, access)?;
        EventLog::current().share(|text| queue.publish(text))?;
        let screen = screen(
            self.limits,
            self.settings,
            &EnginePool::new(&[], &[], &[])?,
            &self.job,
        );
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = endless::serve(options, &queue, &self.control, &self.job, &observer);
        self.end_endless(result, &screen)
    }

    /// Searches for a book that grows elsewhere.
    fn work_endless(
        &self,
        options: &Endless,
        url: &str,
        access: Access,
    ) -> anyhow::Result<ExitCode> {
        let queue = self.endless_queue(options, url, access)?;
        self.work_for(&options.think, &queue)
    }

    fn endless_queue(&self, options: &Endless, url: &str, access: Access) -> anyhow::Result<Queue> {
        let engines = engines(self.engines, self.job.threads)?;
        let mut queue = endless::queue(options, &engines, url).map_err(plain)?;
        queue.access = access;
        Ok(queue)
    }
}
