//! JSON of Othello Quest: `players`, and `position.moves` with a move `m` (`-` for a pass) and its time `t` in milliseconds.
//!
//! Members that are not known here are kept: those of the game and of `position` by their path, those of players and moves as well.

use std::time::Duration;

use othello_core::{Move, Position, Side, State};

use crate::losses::{RecordLoss, RecordLosses};
use crate::properties::Fault;
use crate::raw_json::{JsonWriter, RawObject, quoted};
use crate::result::{OthelloEnd, OthelloOutcome, OthelloResult};
use crate::tree::{OthelloRecord, RecordExtra};
use crate::writing::steps;
use crate::{OthelloFormat, transcript};

/// Returns whether an object is a game of Othello Quest.
pub(crate) fn is_game(object: &RawObject) -> bool {
    let position = object.object("position");
    let list = |object: &RawObject| {
        object.objects("moves").is_some_and(|moves| {
            moves
                .iter()
                .all(|mv| mv.get("m").is_some() || mv.get("s").is_some())
                && !moves.is_empty()
        })
    };
    position.is_some_and(|position| position.get("moves") == Some("[]") || list(&position))
        || list(object)
}

fn extra(key: String, value: &str) -> RecordExtra {
    RecordExtra {
        format: OthelloFormat::Quest,
        key,
        value: value.to_owned(),
    }
}

/// Reads a game.
pub(crate) fn read(object: &RawObject) -> Result<OthelloRecord, Fault> {
    let mut record = OthelloRecord::default();
    let position = object.object("position");
    let (path, holder) = match &position {
        Some(position) if position.get("moves").is_some() => ("position.", position),
        _ => ("", object),
    };
    let moves = holder
        .objects("moves")
        .ok_or_else(|| Fault::new(0, "moves: a list of objects was expected"))?;
    let result = played(&mut record, &moves)?;
    let mut extras = Vec::new();
    for (key, value) in &object.0 {
        match key.as_str() {
            "position" if !path.is_empty() => {
                let others = holder.0.iter().filter(|(key, _)| key != "moves");
                extras
                    .extend(others.map(|(key, value)| extra(format!("{path}{key}"), value.get())));
            }
            "moves" if path.is_empty() => {}
            "players" => players(&mut record, object, &mut extras)?,
            "created" if object.text(key).is_some() => {
                record.info.date = object.text(key).unwrap_or_default();
            }
            _ => extras.push(extra(key.clone(), value.get())),
        }
    }
    record.info.extras = extras;
    record.set_result(result);
    Ok(record)
}

/// Plays the moves; returns the result that a last word such as `resign` tells.
fn played(record: &mut OthelloRecord, moves: &[RawObject]) -> Result<Option<OthelloResult>, Fault> {
    let (mut at, mut result) = (OthelloRecord::ROOT, None);
    for (n, object) in moves.iter().enumerate() {
        let wrong = |reason: String| Fault::new(0, format!("move {}: {reason}", n + 1));
        let Some(text) = object.text("m") else {
            let word = object
                .text("s")
                .or_else(|| object.get("s").map(str::to_owned));
            let word = word.ok_or_else(|| wrong("it has neither 'm' nor 's'".to_owned()))?;
            result = result.or_else(|| ended(&word, record.node(at).position().side()));
            // What the result says is written again from it.
            let is_told = object.0.len() == 1
                && n + 1 == moves.len()
                && ["resign", "timeout"].contains(&&word[..]);
            if !is_told {
                let note = record.note_mut(at);
                note.extras.push(extra("end".to_owned(), &text_of(object)));
            }
            continue;
        };
        let mv = transcript::single(&text)
            .ok_or_else(|| wrong(format!("'{text}' is neither a square nor a pass")))?;
        let position = record.node(at).position();
        if mv == Move::Pass && position.board().state() == State::Over {
            continue;
        }
        let next = match mv {
            Move::Place(square) => record.add_square(at, square),
            Move::Pass => record.add(at, mv),
        };
        at = next.ok_or_else(|| wrong(format!("'{text}' is not legal")))?;
        let note = record.note_mut(at);
        for (key, value) in &object.0 {
            match (key.as_str(), value.get().parse::<u64>()) {
                ("m", _) => {}
                ("t", Ok(time)) => note.time = Some(Duration::from_millis(time)),
                _ => note.extras.push(extra(key.clone(), value.get())),
            }
        }
    }
    Ok(result)
}

