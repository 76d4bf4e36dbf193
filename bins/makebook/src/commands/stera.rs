//! `s_tera`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::stera::{self, SteraOptions, SteraSummary};
use bookwork::{BookEvent, BookSummary};
use farm::queue::Queue;
use farm::{EnginePool, RunControl};
use serde_json::json;
use yane_book::Job;
use yane_book::db::LineEnd;

use super::grow::{code, screen};
use super::{text_books, usual_roots};
use crate::cli::{Role, SteraArgs};
use crate::print;
use crate::settings::Settings;
use crate::thinking::{Screen, engine_pool, engines, plain, work_lines};

/// Grows a book along its best play.
pub(crate) fn stera(args: &SteraArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let role = args.queue.role()?;
    text_books("s_tera", &[&args.write_book])?;
    let options = stera_options(args, settings);
    // Workers do not choose what is searched.
    let records = match role {
        Role::Worker(_) => None,
        Role::Alone | Role::Server(_) => options.records.as_ref(),
    };
    for path in options.roots.iter().chain(records) {
        std::fs::metadata(path).map_err(yane_io::Error::io(path))?;
    }
    let job = settings.job()?;
    let run = Run {
        control: RunControl::with_flag(Arc::clone(&job.cancelled)),
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

/// Everything that a run needs.
struct Run<'a> {
    control: RunControl,
    args: &'a SteraArgs,
    options: SteraOptions,
    job: Job,
    settings: &'a Settings,
}

impl Run<'_> {
    fn alone(&self) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.settings, &pool);
        let reading = self.settings.part_of(&self.job);
        let observer = |event: &BookEvent<'_>| screen.on_event(event);
        let result = stera::run(&self.options, &pool, &self.control, &reading, &observer);
        self.end_grown(result, &screen)
    }

    /// Hands out positions at `url`, and keeps the book.
    fn serve(&self, url: &str) -> anyhow::Result<ExitCode> {
        let queue = self.queue(url)?;
        // A process that hands out positions searches none.
        let screen = screen(self.settings, &EnginePool::new(&[], &[], &[])?);
        let reading = self.settings.part_of(&self.job);
        let ahead = self.args.ahead as usize;
        let observer = |event: &BookEvent<'_>| screen.on_event(event);
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
        screen: &Screen,
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
        let screen = screen(self.settings, &pool);
        screen.wait_for_work(pool.workers());
        let observer = |event: &BookEvent<'_>| screen.on_event(event);
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
        queue.lease = self.args.queue.lease();
        Ok(queue)
    }
}

/// The fate of positions at which engines failed again and again.
const FATE: &str = "given up";

fn end(summary: &BookSummary, screen: &Screen) -> ExitCode {
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
        forget: !args.keep_hash,
        line_end: settings.line_end_or(LineEnd::CrLf),
        bad_lines: settings.bad_lines(),
        ..SteraOptions::default()
    };
    options.policy.think_timeout = Duration::from_secs(args.think_timeout.max(1));
    options
}

/// The searches of a run, as an event.
fn result_json(summary: &BookSummary) -> serde_json::Value {
    json!({
        "event": "end",
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
    if settings.json() {
        let mut event = result_json(summary);
        event["positions"] = grown.positions.into();
        event["finished"] = grown.finished.into();
        event["saves"] = summary.saves.into();
        event["book"] = book.display().to_string().into();
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
