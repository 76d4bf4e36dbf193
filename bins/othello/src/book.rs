//! Commands for books.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use othello_book::egaroucid::Version;
use othello_book::ops::{self, Info, LeafValues, Limits};
use othello_book::store::{Damage, Known, Table};
use othello_book::{Format, edax, egaroucid, text};
use othello_core::{Board, Move, State};
use serde_json::{Value, json};
use yane_cli::print::{self, Printer};
use yane_cli::{FINDINGS, Settings};
use yane_io::Map;

use crate::args::{Book, Convert, Fix, Lookup, Merge, Prune, Reading};
use crate::load::load;
use crate::save::{format_of, save};
use crate::transcript::game;

/// How books are read where nothing else can be said.
const PLAIN: Reading = Reading {
    egbk_level: 1,
    leaf_positions: false,
    skip_damaged: false,
};

pub(crate) fn run(command: &Book, settings: &Settings) -> anyhow::Result<ExitCode> {
    match command {
        Book::Info(args) => info(&args.book, settings.json)?,
        Book::Convert(args) => convert(args, settings)?,
        Book::Merge(args) => merge(args, settings)?,
        Book::Fix(args) => fix(args, settings)?,
        Book::Prune(args) => prune(args, settings)?,
        Book::Dump(args) => dump(&args.book, settings.json)?,
        Book::Lookup(args) => return lookup(args, settings.json),
        Book::Check(args) => return check(&args.book, settings),
    }
    Ok(ExitCode::SUCCESS)
}

/// Results with names, as lines or as JSON.
fn tell(results: &[(&str, u64)], json: bool) -> anyhow::Result<()> {
    if json {
        let map = results
            .iter()
            .map(|(name, n)| ((*name).to_owned(), json!(n)));
        print::json(&Value::Object(map.collect()))?;
    } else {
        print::lines(results.iter().map(|(name, n)| format!("{name} {n}")))?;
    }
    Ok(())
}

/// An output must have a name that says its format, and be no input.
fn check_output(output: &Path, inputs: &[&PathBuf], settings: &Settings) -> anyhow::Result<()> {
    format_of(output)?;
    settings.overwrite().check(output, inputs)?;
    Ok(())
}

fn info(path: &Path, json: bool) -> anyhow::Result<()> {
    let info = Info::of(&load(path, &PLAIN)?.table);
    if json {
        print::json(&serde_json::to_value(&info)?)?;
    } else {
        print::lines(info.to_string().lines())?;
    }
    Ok(())
}

fn convert(args: &Convert, settings: &Settings) -> anyhow::Result<()> {
    check_output(&args.output, &[&args.book], settings)?;
    let loaded = load(&args.book, &args.reading)?;
    save(&loaded.table, &args.output, args.level)?;
    let results = [
        ("positions", loaded.table.len() as u64),
        ("damaged", loaded.damaged),
    ];
    tell(&results, settings.json)
}

fn merge(args: &Merge, settings: &Settings) -> anyhow::Result<()> {
    let inputs: Vec<_> = args.books.iter().collect();
    check_output(&args.output, &inputs, settings)?;
    let (mut table, mut damaged) = (Table::default(), 0);
    let (mut new, mut changed) = (0, 0);
    for (n, book) in args.books.iter().enumerate() {
        let loaded = load(book, &args.reading)?;
        damaged += loaded.damaged;
        if n == 0 {
            table = loaded.table;
            continue;
        }
        for (board, known) in loaded.table.iter() {
            let was_there = table.get(board).is_some();
            let did_change = table.merge(board, *known);
            new += u64::from(!was_there);
            changed += u64::from(was_there && did_change);
        }
    }
    if !args.dry_run {
        save(&table, &args.output, None)?;
    }
    let results = [
        ("positions", table.len() as u64),
        ("new", new),
        ("changed", changed),
        ("damaged", damaged),
    ];
    tell(&results, settings.json)
}

fn fix(args: &Fix, settings: &Settings) -> anyhow::Result<()> {
    check_output(&args.output, &[&args.book], settings)?;
    let mut table = load(&args.book, &args.reading)?.table;
    let mut fixed = ops::fix(&mut table, Board::START);
    if args.edax {
        let counted = ops::negamax(&mut table, Board::START, LeafValues::Count);
        fixed.values += counted.values;
    }
    let removed = if args.remove_isolated {
        ops::remove_isolated(&mut table, Board::START)
    } else {
        0
    };
    if !args.dry_run {
        save(&table, &args.output, None)?;
    }
    let results = [
        ("reached", fixed.reached),
        ("values", fixed.values),
        ("lines", fixed.lines),
        ("leaves", fixed.leaves),
        ("removed", removed),
        (
            "isolated",
            table.len() as u64 - fixed.reached.min(table.len() as u64),
        ),
    ];
    tell(&results, settings.json)
}

