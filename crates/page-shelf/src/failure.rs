//! Failures, and files as pages know them.

use std::path::Path;

use page_messages::{FailurePlace, PageFailure, PageFile, PageFiles};
use yane_io::Error;

/// The failure of a file that the page knows by a name.
pub fn file_failure(error: &Error, file: &PageFile) -> PageFailure {
    let byte = match error {
        Error::Byte { offset, .. } => Some(*offset),
        _ => None,
    };
    PageFailure::of(error).at(FailurePlace {
        path: Some(file.path.clone()),
        byte,
        ..FailurePlace::default()
    })
}

/// The failure of a page that knows an older revision of a book than `now`.
pub fn stale(now: u64) -> PageFailure {
    let place = FailurePlace {
        rev: Some(now),
        ..FailurePlace::default()
    };
    PageFailure::new("the book was changed meanwhile: look at it again").at(place)
}

/// The failure of a change of a file that another program changed.
pub fn changed_by_others(file: &PageFile) -> PageFailure {
    let name = &file.path;
    let text = format!(
        "{name}: another program changed the file; nothing was written. Discard the edits to see it as it is now"
    );
    PageFailure::new(text)
}

/// A file as pages know it; one of the command line that is below no root has the root `""`.
pub fn name_of(path: &Path, files: &dyn PageFiles) -> PageFile {
    files.name_of(path).unwrap_or_else(|| {
        let name = path.file_name().unwrap_or_default();
        PageFile {
            root: String::new(),
            path: name.to_string_lossy().into_owned(),
        }
    })
}
