//! `yaneura mate FILE`: solves every problem of a collection.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shogi_mate::composer::composer_length;
use shogi_mate::{Answer, Exactness};
use yane_cli::print::Printer;
use yane_cli::{Console, FINDINGS, HumanCount, Output, stop_on_request};
use yane_io::{AtomicFile, Error as FileError, Progress as _, Unit};

use super::cli::{Exact, Solve};
use super::journal::{Journal, Mode};
use super::problems::{Entry, read};
use super::record::{Record, Verdict};
use super::work::{AnySolver, Results, in_order};

/// Solves and writes; the exit code.
pub(super) fn run(args: &Solve) -> anyhow::Result<ExitCode> {
    let begin = Instant::now();
    let file = args.file.as_deref().context("no file given")?;
    let entries = read(file)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    stop_on_request(&cancelled)?;
    let mut sink = Sink::open(args, entries.len())?;
    let known = std::mem::take(&mut sink.known);
    let done = in_order(
        &entries,
        args.settings.jobs(),
        &cancelled,
        || AnySolver::new(&args.settings, args.exactness(), args.multipv as usize),
        |solver, entry| solve(args, solver, entry, &known, &cancelled),
        &mut sink,
    );
    match done {
        Err(Ended::Failed(error)) => Err(error),
        // Nobody reads the rest.
        Err(Ended::Closed) => Ok(ExitCode::SUCCESS),
        Ok(false) => {
            sink.leave();
            Err(FileError::Cancelled.into())
        }
        Ok(true) => sink.finish(begin.elapsed()),
    }
}

impl Solve {
    fn exactness(&self) -> Exactness {
        if self.composer {
            Exactness::Shortest
        } else {
            self.exact.into()
        }
    }

    /// What results depend on, beside the problems.
    fn described(&self) -> String {
        let settings = &self.settings;
        let exact = if self.composer {
            Exact::Shortest
        } else {
            self.exact
        };
        format!(
            "help_mate {}, exact {exact:?}, multipv {}, composer {}, hash {}, threads {}, time {:?}, \
             nodes {:?}, defends_if_checked {}",
            settings.help_mate,
            self.multipv,
            self.composer,
            settings.hash,
            settings.threads,
            settings.time,
            settings.nodes,
            settings.defends_if_checked
        )
    }
}

/// The result for one line.
fn solve(
    args: &Solve,
    solver: &mut AnySolver,
    (line, entry): &Entry,
    known: &HashMap<usize, Record>,
    stop: &AtomicBool,
) -> Record {
    let start = match entry {
        Ok(problem) => problem.to_solve(),
        Err(error) => return Record::error(*line, error.to_string()),
    };
    let start = match start {
        Ok(start) => start,
        Err(error) => return Record::error(*line, error.to_string()),
    };
    let sfen = start.pieces().to_sfen();
    if let Some(record) = known.get(line).filter(|record| record.sfen == sfen) {
        return record.clone();
    }
    let settings = &args.settings;
    let solution = solver.solve(&start, &settings.limits(), stop);
    let mut record = Record::of(*line, sfen, &solution);
    if let (true, Answer::Mate(mate)) = (args.composer, &solution.answer) {
        let limits = settings.composer_limits();
        let bound = mate.length.plies();
        let found = composer_length(&start, solution.role, bound, &limits, stop);
        record.add_composer(&found);
    }
    record
}

/// The reason why the work ended early.
enum Ended {
    Failed(anyhow::Error),
    Closed,
}

impl From<anyhow::Error> for Ended {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<FileError> for Ended {
    fn from(error: FileError) -> Self {
        Self::Failed(error.into())
    }
}

/// The destination of results.
enum Target {
    Screen(Printer),
    File { journal: Journal, file: AtomicFile },
}

/// Takes results.
struct Sink<'a> {
    args: &'a Solve,
    target: Target,
    /// What an earlier run found, by line.
    known: HashMap<usize, Record>,
    console: Console,
    counts: Counts,
}

