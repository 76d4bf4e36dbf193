//! `book check`: whether a book is sound.

use std::process::ExitCode;

use othello_book::egaroucid::Version;
use othello_book::files::Input;
use othello_book::ops::{self, Oddity};
use othello_book::store::Damage;
use othello_book::{Format, egaroucid};
use serde_json::json;
use yane_cli::print::Printer;
use yane_cli::{FINDINGS, Settings};

use super::rows;
use super::tell::tell_found;
use crate::args::{Check, Reading};

/// What a book holds and what is wrong with it, and whether that is nothing.
type Found = (Vec<(&'static str, u64)>, bool);

pub(super) fn check(args: &Check, settings: &Settings) -> anyhow::Result<ExitCode> {
    let input = Input::open(&args.book)?;
    let damaged_aside = input.damaged_aside(&settings.job()?)?;
    let mut out = Printer::new();
    let mut printed = Ok(());
    let is_text = input.is_text();
    let mut list = |oddity: &Oddity| {
        if args.list && printed.is_ok() {
            printed = out.line(line(oddity, is_text, settings.json));
        }
    };
    let (mut counts, is_sound) = match input.format {
        Format::Edax | Format::EdaxText => check_edax(&input, settings, &mut list)?,
        Format::Egaroucid(version) => check_egaroucid(args, &input, version, settings, &mut list)?,
    };
    printed?;
    out.finish()?;
    counts.push(("damaged_in_side_car", damaged_aside));
    tell_found(&counts, settings.json)?;
    Ok(ExitCode::from(if is_sound && damaged_aside == 0 {
        0
    } else {
        FINDINGS
    }))
}

/// A line of a list. Places of text are lines.
fn line(oddity: &Oddity, is_text: bool, json: bool) -> String {
    let Oddity {
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
    input: &Input,
    settings: &Settings,
    list: &mut dyn FnMut(&Oddity),
) -> anyhow::Result<Found> {
    let job = settings.job()?;
    for (line, reason) in input.wrong_lines() {
        list(&Oddity {
            what: "damaged",
            offset: *line,
            reason: reason.clone(),
        });
    }
    let mut found = ops::check(&input.map, Damage::Skip, &job, list)?;
    found.damaged += input.damaged_lines(Damage::Skip)?;
    let counts = [&found.holds()[..], &found.counts()].concat();
    Ok((counts, found.is_sound()))
}

fn check_egaroucid(
    args: &Check,
    input: &Input,
    version: Version,
    settings: &Settings,
    list: &mut dyn FnMut(&Oddity),
) -> anyhow::Result<Found> {
    let job = settings.job()?;
    let map = &input.map;
    let book = egaroucid::Book::of(map, version).map_err(|fault| fault.of(map))?;
    let reading = Reading {
        egbk_level: 1,
        leaf_positions: false,
        skip_damaged: true,
        no_side_car: true,
    };
    let opened = rows(&args.book, None, &reading, &job)?;
    let found = ops::check_entries(&book, &opened.rows, list);
    let version = match version {
        Version::Egbk => 1,
        Version::Egbk2 => 2,
        Version::Egbk3 => 3,
    };
    let version = ("version", version);
    let counts = [&[version], &found.holds()[..], &found.counts()].concat();
    Ok((counts, found.is_sound()))
}
