//! The output of lines.

use std::io::{BufWriter, Stdout, Write as _};
use std::path::Path;

use othello_book::miner::MismatchLine;
use yane_io::{AtomicFile, Error, Result};

use crate::args::Form;

/// The style of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) form: Form,
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An atomic file, or standard output.
pub(crate) struct Output {
    to: To,
    look: Look,
    text: String,
}

enum To {
    File(AtomicFile),
    Standard(BufWriter<Stdout>),
}

impl Output {
    /// Creates a file, or writes to standard output.
    pub(crate) fn create(path: Option<&Path>, look: Look) -> Result<Self> {
        let to = match path {
            Some(path) => To::File(AtomicFile::create(path)?),
            None => To::Standard(BufWriter::new(std::io::stdout())),
        };
        let mut output = Self::of(to, look);
        output.begin()?;
        Ok(output)
    }

    /// Appends to a file. A new one begins with a byte order mark.
    pub(crate) fn append(path: &Path, look: Look) -> Result<Self> {
        let old = match std::fs::read(path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io(path)(error)),
        };
        let mut output = Self::of(To::File(AtomicFile::create(path)?), look);
        if old.is_empty() {
            output.begin()?;
        } else {
            output.put(&old)?;
        }
        Ok(output)
    }

    fn of(to: To, look: Look) -> Self {
        let text = String::new();
        Self { to, look, text }
    }

    fn begin(&mut self) -> Result<()> {
        if self.look.bom {
            self.put(BOM)?;
        }
        if self.look.form == Form::Csv {
            "transcript,ply,expected,found".clone_into(&mut self.text);
            self.end_line()?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.to {
            To::File(file) => file.put(bytes),
            To::Standard(out) => out.write_all(bytes).map_err(Error::io("standard output")),
        }
    }

    fn end_line(&mut self) -> Result<()> {
        self.text
            .push_str(if self.look.crlf { "\r\n" } else { "\n" });
        let text = std::mem::take(&mut self.text);
        self.put(text.as_bytes())?;
        self.text = text;
        self.text.clear();
        Ok(())
    }

    /// Writes a line of the miner.
    pub(crate) fn line(&mut self, line: &MismatchLine<'_>) -> Result<()> {
        match self.look.form {
            Form::Text => self.text.push_str(line.transcript),
            Form::Csv => {
                self.text = format!(
                    "{},{},{},{}",
                    line.transcript, line.ply, line.expected, line.found
                );
            }
            Form::Jsonl => {
                self.text = serde_json::json!({
                    "transcript": line.transcript,
                    "ply": line.ply,
                    "expected": line.expected,
                    "found": line.found,
                })
                .to_string();
            }
        }
        self.end_line()
    }

    /// Writes a text as a line.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        text.clone_into(&mut self.text);
        self.end_line()
    }

    /// Commits the output.
    pub(crate) fn finish(self) -> Result<()> {
        match self.to {
            To::File(file) => file.commit(),
            To::Standard(mut out) => out.flush().map_err(Error::io("standard output")),
        }
    }
}
