//! Lines that could not be used: collected by their offset while several threads read, told by
//! their line in the end.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::db::BadLines;
use crate::db::{LineProblem, line_error, lines_at};

/// A line that could not be used, or not beyond some move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    /// The file.
    pub path: PathBuf,
    /// Number of the line in the file, from 1.
    pub line: u64,
    /// Number of the line from 1 when only lines that say something are counted, over all inputs.
    /// Other tools number games in this way.
    pub game: u64,
    /// The line, at most its first 4,000 characters.
    pub text: String,
    /// What is wrong with it.
    pub problem: LineProblem,
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, line) = (self.path.display(), self.line);
        write!(f, "{path}: line {line}: {}", self.problem)
    }
}

/// What could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The number of entries.
    pub count: u64,
    /// The first ones, at most [`Self::LISTED`].
    pub first: Vec<RecordProblem>,
}

impl Problems {
    /// Number of problems that are kept with all they say.
    pub const LISTED: usize = 1000;

    /// Returns what they are, for an error: how many, and the first three.
    pub fn summary(&self) -> String {
        let lines = match self.count {
            0 => return String::new(),
            1 => "1 line cannot be used".to_owned(),
            count => format!("{count} lines cannot be used"),
        };
        let told: Vec<String> = self.first.iter().take(3).map(ToString::to_string).collect();
        let more = if self.count > 3 { "; ..." } else { "" };
        format!("; {lines}: {}{more}", told.join("; "))
    }

    /// Takes over the problems of the file at `path`, finding out their lines.
    pub(crate) fn add_file(&mut self, path: &Path, pending: &PendingProblems) -> Result<()> {
        self.count += pending.count;
        let room = Self::LISTED.saturating_sub(self.first.len());
        let listed = &pending.first[..room.min(pending.first.len())];
        let offsets: Vec<u64> = listed.iter().map(|problem| problem.offset).collect();
        let lines = lines_at(path, &offsets)?;
        for (problem, line) in listed.iter().zip(lines) {
            self.first.push(RecordProblem {
                path: path.to_owned(),
                line,
                game: problem.game,
                text: problem.text.clone(),
                problem: problem.problem.clone(),
            });
        }
        Ok(())
    }
}

/// Problems of one file, in rising order, that know their offset but not their line.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingProblems {
    count: u64,
    first: Vec<Pending>,
}

#[derive(Clone, Debug)]
struct Pending {
    offset: u64,
    game: u64,
    text: String,
    problem: LineProblem,
}

impl PendingProblems {
    /// Notes a problem of the line `text` at byte `offset`, which is the `game`th that says something.
    ///
    /// # Errors
    /// The problem itself if that is the policy.
    pub(crate) fn note(
        &mut self,
        policy: BadLines,
        path: &Path,
        line: (u64, &[u8]),
        game: u64,
        problem: LineProblem,
    ) -> Result<()> {
        let (offset, text) = line;
        if policy == BadLines::Fail {
            return Err(line_error(path, offset, problem));
        }
        self.count += 1;
        if self.first.len() < Problems::LISTED {
            let text = String::from_utf8_lossy(text).chars().take(4000).collect();
            self.first.push(Pending {
                offset,
                game,
                text,
                problem,
            });
        }
        Ok(())
    }

    /// Appends the problems of the next piece of the file, before which `games` lines said something.
    pub(crate) fn append(&mut self, mut next: Self, games: u64) {
        self.count += next.count;
        next.first
            .truncate(Problems::LISTED.saturating_sub(self.first.len()));
        for problem in &mut next.first {
            problem.game += games;
        }
        self.first.append(&mut next.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BookError;
    use test_support::TestFolder;

    #[test]
    fn lines_are_found_in_one_pass() {
        let folder = TestFolder::new();
        let path = folder.path("games.sfen");
        let text = b"a\nb\r\nc\rd\n\ne";
        std::fs::write(&path, text).unwrap();
        let mut pending = PendingProblems::default();
        for letter in [b'a', b'c', b'c', b'e'] {
            let offset = text.iter().position(|&byte| byte == letter).unwrap() as u64;
            let problem = LineProblem::Move(char::from(letter).to_string());
            pending
                .note(BadLines::Skip, &path, (offset, &[letter]), 1, problem)
                .unwrap();
        }
        let mut problems = Problems::default();
        problems.add_file(&path, &pending).unwrap();
        let lines: Vec<_> = problems.first.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 3, 3, 6]);
        assert!(problems.first[3].to_string().contains("line 6: "));
    }

    #[test]
    fn a_strict_reader_stops() {
        let folder = TestFolder::new();
        let path = folder.path("games.sfen");
        std::fs::write(&path, "x\ny\n").unwrap();
        let problem = LineProblem::Move("y".to_owned());
        let error = PendingProblems::default()
            .note(BadLines::Fail, &path, (2, b"y"), 1, problem.clone())
            .unwrap_err();
        assert!(matches!(error, BookError::Line { line: 2, problem: f, .. } if f == problem));
    }
}
