//! The kinds of book files, and what the files are that books and records are mistaken for.
//!
//! [`yane_io::sniff`] knows the kinds with a signature or telling words; here are those that only a program that
//! knows shogi can tell: lists of games or positions, books without a header, Apery's books, and teacher data.

use std::fmt;
use std::path::Path;

use memchr::memmem;
use shogi_core::{AperyMove16, Position};
use shogi_packed::{Hcp, PackedSfen};
use yane_io::sniff::{BINARY, DB, Expected, FileKind, Head, Recogniser, YBB};

use crate::book_move::move_from_usi;
use crate::db::{HEADER, Lines, MoveLine, Records};
use crate::{BookError, Result};

/// Games, one a line.
pub const GAMES: FileKind = FileKind::new("a list of games (startpos moves ...)")
    .with_advice("`makebook from_sfen` makes a book of it");
/// SFENs, one a line, without moves of a book.
pub const POSITIONS: FileKind = FileKind::new("a list of positions without book moves")
    .with_advice("`makebook think` makes a book of it");
/// A book of Apery.
pub const APERY: FileKind = FileKind::new("a binary book in Apery's format (.bin)");
/// Teacher data in records of 40 bytes.
pub const PSV: FileKind = FileKind::new("teacher data in the PSV format");
/// Teacher data in records of 38 bytes.
pub const HCPE: FileKind = FileKind::new("teacher data in the hcpe format");

/// Teacher data: whole games.
pub const PACK: FileKind = FileKind::new("teacher data in the pack format");
/// Teacher data: whole games with the moves that were searched.
pub const HCPE3: FileKind = FileKind::new("teacher data in the hcpe3 format");

const BINARIES: &[Recogniser] = &[psv, hcpe, pack, hcpe3, apery];

/// A text book to be read.
pub(crate) const TEXT_BOOK: Expected<'_> = Expected {
    what: "a .db book (lines `sfen ...`, each followed by its moves)",
    accepts: &[DB],
    also: &[games, positions, psv, hcpe, pack, hcpe3, apery],
};

/// Any file with lines that begin with `sfen`.
pub(crate) const SFEN_LINES: Expected<'_> = Expected {
    what: "a .db book (lines `sfen ...`)",
    accepts: &[DB],
    also: BINARIES,
};

/// Games or positions to be read, one a line.
pub const RECORDS: Expected<'_> = Expected {
    what: "games or positions, one a line (startpos moves 7g7f ...)",
    accepts: &[],
    also: &[text_book, psv, hcpe, pack, hcpe3, apery],
};

/// A `.ybb` book to be read.
const YBB_BOOK: Expected<'_> = Expected {
    what: "a binary book in the .ybb format",
    accepts: &[YBB],
    also: &[games, positions, psv, hcpe, pack, hcpe3, apery],
};

/// A book of Apery's to be read.
const APERY_BOOK: Expected<'_> = Expected {
    what: "a binary book in Apery's format",
    accepts: &[APERY],
    also: &[apery, games, positions, psv, hcpe, pack, hcpe3],
};

/// Checks that a file that begins with `head` may be a `.ybb` book.
pub(crate) fn expect_ybb(path: &Path, head: &Head) -> Result<()> {
    let kind = FileKind::of(head, YBB_BOOK.also);
    if kind == YBB || kind == BINARY {
        return Ok(());
    }
    Err(renamed(path, YBB_BOOK.wrong(path, head)))
}

/// Checks that a file that begins with `head` may be a book of Apery's.
pub(crate) fn expect_apery(path: &Path, head: &Head) -> Result<()> {
    let kind = FileKind::of(head, APERY_BOOK.also);
    // Nothing tells such a book but that its keys rise, so only what is surely something else is refused: a few
    // records may look like text.
    let text = head.text();
    let is_text = std::str::from_utf8(&text).is_ok_and(|text| !text.contains('\0'));
    if kind == APERY || kind == BINARY || (kind.is_text() && !is_text) {
        return Ok(());
    }
    Err(renamed(path, APERY_BOOK.wrong(path, head)))
}

