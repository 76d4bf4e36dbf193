//! Results on standard output, exit codes, signals, and the end of a program.

use std::io::{self, ErrorKind, IsTerminal as _, StdoutLock, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::TERM_SIGNALS;
use signal_hook::flag;
use yane_io::{Error, Result, escaped_lines};

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

/// Says on standard error why `program` failed, and gives its exit code: [`USAGE`] for a
/// [`UsageError`], [`INTERRUPTED`] when the work was cancelled, else 1. That nobody reads the standard
/// output any more (`| head`) is no failure: nothing is said, and the code is 0.
///
/// Causes that a message does not tell itself follow it, after colons.
pub fn fail(program: &str, error: &anyhow::Error) -> ExitCode {
    let file = file_error(error.as_ref());
    if let Some(Error::Io { source, .. }) = file
        && source.kind() == ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let tell = |text: String, cause: String| {
        if text.contains(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    };
    let text = error.chain().map(ToString::to_string).reduce(tell);
    let text = text.unwrap_or_default();
    eprintln!("{program}: {}", escaped_lines(&text));
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
