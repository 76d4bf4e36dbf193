//! `yaneura mate check FILE`: judges solutions.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use shogi_core::{Diagram, Move, Position};
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::verify::{LengthVerdict, MateLineFault, judge_length, replay_moves};
use shogi_mate::{Answer, Exactness, Role};
use yane_cli::print::Printer;
use yane_cli::{Console, FINDINGS, stop_on_request};
use yane_io::{Error as FileError, Progress as _, Unit};

use super::cli::Check;
use super::problems::{Entry, Problem, read};
use super::record::reason_text;
use super::work::{AnySolver, in_order};

/// The judgement of a solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Judgement {
    line: usize,
    /// Whether nothing is wrong and everything asked for is proven.
    ok: bool,
    /// Legal, all checks, mate at the end.
    mates: bool,
    /// Number of moves.
    plies: usize,
    /// Whether the length is the shortest; absent when it was not asked for or could not be proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    /// The shortest length, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    len: Option<u32>,
    /// What was found, in words.
    finding: String,
}

impl Judgement {
    fn add(&mut self, finding: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = write!(self.finding, ", {finding}");
    }
}

/// Judges and prints; the exit code.
pub(super) fn run(args: &Check) -> anyhow::Result<ExitCode> {
    let entries = read(&args.file)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    stop_on_request(&cancelled)?;
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let console = Console::new(args.settings.quiet || terminal);
    console.stage("checking", Some(entries.len() as u64), Unit::Positions);
    let mut printer = Printer::new();
    let (mut good, mut all) = (0, 0);
    let print = |judgement: Judgement| -> Result<(), anyhow::Error> {
        console.advance(1);
        all += 1;
        good += u64::from(judgement.ok);
        let text = if args.settings.json {
            serde_json::to_string(&judgement)?
        } else {
            format!("{:6} {}", judgement.line, judgement.finding)
        };
        Ok(printer.line(text)?)
    };
    let done = in_order(
        &entries,
        args.settings.jobs(),
        &cancelled,
        || AnySolver::new(&args.settings, Exactness::Shortest, 1),
        |solver, entry| judge(args, solver, entry, &cancelled),
        print,
    )?;
    if !done {
        return Err(FileError::Cancelled.into());
    }
    if !args.settings.json && !args.settings.quiet {
        printer.line(format!("{good} of {all} solutions are good"))?;
    }
    printer.finish()?;
    Ok(if good == all {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn judge(
    args: &Check,
    solver: &mut AnySolver,
    (line, entry): &Entry,
    stop: &AtomicBool,
) -> Judgement {
    let wrong = |plies, finding| Judgement {
        line: *line,
        ok: false,
        mates: false,
        plies,
        shortest: None,
        len: None,
        finding,
    };
    let problem = match entry {
        Ok(problem) => problem,
        Err(error) => return wrong(0, error.to_string()),
    };
    if problem.moves.is_empty() {
        return wrong(0, "no solution is given".to_owned());
    }
    let role = args.settings.role(&problem.start);
    let replayed = replay_moves(&problem.start, role, &problem.moves);
    let (moves, end) = match replayed {
        Ok(replayed) => replayed,
        Err(fault) => return wrong(problem.moves.len(), fault.to_string()),
    };
    if !is_mate(args, problem, role, end, stop) {
        return wrong(problem.moves.len(), MateLineFault::NotMate.to_string());
    }
    let plies = moves.len() as u32;
    let mut judgement = Judgement {
        ok: true,
        mates: true,
        ..wrong(moves.len(), format!("mate in {plies}"))
    };
    if let Some(stated) = problem.stated.filter(|&stated| stated != plies) {
        judgement.ok = false;
        judgement.add(format_args!("not in {stated} as it says"));
    }
    if !args.moves_only {
        judge_line(args, solver, problem, &moves, stop, &mut judgement);
    }
    judgement
}

/// Whether `end`, the last position of a solution, is mate; for composers also when all defences are futile.
fn is_mate(args: &Check, problem: &Problem, role: Role, end: Position, stop: &AtomicBool) -> bool {
    let attacker = role.attacker(problem.start.pieces().side_to_move());
    if end.side_to_move() == attacker || !end.in_check() {
        return false;
    }
    if !args.composer || end.is_mated() {
        return end.is_mated();
    }
    let limits = args.settings.composer_limits();
    let length = composer_length(&end.into(), Role::Defender, 0, &limits, stop);
    matches!(length, ComposerLength::Known(_))
}

/// Adds whether the line is as long as it should be.
fn judge_line(
    args: &Check,
    solver: &mut AnySolver,
    problem: &Problem,
    moves: &[Move],
    stop: &AtomicBool,
    judgement: &mut Judgement,
) {
    let start = &problem.start;
    let solution = solver.solve(start, &args.settings.limits(), stop);
    let plies = moves.len() as u32;
    let verdict = match &solution.answer {
        Answer::Mate(mate) if args.composer => {
            let bound = mate.length.plies();
            judge_composer(args, start, solution.role, bound, plies, stop)
        }
        answer => judge_length(plies, answer),
    };
    let counted = if args.composer {
        " without futile interpositions"
    } else {
        ""
    };
    let (shortest, len, text) = match verdict {
        LengthVerdict::Shortest => (Some(true), None, "the shortest".to_owned()),
        LengthVerdict::TooLong(len) => (Some(false), Some(len), format!("there is one in {len}")),
        LengthVerdict::WeakDefence(len) => {
            let text = format!("but the best defence lasts {len}");
            (Some(false), Some(len), text)
        }
        LengthVerdict::NoMate => {
            let text = "but there is no mate against the best defence".to_owned();
            (Some(false), None, text)
        }
        LengthVerdict::Unknown { reason, bound } => {
            let reason = reason.map_or("limit", reason_text);
            let bound = bound.map(|bound| format!(" (at most {bound})"));
            let text = format!(
                "shortest length unknown: {reason}{}",
                bound.unwrap_or_default()
            );
            (None, None, text)
        }
    };
    judgement.ok &= shortest == Some(true);
    judgement.shortest = shortest;
    judgement.len = len;
    judgement.add(format_args!("{text}{counted}"));
}

/// Compares a line with the length without futile interpositions; `bound` is the plain length.
fn judge_composer(
    args: &Check,
    start: &Diagram,
    role: Role,
    bound: u32,
    plies: u32,
    stop: &AtomicBool,
) -> LengthVerdict {
    let limits = args.settings.composer_limits();
    match composer_length(start, role, bound, &limits, stop) {
        ComposerLength::Known(mate) => judge_length(plies, &Answer::Mate(mate)),
        ComposerLength::Unknown { reason, .. } => LengthVerdict::Unknown {
            reason: Some(reason),
            bound: Some(bound),
        },
    }
}
