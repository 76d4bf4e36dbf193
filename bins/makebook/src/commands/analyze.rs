//! `analyze`, alone and with many machines.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bookwork::analyze::{AnalyzeScope, AnalyzeTask, BookAnalysis, OtherMoves, queue, work};
use bookwork::think::{DepthSource, Think};
use bookwork::{BookRunEvent, BookSummary};
use clap::Args;
use farm::RunControl;
use shogi_farm::{Engine, EnginePool, contents_of};
use yane_book::Job;
use yane_book::db::LineEnd;
use yane_cli::{EventLog, Output, OutputOption, Range, evaluation_folders};

use super::think::{FlushArg, print_result};
use super::{list_skipped, text_books};
use crate::args::{EngineArgs, QueueArgs, Role, SessionArgs, Settings, Side};
use crate::thinking::{
    FATE, RunProgress, Style, accept_limits, engine_pool, engines, lines, plain, work_lines,
};

/// `analyze BOOK`
#[derive(Args, Debug)]
#[command(after_help = ANALYZE_EXAMPLES)]
pub(crate) struct AnalyzeArgs {
    /// The book, .db or .ybb; it is updated unless -o names another
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Search the moves of the book only, and add none
    #[arg(long)]
    pub(crate) keep_moves: bool,
    /// Best moves to look for in each position (`MultiPV`); those that the book lacks are added
    #[arg(long, value_name = "N", default_value_t = 3, alias = "MultiPV", conflicts_with = "keep_moves",
          value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) multipv: u16,
    /// Depth to search to, which also decides what is known well enough
    #[arg(long, value_name = "D", default_value_t = 24,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: u32,
    /// Nodes of each search; 0: no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) nodes: u64,
    /// Time of each search in milliseconds; 0: no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) time: u64,
    /// Only positions with these plies
    #[arg(long, value_name = "A..B")]
    pub(crate) ply: Option<Range<u32>>,
    /// Only positions with this side to move
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
    /// Search also positions whose moves have values as deep as --depth
    #[arg(long)]
    pub(crate) again: bool,
    /// Write the depth that was reached instead of --depth; positions whose moves have values are known then
    #[arg(long)]
    pub(crate) reached_depth: bool,
    /// The count of moves that are added
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) count: u64,
    /// When to flush the journal to the disk: `always`, `never`, or every so many seconds
    #[arg(long, value_name = "WHEN", default_value = "10")]
    pub(crate) journal_flush: FlushArg,
    #[command(flatten)]
    pub(crate) sessions: SessionArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
}

const ANALYZE_EXAMPLES: &str = "\
Moves that come from game records have no value until they are searched. Every position of the book is
searched: the moves that the book has get value and depth, and keep their counts; the best other moves
are added behind them. The same command resumes after Ctrl-C, a crash or a power cut.

Examples:
  makebook analyze own.db nodes 1000000
  makebook analyze own.db --keep-moves --time 2000 --hash 256
  makebook analyze own.db -o valued.db depth 20 multipv 5 --engine engines/YaneuraOu --multi 8
  makebook analyze own.db --ply 1..40 --side b --nodes 500000
  makebook analyze own.db nodes 1000000 --queue nats://farm:4222 --serve
  makebook analyze own.db nodes 1000000 --queue nats://farm:4222 --work
      with many machines: one serves and writes the book, all others work and have a copy of it;
      all with the same YANE_SECRET";

/// Searches the positions of a book.
pub(crate) fn analyze(args: &AnalyzeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    let in_place = (!args.output_option.is_given()).then(|| Output::classic(&args.book));
    let output = args.output_option.or(in_place)?;
    text_books("analyze", &[&output.path])?;
    let job = settings.job()?;
    let run = AnalyzeRun {
        control: RunControl::of_job(&job),
        engines: engines(&args.engines, job.threads)?,
        options: options(args, &output, settings),
        args,
        job,
        settings,
    };
    match role {
        Role::Alone => run.alone(),
        Role::Server(url) => run.serve(url),
        Role::Worker(url) => run.work(url),
    }
}

