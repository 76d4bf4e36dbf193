//! Checking the solutions that a collection gives.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use farm::{FarmError, RunControl};
use serde::Serialize;
use shogi_core::{Diagram, Move, Position};
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::verify::{LengthVerdict, MateLineError, judge_length, replay_moves};
use shogi_mate::{Answer, Exactness, Role};

use crate::run::{CollectionEvent, ordered_map};
use crate::{AnySolver, CollectionEntry, CollectionOptions, MateProblem};

/// The judgement of a solution, as it is written as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolutionJudgement {
    /// Number of the line in the collection, from 1.
    pub line: usize,
    /// True if nothing is wrong and everything asked for is proven.
    pub ok: bool,
    /// True if all moves are legal, all of the attacker's give check and the last mates.
    pub mates: bool,
    /// Number of moves.
    pub plies: usize,
    /// True if the length is the shortest; absent when it was not asked for or could not be proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<bool>,
    /// The shortest length, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<u32>,
    /// The finding in words.
    pub finding: String,
}

/// What of a solution is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolutionCheck {
    /// Its moves mate.
    Mate,
    /// Its moves mate, and there is no shorter mate.
    ShortestLength,
}

/// Checks the solutions of a collection: mates and, if that is asked for, of the shortest length. With
/// [`CollectionOptions::composer`] futile interpositions count neither in the length nor as a defence at the end.
///
/// Ends early when `control` or an error of `take` ends it; returns whether all solutions were checked.
///
/// # Errors
/// Those of `take`, which gets the events; a problem at which the solver panics again and again.
pub fn check_solutions<E: From<FarmError>>(
    entries: &[CollectionEntry],
    options: &CollectionOptions,
    what: SolutionCheck,
    control: &RunControl,
    take: impl FnMut(CollectionEvent<'_, SolutionJudgement>) -> Result<(), E>,
) -> Result<bool, E> {
    let options = &CollectionOptions {
        exact: Exactness::Shortest,
        multi_pv: 1,
        ..*options
    };
    ordered_map(
        entries,
        options.jobs,
        control,
        || AnySolver::new(options),
        |solver, entry, stop| {
            let proves_length = what == SolutionCheck::ShortestLength;
            judge(entry, options, proves_length.then_some(solver), stop)
        },
        take,
    )
}

/// Judges a solution; the length too, if there is a solver to prove it.
fn judge(
    entry: &CollectionEntry,
    options: &CollectionOptions,
    solver: Option<&mut AnySolver>,
    stop: &AtomicBool,
) -> SolutionJudgement {
    let wrong = |plies, finding| SolutionJudgement {
        line: entry.line,
        ok: false,
        mates: false,
        plies,
        shortest: None,
        len: None,
        finding,
    };
    let problem = match &entry.problem {
        Ok(problem) => problem,
        Err(error) => return wrong(0, error.to_string()),
    };
    if problem.moves.is_empty() {
        return wrong(0, "no solution is given".to_owned());
    }
    let role = Role::of_diagram(&problem.start, options.checked_root);
    let (moves, end) = match replay_moves(&problem.start, role, &problem.moves) {
        Ok(replayed) => replayed,
        Err(error) => return wrong(problem.moves.len(), error.to_string()),
    };
    if !is_mate(problem, options, role, end, stop) {
        return wrong(problem.moves.len(), MateLineError::NotMate.to_string());
    }
    let plies = moves.len() as u32;
    let mut judgement = SolutionJudgement {
        ok: true,
        mates: true,
        ..wrong(moves.len(), format!("mate in {plies}"))
    };
    if let Some(stated) = problem.stated_length.filter(|&stated| stated != plies) {
        judgement.ok = false;
        judgement.add(format_args!("not in {stated} as it says"));
    }
    if let Some(solver) = solver {
        judgement.add_length(problem, options, solver, &moves, stop);
    }
    judgement
}

/// Returns whether `end`, the last position of a solution, is mate; for composers also when all defences are futile.
fn is_mate(
    problem: &MateProblem,
    options: &CollectionOptions,
    role: Role,
    end: Position,
    stop: &AtomicBool,
) -> bool {
    let attacker = role.attacker(problem.start.pieces().side_to_move());
    if end.side_to_move() == attacker || !end.in_check() {
        return false;
    }
    if !options.composer || end.is_mated() {
        return end.is_mated();
    }
    let limits = options.composer_limits();
    let length = composer_length(&end.into(), Role::Defender, 0, &limits, stop);
    matches!(length, ComposerLength::Known(_))
}

impl SolutionJudgement {
    fn add(&mut self, finding: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = write!(self.finding, ", {finding}");
    }

    /// Adds whether the solution has the shortest length.
    fn add_length(
        &mut self,
        problem: &MateProblem,
        options: &CollectionOptions,
        solver: &mut AnySolver,
        moves: &[Move],
        stop: &AtomicBool,
    ) {
        let start = &problem.start;
        let solution = solver.solve(start, &options.limits, stop);
        let plies = moves.len() as u32;
        let verdict = match &solution.answer {
            Answer::Mate(mate) if options.composer => {
                let bound = mate.length.plies();
                judge_composer_length(start, options, solution.role, bound, plies, stop)
            }
            answer => judge_length(plies, answer),
        };
        let counted = if options.composer {
            " without futile interpositions"
        } else {
            ""
        };
        let (shortest, len, text) = match verdict {
            LengthVerdict::Shortest => (Some(true), None, "the shortest".to_owned()),
            LengthVerdict::TooLong(len) => {
                (Some(false), Some(len), format!("there is one in {len}"))
            }
            LengthVerdict::WeakDefence(len) => {
                let text = format!("but the best defence lasts {len}");
                (Some(false), Some(len), text)
            }
            LengthVerdict::NoMate => {
                let text = "but there is no mate against the best defence".to_owned();
                (Some(false), None, text)
            }
            LengthVerdict::Unknown { reason, bound } => {
                let reason = reason.map_or("limit", |reason| reason.name());
                let bound = bound.map_or_else(String::new, |bound| format!(" (at most {bound})"));
                (
                    None,
                    None,
                    format!("shortest length unknown: {reason}{bound}"),
                )
            }
        };
        self.ok &= shortest == Some(true);
        self.shortest = shortest;
        self.len = len;
        self.add(format_args!("{text}{counted}"));
    }
}

/// Compares a line with the length without futile interpositions; `bound` is the plain length.
fn judge_composer_length(
    start: &Diagram,
    options: &CollectionOptions,
    role: Role,
    bound: u32,
    plies: u32,
    stop: &AtomicBool,
) -> LengthVerdict {
    match composer_length(start, role, bound, &options.composer_limits(), stop) {
        ComposerLength::Known(mate) => judge_length(plies, &Answer::Mate(mate)),
        ComposerLength::Unknown { reason, .. } => LengthVerdict::Unknown {
            reason: Some(reason),
            bound: Some(bound),
        },
    }
}
