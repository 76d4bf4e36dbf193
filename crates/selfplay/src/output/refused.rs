//! What is told when the system refuses to write.

use std::io::ErrorKind;
use std::path::Path;

use yane_io::{Error, folder_of};

use crate::{Result, SelfplayError};

/// The result of writing the files of the run whose first file is `output`: an error names it, and what is
/// needed.
pub(super) fn named<T>(output: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        SelfplayError::File(error) => SelfplayError::File(told(output, error)),
        other => other,
    })
}

fn told(output: &Path, error: Error) -> Error {
    let (Error::Io { path, source } | Error::Write { path, source, .. }) = &error else {
        return error;
    };
    let folder = folder_of(output);
    let folder = folder.display();
    let needed = match source.kind() {
        ErrorKind::StorageFull => format!("room on the disk of {folder} is needed"),
        ErrorKind::QuotaExceeded => {
            format!("room in {folder} is needed, where the quota is used up")
        }
        ErrorKind::FileTooLarge => "a higher limit of the size of a file is needed".to_owned(),
        ErrorKind::PermissionDenied => format!("the right to write in {folder} is needed"),
        ErrorKind::ReadOnlyFilesystem => {
            format!("another folder is needed: {folder} can only be read")
        }
        _ => return error,
    };
    let what = if path == output {
        String::new()
    } else {
        format!("{}: ", path.display())
    };
    let reason = format!(
        "cannot be written: {what}{source}; {needed}; finished games are safe, the same command goes on"
    );
    Error::file(output, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_told() {
        for (kind, needed) in [
            (ErrorKind::StorageFull, "room on the disk of data is needed"),
            (ErrorKind::QuotaExceeded, "the quota is used up"),
            (ErrorKind::FileTooLarge, "a higher limit"),
            (ErrorKind::PermissionDenied, "the right to write in data"),
            (ErrorKind::ReadOnlyFilesystem, "data can only be read"),
        ] {
            for path in ["data/x.pack", "data/x.pack.journal"] {
                let refused: Result<()> = Err(Error::io(path)(kind.into()).into());
                let error = named("data/x.pack".as_ref(), refused).unwrap_err();
                let error = error.to_string();
                assert!(
                    error.starts_with("data/x.pack: cannot be written: "),
                    "{error}"
                );
                assert!(error.contains(needed), "{error}");
                assert_eq!(error.contains(".journal: "), path.ends_with("journal"));
            }
        }
        let other: Result<()> = Err(Error::file("x", "is no journal").into());
        let error = named("data/x.pack".as_ref(), other).unwrap_err();
        assert_eq!(error.to_string(), "x: is no journal");
    }
}
