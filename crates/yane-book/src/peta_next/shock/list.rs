//! The list of positions that is written.

use std::path::Path;

use hashbrown::HashSet;
use shogi_core::{Move, Position};
use yane_io::AtomicFile;

use super::book::SolvedBook;
use super::{ShockNextReport, ShockOutput};
use crate::records::Root;
use crate::startsfens::key_of_both_sides;
use crate::{BookError, Result};

/// An output file that takes each position once.
pub(super) struct List {
    file: AtomicFile,
    options: ShockOutput,
    known: HashSet<u128>,
    report: ShockNextReport,
}

impl List {
    pub(super) fn create(
        output: &Path,
        options: ShockOutput,
        book: &SolvedBook,
        roots: &[Root],
    ) -> Result<Self> {
        Ok(Self {
            file: AtomicFile::create(output)?,
            options,
            known: HashSet::new(),
            report: ShockNextReport {
                positions: book.positions,
                roots: roots.len() as u64,
                written: 0,
                left_out: book.left_out,
            },
        })
    }

    /// Adds the position that `moves` lead to from `root`; whether it is new.
    pub(super) fn add(&mut self, root: &Root, moves: &[Move]) -> Result<bool> {
        let mut position: Position = root.game().position().clone();
        for &m in moves {
            let _ = position.do_move(m);
        }
        if !self.known.insert(key_of_both_sides(&position)) {
            return Ok(false);
        }
        let text = if self.options.from_startpos {
            root.line(moves.iter().copied())
        } else {
            position.to_sfen()
        };
        self.file.put(text.as_bytes())?;
        self.file.put(self.options.line_end.bytes())?;
        self.report.written += 1;
        Ok(true)
    }

    /// Makes the list the file.
    pub(super) fn finish(self) -> Result<ShockNextReport> {
        if self.report.written == 0 {
            let reason = "no line of the book leads to a position outside it";
            return Err(BookError::nothing(self.file.target(), reason));
        }
        self.file.commit()?;
        Ok(self.report)
    }
}
