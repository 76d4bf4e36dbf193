//! Errors of work with files.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::identity::IdentityDifference;
use crate::sniff::FileKind;

/// The result of work on files.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why work on files failed. Whatever the error, no output file was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read or write.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file, or the folder of a temporary file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// An output, or a temporary file on the way to it, could not be written.
    #[error("{}", WriteFailed { path, folder: folder.as_deref(), written: *written, reason })]
    Write {
        /// The output; the folder of the temporary file when the output is not known.
        path: PathBuf,
        /// The folder of the temporary file; `None` when it was the output itself.
        folder: Option<PathBuf>,
        /// Bytes that were written before.
        written: u64,
        /// The system's reason.
        reason: io::Error,
    },
    /// A place in a binary file is wrong.
    #[error("{}: byte {offset}: {reason}", path.display())]
    Byte {
        /// The file.
        path: PathBuf,
        /// Offset of the wrong bytes from the start of the file.
        offset: u64,
        /// The expected and the found contents.
        reason: String,
    },
    /// The file as a whole is not of the expected kind.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason, in words.
        reason: String,
    },
    /// The file is of another kind than expected.
    #[error("{}: this is {}; expected {expected}{}", path.display(), kind.name, advice(*kind))]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// The kind that was found.
        kind: FileKind,
        /// The expected kind.
        expected: String,
    },
    /// The file has more bytes than are read of its kind.
    #[error(
        "{}: has {} bytes; of {} at most {} ({}) are read",
        path.display(), found(*bytes, *most), what, most, size(*most)
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes, where the system tells.
        bytes: Option<u64>,
        /// What it was read as: "settings", "records".
        what: &'static str,
        /// The bytes that it may have.
        most: u64,
    },
    /// The output is also an input.
    #[error("{} is an input; choose another output, or pass --force", .0.display())]
    OverwritesInput(PathBuf),
    /// The output exists.
    #[error("{} exists; choose another output, or pass --force", .0.display())]
    OutputExists(PathBuf),
    /// Another process has the lock: it writes the file, or the files of the folder.
    #[error("{}: is in use by another process{}", path.display(), process(*pid))]
    InUse {
        /// The file or the folder.
        path: PathBuf,
        /// The number of the process, where the system tells.
        pid: Option<u32>,
    },
    /// The output was not there when writing began, and was made by another program meanwhile. It stays as it is.
    #[error("{} was made by another program meanwhile, and was left as it is", .0.display())]
    Appeared(PathBuf),
    /// What a run left belongs to a run with other settings or other contents of files.
    #[error("{}: is the {what} of another run: {difference}", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The kind of file: "journal" or "state".
        what: &'static str,
        /// The parts that differ.
        difference: IdentityDifference,
    },
    /// [`crate::Job::cancel`] was called.
    #[error("interrupted; no file was changed")]
    Cancelled,
}

/// A number of bytes that is above `most`.
fn found(bytes: Option<u64>, most: u64) -> String {
    bytes.map_or_else(|| format!("more than {most}"), |bytes| bytes.to_string())
}

/// The words of [`Error::Write`].
struct WriteFailed<'a> {
    path: &'a Path,
    folder: Option<&'a Path>,
    written: u64,
    reason: &'a io::Error,
}

impl fmt::Display for WriteFailed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.folder {
            None => write!(f, "{path}: cannot write it")?,
            Some(folder) if folder == self.path => {
                write!(f, "cannot write a temporary file in {path}")?;
            }
            Some(folder) => {
                let folder = folder.display();
                write!(f, "{path}: cannot write a temporary file in {folder}")?;
            }
        }
        write!(f, ": {}", self.reason)?;
        if let Some(needed) = self.needed() {
            write!(f, "; {needed}")?;
        }
        Ok(())
    }
}

