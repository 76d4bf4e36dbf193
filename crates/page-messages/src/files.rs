//! Files that pages may name: never by a path of the machine, but by a root that is offered and a path below it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::PageFailure;

/// A file as a page names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PageFile {
    /// The name of a root.
    pub root: String,
    /// The path below the root, with `/` between its parts; empty for the root itself.
    pub path: String,
}

/// Who turns names of files into paths of the machine. What is outside of the roots does not exist for it.
pub trait PageFiles: Send + Sync {
    /// The path of something that exists, without symbolic links in it.
    ///
    /// # Errors
    ///
    /// An unknown root; a path that is none, leads out of its root, or does not exist.
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure>;

    /// The path of a file that is there or can be made: its folder exists.
    ///
    /// # Errors
    ///
    /// As those of [`existing`](Self::existing), for the folder; a name that no system allows.
    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure>;

    /// The name under which pages know a path; `None` if it is below no root.
    fn name_of(&self, path: &Path) -> Option<PageFile>;
}

/// Devices of Windows, which are devices with any extension and in any folder too.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Devices with a number behind their name.
const NUMBERED: [&str; 2] = ["com", "lpt"];

/// Returns whether Windows takes the name of a file for a device, whatever its extension is.
///
/// ```
/// use page_messages::is_device_name;
///
/// assert!(is_device_name("NUL.txt") && is_device_name("com1"));
/// assert!(!is_device_name("com10"));
/// ```
pub fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_lowercase();
    let is_number = |rest: &str| {
        let mut digits = rest.chars();
        // Superscript digits count too.
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³');
        digits.next().is_some_and(is_digit) && digits.next().is_none()
    };
    let is_numbered = |device: &&str| stem.strip_prefix(device).is_some_and(is_number);
    DEVICES.contains(&stem.as_str()) || NUMBERED.iter().any(is_numbered)
}
