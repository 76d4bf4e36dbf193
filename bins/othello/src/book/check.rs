//! `book check`.

use std::process::ExitCode;

use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::BookInput;
use othello_book::ops::{self, BookProblem};
use othello_book::store::OnDamage;
use othello_book::{BookFormat, egaroucid};
use serde_json::json;
use yane_cli::print::Printer;
use yane_cli::{FINDINGS, Settings};

use super::open_book;
use crate::args::{Check, ReadArgs};
use crate::print::print_findings;

/// The counts of contents and problems, and whether there are no problems.
type IndexHit = (Vec<(&'static str, u64)>, bool);

pub(super) fn check(args: &Check, settings: &Settings) -> anyhow::Result<ExitCode> {
    let input = BookInput::open(&args.book)?;
    let damaged_in_side_car = input.damaged_in_side_car(&settings.job()?)?;
    let mut out = Printer::new();
    let mut printed = Ok(());
    let is_text = input.is_text();
    let mut list = |oddity: &BookProblem| {
        if args.list && printed.is_ok() {
            printed = out.line(line(oddity, is_text, settings.json));
        }
    };
    let (mut counts, is_sound) = match input.format {
        BookFormat::Edax | BookFormat::EdaxText => check_edax(&input, settings, &mut list)?,
        BookFormat::Egaroucid(version) => {
            check_egaroucid(args, &input, version, settings, &mut list)?
        }
    };
    printed?;
    out.finish()?;
    counts.push(("damaged_in_side_car", damaged_in_side_car));
    print_findings(&counts, settings.json)?;
    Ok(ExitCode::from(if is_sound && damaged_in_side_car == 0 {
        0
    } else {
        FINDINGS
    }))
}

/// The line of a problem. Text books have line numbers.
fn line(oddity: &BookProblem, is_text: bool, json: bool) -> String {
    let BookProblem {
        what,
        offset,
        reason,
    } = oddity;
    match (json, is_text, *what) {
        (true, false, _) => json!({ "what": what, "byte": offset, "reason": reason }).to_string(),
        (true, true, "damaged") => {
            json!({ "what": what, "line": offset, "reason": reason }).to_string()
        }
        (true, true, _) => json!({ "what": what, "reason": reason }).to_string(),
        (false, false, _) => format!("{what}, byte {offset}: {reason}"),
        (false, true, "damaged") => format!("{what}, line {offset}: {reason}"),
        (false, true, _) => format!("{what}: {reason}"),
    }
}

fn check_edax(
    input: &BookInput,
    settings: &Settings,
    list: &mut dyn FnMut(&BookProblem),
) -> anyhow::Result<IndexHit> {
    let job = settings.job()?;
    for (line, reason) in input.invalid_lines() {
        list(&BookProblem {
            what: "damaged",
            offset: *line,
            reason: reason.clone(),
        });
    }
    let mut found = ops::check_edax(&input.map, OnDamage::Skip, &job, list)?;
    found.damaged += input.damaged_lines(OnDamage::Skip)?;
    let counts = [&found.holds()[..], &found.counts()].concat();
    Ok((counts, found.is_sound()))
}

fn check_egaroucid(
    args: &Check,
    input: &BookInput,
    version: EgaroucidVersion,
    settings: &Settings,
    list: &mut dyn FnMut(&BookProblem),
) -> anyhow::Result<IndexHit> {
    let job = settings.job()?;
    let map = &input.map;
    let book = egaroucid::EgaroucidBook::of(map, version).map_err(|error| error.in_file(map))?;
    let reading = ReadArgs {
        egbk_level: 1,
        leaf_positions: false,
        skip_damaged: true,
        no_side_car: true,
    };
    let opened = open_book(&args.book, &reading, &job)?;
    let found = ops::check_egaroucid(&book, &opened.book, list);
    let version = match version {
        EgaroucidVersion::Egbk => 1,
        EgaroucidVersion::Egbk2 => 2,
        EgaroucidVersion::Egbk3 => 3,
    };
    let version = ("version", version);
    let counts = [&[version], &found.holds()[..], &found.counts()].concat();
    Ok((counts, found.is_sound()))
}
