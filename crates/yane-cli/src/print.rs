//! Results on standard output.

use std::io::{self, ErrorKind, StdoutLock, Write as _};

use yane_io::{Error, Result};

/// Standard output, locked. A reader that has gone away (`| head`) is no error.
#[derive(Debug)]
pub struct Printer {
    out: io::BufWriter<StdoutLock<'static>>,
    closed: bool,
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
