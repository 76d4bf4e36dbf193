//! `games list` and `games stats`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use othello_core::Position;
use othello_record::{ArchivedRecord, GameVariant, OthelloRecord, OthelloStats, RecordKind};
use serde_json::{Value, json};
use yane_cli::{HumanCount, Settings, is_standard, print};

use super::{Names, OthelloGames, Tally};
use crate::args::{ListGames, StatsGames};

/// The lines of a list.
enum Row {
    Json(Value),
    Text(String),
}

pub(crate) fn list(args: &ListGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    let paths = args.inputs.paths()?;
    let names = args.openings.names()?;
    let job = settings.printing_job()?;
    let as_json = settings.json;
    if !as_json {
        print::lines(["place\tdate\tblack\twhite\tresult\tdiscs\topening\tmoves"])?;
    }
    let work = move |read: ArchivedRecord| {
        let row = row(&read, &names);
        if as_json {
            return Row::Json(row);
        }
        let text = |key: &str| {
            row[key]
                .as_str()
                .unwrap_or_default()
                .replace(['\t', '\n'], " ")
        };
        let mut fields = ["place", "date", "black", "white", "result"].map(text);
        if row["variant"] != GameVariant::Standard.name() {
            fields[4] = format!("{} ({})", fields[4], text("variant"));
        }
        if let (Some(board), Some(boards)) = (row["board"].as_u64(), row["boards"].as_u64()) {
            fields[0] = format!("{}, board {board} of {boards}", fields[0]);
        }
        let (moves, opening) = (text("moves"), text("opening"));
        Row::Text(format!(
            "{}\t{}\t{opening}\t{moves}",
            fields.join("\t"),
            row["discs"]
        ))
    };
    let tally = args.inputs.for_each(&paths, &job, work, |path, row| {
        let path = if is_standard(path) {
            "-".to_owned()
        } else {
            path.display().to_string()
        };
        match row {
            Row::Json(mut row) => {
                row["file"] = path.into();
                print::json(&row)?;
            }
            Row::Text(text) => print::lines([format!("{path}: {text}")])?,
        }
        Ok(())
    })?;
    Ok(tally.code())
}

/// A game in a list.
fn row(read: &ArchivedRecord, names: &Names) -> Value {
    let record = &read.record;
    let (info, game) = (&record.info, record.game());
    let opening = names.of_game(&game);
    let result = record.result();
    let start = (record.start() != Position::START).then(|| record.start().to_string());
    json!({
        "place": read.place.to_string(),
        "format": read.kind.to_string(),
        "date": info.date,
        "event": info.event,
        "round": info.round,
        "black": info.black.name,
        "white": info.white.name,
        "result": result.map(|result| result.to_string()),
        "score": result.and_then(othello_record::OthelloResult::score),
        "end": result.map(|result| result.end.name()),
        "variant": info.variant.name(),
        "board": read.synchro.map(|board| board.number),
        "boards": read.synchro.map(|board| board.of),
        "discs": record.discs_placed(),
        "variations": record.variations(),
        "opening": opening,
        "start": start,
        "moves": if game.moves().is_empty() { String::new() } else { game.to_string() },
    })
}

pub(crate) fn stats(args: &StatsGames, settings: &Settings) -> anyhow::Result<ExitCode> {
    let paths = args.inputs.paths()?;
    let names = args.openings.names()?;
    let job = settings.job()?;
    let mut stats = OthelloStats::default();
    let work = move |read: ArchivedRecord| {
        let opening = names.of_game(&read.record.game()).map(str::to_owned);
        (read.record, read.kind, opening)
    };
    let add = |_: &Path, (record, kind, opening): (OthelloRecord, RecordKind, Option<String>)| {
        stats.add(&record, kind, opening.as_deref());
        Ok(())
    };
    let tally = args.inputs.for_each(&paths, &job, work, add)?;
    drop(job);
    if stats.games == 0 {
        bail!("no game could be read ({} bad)", tally.bad);
    }
    if settings.json {
        print::json(&as_json(&stats, &tally))?;
    } else {
        print::lines(lines(&stats, args.top))?;
    }
    Ok(tally.code())
}

