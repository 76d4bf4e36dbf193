//! `book check`: whether a book is sound.

use std::process::ExitCode;

use othello_book::egaroucid::Version;
use othello_book::ops::{self, Oddity};
use othello_book::store::Damage;
use othello_book::{Format, egaroucid};
use serde_json::json;
use yane_cli::print::Printer;
use yane_cli::{FINDINGS, Settings};
use yane_io::Map;

use super::rows;
use super::tell::tell;
use crate::args::{Check, Reading};

pub(super) fn check(args: &Check, settings: &Settings) -> anyhow::Result<ExitCode> {
    let map = Map::open(&args.book)?;
    let format = Format::of_bytes(&map).map_err(|fault| fault.of(&map))?;
    let mut out = Printer::new();
    let mut printed = Ok(());
    let mut list = |oddity: &Oddity| {
        if args.list && printed.is_ok() {
            printed = out.line(line(oddity, settings.json));
        }
    };
    let (counts, is_sound) = match format {
        Format::Edax => {
            let job = settings.job()?;
            let found = ops::check(&map, Damage::Skip, &job, &mut list)?;
            (found.counts().to_vec(), found.is_sound())
        }
        Format::Egaroucid(version) => check_egaroucid(args, &map, version, settings, &mut list)?,
    };
    printed?;
    out.finish()?;
    tell(&counts, settings.json)?;
    Ok(ExitCode::from(if is_sound { 0 } else { FINDINGS }))
}

fn line(oddity: &Oddity, json: bool) -> String {
    let Oddity {
        what,
        offset,
        reason,
    } = oddity;
    if json {
        json!({ "what": what, "byte": offset, "reason": reason }).to_string()
    } else {
        format!("{what}, byte {offset}: {reason}")
    }
}

/// The counts of what is wrong, and whether that is nothing.
fn check_egaroucid(
    args: &Check,
    map: &Map,
    version: Version,
    settings: &Settings,
    list: &mut dyn FnMut(&Oddity),
) -> anyhow::Result<(Vec<(&'static str, u64)>, bool)> {
    let job = settings.job()?;
    let book = egaroucid::Book::new(map).map_err(|fault| fault.of(map))?;
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
    let mut counts = vec![("version", version)];
    counts.extend(found.counts());
    Ok((counts, found.is_sound()))
}
