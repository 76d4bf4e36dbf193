//! GGF, the format of GGS and its archives.
//!
//! Values of moves are those of the player who moves; `RE` is black's difference, with `:r` for a resignation, `:t` for time,
//! `:s` for a score that was agreed on.

use std::fmt::Display;
use std::time::Duration;

use othello_core::{Move, Position, Side};

use crate::losses::{RecordLoss, RecordLosses};
use crate::properties::{self, Fault, Property, PropertyNode, put};
use crate::result::{OthelloEnd, OthelloOutcome, OthelloResult};
use crate::side::fold;
use crate::tree::{DiscValue, GameVariant, OthelloInfo, OthelloNodeId, OthelloRecord, RecordExtra};
use crate::writing::{one_line, steps};
use crate::{OthelloFormat, boards, transcript};

/// A property of the kind that this project keeps as it is.
pub(crate) fn extra(
    format: OthelloFormat,
    property: &Property,
) -> impl Iterator<Item = RecordExtra> {
    property.values.iter().map(move |(_, value)| RecordExtra {
        format,
        key: property.name.clone(),
        value: value.clone(),
    })
}

/// Reads a game.
pub(crate) fn read(text: &str) -> Result<OthelloRecord, Fault> {
    let nodes = properties::nodes(text)?;
    let mut record = OthelloRecord::new(start(&nodes)?);
    let mut last = OthelloRecord::ROOT;
    let (mut number, mut result) = (0, None);
    let mut behind = None;
    for (n, node) in nodes.iter().enumerate() {
        // The first variation is the game; GGF has no others.
        if n > 0 && node.parent != behind {
            break;
        }
        behind = Some(n);
        for property in &node.properties {
            match property.name.as_str() {
                "B" | "W" => {
                    number += 1;
                    last = played(&mut record, last, property, number)?;
                }
                "GM" | "BO" => {}
                "RE" => {
                    let value = property.value();
                    let (read, is_whole) = result_of(value);
                    result = read;
                    if !is_whole && !value.trim().is_empty() && value.trim() != "?" {
                        let kept = extra(OthelloFormat::Ggf, property);
                        record.info.extras.extend(kept);
                    }
                }
                _ => take_header(&mut record.info, property),
            }
        }
    }
    if let (None, Some((stated, rest))) = (result, result_of_comment(&record.info.comment)) {
        record.info.comment = rest.to_owned();
        result = Some(stated);
    }
    record.set_result(result);
    Ok(record)
}

/// Takes a property that says something of the game.
fn take_header(info: &mut OthelloInfo, property: &Property) {
    let value = property.value();
    let field = match property.name.as_str() {
        "TY" => {
            // `8a`, `s8r16`: letters and numbers behind the size.
            if value.to_ascii_lowercase().contains('a') {
                info.variant = GameVariant::Anti;
            }
            if !["8", "8a"].contains(&value.trim()) {
                info.extras.extend(extra(OthelloFormat::Ggf, property));
            }
            return;
        }
        "CO" | "C" | "GC" => {
            let comment = match event_of(value) {
                Some((event, comment)) if info.event.is_empty() => {
                    event.clone_into(&mut info.event);
                    comment
                }
                _ => value,
            };
            if !info.comment.is_empty() && !comment.is_empty() {
                info.comment.push('\n');
            }
            info.comment.push_str(comment);
            return;
        }
        "PB" => &mut info.black.name,
        "PW" => &mut info.white.name,
        "RB" => &mut info.black.rating,
        "RW" => &mut info.white.rating,
        "PC" => &mut info.place,
        "EV" => &mut info.event,
        "RO" => &mut info.round,
        "DT" => &mut info.date,
        "TI" => &mut info.time_control,
        _ => {
            info.extras.extend(extra(OthelloFormat::Ggf, property));
            return;
        }
    };
    value.clone_into(field);
}