/// The text of an object.
fn text_of(object: &RawObject) -> String {
    let mut text = JsonWriter::default();
    for (key, value) in &object.0 {
        text.raw(key, value.get());
    }
    text.finish(None)
}

/// The result of a word behind the last move, with a side to move.
fn ended(word: &str, side: Side) -> Option<OthelloResult> {
    let end = match word.to_ascii_lowercase().as_str() {
        "resign" | "r" => OthelloEnd::Resigned,
        "timeout" | "time" | "t" => OthelloEnd::Time,
        _ => return None,
    };
    let outcome = OthelloOutcome::Win(side.other());
    Some(OthelloResult { outcome, end })
}

fn players(
    record: &mut OthelloRecord,
    object: &RawObject,
    extras: &mut Vec<RecordExtra>,
) -> Result<(), Fault> {
    let players = object
        .objects("players")
        .filter(|players| players.len() == 2);
    let players =
        players.ok_or_else(|| Fault::new(0, "players: a list of two objects was expected"))?;
    for (n, player) in players.iter().enumerate() {
        let info = if n == 0 {
            &mut record.info.black
        } else {
            &mut record.info.white
        };
        for (key, value) in &player.0 {
            match key.as_str() {
                "name" if player.text(key).is_some() => {
                    info.name = player.text(key).unwrap_or_default();
                }
                "oldR" if value.get().parse::<f64>().is_ok() => {
                    value.get().clone_into(&mut info.rating);
                }
                _ => extras.push(extra(format!("players.{n}.{key}"), value.get())),
            }
        }
    }
    Ok(())
}

/// Writes the line that is played.
pub(crate) fn write(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let info = &record.info;
    let mut text = JsonWriter::default();
    if !info.date.is_empty() {
        text.text("created", &info.date);
    }
    let own: Vec<_> = info
        .extras
        .iter()
        .filter(|extra| extra.format == OthelloFormat::Quest)
        .collect();
    let below = |path: &str, object: &mut JsonWriter| {
        for extra in &own {
            if let Some(key) = extra
                .key
                .strip_prefix(path)
                .filter(|key| !path.is_empty() || !key.contains('.'))
            {
                object.raw(key, extra.value.clone());
            }
        }
    };
    let players = [&info.black, &info.white]
        .into_iter()
        .enumerate()
        .map(|(n, player)| {
            let mut object = JsonWriter::default();
            if !player.name.is_empty() {
                object.text("name", &player.name);
            }
            let is_number = player.rating.parse::<f64>().is_ok_and(f64::is_finite)
                && serde_json::from_str::<f64>(&player.rating).is_ok();
            if is_number {
                object.raw("oldR", player.rating.clone());
            } else {
                losses.text(RecordLoss::Ratings, &player.rating);
            }
            below(&format!("players.{n}."), &mut object);
            object.finish(None)
        });
    let players: Vec<_> = players.collect();
    text.raw("players", format!("[{}]", players.join(",")));
    below("", &mut text);
    let mut position = JsonWriter::default();
    below("position.", &mut position);
    position.raw("moves", moves(record, losses));
    text.raw("position", position.finish(None));
    for name in [&info.event, &info.round, &info.place] {
        losses.text(RecordLoss::Names, name);
    }
    losses.text(RecordLoss::TimeControls, &info.time_control);
    losses.variant(info);
    losses.text(RecordLoss::Comments, &info.comment);
    losses.foreign(&info.extras, OthelloFormat::Quest);
    losses.variations(record);
    losses.add(
        RecordLoss::Starts,
        usize::from(record.start() != Position::START),
    );
    for id in record.ids() {
        let note = &record.node(id).note;
        losses.add(
            RecordLoss::Times,
            usize::from(id == OthelloRecord::ROOT && note.time.is_some()),
        );
        losses.add(RecordLoss::Values, usize::from(note.value.is_some()));
        losses.add(RecordLoss::Levels, usize::from(note.level.is_some()));
        losses.text(RecordLoss::Comments, &note.comment);
        losses.foreign(&note.extras, OthelloFormat::Quest);
    }
    format!("{}\n", text.finish(None))
}