/// The same error, with the right name for a book of another format.
fn renamed(path: &Path, error: yane_io::Error) -> BookError {
    let yane_io::Error::WrongKind { kind, expected, .. } = &error else {
        return error.into();
    };
    let advice = match *kind {
        DB => "name it .db",
        YBB => "name it .ybb",
        APERY => "name it .bin",
        _ => return error.into(),
    };
    yane_io::Error::wrong_kind(path, kind.with_advice(advice), expected.clone()).into()
}

/// Checks that a file that begins with `head` may be a text book.
pub(crate) fn expect_text_book(path: &Path, head: &Head) -> Result<()> {
    let checked = TEXT_BOOK.check(path, head);
    checked.map_err(|error| renamed(path, error))?;
    let text = head.text();
    let whole = head.file_len() == Some(head.bytes().len() as u64);
    if whole && !text.starts_with(HEADER.as_bytes()) && Records::new(&text, 0).next().is_none() {
        let reason = format!("is no .db book: neither {HEADER:?} nor any \"sfen\" line is in it");
        return Err(BookError::file(path, reason));
    }
    Ok(())
}

/// Recognises lists of games.
fn games(head: &Head) -> Option<FileKind> {
    let text = head.text();
    let (_, first) = Lines::new(&text, 0).next().filter(|_| head.is_text())?;
    let first = first.to_ascii_lowercase();
    let begins = |word: &str| first.starts_with(word.as_bytes());
    let moves = memmem::find(&first, b" moves ").is_some();
    (begins("startpos") || begins("position ") || (moves && first.contains(&b'/'))).then_some(GAMES)
}

/// Recognises lists of SFENs: no line is a move of a book.
fn positions(head: &Head) -> Option<FileKind> {
    let text = head.text();
    let mut lines = Lines::new(&text, 0).map(|(_, line)| line);
    let is_bare = |line: &[u8]| {
        let mut words = line
            .split(|byte| *byte == b' ')
            .filter(|word| !word.is_empty());
        let board = words
            .next()
            .is_some_and(|word| word.split(|byte| *byte == b'/').count() == 9);
        board && matches!(words.next(), Some(b"b" | b"w"))
    };
    (head.is_text() && is_bare(lines.next()?)).then_some(POSITIONS)
}

/// Recognises a text book without its header: an SFEN, then a move with more than a move behind it.
fn text_book(head: &Head) -> Option<FileKind> {
    let text = head.text();
    let mut lines = Lines::new(&text, 0).map(|(_, line)| line);
    let first = lines.next()?;
    let second = lines.next()?;
    let mut words = second
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .filter(|word| !word.is_empty());
    let is_move = |word: &[u8]| move_from_usi(word).is_some();
    let own = words
        .next()
        .is_some_and(|word| is_move(word) || word == b"none");
    let reply = words
        .next()
        .is_some_and(|word| is_move(word) || word == b"none");
    let number = words.next().is_some_and(|word| {
        word == b"none" || word.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
    });
    let is_book =
        first.starts_with(b"sfen ") && own && reply && number && MoveLine::parse(second).is_ok();
    is_book.then_some(DB)
}

/// Recognises PSV files.
fn psv(head: &Head) -> Option<FileKind> {
    let decodes = |record: &[u8; 40]| {
        let packed = record.first_chunk().map(|bytes| PackedSfen(*bytes));
        packed.is_some_and(|packed| packed.decode().is_ok())
    };
    consists_of(head, decodes).then_some(PSV)
}

/// Recognises hcpe files.
fn hcpe(head: &Head) -> Option<FileKind> {
    let decodes = |record: &[u8; 38]| {
        let packed = record.first_chunk().map(|bytes| Hcp(*bytes));
        packed.is_some_and(|packed| packed.decode().is_ok())
    };
    consists_of(head, decodes).then_some(HCPE)
}

