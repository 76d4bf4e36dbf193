//! `mine`, and what `s_tera` has in common with it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bookwork::mine::{End, Mine, Mined, mine};
use bookwork::think::{DepthTold, Think};
use farm::{Control, Players};
use yane_book::db::LineEnd;
use yane_book::peta_next::PetaNext;
use yane_book::{Job, Silent};
use yane_cli::INTERRUPTED;

use super::text_books;
use crate::cli::MineArgs;
use crate::print;
use crate::settings::Settings;
use crate::thinking::{Screen, Style, end, lines, plain, players};

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
    let players = players(&args.engines, job.threads, &[])?;
    let screen = screen(settings, &players);
    screen.whole_job(args.positions, 0);
    let control = Control::with_switch(Arc::clone(&job.cancelled));
    let result = mine(&options, &players, &control, &job, &screen);
    screen.clear();
    let mined = result.map_err(plain)?;
    let end = match mined.end {
        End::Positions => format!(
            "Reached --positions {}.",
            args.positions.unwrap_or_default()
        ),
        End::Time => format!("Reached --hours {}.", args.hours.unwrap_or_default()),
        End::NothingLeft => "No best line leaves the book.".to_owned(),
        End::Failing => "Engines fail at every position.".to_owned(),
        // Told at the end.
        End::Interrupted => String::new(),
    };
    if !end.is_empty() {
        screen.say(&end);
    }
    tell_mined(&mined, &options, settings)?;
    let failed = mined.summary.given_up + u64::from(mined.end == End::Failing);
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

fn tell_mined(mined: &Mined, options: &Mine, settings: &Settings) -> anyhow::Result<()> {
    if settings.json() {
        let mut told = end(&mined.summary);
        told["rounds"] = mined.rounds.into();
        told["thought_in_all"] = mined.thought.into();
        told["peta"] = options.peta.display().to_string().into();
        print::json(&told)?;
        return Ok(());
    }
    let mut told = vec![
        format!("rounds    = {}", mined.rounds),
        format!("in all    = {} positions", mined.thought),
    ];
    // The counts of the last round say nothing about the run.
    told.extend(lines(&mined.summary).into_iter().skip(2));
    told.push(format!("book      = {}", options.think.book.display()));
    told.push(format!("peta      = {}", options.peta.display()));
    print::lines(told)?;
    Ok(())
}

pub(super) fn screen(settings: &Settings, players: &Players) -> Screen {
    let style = Style {
        quiet: settings.quiet(),
        json: settings.json(),
        classic: false,
    };
    Screen::new(style, players)
}

/// What is said when a run was interrupted.
pub(super) const TO_CONTINUE: &str = "Interrupted. Run the same command to continue.";

pub(super) fn code(is_complete: bool, failed: u64, screen: &Screen) -> ExitCode {
    if !is_complete {
        screen.say(TO_CONTINUE);
        ExitCode::from(INTERRUPTED)
    } else if failed > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
