//! What the value of a setting names: the contents of a file or folder, as far as reading them has bounds.

use std::fmt;
use std::fs;
use std::path::Path;

use super::checksum::FolderFiles;
use crate::{Checksum, Error, Result, path_of_text};

/// Bytes of which the contents are read. Of more (a book, records) the size stands for them.
const MOST_BYTES: u64 = 2 << 30;
/// Files and folders of a folder whose contents are read.
const MOST_FILES: usize = 10_000;

/// What a file or folder has that the value of a setting names, whatever its name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamedContents {
    /// The checksum of a file, or of all files of a folder.
    Checksum(Checksum),
    /// The number of bytes, where there are more than 2 GiB of them.
    Size(u64),
}

impl NamedContents {
    /// That of the file or folder that `value` names where it stands, or else in the folder `beside`: the one of a
    /// program that reads it. `None` when nothing is there, and where [`Self::of_path`] has nothing.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    ///
    /// ```
    /// use yane_io::NamedContents;
    /// let folder = tempfile::tempdir().unwrap();
    /// std::fs::write(folder.path().join("nn.bin"), "network").unwrap();
    /// let of = |value: &str| NamedContents::of_value(value, Some(folder.path())).unwrap();
    /// assert!(of("nn.bin").unwrap().to_string().starts_with("7 bytes "));
    /// assert_eq!((of("absent"), of("16")), (None, None));
    /// ```
    pub fn of_value(value: &str, beside: Option<&Path>) -> Result<Option<Self>> {
        let value = value.trim();
        if value.is_empty() {
            return Ok(None);
        }
        let beside = beside.map(|folder| folder.join(path_of_text(value)));
        let mut places = [Some(path_of_text(value)), beside].into_iter().flatten();
        match places.find(|path| path.exists()) {
            Some(path) => Self::of_path(&path),
            None => Ok(None),
        }
    }

    /// That of a file, or of all files below a folder with their names in it; hidden ones do not count. `None` for what is
    /// neither (a device), for a folder with more than 10,000 files and folders, and for one in which the program runs: what the
    /// program writes itself would be part of it.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn of_path(path: &Path) -> Result<Option<Self>> {
        let data = fs::metadata(path).map_err(Error::io(path))?;
        let is_much = |bytes: u64| bytes > MOST_BYTES;
        if data.is_file() {
            return Ok(Some(match data.len() {
                bytes if is_much(bytes) => Self::Size(bytes),
                _ => Self::Checksum(Checksum::of_file(path)?),
            }));
        }
        let mut files = FolderFiles::default();
        if !data.is_dir() || is_around(path) || !files.add(path, MOST_FILES)? {
            return Ok(None);
        }
        Ok(Some(match files.bytes() {
            bytes if is_much(bytes) => Self::Size(bytes),
            _ => Self::Checksum(files.checksum(path)?),
        }))
    }
}

/// `12 bytes 0123…`: the checksum, or the number of bytes alone.
impl fmt::Display for NamedContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum(checksum) => checksum.fmt(f),
            Self::Size(bytes) => write!(f, "{bytes} bytes"),
        }
    }
}

/// Returns whether the program runs in the folder or below it.
fn is_around(folder: &Path) -> bool {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    let folder = fs::canonicalize(folder);
    here.is_ok_and(|here| folder.is_ok_and(|folder| here.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_contents_are_of_files_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::write(place("net"), "one").unwrap();
        let of = |value: &str| NamedContents::of_value(value, Some(folder.path())).unwrap();
        let one = of("net");
        assert_eq!(
            one.unwrap().to_string(),
            Checksum::of_bytes(b"one").to_string()
        );
        assert_eq!(of(" net "), one);
        assert_eq!(of(place("net").to_str().unwrap()), one);
        assert_eq!((of(""), of("nothing"), of("7")), (None, None, None));
        fs::create_dir(place("eval")).unwrap();
        fs::write(place("eval/nn.bin"), "one").unwrap();
        let eval = of("eval");
        assert!(eval.is_some() && eval != one);
        fs::write(place("net"), "two").unwrap();
        assert_ne!(of("net"), one);
        assert_eq!(of("eval"), eval);
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let of = |path: &Path| NamedContents::of_path(path).unwrap();
        if cfg!(unix) {
            assert_eq!(of(Path::new("/dev/zero")), None);
        }
        // The working folder, and those above it.
        assert_eq!((of(Path::new(".")), of(Path::new("/"))), (None, None));
        let large = folder.path().join("large");
        let file = fs::File::create(&large).unwrap();
        file.set_len(MOST_BYTES + 1).unwrap();
        let size = NamedContents::Size(MOST_BYTES + 1);
        assert_eq!(of(&large), Some(size));
        assert_eq!(size.to_string(), "2147483649 bytes");
        assert_eq!(of(folder.path()), Some(size));
        fs::remove_file(large).unwrap();
        for number in 0..=MOST_FILES {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(of(folder.path()), None);
    }
}
