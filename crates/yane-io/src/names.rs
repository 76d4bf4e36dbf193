//! Names of files that stand beside another one.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, Result};

/// Bytes of the longest file name that the usual file systems take.
const LONGEST_NAME: usize = 255;

/// `path` with `end` behind its name: a file that belongs to another one.
pub fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The beginning of the name of a hidden file that belongs to the file `name`, and has `room` more bytes behind it:
/// a dot and the name. Where that would be too long, the name is cut and has its checksum behind it, so that any
/// name which a file may have will do.
pub(crate) fn hidden(name: &OsStr, room: usize) -> OsString {
    let mut hidden = OsString::from(".");
    let most = LONGEST_NAME - hidden.len() - room;
    if name.len() <= most {
        hidden.push(name);
        return hidden;
    }
    let text = name.to_string_lossy();
    let checksum = format!("~{:016x}", xxh3_64(name.as_encoded_bytes()));
    let mut end = most - checksum.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    hidden.push(&text[..end]);
    hidden.push(checksum);
    hidden
}

/// Checks that the file system takes the name of an output, which else is only seen when it is renamed.
///
/// # Errors
/// [`Error::Write`] when it is too long, for example.
pub(crate) fn check(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::InvalidFilename => {
            Err(Error::write(path, 0)(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_fit() {
        for len in [1, 200, 229, 230, 231, 255] {
            for letter in ["a", "駒"] {
                let name: String = letter.repeat(len / letter.len());
                let hidden = hidden(OsStr::new(&name), 25);
                assert!(hidden.len() + 25 <= LONGEST_NAME, "{len}");
                let is_whole = hidden.to_string_lossy() == format!(".{name}");
                assert_eq!(is_whole, name.len() + 26 <= LONGEST_NAME, "{len}");
            }
        }
        let [one, two] = ["1", "2"].map(|end| hidden(OsStr::new(&("a".repeat(250) + end)), 25));
        assert_ne!(one, two);
    }
}
