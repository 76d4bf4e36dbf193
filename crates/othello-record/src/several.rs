//! Texts and files with several games or positions; WTHOR files.

use othello_core::{Game, Square};

use crate::parse::is_tag;
use crate::side::fold;
use crate::{Error, ParsedRecord, RecordItem, RecordKind, boards, ggf, parse};

/// Parses a WTHOR file, the database of tournament games; `None` if the bytes are no such file.
pub fn parse_wthor(bytes: &[u8]) -> Option<Vec<RecordItem>> {
    if !is_wthor(bytes) {
        return None;
    }
    let games = games(bytes).into_iter().enumerate();
    let items = games.map(|(n, game)| RecordItem {
        line: n + 1,
        text: game.as_ref().map(Game::to_string).unwrap_or_default(),
        record: game.map(|game| ParsedRecord::of(RecordKind::Wthor, game)),
    });
    Some(items.collect())
}

/// Parses a text that is one record over any number of lines, or has one a line. Comment lines (`#`, `%`, `//`) and empty
/// lines are skipped.
pub fn parse_all(text: &str) -> Vec<RecordItem> {
    let one = parse(text);
    let is_several = text.lines().filter(|line| !line.trim().is_empty()).count() > 1
        || matches!(one, Err(Error::Several(_)));
    if one.is_err() && is_several {
        let items = parse_lines(text);
        if items.iter().any(|item| item.record.is_ok()) {
            return items;
        }
    }
    vec![RecordItem {
        line: 1,
        text: text.trim().to_owned(),
        record: one,
    }]
}

/// Parses a text with one record a line. Boards in rows, GGF, SGF, PGN and JSON may span several lines.
pub fn parse_lines(text: &str) -> Vec<RecordItem> {
    let games = ggf::games(text);
    if !games.is_empty() && ggf::format_name(text).is_some() {
        let (mut line, mut counted) = (1, 0);
        let item = |&(at, game): &(usize, &str)| {
            line += text[counted..at].matches('\n').count();
            counted = at;
            RecordItem {
                line,
                text: game.trim().to_owned(),
                record: parse(game),
            }
        };
        return games.iter().map(item).collect();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if is_skipped(lines[at]) {
            at += 1;
            continue;
        }
        let (count, record) = item(&lines[at..]);
        items.push(RecordItem {
            line: at + 1,
            text: lines[at..at + count].join("\n").trim().to_owned(),
            record,
        });
        at += count;
    }
    items
}

/// Returns whether a line is empty, a comment or the head of a table.
fn is_skipped(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_comment = line.starts_with(['#', '%']) && !boards::is_board(line);
    line.is_empty() || is_comment || line.starts_with("//") || line.starts_with("transcript,")
}

/// A bound on the lines of a board or a JSON object.
const LONGEST: usize = 500;

/// Parses the record that some lines begin with; returns its number of lines too.
fn item(lines: &[&str]) -> (usize, Result<ParsedRecord, Error>) {
    let first = lines[0].trim().trim_start_matches('\u{feff}');
    if is_tag(first) {
        let count = pgn_lines(lines);
        return (count, parse(&lines[..count].join("\n")));
    }
    let one = parse(first);
    if one.is_ok() {
        return (1, one);
    }
    if !may_continue(first) {
        return (1, one);
    }
    let few = lines.iter().take(LONGEST);
    let paragraph = few.take_while(|line| !line.trim().is_empty()).count();
    // A paragraph; else a board in rows, with or without lines for the side and the letters.
    for count in [paragraph, 11, 10, 9, 8] {
        if count > 1 && count <= paragraph {
            let record = parse(&lines[..count].join("\n"));
            if record.is_ok() {
                return (count, record);
            }
        }
    }
    (1, one)
}

