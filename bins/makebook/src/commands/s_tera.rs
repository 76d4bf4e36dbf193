//! `s_tera`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bookwork::stera::{SteraOptions, SteraSummary};
use bookwork::{BookRunEvent, BookSummary, stera};
use clap::Args;
use farm::RunControl;
use farm::queue::Queue;
use serde_json::json;
use shogi_farm::EnginePool;
use yane_book::Job;
use yane_book::db::LineEnd;

use super::mine::{code, screen};
use super::{text_books, usual_roots};
use crate::args::{EngineArgs, QueueArgs, Role, SessionArgs, Settings};
use crate::print;
use crate::thinking::{RunProgress, engine_contents, engine_pool, engines, plain, work_lines};
use yane_cli::EventLog;

/// `s_tera name value …`
#[derive(Args, Debug)]
#[command(after_help = STERA_EXAMPLES)]
pub(crate) struct SteraArgs {
    /// The book to start with, .db or .ybb; need not be there
    #[arg(long, value_name = "FILE", default_value = "book/read_book.db")]
    pub(crate) read_book: PathBuf,
    /// The book that is written; if it is there already, it grows
    #[arg(long, value_name = "FILE", default_value = "book/write_book.db")]
    pub(crate) write_book: PathBuf,
    /// Starts of lines: a record file [default: `book/root_sfens.txt` if that is there, else the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) root_sfens_name: Option<PathBuf>,
    /// Game records for --search-delta-on-kif [default: `book/kif_sfens.txt` if that is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) kif_sfens_name: Option<PathBuf>,
    /// Nodes of the search of one position
    #[arg(long, value_name = "N", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes_limit: u64,
    /// Positions to search; then the command ends
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) think_limit: u64,
    /// Write the book after so many more positions [default: 1800 at 30,000 nodes, more at fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) book_save_interval: Option<u64>,
    /// Search leaves whose value differs by so much from that of the best play, too; 0: do not
    #[arg(long, value_name = "EVAL", default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) search_delta: i32,
    /// The same for leaves that occur in the game records [default: 100 with records]
    #[arg(long, value_name = "EVAL", value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) search_delta_on_kif: Option<i32>,
    /// Virtual loss: how much less a leaf counts while an engine searches it
    #[arg(long, value_name = "EVAL", default_value_t = 50, value_parser = clap::value_parser!(i32).range(0..=30_000))]
    pub(crate) virtual_loss: i32,
    /// Keep the book of every save, too: OUT.db.000001, OUT.db.000002, …
    #[arg(long)]
    pub(crate) numbered_saves: bool,
    #[command(flatten)]
    pub(crate) sessions: SessionArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Positions that are handed out over the queue at a time: about as many as all machines search at once. More
    /// than that stray from the best play, fewer leave machines idle
    #[arg(long, value_name = "N", requires = "queue", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=8192), help_heading = "Many machines")]
    pub(crate) ahead: u32,
}

const STERA_EXAMPLES: &str = "\
Searches the position where best play leaves the book, gives all its moves their values, and so on
from the best play that follows. Every position is safe at once: after an interruption, or a crash, the
same command resumes. s_tera and stera are the same.

Examples:
  makebook s_tera write_book book/mine.db root_sfens_name roots.txt think_limit 1000
  makebook s_tera nodes_limit 100000 search_delta 30 root_sfens_name roots.txt --threads 16
  makebook stera --root-sfens-name roots.txt --engine engines/YaneuraOu --multi 4 --hash 64
  makebook s_tera root_sfens_name roots.txt kif_sfens_name games.sfen search_delta_on_kif 100
  makebook s_tera root_sfens_name roots.txt --queue nats://farm:4222 --serve --ahead 64
  makebook s_tera root_sfens_name roots.txt --queue nats://farm:4222 --work
      with many machines: one serves and has the book, all others work and have the roots;
      all with the same YANE_SECRET
Then:
  makebook stera_convert read_book book/write_book.db root_sfens_name roots.txt";

/// Grows a book along its best play.
pub(crate) fn stera(args: &SteraArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    text_books("s_tera", &[&args.write_book])?;
    let mut options = stera_options(args, settings);
    // Workers do not choose what is searched.
    let records = match role {
        Role::Worker(_) => None,
        Role::Alone | Role::Server(_) => options.records.as_ref(),
    };
    for path in options.roots.iter().chain(records) {
        std::fs::metadata(path).map_err(yane_io::Error::io(path))?;
    }
    let job = settings.job()?;
    if !matches!(role, Role::Worker(_)) {
        options.contents = engine_contents(&args.engines, job.threads)?;
    }
    let run = SteraRun {
        control: RunControl::of_job(&job),
        args,
        options,
        job,
        settings,
    };
    match role {
        Role::Alone => run.alone(),
        Role::Server(url) => run.serve(url),
        Role::Worker(url) => run.work(url),
    }
}

/// The parts of a run.
struct SteraRun<'a> {
    control: RunControl,
    args: &'a SteraArgs,
    options: SteraOptions,
    job: Job,
    settings: &'a Settings,
}

