//! Texts and files with several games or positions.

use super::{Given, Kind, is_tag, read};
use crate::text::{boards, fold, properties, wthor};
use crate::{Game, ReadError};

/// A game or a position of a text with several, or what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The line where it begins, counted from 1; of a WTHOR file, the number of the game.
    pub line: usize,
    /// Its text, without blanks around it.
    pub text: String,
    /// What it is.
    pub given: Result<Given, ReadError>,
}

/// The games of a WTHOR file, the database of tournament games; `None` if the bytes are none.
pub fn wthor(bytes: &[u8]) -> Option<Vec<Item>> {
    if !wthor::is_one(bytes) {
        return None;
    }
    let games = wthor::games(bytes).into_iter().enumerate();
    let items = games.map(|(n, game)| Item {
        line: n + 1,
        text: game.as_ref().map(Game::to_string).unwrap_or_default(),
        given: game.map(|game| Given::of(Kind::Wthor, game)),
    });
    Some(items.collect())
}

/// Reads a text that is one game or position, over as many lines as it likes, or has one a line. Lines that are only a
/// comment (`#`, `%`, `//`) and empty ones are left out.
pub fn read_all(text: &str) -> Vec<Item> {
    let one = read(text);
    let is_several = text.lines().filter(|line| !line.trim().is_empty()).count() > 1
        || matches!(one, Err(ReadError::Several(_)));
    if one.is_err() && is_several {
        let items = read_lines(text);
        if items.iter().any(|item| item.given.is_ok()) {
            return items;
        }
    }
    vec![Item {
        line: 1,
        text: text.trim().to_owned(),
        given: one,
    }]
}

/// Reads a text with one game or position a line. Boards in rows, games in GGF, SGF, PGN and JSON may go over several.
pub fn read_lines(text: &str) -> Vec<Item> {
    let games = properties::games(text);
    if !games.is_empty() && properties::format_name(text).is_some() {
        let (mut line, mut counted) = (1, 0);
        let item = |&(at, game): &(usize, &str)| {
            line += text[counted..at].matches('\n').count();
            counted = at;
            Item {
                line,
                text: game.trim().to_owned(),
                given: read(game),
            }
        };
        return games.iter().map(item).collect();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut items = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if is_nothing(lines[at]) {
            at += 1;
            continue;
        }
        let (count, given) = item(&lines[at..]);
        items.push(Item {
            line: at + 1,
            text: lines[at..at + count].join("\n").trim().to_owned(),
            given,
        });
        at += count;
    }
    items
}

/// An empty line, a comment, the head of a table.
fn is_nothing(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_comment = line.starts_with(['#', '%']) && !boards::looks_like_one(line);
    line.is_empty() || is_comment || line.starts_with("//") || line.starts_with("transcript,")
}

/// No board and no object of JSON has more lines.
const LONGEST: usize = 500;

/// The item that some lines begin with, and how many lines it has.
fn item(lines: &[&str]) -> (usize, Result<Given, ReadError>) {
    let first = lines[0].trim().trim_start_matches('\u{feff}');
    if is_tag(first) {
        let count = pgn_lines(lines);
        return (count, read(&lines[..count].join("\n")));
    }
    let one = read(first);
    if one.is_ok() {
        return (1, one);
    }
    if !goes_on(first) {
        return (1, one);
    }
    let few = lines.iter().take(LONGEST);
    let paragraph = few.take_while(|line| !line.trim().is_empty()).count();
    // A board in rows, with or without a line for the side or letters; else whatever belongs together.
    for count in [paragraph, 11, 10, 9, 8] {
        if count > 1 && count <= paragraph {
            let given = read(&lines[..count].join("\n"));
            if given.is_ok() {
                return (count, given);
            }
        }
    }
    (1, one)
}

/// Whether a line is the beginning of something that goes over several lines.
fn goes_on(line: &str) -> bool {
    let folded = fold::fold(line).to_lowercase();
    let signs: String = folded
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '|')
        .collect();
    let row = signs.trim_matches(|c: char| c.is_ascii_digit() && c != '0');
    let is_row = row.chars().count() >= 8 && row.chars().take(8).all(|c| boards::cell(c).is_some());
    is_row || signs.starts_with("abcdefgh") || line.starts_with(['{', '['])
}

/// How many lines the game with tags has that some lines begin with: tags, moves, up to the next tags.
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
