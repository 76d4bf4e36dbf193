//! Games and positions that users give: in an argument, or in a file.
//!
//! [`othello_core::reading`] says what a text is; here it comes from its file, in whatever encoding, and files that are
//! something else are named.

use std::ffi::OsStr;
use std::path::Path;

use othello_core::ReadError;
use othello_core::reading::{Given, Item, read, read_all, read_lines, wthor};
use yane_io::sniff::{Expected, FileKind, Head, JSON, Recogniser};
use yane_io::{Error, Result, decode_text};

use crate::Format;

/// What is expected where games and positions are read.
const WANTED: &str = "games or positions of othello";

/// How the lines of a text belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The text may be one game over several lines.
    Together,
    /// Each line is a game or a position, but for boards in rows and game files.
    Single,
}

/// An argument as text, whatever its encoding.
pub fn argument(argument: &OsStr) -> String {
    let bytes = argument.as_encoded_bytes();
    // A shell that puts a file in UTF-16 into an argument leaves out its zero bytes.
    let marks: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
    let unmarked = marks.iter().find_map(|mark| bytes.strip_prefix(*mark));
    let bytes = unmarked.filter(|rest| rest.is_ascii()).unwrap_or(bytes);
    String::from_utf8_lossy(&decode_text(bytes)).into_owned()
}

/// What an argument gives: games and positions of its text, or of the file that it names if the text is none.
///
/// # Errors
///
/// Files that cannot be read, or are something else. What is wrong with a text is in its [`Item`].
pub fn games(text: &str) -> Result<Vec<Item>> {
    let path = Path::new(text);
    match read(text) {
        Err(_) if is_file(path) => games_of_file(path, Lines::Together),
        Err(ReadError::Unknown(_)) if looks_like_path(text) => Err(Error::file(
            path,
            "there is no such file, and this is no game and no position",
        )),
        _ => Ok(read_all(text)),
    }
}

/// Why an argument does not give one game or position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OneError {
    /// The file that it names.
    #[error(transparent)]
    File(#[from] Error),
    /// The text.
    #[error(transparent)]
    Text(#[from] ReadError),
    /// More than one, or none.
    #[error("one game or position was expected, not {0}")]
    Count(usize),
}

/// The one game or position that an argument gives.
///
/// # Errors
///
/// As [`games`]; when there are several or none.
pub fn one(text: &str) -> std::result::Result<Given, OneError> {
    let mut items = games(text)?;
    let count = items.len();
    match (items.pop(), count) {
        (Some(item), 1) => Ok(item.given?),
        _ => Err(OneError::Count(count)),
    }
}

/// Whether a text is meant as the name of a file: folders, or an ending.
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

/// The games and positions of a file.
///
/// # Errors
///
/// When it cannot be read, or is something else than text or a file of WTHOR.
pub fn games_of_file(path: &Path, lines: Lines) -> Result<Vec<Item>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    if let Some(games) = wthor(&bytes) {
        return Ok(games);
    }
    let also: [Recogniser; 1] = [book];
    let expected = Expected {
        accepts: &[JSON, yane_io::sniff::EMPTY],
        also: &also,
        ..Expected::text(WANTED)
    };
    expected.check(path, &Head::of(&bytes))?;
    let text = text_of(decode_text(&bytes));
    Ok(match lines {
        Lines::Together => read_all(&text),
        Lines::Single => read_lines(&text),
    })
}

/// Bytes as text: UTF-8, or what of Shift JIS stands in games.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| shift_jis(error.as_bytes()))
}

/// Full-width letters, digits and signs of Shift JIS, and the words for black and white; U+FFFD for other characters.
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
        // Half-width signs are one byte.
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

/// A book, which has positions but no games.
fn book(head: &Head) -> Option<FileKind> {
    let bytes = head.bytes();
    let is_edax = bytes.starts_with(b"XADEKOOB") || bytes.starts_with(b"EDAXBOOK");
    if is_edax {
        return Some(FileKind::new("a book of Edax"));
    }
    let is_egaroucid = bytes.starts_with(b"DICUORAGE")
        || matches!(Format::of_bytes(bytes), Ok(Format::Egaroucid(_)));
    is_egaroucid.then(|| FileKind::new("a book of Egaroucid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(items: &[Item]) -> String {
        let games = items.iter().map(|item| match &item.given {
            Ok(given) => given.game.to_string(),
            Err(error) => error.to_string(),
        });
        games.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_of_all_encodings_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
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
            for lines in [Lines::Together, Lines::Single] {
                let items = games_of_file(&path, lines).unwrap();
                assert_eq!(read_back(&items), "f5d6c3");
            }
            assert_eq!(read_back(&games(path.to_str().unwrap()).unwrap()), "f5d6c3");
        }
        assert_eq!(read_back(&games("f5d6").unwrap()), "f5d6");
    }

    #[test]
    fn a_file_that_is_not_there_is_told_as_such() {
        for text in ["games.txt", "./games", "C:\\games\\new.ggf"] {
            let error = games(text).unwrap_err().to_string();
            assert!(error.contains("there is no such file"), "{error}");
        }
        for text in ["hello", "hello, world.", "https://example.com/a.txt"] {
            assert!(games(text).unwrap()[0].given.is_err(), "{text}");
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
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        std::fs::write(&path, bytes).unwrap();
        let items = games_of_file(&path, Lines::Together).unwrap();
        assert_eq!(read_back(&items), "f5d6c3");
    }

    #[test]
    fn files_that_are_something_else_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.txt");
        for (bytes, name) in [
            (&b"XADEKOOB\x04\x06"[..], "a book of Edax"),
            (b"DICUORAGE\x03\0\0\0\0", "a book of Egaroucid"),
            (b"PK\x03\x04", "a zip archive"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let error = games_of_file(&path, Lines::Single).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(WANTED), "{error}");
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
            assert_eq!(argument(OsStr::from_bytes(bytes)), text);
        }
    }
}
