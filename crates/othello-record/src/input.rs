//! Games and positions from command-line arguments and files.
//!
//! Files are decoded from any encoding; files of another kind are named in the error.

use std::ffi::OsStr;
use std::path::Path;

use yane_io::sniff::{Expected, FileKind, Head, JSON, Recogniser};
use yane_io::{Error, ReadLimit, Result, decode_text};

use crate::{ParsedRecord, RecordItem, edx, parse, parse_all, parse_lines, parse_wthor};

/// The expected content, for error messages.
const EXPECTED: &str = "games or positions of othello";

/// The meaning of line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMode {
    /// The text may be one record over several lines.
    Whole,
    /// Each line is a record, except boards in rows and game files.
    PerLine,
}

/// Decodes an argument of any encoding.
pub fn argument_text(argument: &OsStr) -> String {
    let bytes = argument.as_encoded_bytes();
    // A shell that puts a file in UTF-16 into an argument leaves out its zero bytes.
    let marks: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
    let unmarked = marks.iter().find_map(|mark| bytes.strip_prefix(*mark));
    let bytes = unmarked.filter(|rest| rest.is_ascii()).unwrap_or(bytes);
    String::from_utf8_lossy(&decode_text(bytes)).into_owned()
}

/// The records of an argument, or of the file that it names if it is no record itself.
///
/// # Errors
///
/// Files that cannot be read, or are of another kind. Errors of records are in their [`RecordItem`]s.
pub fn read_argument(text: &str) -> Result<Vec<RecordItem>> {
    let path = Path::new(text);
    match parse(text) {
        Err(_) if is_file(path) => read_file(path, LineMode::Whole),
        Err(crate::Error::Unknown(_)) if looks_like_path(text) => Err(Error::file(
            path,
            "there is no such file, and this is no game and no position",
        )),
        _ => Ok(parse_all(text)),
    }
}

/// The reason why an argument is not one record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] Error),
    /// An invalid record.
    #[error(transparent)]
    Text(#[from] crate::Error),
    /// Several records, or none.
    #[error("one game or position was expected, not {0}")]
    Count(usize),
}

/// The one record of an argument.
///
/// # Errors
///
/// As [`read_argument`]; an invalid record; several records or none.
pub fn read_one(text: &str) -> std::result::Result<ParsedRecord, ArgumentError> {
    let mut items = read_argument(text)?;
    let count = items.len();
    match (items.pop(), count) {
        (Some(item), 1) => Ok(item.record?),
        _ => Err(ArgumentError::Count(count)),
    }
}

/// Returns whether a text looks like a file name: with a folder or an extension.
fn looks_like_path(text: &str) -> bool {
    let extension = Path::new(text).extension().and_then(OsStr::to_str);
    let has_ending = extension.is_some_and(|ending| {
        (2..=5).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric)
    });
    let is_url = text.contains("://");
    !text.contains(char::is_whitespace) && !is_url && (has_ending || text.contains(['/', '\\']))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !data.is_dir())
}

/// The records of a file.
///
/// # Errors
///
/// A file that cannot be read, or that is neither text nor WTHOR nor games of Edax.
pub fn read_file(path: &Path, lines: LineMode) -> Result<Vec<RecordItem>> {
    let bytes = ReadLimit::Records.read(path)?;
    if let Some(games) = parse_wthor(&bytes).or_else(|| edx::parse(&bytes)) {
        return Ok(games);
    }
    check_kind(path, &Head::of(&bytes))?;
    let text = text_of(decode_text(&bytes));
    Ok(match lines {
        // As an argument, no moves are the position at the start of a game.
        LineMode::Whole if text.trim().is_empty() => Vec::new(),
        LineMode::Whole => parse_all(&text),
        LineMode::PerLine => parse_lines(&text),
    })
}

/// Checks that a file is text.
///
/// # Errors
///
/// A file of another kind, which the error names.
pub(crate) fn check_kind(path: &Path, head: &Head) -> Result<()> {
    let also: [Recogniser; 1] = [book];
    let expected = Expected {
        accepts: &[JSON, yane_io::sniff::EMPTY],
        also: &also,
        ..Expected::text(EXPECTED)
    };
    expected.check(path, head)
}

/// Decodes UTF-8, or the characters of Shift JIS that occur in games.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| shift_jis(error.as_bytes()))
}