/// Adds the move of a property: `B[F5/1.50/0.25]`, with value and time or without.
fn played(
    record: &mut OthelloRecord,
    last: OthelloNodeId,
    property: &Property,
    number: usize,
) -> Result<OthelloNodeId, Fault> {
    let side = if property.name == "B" {
        Side::Black
    } else {
        Side::White
    };
    let (at, value) = property
        .values
        .first()
        .map_or((0, ""), |(at, value)| (*at, &value[..]));
    let mut parts = value.split('/');
    let text = parts.next().unwrap_or_default().trim();
    let last = add(record, last, side, text)
        .map_err(|problem| problem.fault(at, number, &property.name, text))?;
    let note = record.note_mut(last);
    if let Some(value) = parts
        .next()
        .and_then(|value| value.parse::<DiscValue>().ok())
    {
        note.value = Some(value.seen_by(side));
    }
    note.time = parts.next().and_then(seconds);
    Ok(last)
}

/// Why a move of a property cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlayedProblem {
    #[error("'{0}' is neither a square nor a pass")]
    NoMove(String),
    #[error("the move is not legal")]
    Illegal,
}

impl PlayedProblem {
    /// The mistake at a byte: the move of a number, in a property of a name and a value.
    pub(crate) fn fault(
        &self,
        at: usize,
        number: impl Display,
        property: &str,
        value: &str,
    ) -> Fault {
        let reason = match self {
            Self::NoMove(_) => format!("move {number}: {self}"),
            Self::Illegal => format!("move {number}: {property}[{value}] is not legal"),
        };
        Fault::new(at, reason)
    }
}

/// Adds the move of a side, and before it a pass that was not written.
pub(crate) fn add(
    record: &mut OthelloRecord,
    last: OthelloNodeId,
    side: Side,
    text: &str,
) -> Result<OthelloNodeId, PlayedProblem> {
    let mv = if text.is_empty() {
        Some(Move::Pass)
    } else {
        transcript::single(text)
    };
    let mv = mv.ok_or_else(|| PlayedProblem::NoMove(text.to_owned()))?;
    let position = record.node(last).position();
    if mv == Move::Pass && position.board().is_over() {
        // Some programs write passes until both have passed.
        return Ok(last);
    }
    let last = if position.side() == side {
        last
    } else {
        let known = record.child(last, Move::Pass);
        known
            .or_else(|| record.add(last, Move::Pass))
            .ok_or(PlayedProblem::Illegal)?
    };
    record.add(last, mv).ok_or(PlayedProblem::Illegal)
}