impl SteraRun<'_> {
    fn alone(&self) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.settings, &pool, &self.job);
        let reading = self.settings.part_of(&self.job);
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = stera::run(&self.options, &pool, &self.control, &reading, &observer);
        self.end_grown(result, &screen)
    }

    /// Hands out positions at `url`, and keeps the book.
    fn serve(&self, url: &str) -> anyhow::Result<ExitCode> {
        let queue = self.queue(url)?;
        EventLog::current().share(|text| queue.publish(text))?;
        // A process that hands out positions searches none.
        let screen = screen(self.settings, &EnginePool::new(&[], &[], &[])?, &self.job);
        let reading = self.settings.part_of(&self.job);
        let ahead = self.args.ahead as usize;
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = stera::serve(
            &self.options,
            &queue,
            ahead,
            &self.control,
            &reading,
            &observer,
        );
        self.end_grown(result, &screen)
    }

    /// Prints how the book grew.
    fn end_grown(
        &self,
        result: bookwork::Result<SteraSummary>,
        screen: &RunProgress,
    ) -> anyhow::Result<ExitCode> {
        screen.clear();
        let grown = result.map_err(plain)?;
        print_grown(&grown, &self.options.write_book, self.settings)?;
        Ok(end(&grown.summary, screen))
    }

    /// Searches positions that are handed out at `url`.
    fn work(&self, url: &str) -> anyhow::Result<ExitCode> {
        let queue = self.queue(url)?;
        let pool = self.engine_pool()?;
        let screen = screen(self.settings, &pool, &self.job);
        screen.wait_for_work(pool.workers());
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = stera::work(&self.options, &pool, &queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        if self.settings.json() {
            print::json(&result_json(&summary))?;
        } else {
            print::lines(work_lines(&summary, FATE))?;
        }
        Ok(end(&summary, &screen))
    }

    fn engine_pool(&self) -> anyhow::Result<EnginePool> {
        // Lines of all moves are wanted.
        let presets = [("GenerateAllLegalMoves", "true")];
        engine_pool(&self.args.engines, self.job.threads, &presets)
    }

    fn queue(&self, url: &str) -> anyhow::Result<Queue> {
        let engines = engines(&self.args.engines, self.job.threads)?;
        let mut queue = stera::queue(&self.options, &engines, url).map_err(plain)?;
        queue.access = self.args.queue.access()?;
        Ok(queue)
    }
}

/// The fate of positions at which engines failed again and again.
const FATE: &str = "given up";

fn end(summary: &BookSummary, screen: &RunProgress) -> ExitCode {
    code(summary.is_complete, summary.given_up, screen)
}

fn stera_options(args: &SteraArgs, settings: &Settings) -> SteraOptions {
    let usual_records = PathBuf::from("book/kif_sfens.txt");
    let records = args.kif_sfens_name.clone();
    let records = records.or_else(|| usual_records.is_file().then_some(usual_records));
    let usual_delta = if records.is_some() { 100 } else { 0 };
    let usual_interval = (30_000 * 1800 / args.nodes_limit).max(1);
    let mut options = SteraOptions {
        read_book: args.read_book.clone(),
        write_book: args.write_book.clone(),
        roots: usual_roots(args.root_sfens_name.as_ref()),
        nodes_limit: args.nodes_limit,
        think_limit: args.think_limit,
        save_interval: args.book_save_interval.unwrap_or(usual_interval),
        search_delta: args.search_delta,
        search_delta_on_kif: args.search_delta_on_kif.unwrap_or(usual_delta),
        records,
        virtual_loss: args.virtual_loss,
        numbered_saves: args.numbered_saves,
        forget: !args.sessions.keep_hash,
        line_end: settings.line_end_or(LineEnd::CrLf),
        bad_lines: settings.bad_lines(),
        ..SteraOptions::default()
    };
    options.policy.time_limit = Duration::from_secs(args.sessions.think_timeout.max(1));
    options
}

/// The searches of a run, as an event.
fn result_json(summary: &BookSummary) -> serde_json::Value {
    json!({
        "event": "end",
        "state": if summary.is_complete { "done" } else { "stopped" },
        "complete": summary.is_complete,
        "thought": summary.finished,
        "moves": summary.totals.moves,
        "nodes": summary.totals.nodes,
        "failures": summary.failures,
        "given_up": summary.given_up,
        "seconds": summary.elapsed.as_secs_f64(),
    })
}

fn print_grown(grown: &SteraSummary, book: &Path, settings: &Settings) -> anyhow::Result<()> {
    let summary = &grown.summary;
    let mut event = result_json(summary);
    event["positions"] = grown.positions.into();
    event["finished"] = grown.finished.into();
    event["saves"] = summary.saves.into();
    event["book"] = book.display().to_string().into();
    EventLog::current().write(&event);
    if settings.json() {
        print::json(&event)?;
        return Ok(());
    }
    let mut lines = vec![format!("positions = {}", grown.positions)];
    lines.extend(work_lines(summary, FATE));
    if grown.positions > 0 {
        lines.push(format!("book      = {}", book.display()));
    }
    print::lines(lines)?;
    Ok(())
}
