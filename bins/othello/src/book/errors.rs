//! `book errors`: the losses of moves.

use std::collections::BTreeSet;

use othello_book::ops::{BookLosses, MoveLoss};
use othello_book::{files, ops};
use othello_core::{Game, Side};
use serde_json::{Value, json};
use yane_cli::print::Printer;
use yane_cli::{Settings, UsageError, print};

use super::lookup::games;
use super::open_book;
use crate::args::Lookup;
use crate::print::{Align, Table, count, counted};

/// Prints the losses of games, or of the whole book from a position on.
pub(super) fn errors(args: &Lookup, settings: &Settings) -> anyhow::Result<()> {
    let items = games(&args.transcript)?;
    let error_of =
        |error: &othello_record::Error, line: usize| UsageError(format!("line {line}: {error}"));
    let games = items.iter().map(|item| match &item.record {
        Ok(record) => Ok(&record.game),
        Err(error) => Err(error_of(error, item.line)),
    });
    let games = games.collect::<Result<Vec<_>, _>>()?;
    match games.as_slice() {
        [one] if one.moves().is_empty() => of_book(args, one, settings),
        games => of_games(args, games, settings),
    }
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
