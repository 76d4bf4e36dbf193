//! SGF (FF 1 to 4, `GM[2]`), with variations.
//!
//! Squares are read as `f5` and, as in records of go, as two letters (`fe`). `V` is the value for black. Three properties are
//! this project's own: `TU`, the time of a move in seconds, `LE`, the level of the search that gave the value, and `GR`, the result as GGF
//! writes it where `RE` cannot hold both discs and the way the game ended.

use std::time::Duration;

use othello_core::{Board, Move, Position, Side, Square, State};

use crate::ggf::{self, add, extra};
use crate::losses::{RecordLoss, RecordLosses};
use crate::properties::{self, Fault, Property, PropertyNode, put, put_values};
use crate::result::{OthelloEnd, OthelloOutcome, OthelloResult, parse_result};
use crate::tree::{DiscValue, GameVariant, OthelloInfo, OthelloNodeId, OthelloRecord, iso_date};
use crate::{OthelloFormat, side};

/// Reads a game with its variations.
pub(crate) fn read(text: &str) -> Result<OthelloRecord, Fault> {
    let nodes = properties::nodes(text)?;
    let mut record = OthelloRecord::new(start(&nodes)?);
    let mut ids: Vec<OthelloNodeId> = Vec::with_capacity(nodes.len());
    let (mut result, mut whole) = (None, None);
    for (n, node) in nodes.iter().enumerate() {
        let mut at = node
            .parent
            .map_or(OthelloRecord::ROOT, |parent| ids[parent]);
        // Moves first: what else a node says is about the position behind them.
        for property in &node.properties {
            let side = match property.name.as_str() {
                "B" | "BLACK" => Side::Black,
                "W" | "WHITE" => Side::White,
                _ => continue,
            };
            at = played(&mut record, at, side, property)?;
        }
        for property in &node.properties {
            // A node without a move before the first one says more of the game.
            let is_set_up = ["AB", "AW", "AE", "PL"].contains(&property.name.as_str());
            let is_of_game = n == 0 || at == OthelloRecord::ROOT && !is_set_up;
            if is_of_game && property.name == "GR" {
                whole = whole.or(ggf::result_of(property.value()).0);
                if whole.is_some() {
                    continue;
                }
            }
            let is_header = is_of_game && header(&mut record.info, property, &mut result)?;
            if !is_header {
                noted(&mut record, at, is_of_game, property)?;
            }
        }
        ids.push(at);
    }
    record.set_result(whole.or(result));
    Ok(record)
}

fn played(
    record: &mut OthelloRecord,
    at: OthelloNodeId,
    side: Side,
    property: &Property,
) -> Result<OthelloNodeId, Fault> {
    let value = property.value().trim();
    let byte = property.values.first().map_or(0, |(byte, _)| *byte);
    let square = letters(value);
    let text = square.map_or_else(|| value.to_owned(), |square| square.to_string());
    // The same move twice is one variation.
    let position = record.node(at).position();
    let mv = text.parse::<Square>().ok().map(Move::Place);
    if position.side() == side
        && let Some(child) = mv.and_then(|mv| record.child(at, mv))
    {
        return Ok(child);
    }
    let text = if value == "tt" { "" } else { &text };
    add(record, at, side, text).map_err(|problem| {
        let ply = position.board().discs() - record.start().board().discs() + 1;
        problem.fault(byte, ply, &property.name, value)
    })
}

/// A square as two letters, the file and the rank from the top.
fn letters(text: &str) -> Option<Square> {
    let [file, rank] = text.as_bytes() else {
        return None;
    };
    let number = |letter: u8| (b'a'..=b'h').contains(&letter).then(|| letter - b'a');
    Square::new(number(*rank)? * 8 + number(*file)?)
}

/// A text that is no square of SGF's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no square")]
struct NoSquare(String);

fn square(text: &str) -> Result<Square, NoSquare> {
    let text = text.trim();
    let read = letters(text).or_else(|| text.parse().ok());
    read.ok_or_else(|| NoSquare(text.to_owned()))
}

