//! Texts with several games or positions.

use crate::pgn::is_tag;
use crate::side::{self, fold};
use crate::transcript::single;
use crate::{Error, ParsedRecord, RecordItem, boards, parse, properties};

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
    let games = properties::games(text);
    if !games.is_empty() && properties::format_name(text).is_some() {
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
    if crate::base81_read::read(line).is_some() {
        return false;
    }
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
    let turns = lines.iter().take_while(|line| is_turn(line)).count();
    if turns > 1 {
        return (turns, parse(&lines[..turns].join("\n")));
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

/// Returns whether a line has the move of one side and nothing else: `BLACK, e6`.
fn is_turn(line: &str) -> bool {
    let folded = fold(line);
    let mut words = folded
        .split(|c: char| c.is_whitespace() || ",:;=>".contains(c))
        .filter(|word| !word.is_empty());
    let (side, mv) = (words.next(), words.next());
    let is_side = side.is_some_and(|word| word.len() > 1 && side::side(word).is_some());
    is_side && mv.is_some_and(|word| single(word).is_some()) && words.next().is_none()
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
