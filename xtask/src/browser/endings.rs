//! The endings of files' names.

use std::path::Path;

/// Returns whether the name of a file has this ending behind its last dot.
pub(super) fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|found| found == ending)
}
