//! Names of folders and games below the folder of the library. What leads out of it, or is hidden, does not exist for pages.

use std::path::{Path, PathBuf};

use page_messages::{PageFailure, is_device_name};

/// The folder of what was thrown away.
pub const TRASH: &str = ".trash";

/// Folders inside each other at most.
const MOST_PARTS: usize = 16;

/// Bytes of a name at most; there is room for an extension behind it.
const LONGEST: usize = 200;

/// A folder of the library: names with `/` between them, none for the library itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FolderName(String);

impl FolderName {
    /// Parses the name that a page sent.
    ///
    /// # Errors
    ///
    /// A name that leads elsewhere, or names something hidden, but for the trash.
    pub fn parse(text: &str) -> Result<Self, PageFailure> {
        let parts: Vec<&str> = text.split('/').collect();
        if text.is_empty() {
            return Ok(Self::default());
        }
        if parts.len() > MOST_PARTS {
            return Err(wrong(text, "folders are too deep inside each other"));
        }
        for (n, part) in parts.iter().enumerate() {
            if n > 0 || *part != TRASH {
                check_part(part)?;
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// A folder in this one.
    pub fn join(&self, part: &str) -> Self {
        match self.0.as_str() {
            "" => Self(part.to_owned()),
            folder => Self(format!("{folder}/{part}")),
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder that this one is in, and its own name there; `None` for the library itself.
    pub fn split(&self) -> Option<(Self, &str)> {
        match self.0.rsplit_once('/') {
            Some((folder, name)) => Some((Self(folder.to_owned()), name)),
            None if self.0.is_empty() => None,
            None => Some((Self::default(), &self.0)),
        }
    }

    /// The path below the folder of the library.
    pub fn path(&self, root: &Path) -> PathBuf {
        let parts = self.0.split('/').filter(|part| !part.is_empty());
        parts.fold(root.to_owned(), |path, part| path.join(part))
    }

    /// Returns whether this is a folder or one below it. The trash is below itself only.
    pub fn is_within(&self, folder: &Self) -> bool {
        match folder.as_str() {
            "" => !self.is_in_trash(),
            name => self
                .0
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    }

    /// Returns whether this is the trash, or below it.
    pub fn is_in_trash(&self) -> bool {
        self.0.split('/').next() == Some(TRASH)
    }
}

fn wrong(name: &str, reason: &str) -> PageFailure {
    PageFailure::new(format!("'{}': {reason}", name.escape_debug()))
}

/// Checks the name of something that may be there.
///
/// # Errors
///
/// A name with a separator, or of something hidden.
pub fn check_part(name: &str) -> Result<(), PageFailure> {
    let is_wrong = name.is_empty()
        || name.starts_with('.')
        || name.contains(['/', '\\', ':'])
        || name.contains(char::is_control);
    if is_wrong {
        return Err(wrong(name, "this is no name of a file or folder"));
    }
    Ok(())
}

/// Checks the name of something that is to be made, so that every system takes it.
///
/// # Errors
///
/// What is wrong with the name.
pub fn check_new(name: &str) -> Result<(), PageFailure> {
    check_part(name)?;
    let refused = "a file or folder cannot have this name on every system";
    let is_wrong = name.contains(['<', '>', '"', '|', '?', '*'])
        || name.ends_with(['.', ' '])
        || name.starts_with(' ')
        || name.len() > LONGEST
        || is_device_name(name);
    if is_wrong {
        return Err(wrong(name, refused));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_none() {
        for text in ["", "a", "a/b c", "日本", ".trash", ".trash/a"] {
            assert_eq!(FolderName::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "/", "/a", "a/", "a//b", "..", "a/..", ".", ".git", "a/.trash", "a\\b", "c:", "a\0",
            "a\n",
        ] {
            assert!(FolderName::parse(text).is_err(), "{text:?}");
        }
        assert!(FolderName::parse(&"a/".repeat(40)).is_err());
    }

    #[test]
    fn new_names_fit_every_system() {
        for name in ["a", "my games", "2026", "comb", "com10", "日本"] {
            check_new(name).unwrap();
        }
        for name in [
            "con", "CON.txt", "Nul", "com1", "lpt9.x", "a.", "a ", " a", "a?", "a*", "a<b",
        ] {
            assert!(check_new(name).is_err(), "{name}");
        }
        assert!(check_new(&"a".repeat(201)).is_err());
    }

    #[test]
    fn the_trash_is_not_part_of_the_library() {
        let folder = |text| FolderName::parse(text).unwrap();
        assert!(folder("a/b").is_within(&folder("a")) && folder("a").is_within(&folder("")));
        assert!(!folder("ab").is_within(&folder("a")));
        assert!(!folder(".trash/a").is_within(&folder("")));
        assert!(folder(".trash/a").is_within(&folder(".trash")));
        assert_eq!(folder("a/b").split(), Some((folder("a"), "b")));
    }
}
