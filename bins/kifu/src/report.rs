//! Commands that tell about records: check, stats, show.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use ::report::Page;
use anyhow::bail;
use serde_json::{Value, json};
use shogi_kifu::{
    ArchiveGame, BoardSvg, Foul, GameRecord, KifuFormat, NamedOpeningCount, RecordStats, write_bod,
};
use yane_cli::records::{OnBadRecord, RecordSink};
use yane_cli::{HumanCount, Settings, counted, print};
use yane_io::{AtomicFile, Claim, Unit};

use crate::args::{CheckArgs, ShowArgs, StatsArgs};
use crate::reading::{KifuGames, Tally, for_each_game};

pub(crate) fn check(args: &CheckArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    let job = settings.job()?;
    let mut fouls: Vec<FoulOfGame> = Vec::new();
    let work = |game: ArchiveGame| {
        let moves = game.record.played_moves().count();
        let found = game.record.fouls().into_iter();
        let line = game.line;
        found
            .map(|(number, m, foul)| FoulOfGame {
                file: String::new(),
                line,
                number,
                mv: m.to_string(),
                foul,
                is_last: number == moves,
            })
            .collect::<Vec<_>>()
    };
    let tally = for_each_game(&inputs, OnBadRecord::Skip, &job, work, |path, found| {
        let file = path.display().to_string();
        fouls.extend(found.into_iter().map(|foul| FoulOfGame {
            file: file.clone(),
            ..foul
        }));
    })?;
    drop(job);
    if settings.json {
        let mut told = tally.json::<KifuGames>();
        let ended = fouls.iter().filter(|foul| foul.is_last);
        told["ended_by_illegal_move"] = ended
            .map(|foul| json!({ "file": foul.file, "line": foul.line, "move": foul.mv }))
            .collect::<Vec<_>>()
            .into();
        told["fouls"] = fouls
            .iter()
            .map(FoulOfGame::json)
            .collect::<Vec<_>>()
            .into();
        print::json(&told)?;
    } else {
        let mut lines: Vec<String> = fouls.iter().map(FoulOfGame::text).collect();
        lines.push(format!(
            "games: {} good, {} bad",
            HumanCount(tally.games),
            HumanCount(tally.bad)
        ));
        print::lines(lines)?;
    }
    Ok(tally.code())
}

/// A move against the rules.
struct FoulOfGame {
    file: String,
    /// Where the game begins.
    line: u64,
    /// The number of the move.
    number: usize,
    mv: String,
    foul: Foul,
    /// No move follows it.
    is_last: bool,
}

impl FoulOfGame {
    fn text(&self) -> String {
        let Self {
            file,
            line,
            number,
            mv,
            foul,
            ..
        } = self;
        if self.is_last {
            format!(
                "{file}: line {line}: the game ends with the illegal move {mv}, move {number}: {foul}"
            )
        } else {
            format!(
                "{file}: line {line}: move {number}, {mv}, is against the rules: {foul}; the game goes on"
            )
        }
    }

    fn json(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.line,
            "number": self.number,
            "move": self.mv,
            "foul": self.foul.name(),
            "foul_ja": self.foul.japanese(),
            "last": self.is_last,
        })
    }
}

pub(crate) fn stats(args: &StatsArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let inputs = args.inputs.paths()?;
    let _claim = match &args.html {
        Some(html) => settings.overwrite().claim(html, &inputs)?,
        None => Claim::default(),
    };
    let job = settings.job()?;
    let mut stats = RecordStats::default();
    let work = |game: ArchiveGame| (game.record, game.format);
    let add = |_: &Path, (record, format): (GameRecord, KifuFormat)| {
        stats.add(&record, format);
    };
    let tally = for_each_game(&inputs, args.inputs.on_bad(), &job, work, add)?;
    job.progress.stage("done", None, Unit::Games);
    drop(job);
    if stats.games == 0 {
        bail!("no game could be read ({} bad)", tally.bad);
    }
    let tables = tables(&stats, args.top);
    if let Some(path) = &args.html {
        let mut file = AtomicFile::create(path)?;
        file.put(page(&stats, &tables).as_bytes())?;
        file.commit()?;
    }
    if settings.json {
        print::json(&as_json(&stats, &tally))?;
    } else if args.html.is_none() {
        let mut lines = vec![format!(
            "games: {}, moves: {} ({:.1} a game), variations: {}, lines of comment: {}",
            HumanCount(stats.games),
            HumanCount(stats.moves),
            stats.moves as f64 / stats.games as f64,
            HumanCount(stats.variations),
            HumanCount(stats.comments),
        )];
        for (title, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
            lines.push(String::new());
            lines.push((*title).to_owned());
            lines.extend(
                rows.iter()
                    .map(|(name, count)| format!("  {count:>9}  {name}")),
            );
        }
        print::lines(lines)?;
    }
    Ok(tally.code())
}

