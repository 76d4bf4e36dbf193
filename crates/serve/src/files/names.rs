//! Which names a page may say.

use std::path::PathBuf;

use page_messages::{PageFailure, is_device_name};

/// Bytes of a path at most.
const LONGEST: usize = 4096;

/// The path below a root that a page says; empty for the root itself.
///
/// # Errors
///
/// An empty part, `.` and `..`; a character or a name that some system takes for something else than a file.
pub(super) fn relative(path: &str) -> Result<PathBuf, PageFailure> {
    if path.len() > LONGEST {
        return Err(refused("a path", "is too long"));
    }
    if path.is_empty() {
        return Ok(PathBuf::new());
    }
    path.split('/')
        .map(|part| check(part).map(|()| part))
        .collect()
}

/// Returns whether a name is one that pages may say.
pub(super) fn is_allowed(name: &str) -> bool {
    !name.contains('/') && check(name).is_ok()
}

fn check(part: &str) -> Result<(), PageFailure> {
    let problem = match part {
        "" => "has an empty part",
        "." | ".." => "leads elsewhere",
        part if part.contains('\0') => "has a byte of 0",
        part if part.contains(['\\', ':']) => "has a character that separates on some systems",
        part if part.chars().any(char::is_control) => "has a control character",
        // Windows drops them: the name would be that of another file.
        part if part.ends_with(['.', ' ']) => "ends in a dot or a blank",
        part if is_device_name(part) => "is a device on some systems",
        _ => return Ok(()),
    };
    Err(refused(part, problem))
}

fn refused(part: &str, problem: &str) -> PageFailure {
    // The name comes from the page, and is shown there.
    let part: String = part.chars().take(100).filter(|c| !c.is_control()).collect();
    PageFailure::new(format!("'{part}' is no name of a file: it {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_taken_as_they_are() {
        for path in [
            "",
            "book.egbk3",
            "a/b/book.dat",
            ".hidden",
            "虎定石 2026.json",
            "com10.txt",
            "console",
            "nulls/aux1",
            "a..b",
            "com",
        ] {
            assert_eq!(relative(path).unwrap(), PathBuf::from(path), "{path}");
        }
    }

    #[test]
    fn what_is_no_file_on_some_system_is_refused_on_all() {
        for path in [
            "..",
            "a/../b",
            "../a",
            "a/..",
            ".",
            "./a",
            "/",
            "/etc/passwd",
            "a//b",
            "a/",
            "a\0",
            "a\\b",
            "..\\a",
            "C:",
            "c:a",
            "book.dat:stream",
            "\\\\?\\C:",
            "nul",
            "NUL.txt",
            "a/CON",
            "con .x",
            "Aux.tar.gz",
            "COM1",
            "lpt9.log",
            "com\u{b9}",
            "conin$",
            "a.",
            "a ",
            "a/...",
            "a\nb",
            "a\u{1b}[0m",
        ] {
            let failure = relative(path).unwrap_err();
            assert!(failure.text.contains("is no name of a file"), "{path}");
            assert!(!failure.text.contains(char::is_control), "{path}");
        }
        assert!(relative(&"a/".repeat(3000)).is_err());
        assert!(is_allowed("a") && !is_allowed("a/b") && !is_allowed("a:b"));
    }
}
