//! What students of openings ask a book: Umigame's numbers, trees, draws, what to practise, differences.

use std::collections::HashMap;
use std::process::ExitCode;

use othello_book::files;
use othello_book::ops::{
    BookDifference, BookStep, Departure, DrawnLines, TreeLimits, TreeRow, Umigame, UmigameNumbers,
    UmigameRule, book_steps, book_tree, departure, differences,
};
use othello_book::store::PositionData;
use othello_core::{Board, Position, Side, Square};
use serde_json::{Value, json};
use yane_cli::print::Printer;
use yane_cli::{FINDINGS, Settings, print};

use super::lookup::{game, games};
use super::{open_book, temp_folder};
use crate::args::{DiffArgs, DrawsArgs, Players, PracticeArgs, TreeArgs, UmigameArgs};
use crate::print::{Align, Table, count, counted, counts_json, counts_text, print_counts};

pub(super) fn umigame(args: &UmigameArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let position = game(&args.moves, settings)?.position().after_forced_pass();
    let job = settings.job()?;
    let input = args.reading.open(&args.book)?;
    let book = files::open_for_lookup(&input, args.reading.options(), temp_folder(&job), &job)?;
    drop(job);
    let rule = UmigameRule {
        depth: args.depth,
        range: args.range.clone().map(|range| range.0),
        loss: args.loss,
    };
    let mut umigame = Umigame::new(&book, rule);
    let all = umigame.of(position);
    let steps = book_steps(&book, position);
    let moves: Vec<_> = steps
        .iter()
        .map(|step| (step, umigame.of(step.position)))
        .collect();
    if settings.json {
        let numbers =
            |numbers: UmigameNumbers| json!({ "black": numbers.black, "white": numbers.white });
        let moves = moves.iter().map(|(step, found)| {
            json!({ "move": step.square.to_string(), "value": step.value, "umigame": numbers(*found) })
        });
        print::json(
            &json!({ "board": position.to_string(), "umigame": numbers(all), "moves": moves.collect::<Vec<_>>() }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&[
        ("Move", Align::Left),
        ("Value", Align::Right),
        ("Black", Align::Right),
        ("White", Align::Right),
    ]);
    table.row([
        String::new(),
        String::new(),
        count(all.black),
        count(all.white),
    ]);
    for (step, found) in moves {
        table.row([
            step.square.to_string(),
            format!("{:+}", step.value),
            count(found.black),
            count(found.white),
        ]);
    }
    print::lines(table.lines())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn tree(args: &TreeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let position = game(&args.moves, settings)?.position();
    let job = settings.job()?;
    let input = args.reading.open(&args.book)?;
    let book = files::open_for_lookup(&input, args.reading.options(), temp_folder(&job), &job)?;
    drop(job);
    let limits = TreeLimits {
        depth: args.depth,
        error: args.error,
        leaves: args.leaves,
    };
    let rows = book_tree(&book, position, limits);
    let mut out = Printer::new();
    for (number, row) in rows.iter().enumerate() {
        if settings.json {
            out.line(row_json(number, row).to_string())?;
        } else {
            out.line(row_text(&rows, row))?;
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn row_json(number: usize, row: &TreeRow) -> Value {
    json!({
        "row": number,
        "depth": row.depth,
        "move": row.square.to_string(),
        "value": row.value,
        "lines": row.lines,
        "share": row.share,
        "games": counts_json(row.games),
        "same_as": row.same_as,
        "leaf": row.is_leaf,
    })
}

/// The moves to a row.
fn moves_to(rows: &[TreeRow], number: usize) -> String {
    let mut moves = Vec::new();
    let mut depth = u32::MAX;
    for row in rows[..=number].iter().rev() {
        if row.depth < depth {
            depth = row.depth;
            moves.push(row.square.to_string());
        }
    }
    moves.reverse();
    moves.concat()
}

fn row_text(rows: &[TreeRow], row: &TreeRow) -> String {
    let indent = "  ".repeat(row.depth as usize - 1);
    let mut text = format!("{indent}{} {:+}", row.square, row.value);
    if row.is_leaf {
        text.push_str("  leaf");
        return text;
    }
    let lines = counted(row.lines, "line", "lines");
    let share = row.share * 100.0;
    let games = if row.games.total() > 0 {
        format!("  {}", counts_text(row.games))
    } else {
        String::new()
    };
    let same = row
        .same_as
        .map(|same| format!("  as {}", moves_to(rows, same)));
    format!(
        "{text}  {lines}, {share:.1}%{games}{}",
        same.unwrap_or_default()
    )
}

pub(super) fn draws(args: &DrawsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let record = game(&args.moves, settings)?;
    let position = record.position();
    let job = settings.job()?;
    let input = args.reading.open(&args.book)?;
    let book = files::open_for_lookup(&input, args.reading.options(), temp_folder(&job), &job)?;
    drop(job);
    let mut drawn = DrawnLines::new(&book);
    let total = drawn.count(position);
    let mut out = Printer::new();
    let text = |line: &[Square]| line.iter().map(ToString::to_string).collect::<String>();
    if settings.json {
        let mut lines = Vec::new();
        drawn.for_each(position, args.most, &mut |line| {
            lines.push(text(line));
            Ok::<(), yane_io::Error>(())
        })?;
        out.line(json!({ "lines": total, "listed": lines }).to_string())?;
    } else {
        out.line(counted(total, "drawn line", "drawn lines"))?;
        drawn.for_each(position, args.most, &mut |line| out.line(text(line)))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn practice(args: &PracticeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let input = args.reading.open(&args.book)?;
    let book = files::open_for_lookup(&input, args.reading.options(), temp_folder(&job), &job)?;
    let whose = |side: Side| match args.side {
        Players::Both => true,
        Players::Black => side == Side::Black,
        Players::White => side == Side::White,
    };
    let mut found: Vec<(Departure, u64)> = Vec::new();
    let mut places: HashMap<(Board, bool, Square), usize> = HashMap::new();
    let mut is_good = true;
    for text in &args.games {
        for item in games(text)? {
            let record = match &item.record {
                Ok(record) => record,
                Err(error) => {
                    is_good = false;
                    job.progress.note(&format!("line {}: {error}", item.line));
                    continue;
                }
            };
            let Some(left) = departure(&book, &record.game, args.error, whose) else {
                continue;
            };
            let canonical = left.position.board().canonical();
            let played = canonical.symmetry.square(left.played);
            let key = (canonical.board, left.position.side() == Side::Black, played);
            let place = *places.entry(key).or_insert(found.len());
            if place == found.len() {
                found.push((left, 0));
            }
            found[place].1 += 1;
        }
    }
    drop(job);
    found.sort_by_key(|(left, times)| (std::cmp::Reverse(*times), left.ply));
    if settings.json {
        let mut out = Printer::new();
        for (left, times) in &found {
            out.line(departure_json(left, *times).to_string())?;
        }
        out.finish()?;
    } else {
        print::lines(departures(&found))?;
    }
    Ok(ExitCode::from(if is_good { 0 } else { FINDINGS }))
}

fn departure_json(left: &Departure, times: u64) -> Value {
    let known = left.known.iter().map(|step| json!({ "move": step.square.to_string(), "value": step.value, "leaf": step.is_leaf }));
    json!({
        "board": left.position.to_string(),
        "ply": left.ply,
        "times": times,
        "played": left.played.to_string(),
        "loss": left.loss,
        "book": known.collect::<Vec<_>>(),
    })
}

fn departures(found: &[(Departure, u64)]) -> Vec<String> {
    let mut table = Table::new(&[
        ("Times", Align::Right),
        ("Ply", Align::Right),
        ("Position", Align::Left),
        ("Played", Align::Left),
        ("Loss", Align::Right),
        ("Book", Align::Left),
    ]);
    let known = |steps: &[BookStep]| {
        let best = steps.first().map_or(0, |step| step.value);
        let steps = steps.iter().take_while(|step| step.value == best);
        let squares: Vec<_> = steps.map(|step| step.square.to_string()).collect();
        format!("{} {best:+}", squares.join(" "))
    };
    for (left, times) in found {
        table.row([
            count(*times),
            left.ply.to_string(),
            left.position.to_string(),
            left.played.to_string(),
            left.loss
                .map_or_else(|| "?".to_owned(), |loss| loss.to_string()),
            known(&left.known),
        ]);
    }
    table.lines()
}

pub(super) fn diff(args: &DiffArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.job()?;
    let first = open_book(&args.first, &args.reading, &job)?.book;
    let second = open_book(&args.second, &args.reading, &job)?.book;
    drop(job);
    let mut out = Printer::new();
    let mut each = |board: Board,
                    one: Option<PositionData>,
                    other: Option<PositionData>|
     -> yane_io::Result<()> {
        if !args.list {
            return Ok(());
        }
        let position = Position::new(board, Side::Black);
        if settings.json {
            let data = |data: Option<PositionData>| data.map(|data| json!(data.entry(board)));
            out.line(
                json!({ "board": position.to_string(), "first": data(one), "second": data(other) })
                    .to_string(),
            )
        } else {
            let data = |data: Option<PositionData>| {
                data.map_or_else(|| "-".to_owned(), |data| text(&data))
            };
            out.line(format!("{position}  {}  {}", data(one), data(other)))
        }
    };
    let found = differences(&first, &second, &mut each)?;
    out.finish()?;
    let BookDifference {
        removed,
        added,
        values,
        levels,
        leaves,
        lines,
        games,
        equal,
    } = found;
    let counts = [
        ("removed", removed),
        ("added", added),
        ("values", values),
        ("levels", levels),
        ("leaves", leaves),
        ("lines", lines),
        ("games", games),
        ("equal", equal),
    ];
    print_counts(&counts, settings.json)?;
    Ok(ExitCode::from(if found.is_none() { 0 } else { FINDINGS }))
}

/// Value, level, lines and leaf: `+4@21 120 lines, leaf f5 +2@17`.
fn text(data: &PositionData) -> String {
    let leaf = data.leaf;
    let leaf = match leaf.edge.mv() {
        Some(mv) if leaf.is_known() => format!("leaf {mv} {:+}@{}", leaf.edge.score, leaf.level),
        _ => "no leaf".to_owned(),
    };
    format!(
        "{:+}@{} {}, {leaf}",
        data.value,
        data.level,
        counted(data.lines.into(), "line", "lines")
    )
}
