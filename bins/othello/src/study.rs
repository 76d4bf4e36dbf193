//! `opening`, `xot`, `board`: names of openings, balanced openings, boards turned and marked.

use std::process::ExitCode;

use othello_core::{Game, Move, Position, Symmetry};
use othello_engine::{BoardPicture, PictureMarks};
use othello_record::{
    NamedOpening, OpeningLanguage, OthelloFormat, OthelloRecord, diagram, diagram_of_moves,
};
use othello_search::{BalancedOpenings, Control, stable_squares};
use serde_json::{Value, json};
use yane_cli::records::RecordSink;
use yane_cli::{FINDINGS, Settings, UsageError, print};
use yane_io::{AtomicFile, Claim, Error, Unit};

use crate::args::{NameOpening, ShowBoard, Transform, Xot};
use crate::book::lookup::{game, games};
use crate::games::Names;
use crate::print::counted;
use crate::protocol::searcher;
use crate::settings::EngineSettings;

pub(crate) fn opening(args: &NameOpening, settings: &Settings) -> anyhow::Result<ExitCode> {
    let names = args.openings.names()?;
    if args.all {
        for opening in names.list.openings() {
            if settings.json {
                let mut told = named_json(opening);
                told["moves"] = line_of(opening).into();
                print::json(&told)?;
            } else if let Some(name) = names.of(opening) {
                print::lines([format!("{}\t{name}", line_of(opening))])?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut is_missing = false;
    for text in &args.games {
        for item in games(text)? {
            let game = match &item.record {
                Ok(record) => &record.game,
                Err(error) => {
                    eprintln!("othello: line {}: {error}", item.line);
                    is_missing = true;
                    continue;
                }
            };
            is_missing |= names.of_game(game).is_none();
            if settings.json {
                print::json(&as_json(game, &names))?;
            } else {
                print::lines(lines(game, &names))?;
            }
        }
    }
    Ok(ExitCode::from(if is_missing { FINDINGS } else { 0 }))
}

/// The names of an opening; null in a language without one.
fn named_json(opening: &NamedOpening) -> Value {
    let name = |language| opening.name(language);
    json!({
        "english": name(OpeningLanguage::English),
        "japanese": name(OpeningLanguage::Japanese),
    })
}

/// The moves of an opening, or the board of a list of boards.
fn line_of(opening: &NamedOpening) -> String {
    if opening.game.moves().is_empty() {
        opening.game.start().to_string()
    } else {
        opening.game.to_string()
    }
}

fn as_json(game: &Game, names: &Names) -> Value {
    let along = names.along(game);
    let one = |(ply, opening): &(usize, &NamedOpening)| {
        let mut told = named_json(opening);
        told["ply"] = (*ply).into();
        told["name"] = names.of(opening).into();
        told["line"] = line_of(opening).into();
        told
    };
    json!({
        "moves": game.to_string(),
        "name": names.of_game(game),
        "english": names.list.name(game, OpeningLanguage::English),
        "japanese": names.list.name(game, OpeningLanguage::Japanese),
        "ply": along.last().map(|(ply, _)| ply),
        "openings": along.iter().map(one).collect::<Vec<_>>(),
    })
}

/// The openings along a game, the longest last.
fn lines(game: &Game, names: &Names) -> Vec<String> {
    let along = names.along(game);
    if along.is_empty() {
        return vec![format!("{game}: no opening with a name")];
    }
    let line = |(ply, opening): &(usize, &NamedOpening)| {
        let mut begin = Game::new(game.start());
        for mv in &game.moves()[..*ply] {
            begin.play_unchecked(*mv);
        }
        format!(
            "{ply:>3}  {}  {begin}",
            names.of(opening).unwrap_or_default()
        )
    };
    along.iter().map(line).collect()
}

pub(crate) fn xot(args: &Xot, settings: &Settings) -> anyhow::Result<ExitCode> {
    let _claim = match &args.output {
        Some(output) => settings
            .overwrite()
            .claim::<std::path::PathBuf>(output, &[])?,
        None => Claim::default(),
    };
    // With more threads the openings would not be the same each time.
    let mut searcher = searcher(&args.search, &EngineSettings::default(), 1)?;
    let job = settings.job()?;
    let control = Control::with_stop(job.cancelled.clone());
    let wanted = BalancedOpenings {
        count: args.count.map_or(usize::MAX, |count| count as usize),
        plies: args.plies,
        most: args.max_score as i32,
        depth: args.depth,
        seed: args.seed,
    };
    let found = if let Some(count) = args.count {
        job.progress
            .stage("searching", Some(u64::from(count)), Unit::Positions);
        wanted.find(&mut searcher, &control, || job.progress.advance(1))
    } else {
        let candidates = wanted.candidates();
        let candidates = candidates.ok_or_else(|| UsageError(format!("--plies {}: there are too many openings of more than 9 plies to search all; add --count N", args.plies)))?;
        job.progress
            .stage("searching", Some(candidates.len() as u64), Unit::Positions);
        wanted.balanced_of(&candidates, &mut searcher, &control, || {
            job.progress.advance(1);
        })
    };
    let openings = found.ok_or(Error::Cancelled)?;
    drop(job);
    if args
        .count
        .is_some_and(|count| openings.len() < count as usize)
    {
        let found = counted(openings.len() as u64, "such opening", "such openings");
        eprintln!("othello: there are not so many, only {found}");
    }
    let mut text = String::new();
    for game in &openings {
        let line = if settings.json {
            let score = wanted
                .score(game, &mut searcher, &control)
                .ok_or(Error::Cancelled)?;
            json!({ "moves": game.to_string(), "board": game.position().to_string(), "score": score }).to_string()
        } else {
            game.to_string()
        };
        text.push_str(&line);
        text.push('\n');
    }
    match &args.output {
        Some(output) => {
            let mut file = AtomicFile::create(output)?;
            file.put(text.as_bytes())?;
            file.commit()?;
        }
        None => print::lines(text.lines())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The symmetry that turns a game as it is wanted; `None` if it has no first move.
fn symmetry(how: Transform, game: &Game) -> Option<Symmetry> {
    let number = |number: usize| Some(Symmetry::ALL[number]);
    match how {
        Transform::None => number(0),
        Transform::Horizontal => number(1),
        Transform::Vertical => number(2),
        Transform::Rotate180 => number(3),
        Transform::Diagonal => number(4),
        Transform::Rotate270 => number(5),
        Transform::Rotate90 => number(6),
        Transform::Antidiagonal => number(7),
        Transform::Canonical => Some(game.position().board().canonical().symmetry),
        Transform::F5 => {
            let first = *game.moves().first()?;
            let wanted: Move = Move::Place("f5".parse().ok()?);
            Symmetry::ALL.into_iter().find(|symmetry| {
                symmetry.apply(first) == wanted
                    && symmetry.board(game.start().board()) == game.start().board()
            })
        }
    }
}

/// A game turned by a symmetry.
fn turned(game: &Game, symmetry: Symmetry) -> Game {
    let start = game.start();
    let mut turned = Game::new(Position::new(symmetry.board(start.board()), start.side()));
    for &mv in game.moves() {
        turned.play_unchecked(symmetry.apply(mv));
    }
    turned
}

pub(crate) fn board(args: &ShowBoard, settings: &Settings) -> anyhow::Result<ExitCode> {
    let mut game = game(&args.game, settings)?;
    if let Some(ply) = args.ply {
        if ply > game.moves().len() {
            let moves = counted(game.moves().len() as u64, "move", "moves");
            return Err(UsageError(format!("--ply {ply}: the game has {moves}")).into());
        }
        while game.moves().len() > ply {
            game.undo();
        }
    }
    let symmetry = symmetry(args.transform, &game);
    let symmetry = symmetry.ok_or_else(|| {
        UsageError("--transform f5: the game has no first move from the start position".to_owned())
    })?;
    let game = turned(&game, symmetry);
    if let Some(picture) = &args.svg {
        let marks = match (args.numbers, args.stable) {
            (true, _) => PictureMarks::Numbers,
            (_, true) => PictureMarks::Stable,
            _ => PictureMarks::LastMove,
        };
        let mut sink = RecordSink::create(picture, &[], settings)?;
        sink.put(BoardPicture::new(&game, marks).to_string().as_bytes(), b"")?;
        let is_standard = sink.is_standard();
        sink.commit()?;
        if is_standard {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let position = game.position();
    let stable = stable_squares(position.board());
    if settings.json {
        let squares = |bits: u64| {
            othello_core::Squares(bits)
                .iter()
                .map(|square| square.to_string())
                .collect::<Vec<_>>()
        };
        print::json(&json!({
            "board": position.to_string(),
            "moves": game.to_string(),
            "black": position.black().count_ones(),
            "white": position.white().count_ones(),
            "legal": squares(position.board().legal_moves().0),
            "stable_black": squares(stable.0 & position.black()),
            "stable_white": squares(stable.0 & position.white()),
            "canonical": position.board().canonical().symmetry.number(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = if args.numbers {
        diagram_of_moves(&game)
    } else if let Some(format) = args
        .to
        .as_deref()
        .and_then(|name| name.parse::<OthelloFormat>().ok())
    {
        format.write(&OthelloRecord::from(&game)).0
    } else if args.stable {
        let text = diagram(position);
        let names = stable
            .iter()
            .map(|square| square.to_string())
            .collect::<Vec<_>>();
        let black = (stable.0 & position.black()).count_ones();
        let white = (stable.0 & position.white()).count_ones();
        let names = names.join(" ");
        [
            text.trim_end(),
            &format!("Stable: {black} black, {white} white: {names}"),
        ]
        .join("\n")
    } else {
        diagram(position)
    };
    print::lines(text.lines())?;
    Ok(ExitCode::SUCCESS)
}
