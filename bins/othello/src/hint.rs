//! `hint`, `analyze` and `random`: values of moves, of games, and positions to think about.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use othello_core::{Game, Move, Position, Side, Square};
use othello_engine::{
    AnalysedMove, AnalysisChart, AnalysisSums, BoardPicture, Hint, HintSource, Hints, Judge,
    PictureMarks, RandomRule, analysis_sums,
};
use othello_record::RecordItem;
use othello_search::Control;
use serde_json::{Value, json};
use yane_cli::records::RecordSink;
use yane_cli::{FINDINGS, Settings, UsageError, print};
use yane_io::{Error, Progress, Unit};

use crate::args::{Analyze, HintArgs, Random};
use crate::book::lookup::{playable, records};
use crate::print::{Align, Table, count, counted, counts_json, counts_text};
use crate::protocol::{another_seed, engine, thinker};

pub(crate) fn hint(args: &HintArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = records(&args.boards)?;
    let openings = args.openings.openings()?;
    let mut picture = picture(args.svg.as_deref(), (items.len(), "position"), settings)?;
    let mut session = thinker(&args.thinker, settings)?;
    let job = settings.printing_job()?;
    let control = Control::with_stop(job.cancelled.clone());
    job.progress
        .stage("searching", Some(items.len() as u64), Unit::Positions);
    let mut is_good = true;
    for item in &items {
        let Some(game) = record(item, &*job.progress) else {
            is_good = false;
            continue;
        };
        let position = game.position();
        session.set_game(Game::new(position))?;
        let hints = session.hints(args.moves.0, &control, &mut ());
        // A time that is over is no interruption.
        job.check()?;
        let opening = openings.name(game);
        if let Some(mut sink) = picture.take() {
            let is_standard = sink.is_standard();
            let values = placed_values(&hints);
            let svg = BoardPicture::new(game, PictureMarks::LastMove).values(&values);
            sink.put(svg.to_string().as_bytes(), b"")?;
            sink.commit()?;
            if is_standard {
                continue;
            }
        }
        if settings.json {
            print::json(&hints_json(position, opening, &hints))?;
        } else {
            if items.len() > 1 {
                print::lines([format!("{position}")])?;
            }
            print::lines(opening.map(|name| format!("Opening: {name}")))?;
            print::lines(hint_lines(&hints))?;
        }
        job.progress.advance(1);
    }
    Ok(ExitCode::from(if is_good { 0 } else { FINDINGS }))
}

/// The file for the picture of the one position or game.
fn picture(
    path: Option<&Path>,
    (count, what): (usize, &str),
    settings: &Settings,
) -> anyhow::Result<Option<RecordSink>> {
    let Some(path) = path else { return Ok(None) };
    if count != 1 {
        let all = counted(count as u64, what, &format!("{what}s"));
        return Err(UsageError(format!("--svg draws one {what}, not {all}")).into());
    }
    Ok(Some(RecordSink::create(path, &[], settings)?))
}

/// The squares of moves, with their values.
fn placed_values(hints: &Hints) -> Vec<(Square, i32)> {
    let placed = |hint: &Hint| match hint.mv {
        Move::Place(square) => Some((square, hint.score)),
        Move::Pass => None,
    };
    hints.moves.iter().filter_map(placed).collect()
}

/// The game of a record; one that cannot be played is noted.
fn record<'a>(item: &'a RecordItem, progress: &dyn Progress) -> Option<&'a Game> {
    match playable(item) {
        Ok(record) => Some(&record.game),
        Err(error) => {
            progress.note(&format!("line {}: {error}", item.line));
            None
        }
    }
}

/// The JSON of hints: that of `solve`, with moves of the book too.
fn hints_json(position: Position, opening: Option<&str>, hints: &Hints) -> Value {
    json!({
        "board": position.to_string(),
        "opening": opening,
        "score": hints.score,
        "best": hints.moves.first().map(|best| best.mv.to_string()),
        "moves": hints.moves.iter().map(hint_json).collect::<Vec<_>>(),
        "nodes": hints.nodes,
        "seconds": hints.elapsed.as_secs_f64(),
    })
}

