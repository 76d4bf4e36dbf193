//! Collections of mate problems: reading, solving and checking them on all cores.
//!
//! [`parse_collection`] reads a file, [`solve_collection`] solves its problems, [`check_solutions`] checks the
//! solutions that it gives. Results come in the order of the file; a [`SolveJournal`] keeps them while a long run
//! lasts.
//!
//! ```
//! use std::path::Path;
//! use farm::{FarmError, RunControl};
//! use mate_collections::{CollectionEvent, CollectionOptions, parse_collection, solve_collection};
//!
//! let text = b"4k4/9/4P4/9/9/9/9/9/9 b G 1";
//! let entries = parse_collection(Path::new("problems.sfen"), text)?;
//! let options = CollectionOptions { hash_mib: 1, ..CollectionOptions::default() };
//! let known = Default::default();
//! let mut lines = Vec::new();
//! solve_collection(&entries, &options, &known, &RunControl::default(), |event| {
//!     if let CollectionEvent::Next(solved) = event {
//!         lines.push(solved.pv);
//!     }
//!     Ok::<(), FarmError>(())
//! })?;
//! assert_eq!(lines, ["G*5b"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod check;
mod run;
mod solve;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use shogi_core::{Diagram, MoveError, MoveText, PositionLineError, parse_diagram_line};
use thiserror::Error;
use yane_io::sniff::{EMPTY, Expected, Head, JSON};
use yane_io::{Checksum, RunIdentity};

use shogi_mate::help_mate::{HelpMateOptions, HelpMateSolver};
use shogi_mate::{
    CheckedRoot, Exactness, MateLimits, SilentMateObserver, Solution, Solver, SolverOptions,
};

pub use check::{SolutionCheck, SolutionJudgement, check_solutions};
pub use run::CollectionEvent;
pub use solve::{
    JournalMode, ProblemResult, SolveJournal, SolveJournalError, SolvedFirstMove, SolvedProblem,
    solve_collection,
};

/// The settings of a run over a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionOptions {
    /// Help mates (協力詰め) instead of mates against the best defence.
    pub help_mate: bool,
    /// The effort for the length.
    pub exact: Exactness,
    /// The number of first moves to decide.
    pub multi_pv: u32,
    /// True for the length without futile interpositions too, which needs [`Exactness::Shortest`].
    pub composer: bool,
    /// Memory of a solver in MiB.
    pub hash_mib: u32,
    /// Threads of a solver.
    pub threads: u32,
    /// Problems solved at the same time.
    pub jobs: usize,
    /// The limits for each problem.
    pub limits: MateLimits,
    /// What the side to move does when it is in check and both sides have a king.
    pub checked_root: CheckedRoot,
}

impl Default for CollectionOptions {
    fn default() -> Self {
        Self {
            help_mate: false,
            exact: Exactness::Off,
            multi_pv: 1,
            composer: false,
            hash_mib: 256,
            threads: 1,
            jobs: 1,
            limits: MateLimits::default(),
            checked_root: CheckedRoot::Attacks,
        }
    }
}

/// Limits of the search for a length without futile interpositions when none are given.
const COMPOSER_NODES: u64 = 20_000_000;
const COMPOSER_TIME: Duration = Duration::from_secs(30);

impl CollectionOptions {
    /// All that the results for a collection depend on: a journal belongs to it.
    pub fn identity(&self, entries: &[CollectionEntry]) -> RunIdentity {
        let Self {
            help_mate,
            exact,
            multi_pv,
            composer,
            hash_mib,
            threads,
            limits: MateLimits { time, nodes },
            checked_root,
            jobs: _,
        } = self;
        RunIdentity::new("mate 2")
            .with(
                "problems",
                Checksum::of_bytes(format!("{entries:?}").as_bytes()),
            )
            .with("help mate", help_mate)
            .with("exact", format!("{exact:?}"))
            .with("multipv", multi_pv)
            .with("composer", composer)
            .with("hash", hash_mib)
            .with("threads", threads)
            .with("time", format!("{time:?}"))
            .with("nodes", format!("{nodes:?}"))
            .with("defends if checked", *checked_root == CheckedRoot::Defends)
    }

