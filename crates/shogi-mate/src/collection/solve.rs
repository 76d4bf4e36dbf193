//! Solving the problems of a collection, and the result of one as a line of JSON.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use shogi_core::Move;

use super::{AnySolver, CollectionEntry, CollectionEvent, CollectionOptions, ordered_map};
use crate::composer::{ComposerLength, composer_length};
use crate::{Answer, Solution};

/// The result for a problem in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProblemResult {
    /// Mate.
    Mate,
    /// It is proven that there is no mate.
    NoMate,
    /// Not decided.
    Unknown,
    /// The line is no problem.
    Error,
}

impl ProblemResult {
    /// The name in tables and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::NoMate => "nomate",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}

/// The result of a line of a collection, as it is written as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolvedProblem {
    /// Number of the line in the collection, from 1.
    pub line: usize,
    /// The position that was solved; empty when the line is no problem.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub sfen: String,
    /// The result.
    pub result: ProblemResult,
    /// Plies of the mate: the shortest if [`Self::exact`], else at most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<u32>,
    /// Whether the length is proven shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// Plies without futile interpositions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composer_len: Option<u32>,
    /// That length is more than this, when it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composer_more_than: Option<u32>,
    /// The moves of the mate.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub pv: String,
    /// The moves without futile interpositions.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub composer_pv: String,
    /// Other first moves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub others: Vec<SolvedFirstMove>,
    /// The reason why it was not decided, or the error in the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Moves made in the search.
    pub nodes: u64,
    /// Time it took, in milliseconds.
    pub ms: f64,
}

/// The result of another first move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolvedFirstMove {
    /// The first move.
    pub first: String,
    /// The result when it is played.
    pub result: ProblemResult,
    /// Plies of the mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<u32>,
    /// Whether the length is proven shortest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// The moves of the mate.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub pv: String,
}

/// Solves the problems of a collection; the results of `known` lines are taken over when the position is the same.
///
/// Ends early when `stop` is set, which it is when `on_event` fails; returns whether all problems were tried.
///
/// # Errors
/// Those of `on_event`.
pub fn solve_collection<E>(
    entries: &[CollectionEntry],
    options: &CollectionOptions,
    known: &HashMap<usize, SolvedProblem>,
    stop: &AtomicBool,
    on_event: impl FnMut(CollectionEvent<'_, SolvedProblem>) -> Result<(), E>,
) -> Result<bool, E> {
    ordered_map(
        entries,
        options.jobs,
        stop,
        || AnySolver::new(options),
        |solver, entry| solve(entry, options, solver, known, stop),
        on_event,
    )
}

fn solve(
    entry: &CollectionEntry,
    options: &CollectionOptions,
    solver: &mut AnySolver,
    known: &HashMap<usize, SolvedProblem>,
    stop: &AtomicBool,
) -> SolvedProblem {
    let line = entry.line;
    let start = match &entry.problem {
        Ok(problem) => match problem.to_solve() {
            Ok(start) => start,
            Err(error) => return SolvedProblem::error(line, error.to_string()),
        },
        Err(error) => return SolvedProblem::error(line, error.to_string()),
    };
    let sfen = start.pieces().to_sfen();
    if let Some(record) = known.get(&line).filter(|record| record.sfen == sfen) {
        return record.clone();
    }
    let solution = solver.solve(&start, &options.limits, stop);
    let mut record = SolvedProblem::new(line, sfen, &solution);
    if let (true, Answer::Mate(mate)) = (options.composer, &solution.answer) {
        let limits = options.composer_limits();
        let bound = mate.length.plies();
        record.add_composer(&composer_length(
            &start,
            solution.role,
            bound,
            &limits,
            stop,
        ));
    }
    record
}

fn line_text(moves: &[Move]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

/// The fields `result`, `len`, `exact` and `pv` of an answer.
fn answer_fields(answer: &Answer) -> (ProblemResult, Option<u32>, Option<bool>, String) {
    match answer {
        Answer::Mate(mate) => (
            ProblemResult::Mate,
            Some(mate.length.plies()),
            Some(mate.length.is_exact()),
            line_text(&mate.moves),
        ),
        Answer::NoMate => (ProblemResult::NoMate, None, None, String::new()),
        Answer::Unknown(_) => (ProblemResult::Unknown, None, None, String::new()),
    }
}

impl SolvedProblem {
    fn new(line: usize, sfen: String, solution: &Solution) -> Self {
        let (result, len, exact, pv) = answer_fields(&solution.answer);
        let others = solution.others.iter().map(|other| {
            let (result, len, exact, pv) = answer_fields(&other.answer);
            SolvedFirstMove {
                first: other.first.to_string(),
                result,
                len,
                exact,
                pv,
            }
        });
        Self {
            sfen,
            result,
            len,
            exact,
            pv,
            others: others.collect(),
            reason: match solution.answer {
                Answer::Unknown(reason) => Some(reason.name().to_owned()),
                _ => None,
            },
            nodes: solution.nodes,
            ms: (solution.elapsed.as_secs_f64() * 1e6).round() / 1e3,
            ..Self::error(line, String::new())
        }
    }

    /// The record of a line that is no problem.
    pub(super) const fn error(line: usize, reason: String) -> Self {
        Self {
            line,
            sfen: String::new(),
            result: ProblemResult::Error,
            len: None,
            exact: None,
            composer_len: None,
            composer_more_than: None,
            pv: String::new(),
            composer_pv: String::new(),
            others: Vec::new(),
            reason: Some(reason),
            nodes: 0,
            ms: 0.0,
        }
    }

    /// Adds the length without futile interpositions.
    fn add_composer(&mut self, found: &ComposerLength) {
        match found {
            ComposerLength::Known(mate) => {
                self.composer_len = Some(mate.length.plies());
                self.composer_pv = line_text(&mate.moves);
            }
            ComposerLength::Unknown { more_than, .. } => {
                self.composer_more_than = Some(*more_than);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_json() {
        let mut record = SolvedProblem::error(7, "bad".to_owned());
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"line":7,"result":"error","reason":"bad","nodes":0,"ms":0.0}"#
        );
        record.others.push(SolvedFirstMove {
            first: "G*5b".to_owned(),
            result: ProblemResult::Mate,
            len: Some(1),
            exact: Some(true),
            pv: "G*5b".to_owned(),
        });
        record.composer_len = Some(3);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(
            serde_json::from_str::<SolvedProblem>(&text).unwrap(),
            record
        );
    }
}
