//! `book check`: whether a book is sound.

use std::path::Path;
use std::process::ExitCode;

use othello_book::egaroucid::Version;
use othello_book::ops;
use othello_book::store::{Damage, Known, Table};
use othello_book::{Format, egaroucid};
use othello_core::Board;
use yane_cli::{FINDINGS, Settings};
use yane_io::Map;

use super::tell::tell;

pub(super) fn check(path: &Path, settings: &Settings) -> anyhow::Result<ExitCode> {
    let map = Map::open(path)?;
    let format = Format::of_bytes(&map).map_err(|fault| fault.of(&map))?;
    let job = settings.job()?;
    let found = match format {
        Format::Edax => {
            let found = ops::check(&map, Damage::Skip, &job)?;
            drop(job);
            tell(&found.counts(), settings.json)?;
            found.is_sound()
        }
        Format::Egaroucid(version) => check_egaroucid(&map, version, settings.json)?,
    };
    Ok(ExitCode::from(if found { 0 } else { FINDINGS }))
}

/// Damaged records, boards that are not canonical, repeated ones, and those that the start does not lead to.
fn check_egaroucid(map: &Map, version: Version, json: bool) -> anyhow::Result<bool> {
    let book = egaroucid::Book::new(map).map_err(|fault| fault.of(map))?;
    let (mut damaged, mut turned, mut repeated) = (0, 0, 0);
    let mut table = Table::default();
    for entry in book.entries() {
        let Ok(entry) = entry else {
            damaged += 1;
            continue;
        };
        turned += u64::from(!entry.board.is_canonical());
        let old = table.insert(entry.board, Known::from(&entry));
        repeated += u64::from(old.is_some());
    }
    let isolated = ops::isolated(&table, Board::START).len() as u64;
    let version = match version {
        Version::Egbk => 1,
        Version::Egbk2 => 2,
        Version::Egbk3 => 3,
    };
    let results = [
        ("version", version),
        ("positions", table.len() as u64),
        ("damaged", damaged),
        ("not_canonical", turned),
        ("repeated", repeated),
        ("isolated", isolated),
    ];
    tell(&results, json)?;
    Ok(damaged + turned + repeated + isolated == 0)
}
