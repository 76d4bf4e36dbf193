//! Reading records: all inputs in their order, what cannot be read, and what is in doubt.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use yane_io::archive::{ArchiveFormats as _, ArchiveReader, PIECE, read_bytes};
use yane_io::{Job, ReadLimit};

use super::RecordSource;
use crate::{FINDINGS, is_standard};

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

    /// Nothing yet.
    pub const fn new<S: RecordSource<Error = E>>() -> Self {
        Self {
            program: S::PROGRAM,
            games: 0,
            bad: 0,
            problems: Vec::new(),
        }
    }

    /// Counts a bad game, and tells of it unless there were many.
    fn note(&mut self, error: E) {
        let program = self.program;
        self.bad += 1;
        if self.bad <= Self::LISTED {
            eprintln!("{program}: {error}");
            self.problems.push(error);
        } else if self.bad == Self::LISTED + 1 {
            eprintln!("{program}: more games cannot be read; they are counted");
        }
    }

    /// The counts and the first problems.
    pub fn json<S: RecordSource<Error = E>>(&self) -> Value {
        json!({
            "games": self.games,
            "bad": self.bad,
            "problems": self.problems.iter().map(S::problem).collect::<Vec<_>>(),
        })
    }

    /// The exit code: [`FINDINGS`] if games were left out as bad.
    pub fn code(&self) -> ExitCode {
        ExitCode::from(if self.bad > 0 { FINDINGS } else { 0 })
    }
}

/// What is done about records that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBadRecord {
    /// The command ends with the first one as its error.
    Stop,
    /// They are told, counted and left out.
    Skip,
}

/// Calls `take` for every record of the files at `paths`, in their order, with its file and what `work` made of it on another
/// thread; a reason that `take` gives makes the record a bad one. `-` is the standard input.
///
/// # Errors
/// When a file cannot be read, the job is cancelled, `take` fails, or at a bad record if that is wanted.
pub fn for_each_record<S: RecordSource, T: Send + 'static>(
    source: &S,
    paths: &[PathBuf],
    on_bad: OnBadRecord,
    job: &Job,
    tally: &mut RecordTally<S::Error>,
    work: impl Fn(S::Record) -> T + Clone + Send + Sync + 'static,
    mut take: impl FnMut(&Path, T) -> anyhow::Result<Option<S::Error>>,
) -> anyhow::Result<()> {
    let mut doubts = Doubts::default();
    let work = move |record: S::Record| (S::doubt(&record), work(record));
    let mut each = |path: &Path, record: Result<(Option<String>, T), S::Error>| {
        let problem = match record {
            Ok((doubt, done)) => match take(path, done)? {
                None => {
                    doubts.tell::<S>(path, doubt);
                    tally.games += 1;
                    return Ok(());
                }
                Some(problem) => problem,
            },
            Err(error) => error,
        };
        match on_bad {
            OnBadRecord::Stop => Err(problem.into()),
            OnBadRecord::Skip => {
                tally.note(problem);
                Ok::<(), anyhow::Error>(())
            }
        }
    };
    let formats = source.formats(paths)?;
    for inputs in paths.chunk_by(|a, b| !is_standard(a) && !is_standard(b)) {
        if is_standard(&inputs[0]) {
            let mut read = Vec::new();
            let bytes = standard_input()?;
            read_bytes(&formats, &bytes, &mut |record| read.push(record))?;
            for record in read {
                each(&inputs[0], record.map(&work))?;
            }
            continue;
        }
        let work = work.clone();
        let reader = ArchiveReader::new(
            formats.clone(),
            inputs.to_vec(),
            job.threads,
            PIECE,
            move |formats: &S::Formats, piece| {
                let mut made = Vec::new();
                formats.read(piece, &mut |record| made.push(record.map(&work)));
                made
            },
        );
        let stage = match inputs {
            [path] => format!("reading {}", path.display()),
            _ => format!("reading {} files", inputs.len()),
        };
        reader.for_each_batch(&stage, job, |batch| {
            let mut records = batch.items.into_iter();
            records.try_for_each(|record| each(&inputs[batch.file], record))
        })?;
    }
    doubts.finish::<S>();
    Ok(())
}

fn standard_input() -> anyhow::Result<Vec<u8>> {
    let name = Path::new("standard input");
    Ok(ReadLimit::Records.read_source(name, std::io::stdin().lock())?)
}

/// Records that contradict themselves, told on standard error.
#[derive(Default)]
struct Doubts(u64);

impl Doubts {
    /// The records that are told one by one.
    const TOLD: u64 = 10;

    fn tell<S: RecordSource>(&mut self, path: &Path, doubt: Option<String>) {
        let Some(doubt) = doubt else { return };
        self.0 += 1;
        if self.0 <= Self::TOLD {
            eprintln!("{}: {}: {doubt}", S::PROGRAM, path.display());
        }
    }

    fn finish<S: RecordSource>(&self) {
        if let Some(more @ 1..) = self.0.checked_sub(Self::TOLD) {
            eprintln!("{}: {}", S::PROGRAM, S::more_doubts(more));
        }
    }
}