    /// Limits of the search for a length without futile interpositions.
    fn composer_limits(&self) -> MateLimits {
        MateLimits {
            time: Some(self.limits.time.unwrap_or(COMPOSER_TIME)),
            nodes: Some(self.limits.nodes.unwrap_or(COMPOSER_NODES)),
        }
    }
}

/// The solver that the settings ask for.
enum AnySolver {
    Tsume(Box<Solver>),
    Help(HelpMateSolver),
}

impl AnySolver {
    fn new(options: &CollectionOptions) -> Self {
        let bytes = (options.hash_mib as usize).saturating_mul(1 << 20);
        let threads = options.threads as usize;
        let checked_root = options.checked_root;
        if options.help_mate {
            return Self::Help(HelpMateSolver::new(HelpMateOptions {
                memory_bytes: bytes,
                threads,
                checked_root,
                report_interval: None,
            }));
        }
        Self::Tsume(Box::new(Solver::new(SolverOptions {
            hash_bytes: bytes,
            threads,
            exact: options.exact,
            multi_pv: options.multi_pv as usize,
            checked_root,
            report_interval: None,
        })))
    }

    fn solve(&mut self, start: &Diagram, limits: &MateLimits, stop: &AtomicBool) -> Solution {
        let observer = &mut SilentMateObserver;
        match self {
            Self::Tsume(solver) => solver.solve_diagram(start, limits, stop, observer),
            Self::Help(solver) => solver.solve_diagram(start, limits, stop, observer),
        }
    }
}

// Reading a collection: one problem a line, as text or JSON.

/// An error in a line of a collection.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MateProblemError {
    /// The position or a move after it is wrong.
    #[error(transparent)]
    Position(#[from] PositionLineError),
    /// The line begins like a JSON object, but is none.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The JSON object has no position.
    #[error("expected the field \"sfen\" with a text")]
    NoSfen,
    /// The field `pv` of the JSON object has another type.
    #[error("expected \"pv\" to be a text of moves or a list of them")]
    PvType,
    /// A word is not a move.
    #[error("{0:?} is not a move")]
    NotAMove(String),
    /// The record of a game or a board, in another format, is wrong.
    #[error("{0}")]
    Record(String),
}

/// A mate problem, perhaps with a solution.
#[derive(Clone, Debug)]
pub struct MateProblem {
    /// The position, before the moves. The defender may be in check already although the attacker is to move.
    pub start: Diagram,
    /// The moves that follow it.
    pub moves: Vec<MoveText>,
    /// True if the moves lead to the problem, as behind an SFEN, or are its solution, as in JSON.
    moves_lead_to_it: bool,
    /// The length of the mate as the collection states it.
    pub stated_length: Option<u32>,
}

/// A line of a collection that is not empty.
#[derive(Debug)]
pub struct CollectionEntry {
    /// The number of the line, from 1.
    pub line: usize,
    /// The problem, or the error in the line.
    pub problem: Result<MateProblem, MateProblemError>,
}

/// The kinds of files that are collections.
const COLLECTION: Expected<'_> = Expected {
    accepts: &[EMPTY, JSON],
    ..Expected::text("positions, one a line, as SFEN or JSON")
};

/// Reads a collection from the bytes of a file; `name` is the file's name in errors.
///
/// A line is an SFEN (the words `position` and `sfen` before it and `moves ...` after it are understood) or a JSON
/// object with the field `sfen`. Blank lines and lines that begin with `#` are left out.
///
/// # Errors
/// When the file is of another kind. Errors in single lines are in the entries.
pub fn parse_collection(name: &Path, bytes: &[u8]) -> yane_io::Result<Vec<CollectionEntry>> {
    COLLECTION.check(name, &Head::of(bytes))?;
    let text = yane_io::decode_text(bytes);
    let text = String::from_utf8_lossy(&text);
    let lines = (1..).zip(text.lines().map(str::trim));
    let full = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let entry = |(line, text)| CollectionEntry {
        line,
        problem: MateProblem::parse(text),
    };
    Ok(full.map(entry).collect())
}