/// For the summary.
#[derive(Default)]
struct Counts {
    mates: u64,
    no_mates: u64,
    unknown: u64,
    errors: u64,
    nodes: u64,
}

impl<'a> Sink<'a> {
    fn open(args: &'a Solve, problems: usize) -> anyhow::Result<Self> {
        let mut known = HashMap::new();
        let target = match &args.output {
            None => Target::Screen(Printer::new()),
            Some(output) => {
                if !(args.resume && Journal::path_of(output).exists()) {
                    let inputs: Vec<_> = args.file.iter().collect();
                    Output::by_option(output)
                        .overwrite(args.force)
                        .check(output, &inputs)?;
                }
                let mode = match (args.resume, args.force) {
                    (true, _) => Mode::Resume,
                    (_, true) => Mode::Force,
                    _ => Mode::Fresh,
                };
                let (journal, records) = Journal::open(output, &args.described(), mode)?;
                known.extend(records.into_iter().map(|record| (record.line, record)));
                Target::File {
                    journal,
                    file: AtomicFile::create(output)?,
                }
            }
        };
        let prints = args.output.is_none() && std::io::IsTerminal::is_terminal(&std::io::stdout());
        let console = Console::new(args.settings.quiet || prints);
        console.stage("solving", Some(problems as u64), Unit::Positions);
        let mut sink = Self {
            args,
            target,
            known,
            console,
            counts: Counts::default(),
        };
        if !args.settings.json {
            sink.write(Record::TABLE_HEAD.to_owned())
                .map_err(|_| FileError::Cancelled)?;
        }
        Ok(sink)
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

    /// Says how to go on after an interruption.
    fn leave(&self) {
        if let (Some(output), false) = (&self.args.output, self.args.settings.quiet) {
            let journal = Journal::path_of(output);
            self.console.note(&format!(
                "{} keeps what is solved. Run the same command with --resume to continue.",
                journal.display()
            ));
        }
    }

    fn finish(self, elapsed: Duration) -> anyhow::Result<ExitCode> {
        let summary = if self.args.settings.json {
            self.counts.as_json(elapsed).to_string()
        } else {
            self.counts.summary(elapsed)
        };
        let all_decided = self.counts.unknown + self.counts.errors == 0;
        match self.target {
            Target::Screen(mut printer) => {
                if !self.args.settings.json && !self.args.settings.quiet {
                    printer.line(summary)?;
                }
                printer.finish()?;
            }
            Target::File { journal, file } => {
                file.commit()?;
                journal.remove()?;
                drop(self.console);
                if !self.args.settings.quiet {
                    yane_cli::print::lines([summary])?;
                }
            }
        }
        Ok(if all_decided {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(FINDINGS)
        })
    }
}

impl Results<Record, Ended> for &mut Sink<'_> {
    fn arrived(&mut self, record: &Record) -> Result<(), Ended> {
        if let Target::File { journal, .. } = &mut self.target
            && record.result != Verdict::Error
        {
            journal.add(record)?;
        }
        self.console.advance(1);
        Ok(())
    }

    fn take(&mut self, record: Record) -> Result<(), Ended> {
        self.counts.add(&record);
        if self.args.settings.json {
            return self.write(serde_json::to_string(&record).map_err(anyhow::Error::from)?);
        }
        for row in record.table_rows() {
            self.write(row)?;
        }
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, record: &Record) {
        self.nodes += record.nodes;
        *match record.result {
            Verdict::Mate => &mut self.mates,
            Verdict::NoMate => &mut self.no_mates,
            Verdict::Unknown => &mut self.unknown,
            Verdict::Error => &mut self.errors,
        } += 1;
    }

    const fn all(&self) -> u64 {
        self.mates + self.no_mates + self.unknown + self.errors
    }

    fn as_json(&self, elapsed: Duration) -> serde_json::Value {
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
            "{} problems: {} mates, {} without, {} unknown",
            HumanCount(self.all()),
            HumanCount(self.mates),
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
