//! Inputs of commands for many files, and one output for all of them: files, folders, names with `*` and `?`, and `-`, which
//! is the standard input or output.

use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use yane_io::{AtomicFile, Claim, Error};

use crate::{FINDINGS, Settings, UsageError};

/// The records of a run: those that were read, and those that could not be, of which the first are told one by one.
#[derive(Debug)]
pub struct RecordTally<E> {
    program: &'static str,
    /// Games that were read.
    pub games: u64,
    /// Games that could not be read.
    pub bad: u64,
    /// The first bad games.
    problems: Vec<E>,
}

impl<E: Display> RecordTally<E> {
    /// Problems that are told one by one.
    const LISTED: u64 = 1000;

    /// Nothing yet; `program` is named before each problem.
    pub const fn new(program: &'static str) -> Self {
        Self {
            program,
            games: 0,
            bad: 0,
            problems: Vec::new(),
        }
    }

    /// Counts a bad game, and tells of it unless there were many.
    pub fn note(&mut self, error: E) {
        let program = self.program;
        self.bad += 1;
        if self.bad <= Self::LISTED {
            eprintln!("{program}: {error}");
            self.problems.push(error);
        } else if self.bad == Self::LISTED + 1 {
            eprintln!("{program}: more games cannot be read; they are counted");
        }
    }

    /// The counts and the first problems, each as `problem` shows it.
    pub fn json(&self, problem: impl Fn(&E) -> Value) -> Value {
        json!({
            "games": self.games,
            "bad": self.bad,
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }

    /// The exit code: [`FINDINGS`] if games were left out as bad.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(if self.bad > 0 { FINDINGS } else { 0 })
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

/// An output: a file that appears when it is whole, or the standard output.
#[derive(Debug)]
pub struct RecordSink {
    /// The file; `None`: the standard output.
    file: Option<AtomicFile>,
    _claim: Claim,
    records: u64,
}

impl RecordSink {
    /// Creates the file, or takes the standard output for `-`.
    ///
    /// # Errors
    /// When the file exists or is an input, or cannot be created.
    pub fn create(path: &Path, inputs: &[PathBuf], settings: &Settings) -> anyhow::Result<Self> {
        if is_standard(path) {
            return Ok(Self {
                file: None,
                _claim: Claim::default(),
                records: 0,
            });
        }
        let files: Vec<&PathBuf> = inputs.iter().filter(|input| !is_standard(input)).collect();
        Ok(Self {
            _claim: settings.overwrite().claim(path, &files)?,
            file: Some(AtomicFile::create(path)?),
            records: 0,
        })
    }

    /// Appends a record, behind a separator between two records.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, record: &[u8], separator: &[u8]) -> anyhow::Result<()> {
        let parts = [if self.records > 0 { separator } else { &[] }, record];
        self.records += 1;
        for bytes in parts {
            match &mut self.file {
                Some(file) => file.put(bytes)?,
                None => std::io::stdout()
                    .lock()
                    .write_all(bytes)
                    .map_err(Error::io("standard output"))?,
            }
        }
        Ok(())
    }

    /// The number of records.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Returns whether the output is the standard output.
    pub const fn is_standard(&self) -> bool {
        self.file.is_none()
    }

    /// Makes the file appear.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn commit(self) -> anyhow::Result<()> {
        match self.file {
            Some(file) => file.commit()?,
            None => std::io::stdout()
                .lock()
                .flush()
                .map_err(Error::io("standard output"))?,
        }
        Ok(())
    }
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