fn options(args: &AnalyzeArgs, output: &Output, settings: &Settings) -> BookAnalysis {
    BookAnalysis {
        think: Think {
            depth: args.depth,
            nodes: Some(args.nodes).filter(|&nodes| nodes > 0),
            time: Some(Duration::from_millis(args.time)).filter(|time| !time.is_zero()),
            lines: args.multipv.into(),
            depth_source: if args.reached_depth {
                DepthSource::Reached
            } else {
                DepthSource::Asked
            },
            keeps_hash: args.sessions.keep_hash,
            think_timeout: Duration::from_secs(args.sessions.think_timeout),
            flush: args.journal_flush.0,
            line_end: settings.line_end_or(LineEnd::CrLf),
            ..Think::new(Vec::new(), &output.path)
        },
        others: if args.keep_moves {
            OtherMoves::Ignore
        } else {
            OtherMoves::Add
        },
        count_of_new: args.count,
        scope: if args.again {
            AnalyzeScope::All
        } else {
            AnalyzeScope::Unknown
        },
        plies: args.ply.clone().map(|range| range.0),
        side: args.side.map(Into::into),
        overwrite: settings.overwrite_by(output),
        bad_lines: settings.bad_lines(),
        ..BookAnalysis::new(&args.book)
    }
}

/// The parts of a run.
struct AnalyzeRun<'a> {
    control: RunControl,
    engines: Vec<Engine>,
    options: BookAnalysis,
    args: &'a AnalyzeArgs,
    job: Job,
    settings: &'a Settings,
}

impl AnalyzeRun<'_> {
    fn alone(self) -> anyhow::Result<ExitCode> {
        let task = self.prepare()?;
        if task.counts().to_do == 0 {
            let screen = self.screen(&EnginePool::new(&[], &[], &[])?);
            let summary = task.leave(&|_: &BookRunEvent<'_>| {}).map_err(plain)?;
            return self.print(&summary, &screen);
        }
        let pool = match self.pool() {
            Ok(pool) => pool,
            Err(error) => {
                task.leave(&|_: &BookRunEvent<'_>| {}).map_err(plain)?;
                return Err(error);
            }
        };
        let screen = self.screen(&pool);
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = task.run(&pool, &self.control, &observer);
        screen.clear();
        self.print(&result.map_err(plain)?, &screen)
    }

    /// Hands out positions at `url`, and writes the book.
    fn serve(self, url: &str) -> anyhow::Result<ExitCode> {
        let task = self.prepare()?;
        // A process that hands out positions searches none.
        let screen = self.screen(&EnginePool::new(&[], &[], &[])?);
        let mut queue = task.queue(&self.engines, url);
        queue.access = self.args.queue.access()?;
        EventLog::current().share(|text| queue.publish(text))?;
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = task.serve(&queue, &self.control, &observer);
        screen.clear();
        self.print(&result.map_err(plain)?, &screen)
    }

    /// Searches positions that are handed out at `url`.
    fn work(self, url: &str) -> anyhow::Result<ExitCode> {
        let reading = self.settings.part_of(&self.job);
        let mut queue = queue(&self.options, &self.engines, url, &reading).map_err(plain)?;
        drop(reading);
        queue.access = self.args.queue.access()?;
        let pool = self.pool()?;
        let screen = self.screen(&pool);
        screen.wait_for_work(pool.workers());
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = work(&self.options, &pool, &queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        let lines = work_lines(&summary, FATE);
        print_result(&summary, lines, Some(&screen), self.settings)
    }

    fn prepare(&self) -> anyhow::Result<AnalyzeTask> {
        let reading = self.settings.part_of(&self.job);
        let mut options = self.options.clone();
        options.think.contents = contents_of(&self.engines, &evaluation_folders())?;
        let task = AnalyzeTask::prepare(options, &self.engines, &reading);
        drop(reading);
        let task = task.map_err(plain)?;
        list_skipped(task.skipped());
        Ok(task)
    }

    fn pool(&self) -> anyhow::Result<EnginePool> {
        let pool = engine_pool(&self.args.engines, self.job.threads, &[])?;
        accept_limits(&pool, self.args.nodes > 0 || self.args.time > 0)?;
        Ok(pool)
    }

    fn screen(&self, pool: &EnginePool) -> RunProgress {
        let style = Style {
            quiet: self.settings.quiet(),
            json: self.settings.json(),
            classic: false,
        };
        RunProgress::new(style, pool, &self.job)
    }

    fn print(&self, summary: &BookSummary, screen: &RunProgress) -> anyhow::Result<ExitCode> {
        print_result(summary, lines(summary), Some(screen), self.settings)
    }
}
