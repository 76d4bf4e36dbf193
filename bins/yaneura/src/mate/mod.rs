//! The program `yaneura mate`: solves collections of mate problems, and checks solutions.

mod cli;
mod problems;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::CommandFactory as _;
use farm::RunControl;
use mate_collections::{
    CollectionEntry, CollectionEvent, JournalMode, ProblemResult, SolutionCheck, SolutionJudgement,
    SolveJournal, SolveJournalError, SolvedProblem, check_solutions, solve_collection,
};
use yane_cli::print::Printer;
use yane_cli::{
    Console, FINDINGS, ForceFlag, HumanCount, Output, QuietFlag, counted, stop_on_request,
};
use yane_io::{AtomicFile, Claim, Error as FileError, Job, Overwrite, Progress as _, Unit};

use cli::{Check, MateCli, MateCommand, Solve};

/// The first word of the command.
const NAME: &str = "mate";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    MateCli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if it is this one and nothing else; `None` otherwise.
/// Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let cli: MateCli = crate::parse_alone(words, NAME)?;
    let done = match &cli.command {
        Some(MateCommand::Check(args)) => check(args),
        None => solve(&cli.solve),
    };
    Some(yane_cli::exit_code("yaneura mate", done))
}

/// The progress of a run; silent when results are printed on a terminal.
fn console(stage: &'static str, entries: &[CollectionEntry], quiet: bool, prints: bool) -> Console {
    let console = Console::new(QuietFlag(
        quiet || prints && std::io::stdout().is_terminal(),
    ));
    console.stage(stage, Some(entries.len() as u64), Unit::Positions);
    console
}

const fn exit_code(all_is_well: bool) -> u8 {
    if all_is_well { 0 } else { FINDINGS }
}

/// `yaneura mate check FILE`: checks solutions and prints the judgements.
fn check(args: &Check) -> anyhow::Result<ExitCode> {
    let settings = &args.settings;
    let entries = problems::read(&args.file)?;
    let job = Job::default();
    stop_on_request(&job.cancelled)?;
    let control = RunControl::of_job(&job);
    let console = console("checking", &entries, settings.quiet, true);
    let mut printer = Printer::new();
    let (mut good, mut all) = (0, 0);
    let print = |event: CollectionEvent<'_, SolutionJudgement>| -> anyhow::Result<()> {
        let judgement = match event {
            CollectionEvent::Next(judgement) => judgement,
            CollectionEvent::Ready(_) => return Ok(()),
            CollectionEvent::Note(text) => {
                console.note(text);
                return Ok(());
            }
        };
        console.advance(1);
        all += 1;
        good += u64::from(judgement.ok);
        let text = if settings.json {
            serde_json::to_string(&judgement)?
        } else {
            format!("{:6} {}", judgement.line, judgement.finding)
        };
        Ok(printer.line(text)?)
    };
    let options = args.options();
    let what = if args.moves_only {
        SolutionCheck::Mate
    } else {
        SolutionCheck::ShortestLength
    };
    if !check_solutions(&entries, &options, what, &control, print)? {
        return Err(FileError::Cancelled.into());
    }
    if !settings.json && !settings.quiet {
        printer.line(format!("{good} of {all} solutions are good"))?;
    }
    printer.finish()?;
    Ok(exit_code(good == all).into())
}

/// `yaneura mate FILE`: solves problems and writes the results.
fn solve(args: &Solve) -> anyhow::Result<ExitCode> {
    let begin = Instant::now();
    let entries = problems::read(args.file.as_deref().context("no file given")?)?;
    let job = Job::default();
    stop_on_request(&job.cancelled)?;
    let control = RunControl::of_job(&job);
    let (mut sink, known) = Sink::open(args, &entries)?;
    let done = solve_collection(&entries, &args.options(), &known, &control, |event| {
        sink.on_event(event)
    });
    match done {
        Err(Ended::Failed(error)) => Err(error),
        // The reader of the output has ended.
        Err(Ended::Closed) => Ok(ExitCode::SUCCESS),
        Ok(false) => {
            sink.say_how_to_resume();
            Err(FileError::Cancelled.into())
        }
        Ok(true) => sink.finish(begin.elapsed()),
    }
}

/// The reason why a run ended early.
enum Ended {
    Failed(anyhow::Error),
    /// Standard output was closed.
    Closed,
}

impl<E: Into<anyhow::Error>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// The destination of results.
enum Target {
    Screen(Printer),
    File {
        journal: Box<SolveJournal>,
        file: AtomicFile,
        _claim: Claim,
    },
}

