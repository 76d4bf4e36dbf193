//! `learn`: evaluations from teacher data, in the present form (`--train FILE…`) and by the words of the classic
//! command.
//!
//! Alone on the command line it is a program: progress on standard error, results on standard output, an exit code.

mod classic;
mod classic_learn;
mod cli;
mod convert;
mod curves;
mod kind;
mod run;
mod searches;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::CommandFactory as _;
use yane_cli::{UsageError, print, stop_on_request};
use yane_io::text_of_name;

use crate::error::LineError;
use crate::streams::OutputHandle;
use classic::{ClassicLearn, ClassicTask};
pub(crate) use classic_learn::EngineValues;
use run::PROGRAM;
use searches::SearchNotes;

/// The first word of the command.
pub(crate) const NAME: &str = "learn";

/// The command, as [`clap`] sees it.
pub(crate) fn command() -> clap::Command {
    cli::Cli::command().name(NAME)
}

/// Runs the command that the program's arguments are, if they are `learn` and nothing else; `None` otherwise.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let (name, rest) = words.split_first()?;
    if name != NAME || words.iter().any(|word| word == ",") {
        return None;
    }
    if is_classic(rest) {
        return Some(classic_program(rest));
    }
    let program = OsString::from(PROGRAM);
    let cli = cli::parse(std::iter::once(&program).chain(rest));
    Some(run::learn(&cli))
}

/// Returns whether words are those of the classic command: there are some, and none is an option of the present form.
fn is_classic(words: &[OsString]) -> bool {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    !words.is_empty() && !words.iter().any(is_option)
}

/// Runs the classic command and returns its exit code.
fn classic_program(words: &[OsString]) -> ExitCode {
    let stop = Arc::new(AtomicBool::new(false));
    let run = || {
        stop_on_request(&stop)?;
        let words: Vec<_> = words.iter().map(|word| text_of_name(word)).collect();
        let notes: SearchNotes = Arc::new(|text| eprintln!("{PROGRAM}: {text}"));
        let engine = EngineValues::of_program();
        classic_line(&words, engine, &notes, &stop, &mut |line| {
            Ok(print::lines([line])?)
        })
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => yane_cli::fail(PROGRAM, &error),
    }
}

/// Runs the classic command as a line of the command loop.
pub(crate) fn run_in_loop(
    words: &[String],
    engine: EngineValues,
    output: &OutputHandle,
    stop: &Arc<AtomicBool>,
) -> Result<(), LineError> {
    if let Some(word) = words.iter().find(|word| word.starts_with('-')) {
        let text = format!("learn: {word} is for the command line: yaneura learn --help");
        return Err(LineError::Usage(text));
    }
    let mut say = |line: &str| {
        output.line(line);
        Ok(())
    };
    let own = output.clone();
    let notes: SearchNotes = Arc::new(move |text| own.say(text));
    match classic_line(words, engine, &notes, stop, &mut say) {
        Err(error) if yane_cli::is_cancelled(error.as_ref()) => {
            output.say("learn: stopped");
            Ok(())
        }
        done => done.map_err(LineError::Learn),
    }
}

/// Runs the classic command with the words behind `learn`; prints with `say`.
fn classic_line(
    words: &[String],
    engine: EngineValues,
    on_note: &SearchNotes,
    stop: &Arc<AtomicBool>,
    say: &mut convert::Say<'_>,
) -> anyhow::Result<()> {
    let learn = ClassicLearn::parse(words).map_err(UsageError)?;
    match learn.task {
        ClassicTask::Learn => classic_learn::learn(&learn, engine, on_note, stop, say),
        ClassicTask::ConvertPlain | ClassicTask::ConvertBin => convert::convert(&learn, stop, say),
        ClassicTask::Shuffle(word) => {
            let instead = convert::shuffle_instead(&learn, word).map_err(UsageError)?;
            Err(UsageError(instead).into())
        }
    }
}
