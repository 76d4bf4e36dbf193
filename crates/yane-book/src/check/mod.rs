//! Check of a book: format, legality, order, repetitions, and the demands of other programs beyond
//! the format.
//!
//! All problems are counted; the first of each kind are listed. A move with a depth above 0 whose
//! position is not in the book is usual and not reported.

mod finding;
mod place;
mod positions;

use std::collections::BTreeMap;
use std::path::Path;

use yane_io::Pool;
use yane_io::external::Sorter;

use crate::db::{BadLines, lines_at};
use crate::entries::{BookChunk, BookFile};
use crate::{Format, Job, Result};
use finding::PieceFindings;
pub use finding::{Finding, FindingKind, UnknownFindingKind};
pub use place::{FindingPlace, places};

/// Summary of the problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The kind of file.
    pub format: Format,
    /// Positions read.
    pub positions: u64,
    /// Moves read.
    pub moves: u64,
    /// Positions whose moves have no value ([`crate::lacks_values`]). They are no finding: books made from records are
    /// like that.
    pub without_value: u64,
    /// Number of times each kind was found.
    pub counts: BTreeMap<FindingKind, u64>,
    /// The first findings of each kind, in the order of the file.
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// Returns whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Checks the `.db` or `.ybb` book at `path`. At most `listed` findings of each kind are listed.
///
/// # Errors
/// When the file cannot be read at all, or is a `.ybb` book with a broken header.
pub fn check(path: &Path, listed: usize, job: &Job) -> Result<CheckReport> {
    let book = BookFile::open(path, BadLines::Skip)?;
    let mut sorter = Sorter::new(job, job.temp_for(path));
    let mut all = PieceFindings::new(listed);
    let work = move |piece: &BookChunk<'_>| {
        let mut findings = PieceFindings::new(listed);
        match piece {
            BookChunk::Text(chunk) => positions::check_text(chunk, &mut findings),
            BookChunk::Binary(book, range) => {
                positions::check_binary(book, range.clone(), &mut findings);
            }
        }
        let run = std::mem::take(&mut findings.identities).into_run();
        Ok((findings, run))
    };
    book.pieces("check", job, work, |(findings, run)| {
        all.append(findings);
        // A pool of its own: a buffer that went to the disk is not kept.
        Ok(sorter.add_run(run, &Pool::default())?)
    })?;
    if let Some(encoding) = book.encoding().filter(|encoding| encoding.is_utf16()) {
        let text = format!("{}: other programs read UTF-8 only", encoding.name());
        all.add(FindingKind::Encoding, 0, text);
    }
    if all.positions == 0 {
        all.add(FindingKind::Empty, 0, "no position in the book");
    }
    positions::find(sorter, &mut all, job)?;
    let (format, findings) = match book.binary() {
        None => (Format::Db, with_lines(path, all.listed)?),
        Some(_) => (Format::Ybb, all.listed),
    };
    Ok(CheckReport {
        format,
        positions: all.positions,
        moves: all.moves,
        without_value: all.without_value,
        counts: all.counts,
        findings,
    })
}

/// The findings in the order of the file, with the numbers of their lines.
fn with_lines(path: &Path, mut findings: Vec<Finding>) -> Result<Vec<Finding>> {
    findings.sort_by_key(|finding| (finding.offset, finding.kind));
    let mut offsets: Vec<u64> = findings.iter().map(|finding| finding.offset).collect();
    offsets.extend(findings.iter().filter_map(|finding| finding.repeats));
    offsets.sort_unstable();
    offsets.dedup();
    let lines = lines_at(path, &offsets)?;
    let line = |offset: u64| offsets.binary_search(&offset).ok().map(|at| lines[at]);
    for finding in &mut findings {
        finding.line = line(finding.offset);
        finding.repeats = finding.repeats.and_then(line);
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in FindingKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!(
            "nothing"
                .parse::<FindingKind>()
                .unwrap_err()
                .to_string()
                .contains("too-long")
        );
    }
}
