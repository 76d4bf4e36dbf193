//! Any number of records in bytes of any format. What the bytes are, their content says.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use crate::properties::{self, Fault};
use crate::raw_json::RawObject;
use crate::result::parse_result;
use crate::tree::RecordExtra;
use crate::wthor::{WthorFile, WthorKind, WthorNames};
use crate::{
    Error, OthelloFormat, OthelloRecord, ParsedRecord, Problem, RecordKind, edx, egaroucid, ggf,
    parse, parse_all, parse_lines, pgn, quest, sgf,
};

/// A record of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedRecord {
    /// The record.
    pub record: OthelloRecord,
    /// The format that was recognised.
    pub kind: RecordKind,
    /// Where it begins.
    pub place: RecordPlace,
    /// The board of a match of several boards, as GGS plays them at once.
    pub synchro: Option<SynchroBoard>,
}

/// A board of a match of several boards that are played at the same time: GGF writes `2 (;…)(;…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SynchroBoard {
    /// The number of the board, from 1.
    pub number: usize,
    /// The number of boards of the match.
    pub of: usize,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordPlace {
    /// A line of a text, from 1.
    Line(u64),
    /// A byte of a binary file, from 0.
    Byte(u64),
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// A record that cannot be read: where, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError {
    /// The file, if it came from one.
    pub path: Option<PathBuf>,
    /// The place of the mistake, or of the record.
    pub place: RecordPlace,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for ArchiveError {}

/// The record of a game or position that was parsed, with the result and the answers of a problem.
impl From<&ParsedRecord> for OthelloRecord {
    fn from(parsed: &ParsedRecord) -> Self {
        let mut record = Self::from(&parsed.game);
        if let Some(text) = &parsed.result {
            let result = parse_result(text);
            if result.is_none() {
                record.info.extras.push(extra("result", text));
            }
            record.set_result(result);
        }
        record
    }
}

/// A property of a text without properties.
fn extra(key: &str, value: &str) -> RecordExtra {
    RecordExtra {
        format: OthelloFormat::Transcript,
        key: key.to_owned(),
        value: value.to_owned(),
    }
}

/// How a text is divided into records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// Games in parentheses: GGF, SGF.
    Trees,
    /// Objects, in lists or not.
    Json,
    /// Tags and moves.
    Pgn,
    /// One a line, or boards and transcripts over several lines.
    Lines,
}

impl Division {
    pub(crate) fn of(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(&text[..text.len().min(4096)]);
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let in_list = text.strip_prefix('[').map(str::trim_start);
        let line = text.lines().next().unwrap_or_default();
        if crate::base81_read::read(line).is_some() {
            Self::Lines
        } else if properties::begin(text).is_some() {
            Self::Trees
        } else if text.starts_with('{') || in_list.is_some_and(|text| text.starts_with('{')) {
            Self::Json
        } else if crate::pgn::is_tag(text) {
            Self::Pgn
        } else {
            Self::Lines
        }
    }

    /// The last place of some bytes that begin a record where another may begin.
    pub(crate) fn last_border(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Trees => {
                let (mut at, mut last) = (0, None);
                while let Some(length) = properties::match_end(&bytes[at..]) {
                    at += length;
                    last = Some(at);
                }
                last
            }
            Self::Json => objects(bytes).last().map(|&(_, end)| end),
            Self::Pgn => {
                let starts = line_starts(bytes).filter(|&at| bytes[at..].starts_with(b"["));
                let is_first =
                    |&at: &usize| at > 0 && !line_before(bytes, at).trim_ascii().starts_with(b"[");
                starts.filter(is_first).last()
            }
            Self::Lines => {
                // Boards may have several lines: a blank line if there is one.
                let blank = bytes
                    .windows(2)
                    .rposition(|pair| pair == b"\n\n")
                    .map(|at| at + 2);
                let blank = blank.filter(|&at| at * 2 > bytes.len());
                blank.or_else(|| {
                    bytes
                        .iter()
                        .rposition(|&byte| byte == b'\n')
                        .map(|at| at + 1)
                })
            }
        }
    }
}

fn line_starts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let behind = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(behind.map(|(at, _)| at + 1))
}

/// The last line before a line start that is not blank.
fn line_before(bytes: &[u8], at: usize) -> &[u8] {
    let lines = bytes[..at].rsplit(|&byte| byte == b'\n');
    { lines }
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default()
}

/// The objects of a text that are in no other, each from its brace to behind the closing one; the last may be cut short.
fn objects(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut found, mut depth, mut begin) = (Vec::new(), 0usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' if !in_text => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            b'}' if !in_text && depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push((begin, at + 1));
                }
            }
            _ => {}
        }
    }
    found
}

/// A character of the encoding of Western Windows: Latin-1 with more signs.
fn windows_1252(byte: u8) -> char {
    const SIGNS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    let sign = byte
        .checked_sub(0x80)
        .and_then(|at| SIGNS.get(usize::from(at)));
    sign.copied().unwrap_or(byte.into())
}

