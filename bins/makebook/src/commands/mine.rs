//! `mine`, and the parts that it shares with `s_tera`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::mine::{Mine, MineSummary, mine};
use bookwork::think::{DepthSource, Think};
use bookwork::{BookRunEvent, StopReason};
use clap::Args;
use farm::RunControl;
use shogi_farm::EnginePool;
use yane_book::db::LineEnd;
use yane_book::{Job, Silent};
use yane_cli::{EventLog, INTERRUPTED};

use super::text_books;
use crate::args::{EngineArgs, FollowArgs, SessionArgs, Settings};
use crate::print;
use crate::thinking::{RunProgress, Style, accept_limits, end, engine_pool, lines, plain};

/// `mine BOOK …`
#[derive(Args, Debug)]
#[command(after_help = MINE_EXAMPLES)]
pub(crate) struct MineArgs {
    /// The book that grows; need not be there
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The book after peta shock, written in every round [default: BOOK-peta.db]
    #[arg(long, value_name = "PETA.db")]
    pub(crate) peta: Option<PathBuf>,
    /// Root positions: a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Option<PathBuf>,
    /// End after so many positions [default: no limit]
    #[arg(long, value_name = "N")]
    pub(crate) positions: Option<u64>,
    /// End after so many hours, such as 8 or 0.5 [default: no limit]
    #[arg(long, value_name = "H", value_parser = hours)]
    pub(crate) hours: Option<f64>,
    /// Search so many positions in a round, before the best lines are followed again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch: u32,
    #[command(flatten)]
    pub(crate) follow: FollowArgs,
    /// Nodes of each search; 0: no limit [default: 1000000, without depth and time]
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Time of each search in milliseconds; 0: no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) time: u64,
    /// Depth to search to [default: no limit]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=9999))]
    pub(crate) depth: Option<u32>,
    /// Moves to find in each position (`MultiPV`)
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) multipv: u16,
    /// Seconds between updates of the book
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    pub(crate) book_save_interval: u64,
    #[command(flatten)]
    pub(crate) sessions: SessionArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
}

/// A number of hours.
fn hours(text: &str) -> Result<f64, String> {
    let hours: Option<f64> = text.parse().ok();
    hours
        .filter(|hours| (0.0..=1e6).contains(hours))
        .ok_or_else(|| "expected a number of hours such as 8 or 0.5".to_owned())
}

const MINE_EXAMPLES: &str = "\
peta_shock, peta_next and think in turn: the book is valued, the ends of its best lines are listed, and
searched, until a budget is used up. The same command resumes after Ctrl-C or a crash, with what is
left of the budget. At the end PETA.db is there to play from.

Examples:
  makebook mine book.db --roots roots.txt --positions 10000
  makebook mine book.db --roots roots.txt --hours 48 --nodes 5000000 --eval-diff 30
  makebook mine black.db --side b --roots roots.txt --hours 8 --engine engines/YaneuraOu --multi 8";

/// Mines a book.
pub(crate) fn mining(args: &MineArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut options = mine_options(args, settings);
    text_books("mine", &[&options.think.book, &options.peta])?;
    if let Some(path) = &options.roots {
        std::fs::metadata(path).map_err(yane_io::Error::io(path))?;
    }
    let job = Job {
        progress: Arc::new(Silent),
        ..settings.job()?
    };
    let pool = engine_pool(&args.engines, job.threads, &[])?;
    options.think.contents = pool.contents()?;
    accept_limits(
        &pool,
        options.think.nodes.is_some() || options.think.time.is_some(),
    )?;
    let screen = screen(settings, &pool, &job);
    screen.whole_job(args.positions);
    let control = RunControl::of_job(&job);
    let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
    let result = mine(&options, &pool, &control, &job, &observer);
    screen.clear();
    let mined = result.map_err(plain)?;
    let end = match mined.reason {
        StopReason::Positions => format!(
            "Reached --positions {}.",
            args.positions.unwrap_or_default()
        ),
        StopReason::Time => format!("Reached --hours {}.", args.hours.unwrap_or_default()),
        StopReason::NothingLeft => "No best line leaves the book.".to_owned(),
        StopReason::Failing => "Engines fail at every position.".to_owned(),
        // Shown at the end.
        _ => String::new(),
    };
    if !end.is_empty() {
        screen.note(&end);
    }
    print_mined(&mined, &options, settings)?;
    let failed = mined.summary.given_up + u64::from(mined.reason == StopReason::Failing);
    Ok(code(mined.summary.is_complete, failed, &screen))
}

fn mine_options(args: &MineArgs, settings: &Settings) -> Mine {
    let limited = args.time > 0 || args.depth.is_some();
    let nodes = args.nodes.unwrap_or(if limited { 0 } else { 1_000_000 });
    let think = Think {
        depth: args.depth.unwrap_or(9999),
        nodes: Some(nodes).filter(|&nodes| nodes > 0),
        time: Some(Duration::from_millis(args.time)).filter(|time| !time.is_zero()),
        lines: args.multipv.into(),
        // Positions of the book are known whatever their depth.
        depth_source: DepthSource::Reached,
        keeps_hash: args.sessions.keep_hash,
        save_interval: Duration::from_secs(args.book_save_interval),
        think_timeout: Duration::from_secs(args.sessions.think_timeout.max(1)),
        line_end: settings.line_end_or(LineEnd::CrLf),
        ..Think::new(Vec::new(), &args.book)
    };
    Mine {
        think,
        peta: args.peta.clone().unwrap_or_else(|| peta_of(&args.book)),
        roots: args.roots.clone(),
        next: args.follow.options(),
        batch: args.batch as usize,
        positions: args.positions,
        time: args
            .hours
            .map(|hours| Duration::from_secs_f64(hours * 3600.0)),
    }
}

/// `book.db` becomes `book-peta.db`.
fn peta_of(book: &Path) -> PathBuf {
    let mut name = book.file_stem().unwrap_or_default().to_owned();
    name.push("-peta.db");
    book.with_file_name(name)
}

fn print_mined(mined: &MineSummary, options: &Mine, settings: &Settings) -> anyhow::Result<()> {
    let mut event = end(&mined.summary);
    event["rounds"] = mined.rounds.into();
    event["thought_in_all"] = mined.searched.into();
    event["peta"] = options.peta.display().to_string().into();
    EventLog::current().write(&event);
    if settings.json() {
        print::json(&event)?;
        return Ok(());
    }
    let mut text = vec![
        format!("rounds    = {}", mined.rounds),
        format!("in all    = {} positions", mined.searched),
    ];
    // The counts of the last round are not those of the run.
    text.extend(lines(&mined.summary).into_iter().skip(2));
    text.push(format!("book      = {}", options.think.book.display()));
    text.push(format!("peta      = {}", options.peta.display()));
    print::lines(text)?;
    Ok(())
}

pub(super) fn screen(settings: &Settings, pool: &EnginePool, job: &Job) -> RunProgress {
    let style = Style {
        quiet: settings.quiet(),
        json: settings.json(),
        classic: false,
    };
    RunProgress::new(style, pool, job)
}

/// The note after an interruption.
pub(super) const TO_CONTINUE: &str = "Interrupted. Run the same command to continue.";

pub(super) fn code(is_complete: bool, failed: u64, screen: &RunProgress) -> ExitCode {
    if !is_complete {
        screen.note(TO_CONTINUE);
        ExitCode::from(INTERRUPTED)
    } else if failed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