/// Decodes full-width letters, digits and punctuation of Shift JIS, and the words for black and white; U+FFFD for others.
fn shift_jis(bytes: &[u8]) -> String {
    let wide = |first: u8, base: char, byte: u8| {
        let code = u32::from(base) + u32::from(byte - first);
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    let mut text = String::new();
    let mut bytes = bytes.iter().copied();
    while let Some(lead) = bytes.next() {
        if lead.is_ascii() {
            text.push(char::from(lead));
            continue;
        }
        // Half-width katakana are one byte.
        if (0xa0..0xe0).contains(&lead) {
            text.push(char::REPLACEMENT_CHARACTER);
            continue;
        }
        text.push(match (lead, bytes.next().unwrap_or_default()) {
            (0x82, byte @ 0x4f..=0x58) => wide(0x4f, '０', byte),
            (0x82, byte @ 0x60..=0x79) => wide(0x60, 'Ａ', byte),
            (0x82, byte @ 0x81..=0x9a) => wide(0x81, 'ａ', byte),
            (0x81, 0x40) => '\u{3000}',
            (0x81, 0x41) => '、',
            (0x81, 0x42) => '。',
            (0x81, 0x43) => '，',
            (0x81, 0x44) => '．',
            (0x81, 0x45) => '・',
            (0x81, 0x5b | 0x5c | 0x7c) => '－',
            (0x81, 0x9b) => '○',
            (0x81, 0x9c) => '●',
            (0x8d, 0x95) => '黒',
            (0x94, 0x92) => '白',
            (0x94, 0xd4) => '番',
            (0x8e, 0xe8) => '手',
            (0x96, 0xda) => '目',
            _ => char::REPLACEMENT_CHARACTER,
        });
    }
    text
}

/// Recognises a book, which is no game record.
fn book(head: &Head) -> Option<FileKind> {
    let bytes = head.bytes();
    let is_edax = bytes.starts_with(b"XADEKOOB") || bytes.starts_with(b"EDAXBOOK");
    if is_edax {
        return Some(FileKind::new("a book of Edax"));
    }
    // An `.egbk` has no magic number: a count, and records of 17 bytes that fill the file.
    let count = bytes.first_chunk().map(|count| i32::from_le_bytes(*count));
    let is_egbk = count.is_some_and(|count| i64::from(count) * 17 + 4 == bytes.len() as i64);
    let is_egaroucid = bytes.starts_with(b"DICUORAGE") || is_egbk;
    is_egaroucid.then(|| FileKind::new("a book of Egaroucid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(items: &[RecordItem]) -> String {
        let games = items.iter().map(|item| match &item.record {
            Ok(record) => record.game.to_string(),
            Err(error) => error.to_string(),
        });
        games.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_of_all_encodings_are_read() {
        let folder = test_support::TestFolder::new();
        let path = folder.path("games.txt");
        let utf16 = |unit: fn(u16) -> [u8; 2]| {
            let text = "\u{feff}f5d6c3\r\n";
            text.encode_utf16().flat_map(unit).collect::<Vec<u8>>()
        };
        for bytes in [
            b"f5d6c3".to_vec(),
            "\u{feff}f5d6c3\r\n".as_bytes().to_vec(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ] {
            std::fs::write(&path, &bytes).unwrap();
            for lines in [LineMode::Whole, LineMode::PerLine] {
                let items = read_file(&path, lines).unwrap();
                assert_eq!(read_back(&items), "f5d6c3");
            }
            assert_eq!(
                read_back(&read_argument(path.to_str().unwrap()).unwrap()),
                "f5d6c3"
            );
        }
        assert_eq!(read_back(&read_argument("f5d6").unwrap()), "f5d6");
    }

    #[test]
    fn an_empty_file_has_no_game_and_an_empty_argument_is_the_start() {
        let folder = test_support::TestFolder::new();
        let path = folder.path("games.txt");
        for text in ["", " \r\n\n"] {
            std::fs::write(&path, text).unwrap();
            for lines in [LineMode::Whole, LineMode::PerLine] {
                assert!(read_file(&path, lines).unwrap().is_empty(), "{text:?}");
            }
            assert!(read_argument(path.to_str().unwrap()).unwrap().is_empty());
        }
        assert_eq!(read_argument("").unwrap().len(), 1);
    }

    #[test]
    fn a_missing_file_is_named() {
        for text in ["games.txt", "./games", "C:\\games\\new.ggf"] {
            let error = read_argument(text).unwrap_err().to_string();
            assert!(error.contains("there is no such file"), "{error}");
        }
        for text in ["hello", "hello, world.", "https://example.com/a.txt"] {
            assert!(read_argument(text).unwrap()[0].record.is_err(), "{text}");
        }
    }

    #[test]
    fn full_width_letters_in_shift_jis_are_read() {
        let bytes = b"\x82\x65\x82\x54\x81\x7c\x82\x84\x82\x55\x81\x40c3\r\n";
        assert_eq!(text_of(bytes.to_vec()), "Ｆ５－ｄ６\u{3000}c3\r\n");
        assert_eq!(
            text_of(b"\x8d\x95\x94\xd4 \xb1\x88".to_vec()),
            "黒番 \u{fffd}\u{fffd}"
        );
        let folder = test_support::TestFolder::new();
        let path = folder.path("games.txt");
        std::fs::write(&path, bytes).unwrap();
        let items = read_file(&path, LineMode::Whole).unwrap();
        assert_eq!(read_back(&items), "f5d6c3");
    }

    #[test]
    fn files_that_are_something_else_are_named() {
        let folder = test_support::TestFolder::new();
        let path = folder.path("games.txt");
        for (bytes, name) in [
            (&b"XADEKOOB\x04\x06"[..], "a book of Edax"),
            (b"DICUORAGE\x03\0\0\0\0", "a book of Egaroucid"),
            (b"PK\x03\x04", "a zip archive"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = read_file(&path, LineMode::PerLine).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(EXPECTED), "{error}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn arguments_of_files_in_utf_16_are_read() {
        use std::os::unix::ffi::OsStrExt as _;
        for (bytes, text) in [
            (&b"\xff\xfef5d6\r\n"[..], "f5d6\r\n"),
            (b"f5d6", "f5d6"),
            ("ｆ５".as_bytes(), "ｆ５"),
            (b"\xef\xbb\xbff5", "f5"),
        ] {
            assert_eq!(argument_text(OsStr::from_bytes(bytes)), text);
        }
    }
}
