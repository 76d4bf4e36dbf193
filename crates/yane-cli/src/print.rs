//! Results on standard output, exit codes, signals, and the end of a program.

use std::io::{self, ErrorKind, IsTerminal as _, StdoutLock, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::builder::{OsStringValueParser, TypedValueParser};
use signal_hook::consts::TERM_SIGNALS;
use signal_hook::flag;
use yane_io::{Error, Result, escaped_lines};

use crate::events::{EventLog, RunEnd};
use crate::stderr::tell;

/// Standard output, locked. A reader that has gone away (`| head`) is no error.
#[derive(Debug)]
pub struct Printer {
    out: io::BufWriter<StdoutLock<'static>>,
    closed: bool,
    /// Control characters of texts, which may be anybody's, are shown as escapes.
    is_terminal: bool,
}

impl Default for Printer {
    fn default() -> Self {
        Self::new()
    }
}

impl Printer {
    /// A printer.
    pub fn new() -> Self {
        Self {
            out: io::BufWriter::new(io::stdout().lock()),
            closed: false,
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// True once the reader has closed the pipe.
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints a line.
    ///
    /// # Errors
    /// When it cannot be written, because a disk is full for example.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        let text = text.as_ref();
        if self.is_terminal {
            let text = escaped_lines(text);
            return self.attempt(|out| writeln!(out, "{text}"));
        }
        self.attempt(|out| writeln!(out, "{text}"))
    }

    /// Hands what was printed to the reader.
    ///
    /// # Errors
    /// When it cannot be written, because a disk is full for example.
    pub fn finish(mut self) -> Result<()> {
        self.attempt(io::Write::flush)
    }

    fn attempt(
        &mut self,
        act: impl FnOnce(&mut io::BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        match act(&mut self.out) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result.map_err(Error::io("standard output")),
        }
    }
}

/// Prints lines.
///
/// # Errors
/// When it cannot be written, because a disk is full for example.
pub fn lines(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Result<()> {
    let mut printer = Printer::new();
    for line in lines {
        printer.line(line)?;
    }
    printer.finish()
}

/// Prints a value as one line of JSON.
///
/// # Errors
/// When it cannot be written, because a disk is full for example.
pub fn json(value: &serde_json::Value) -> Result<()> {
    lines([value.to_string()])
}

// Exit codes, signals, and the end of a program.

/// Exit code of a search, a check or a comparison that found something, or not; and of failure.
pub const FINDINGS: u8 = 1;
/// Exit code for wrong usage.
pub const USAGE: u8 = 2;
/// Exit code of a program that was interrupted from the keyboard.
pub const INTERRUPTED: u8 = 130;

/// The command line is wrong in a way that [`clap`] cannot know.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Takes any word of the command line as the value of an option; names that are no UTF-8 are carried in the text
/// ([`yane_io::path_of_text`]).
pub fn any_word() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|word| yane_io::text_of_name(&word))
}

/// Names and values of engine options, each given as `--option NAME=VALUE`.
///
/// # Errors
/// When one has no `=`.
pub fn engine_options(
    options: &[String],
) -> std::result::Result<Vec<(String, String)>, UsageError> {
    let split = |option: &String| {
        let named = option.split_once('=');
        let owned = named.map(|(name, value)| (name.to_owned(), value.to_owned()));
        owned.ok_or_else(|| UsageError(format!("--option {option}: expected NAME=VALUE")))
    };
    options.iter().map(split).collect()
}

/// The error of a file or job in the chain of causes that begins with `error`.
fn file_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Error> {
    std::iter::successors(Some(error), |error| error.source())
        .find_map(|error| error.downcast_ref())
}

/// Returns true if `error`, or a cause of it, is that the work was cancelled.
pub fn is_cancelled(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(file_error(error), Some(Error::Cancelled))
}

/// The message of an error; causes that it does not tell itself follow it, after colons.
pub fn with_causes(error: &anyhow::Error) -> String {
    let tell = |text: String, cause: String| {
        if text.contains(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    };
    let texts = error.chain().map(ToString::to_string);
    texts.reduce(tell).unwrap_or_default()
}

/// The exit code of `program`, whose work ended with a code or an [error](fail). The file of events gets the end of the run, unless
/// it has it.
pub fn exit_code(program: &str, done: anyhow::Result<ExitCode>) -> ExitCode {
    match done {
        Ok(code) => {
            // Codes have no equality: their texts do.
            let is_interrupted =
                format!("{code:?}") == format!("{:?}", ExitCode::from(INTERRUPTED));
            EventLog::current().end(if is_interrupted {
                RunEnd::Stopped
            } else {
                RunEnd::Done
            });
            code
        }
        Err(error) => fail(program, &error),
    }
}

/// Says on standard error why `program` failed, and gives its exit code: [`USAGE`] for a
/// [`UsageError`], [`INTERRUPTED`] when the work was cancelled, else 1. That nobody reads the standard
/// output any more (`| head`) is no failure: nothing is said, and the code is 0.
///
/// What is said is [`with_causes`].
pub fn fail(program: &str, error: &anyhow::Error) -> ExitCode {
    let file = file_error(error.as_ref());
    if let Some(Error::Io { reason, .. }) = file
        && reason.kind() == ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let text = with_causes(error);
    tell(format_args!("{program}: {}", escaped_lines(&text)));
    EventLog::current().end(if matches!(file, Some(Error::Cancelled)) {
        RunEnd::Stopped
    } else {
        RunEnd::Failed(&text)
    });
    if error.is::<UsageError>() {
        ExitCode::from(USAGE)
    } else if matches!(file, Some(Error::Cancelled)) {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::FAILURE
    }
}

// Signals: Ctrl-C asks the job to stop, a second one ends the program.

/// Raises `cancelled` when the program is asked to end; asked again, it ends at once (no file is
/// damaged by that either), with [`crate::INTERRUPTED`]. A write beyond the limit of file sizes fails
/// instead of ending the program.
///
/// # Errors
/// When the system does not let signals be caught.
pub fn stop_on_request(cancelled: &Arc<AtomicBool>) -> io::Result<()> {
    for &signal in TERM_SIGNALS {
        // Order matters: the second signal finds the flag raised by the first.
        flag::register_conditional_shutdown(
            signal,
            crate::INTERRUPTED.into(),
            Arc::clone(cancelled),
        )?;
        flag::register(signal, Arc::clone(cancelled))?;
    }
    // A file size limit (ulimit -f) would kill the program; this way the write fails and says so.
    #[cfg(unix)]
    flag::register(25, Arc::default())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Outer {
        #[error("{0}")]
        File(#[from] Error),
        #[error("no page")]
        Page(#[source] io::Error),
    }

    #[test]
    fn every_cause_is_said_once() {
        let missing = || io::Error::from(ErrorKind::NotFound);
        let reason = missing().to_string();
        let file = Outer::File(Error::io("a.db")(missing()));
        let file = anyhow::Error::from(file);
        assert_eq!(with_causes(&file), format!("a.db: {reason}"));
        let file = file.context("cannot sort");
        assert_eq!(with_causes(&file), format!("cannot sort: a.db: {reason}"));
        let page = anyhow::Error::from(Outer::Page(missing()));
        assert_eq!(with_causes(&page), format!("no page: {reason}"));
    }

    #[cfg(unix)]
    #[test]
    fn words_that_are_no_utf_8_are_values() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;

        // 評価 in Shift JIS.
        let word = OsStr::from_bytes(b"EvalDir=\x95\x5d\x89\xbf");
        let option = clap::Arg::new("option")
            .long("option")
            .value_parser(any_word());
        let command = clap::Command::new("program").arg(option);
        let words = [OsStr::new("program"), OsStr::new("--option"), word];
        let found = command.try_get_matches_from(words).unwrap();
        let options: Vec<_> = found
            .get_many::<String>("option")
            .unwrap()
            .cloned()
            .collect();
        let [(name, value)] = &engine_options(&options).unwrap()[..] else {
            panic!("{options:?}")
        };
        let folder = yane_io::path_of_text(value);
        assert_eq!(name, "EvalDir");
        assert_eq!(folder.as_os_str().as_bytes(), b"\x95\x5d\x89\xbf");
    }

    #[test]
    fn an_interrupt_is_found_among_causes() {
        let cancelled = anyhow::Error::from(Outer::File(Error::Cancelled)).context("cannot sort");
        assert!(is_cancelled(cancelled.as_ref()));
        let other = anyhow::Error::from(Outer::File(Error::io("a.db")(ErrorKind::NotFound.into())));
        assert!(!is_cancelled(other.as_ref()));
        // The codes have no order and no equality: their texts do.
        let code = |error: &anyhow::Error| format!("{:?}", fail("sort", error));
        let is = |expected: u8| format!("{:?}", ExitCode::from(expected));
        assert_eq!(code(&cancelled), is(INTERRUPTED));
        assert_eq!(code(&other), is(FINDINGS));
        let closed = Error::io("standard output")(ErrorKind::BrokenPipe.into());
        assert_eq!(code(&Outer::File(closed).into()), is(0));
    }
}
