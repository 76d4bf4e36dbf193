//! The parser of one game or position in any format.

use std::borrow::Cow;

use othello_core::{Game, Position, TranscriptError};

use crate::pgn::is_tag;
use crate::properties;
use crate::record::{NO_SIDE, SWAPPED};
use crate::side::fold;
use crate::{
    Error, OthelloRecord, ParsedRecord, RecordKind, base81_read, bitboards, boards, diagram, ggf,
    json, pgn, sgf, transcript,
};

/// Parses a game or a position in any format; an empty text is the start position.
///
/// # Errors
///
/// The problem and its place in the format that the text resembles most; several records.
pub fn parse(text: &str) -> Result<ParsedRecord, Error> {
    let folded = fold(text);
    let text = folded.trim();
    if text.is_empty() {
        return Ok(ParsedRecord::of(RecordKind::Transcript, Game::default()));
    }
    if let Some(position) = base81_read::read(text) {
        return Ok(ParsedRecord::of(RecordKind::Base81, Game::new(position)));
    }
    let is_object = |text: &str| text.starts_with('{') && text.contains('"');
    if is_object(text) || text.starts_with('[') && is_object(text[1..].trim_start()) {
        return parse_json(text);
    }
    if let Some(format) = properties::format_name(text) {
        return match properties::games(text).as_slice() {
            [(_, one)] => parse_tree(format, one),
            several => Err(Error::Several(several.len())),
        };
    }
    if is_tag(text) {
        return parse_pgn(text);
    }
    if let Some((positions, has_side)) = diagram::parse_diagram(text) {
        let note = (!has_side).then_some(NO_SIDE);
        return Ok(ParsedRecord::of_positions(
            RecordKind::Diagram,
            &positions,
            note,
        ));
    }
    if let Some(record) = parse_csv(text) {
        return Ok(record);
    }
    if let Some(text) = boards::expand_counted_rows(text) {
        return parse_board(&text);
    }
    if bitboards::is_bitboards(text) {
        return parse_bitboards_or_moves(text);
    }
    let unframed = without_frame(text);
    if boards::is_board(&unframed) {
        return parse_board(&unframed);
    }
    parse_moves(without_keyword(without_answer(text)))
}

/// Removes the frame lines of a board, `+--------+`.
fn without_frame(text: &str) -> Cow<'_, str> {
    let is_frame = |line: &&str| {
        let line = line.trim();
        line.len() > 2 && line.starts_with('+') && line.ends_with('+')
    };
    if text.lines().any(|line| is_frame(&line)) {
        let lines: Vec<_> = text.lines().filter(|line| !is_frame(line)).collect();
        return lines.join("\n").into();
    }
    text.into()
}

/// Removes a keyword before moves, and parentheses around the whole text.
fn without_keyword(text: &str) -> &str {
    let words = [
        "position startpos moves",
        "startpos moves",
        "transcript",
        "moves",
        "play",
        "game",
        "kifu",
        "record",
        "棋譜",
    ];
    let lower = text.to_lowercase();
    let word = words.iter().find(|word| {
        let rest = lower.strip_prefix(**word);
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\n', ':', '=']))
    });
    let text = word.and_then(|word| text.get(word.len()..)).unwrap_or(text);
    let text = text.trim_start_matches([' ', '\t', '\r', '\n', ':', '=']);
    let inside = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inside
        .filter(|text| !text.contains(['(', ')']))
        .unwrap_or(text)
}

/// Parses two words of hexadecimal digits, which may be moves: `f5 d6` are numbers too, but with common squares.
fn parse_bitboards_or_moves(text: &str) -> Result<ParsedRecord, Error> {
    let as_moves = parse_moves(text);
    if as_moves.is_ok() {
        return as_moves;
    }
    let numbers = parse_bitboards(text);
    let has_moves = !matches!(as_moves, Err(Error::Unknown(_) | Error::Empty));
    let can_be = |record: &ParsedRecord| {
        record
            .positions()
            .any(|p| bitboards::could_arise(p.board()))
    };
    match numbers {
        Err(Error::Several(_)) => numbers,
        Ok(record) if !has_moves || can_be(&record) => Ok(record),
        // It begins with a legal move, and no game leads to the board of the numbers.
        _ if has_moves && begins_legally(text) => as_moves,
        numbers => numbers,
    }
}

/// Returns whether the first move of a text is legal.
fn begins_legally(text: &str) -> bool {
    let first: String = text.chars().take(2).collect();
    first
        .parse::<Game>()
        .is_ok_and(|game| !game.moves().is_empty())
}

