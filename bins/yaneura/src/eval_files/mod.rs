//! Commands about evaluation files: `nn`, `evalconvert`, `evalzero`.
//!
//! Alone on the command line they are programs: progress on standard error, an exit code, no engine.
//! Among other commands and on standard input they are lines like all others.

mod act;
mod cli;
mod json;

use std::process::ExitCode;

use anyhow::Error;
use clap::{CommandFactory as _, Parser as _};
use shogi_engine::SavedEvaluation;
use yane_cli::{Console, print, stop_on_request};
use yane_io::Job;

use crate::error::{EvalFilesError, LineError};
use crate::output::OutputHandle;
use cli::Cli;

/// The first words of these commands.
pub(crate) const NAMES: [&str; 3] = ["nn", "evalconvert", "evalzero"];

/// The name under which the commands speak of the program.
const PROGRAM: &str = "yaneura";

/// The command in `words`; `None` when they are another one. It may stand behind `test`, as it once
/// had to.
fn command(words: &[String]) -> Option<&[String]> {
    let words = match words {
        [test, rest @ ..] if test == "test" => rest,
        all => all,
    };
    let name = words.first()?;
    NAMES.contains(&name.as_str()).then_some(words)
}

/// The commands, as [`clap`] sees them, each with the options that all of them have.
pub(crate) fn commands() -> Vec<clap::Command> {
    let program = Cli::command();
    let shared: Vec<_> = program.get_arguments().cloned().collect();
    let commands = program.get_subcommands().cloned();
    commands
        .map(|command| command.args(shared.clone()))
        .collect()
}

/// Runs the command that the program's arguments are, if they are one and nothing else; `None`
/// otherwise. Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[String]) -> Option<ExitCode> {
    let command = command(words).filter(|words| !words.iter().any(|word| word == ","))?;
    let program = PROGRAM.to_owned();
    let cli = Cli::parse_from(std::iter::once(&program).chain(command));
    Some(run(&cli))
}

fn run(cli: &Cli) -> ExitCode {
    let job = Job {
        progress: std::sync::Arc::new(Console::new(cli.quiet)),
        ..Job::default()
    };
    let caught = stop_on_request(&job.cancelled).map_err(|error| vec![Error::new(error)]);
    let done = caught.and_then(|()| {
        let failures = act::run(cli, &job, |text| print::lines([text]));
        let errors: Vec<_> = failures.into_iter().map(Error::new).collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    });
    // What is left of a progress bar goes before errors are told.
    drop(job);
    let fail = |error| yane_cli::fail(PROGRAM, error, EvalFilesError::file_error);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            let codes: Vec<_> = errors.iter().map(fail).collect();
            codes.into_iter().next_back().unwrap_or(ExitCode::FAILURE)
        }
    }
}

/// Runs the command as a line among others.
pub(crate) fn run_in_loop(words: &[String], output: &OutputHandle) -> Result<(), LineError> {
    let command = command(words).unwrap_or(words);
    let program = PROGRAM.to_owned();
    let cli = match Cli::try_parse_from(std::iter::once(&program).chain(command)) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // The help that was asked for.
            output.line(error.to_string().trim_end());
            return Ok(());
        }
        Err(error) => return Err(LineError::Usage(cli::reason(&error))),
    };
    let say = |text: &str| {
        output.line(text);
        Ok(())
    };
    let mut failures = act::run(&cli, &Job::default(), say).into_iter();
    let first = failures.next();
    for failure in failures {
        output.error(&LineError::from(failure).to_line());
    }
    first.map_or(Ok(()), |failure| Err(failure.into()))
}

/// What was written, for people.
pub(crate) fn saved(saved: &SavedEvaluation) -> String {
    let SavedEvaluation { place, name, zeros } = saved;
    let values = if *zeros { ", all values 0" } else { "" };
    format!("wrote {} ({name}{values})", place.display())
}

#[cfg(test)]
mod tests;