/// Returns whether nearly all of the first records are right.
fn consists_of<const LEN: usize>(head: &Head, is_right: impl Fn(&[u8; LEN]) -> bool) -> bool {
    let (records, _) = head.bytes().as_chunks::<LEN>();
    let records = &records[..records.len().min(64)];
    let right = records.iter().filter(|record| is_right(record)).count();
    !records.is_empty() && right * 10 >= records.len() * 9
}

/// Recognises packs: a start, and moves that can be played there, each with a score of two bytes.
fn pack(head: &Head) -> Option<FileKind> {
    let (start, plies) = match head.bytes() {
        [1, plies @ ..] => (Position::startpos(), plies),
        [0, rest @ ..] => (hcp(rest)?, rest.get(34..)?),
        _ => return None,
    };
    are_moves(start, plies.as_chunks::<4>().0).then_some(PACK)
}

/// Recognises hcpe3 files: a start, and a first move that can be played there.
fn hcpe3(head: &Head) -> Option<FileKind> {
    let start = hcp(head.bytes())?;
    let ply: &[u8; 4] = head.bytes().get(36..)?.first_chunk()?;
    are_moves(start, &[*ply]).then_some(HCPE3)
}

fn hcp(bytes: &[u8]) -> Option<Position> {
    Hcp(*bytes.first_chunk()?).decode().ok()
}

/// Returns whether the first of `plies` begin with moves that can be played one after the other.
fn are_moves(mut position: Position, plies: &[[u8; 4]]) -> bool {
    for [low, high, ..] in plies.iter().take(8) {
        let code = u16::from_le_bytes([*low, *high]);
        // At the end of a game, origin and destination are the same.
        if code >> 7 & 0x7f == code & 0x7f {
            break;
        }
        let found = position.move_from_apery_16(AperyMove16(code));
        if found.is_none_or(|m| position.try_do_move(m).is_err()) {
            return false;
        }
    }
    !plies.is_empty()
}

/// Recognises Apery's books: records of 16 bytes whose keys never fall.
fn apery(head: &Head) -> Option<FileKind> {
    let (records, _) = head.bytes().as_chunks::<16>();
    let keys = records
        .iter()
        .map(|record| u64::from_le_bytes(std::array::from_fn(|i| record[i])));
    let fits = head.file_len().is_none_or(|len| len % 16 == 0);
    let is_book = fits
        && records.len() >= 4
        && keys.is_sorted()
        && head.bytes().iter().any(|&byte| byte != 0);
    is_book.then_some(APERY)
}

// The kinds of book files.

/// A kind of book file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text, `.db` ([`crate::db`]).
    Db,
    /// Binary, `.ybb` ([`crate::ybb`]).
    Ybb,
    /// Apery's binary, `.bin` ([`crate::apery`]).
    Apery,
    /// `ShogiGUI`'s, `.sbk`: read by conversion, never written.
    Sbk,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Db, Self::Ybb, Self::Apery, Self::Sbk];

    /// The format that the extension of `path` names, in upper or lower case.
    ///
    /// # Errors
    /// When the extension is none of these.
    pub fn of_path(path: &Path) -> Result<Self> {
        let named = |format: &Self| {
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case(format.extension()))
        };
        Self::ALL.into_iter().find(named).ok_or_else(|| {
            let reason =
                "expected a book named .db (text), .ybb (binary), .bin (Apery) or .sbk (ShogiGUI)";
            BookError::file(path, reason)
        })
    }

    /// The extension of its files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Db => "db",
            Self::Ybb => "ybb",
            Self::Apery => "bin",
            Self::Sbk => "sbk",
        }
    }
}

impl fmt::Display for Format {
    /// The extension with its dot.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.extension())
    }
}

#[cfg(test)]
mod tests {
    use yane_io::sniff::TEXT;

    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    fn kind(bytes: &[u8], expected: &Expected<'_>) -> FileKind {
        FileKind::of(&Head::of(bytes), expected.also)
    }

    fn teacher<const LEN: usize>(packed: [u8; 32]) -> Vec<u8> {
        let mut record = [0; LEN];
        record[..32].copy_from_slice(&packed);
        record.repeat(5)
    }

