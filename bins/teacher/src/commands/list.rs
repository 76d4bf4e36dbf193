//! `head` and `sample`.

use std::ops::ControlFlow;
use std::process::ExitCode;

use pack_format::listing::{Game, Item, ListOptions, Pick};
use pack_format::text::jsonl;
use pack_format::{Skipped, TeacherError};
use yane_cli::print::Printer;
use yane_cli::{Settings, UsageError};

use super::work::list_skipped;
use crate::cli::{Files, HeadArgs, HowToList, SampleArgs};

/// The first games or positions.
pub(super) fn head(args: &HeadArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    list(&args.files, &args.how, Pick::First, settings)
}

/// Games or positions picked at random.
pub(super) fn sample(args: &SampleArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let pick = Pick::Random { seed: args.seed };
    list(&args.files, &args.how, pick, settings)
}

fn list(
    files: &Files,
    how: &HowToList,
    pick: Pick,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let (inputs, format) = files.open()?;
    let options = ListOptions {
        format,
        count: how.count,
        pick,
        skip_bad: how.skip_bad,
    };
    let job = settings.printing_job()?;
    let mut printer = Printer::new();
    for input in &inputs {
        if inputs.len() > 1 && !settings.json {
            printer.line(format!("{input}:"))?;
        }
        let mut printed = Ok(());
        let listed = pack_format::listing::list(input, &options, &job, |item| {
            printed = printer.line(text(&item, how.board, settings.json));
            if printed.is_ok() && !printer.is_closed() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        printed?;
        let skipped = usage(listed)?;
        if printer.is_closed() {
            break;
        }
        list_skipped(&skipped);
    }
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn usage(listed: Result<Skipped, TeacherError>) -> anyhow::Result<Skipped> {
    listed.map_err(|error| match error {
        TeacherError::Option(reason) => UsageError(reason).into(),
        error => error.into(),
    })
}

/// An item as text, or as a line of JSON.
fn text(item: &Item, board: bool, json: bool) -> String {
    if !json {
        let text = if board {
            format!("{item:#}")
        } else {
            item.to_string()
        };
        return text.trim_end_matches('\n').to_owned();
    }
    let mut line = Vec::new();
    match item {
        Item::Position { sample, .. } => jsonl::write_sample(&mut line, sample),
        Item::Game {
            number,
            offset,
            game,
        } => match game {
            Game::Pack(game) => jsonl::write_game(&mut line, number - 1, *offset, game),
            Game::Hcpe3(game) => jsonl::write_hcpe3(&mut line, number - 1, *offset, game),
        },
    }
    String::from_utf8_lossy(&line).trim_end().to_owned()
}
