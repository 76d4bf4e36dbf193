//! Results on standard output.

use std::io::{self, ErrorKind, StdoutLock, Write as _};

use yane_book::{BookError, BookMove, Result};

/// Standard output. A reader that has gone away (`| head`) is no error.
pub(crate) struct Printer {
    out: io::BufWriter<StdoutLock<'static>>,
    closed: bool,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Self {
            out: io::BufWriter::new(io::stdout().lock()),
            closed: false,
        }
    }

    /// Whether nobody reads any more.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        let text = text.as_ref();
        self.attempt(|out| writeln!(out, "{text}"))
    }

    /// Hands what was printed to the reader.
    pub(crate) fn finish(mut self) -> Result<()> {
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
            result => result.map_err(BookError::io("standard output")),
        }
    }
}

/// Prints lines.
pub(crate) fn lines(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Result<()> {
    let mut printer = Printer::new();
    for line in lines {
        printer.line(line)?;
    }
    printer.finish()
}

/// Prints a value as one line of JSON.
pub(crate) fn json(value: &serde_json::Value) -> Result<()> {
    lines([value.to_string()])
}

/// The line of a move in a text book.
pub(crate) fn move_line(known: &BookMove) -> String {
    let mut line = Vec::new();
    yane_book::db::push_move_line(&mut line, known);
    String::from_utf8_lossy(&line).into_owned()
}

/// A move as JSON.
pub(crate) fn move_json(known: &BookMove) -> serde_json::Value {
    let line = move_line(known);
    let mut words = line.split(' ');
    serde_json::json!({
        "move": words.next(),
        "ponder": words.next().filter(|word| *word != "none"),
        "eval": known.eval,
        "depth": known.depth,
        "count": known.count,
    })
}