/// The text of bytes: UTF-8 or UTF-16, Shift JIS, or Latin-1.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let latin = || bytes.iter().map(|&byte| windows_1252(byte)).collect();
    yane_io::decode_shift_jis(bytes).unwrap_or_else(|| Cow::Owned(latin()))
}

/// The number of line ends in bytes.
pub(crate) fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Reads the games of a file of WTHOR.
pub(crate) fn wthor(file: &WthorFile<'_>, names: &WthorNames, take: Take<'_>) {
    if file.kind() != WthorKind::Games {
        return;
    }
    for (n, record) in file.games(names).enumerate() {
        take(match record {
            Ok(record) => Ok(ArchivedRecord {
                record,
                kind: RecordKind::Wthor,
                place: RecordPlace::Byte(16 + 68 * n as u64),
                synchro: None,
            }),
            Err(fault) => Err(ArchiveError {
                path: None,
                place: RecordPlace::Byte(fault.at as u64),
                reason: fault.reason,
            }),
        });
    }
}

/// Reads Edax's binary games.
pub(crate) fn edax(bytes: &[u8], take: Take<'_>) {
    for (at, read) in edx::games(bytes) {
        take(match read {
            Ok(record) => Ok(ArchivedRecord {
                record,
                kind: RecordKind::Edx,
                place: RecordPlace::Byte(at as u64),
                synchro: None,
            }),
            Err(fault) => Err(ArchiveError {
                path: None,
                place: RecordPlace::Byte(fault.at as u64),
                reason: fault.reason,
            }),
        });
    }
}

/// A piece of a text, with whole records.
pub(crate) struct RecordPiece<'a> {
    pub(crate) division: Division,
    /// True for all of the text, which may be one record over several lines.
    pub(crate) is_whole: bool,
    /// The number of its first line.
    pub(crate) line: u64,
    pub(crate) bytes: &'a [u8],
}

/// Takes records, or why they cannot be read, in order.
pub(crate) type Take<'t> = yane_io::archive::Take<'t, ArchivedRecord, ArchiveError>;

impl RecordPiece<'_> {
    pub(crate) fn read(&self, take: Take<'_>) {
        match self.division {
            Division::Trees => self.trees(take),
            Division::Json => self.json(take),
            Division::Pgn => self.pgn(take),
            Division::Lines => self.lines(take),
        }
    }

    /// The number of the line of a byte.
    fn line_of(&self, at: usize) -> u64 {
        let before = &self.bytes[..at.min(self.bytes.len())];
        self.line + line_ends(before)
    }

    fn trees(&self, take: Take<'_>) {
        let text = text_of(self.bytes);
        let (mut line, mut counted) = (self.line, 0);
        let mut end = 0;
        let mut boards = Boards::default();
        for (at, game, count) in properties::counted_games(&text) {
            line += text[counted..at].matches('\n').count() as u64;
            counted = at;
            end = at + game.len();
            let (kind, read) = match properties::format_name(game) {
                Some("GGF") => (RecordKind::Ggf, ggf::read(game)),
                _ => (RecordKind::Sgf, sgf::read(game)),
            };
            let synchro = boards.next(count);
            take(placed(kind, line, game, read).map(|read| ArchivedRecord { synchro, ..read }));
        }
        let rest = text[end..].trim();
        if !rest.is_empty() {
            let at = text.len() - text[end..].trim_start().len();
            let line = line + text[counted..at].matches('\n').count() as u64;
            let rest: String = rest.chars().take(40).collect();
            take(Err(at_line(
                line,
                format!("'{rest}' stands where a game '(;' was expected"),
            )));
        }
    }

    fn json(&self, take: Take<'_>) {
        let mut end = 0;
        for (begin, behind) in objects(self.bytes) {
            end = behind;
            let line = self.line_of(begin);
            let text = String::from_utf8_lossy(&self.bytes[begin..behind]);
            let object = match RawObject::read(&text) {
                Ok(object) => object,
                Err(fault) => {
                    take(placed(RecordKind::Json, line, &text, Err(fault)));
                    continue;
                }
            };
            if egaroucid::is_game(&object) {
                take(placed(
                    RecordKind::Egaroucid,
                    line,
                    &text,
                    egaroucid::read(&object),
                ));
            } else if quest::is_game(&object) {
                take(placed(RecordKind::Json, line, &text, quest::read(&object)));
            } else {
                take(of_parsed(line, &text, parse(&text)));
            }
        }
        let rest = String::from_utf8_lossy(&self.bytes[end..]);
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || "[],".contains(c));
        if !rest.is_empty() {
            let at = self.line_of(self.bytes.len() - self.bytes[end..].trim_ascii_start().len());
            let found: String = rest.chars().take(40).collect();
            let reason = if rest.starts_with('{') {
                "the object has no '}' at its end".to_owned()
            } else {
                format!("'{found}' stands where an object was expected")
            };
            take(Err(at_line(at, reason)));
        }
    }

    fn pgn(&self, take: Take<'_>) {
        let mut starts = vec![0];
        let is_first = |&at: &usize| {
            at > 0
                && self.bytes[at..].starts_with(b"[")
                && !line_before(self.bytes, at).trim_ascii().starts_with(b"[")
        };
        starts.extend(line_starts(self.bytes).filter(is_first));
        for (n, &begin) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(self.bytes.len());
            let text = text_of(&self.bytes[begin..end]);
            let line = self.line_of(begin);
            let read = pgn::read(&text).map_err(|error| Fault::new(0, error.to_string()));
            take(placed(RecordKind::Pgn, line, &text, read));
        }
    }

    fn lines(&self, take: Take<'_>) {
        let text = text_of(self.bytes);
        let items = if self.is_whole {
            parse_all(&text)
        } else {
            parse_lines(&text)
        };
        for item in items {
            // An empty file has no records.
            if item.text.trim().is_empty() {
                continue;
            }
            let line = self.line + item.line as u64 - 1;
            take(of_parsed(line, &item.text, item.record));
        }
    }
}