impl WriteFailed<'_> {
    /// Returns a sentence about the room that is needed.
    fn needed(&self) -> Option<String> {
        let size = size(self.written);
        let folder = self
            .folder
            .map_or_else(|| crate::folder_of(self.path), Path::to_owned);
        let folder = folder.display();
        let elsewhere = match self.folder {
            Some(_) => "or choose another folder for temporary files",
            None => "or choose another output",
        };
        Some(match self.reason.kind() {
            ErrorKind::StorageFull => {
                format!("more than {size} are needed in {folder}: free space there, {elsewhere}")
            }
            ErrorKind::QuotaExceeded => {
                format!(
                    "more than {size} are needed in {folder}: the quota is used up; free space, {elsewhere}"
                )
            }
            ErrorKind::FileTooLarge => format!(
                "more than {size} are needed in one file: raise the limit (ulimit -f), {elsewhere}"
            ),
            ErrorKind::PermissionDenied => {
                format!("the right to write in {folder} is needed, {elsewhere}")
            }
            ErrorKind::ReadOnlyFilesystem => {
                format!("{folder} can only be read: choose another folder")
            }
            ErrorKind::NotFound => format!("the folder {folder} is needed: make it first"),
            _ => return None,
        })
    }
}

/// The number of a process, in brackets.
fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" ({pid})"))
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes} bytes"),
        0x400..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// Advice about a file of this kind, behind a semicolon.
fn advice(kind: FileKind) -> String {
    if kind.advice.is_empty() {
        String::new()
    } else {
        format!("; {}", kind.advice)
    }
}

impl Error {
    /// A maker of [`Error::Io`] for `map_err`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |reason| Self::Io { path, reason }
    }

    /// A maker of [`Error::Write`] for the output at `path`, of which `written` bytes were written before.
    pub fn write(path: impl AsRef<Path>, written: u64) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |reason| Self::Write {
            path,
            folder: None,
            written,
            reason,
        }
    }

    /// An [`Error::Byte`].
    pub fn byte(path: impl AsRef<Path>, offset: u64, reason: impl Into<String>) -> Self {
        Self::Byte {
            path: path.as_ref().to_owned(),
            offset,
            reason: reason.into(),
        }
    }

    /// An [`Error::WrongKind`].
    pub fn wrong_kind(path: impl AsRef<Path>, kind: FileKind, expected: impl Into<String>) -> Self {
        Self::WrongKind {
            path: path.as_ref().to_owned(),
            kind,
            expected: expected.into(),
        }
    }

    /// An [`Error::File`].
    pub fn file(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::File {
            path: path.as_ref().to_owned(),
            reason: reason.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_writing_reports_the_needed_space() {
        for (kind, word) in [
            (
                ErrorKind::StorageFull,
                "; more than 3 MiB are needed in x: free space there",
            ),
            (ErrorKind::QuotaExceeded, "the quota is used up"),
            (
                ErrorKind::FileTooLarge,
                "; more than 3 MiB are needed in one file",
            ),
            (
                ErrorKind::PermissionDenied,
                "; the right to write in x is needed",
            ),
            (ErrorKind::ReadOnlyFilesystem, "x can only be read"),
            (ErrorKind::NotFound, "the folder x is needed"),
        ] {
            let text = Error::write("x/out.db", 3 << 20)(kind.into()).to_string();
            assert!(text.starts_with("x/out.db: cannot write it: "), "{text}");
            assert!(text.contains(word), "{text}");
        }
        let other = Error::write("out.db", 0)(ErrorKind::Other.into()).to_string();
        assert_eq!(other, "out.db: cannot write it: other error");
    }

    #[test]
    fn sizes_are_printed_in_round_numbers() {
        let sizes = [
            (7, "7 bytes"),
            (4096, "4 KiB"),
            (5 << 20, "5 MiB"),
            (3 << 29, "1.5 GiB"),
        ];
        for (bytes, text) in sizes {
            assert_eq!(size(bytes), text);
        }
    }
}