    #[test]
    fn what_is_mistaken_for_a_text_book_is_named() {
        let start = Position::startpos();
        for (bytes, expected) in [
            (b"startpos moves 7g7f\n".to_vec(), GAMES),
            (format!("sfen {START} moves 7g7f\n").into_bytes(), GAMES),
            (format!("# a\n{START}\n{START}\n").into_bytes(), POSITIONS),
            (
                format!("sfen {START}\n7g7f none 0 0 1\n").into_bytes(),
                TEXT,
            ),
            (teacher::<40>(PackedSfen::encode(&start).unwrap().0), PSV),
            (teacher::<38>(Hcp::encode(&start).unwrap().0), HCPE),
            (
                (1..20u128)
                    .flat_map(|n| (n << 64 | n << 40).to_le_bytes())
                    .collect(),
                APERY,
            ),
        ] {
            assert_eq!(kind(&bytes, &TEXT_BOOK), expected);
        }
    }

    #[test]
    fn teacher_data_is_named() {
        let folder = test_support::fixture("teacher");
        for (name, expected) in [
            ("selfplay/startpos_n500_ply200.pack", PACK),
            ("selfplay/normal_n2000_ply320.pack", PACK),
            ("selfplay/normal_n2000_ply320.psv", PSV),
            ("selfplay/normal_n2000_ply320.hcpe", HCPE),
            ("hcpe3/multipv4_default.hcpe3", HCPE3),
        ] {
            let head = Head::read(&folder.join(name)).unwrap();
            for expecting in [&TEXT_BOOK, &RECORDS, &YBB_BOOK, &APERY_BOOK] {
                assert_eq!(FileKind::of(&head, expecting.also), expected, "{name}");
            }
        }
    }

    #[test]
    fn what_is_mistaken_for_games_is_named() {
        for (text, expected) in [
            (format!("sfen {START}\n7g7f 3c3d 50 20 5\n"), DB),
            (format!("sfen {START}\n7g7f none none none 5\n"), DB),
            (format!("sfen {START}\nsfen {START}\n"), TEXT),
            (format!("{START}\n"), TEXT),
            ("7g7f 3c3d\n7g7f 3c3d 2g2f\n".to_owned(), TEXT),
        ] {
            assert_eq!(kind(text.as_bytes(), &RECORDS), expected, "{text}");
        }
    }

    #[test]
    fn books_under_another_name_are_told_the_right_one() {
        let path = Path::new("book.ybb");
        let text = format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n");
        let error = expect_ybb(path, &Head::of(text.as_bytes())).unwrap_err();
        let told = "book.ybb: this is a text book in the .db format; \
                expected a binary book in the .ybb format; name it .db";
        assert_eq!(error.to_string(), told);
        let ybb = b"YANE-BINBOOK-V1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        assert!(expect_ybb(path, &Head::of(ybb)).is_ok());
        let path = Path::new("book.bin");
        for (bytes, word) in [
            (text.as_bytes(), "name it .db"),
            (ybb, "name it .ybb"),
            (b"", "an empty file"),
            (&[0; 64], "zero bytes"),
            (b"PK\x03\x04", "zip"),
        ] {
            let error = expect_apery(path, &Head::of(bytes))
                .unwrap_err()
                .to_string();
            assert!(error.contains(word), "{error}");
        }
        let error = expect_text_book(Path::new("x.db"), &Head::of(ybb)).unwrap_err();
        assert!(error.to_string().ends_with("name it .ybb"), "{error}");
    }

    #[test]
    fn extensions_name_formats() {
        for (name, format) in [
            ("a.db", Format::Db),
            ("x/book.BIN", Format::Apery),
            ("user.book.ybb", Format::Ybb),
        ] {
            assert_eq!(Format::of_path(Path::new(name)).unwrap(), format);
        }
        for name in ["book", "book.txt", "db"] {
            let error = Format::of_path(Path::new(name)).unwrap_err().to_string();
            for format in Format::ALL {
                assert!(error.contains(&format.to_string()), "{error}");
            }
        }
    }
}
