//! `book info`, `dump`, `check` and `errors`: the contents of a book, its problems, and the losses of moves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::process::ExitCode;

use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::BookInput;
use othello_book::ops::{BookLosses, BookProblem, MoveLoss, OthelloBookInfo};
use othello_book::store::OnDamage;
use othello_book::{BookFormat, FormatError, edax, egaroucid, files, ops, text};
use othello_core::{Game, Side};
use serde_json::{Value, json};
use yane_cli::print::Printer;
use yane_cli::{Settings, UsageError, print};

use super::lookup::games;
use super::open_book;
use crate::args::{BookArgs, Check, Lookup, ReadArgs};
use crate::print::{Align, Table, count, counted};
use crate::report::{Report, ReportEnd};

/// The statistics of a book.
pub(super) fn info(args: &BookArgs, settings: &Settings) -> anyhow::Result<Report> {
    let (book, reading) = (&args.book, &args.reading);
    let job = settings.job()?;
    let (info, damaged) = files::info(&reading.open(book)?, reading.options(), &job)?;
    drop(job);
    let mut json = serde_json::to_value(&info)?;
    json["damaged"] = json!(damaged);
    Ok(Report::new(lines(&info, damaged), json))
}

/// The number of positions, then tables by level, ply, value and links.
fn lines(info: &OthelloBookInfo, damaged: u64) -> Vec<String> {
    let mut lines = vec![counted(info.positions, "position", "positions")];
    if damaged > 0 {
        let records = counted(damaged, "damaged record", "damaged records");
        lines.push(format!("{records} left out"));
    }
    let levels = two("Level", &info.levels, &info.leaf_levels);
    let plies = two("Ply", &info.plies, &info.leaf_plies);
    let values = one("Value in discs", &info.values, |value| format!("{value:+}"));
    let links = one("Links", &info.links, usize::to_string);
    for table in [levels, plies, values, links] {
        if !table.is_empty() {
            lines.push(String::new());
            lines.extend(table.lines());
        }
    }
    if let Some(searches) = info.edax_searches {
        let positions = counted(searches, "position", "positions");
        lines.push(String::new());
        lines.push(format!("Edax's own book fix will search {positions}"));
    }
    lines
}

/// A table of positions by a key.
fn one<K: Ord>(name: &str, counts: &BTreeMap<K, u64>, text: impl Fn(&K) -> String) -> Table {
    let mut table = Table::new(&[(name, Align::Right), ("Positions", Align::Right)]);
    for (key, n) in counts {
        table.row([text(key), count(*n)]);
    }
    table
}