/// Takes a property of the first node that is about the game; returns whether it is one.
fn header(
    info: &mut OthelloInfo,
    property: &Property,
    result: &mut Option<OthelloResult>,
) -> Result<bool, Fault> {
    let value = property.value();
    let field = match property.name.as_str() {
        "PB" => &mut info.black.name,
        "PW" => &mut info.white.name,
        "BR" => &mut info.black.rating,
        "WR" => &mut info.white.rating,
        "EV" => &mut info.event,
        "RO" => &mut info.round,
        "PC" => &mut info.place,
        "DT" => &mut info.date,
        "TM" => &mut info.time_control,
        "GC" => &mut info.comment,
        "RE" => {
            *result = result_of(value);
            let is_told = value.trim().is_empty() || value.trim() == "?";
            if result.is_none() && !is_told {
                info.extras.extend(extra(OthelloFormat::Sgf, property));
            }
            return Ok(true);
        }
        "RU" if GameVariant::of_name(value).is_some() => {
            info.variant = GameVariant::of_name(value).unwrap_or_default();
            return Ok(true);
        }
        "SZ" => {
            if !["8", "8:8"].contains(&value.trim()) {
                let at = property.values.first().map_or(0, |(at, _)| *at);
                let reason = format!("a board of 8 × 8 squares was expected, not of {value}");
                return Err(Fault::new(at, reason));
            }
            return Ok(true);
        }
        "GM" | "FF" | "CA" | "AP" | "AB" | "AW" | "AE" | "PL" => return Ok(true),
        _ => return Ok(false),
    };
    value.clone_into(field);
    Ok(true)
}

