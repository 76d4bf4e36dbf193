//! Recognition of file kinds by contents, whatever the file name: each format of teacher data, and
//! the kinds that [`yane_io::sniff`] knows.
//!
//! The formats have no signature. A file is taken for one when what it begins with is whole: half of its
//! first records, or its first game.

use std::io::Read as _;
use std::path::Path;

use yane_io::sniff::{BINARY, EMPTY, FileKind, Head, JSON};
use yane_io::{Error, Result};

use crate::record_problems::problem_of;
use crate::stream::Input;
use crate::text::csv;
use crate::{TeacherFormat, hcpe3, pack};

/// A pack file.
pub const PACK: FileKind =
    FileKind::new("a pack file (whole games)").with_advice("its name should end in .pack");
/// An hcpe file.
pub const HCPE: FileKind =
    FileKind::new("an hcpe file (records of 38 bytes)").with_advice("its name should end in .hcpe");
/// An hcpe3 file.
pub const HCPE3: FileKind = FileKind::new("an hcpe3 file (games with candidates)")
    .with_advice("its name should end in .hcpe3");
/// A PSV file.
pub const PSV: FileKind =
    FileKind::new("a psv file (records of 40 bytes)").with_advice("its name should end in .psv");
/// JSON lines.
pub(crate) const JSONL: FileKind = FileKind::new("a file of JSON lines (games or positions)")
    .with_advice("its name should end in .jsonl");
/// CSV.
pub const CSV: FileKind =
    FileKind::new("a csv file (positions, one a line)").with_advice("its name should end in .csv");

/// Records that are looked at.
const RECORDS: usize = 16;

/// The kind of a file that begins with `head`, if it is teacher data. For [`FileKind::of`].
pub fn recognise(head: &Head) -> Option<FileKind> {
    if let Some(kind) = recognise_text(head) {
        return Some(kind);
    }
    let [(psv, psvs), (hcpe, hcpes)] =
        [TeacherFormat::Psv, TeacherFormat::Hcpe].map(|it| whole(it, head.bytes()));
    if psv * 2 >= psvs && psv > 0 && psv >= hcpe {
        Some(PSV)
    } else if hcpe * 2 >= hcpes && hcpe > 0 {
        Some(HCPE)
    } else if begins_with_game(TeacherFormat::Hcpe3, head.bytes()) {
        Some(HCPE3)
    } else if begins_with_game(TeacherFormat::Pack, head.bytes()) {
        Some(PACK)
    } else {
        None
    }
}

fn recognise_text(head: &Head) -> Option<FileKind> {
    let text = head.text();
    let line = text
        .trim_ascii_start()
        .split(|&byte| byte == b'\n')
        .next()?;
    let has = |words: &[u8]| memchr::memmem::find(line, words).is_some();
    if line.starts_with(b"{") && (has(b"\"sfen\"") || has(b"\"start_sfen\"")) {
        Some(JSONL)
    } else if line.trim_ascii_end() == csv::HEADER.trim_ascii_end().as_bytes() {
        Some(CSV)
    } else {
        None
    }
}

/// Returns the number of whole records among the first ones, and the number of records examined.
fn whole(format: TeacherFormat, bytes: &[u8]) -> (usize, usize) {
    let records = bytes
        .chunks_exact(format.record_len().unwrap_or(1))
        .take(RECORDS);
    let all = records.len();
    let good = records.filter(|record| problem_of(format, record).is_none());
    (good.count(), all)
}

/// Returns true if the bytes begin with a whole game that has moves.
fn begins_with_game(format: TeacherFormat, bytes: &[u8]) -> bool {
    match format {
        TeacherFormat::Pack => pack::games(bytes)
            .next()
            .is_some_and(|game| game.is_ok_and(|game| !game.plies().is_empty())),
        _ => hcpe3::games(bytes)
            .next()
            .is_some_and(|game| game.is_ok_and(|game| !game.plies().is_empty())),
    }
}

/// Returns the kind of a file of this format.
pub const fn of(format: TeacherFormat) -> FileKind {
    match format {
        TeacherFormat::Pack => PACK,
        TeacherFormat::Hcpe => HCPE,
        TeacherFormat::Hcpe3 => HCPE3,
        TeacherFormat::Psv => PSV,
        TeacherFormat::Jsonl => JSONL,
        TeacherFormat::Csv => CSV,
    }
}

