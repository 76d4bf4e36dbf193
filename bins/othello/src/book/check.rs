//! `book check`: whether a book is sound.

use std::path::Path;
use std::process::ExitCode;

use othello_book::egaroucid::Version;
use othello_book::ops::{self, Oddity};
use othello_book::store::{Damage, Positions as _};
use othello_book::{Format, egaroucid};
use othello_core::Board;
use serde_json::json;
use yane_cli::print::Printer;
use yane_cli::{FINDINGS, Settings};
use yane_io::Map;

use super::rows;
use super::tell::tell;
use crate::args::{Check, Reading};

pub(super) fn check(args: &Check, settings: &Settings) -> anyhow::Result<ExitCode> {
    let path = &args.book;
    let map = Map::open(path)?;
    let format = Format::of_bytes(&map).map_err(|fault| fault.of(&map))?;
    let found = match format {
        Format::Edax => {
            let job = settings.job()?;
            let mut out = Printer::new();
            let mut printed = Ok(());
            let mut list = |oddity: &Oddity| {
                if args.list && printed.is_ok() {
                    printed = out.line(line(oddity, settings.json));
                }
            };
            let found = ops::check(&map, Damage::Skip, &job, &mut list)?;
            drop(job);
            printed?;
            out.finish()?;
            tell(&found.counts(), settings.json)?;
            found.is_sound()
        }
        Format::Egaroucid(version) => check_egaroucid(path, &map, version, settings)?,
    };
    Ok(ExitCode::from(if found { 0 } else { FINDINGS }))
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

/// Damaged records, boards that are not canonical, repeated ones, and those that the start does not lead to.
fn check_egaroucid(
    path: &Path,
    map: &Map,
    version: Version,
    settings: &Settings,
) -> anyhow::Result<bool> {
    let job = settings.job()?;
    let book = egaroucid::Book::new(map).map_err(|fault| fault.of(map))?;
    let good = book.entries().flatten();
    let turned = good.filter(|entry| !entry.board.is_canonical()).count() as u64;
    let reading = Reading {
        egbk_level: 1,
        leaf_positions: false,
        skip_damaged: true,
        no_side_car: true,
    };
    let opened = rows(path, None, &reading, &job)?;
    let isolated = ops::count_isolated(&opened.rows, Board::START);
    drop(job);
    let version = match version {
        Version::Egbk => 1,
        Version::Egbk2 => 2,
        Version::Egbk3 => 3,
    };
    let results = [
        ("version", version),
        ("positions", opened.rows.count()),
        ("damaged", opened.damaged),
        ("not_canonical", turned),
        ("repeated", opened.repeated),
        ("isolated", isolated),
    ];
    tell(&results, settings.json)?;
    Ok(results[2..].iter().all(|(_, count)| *count == 0))
}
