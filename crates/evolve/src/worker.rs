//! Other machines that play what a run needs: they see its folder, in which a file says what is played at the moment.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use run_watch::{FollowedProgram, ProgramSetup};
use serde::{Deserialize, Serialize};
use yane_io::{Error, Job, ReadLimit, path_of_text};

use crate::commands::{EvolvePlaces, text_of_path};
use crate::error::{EvolveError, Result};
use crate::files;
use crate::stage::StageCommand;

/// The file that says what is played.
const FILE: &str = "evolve.now";

/// The time between two looks at it.
const LOOK: Duration = Duration::from_millis(500);

/// Programs that play for others.
const PLAYERS: [&str; 2] = ["gensfen", "arena"];

/// What is played at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RunNow {
    /// A command hands out games.
    Command {
        /// The program.
        program: String,
        /// Its words, for those who play.
        words: Vec<String>,
        /// The folder of the programs on the machine of the run.
        programs: String,
    },
    /// The run is over.
    Over,
}

/// Tells workers of a command that hands out games; of others nothing.
pub(crate) fn announce(folder: &Path, command: &StageCommand, places: &EvolvePlaces) -> Result<()> {
    let Some(words) = words_of_worker(&command.words) else {
        return Ok(());
    };
    write(
        folder,
        &RunNow::Command {
            program: command.program.to_owned(),
            words,
            programs: text_of_path(&places.programs),
        },
    )
}

/// Tells workers that nothing is played for now.
pub(crate) fn be_silent(folder: &Path) -> Result<()> {
    Ok(files::remove(&folder.join(FILE))?)
}

/// Tells workers that the run is over.
pub(crate) fn end(folder: &Path) -> Result<()> {
    write(folder, &RunNow::Over)
}

fn write(folder: &Path, now: &RunNow) -> Result<()> {
    let value = serde_json::to_value(now).unwrap_or_default();
    Ok(files::write_text(
        &folder.join(FILE),
        &files::json_text(&value),
    )?)
}

/// The words of a command that plays games for the one that hands them out: it works, and writes no files.
fn words_of_worker(words: &[String]) -> Option<Vec<String>> {
    let mut found = false;
    let mut own = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--serve" => {
                found = true;
                own.push("--work".to_owned());
            }
            "-o" | "--log" => drop(words.next()),
            _ => own.push(word.clone()),
        }
    }
    found.then_some(own)
}

/// Plays games for the run in a folder, which is shared with its machine, on so many threads, until the run is over or the job is asked
/// to stop.
///
/// # Errors
/// When a program cannot be started, or the folder cannot be read; [`Error::Cancelled`] when it was asked to stop.
pub fn work(
    folder: &Path,
    places: &EvolvePlaces,
    threads: u32,
    job: &Job,
    on_command: &mut dyn FnMut(&str),
) -> Result<()> {
    let mut last: Option<RunNow> = None;
    loop {
        job.check()?;
        let bytes = ReadLimit::Settings.read_if_there(&folder.join(FILE))?;
        let now: Option<RunNow> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match &now {
            Some(RunNow::Over) => return Ok(()),
            Some(RunNow::Command {
                program,
                words,
                programs,
            }) if now != last => {
                let words = (program.as_str(), words.as_slice(), programs.as_str());
                if play(folder, places, words, threads, job, on_command)? {
                    last = now;
                } else {
                    // The queue may be away, or of a run that has stopped.
                    rest(job)?;
                }
            }
            // What has been played to its end, or nothing.
            _ => std::thread::sleep(LOOK),
        }
    }
}

/// Plays by a command; whether it came to its end.
fn play(
    folder: &Path,
    places: &EvolvePlaces,
    (program, words, programs): (&str, &[String], &str),
    threads: u32,
    job: &Job,
    on_command: &mut dyn FnMut(&str),
) -> Result<bool> {
    let known = PLAYERS.into_iter().find(|known| *known == program);
    let Some(program) = known else {
        let reason = format!("{program:?} is no program that plays games");
        return Err(Error::file(folder.join(FILE), reason).into());
    };
    let own = text_of_path(&places.programs);
    let mut words: Vec<String> = words
        .iter()
        .map(|word| word.replace(programs, &own))
        .collect();
    let at = words.iter().position(|word| word == "--secret-file");
    if let Some(at) = at
        && words
            .get(at + 1)
            .is_none_or(|file| !path_of_text(file).is_file())
    {
        // It is elsewhere here, or in a variable.
        words.drain(at..(at + 2).min(words.len()));
    }
    let count = if program == "gensfen" {
        "--multi"
    } else {
        "--concurrency"
    };
    words.extend([count.to_owned(), threads.to_string()]);
    on_command(&yane_io::command_text(program, &words));
    let mut command = Command::new(places.program(program));
    command.current_dir(folder);
    command.args(words.iter().map(|word| path_of_text(word)));
    let failed = |reason| EvolveError::Start {
        program: program.to_owned(),
        reason,
    };
    let run = FollowedProgram::start(command, ProgramSetup::default()).map_err(failed)?;
    let end = run.follow(job).map_err(failed)?;
    job.check()?;
    if !end.status.success() {
        let lines = end.errors.join("\n");
        on_command(&format!("{program} ended: {lines}"));
    }
    Ok(end.status.success())
}

/// Waits before another try.
fn rest(job: &Job) -> Result<()> {
    for _ in 0..10 {
        job.check()?;
        std::thread::sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_work_where_the_run_serves_and_write_nothing() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let served = "x.json5 --run --queue nats://farm:4222 --serve --quiet -o 0001/games.pack";
        let worked = "x.json5 --run --queue nats://farm:4222 --work --quiet";
        assert_eq!(words_of_worker(&words(served)), Some(words(worked)));
        let served = "match a b --serve --log 0001/gate.jsonl";
        assert_eq!(
            words_of_worker(&words(served)),
            Some(words("match a b --work"))
        );
        assert_eq!(words_of_worker(&words("learn -o x")), None);
    }
}