impl MateProblem {
    /// A problem from another source than a line: `solution` may be empty.
    pub fn new(start: Diagram, solution: Vec<MoveText>) -> Self {
        Self {
            start,
            moves: solution,
            moves_lead_to_it: false,
            stated_length: None,
        }
    }

    fn parse(text: &str) -> Result<Self, MateProblemError> {
        if text.starts_with('{') {
            return Self::from_json(&serde_json::from_str(text)?);
        }
        let text = text.strip_prefix("position ").unwrap_or(text);
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        Ok(Self {
            start: parse_diagram_line(start)?,
            moves: parse_moves(moves.split_ascii_whitespace())?,
            moves_lead_to_it: true,
            stated_length: None,
        })
    }

    fn from_json(value: &Value) -> Result<Self, MateProblemError> {
        let sfen = value.get("sfen").and_then(Value::as_str);
        let moves = match value.get("pv") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => parse_moves(text.split_ascii_whitespace())?,
            Some(Value::Array(list)) => {
                let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
                parse_moves(texts.ok_or(MateProblemError::PvType)?.into_iter())?
            }
            Some(_) => return Err(MateProblemError::PvType),
        };
        let length = value.get("len").and_then(Value::as_u64);
        Ok(Self {
            start: parse_diagram_line(sfen.ok_or(MateProblemError::NoSfen)?)?,
            moves,
            moves_lead_to_it: false,
            stated_length: length.and_then(|length| u32::try_from(length).ok()),
        })
    }

    /// The position to solve: [`Self::start`] after the moves that lead to the problem.
    ///
    /// # Errors
    /// When one of these moves is illegal.
    pub(crate) fn to_solve(&self) -> Result<Diagram, MateProblemError> {
        let mut now = self.start.clone();
        if !self.moves_lead_to_it {
            return Ok(now);
        }
        for (number, &text) in (1..).zip(&self.moves) {
            let (_, after) = now.play(text).ok_or_else(|| PositionLineError::Move {
                number,
                error: MoveError::Illegal(text.to_string()),
            })?;
            now = after.into();
        }
        Ok(now)
    }
}

fn parse_moves<'a>(
    words: impl Iterator<Item = &'a str>,
) -> Result<Vec<MoveText>, MateProblemError> {
    let parse = |word: &str| {
        MoveText::from_usi(word).ok_or_else(|| MateProblemError::NotAMove(word.to_owned()))
    };
    words.map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATE: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";

    #[test]
    fn lines_of_all_kinds() {
        let texts = [
            format!("{MATE} moves G*5b"),
            format!("sfen {MATE} moves G*5b"),
            format!("position sfen {MATE} moves G*5b"),
            format!("{{\"sfen\": \"{MATE}\", \"pv\": \"G*5b\", \"len\": 1}}"),
            format!("{{\"sfen\": \"{MATE}\", \"pv\": [\"G*5b\"]}}"),
        ];
        for text in texts {
            let problem = MateProblem::parse(&text).unwrap();
            assert_eq!(problem.start.pieces().to_sfen(), MATE, "{text}");
            assert_eq!(problem.moves.len(), 1, "{text}");
            let solved = problem.to_solve().unwrap();
            assert_eq!(solved.pieces().is_mated(), !text.starts_with('{'), "{text}");
        }
        assert!(MateProblem::parse(MATE).unwrap().moves.is_empty());
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |text: &str| MateProblem::parse(text).unwrap_err().to_string();
        assert!(error("4k4 b").contains("bad SFEN"));
        assert!(error("{}").contains("sfen"));
        assert!(error("{").contains("EOF"));
        assert_eq!(error(&format!("{MATE} moves x")), "\"x\" is not a move");
        assert!(error(&format!("{{\"sfen\": \"{MATE}\", \"pv\": 5}}")).contains("list"));
        let illegal = MateProblem::parse(&format!("{MATE} moves G*9z")).unwrap_err();
        assert!(matches!(illegal, MateProblemError::NotAMove(_)));
        let illegal = MateProblem::parse(&format!("{MATE} moves S*5b")).unwrap();
        assert!(illegal.to_solve().is_err());
    }
}
