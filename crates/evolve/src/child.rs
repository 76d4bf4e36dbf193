//! The program of a stage as a child process: started where the last session left it, followed, asked to stop.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use run_watch::{FollowedProgram, ProgramEnd, ProgramSetup};
use serde_json::Value;
use yane_io::{Error, Job, Progress, Unit, command_text, path_of_text};

use crate::commands::EvolvePlaces;
use crate::error::{EvolveError, Result};
use crate::figures::objects;
use crate::files;
use crate::stage::{FinishRule, StageCommand, StopRule};
use crate::worker;

/// The time between two looks whether the program of an earlier session has ended.
const WAIT: Duration = Duration::from_millis(50);

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// The exit code of a program that failed, or found something.
const FINDINGS: i32 = 1;

/// A program of a stage.
pub(crate) struct StageProgram<'a> {
    pub(crate) command: &'a StageCommand,
    /// The stage in words, such as `generation 3, self-play`.
    pub(crate) name: &'a str,
    /// The folder of the run.
    pub(crate) folder: &'a Path,
    /// The report of the stage in the folder of the run: what the program writes to its standard output.
    pub(crate) report: String,
    pub(crate) places: &'a EvolvePlaces,
}

impl StageProgram<'_> {
    /// Runs the program to its end, unless it has already finished; what it reported.
    pub(crate) fn run(&self, job: &Job) -> Result<Vec<Value>> {
        let report = self.open_report(job)?;
        if let Some((path, text)) = &self.command.settings {
            files::write_text(&self.folder.join(path), text)?;
        }
        let path = self.folder.join(&self.report);
        let output = self.folder.join(&self.command.output);
        if self.command.finished == FinishRule::Reports && output.exists() {
            let found = objects(&path)?;
            if !found.is_empty() {
                return Ok(found);
            }
            // Whether it is whole is not known.
            files::remove(&output)?;
        }
        fs::create_dir_all(yane_io::folder_of(&output)).map_err(Error::write(&output, 0))?;
        if self.command.finished != FinishRule::Continues {
            report.set_len(0).map_err(Error::write(&path, 0))?;
        }
        worker::announce(self.folder, self.command, self.places)?;
        let end = self.follow(report, job);
        worker::be_silent(self.folder)?;
        let end = end?;
        let found = objects(&path)?;
        match end.status.code() {
            Some(0) => Ok(found),
            _ if job.check().is_err() => Err(Error::Cancelled.into()),
            Some(INTERRUPTED) => Err(Error::Cancelled.into()),
            // Engines that misbehaved have lost their games.
            Some(FINDINGS) if self.command.program == "arena" && !found.is_empty() => Ok(found),
            code => Err(self.failure(code, end)),
        }
    }

    /// Opens the report, to which sessions append, and waits until no program of an earlier session writes to it: it has the file open
    /// as long as it lives, and with it the lock.
    fn open_report(&self, job: &Job) -> Result<File> {
        let path = &self.folder.join(&self.report);
        fs::create_dir_all(yane_io::folder_of(path)).map_err(Error::write(path, 0))?;
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path);
        let mut file = file.map_err(Error::write(path, 0))?;
        let mut has_told = false;
        loop {
            match file.try_lock() {
                // An error: there are no locks on this disk.
                Ok(()) | Err(TryLockError::Error(_)) => break,
                Err(TryLockError::WouldBlock) => {}
            }
            if !std::mem::replace(&mut has_told, true) {
                let text = "waiting until the program of the last session has ended";
                job.progress.note(&format!("{}: {text}", self.name));
            }
            job.check()?;
            std::thread::sleep(WAIT);
        }
        end_line(&mut file).map_err(Error::write(path, 0))?;
        Ok(file)
    }

    fn follow(&self, report: File, job: &Job) -> Result<ProgramEnd> {
        let program = self.places.program(self.command.program);
        if !program.is_file() {
            return Err(EvolveError::NoProgram {
                name: self.command.program,
                folder: self.places.programs.clone(),
            });
        }
        let events = format!("{}.events", self.report);
        let mut command = Command::new(&program);
        command.current_dir(self.folder);
        let (name, words) = self.command.words.split_at(self.command.depth);
        let words_of = |words: &[String]| -> Vec<PathBuf> {
            words.iter().map(|word| path_of_text(word)).collect()
        };
        command.args(words_of(name));
        let is_followed = self.command.stopping == StopRule::Requests;
        if is_followed {
            // Those of earlier sessions are of no use.
            files::remove(&self.folder.join(&events))?;
            command.args(["--events", &events, "--control", "stdin"]);
        }
        command.args(words_of(words));
        let setup = ProgramSetup {
            events: is_followed.then(|| self.folder.join(&events)),
            output: Some(report),
        };
        let job = Job {
            progress: Arc::new(Named {
                name: self.name.to_owned(),
                inner: Arc::clone(&job.progress),
            }),
            ..job.clone()
        };
        let ended = FollowedProgram::start(command, setup).and_then(|run| run.follow(&job));
        ended.map_err(|reason| EvolveError::Start {
            program: self.command.program.to_owned(),
            reason,
        })
    }

    fn failure(&self, code: Option<i32>, end: ProgramEnd) -> EvolveError {
        let lines = end.errors.join("\n");
        let text = if lines.is_empty() {
            end.error.unwrap_or_else(|| "it said nothing".to_owned())
        } else {
            lines
        };
        EvolveError::Failed {
            stage: self.name.to_owned(),
            command: command_text(self.command.program, &self.command.words),
            code: code.map_or_else(
                || "a signal of the system".to_owned(),
                |code| format!("exit code {code}"),
            ),
            text,
        }
    }
}

/// Ends a last line that was cut off.
fn end_line(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

/// Progress under the name of a stage.
struct Named {
    name: String,
    inner: Arc<dyn Progress>,
}

impl Named {
    fn full(&self, name: &str) -> String {
        format!("{}: {name}", self.name)
    }
}

impl Progress for Named {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        self.inner.stage(&self.full(name), total, unit);
    }

    fn advance(&self, amount: u64) {
        self.inner.advance(amount);
    }

    /// Programs remark each game; what they end with is told by the stage.
    fn note(&self, _: &str) {}

    fn resumed_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        self.inner
            .resumed_stage(&self.full(name), total, unit, done);
    }

    fn saved(&self, path: &Path) {
        self.inner.saved(path);
    }
}
