//! Inputs of commands for many files: files, folders, names with `*` and `?`, and `-`, which is the standard input.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use yane_io::Error;

use crate::UsageError;

/// A file with a weight behind an asterisk: `FILE` or `FILE*0.5`.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPath {
    /// The file.
    pub path: PathBuf,
    /// Its weight; 1 where none is given. A path that is no UTF-8 has none.
    pub weight: f64,
}

impl From<OsString> for WeightedPath {
    fn from(text: OsString) -> Self {
        let weighted = text
            .to_str()
            .and_then(|text| text.rsplit_once('*'))
            .and_then(|(path, weight)| Some((path.into(), weight.parse().ok()?)));
        let (path, weight) = weighted.unwrap_or_else(|| (text.into(), 1.0));
        Self { path, weight }
    }
}

/// Returns whether a path is `-`.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The files that are named: those of a folder are what `of_folder` finds in it; `-` stays as it is.
///
/// # Errors
/// When no file has a name with `*` or `?`, or a folder cannot be read.
pub fn input_files(
    files: &[PathBuf],
    of_folder: impl Fn(&Path) -> yane_io::Result<Vec<PathBuf>>,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for file in files {
        if is_standard(file) {
            found.push(file.clone());
        } else if file.is_dir() {
            found.extend(of_folder(file)?);
        } else if !file.exists() && has_wildcard(file) {
            let matched = matches(file)?;
            if matched.is_empty() {
                return Err(UsageError(format!("no file is named {}", file.display())).into());
            }
            found.extend(matched);
        } else {
            found.push(file.clone());
        }
    }
    Ok(found)
}

fn has_wildcard(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().contains(['*', '?']))
}

/// The files in the folder of `pattern` whose names match it, in order.
fn matches(pattern: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folder = yane_io::folder_of(pattern);
    let wanted: Vec<char> = pattern
        .file_name()
        .map(|name| name.to_string_lossy().chars().collect())
        .unwrap_or_default();
    let entries = std::fs::read_dir(&folder).map_err(Error::io(&folder))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(&folder))?;
        let name: Vec<char> = entry.file_name().to_string_lossy().chars().collect();
        if fits(&wanted, &name) && entry.path().is_file() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Returns whether a name fits a pattern with * and ?.
fn fits(pattern: &[char], name: &[char]) -> bool {
    // The last star, and how much of the name it stands for so far.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                p = at + 1;
                n = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_patterns() {
        let fits = |pattern: &str, name: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            fits(&chars(pattern), &chars(name))
        };
        for (pattern, name) in [
            ("*.csa", "a.csa"),
            ("a?.*", "ab.kif"),
            ("*", ""),
            ("*a*b", "xaxbab"),
            ("a", "a"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.csa", "a.kif"), ("a?", "a"), ("", "a"), ("a*b", "acbc")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