/// Takes what a node says about its position.
fn noted(
    record: &mut OthelloRecord,
    at: OthelloNodeId,
    is_of_game: bool,
    property: &Property,
) -> Result<(), Fault> {
    let value = property.value();
    let byte = property.values.first().map_or(0, |(byte, _)| *byte);
    if is_of_game
        && !["B", "W", "BLACK", "WHITE", "C", "V", "TU", "LE"].contains(&property.name.as_str())
    {
        record
            .info
            .extras
            .extend(extra(OthelloFormat::Sgf, property));
        return Ok(());
    }
    let note = record.note_mut(at);
    match property.name.as_str() {
        "B" | "W" | "BLACK" | "WHITE" => {}
        "C" if note.comment.is_empty() => value.clone_into(&mut note.comment),
        "C" => {
            note.comment.push('\n');
            note.comment.push_str(value);
        }
        "V" if note.value.is_none() && value.parse::<DiscValue>().is_ok() => {
            note.value = value.parse().ok();
        }
        "LE" if note.level.is_none() && value.parse::<i32>().is_ok() => {
            note.level = value.parse().ok();
        }
        "TU" if note.time.is_none() && seconds(value).is_some() => note.time = seconds(value),
        "AB" | "AW" | "AE" | "PL" => {
            let reason = format!(
                "{} sets up a position within a game, which no other format can hold",
                property.name
            );
            return Err(Fault::new(byte, reason));
        }
        _ => note.extras.extend(extra(OthelloFormat::Sgf, property)),
    }
    Ok(())
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    (0.0..1e9)
        .contains(&seconds)
        .then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Reads `B+12`, `W+R`, `B+T`, `0`, `Draw`, and results of other formats.
fn result_of(text: &str) -> Option<OthelloResult> {
    let text = text.trim();
    let (winner, by) = text.split_once('+').unwrap_or((text, ""));
    let winner = match winner {
        "B" => Some(Side::Black),
        "W" => Some(Side::White),
        _ => None,
    };
    let end = match by.to_ascii_lowercase().as_str() {
        "r" | "resign" => OthelloEnd::Resigned,
        "t" | "time" => OthelloEnd::Time,
        "" | "f" | "forfeit" => OthelloEnd::Played,
        _ => return parse_result(text),
    };
    match (winner, text) {
        (_, "0") => Some(OthelloResult::played(OthelloOutcome::Score(0))),
        (Some(side), _) if !by.to_ascii_lowercase().starts_with('f') => Some(OthelloResult {
            outcome: OthelloOutcome::Win(side),
            end,
        }),
        (Some(_), _) => None,
        _ => parse_result(text),
    }
}

/// The start position: the discs of the first node, and the side that `PL` or the first move names.
fn start(nodes: &[PropertyNode]) -> Result<Position, Fault> {
    let Some(root) = nodes.first() else {
        return Err(Fault::new(0, "a game without a node"));
    };
    let (mut discs, mut at) = ([0u64; 2], None);
    for property in &root.properties {
        let own = match property.name.as_str() {
            "AB" => 0,
            "AW" => 1,
            // A root without discs: the board is empty.
            "AE" => {
                at = at.or(property.values.first().map(|(byte, _)| *byte));
                continue;
            }
            _ => continue,
        };
        for (byte, value) in &property.values {
            let wrong = |reason| Fault::new(*byte, format!("{}: {reason}", property.name));
            // `a1:c2` is a rectangle.
            let (first, last) = value.split_once(':').unwrap_or((value, value));
            let (first, last) = (square(first).map_err(wrong)?, square(last).map_err(wrong)?);
            for rank in first.rank()..=last.rank() {
                for file in first.file()..=last.file() {
                    discs[own] |= 1 << (rank * 8 + file);
                }
            }
            at.get_or_insert(*byte);
        }
    }
    let Some(at) = at else {
        return Ok(Position::START);
    };
    let board =
        Board::new(discs[0], discs[1]).map_err(|error| Fault::new(at, error.to_string()))?;
    let player = root
        .properties
        .iter()
        .find(|property| property.name == "PL");
    let first = nodes
        .iter()
        .flat_map(|node| &node.properties)
        .find(|property| ["B", "W"].contains(&property.name.as_str()));
    let named = player.and_then(|property| side::side(property.value()));
    let named = named.or_else(|| first.and_then(|property| side::side(&property.name)));
    // Without a word, the side that can move, black first.
    let begins = named.unwrap_or(match board.state() {
        State::Pass => Side::White,
        _ => Side::Black,
    });
    Ok(match begins {
        Side::Black => Position::new(board, Side::Black),
        Side::White => Position::new(board.passed(), Side::White),
    })
}

/// Writes the game with its variations.
pub(crate) fn write(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let info = &record.info;
    let mut text = "(;FF[4]GM[2]CA[UTF-8]SZ[8]".to_owned();
    let date = iso_date(&info.date).unwrap_or_else(|| info.date.clone());
    losses.add(
        RecordLoss::Dates,
        usize::from(date.len() < info.date.trim().len()),
    );
    for (name, value) in [
        ("PB", &info.black.name),
        ("PW", &info.white.name),
        ("BR", &info.black.rating),
        ("WR", &info.white.rating),
        ("EV", &info.event),
        ("RO", &info.round),
        ("PC", &info.place),
        ("DT", &date),
        ("TM", &info.time_control),
        ("GC", &info.comment),
    ] {
        put(&mut text, name, value);
    }
    if info.variant != GameVariant::Standard {
        put(&mut text, "RU", info.variant.name());
    }
    put_result(&mut text, record, losses);
    put_extras(&mut text, &info.extras, losses);
    if record.start() != Position::START {
        put_start(&mut text, record.start());
    }
    put_note(&mut text, record, OthelloRecord::ROOT, losses);
    // Depth first; a parenthesis opens before each of several children and closes behind its last.
    let mut open = vec![(OthelloRecord::ROOT, 0usize)];
    while let Some((id, next)) = open.pop() {
        let children = record.node(id).children();
        let is_branching = children.len() > 1;
        if next > 0 && is_branching {
            text.push(')');
        }
        let Some(&child) = children.get(next) else {
            continue;
        };
        open.push((id, next + 1));
        open.push((child, 0));
        if is_branching {
            text.push_str("\n(");
        }
        put_move(&mut text, record, child);
        put_note(&mut text, record, child, losses);
    }
    text.push_str(")\n");
    text
}

/// Writes the result, twice where `RE` cannot hold all of it.
fn put_result(text: &mut String, record: &OthelloRecord, losses: &mut RecordLosses) {
    let Some(result) = record.result() else {
        return;
    };
    let short = result_text(result);
    put(text, "RE", &short);
    if result_of(&short) != Some(result) {
        let whole = ggf::text_of_result(result, &mut RecordLosses::default());
        let is_whole = ggf::result_of(&whole).0 == Some(result);
        put(text, "GR", if is_whole { &whole } else { "" });
        losses.add(RecordLoss::Results, usize::from(!is_whole));
    }
}

fn put_move(text: &mut String, record: &OthelloRecord, id: OthelloNodeId) {
    let node = record.node(id);
    let name = match node.position().side() {
        Side::White => "B",
        Side::Black => "W",
    };
    let mv = match node.mv() {
        Some(Move::Place(square)) => square.to_string(),
        _ => String::new(),
    };
    text.push(';');
    put_values(text, name, [mv.as_str()]);
}

fn put_start(text: &mut String, start: Position) {
    for (name, discs) in [("AB", start.black()), ("AW", start.white())] {
        let squares: Vec<String> = Square::ALL
            .iter()
            .filter(|square| discs & square.bit() != 0)
            .map(ToString::to_string)
            .collect();
        if !squares.is_empty() {
            put_values(text, name, squares.iter().map(String::as_str));
        }
    }
    if start.board().discs() == 0 {
        put(text, "AE", "a1:h8");
    }
    put(
        text,
        "PL",
        if start.side() == Side::Black {
            "B"
        } else {
            "W"
        },
    );
}

fn put_note(
    text: &mut String,
    record: &OthelloRecord,
    id: OthelloNodeId,
    losses: &mut RecordLosses,
) {
    let note = &record.node(id).note;
    put(
        text,
        "V",
        &note
            .value
            .map(|value| value.to_string())
            .unwrap_or_default(),
    );
    put(
        text,
        "LE",
        &note
            .level
            .map(|level| level.to_string())
            .unwrap_or_default(),
    );
    let time = note.time.map(|time| format!("{:.3}", time.as_secs_f64()));
    put(text, "TU", &time.unwrap_or_default());
    put(text, "C", &note.comment);
    put_extras(text, &note.extras, losses);
}

/// Writes the properties that only SGF knows; those of one name are one property.
fn put_extras(text: &mut String, extras: &[crate::RecordExtra], losses: &mut RecordLosses) {
    let own: Vec<_> = extras
        .iter()
        .filter(|extra| extra.format == OthelloFormat::Sgf)
        .collect();
    for same in own.chunk_by(|a, b| a.key == b.key) {
        put_values(
            text,
            &same[0].key,
            same.iter().map(|extra| extra.value.as_str()),
        );
    }
    losses.foreign(extras, OthelloFormat::Sgf);
}

/// `B+12`, `W+T`, `B+R`, `0`: the discs, or the way the game ended.
fn result_text(result: OthelloResult) -> String {
    let by = match (result.end, result.outcome) {
        (OthelloEnd::Resigned, _) => "R".to_owned(),
        (OthelloEnd::Time, _) => "T".to_owned(),
        (_, OthelloOutcome::Score(score)) => score.abs().to_string(),
        (_, OthelloOutcome::Win(_)) => String::new(),
    };
    match result.winner() {
        Some(Side::Black) => format!("B+{by}"),
        Some(Side::White) => format!("W+{by}"),
        None => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_variations_are_read_as_they_are_written() {
        let text = "(;FF[4]GM[2]CA[UTF-8]SZ[8]PB[x\\]]RE[W+R]KO[y]C[start]\n\
                    ;B[f5]V[1.50]LE[21]TU[0.250]\n(;W[d6]N[a][b]C[one]\n(;B[c3])\n(;B[c5];W[b6]))\n(;W[f6]))\n";
        let record = read(text).unwrap();
        assert_eq!(record.game().to_string(), "f5d6c3");
        assert_eq!((record.variations(), record.ids().count()), (2, 7));
        assert_eq!(
            record
                .info
                .result
                .map(|result| result.to_string())
                .as_deref(),
            Some("White resigns").map(|_| "Black resigns")
        );
        let mut losses = RecordLosses::default();
        let written = write(&record, &mut losses);
        assert_eq!(read(&written).as_ref(), Ok(&record), "{written}");
        assert!(losses.is_empty(), "{losses}");
        let mut again = RecordLosses::default();
        assert_eq!(write(&read(&written).unwrap(), &mut again), written);
    }

    #[test]
    fn squares_of_both_kinds_and_set_up_positions_are_read() {
        let read_game = |text: &str| read(text).unwrap().game();
        assert_eq!(
            read_game("(;GM[2]SZ[8];B[fe];W[df];B[cc])").to_string(),
            "f5d6c3"
        );
        let game = read_game("(;GM[2]AB[d5][e4]AW[d4][e5]PL[W];W[f4];B[f5])");
        assert_eq!(
            (game.start(), game.moves().len()),
            (Position::START.passed(), 2)
        );
        let record = read("(;GM[2]AB[a1:c2]AW[d1];B[e1])").unwrap();
        assert_eq!(record.start().black(), 0x0707);
        let written = write(&record, &mut RecordLosses::default());
        assert_eq!(read(&written), Ok(record));
        // The same move twice is one.
        assert_eq!(
            read("(;GM[2];B[f5](;W[d6])(;W[d6];B[c3]))")
                .unwrap()
                .variations(),
            0
        );
    }

    #[test]
    fn mistakes_have_their_move_and_byte() {
        for (text, at, reason) in [
            ("(;GM[2];B[f5];B[d6])", 15, "move 2: B[d6] is not legal"),
            ("(;GM[2];B[k9])", 9, "move 1: 'k9' is neither"),
            ("(;GM[2]SZ[10])", 9, "not of 10"),
            ("(;GM[2];B[f5]AB[a1])", 15, "AB sets up a position"),
            ("(;GM[2]AB[z1])", 9, "AB: 'z1' is no square"),
            ("(;GM[2]AB[a1]AW[a1])", 9, "a1"),
            ("()", 0, "without a node"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(
                fault.at == at && fault.reason.contains(reason),
                "{text}: {fault:?}"
            );
        }
    }
}