fn prune(args: &Prune, settings: &Settings) -> anyhow::Result<()> {
    check_output(&args.output, &[&args.book], settings)?;
    let start = game(&args.start)?.position().board();
    let mut table = load(&args.book, &args.reading)?.table;
    let limits = Limits {
        depth: args.depth,
        error: args.error,
        sum: args.sum,
    };
    let reduced = ops::reduce(&mut table, start, limits);
    if !args.dry_run {
        save(&table, &args.output, None)?;
    }
    let results = [
        ("kept", reduced.kept),
        ("removed", reduced.removed),
        ("leaves", reduced.leaves),
        ("positions", table.len() as u64),
    ];
    tell(&results, settings.json)
}

/// All positions in the order of the file.
fn dump(path: &Path, json: bool) -> anyhow::Result<()> {
    let map = Map::open(path)?;
    let mut out = Printer::new();
    match Format::of_bytes(&map).map_err(|fault| fault.of(&map))? {
        Format::Edax => {
            let book = edax::Book::new(&map).map_err(|fault| fault.of(&map))?;
            if json {
                out.line(serde_json::to_string(&book.header)?)?;
            } else {
                out.line(text::edax_head(&book.header).trim_end())?;
            }
            for record in book.records() {
                let record = record.map_err(|fault| fault.of(&map))?.to_record();
                if json {
                    out.line(serde_json::to_string(&record)?)?;
                } else {
                    out.line(text::edax_line(&record).trim_end())?;
                }
            }
        }
        Format::Egaroucid(_) => {
            let book = egaroucid::Book::new(&map).map_err(|fault| fault.of(&map))?;
            if !json {
                out.line(text::egaroucid_head(book.count()).trim_end())?;
            }
            for entry in book.entries() {
                let entry = entry.map_err(|fault| fault.of(&map))?;
                if json {
                    out.line(serde_json::to_string(&entry)?)?;
                } else {
                    out.line(text::egaroucid_line(&entry).trim_end())?;
                }
            }
        }
    }
    out.finish()?;
    Ok(())
}

/// The moves of a board with their values, best first; then the leaf, turned to the board.
fn moves(table: &Table, board: Board, known: &Known) -> Vec<(Move, i32, bool)> {
    let links = board.legal_moves().iter().filter_map(|square| {
        let value = table.value_of_move_to(board.play_legal(square))?;
        Some((Move::Place(square), i32::from(value), false))
    });
    let mut moves: Vec<_> = links.collect();
    moves.sort_by_key(|(_, value, _)| -value);
    let canonical = board.canonical();
    let leaf = known.leaf.edge.legal_on(canonical.board);
    let leaf = leaf.filter(|_| known.leaf.is_known());
    let leaf = leaf.map(|mv| {
        (
            canonical.back().turn(mv),
            i32::from(known.leaf.edge.score),
            true,
        )
    });
    let is_new = |(mv, ..): &(Move, i32, bool)| moves.iter().all(|(link, ..)| link != mv);
    let leaf = leaf.filter(is_new);
    moves.extend(leaf);
    moves
}

fn lookup(args: &Lookup, json: bool) -> anyhow::Result<ExitCode> {
    let table = load(&args.book, &args.reading)?.table;
    let position = game(&args.transcript)?.position().after_forced_pass();
    let board = position.board();
    let Some(known) = table.get(board) else {
        if json {
            print::json(&json!({ "found": false }))?;
        } else {
            print::lines(["not in the book"])?;
        }
        return Ok(ExitCode::from(FINDINGS));
    };
    let over = board.state() == State::Over;
    let moves = if over {
        Vec::new()
    } else {
        moves(&table, board, known)
    };
    if json {
        let moves = moves.iter().map(
            |(mv, value, leaf)| json!({ "move": mv.to_string(), "value": value, "leaf": leaf }),
        );
        print::json(&json!({
            "found": true,
            "board": position.to_string(),
            "value": known.value,
            "level": known.level,
            "lines": known.lines,
            "moves": moves.collect::<Vec<_>>(),
        }))?;
    } else {
        let head = format!(
            "{position}: value {:+}, level {}, lines {}",
            known.value, known.level, known.lines
        );
        let moves = moves
            .iter()
            .map(|(mv, value, leaf)| format!("{mv} {value:+}{}", if *leaf { " leaf" } else { "" }));
        print::lines([head].into_iter().chain(moves))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(path: &Path, settings: &Settings) -> anyhow::Result<ExitCode> {
    let map = Map::open(path)?;
    let format = Format::of_bytes(&map).map_err(|fault| fault.of(&map))?;
    let job = settings.job()?;
    let found = match format {
        Format::Edax => {
            let found = ops::check(&map, Damage::Skip, &job)?;
            let results = found.counts();
            tell(&results, settings.json)?;
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