/// A table of positions and leaves by the same key.
fn two<K: Ord + Copy + Display>(
    name: &str,
    positions: &BTreeMap<K, u64>,
    leaves: &BTreeMap<K, u64>,
) -> Table {
    let mut table = Table::new(&[
        (name, Align::Right),
        ("Positions", Align::Right),
        ("Leaves", Align::Right),
    ]);
    let mut keys: Vec<K> = positions.keys().chain(leaves.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    let text = |counts: &BTreeMap<K, u64>, key| count(counts.get(key).copied().unwrap_or(0));
    for key in &keys {
        table.row([key.to_string(), text(positions, key), text(leaves, key)]);
    }
    table
}

/// Prints all positions in the order of the file.
pub(super) fn dump(book: &BookArgs, json: bool) -> anyhow::Result<ExitCode> {
    let (path, args) = (&book.book, &book.reading);
    let input = BookInput::open(path)?.alone();
    input.file.damaged_lines(args.on_damage())?;
    let map = &input.file.map;
    let mut out = Printer::new();
    let check = |error: FormatError| {
        if args.skip_damaged {
            Ok(())
        } else {
            Err(error.in_file(map))
        }
    };
    match input.file.format {
        BookFormat::Edax | BookFormat::EdaxText => {
            let book = edax::EdaxBook::new(map).map_err(|error| error.in_file(map))?;
            if json {
                out.line(serde_json::to_string(&book.header)?)?;
            } else {
                out.line(text::edax_head(&book.header).trim_end())?;
            }
            for record in book.records() {
                match record.map(|record| record.to_record()) {
                    Err(error) => check(error)?,
                    Ok(record) if json => out.line(serde_json::to_string(&record)?)?,
                    Ok(record) => out.line(text::edax_line(&record).trim_end())?,
                }
            }
        }
        BookFormat::Egaroucid(version) => {
            let book =
                egaroucid::EgaroucidBook::of(map, version).map_err(|error| error.in_file(map))?;
            if !json {
                out.line(text::egaroucid_head(book.count()).trim_end())?;
            }
            for entry in book.entries() {
                match entry {
                    Err(error) => check(error)?,
                    Ok(entry) if json => out.line(serde_json::to_string(&entry)?)?,
                    Ok(entry) => out.line(text::egaroucid_line(&entry).trim_end())?,
                }
            }
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

// `book check`.

/// The counts of contents and problems, and whether there are no problems.
type IndexHit = (Vec<(&'static str, u64)>, bool);

pub(super) fn check(args: &Check, settings: &Settings) -> anyhow::Result<Report> {
    let input = BookInput::open(&args.book)?;
    let damaged_in_side_car = input.damaged_in_side_car(&settings.job()?)?;
    let mut out = Printer::new();
    let mut printed = Ok(());
    let is_text = input.file.is_text();
    let mut list = |oddity: &BookProblem| {
        if args.list && printed.is_ok() {
            printed = out.line(line(oddity, is_text, settings.json));
        }
    };
    let (mut counts, is_sound) = match input.file.format {
        BookFormat::Edax | BookFormat::EdaxText => check_edax(&input, settings, &mut list)?,
        BookFormat::Egaroucid(version) => {
            check_egaroucid(args, &input, version, settings, &mut list)?
        }
    };
    printed?;
    out.finish()?;
    counts.push(("damaged_in_side_car", damaged_in_side_car));
    let mut report = Report::of_findings(&counts);
    if !is_sound || damaged_in_side_car > 0 {
        report.end = ReportEnd::Findings;
    }
    Ok(report)
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
    for (line, reason) in input.file.invalid_lines() {
        list(&BookProblem {
            what: "damaged",
            offset: *line,
            reason: reason.to_string(),
        });
    }
    let mut found = ops::check_edax(&input.file.map, OnDamage::Skip, &job, list)?;
    found.damaged += input.file.damaged_lines(OnDamage::Skip)?;
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
    let map = &input.file.map;
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

// `book errors`: the losses of moves.

/// Prints the losses of games, or of the whole book from a position on.
pub(super) fn errors(args: &Lookup, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = games(&args.transcript)?;
    let error_of =
        |error: &othello_record::Error, line: usize| UsageError(format!("line {line}: {error}"));
    let games = items.iter().map(|item| match &item.record {
        Ok(record) => Ok(&record.game),
        Err(error) => Err(error_of(error, item.line)),
    });
    let games = games.collect::<Result<Vec<_>, _>>()?;
    match games.as_slice() {
        [one] if one.moves().is_empty() => of_book(args, one, settings)?,
        games => of_games(args, games, settings)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn of_book(args: &Lookup, start: &Game, settings: &Settings) -> anyhow::Result<()> {
    let job = settings.job()?;
    let book = open_book(&args.book, &args.reading, &job)?.book;
    let errors = ops::book_losses(&book, start.position().board());
    drop(job);
    if settings.json {
        print::json(&serde_json::to_value(&errors)?)?;
    } else {
        print::lines(table_of_book(&errors).lines())?;
    }
    Ok(())
}

/// The table of moves, leaves and positions by loss.
fn table_of_book(errors: &BookLosses) -> Table {
    let mut table = Table::new(&[
        ("Discs lost", Align::Right),
        ("Moves", Align::Right),
        ("Leaves", Align::Right),
        ("Positions, on the way there", Align::Right),
    ]);
    let parts = [&errors.moves, &errors.leaves, &errors.sums];
    let keys: BTreeSet<i32> = parts.iter().flat_map(|part| part.keys().copied()).collect();
    for key in keys {
        let counts = parts
            .iter()
            .map(|part| part.get(&key).map_or_else(String::new, |n| count(*n)));
        table.row([key.to_string()].into_iter().chain(counts));
    }
    table
}

fn of_games(args: &Lookup, games: &[&Game], settings: &Settings) -> anyhow::Result<()> {
    // Only the positions of the games and their children are needed.
    let job = settings.job()?;
    let wanted: std::collections::HashSet<_> = games
        .iter()
        .flat_map(|game| ops::line_boards(game))
        .collect();
    let (input, reading) = (args.reading.open(&args.book)?, args.reading.options());
    let wanted = |board| wanted.contains(&board);
    let table = files::load_some(&input, reading, &wanted, &job)?.book;
    drop(job);
    let mut out = Printer::new();
    for game in games {
        let errors = ops::line_losses(&table, game);
        if settings.json {
            let moves: Vec<_> = errors.iter().map(json_of).collect();
            out.line(json!({ "moves": moves }).to_string())?;
            continue;
        }
        if games.len() > 1 {
            out.line(game.to_string())?;
        }
        for line in table_of_game(&errors).lines() {
            out.line(line)?;
        }
        if let Some(last) = errors.last() {
            let discs = |n: i32| counted(n.unsigned_abs().into(), "disc", "discs");
            out.line(format!(
                "Black lost {}, White {}.",
                discs(last.black),
                discs(last.white)
            ))?;
        }
        if games.len() > 1 {
            out.line("")?;
        }
    }
    out.finish()?;
    Ok(())
}

fn json_of(error: &MoveLoss) -> Value {
    json!({
        "move": error.mv.to_string(),
        "side": side(error),
        "value": error.value,
        "move_value": error.move_value,
        "error": error.error(),
        "leaf": error.leaf,
        "black": error.black,
        "white": error.white,
    })
}

/// The table of the moves of a game.
fn table_of_game(errors: &[MoveLoss]) -> Table {
    let mut table = Table::new(&[
        ("Move", Align::Left),
        ("By", Align::Left),
        ("Position", Align::Right),
        ("Value", Align::Right),
        ("Loses", Align::Right),
        ("Black in all", Align::Right),
        ("White in all", Align::Right),
        ("", Align::Left),
    ]);
    let value = |value: Option<i8>| value.map_or_else(|| "?".to_owned(), |v| format!("{v:+}"));
    for error in errors {
        let lost = error.error();
        table.row([
            error.mv.to_string(),
            side(error).to_owned(),
            value(error.value),
            value(error.move_value),
            lost.map_or_else(|| "?".to_owned(), |error| error.to_string()),
            error.black.to_string(),
            error.white.to_string(),
            if error.leaf { "leaf" } else { "" }.to_owned(),
        ]);
    }
    table
}

const fn side(error: &MoveLoss) -> &'static str {
    match error.side {
        Side::Black => "black",
        Side::White => "white",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_tables() {
        let info = OthelloBookInfo {
            positions: 1234,
            levels: BTreeMap::from([(-1, 4), (21, 1230)]),
            leaf_levels: BTreeMap::from([(21, 3)]),
            edax_searches: Some(1),
            ..OthelloBookInfo::default()
        };
        let expected = [
            "1,234 positions",
            "1 damaged record left out",
            "",
            "Level  Positions  Leaves",
            "   -1          4       0",
            "   21      1,230       3",
            "",
            "Edax's own book fix will search 1 position",
        ];
        assert_eq!(lines(&info, 1), expected);
    }
}
