//! The names of inputs and outputs.

use std::path::Path;

/// Returns true if a name stands for the standard input or output.
pub(crate) fn is_standard(name: &Path) -> bool {
    name.as_os_str() == "-"
}
