//! Files that are read as a whole, of a limited size.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::sniff::Expected;
use crate::text::TextFile;
use crate::{Error, InputFile, Result};

/// The most bytes of a file that is read as a whole, by what it holds.
///
/// A file that is larger is refused before it is read where the system tells its size, and as soon as the limit is
/// passed where it does not, as with pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLimit {
    /// Settings and numbers: 16 MiB.
    Settings,
    /// Lists of positions, openings and names: 1 GiB.
    List,
    /// Records of games: 16 GiB.
    Records,
}

impl ReadLimit {
    /// Bytes of the file, and of its text in UTF-8.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Settings => 16 << 20,
            Self::List => 1 << 30,
            Self::Records => 16 << 30,
        }
    }

    /// The contents of such files, in words.
    const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::List => "a list",
            Self::Records => "records",
        }
    }

    /// The bytes of the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, or is larger ([`Error::TooLarge`]).
    pub fn read(self, path: &Path) -> Result<Vec<u8>> {
        let file = InputFile::open(path)?;
        let len = file.state().file_len();
        self.check(path, len)?;
        self.read_sized(path, file, len)
    }

    /// The same of a file that need not be there: `None` then.
    ///
    /// # Errors
    /// When it is there and cannot be read, or is larger.
    pub fn read_if_there(self, path: &Path) -> Result<Option<Vec<u8>>> {
        match self.read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Error::Io { reason, .. }) if reason.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The text of the file at `path`, which must be UTF-8.
    ///
    /// # Errors
    /// As [`Self::read`], and when it is no UTF-8.
    pub fn read_string(self, path: &Path) -> Result<String> {
        String::from_utf8(self.read(path)?).map_err(|error| {
            let offset = error.utf8_error().valid_up_to() as u64;
            Error::byte(path, offset, "is no UTF-8, which is expected")
        })
    }

    /// All bytes of `source`, such as standard input, which `name` names in errors.
    ///
    /// # Errors
    /// When it cannot be read, or gives more ([`Error::TooLarge`]).
    pub fn read_source(self, name: &Path, source: impl Read) -> Result<Vec<u8>> {
        self.read_sized(name, source, None)
    }

    /// The same of a source of which the size may be known.
    fn read_sized(self, name: &Path, source: impl Read, len: Option<u64>) -> Result<Vec<u8>> {
        let len = usize::try_from(len.unwrap_or(0)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(len);
        let mut source = source.take(self.bytes() + 1);
        let read: io::Result<usize> = source.read_to_end(&mut bytes);
        if read.map_err(Error::io(name))? as u64 > self.bytes() {
            return Err(self.passed(name, None));
        }
        Ok(bytes)
    }

    /// Checks the size of the file at `path`, if it is known.
    fn check(self, path: &Path, len: Option<u64>) -> Result<()> {
        match len {
            Some(len) if len > self.bytes() => Err(self.passed(path, Some(len))),
            _ => Ok(()),
        }
    }

    fn passed(self, path: &Path, bytes: Option<u64>) -> Error {
        Error::TooLarge {
            path: path.to_owned(),
            bytes,
            what: self.name(),
            most: self.bytes(),
        }
    }
}

/// The text of the file at `path`, as UTF-8 without its byte order mark.
///
/// # Errors
/// When it cannot be read, is something else than `expected` says, which the error names, or is larger than `limit`
/// ([`Error::TooLarge`]).
pub fn read_text(path: &Path, expected: &Expected<'_>, limit: ReadLimit) -> Result<Vec<u8>> {
    let mut file = TextFile::open(path, expected)?;
    limit.check(path, file.len)?;
    let mut text = Vec::new();
    if file.read_up_to(limit.bytes() + 1, &mut text)? > limit.bytes() {
        return Err(limit.passed(path, None));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of lines, as far as its kind is told by, and then nothing but zeros, which take no room: so many bytes in all.
    fn sparse(path: &Path, bytes: u64) {
        std::fs::write(path, "startpos\n".repeat(30_000)).unwrap();
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_len(bytes).unwrap();
    }

    #[test]
    fn files_above_the_limit_are_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings");
        for (limit, words) in [
            (
                ReadLimit::Settings,
                "settings: has 16777217 bytes; of settings at most 16777216 (16 MiB) are read",
            ),
            (
                ReadLimit::List,
                "settings: has 1073741825 bytes; of a list at most 1073741824 (1.0 GiB) are read",
            ),
            (
                ReadLimit::Records,
                "settings: has 17179869185 bytes; of records at most 17179869184 (16.0 GiB) are read",
            ),
        ] {
            sparse(&path, limit.bytes() + 1);
            let expected = Expected::text("lines");
            for error in [
                read_text(&path, &expected, limit).unwrap_err(),
                limit.read(&path).unwrap_err(),
                limit.read_if_there(&path).unwrap_err(),
                limit.read_string(&path).unwrap_err(),
            ] {
                assert!(error.to_string().ends_with(words), "{error}");
            }
        }
    }

    #[test]
    fn files_of_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings");
        let limit = ReadLimit::Settings;
        std::fs::write(&path, vec![b'x'; 16 << 20]).unwrap();
        assert_eq!(limit.read(&path).unwrap().len(), 16 << 20);
        let text = read_text(&path, &Expected::text("lines"), limit).unwrap();
        assert_eq!(text.len(), 16 << 20);
        assert!(
            limit
                .read_if_there(&folder.path().join("none"))
                .unwrap()
                .is_none()
        );
        std::fs::write(&path, b"ab\xff").unwrap();
        let error = limit.read_string(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("settings: byte 2: is no UTF-8, which is expected"),
            "{error}"
        );
    }

    #[test]
    fn sources_of_unknown_size_end_at_the_limit() {
        let name = Path::new("standard input");
        let error = ReadLimit::Settings.read_source(name, io::repeat(b'x'));
        assert_eq!(
            error.unwrap_err().to_string(),
            "standard input: has more than 16777216 bytes; of settings at most 16777216 (16 MiB) are read"
        );
    }

    #[test]
    fn text_that_grows_when_it_is_decoded_has_the_same_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings");
        let kanji: Vec<u8> = "\u{feff}将棋\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let line = &kanji[2..];
        let mut bytes = kanji.clone();
        while bytes.len() < 15 << 20 {
            bytes.extend_from_slice(line);
        }
        std::fs::write(&path, bytes).unwrap();
        let error = read_text(&path, &Expected::text("lines"), ReadLimit::Settings);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("has more than 16777216 bytes"), "{error}");
    }
}
