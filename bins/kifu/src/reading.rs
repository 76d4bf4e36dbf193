//! Inputs: files, folders, names with * and ?, the standard input; and what was wrong with their games.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};
use shogi_kifu::{ArchiveGame, ArchiveReader, KifuError, KifuFormat, read_games, record_files};
use yane_cli::UsageError;
use yane_io::{Error, Job, Unit};

use crate::args::Inputs;

/// Problems that are told one by one.
const LISTED: u64 = 1000;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) games: u64,
    pub(crate) bad: u64,
    /// The first bad games.
    pub(crate) problems: Vec<KifuError>,
}

impl Tally {
    pub(crate) fn json(&self) -> Value {
        let problem = |error: &KifuError| {
            let path = error.path.as_ref().map(|path| path.display().to_string());
            json!({ "file": path, "line": error.line, "problem": error.problem.to_string() })
        };
        json!({
            "games": self.games,
            "bad": self.bad,
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
        })
    }

    fn note(&mut self, error: KifuError) {
        self.bad += 1;
        if self.bad <= LISTED {
            eprintln!("kifu: {error}");
            self.problems.push(error);
        } else if self.bad == LISTED + 1 {
            eprintln!("kifu: more games cannot be read; they are counted");
        }
    }
}

/// The policy for games that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bad {
    Stop,
    Skip,
}

impl Inputs {
    pub(crate) const fn bad(&self) -> Bad {
        if self.skip_bad { Bad::Skip } else { Bad::Stop }
    }

    /// The files, folders and patterns resolved.
    pub(crate) fn paths(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for file in &self.files {
            if is_standard(file) {
                found.push(file.clone());
            } else if file.is_dir() {
                found.extend(record_files(file)?);
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
}

pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
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

/// Calls `take` for every game of `inputs`, with its file and what `work` made of it on another thread.
pub(crate) fn for_each_game<T: Send + 'static>(
    inputs: &[PathBuf],
    bad: Bad,
    job: &Job,
    tally: &mut Tally,
    work: impl Fn(ArchiveGame, KifuFormat) -> T + Send + Sync + Clone + 'static,
    mut take: impl FnMut(&Path, T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut each = |path: &Path, game: Result<T, KifuError>| match game {
        Ok(done) => {
            tally.games += 1;
            take(path, done)
        }
        Err(error) if bad == Bad::Stop => Err(error.into()),
        Err(error) => {
            tally.note(error);
            Ok(())
        }
    };
    for inputs in inputs.chunk_by(|a, b| !is_standard(a) && !is_standard(b)) {
        if is_standard(&inputs[0]) {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .context("standard input")?;
            let (format, games) = read_games(&bytes).context("standard input")?;
            for game in games {
                each(&inputs[0], game.map(|game| work(game, format)))?;
            }
            continue;
        }
        let work = work.clone();
        let reader = ArchiveReader::open_all(inputs.to_vec(), job.threads, move |piece| {
            let mut made = Vec::new();
            piece.for_each_game(|game| {
                made.push(game.map(|game| {
                    let format = piece.format().expect("a file with a game has a format");
                    work(game, format)
                }));
            });
            made
        });
        let stage = match inputs {
            [path] => format!("reading {}", path.display()),
            _ => format!("reading {} files", inputs.len()),
        };
        job.progress
            .stage(&stage, Some(reader.total_len()), Unit::Bytes);
        for batch in reader {
            job.check()?;
            let batch = batch?;
            for game in batch.items {
                each(&inputs[batch.file], game)?;
            }
            job.progress.advance(batch.bytes);
        }
    }
    Ok(())
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
