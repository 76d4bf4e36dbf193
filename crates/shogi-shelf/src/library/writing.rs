//! Records as they are written.

use std::path::Path;

use page_messages::PageFailure;
use page_shelf::library::{EntryStamp, NewNames, check_new};
use shogi_kifu::{
    Charset, CsaVersion, GameRecord, KifuFormat, LineEnds, decode_record, encode_record,
};
use yane_io::{AtomicFile, Error};

use super::entry::Entry;
use super::folder::File;
use super::reading::{Contents, OneGame, is_record};

/// The bytes of a new game, and the extension of its file: KIF in UTF-8, unless that would lose something that the format it comes from
/// holds.
pub(super) fn new_game(record: &GameRecord, source: KifuFormat) -> (Vec<u8>, &'static str) {
    let (text, losses) = KifuFormat::Kif.write(record, CsaVersion::V22);
    if !losses.is_empty()
        && let Some(text) = whole(record, source, b"")
    {
        return (text.into_bytes(), source.extension());
    }
    (text.into_bytes(), KifuFormat::Kif.extension())
}

/// The text of a record in a format; `None` if that cannot hold everything.
fn whole(record: &GameRecord, format: KifuFormat, old: &[u8]) -> Option<String> {
    // The old version of CSA, unless the file was of the new one or only that holds everything.
    let is_newer = memchr::memmem::find(old, b"V3").is_some();
    let first = if is_newer {
        CsaVersion::V3
    } else {
        CsaVersion::V22
    };
    let versions = [first, CsaVersion::V3];
    let mut written = versions
        .iter()
        .map(|&version| format.write(record, version));
    let whole = written.find(|(_, losses)| losses.is_empty());
    whole.map(|(text, _)| text)
}

/// The bytes of a game that replaces another one, in the format, encoding and line ends of that; `None` if its format cannot hold
/// everything.
pub(super) fn replaced(record: &GameRecord, old: &OneGame) -> Option<Vec<u8>> {
    let text = match old.format {
        // There is no better one.
        KifuFormat::Kif => KifuFormat::Kif.write(record, CsaVersion::V22).0,
        format => whole(record, format, &old.bytes)?,
    };
    let ends = match memchr::memmem::find(&old.bytes, b"\r\n") {
        Some(_) => LineEnds::CrLf,
        None => LineEnds::Lf,
    };
    let (bytes, losses) = encode_record(&text, charset(&old.bytes), ends);
    if losses.is_empty() {
        return Some(bytes);
    }
    Some(encode_record(&text, Charset::Utf8, ends).0)
}

/// The encoding of a file, among those that are written.
fn charset(bytes: &[u8]) -> Charset {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Charset::Utf8Bom;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Charset::Utf8;
    }
    let text = decode_record(bytes).unwrap_or_default();
    let (again, losses) = encode_record(&text, Charset::ShiftJis, LineEnds::Lf);
    // The first line may name another encoding. EUC and UTF-16 become UTF-8.
    let behind = |bytes: &[u8]| {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        end.map(|end| bytes[end..].to_vec())
    };
    if losses.is_empty() && behind(&again) == behind(bytes) {
        Charset::ShiftJis
    } else {
        Charset::Utf8
    }
}

/// Writes the file of a game, new or over another one, so that it appears whole.
///
/// # Errors
///
/// When it cannot be written; the old file is whole then.
pub(super) fn write(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    record: &GameRecord,
) -> Result<File, PageFailure> {
    let path = folder.join(name);
    let written = || -> yane_io::Result<()> {
        let mut file = AtomicFile::create(&path)?;
        file.put(bytes)?;
        file.commit()
    };
    written().map_err(|error| PageFailure::of(&error))?;
    let contents = Contents::Game(Box::new(Entry::of(record, name)));
    known(folder, name, contents)
}

/// What is known of a file that was written.
///
/// # Errors
///
/// A file that is gone already.
pub(super) fn known(folder: &Path, name: &str, contents: Contents) -> Result<File, PageFailure> {
    let path = folder.join(name);
    let data = std::fs::metadata(&path);
    let data = data.map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
    Ok(File {
        name: name.into(),
        stamp: EntryStamp::of(&data),
        contents,
    })
}

/// A free name of a folder for a new game.
///
/// # Errors
///
/// Those of [`NewNames::next`].
pub(super) fn new_name(
    names: &mut NewNames,
    folder: &Path,
    extension: &str,
) -> Result<String, PageFailure> {
    let full = |name: &str| format!("{name}.{extension}");
    let name = names.next(|name| is_free(folder, &full(name)))?;
    Ok(full(&name))
}

/// A free name of a folder: this one if it is free and good on every system, else one with the same extension.
///
/// # Errors
///
/// Those of [`NewNames::next`].
pub(super) fn name_like(
    names: &mut NewNames,
    folder: &Path,
    name: &str,
) -> Result<String, PageFailure> {
    if is_free(folder, name) && is_record(name) && check_new(name).is_ok() {
        return Ok(name.to_owned());
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    new_name(names, folder, extension.unwrap_or("kif"))
}

fn is_free(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_err()
}