impl Target {
    fn open_file(
        args: &Solve,
        output: &Path,
        entries: &[CollectionEntry],
        known: &mut BTreeMap<usize, SolvedProblem>,
    ) -> anyhow::Result<Self> {
        let inputs: Vec<_> = args.file.iter().collect();
        let is_resumed = args.resume && SolveJournal::path_of(output).exists();
        let overwrite = if is_resumed {
            Overwrite::Allow
        } else {
            Output::by_option(output).overwrite(ForceFlag(args.force))
        };
        let claim = overwrite.claim(output, &inputs)?;
        let mode = match (args.resume, args.force) {
            (true, _) => JournalMode::Resume,
            (_, true) => JournalMode::Replace,
            _ => JournalMode::New,
        };
        let identity = args.options().identity(entries);
        let opened = SolveJournal::open(output, &identity, mode, |note| eprintln!("{note}"));
        let (journal, records) = opened.map_err(|error| match error {
            SolveJournalError::File(error) => error.into(),
            SolveJournalError::Exists(_) => {
                anyhow::anyhow!("{error}; pass --resume to continue it, or --force to start over")
            }
            _ => anyhow::anyhow!("{error} (--force starts over)"),
        })?;
        known.extend(records.into_iter().map(|record| (record.line, record)));
        Ok(Self::File {
            journal: Box::new(journal),
            file: AtomicFile::create(output)?,
            _claim: claim,
        })
    }
}

/// Takes results: writes them, counts them and shows progress.
struct Sink<'a> {
    args: &'a Solve,
    target: Target,
    console: Console,
    counts: Counts,
}

impl<'a> Sink<'a> {
    /// Opens the output; returns also what an interrupted run found, by line.
    fn open(
        args: &'a Solve,
        entries: &[CollectionEntry],
    ) -> anyhow::Result<(Self, BTreeMap<usize, SolvedProblem>)> {
        let mut known = BTreeMap::new();
        let target = match &args.output {
            None => Target::Screen(Printer::new()),
            Some(output) => Target::open_file(args, output, entries, &mut known)?,
        };
        let prints = args.output.is_none();
        let mut sink = Self {
            args,
            target,
            console: console("solving", entries, args.settings.quiet, prints),
            counts: Counts::default(),
        };
        if !args.settings.json {
            let head = sink.write(TABLE_HEAD.to_owned());
            head.map_err(|_| FileError::Cancelled)?;
        }
        Ok((sink, known))
    }

    fn write(&mut self, line: String) -> Result<(), Ended> {
        match &mut self.target {
            Target::Screen(printer) => {
                printer.line(line)?;
                if printer.is_closed() {
                    return Err(Ended::Closed);
                }
            }
            Target::File { file, .. } => {
                file.put(line.as_bytes())?;
                file.put(b"\n")?;
            }
        }
        Ok(())
    }

    fn on_event(&mut self, event: CollectionEvent<'_, SolvedProblem>) -> Result<(), Ended> {
        match event {
            CollectionEvent::Ready(record) => {
                if let Target::File { journal, .. } = &mut self.target
                    && record.result != ProblemResult::Error
                {
                    journal.add(record)?;
                }
                self.console.advance(1);
            }
            CollectionEvent::Note(text) => self.console.note(text),
            CollectionEvent::Next(record) => {
                self.counts.add(&record);
                if self.args.settings.json {
                    return self.write(serde_json::to_string(&record)?);
                }
                for row in table_rows(&record) {
                    self.write(row)?;
                }
            }
        }
        Ok(())
    }

    fn say_how_to_resume(&self) {
        if let (Some(output), false) = (&self.args.output, self.args.settings.quiet) {
            let journal = SolveJournal::path_of(output);
            self.console.note(&format!(
                "{} keeps what is solved. Run the same command with --resume to continue.",
                journal.display()
            ));
        }
    }

    fn finish(self, elapsed: Duration) -> anyhow::Result<ExitCode> {
        let settings = &self.args.settings;
        let summary = if settings.json {
            self.counts.to_json(elapsed).to_string()
        } else {
            self.counts.summary(elapsed)
        };
        match self.target {
            Target::Screen(mut printer) => {
                if !settings.json && !settings.quiet {
                    printer.line(summary)?;
                }
                printer.finish()?;
            }
            Target::File {
                journal,
                file,
                _claim,
            } => {
                file.commit()?;
                journal.remove()?;
                drop(self.console);
                if !settings.quiet {
                    yane_cli::print::lines([summary])?;
                }
            }
        }
        Ok(exit_code(self.counts.all_are_decided()).into())
    }
}