pub(crate) fn hint_json(hint: &Hint) -> Value {
    let (depth, probability, level) = match hint.source {
        HintSource::Book { level, .. } => (None, None, level),
        HintSource::Search {
            depth, selectivity, ..
        } => (Some(depth), Some(selectivity.percent()), None),
    };
    json!({
        "move": hint.mv.to_string(),
        "score": hint.score,
        "score_tenths": hint.tenths,
        "depth": depth,
        "probability": probability,
        "exact": hint.source.is_exact(),
        "book": matches!(hint.source, HintSource::Book { .. }),
        "level": level,
        "games": hint.games().map(counts_json),
        "pv": hint.transcript(),
    })
}

fn hint_lines(hints: &Hints) -> Vec<String> {
    if hints.moves.is_empty() {
        return vec![format!("the game is over: {:+}", hints.score)];
    }
    // Only books that were made of games have them.
    let has_games = hints.moves.iter().any(|hint| hint.games().is_some());
    let mut columns = vec![
        ("Move", Align::Left),
        ("Score", Align::Right),
        ("Depth", Align::Right),
        ("Nodes", Align::Right),
    ];
    columns.extend(has_games.then_some(("Games", Align::Right)));
    columns.push(("Best play", Align::Left));
    let mut table = Table::new(&columns);
    for hint in &hints.moves {
        let depth = match hint.source {
            source if source.is_exact() => "exact".to_owned(),
            source => source.to_string(),
        };
        let mut row = vec![
            name(hint.mv),
            format!("{:+}", hint.score),
            depth,
            count(hint.nodes),
        ];
        row.extend(has_games.then(|| hint.games().map_or_else(String::new, counts_text)));
        row.push(hint.transcript());
        table.row(row);
    }
    table.lines()
}

pub(crate) fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    }
}

pub(crate) fn analyze(args: &Analyze, settings: &Settings) -> anyhow::Result<ExitCode> {
    let items = records(&args.games)?;
    let openings = args.openings.openings()?;
    let mut picture = picture(args.svg.as_deref(), (items.len(), "game"), settings)?;
    let mut session = thinker(&args.thinker, settings)?;
    let job = settings.printing_job()?;
    let control = Control::with_stop(job.cancelled.clone());
    let last = args.last.map_or(usize::MAX, |last| last as usize);
    let moves = |item: &RecordItem| {
        let record = item.record.as_ref();
        record.map_or(0, |record| record.game.moves().len().min(last))
    };
    let total: usize = items.iter().map(moves).sum();
    job.progress
        .stage("analysing", Some(total as u64), Unit::Positions);
    let mut is_good = true;
    for (n, item) in items.iter().enumerate() {
        let Some(game) = record(item, &*job.progress) else {
            is_good = false;
            continue;
        };
        session.set_game(game.clone())?;
        session.clear();
        let mut tell = |_: &AnalysedMove| job.progress.advance(1);
        let analysed = session.analyse(last, &control, &mut tell);
        job.check()?;
        if let Some(mut sink) = picture.take() {
            let is_standard = sink.is_standard();
            let svg = AnalysisChart::new(&analysed).to_string();
            sink.put(svg.as_bytes(), b"")?;
            sink.commit()?;
            if is_standard {
                continue;
            }
        }
        let opening = openings.name(game);
        if settings.json {
            print::json(&analysis_json(game, opening, &analysed))?;
        } else {
            if items.len() > 1 {
                let empty = if n == 0 { "" } else { "\n" };
                print::lines([format!("{empty}{game}")])?;
            }
            print::lines(opening.map(|name| format!("Opening: {name}")))?;
            print::lines(analysis_lines(&analysed))?;
        }
    }
    Ok(ExitCode::from(if is_good { 0 } else { FINDINGS }))
}