/// Removes the answer of a command behind a record.
fn without_answer(text: &str) -> &str {
    let ends = [": value ", ": not in the book"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    &text[..end.unwrap_or(text.len())]
}

fn parse_moves(text: &str) -> Result<ParsedRecord, Error> {
    let (game, result) =
        transcript::parse_with_result(Position::START, text).map_err(|error| match error {
            TranscriptError::Move { ply: 1, .. } => {
                let first = text.lines().next().unwrap_or_default();
                Error::Unknown(first.chars().take(40).collect())
            }
            error => error.into(),
        })?;
    if game.moves().is_empty() {
        return Err(Error::Empty);
    }
    Ok(ParsedRecord {
        result,
        ..ParsedRecord::of(RecordKind::Transcript, game)
    })
}

fn parse_json(text: &str) -> Result<ParsedRecord, Error> {
    match json::count(text) {
        1 => {}
        several => return Err(Error::Several(several)),
    }
    Ok(match json::content(text)? {
        json::JsonContent::Game(game) => ParsedRecord::of(RecordKind::Json, game),
        json::JsonContent::Text(text) if text.trim_start().starts_with('{') => {
            return Err(Error::Empty);
        }
        json::JsonContent::Text(text) => ParsedRecord {
            kind: RecordKind::Json,
            ..parse(&text)?
        },
        json::JsonContent::Bitboards(bitboards) => {
            ParsedRecord::of_positions(RecordKind::Json, &bitboards.positions, None)
        }
    })
}

fn parse_bitboards(text: &str) -> Result<ParsedRecord, Error> {
    let parsed = bitboards::parse(text)?;
    if parsed.has_more_lines {
        return Err(Error::Several(text.lines().count()));
    }
    let note = parsed.is_swapped.then_some(SWAPPED);
    let kind = RecordKind::Bitboards(parsed.order);
    Ok(ParsedRecord::of_positions(kind, &parsed.positions, note))
}

/// Checks that a rest of text belongs to one position: that it is one line.
fn one_line(rest: &str) -> Result<(), Error> {
    let lines = rest.lines().filter(|line| !line.trim().is_empty()).count();
    if lines > 1 {
        Err(Error::Several(lines))
    } else {
        Ok(())
    }
}

fn parse_board(text: &str) -> Result<ParsedRecord, Error> {
    let parsed = boards::parse_board(text)?;
    let note = (!parsed.has_side).then_some(NO_SIDE);
    let rest = parsed
        .rest
        .trim()
        .trim_start_matches([']', ')', '"', '\''])
        .trim_start();
    let position = |kind| {
        one_line(rest)?;
        Ok(ParsedRecord::of_positions(kind, &parsed.positions, note))
    };
    let is_number = |text: &str| text.trim().parse::<i32>().is_ok();
    match rest.chars().next() {
        None if parsed.is_ggs => position(RecordKind::Ggs),
        Some('a'..='z') if has_opcode(rest) => position(RecordKind::Problem),
        // Commands print their answer behind a colon.
        None | Some(':' | '|') => position(RecordKind::Board),
        Some(';' | '%') => position(RecordKind::Problem),
        Some(',') if rest[1..].split(',').next().is_some_and(is_number) => {
            position(RecordKind::EdaxText)
        }
        Some(_) => parse_board_and_moves(&parsed.positions, rest, note),
    }
}

/// Returns whether a text begins with an opcode of extended position descriptions: `bm f4; id "x"`.
fn has_opcode(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    ["bm", "ba", "am", "id", "ce", "acd", "acn", "pv", "c0"].contains(&word)
}

fn parse_board_and_moves(
    positions: &[Position],
    text: &str,
    note: Option<&'static str>,
) -> Result<ParsedRecord, Error> {
    let word = text.split_whitespace().next().unwrap_or_default();
    let no_side = |text: &str| Error::Game {
        format: "board",
        reason: format!("'{text}' is no side; X or O was expected behind the 64 squares"),
    };
    let mut first = None;
    for &position in positions {
        match transcript::parse_with_result(position, text) {
            // Punctuation, or the result of a game.
            Ok((game, result)) if game.moves().is_empty() => {
                if result.is_none() || note.is_some() {
                    return Err(no_side(word));
                }
                let record = ParsedRecord::of_positions(RecordKind::Board, positions, note);
                return Ok(ParsedRecord { result, ..record });
            }
            Ok((game, result)) => {
                let kind = RecordKind::BoardAndMoves;
                // The moves say who began.
                return Ok(ParsedRecord {
                    result,
                    ..ParsedRecord::of(kind, game)
                });
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(match (note, first) {
        (Some(_), Some(TranscriptError::Move { ply: 1, text })) => no_side(&text),
        (_, first) => first.map_or(Error::Empty, Error::from),
    })
}

fn parse_pgn(text: &str) -> Result<ParsedRecord, Error> {
    let record = pgn::read(text)?;
    Ok(of_record(RecordKind::Pgn, &record))
}

/// The game of a record and its result.
fn of_record(kind: RecordKind, record: &OthelloRecord) -> ParsedRecord {
    ParsedRecord {
        result: record.info.result.map(|result| result.to_string()),
        ..ParsedRecord::of(kind, record.game())
    }
}

fn parse_tree(format: &'static str, text: &str) -> Result<ParsedRecord, Error> {
    let (kind, read) = match format {
        "GGF" => (RecordKind::Ggf, ggf::read(text)),
        _ => (RecordKind::Sgf, sgf::read(text)),
    };
    let record = read.map_err(|fault| fault.in_format(format))?;
    Ok(of_record(kind, &record))
}

/// Parses a line of a table: a game and three numbers.
fn parse_csv(text: &str) -> Option<ParsedRecord> {
    let mut fields = text.split(',');
    let moves = fields.next()?;
    let mut numbers = 0;
    for field in fields {
        field.trim().parse::<i64>().ok()?;
        numbers += 1;
    }
    let is_line = numbers == 3 && !moves.contains('\n');
    let record = is_line.then(|| parse(moves).ok()).flatten()?;
    Some(ParsedRecord {
        kind: RecordKind::Csv,
        ..record
    })
}