// The table of results, and the summary below it.

/// Longest line of a table, in moves; JSON has all of them.
const TABLE_MOVES: usize = 99;

/// The head of the table.
const TABLE_HEAD: &str = "  line result     plies        nodes       time moves";

/// The rows of a result: one, and one for each other first move.
fn table_rows(record: &SolvedProblem) -> Vec<String> {
    let mut plies = plies_text(record.len, record.exact);
    match (record.composer_len, record.composer_more_than) {
        (Some(len), _) => plies = format!("{plies} ({len})"),
        (None, Some(more)) => plies = format!("{plies} (>{more})"),
        (None, None) => {}
    }
    let reason = record.reason.clone();
    let first = format!(
        "{:6} {:7} {plies:>8} {:12} {:>10} {}",
        record.line,
        record.result.name(),
        record.nodes,
        time_text(record.ms),
        reason.unwrap_or_else(|| shorten(&record.pv)),
    );
    let others = record.others.iter().map(|other| {
        let plies = plies_text(other.len, other.exact);
        let line = if other.pv.is_empty() {
            &other.first
        } else {
            &other.pv
        };
        format!(
            "{:6} {:7} {plies:>8} {:12} {:>10} {}",
            "",
            other.result.name(),
            "",
            "",
            shorten(line)
        )
    });
    let rows = std::iter::once(first).chain(others);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

/// A number that is not proven shortest has a sign before it.
fn plies_text(len: Option<u32>, exact: Option<bool>) -> String {
    match (len, exact) {
        (Some(len), Some(true)) => len.to_string(),
        (Some(len), _) => format!("<={len}"),
        (None, _) => "-".to_owned(),
    }
}

fn time_text(ms: f64) -> String {
    if ms < 10_000.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

fn shorten(line: &str) -> String {
    let mut spaces = line.match_indices(' ').map(|(at, _)| at);
    match spaces.nth(TABLE_MOVES - 1) {
        Some(end) => format!("{} ...", &line[..end]),
        None => line.to_owned(),
    }
}

/// The counts of the summary.
#[derive(Default)]
struct Counts {
    mates: u64,
    no_mates: u64,
    unknown: u64,
    errors: u64,
    nodes: u64,
}

impl Counts {
    fn add(&mut self, record: &SolvedProblem) {
        self.nodes += record.nodes;
        *match record.result {
            ProblemResult::Mate => &mut self.mates,
            ProblemResult::NoMate => &mut self.no_mates,
            ProblemResult::Unknown => &mut self.unknown,
            ProblemResult::Error => &mut self.errors,
        } += 1;
    }

    const fn all_are_decided(&self) -> bool {
        self.unknown + self.errors == 0
    }

    const fn all(&self) -> u64 {
        self.mates + self.no_mates + self.unknown + self.errors
    }

    fn to_json(&self, elapsed: Duration) -> serde_json::Value {
        serde_json::json!({
            "problems": self.all(),
            "mates": self.mates,
            "no_mates": self.no_mates,
            "unknown": self.unknown,
            "errors": self.errors,
            "nodes": self.nodes,
            "seconds": elapsed.as_secs_f64(),
        })
    }

    fn summary(&self, elapsed: Duration) -> String {
        let mut text = format!(
            "{}: {}, {} without, {} unknown",
            counted(self.all(), "problem", "problems"),
            counted(self.mates, "mate", "mates"),
            HumanCount(self.no_mates),
            HumanCount(self.unknown)
        );
        if self.errors > 0 {
            // Writing to a string does not fail.
            let _ = write!(text, ", {} unreadable", HumanCount(self.errors));
        }
        let _ = write!(
            text,
            "; {} nodes, {:.2} s",
            HumanCount(self.nodes),
            elapsed.as_secs_f64()
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_what_is_proven() {
        let json = r#"{"line":7,"result":"mate","len":15,"exact":false,"pv":"G*5b 5a4a","nodes":0,"ms":1.25}"#;
        let mut record: SolvedProblem = serde_json::from_str(json).unwrap();
        let row = |record: &SolvedProblem| table_rows(record).join("|");
        assert_eq!(
            row(&record),
            "     7 mate        <=15            0     1.2 ms G*5b 5a4a"
        );
        (record.exact, record.composer_len) = (Some(true), Some(3));
        assert!(row(&record).contains("   15 (3) "));
        record.pv = vec!["G*5b"; 150].join(" ");
        assert!(row(&record).ends_with("G*5b ..."));
        assert_eq!(row(&record).matches("G*5b").count(), TABLE_MOVES);
    }
}