/// A time in seconds, or as minutes and seconds.
fn seconds(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.trim().split(':') {
        let part: f64 = part.parse().ok()?;
        seconds = seconds * 60.0 + part;
    }
    let is_usual = (0.0..1e9).contains(&seconds);
    is_usual.then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// What begins a comment that names the event, which GGF has no property for.
const EVENT: &str = "Event: ";

/// The event that a comment begins with, and the rest of the comment.
fn event_of(comment: &str) -> Option<(&str, &str)> {
    let (line, rest) = comment.split_once('\n').unwrap_or((comment, ""));
    let event = line.strip_prefix(EVENT)?;
    (!event.trim().is_empty()).then_some((event, rest))
}

/// What begins a line of the comment with a result without discs, which GGF has no form for.
const RESULT: &str = "Result: ";

/// The result that a comment begins with, and the rest of the comment.
fn result_of_comment(comment: &str) -> Option<(OthelloResult, &str)> {
    let (line, rest) = comment.split_once('\n').unwrap_or((comment, ""));
    let stated = crate::result::parse_result(line.strip_prefix(RESULT)?)?;
    Some((stated, rest))
}

/// A result, and whether it is all that the text says.
pub(crate) fn result_of(text: &str) -> (Option<OthelloResult>, bool) {
    let (number, end) = text.split_once(':').unwrap_or((text, ""));
    let end = match end.trim() {
        "" => OthelloEnd::Played,
        "r" => OthelloEnd::Resigned,
        "t" | "l" => OthelloEnd::Time,
        "s" => OthelloEnd::Agreed,
        _ => return (None, false),
    };
    let Ok(value) = number.parse::<DiscValue>() else {
        return match crate::result::parse_result(text) {
            Some(result) => (Some(result), true),
            None => (None, false),
        };
    };
    let whole = value.0 / 100;
    if whole.abs() > 64 {
        return (None, false);
    }
    let outcome = OthelloOutcome::Score(whole);
    (
        Some(OthelloResult { outcome, end }),
        value.0 % 100 == 0 && !text.ends_with(":l"),
    )
}

/// The start position of a game.
fn start(nodes: &[PropertyNode]) -> Result<Position, Fault> {
    let properties = nodes.iter().flat_map(|node| &node.properties);
    let Some(property) = { properties }.find(|property| property.name == "BO") else {
        return Ok(Position::START);
    };
    let at = property.values.first().map_or(0, |(at, _)| *at);
    let text = fold(property.value());
    let size = text.split_whitespace().next().unwrap_or_default();
    if size.parse::<u8>().is_ok_and(|size| size != 8 && size > 2) {
        let reason = format!("a board of 8 × 8 squares was expected, not of {size}");
        return Err(Fault::new(at, reason));
    }
    let parsed =
        boards::parse_board(&text).map_err(|error| Fault::new(at, format!("BO: {error}")))?;
    Ok(parsed.positions[0])
}

/// A board as GGS sends it, `8 -------- … *`, without brackets.
fn rows(position: Position) -> String {
    let mut text = "8".to_owned();
    let squares = position.to_string().replace('X', "*");
    for row in 0..8 {
        text.push(' ');
        text.push_str(&squares[row * 8..row * 8 + 8]);
    }
    text.push(' ');
    text.push_str(&squares[65..]);
    text
}

/// A board as GGS sends it, `[8 -------- … *]`.
pub(crate) fn board(position: Position) -> String {
    format!("[{}]", rows(position))
}

/// The properties of GGF that this project keeps as they are; other programs refuse a game with any other.
const KEPT: [&str; 7] = ["TB", "TW", "TY", "RE", "KB", "KW", "KM"];

/// Writes the line that is played.
pub(crate) fn write(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let mut text = "(;GM[Othello]".to_owned();
    put_header(&mut text, record, losses);
    put(&mut text, "BO", &rows(record.start()));
    for (id, side, mv) in steps(record) {
        let note = &record.node(id).note;
        let name = if side == Side::Black { "B" } else { "W" };
        let mv = match mv {
            Move::Pass => "PA".to_owned(),
            Move::Place(square) => square.to_string().to_ascii_uppercase(),
        };
        let value = note.value.map(|value| value.seen_by(side).to_string());
        let time = note.time.map(|time| format!("{:.3}", time.as_secs_f64()));
        let more = match (value, time) {
            (None, None) => String::new(),
            (value, None) => format!("/{}", value.unwrap_or_default()),
            (value, Some(time)) => format!("/{}/{time}", value.unwrap_or_default()),
        };
        text.extend([name, &format!("[{mv}{more}]")]);
    }
    text.push_str(";)\n");
    count_notes(record, losses);
    losses.variations(record);
    text
}

/// Writes what is said of the game. The event stands in the comment.
fn put_header(text: &mut String, record: &OthelloRecord, losses: &mut RecordLosses) {
    let info = &record.info;
    let written = |name: &str| {
        let mut extras = info.extras.iter();
        extras.any(|extra| extra.format == OthelloFormat::Ggf && extra.key == name)
    };
    for (name, value) in [
        ("PC", &info.place),
        ("DT", &info.date),
        ("PB", &info.black.name),
        ("PW", &info.white.name),
        ("RB", &info.black.rating),
        ("RW", &info.white.rating),
        ("TI", &info.time_control),
    ] {
        put(text, name, value);
    }
    losses.text(RecordLoss::Names, &info.round);
    if !written("TY") {
        let anti = info.variant == GameVariant::Anti;
        put(text, "TY", if anti { "8a" } else { "8" });
    }
    if !written("RE") {
        put(text, "RE", &result_text(record, losses));
    }
    let event = one_line(&info.event);
    losses.add(RecordLoss::Names, usize::from(event != info.event));
    let worded = record
        .result()
        .filter(|result| result.score().is_none() && !written("RE"));
    // A comment that begins like an event or a result is read as one.
    let is_event = event.is_empty() && worded.is_none() && event_of(&info.comment).is_some();
    let is_result = record.result().is_none() && result_of_comment(&info.comment).is_some();
    losses.add(RecordLoss::Comments, usize::from(is_event || is_result));
    let lines = [
        if event.is_empty() {
            event
        } else {
            format!("{EVENT}{event}")
        },
        worded.map_or(String::new(), |result| format!("{RESULT}{result}")),
        info.comment.clone(),
    ];
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    put(text, "CO", &lines.join("\n"));
    for extra in &info.extras {
        if extra.format == OthelloFormat::Ggf && KEPT.contains(&extra.key.as_str()) {
            properties::put_values(text, &extra.key, [extra.value.as_str()]);
        } else {
            losses.add(RecordLoss::Properties, 1);
        }
    }
}

/// Counts the notes of moves that GGF cannot hold.
fn count_notes(record: &OthelloRecord, losses: &mut RecordLosses) {
    let played: Vec<_> = record.main_line().collect();
    for id in record.ids() {
        let note = &record.node(id).note;
        losses.text(RecordLoss::Comments, &note.comment);
        losses.add(RecordLoss::Levels, usize::from(note.level.is_some()));
        losses.add(RecordLoss::Properties, note.extras.len());
        let is_written = id != OthelloRecord::ROOT && played.contains(&id);
        let is_lost = !is_written;
        losses.add(
            RecordLoss::Values,
            usize::from(is_lost && note.value.is_some()),
        );
        losses.add(
            RecordLoss::Times,
            usize::from(is_lost && note.time.is_some()),
        );
    }
}

/// The value of `RE`: of the board too, as every finished game of GGS has it.
fn result_text(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let result = record.result();
    result.map_or(String::new(), |result| text_of_result(result, losses))
}

/// A result as GGF writes it: `+2.00`, `-14.00:t`; nothing for one without discs.
pub(crate) fn text_of_result(result: OthelloResult, losses: &mut RecordLosses) -> String {
    let Some(score) = result.score() else {
        // GGF has no win without discs: it stands in the comment.
        losses.check_end(result);
        return String::new();
    };
    let end = match result.end {
        OthelloEnd::Played => "",
        OthelloEnd::Resigned => ":r",
        OthelloEnd::Time => ":t",
        OthelloEnd::Agreed => ":s",
    };
    let sign = if score >= 0 { "+" } else { "" };
    format!("{sign}{}{end}", DiscValue::discs(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "(;GM[Othello]PC[GGS/os]PB[a (b\\]c)]RE[+2]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    #[test]
    fn games_of_ggs_are_read_with_what_they_say() {
        let text = format!("{HEAD}KM[1.5]B[F5/-2.5/1:01.5]W[d6/0.2]B[C3//0.01];)");
        let record = read(&text).unwrap();
        assert_eq!(record.game().to_string(), "f5d6c3");
        let info = &record.info;
        assert_eq!(
            (&info.place[..], &info.black.name[..]),
            ("GGS/os", "a (b]c)")
        );
        assert_eq!(
            info.result,
            Some(OthelloResult::played(OthelloOutcome::Score(2)))
        );
        assert_eq!(
            (&info.extras[0].key[..], &info.extras[0].value[..]),
            ("KM", "1.5")
        );
        let notes: Vec<_> = record
            .main_line()
            .skip(1)
            .map(|id| record.node(id).note.clone())
            .collect();
        assert_eq!(
            (notes[0].value, notes[0].time),
            (Some(DiscValue(-250)), Some(Duration::from_millis(61_500)))
        );
        // White's value is negated.
        assert_eq!(
            (notes[1].value, notes[2].time),
            (Some(DiscValue(-20)), Some(Duration::from_millis(10)))
        );
        let mut losses = RecordLosses::default();
        let written = write(&record, &mut losses);
        assert_eq!(read(&written).as_ref(), Ok(&record), "{written}");
        assert!(losses.is_empty(), "{losses}");
    }

    #[test]
    fn the_event_stands_in_the_comment_and_anti_games_are_marked() {
        let text =
            format!("{HEAD}EV[Spring\nCup]RO[3]XX[y]CO[good]B[f5];)").replace("TY[8]", "TY[8a]");
        let record = read(&text).unwrap();
        assert_eq!(record.info.variant, GameVariant::Anti);
        let mut losses = RecordLosses::default();
        let written = write(&record, &mut losses);
        assert!(
            written.contains("TY[8a]") && written.contains("CO[Event: Spring Cup\ngood]"),
            "{written}"
        );
        for refused in ["EV[", "RO[", "XX["] {
            assert!(!written.contains(refused), "{written}");
        }
        // The line end of the event, the round, and the property that nobody knows.
        assert_eq!(
            (
                losses.count(RecordLoss::Names),
                losses.count(RecordLoss::Properties)
            ),
            (2, 1)
        );
        let again = read(&written).unwrap();
        assert_eq!(
            (&again.info.event[..], &again.info.comment[..]),
            ("Spring Cup", "good")
        );
        let random = read(
            &HEAD
                .replace("TY[8]", "TY[s8r20]")
                .replace("*]", "*]B[f5];)"),
        )
        .unwrap();
        assert_eq!(
            (random.info.variant, &random.info.extras[0].value[..]),
            (GameVariant::Standard, "s8r20")
        );
    }

    #[test]
    fn results_are_read_and_written() {
        for (text, expected) in [
            ("+2.000", "+2.00"),
            ("-14.00:r", "-14.00:r"),
            ("+64:t", "+64.00:t"),
            ("0.000:s", "+0.00:s"),
            ("-1.500", "-1.500"),
            ("-3.00:l", "-3.00:l"),
            ("?", ""),
        ] {
            let game = format!("{HEAD}B[f5];)").replace("RE[+2]", &format!("RE[{text}]"));
            let mut losses = RecordLosses::default();
            let written = write(&read(&game).unwrap(), &mut losses);
            let expected = if expected.is_empty() {
                String::new()
            } else {
                format!("RE[{expected}]")
            };
            assert!(
                written.contains(&expected) && losses.is_empty(),
                "{written}"
            );
            assert_eq!(written.contains("RE["), !expected.is_empty());
        }
    }

    #[test]
    fn a_result_without_discs_stands_in_the_comment() {
        let game =
            format!("{HEAD}CO[Event: x\ngood]B[f5];)").replace("RE[+2]", "RE[White resigns]");
        let record = read(&game).unwrap();
        let mut losses = RecordLosses::default();
        let written = write(&record, &mut losses);
        assert!(
            written.contains("CO[Event: x\nResult: White resigns\ngood]"),
            "{written}"
        );
        assert!(
            !written.contains("RE[") && losses.is_empty(),
            "{written} {losses}"
        );
        assert_eq!(read(&written).as_ref(), Ok(&record));
    }

    #[test]
    fn errors_are_reported_with_their_move_and_byte() {
        for (moves, at, reason) in [
            ("B[F5]W[F5]", 6, "move 2: W[F5] is not legal"),
            ("B[F5]B[D6]", 6, "move 2: B[D6] is not legal"),
            (
                "B[F5]W[X9]",
                6,
                "move 2: 'X9' is neither a square nor a pass",
            ),
        ] {
            let fault = read(&format!("{HEAD}{moves};)")).unwrap_err();
            assert!(
                fault.at == HEAD.len() + at && fault.reason.contains(reason),
                "{fault:?}"
            );
        }
        let large = HEAD.replace("BO[8 ", "BO[10 ");
        assert!(
            read(&format!("{large};)"))
                .unwrap_err()
                .reason
                .contains("not of 10")
        );
        assert!(read("(;GM[Othello]B[f5").is_err());
    }
}