/// Counts the boards of matches.
#[derive(Default)]
struct Boards {
    number: usize,
    of: usize,
}

impl Boards {
    /// The board of the next game, which has a number before it or none.
    fn next(&mut self, count: Option<usize>) -> Option<SynchroBoard> {
        match count {
            Some(of) if (2..=properties::MOST_BOARDS).contains(&of) => {
                (self.number, self.of) = (1, of);
            }
            None if self.number < self.of => self.number += 1,
            _ => (self.number, self.of) = (0, 0),
        }
        let (number, of) = (self.number, self.of);
        (of > 0).then_some(SynchroBoard { number, of })
    }
}

fn at_line(line: u64, reason: String) -> ArchiveError {
    ArchiveError {
        path: None,
        place: RecordPlace::Line(line),
        reason,
    }
}

/// What was read of a text that begins in a line; mistakes are in the line of their byte.
fn placed(
    kind: RecordKind,
    line: u64,
    text: &str,
    read: Result<OthelloRecord, Fault>,
) -> Result<ArchivedRecord, ArchiveError> {
    match read {
        Ok(record) => Ok(ArchivedRecord {
            record,
            kind,
            place: RecordPlace::Line(line),
            synchro: None,
        }),
        Err(fault) => {
            let before = &text.as_bytes()[..fault.at.min(text.len())];
            let line = line + line_ends(before);
            Err(at_line(line, fault.reason))
        }
    }
}

fn of_parsed(
    line: u64,
    text: &str,
    parsed: Result<ParsedRecord, Error>,
) -> Result<ArchivedRecord, ArchiveError> {
    let parsed = parsed.map_err(|error| at_line(line, error.to_string()))?;
    let mut record = OthelloRecord::from(&parsed);
    if parsed.kind == RecordKind::Problem
        && let Ok(problem) = text.parse::<Problem>()
    {
        problem.comment.clone_into(&mut record.info.comment);
        let answers = Problem {
            comment: String::new(),
            ..problem
        }
        .to_string();
        let answers = answers
            .split_once(';')
            .map_or("", |(_, answers)| answers)
            .trim();
        if !answers.is_empty() {
            let format = OthelloFormat::Obf;
            record.info.extras.push(RecordExtra {
                format,
                ..extra("answers", answers)
            });
        }
    }
    Ok(ArchivedRecord {
        record,
        kind: parsed.kind,
        place: RecordPlace::Line(line),
        synchro: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_records;

    #[test]
    fn texts_that_are_not_japanese_are_of_western_windows() {
        assert_eq!(text_of(b"\x93caf\xe9\x94 \x80\x81"), "“café” €\u{81}");
    }

    #[test]
    fn mistakes_are_in_their_line() {
        for (text, expected) in [
            (
                "(;GM[Othello]\nB[f5]\nW[f5];)",
                "line 3: move 2: W[f5] is not legal",
            ),
            ("(;GM[2];B[f5]\n", "line 2: the game has no ')'"),
            (
                "(;GM[2];B[f5])\nhello",
                "line 2: 'hello' stands where a game",
            ),
            ("{\"a\": 1,\n}", "line 2: "),
            ("{\"a\": [\n", "line 1: the object has no '}'"),
            ("{\"a\":\"f5\"} x", "line 1: JSON: it has neither"),
            ("\n\n[A \"b\"]\n\nf5 f5", "line 3: move 2"),
        ] {
            let read = read_records(text.as_bytes(), &WthorNames::default());
            let error = read.iter().find_map(|read| read.as_ref().err()).unwrap();
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
        assert!(read_records(b"", &WthorNames::default()).is_empty());
    }
}
