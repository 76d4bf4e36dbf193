//! What was found, as lines of `name value` for people.

use std::fmt;

use super::{Inspection, NetworkFile, TableFile, TableFiles, TableNote};
use crate::kppt::Layout;

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(file) => file.fmt(f),
            Self::Tables(files) => files.fmt(f),
        }
    }
}

impl fmt::Display for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        writeln!(f, "size          {} bytes", self.bytes)?;
        writeln!(f, "sha256        {}", self.sha256)?;
        self.description.fmt(f)?;
        for note in &self.notes {
            writeln!(f, "note          {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TableFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        let names: Vec<_> = self.kinds.iter().map(|kind| kind.name()).collect();
        writeln!(f, "kind          {}", names.join(" or "))?;
        if self.kinds == [Layout::Kppt16] {
            writeln!(
                f,
                "note          to evaluate with it, convert it to {}",
                Layout::Kppt.name()
            )?;
        }
        writeln!(f, "fv_scale      32, always")?;
        self.files.iter().try_for_each(|file| file.fmt(f))
    }
}

impl fmt::Display for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.table.file_name();
        writeln!(f, "{name:<20}{} bytes", self.bytes)?;
        writeln!(f, "  sha256            {}", self.sha256)?;
        let (low, high) = (self.board.start(), self.board.end());
        write!(f, "  values            board {low} to {high}")?;
        if let Some(turn) = &self.turn {
            write!(f, ", turn {} to {}", turn.start(), turn.end())?;
        }
        writeln!(f)?;
        self.note
            .iter()
            .try_for_each(|note| writeln!(f, "  note              {note}"))
    }
}

impl fmt::Display for TableNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asymmetric { offset, mirror } => write!(
                f,
                "byte {offset}: differs from byte {mirror}, the same pieces the other way round; \
                 programs will not agree about evaluations"
            ),
        }
    }
}