/// The list of moves.
fn moves(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let mut list = Vec::new();
    let ends = |id| {
        let extras = record.node(id).note.extras.iter();
        extras
            .filter(|extra: &&RecordExtra| {
                extra.format == OthelloFormat::Quest && extra.key == "end"
            })
            .map(|extra| extra.value.clone())
            .collect::<Vec<_>>()
    };
    list.extend(ends(OthelloRecord::ROOT));
    for (id, _, mv) in steps(record) {
        let mut object = JsonWriter::default();
        object.raw(
            "m",
            match mv {
                Move::Pass => quoted("-"),
                Move::Place(square) => quoted(&square.to_string()),
            },
        );
        let note = &record.node(id).note;
        if let Some(time) = note.time {
            object.raw("t", time.as_millis().to_string());
        }
        for extra in &note.extras {
            if extra.format == OthelloFormat::Quest && extra.key != "end" {
                object.raw(&extra.key, extra.value.clone());
            }
        }
        list.push(object.finish(None));
        list.extend(ends(id));
    }
    let has_end = record.ids().any(|id| !ends(id).is_empty());
    if let Some(result) = record.info.result.filter(|_| !has_end) {
        let loser = record.node(record.last()).position().side();
        let word = match (result.outcome, result.end) {
            (OthelloOutcome::Win(side), OthelloEnd::Resigned) if side != loser => Some("resign"),
            (OthelloOutcome::Win(side), OthelloEnd::Time) if side != loser => Some("timeout"),
            _ => None,
        };
        match word {
            Some(word) => list.push(format!("{{\"s\":{}}}", quoted(word))),
            None => losses.add(RecordLoss::Results, 1),
        }
    }
    format!("[{}]", list.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<OthelloRecord, Fault> {
        read(&RawObject::read(text)?)
    }

    #[test]
    fn games_are_read_as_they_are_written_with_unknown_members() {
        let text = "{\"created\":\"2024-05-01T10:00:00.000Z\",\"players\":[{\"name\":\"a\",\"oldR\":1500.25,\"id\":\"x\"},{\"name\":\"b\"}],\
                    \"id\":12345678901234567890,\"tcb\":[1,2],\"position\":{\"start\":null,\"moves\":[{\"m\":\"f5\",\"t\":1234},{\"m\":\"d6\",\"x\":1.0},{\"m\":\"c3\"},{\"s\":\"resign\"}]}}\n";
        let record = read_text(text).unwrap();
        assert_eq!(record.game().to_string(), "f5d6c3");
        assert_eq!(
            (&record.info.black.rating[..], &record.info.white.name[..]),
            ("1500.25", "b")
        );
        assert_eq!(
            record.result().map(|result| result.to_string()).as_deref(),
            Some("White resigns")
        );
        let mut losses = RecordLosses::default();
        assert_eq!(write(&record, &mut losses), text);
        assert!(losses.is_empty(), "{losses}");
        assert!(is_game(&RawObject::read(text).unwrap()));
        assert!(!is_game(
            &RawObject::read("{\"moves\":[{\"move\":\"f5\"}]}").unwrap()
        ));
    }

    #[test]
    fn mistakes_name_the_move() {
        for (moves, reason) in [
            (
                "[{\"m\":\"f5\"},{\"m\":\"f5\"}]",
                "move 2: 'f5' is not legal",
            ),
            ("[{\"m\":\"f9\"}]", "move 1: 'f9' is neither"),
            ("[{\"x\":1}]", "move 1: it has neither"),
            ("3", "a list of objects"),
        ] {
            let fault = read_text(&format!("{{\"position\":{{\"moves\":{moves}}}}}")).unwrap_err();
            assert!(fault.reason.contains(reason), "{fault:?}");
        }
        assert!(
            read_text("{\"players\":3,\"moves\":[{\"m\":\"f5\"}]}")
                .unwrap_err()
                .reason
                .contains("list of two")
        );
    }
}