/// Returns whether a line may begin a record of several lines.
fn may_continue(line: &str) -> bool {
    let folded = fold(line).to_lowercase();
    let signs: String = folded
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '|')
        .collect();
    let row = signs.trim_matches(|c: char| c.is_ascii_digit() && c != '0');
    let is_row = row.chars().count() >= 8 && row.chars().take(8).all(|c| boards::cell(c).is_some());
    is_row || signs.starts_with("abcdefgh") || line.starts_with(['{', '['])
}

/// The number of lines of a PGN game: tags, moves, up to the next tags.
fn pgn_lines(lines: &[&str]) -> usize {
    let mut has_moves = false;
    for (n, line) in lines.iter().enumerate() {
        let is_tag = is_tag(line);
        if is_tag && has_moves {
            return n;
        }
        has_moves |= !is_tag && !line.trim().is_empty();
    }
    lines.len()
}

// WTHOR, the tournament database of the French federation.

const HEADER: usize = 16;
const RECORD: usize = 68;

/// Returns whether bytes are a WTHOR file of games: its header has a date and the number of its records.
pub(crate) fn is_wthor(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(4..8).and_then(|count| count.try_into().ok()) else {
        return false;
    };
    let count = u32::from_le_bytes(count) as usize;
    let is_date =
        bytes.len() >= HEADER && (1..=12).contains(&bytes[2]) && (1..=31).contains(&bytes[3]);
    is_date
        && count > 0
        && count
            .checked_mul(RECORD)
            .is_some_and(|size| bytes.len() == HEADER + size)
}

/// The games of a WTHOR file, in its order.
pub(crate) fn games(bytes: &[u8]) -> Vec<Result<Game, Error>> {
    let size = bytes[12];
    let (records, _) = bytes[HEADER..].as_chunks::<RECORD>();
    let games = records.iter().enumerate();
    games.map(|(n, record)| game(n + 1, record, size)).collect()
}

/// Parses a record. Moves are `10 * rank + file`, from the ninth byte on; 0 ends them. Passes are not written.
fn game(number: usize, record: &[u8; RECORD], size: u8) -> Result<Game, Error> {
    let wrong = |reason: String| Error::Game {
        format: "WTHOR",
        reason: format!("game {number}: {reason}"),
    };
    if ![0, 8].contains(&size) {
        return Err(wrong(format!(
            "a board of 8 × 8 squares was expected, not of {size}"
        )));
    }
    let mut game = Game::default();
    let moves = record[8..].iter().take_while(|&&byte| byte != 0);
    for (n, &byte) in moves.enumerate() {
        let (rank, file) = (byte / 10, byte % 10);
        let is_square = (1..=8).contains(&rank) && (1..=8).contains(&file);
        let square = is_square
            .then(|| Square::new((rank - 1) * 8 + file - 1))
            .flatten();
        let square = square.ok_or_else(|| wrong(format!("move {}: {byte} is no square", n + 1)))?;
        if !game.play_square(square) {
            return Err(wrong(format!("move {}: {square} is not legal", n + 1)));
        }
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of games that are lists of moves.
    fn file(games: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![20, 1, 6, 30];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0; 8]);
        for moves in games {
            let mut record = [0; RECORD];
            record[8..8 + moves.len()].copy_from_slice(moves);
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn games_are_parsed_and_errors_name_the_move() {
        let bytes = file(&[&[56, 64, 33], &[56, 56], &[90]]);
        assert!(is_wthor(&bytes));
        assert!(!is_wthor(&bytes[..bytes.len() - 1]) && !is_wthor(b"f5d6"));
        let read: Vec<_> = games(&bytes)
            .into_iter()
            .map(|game| game.map_or_else(|error| error.to_string(), |game| game.to_string()))
            .collect();
        assert_eq!(read[0], "f5d6c3");
        assert!(
            read[1].contains("game 2: move 2: f5 is not legal"),
            "{}",
            read[1]
        );
        assert!(
            read[2].contains("game 3: move 1: 90 is no square"),
            "{}",
            read[2]
        );
    }
}