/// Returns the description of the expected file kind, for messages.
pub(crate) const fn expected(format: TeacherFormat) -> &'static str {
    match format {
        TeacherFormat::Pack => "a pack file (whole games)",
        TeacherFormat::Hcpe => "an hcpe file (records of 38 bytes)",
        TeacherFormat::Hcpe3 => "an hcpe3 file (games with candidates)",
        TeacherFormat::Psv => "a psv file (records of 40 bytes)",
        TeacherFormat::Jsonl => "JSON lines (games or positions)",
        TeacherFormat::Csv => "a csv file (positions, one a line)",
    }
}

/// Confidence that a file has its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The file contains something valid, or it is text, which its reader judges.
    Likely,
    /// Nothing valid was found in the part examined.
    Doubtful,
}

/// Checks that the file whose first bytes are `bytes` may have this format.
///
/// # Errors
/// [`Error::WrongKind`] when it is something else.
pub(crate) fn check(input: &Input, format: TeacherFormat, bytes: &[u8]) -> Result<Verdict> {
    let is_own = match format {
        TeacherFormat::Psv | TeacherFormat::Hcpe => {
            matches!(whole(format, bytes), (good, all) if good == all && all > 0)
        }
        TeacherFormat::Pack | TeacherFormat::Hcpe3 => begins_with_game(format, bytes),
        TeacherFormat::Jsonl => bytes.trim_ascii_start().starts_with(b"{"),
        TeacherFormat::Csv => false,
    };
    if is_own || bytes.is_empty() {
        return Ok(Verdict::Likely);
    }
    let kind = FileKind::of(&Head::of(bytes), &[recognise]);
    let is_text = matches!(format, TeacherFormat::Jsonl | TeacherFormat::Csv);
    if kind == of(format) || (is_text && (kind.is_text() || kind == JSON)) {
        return Ok(Verdict::Likely);
    }
    if kind != BINARY {
        return Err(Error::wrong_kind(input.path(), kind, expected(format)));
    }
    let mut records = bytes.chunks_exact(format.record_len().unwrap_or(usize::MAX));
    if records.any(|record| problem_of(format, record).is_none()) {
        Ok(Verdict::Likely)
    } else {
        Ok(Verdict::Doubtful)
    }
}

/// The error about a file in which nothing is as it should be.
pub(crate) fn unknown(input: &Input, format: TeacherFormat) -> Error {
    Error::wrong_kind(input.path(), BINARY, expected(format))
}

/// Checks the kind of a file that is not read from its start. The standard input is not looked at.
///
/// # Errors
/// When it cannot be read, or is of another kind.
pub fn check_file(input: &Input, format: TeacherFormat) -> crate::Result<()> {
    let Input::File(path) = input else {
        return Ok(());
    };
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Ok(());
    }
    let (stream, _) = input.open()?;
    let mut bytes = Vec::new();
    stream
        .take(Head::LEN as u64)
        .read_to_end(&mut bytes)
        .map_err(Error::io(path))?;
    check(input, format, &bytes)?;
    Ok(())
}

/// [`check_file`], for a program that has only this one input: it must not be empty either.
///
/// # Errors
/// See [`check_file`].
pub fn require(input: &Input, format: TeacherFormat) -> crate::Result<()> {
    check_file(input, format)?;
    match input {
        Input::File(path) if is_empty(path) => Err(nothing(std::slice::from_ref(input), format)),
        _ => Ok(()),
    }
}

fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == 0)
}

/// The error about inputs in which there was nothing to use.
pub(crate) fn nothing(inputs: &[Input], format: TeacherFormat) -> crate::TeacherError {
    let is_empty = |input: &Input| match input {
        Input::File(path) => is_empty(path),
        Input::Stdin => true,
    };
    match inputs {
        [] => crate::TeacherError::Option("no input file".to_owned()),
        [first, ..] if inputs.iter().all(is_empty) => {
            Error::wrong_kind(first.path(), EMPTY, expected(format)).into()
        }
        [first, ..] => {
            let what = match format {
                TeacherFormat::Pack | TeacherFormat::Hcpe3 => "game",
                TeacherFormat::Hcpe | TeacherFormat::Psv => "record",
                TeacherFormat::Jsonl | TeacherFormat::Csv => "line",
            };
            Error::file(first.path(), format!("no usable {what} of {format} in it")).into()
        }
    }
}
