//! `s_tera`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::stera::{self, Grown, SteraOptions};
use bookwork::think::{Queue, Summary};
use farm::{Control, Players};
use serde_json::json;
use yane_book::Job;
use yane_book::db::LineEnd;

use super::grow::{code, screen};
use super::{text_books, usual_roots};
use crate::cli::{Role, SteraArgs};
use crate::print;
use crate::settings::Settings;
use crate::thinking::{Screen, engines, plain, players, work_lines};

/// Lets a book grow along its best play.
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
        control: Control::with_switch(Arc::clone(&job.cancelled)),
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

/// What a run needs.
struct Run<'a> {
    control: Control,
    args: &'a SteraArgs,
    options: SteraOptions,
    job: Job,
    settings: &'a Settings,
}

impl Run<'_> {
    fn alone(&self) -> anyhow::Result<ExitCode> {
        let players = self.players()?;
        let screen = screen(self.settings, &players);
        let reading = self.settings.part_of(&self.job);
        let result = stera::run(&self.options, &players, &self.control, &reading, &screen);
        self.end_grown(result, &screen)
    }

    /// Hands out positions at `url`, and keeps the book.
    fn serve(&self, url: &str) -> anyhow::Result<ExitCode> {
        let queue = self.queue(url)?;
        // Who hands out positions searches none.
        let screen = screen(self.settings, &Players::new(&[], &[], &[])?);
        let reading = self.settings.part_of(&self.job);
        let ahead = self.args.ahead as usize;
        let result = stera::serve(
            &self.options,
            &queue,
            ahead,
            &self.control,
            &reading,
            &screen,
        );
        self.end_grown(result, &screen)
    }

    /// Tells how the book grew.
    fn end_grown(
        &self,
        result: bookwork::Result<Grown>,
        screen: &Screen,
    ) -> anyhow::Result<ExitCode> {
        screen.clear();
        let grown = result.map_err(plain)?;
        tell_grown(&grown, &self.options.write_book, self.settings)?;
        Ok(end(&grown.summary, screen))
    }

    /// Searches what is handed out at `url`.
    fn work(&self, url: &str) -> anyhow::Result<ExitCode> {
        let queue = self.queue(url)?;
        let players = self.players()?;
        let screen = screen(self.settings, &players);
        screen.wait_for_work(players.seats());
        let result = stera::work(&self.options, &players, &queue, &self.control, &screen);
        screen.clear();
        let summary = result.map_err(plain)?;
        if self.settings.json() {
            print::json(&told(&summary))?;
        } else {
            print::lines(work_lines(&summary, FATE))?;
        }
        Ok(end(&summary, &screen))
    }

    fn players(&self) -> anyhow::Result<Players> {
        // Lines of all moves are wanted.
        let own = [("GenerateAllLegalMoves", "true")];
        players(&self.args.engines, self.job.threads, &own)
    }

    fn queue(&self, url: &str) -> anyhow::Result<Queue> {
        let engines = engines(&self.args.engines, self.job.threads)?;
        let mut queue = stera::queue(&self.options, &engines, url).map_err(plain)?;
        queue.lease = self.args.queue.lease();
        Ok(queue)
    }
}

/// What becomes of positions at which engines failed again and again.
const FATE: &str = "given up";

fn end(summary: &Summary, screen: &Screen) -> ExitCode {
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
    options.rules.think_timeout = Duration::from_secs(args.think_timeout.max(1));
    options
}

/// What was searched, as an event.
fn told(summary: &Summary) -> serde_json::Value {
    json!({
        "event": "end",
        "complete": summary.is_complete,
        "thought": summary.thought,
        "moves": summary.moves,
        "nodes": summary.nodes,
        "failures": summary.failures,
        "given_up": summary.given_up,
        "seconds": summary.elapsed.as_secs_f64(),
    })
}

fn tell_grown(grown: &Grown, book: &Path, settings: &Settings) -> anyhow::Result<()> {
    let summary = &grown.summary;
    if settings.json() {
        let mut told = told(summary);
        told["positions"] = grown.positions.into();
        told["finished"] = grown.finished.into();
        told["saves"] = summary.saves.into();
        told["book"] = book.display().to_string().into();
        print::json(&told)?;
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
