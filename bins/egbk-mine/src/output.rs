//! The output of lines.

use std::io::{BufWriter, Stdout, Write as _};
use std::path::Path;

use othello_book::miner::MismatchLine;
use yane_io::{AtomicFile, Error, Result};

use crate::LineFormat;

/// The style of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) format: LineFormat,
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// An atomic file, or standard output.
pub(crate) struct Output {
    to: Target,
    style: Style,
    text: String,
}

enum Target {
    File(AtomicFile),
    Standard(BufWriter<Stdout>),
}

impl Output {
    /// Creates a file, or writes to standard output.
    pub(crate) fn create(path: Option<&Path>, style: Style) -> Result<Self> {
        let to = match path {
            Some(path) => Target::File(AtomicFile::create(path)?),
            None => Target::Standard(BufWriter::new(std::io::stdout())),
        };
        let mut output = Self::of(to, style);
        output.begin()?;
        Ok(output)
    }

    /// Appends to a file. A new one begins with a byte order mark.
    pub(crate) fn append(path: &Path, style: Style) -> Result<Self> {
        let old = match std::fs::read(path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io(path)(error)),
        };
        let mut output = Self::of(Target::File(AtomicFile::create(path)?), style);
        if old.is_empty() {
            output.begin()?;
        } else {
            output.put(&old)?;
        }
        Ok(output)
    }

    fn of(to: Target, style: Style) -> Self {
        let text = String::new();
        Self { to, style, text }
    }

    fn begin(&mut self) -> Result<()> {
        if self.style.bom {
            self.put(BOM)?;
        }
        if self.style.format == LineFormat::Csv {
            "transcript,ply,expected,found".clone_into(&mut self.text);
            self.end_line()?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.to {
            Target::File(file) => file.put(bytes),
            Target::Standard(out) => out.write_all(bytes).map_err(Error::io("standard output")),
        }
    }

    fn end_line(&mut self) -> Result<()> {
        self.text
            .push_str(if self.style.crlf { "\r\n" } else { "\n" });
        let text = std::mem::take(&mut self.text);
        self.put(text.as_bytes())?;
        self.text = text;
        self.text.clear();
        Ok(())
    }

    /// Writes a line of the miner.
    pub(crate) fn line(&mut self, line: &MismatchLine<'_>) -> Result<()> {
        match self.style.format {
            LineFormat::Text => self.text.push_str(line.transcript),
            LineFormat::Csv => {
                self.text = format!(
                    "{},{},{},{}",
                    line.transcript, line.ply, line.expected, line.found
                );
            }
            LineFormat::Jsonl => {
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
            Target::File(file) => file.commit(),
            Target::Standard(mut out) => out.flush().map_err(Error::io("standard output")),
        }
    }
}