fn lines(stats: &OthelloStats, top: usize) -> Vec<String> {
    let games = stats.games as f64;
    let mean = stats.mean_score().map_or(String::new(), |mean| {
        format!(", black {mean:+.2} discs a game")
    });
    let mut lines = vec![format!(
        "games: {}, discs placed: {} ({:.1} a game), passes: {}, variations: {}, repeated: {}{mean}",
        HumanCount(stats.games),
        HumanCount(stats.moves),
        stats.moves as f64 / games,
        HumanCount(stats.passes),
        HumanCount(stats.variations),
        HumanCount(stats.repeated),
    )];
    let named = |counts: &BTreeMap<String, u64>, none: &str| {
        let mut rows: Vec<_> = counts
            .iter()
            .map(|(name, count)| {
                (
                    if name.is_empty() {
                        none.to_owned()
                    } else {
                        name.clone()
                    },
                    *count,
                )
            })
            .collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        rows.truncate(top);
        rows
    };
    let mut players: Vec<_> = stats.players.iter().collect();
    players.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(b.0)));
    let player = |(name, games): (&String, &othello_record::PlayerGames)| {
        let discs = games.discs as f64 / games.games as f64;
        let text = format!(
            "{name} (won {}, drawn {}, lost {}, {discs:+.1} discs)",
            games.wins, games.draws, games.losses
        );
        (text, games.games)
    };
    let years = stats.years.iter().map(|(year, count)| {
        (
            if *year == 0 {
                "(none)".to_owned()
            } else {
                year.to_string()
            },
            *count,
        )
    });
    let tables = [
        ("Formats", named(&stats.formats, "")),
        (
            "Winners",
            stats
                .winners
                .iter()
                .map(|(winner, count)| (winner.name().to_owned(), *count))
                .collect(),
        ),
        (
            "Discs placed",
            stats
                .lengths
                .iter()
                .map(|(from, count)| (format!("{from} to {}", from + 9), *count))
                .collect(),
        ),
        ("Years", years.collect()),
        ("Events", named(&stats.events, "(none)")),
        ("Openings", named(&stats.openings, "(none)")),
        (
            "Players",
            players.into_iter().take(top).map(player).collect(),
        ),
    ];
    for (title, rows) in tables.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        lines.extend([String::new(), title.to_owned()]);
        lines.extend(
            rows.into_iter()
                .map(|(name, count)| format!("  {:>9}  {name}", HumanCount(count).to_string())),
        );
    }
    lines
}

fn as_json(stats: &OthelloStats, tally: &Tally) -> Value {
    let by_text = |counts: Vec<(String, u64)>| {
        counts
            .into_iter()
            .map(|(name, count)| (name, Value::from(count)))
            .collect::<serde_json::Map<_, _>>()
    };
    let players = stats.players.iter().map(|(name, games)| {
        let told = json!({ "games": games.games, "wins": games.wins, "draws": games.draws, "losses": games.losses, "discs": games.discs });
        (name.clone(), told)
    });
    let mut told = tally.json::<OthelloGames>();
    for (key, value) in [
        ("moves", json!(stats.moves)),
        ("passes", json!(stats.passes)),
        ("variations", json!(stats.variations)),
        ("repeated", json!(stats.repeated)),
        ("mean_score", json!(stats.mean_score())),
        ("formats", json!(stats.formats)),
        (
            "winners",
            by_text(
                stats
                    .winners
                    .iter()
                    .map(|(winner, count)| (winner.name().to_owned(), *count))
                    .collect(),
            )
            .into(),
        ),
        (
            "scores",
            by_text(
                stats
                    .scores
                    .iter()
                    .map(|(score, count)| (score.to_string(), *count))
                    .collect(),
            )
            .into(),
        ),
        (
            "years",
            by_text(
                stats
                    .years
                    .iter()
                    .map(|(year, count)| (year.to_string(), *count))
                    .collect(),
            )
            .into(),
        ),
        (
            "lengths",
            by_text(
                stats
                    .lengths
                    .iter()
                    .map(|(from, count)| (from.to_string(), *count))
                    .collect(),
            )
            .into(),
        ),
        ("events", json!(stats.events)),
        ("openings", json!(stats.openings)),
        ("players", players.collect::<serde_json::Map<_, _>>().into()),
    ] {
        told[key] = value;
    }
    told
}