fn analysis_json(game: &Game, opening: Option<&str>, analysed: &[AnalysedMove]) -> Value {
    let mv = |mv: &AnalysedMove| {
        json!({
            "ply": mv.ply,
            "side": side(mv.side).to_ascii_lowercase(),
            "played": hint_json(&mv.played),
            "alternative": mv.alternative.as_ref().map(hint_json),
            "loss": mv.loss(),
            "judge": mv.judge().map(|judge| judge_name(judge).to_ascii_lowercase()),
        })
    };
    let sums = |sums: AnalysisSums| {
        json!({
            "moves": sums.moves,
            "disagree": sums.disagree,
            "disagree_loss": sums.disagree_loss,
            "mistake": sums.mistake,
            "mistake_loss": sums.mistake_loss,
            "average_error": sums.average_error(),
        })
    };
    json!({
        "start": game.start().to_string(),
        "game": game.to_string(),
        "opening": opening,
        "moves": analysed.iter().rev().map(mv).collect::<Vec<_>>(),
        "black": sums(analysis_sums(analysed, Side::Black)),
        "white": sums(analysis_sums(analysed, Side::White)),
    })
}

fn analysis_lines(analysed: &[AnalysedMove]) -> Vec<String> {
    let mut table = Table::new(&[
        ("Ply", Align::Right),
        ("Player", Align::Left),
        ("Played", Align::Left),
        ("Score", Align::Right),
        ("Depth", Align::Right),
        ("Alternative", Align::Left),
        ("Score", Align::Right),
        ("Depth", Align::Right),
        ("Loses", Align::Right),
        ("Judge", Align::Left),
    ]);
    for mv in analysed.iter().rev() {
        let other = mv.alternative.as_ref();
        let of_other = |text: &dyn Fn(&Hint) -> String| other.map_or(String::new(), text);
        table.row([
            mv.ply.to_string(),
            side(mv.side).to_owned(),
            name(mv.played.mv),
            format!("{:+}", mv.played.score),
            mv.played.source.to_string(),
            of_other(&|hint| name(hint.mv)),
            of_other(&|hint| format!("{:+}", hint.score)),
            of_other(&|hint| hint.source.to_string()),
            mv.loss().to_string(),
            mv.judge().map_or("", judge_name).to_owned(),
        ]);
    }
    let mut sums = Table::new(&[
        ("Player", Align::Left),
        ("Moves", Align::Right),
        ("Disagree", Align::Right),
        ("Discs", Align::Right),
        ("Mistakes", Align::Right),
        ("Discs", Align::Right),
        ("Average error", Align::Right),
    ]);
    for player in [Side::Black, Side::White] {
        let sum = analysis_sums(analysed, player);
        sums.row([
            side(player).to_owned(),
            sum.moves.to_string(),
            sum.disagree.to_string(),
            sum.disagree_loss.to_string(),
            sum.mistake.to_string(),
            sum.mistake_loss.to_string(),
            format!("{:.3}", sum.average_error()),
        ]);
    }
    let mut lines = table.lines();
    lines.push(String::new());
    lines.extend(sums.lines());
    lines
}

const fn side(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

const fn judge_name(judge: Judge) -> &'static str {
    match judge {
        Judge::Disagree => "Disagree",
        Judge::Mistake => "Mistake",
    }
}

pub(crate) fn random(args: &Random, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut session = engine(&args.engine, &args.book, settings)?;
    session.set_seed(args.seed.unwrap_or_else(another_seed));
    let job = settings.printing_job()?;
    let control = Control::with_stop(job.cancelled.clone());
    let rule = args.value.as_ref().map_or(RandomRule::Manual, |range| {
        RandomRule::InRange(range.0.clone())
    });
    job.progress
        .stage("playing", Some(u64::from(args.count)), Unit::Positions);
    for _ in 0..args.count {
        let found = session.random_game(args.moves, &rule, &control);
        if job.check().is_err() {
            return Err(Error::Cancelled.into());
        }
        let game = found.context("no such position was found in 40 games")?;
        if settings.json {
            let (board, moves) = (game.position().to_string(), game.to_string());
            print::json(&json!({ "board": board, "moves": moves }))?;
        } else {
            print::lines([format!("{} {game}", game.position())])?;
        }
        job.progress.advance(1);
    }
    Ok(ExitCode::SUCCESS)
}
