//! `mine`, and what `s_tera` has in common with it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::mine::{Mine, MineSummary, mine};
use bookwork::think::{DepthTold, Think};
use bookwork::{BookEvent, StopReason};
use farm::{EnginePool, RunControl};
use yane_book::db::LineEnd;
use yane_book::peta_next::PetaNext;
use yane_book::{Job, Silent};
use yane_cli::INTERRUPTED;

use super::text_books;
use crate::cli::MineArgs;
use crate::print;
use crate::settings::Settings;
use crate::thinking::{Screen, Style, end, engine_pool, lines, plain};

/// Mines a book.
pub(crate) fn mining(args: &MineArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let options = mine_options(args, settings);
    text_books("mine", &[&options.think.book, &options.peta])?;
    if let Some(path) = &options.roots {
        std::fs::metadata(path).map_err(yane_io::Error::io(path))?;
    }
    let job = Job {
        progress: Arc::new(Silent),
        ..settings.job()?
    };
    let pool = engine_pool(&args.engines, job.threads, &[])?;
    let screen = screen(settings, &pool);
    screen.whole_job(args.positions);
    let control = RunControl::with_flag(Arc::clone(&job.cancelled));
    let observer = |event: &BookEvent<'_>| screen.on_event(event);
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
        depth_told: DepthTold::Reached,
        keeps_hash: args.keep_hash,
        save_interval: Duration::from_secs(args.book_save_interval),
        think_timeout: Duration::from_secs(args.think_timeout.max(1)),
        line_end: settings.line_end_or(LineEnd::CrLf),
        ..Think::new(Vec::new(), &args.book)
    };
    Mine {
        think,
        peta: args.peta.clone().unwrap_or_else(|| peta_of(&args.book)),
        roots: args.roots.clone(),
        next: PetaNext {
            eval_diff: args.eval_diff,
            max_ply: args.max_ply,
            side: args.side.map(Into::into),
            ..PetaNext::default()
        },
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
    if settings.json() {
        let mut event = end(&mined.summary);
        event["rounds"] = mined.rounds.into();
        event["thought_in_all"] = mined.searched.into();
        event["peta"] = options.peta.display().to_string().into();
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

pub(super) fn screen(settings: &Settings, pool: &EnginePool) -> Screen {
    let style = Style {
        quiet: settings.quiet(),
        json: settings.json(),
        classic: false,
    };
    Screen::new(style, pool)
}

/// The note after an interruption.
pub(super) const TO_CONTINUE: &str = "Interrupted. Run the same command to continue.";

pub(super) fn code(is_complete: bool, failed: u64, screen: &Screen) -> ExitCode {
    if !is_complete {
        screen.note(TO_CONTINUE);
        ExitCode::from(INTERRUPTED)
    } else if failed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