/// A title, and names with their counts.
type Table = (&'static str, Vec<(String, String)>);

fn tables(stats: &RecordStats, top: usize) -> Vec<Table> {
    let lengths = stats
        .lengths
        .iter()
        .map(|(from, count)| plain(&format!("{from} to {}", from + 9), *count));
    vec![
        ("Formats", in_order(&stats.formats)),
        ("Outcomes", in_order(&stats.outcomes)),
        ("Endings", most_frequent(&stats.endings, top)),
        ("Starts", most_frequent(&stats.starts, top)),
        ("Moves", lengths.collect()),
        ("Openings", named_openings(stats, top)),
        ("Castles", most_frequent(&stats.castles, top)),
        ("First moves", most_frequent(&stats.openings, top)),
        ("Players", players(stats, top)),
        ("Moves with evaluations", in_order(&stats.evaluations)),
    ]
}

fn plain(name: &str, count: u64) -> (String, String) {
    let name = if name.is_empty() { "(none)" } else { name };
    (name.to_owned(), HumanCount(count).to_string())
}

fn in_order<N: AsRef<str>>(counts: &BTreeMap<N, u64>) -> Vec<(String, String)> {
    let rows = counts.iter();
    rows.map(|(name, count)| plain(name.as_ref(), *count))
        .collect()
}

fn most_frequent<N: AsRef<str> + Ord>(
    counts: &BTreeMap<N, u64>,
    top: usize,
) -> Vec<(String, String)> {
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let rows = rows.into_iter().take(top);
    rows.map(|(name, count)| plain(name.as_ref(), *count))
        .collect()
}

fn players(stats: &RecordStats, top: usize) -> Vec<(String, String)> {
    let mut players: Vec<_> = stats.players.iter().collect();
    players.sort_by(|a, b| b.1[0].cmp(&a.1[0]).then_with(|| a.0.cmp(b.0)));
    let row = |(name, [games, wins, losses]): (&String, &[u64; 3])| {
        let name = format!("{name} (won {wins}, lost {losses})");
        (name, HumanCount(*games).to_string())
    };
    players.into_iter().take(top).map(row).collect()
}

/// The openings that have names, the most frequent first.
fn named_openings(stats: &RecordStats, top: usize) -> Vec<(String, String)> {
    let mut counts: Vec<_> = stats.named_openings.iter().collect();
    counts.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(b.0)));
    let row = |(ja, count): &(&&str, &NamedOpeningCount)| {
        let name = if ja.is_empty() {
            "(none)".to_owned()
        } else {
            format!("{ja} {}", count.en)
        };
        let wins = format!(
            " (black won {}, white won {})",
            count.black_wins, count.white_wins
        );
        (name + &wins, HumanCount(count.games).to_string())
    };
    counts.iter().take(top).map(row).collect()
}

fn as_json(stats: &RecordStats, tally: &Tally) -> Value {
    let players: serde_json::Map<String, Value> = stats
        .players
        .iter()
        .map(|(name, [games, wins, losses])| {
            (
                name.clone(),
                json!({ "games": games, "wins": wins, "losses": losses }),
            )
        })
        .collect();
    let mut told = tally.json::<KifuGames>();
    let lengths: serde_json::Map<String, Value> = stats
        .lengths
        .iter()
        .map(|(from, count)| (from.to_string(), (*count).into()))
        .collect();
    let named: serde_json::Map<String, Value> = stats
        .named_openings
        .iter()
        .map(|(name, count)| {
            let count = json!({ "en": count.en, "games": count.games, "black": count.black_wins, "white": count.white_wins });
            ((*name).to_owned(), count)
        })
        .collect();
    for (key, value) in [
        ("moves", json!(stats.moves)),
        ("variations", json!(stats.variations)),
        ("comments", json!(stats.comments)),
        ("illegal", json!(stats.illegal)),
        ("formats", json!(stats.formats)),
        ("outcomes", json!(stats.outcomes)),
        ("endings", json!(stats.endings)),
        ("starts", json!(stats.starts)),
        ("lengths", lengths.into()),
        ("openings", json!(stats.openings)),
        ("named_openings", named.into()),
        ("castles", json!(stats.castles)),
        ("players", players.into()),
        ("evaluations", json!(stats.evaluations)),
    ] {
        told[key] = value;
    }
    told
}

/// A page with the same tables, by itself.
fn page(stats: &RecordStats, tables: &[Table]) -> String {
    let mut page = Page::new("Game records");
    page.paragraph(format_args!(
        "{}, {}, {}",
        counted(stats.games, "game", "games"),
        counted(stats.moves, "move", "moves"),
        counted(stats.variations, "variation", "variations")
    ));
    for (title, rows) in tables.iter().filter(|(_, rows)| !rows.is_empty()) {
        page.section(*title);
        let rows = rows
            .iter()
            .map(|(name, count)| vec![name.clone(), count.clone()]);
        page.table(&[], rows);
    }
    page.finish()
}

pub(crate) fn show(args: &ShowArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let job = settings.printing_job()?;
    let (mut found, mut number) = (None, 0);
    let work = |game: ArchiveGame| game.record;
    let file = std::slice::from_ref(&args.file);
    for_each_game(file, OnBadRecord::Stop, &job, work, |_, record| {
        number += 1;
        if number == args.game {
            found = Some(record);
        }
    })?;
    drop(job);
    let Some(record) = found else {
        bail!(
            "{} has {}, no game {}",
            args.file.display(),
            counted(number, "game", "games"),
            args.game
        );
    };
    let moves = record.played_moves().count();
    let ply = args.ply.unwrap_or(moves);
    if ply > moves {
        let moves = counted(moves as u64, "move", "moves");
        bail!("the game has {moves}, no position after {ply}");
    }
    let (position, last) = record.position_at(ply);
    if let Some(picture) = &args.svg {
        let svg = BoardSvg::new(&position).last_move(last).to_string();
        let mut sink = RecordSink::create(picture, file, settings)?;
        sink.put(format!("{}\n", svg.trim_end()).as_bytes(), b"")?;
        let is_standard = sink.is_standard();
        sink.commit()?;
        if is_standard {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if settings.json {
        let last = last.map(|m| m.to_string());
        print::json(
            &json!({ "sfen": position.to_sfen(), "ply": ply, "moves": moves, "last_move": last }),
        )?;
    } else {
        let bod = write_bod(&position);
        print::lines(
            bod.lines()
                .chain([format!("sfen {}", position.to_sfen()).as_str()]),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
