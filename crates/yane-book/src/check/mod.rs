//! Whether a book is as it should be: format, legality, order, repetitions, and what other programs
//! ask for beyond the format.
//!
//! Everything wrong is counted; the first of each kind are listed. A move with a depth above 0 whose
//! position is not in the book is usual and not told.

mod binary;
mod kind;
mod moves;
mod repeats;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use yane_io::Pool;
use yane_io::external::{RunBuilder, Sorter};

pub use kind::Kind;

use crate::db::{BadLines, lines_at};
use crate::entries::{BookFile, Piece};
use crate::{Format, Job, Result};

/// What is wrong with a place of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// Where it begins in the file, in bytes.
    pub offset: u64,
    /// Number of the line from 1, in a text book.
    pub line: Option<u64>,
    /// What was found and expected.
    pub text: String,
    /// Where the position is that this one repeats: its line in a text book, its byte in a binary one.
    pub repeats: Option<u64>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The kind of file.
    pub format: Format,
    /// Positions read.
    pub positions: u64,
    /// Moves read.
    pub moves: u64,
    /// How often each kind was found.
    pub counts: BTreeMap<Kind, u64>,
    /// The first findings of each kind, in the order of the file.
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// Whether nothing was found.
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
    let work = move |piece: &Piece<'_>| {
        let mut findings = PieceFindings::new(listed);
        match piece {
            Piece::Text(chunk) => text::check(chunk, &mut findings),
            Piece::Binary(book, range) => binary::check(book, range.clone(), &mut findings),
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
        all.add(Kind::Encoding, 0, text);
    }
    if all.positions == 0 {
        all.add(Kind::Empty, 0, "no position in the book");
    }
    repeats::find(sorter, &mut all, job)?;
    let (format, findings) = match book.binary() {
        None => (Format::Db, with_lines(path, all.listed)?),
        Some(_) => (Format::Ybb, all.listed),
    };
    Ok(CheckReport {
        format,
        positions: all.positions,
        moves: all.moves,
        counts: all.counts,
        findings,
    })
}

/// What was found in a piece, and what is needed to go on.
#[derive(Default)]
struct PieceFindings {
    limit: usize,
    positions: u64,
    moves: u64,
    counts: BTreeMap<Kind, u64>,
    listed: Vec<Finding>,
    /// What the order goes by of the first and the last position, and where the first is.
    ends: Option<(Vec<u8>, u64, Vec<u8>)>,
    identities: RunBuilder,
}

impl PieceFindings {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    fn add(&mut self, kind: Kind, offset: u64, text: impl Into<String>) {
        self.add_repeat(kind, offset, text, None);
    }

    fn add_repeat(
        &mut self,
        kind: Kind,
        offset: u64,
        text: impl Into<String>,
        repeats: Option<u64>,
    ) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= self.limit as u64 {
            self.listed.push(Finding {
                kind,
                offset,
                line: None,
                text: text.into(),
                repeats,
            });
        }
    }

    /// Looks whether the next position is in order.
    fn follow(&mut self, key: &[u8], offset: u64) {
        match &mut self.ends {
            None => self.ends = Some((key.to_vec(), offset, key.to_vec())),
            Some((_, _, last)) => {
                let falls = key < last.as_slice();
                last.clear();
                last.extend_from_slice(key);
                if falls {
                    self.add(Kind::Order, offset, "smaller than the position before it");
                }
            }
        }
    }

    /// Adds what was found in the next piece.
    fn append(&mut self, next: Self) {
        self.positions += next.positions;
        self.moves += next.moves;
        if let Some((first, offset, last)) = next.ends {
            self.follow(&first, offset);
            if let Some(ends) = &mut self.ends {
                ends.2 = last;
            }
        }
        let listed_before = |kind| self.counts.get(&kind).map_or(0, |&count| count as usize);
        let mut places: BTreeMap<Kind, usize> = BTreeMap::new();
        for finding in next.listed {
            let place = places
                .entry(finding.kind)
                .or_insert_with(|| listed_before(finding.kind));
            if *place < self.limit {
                self.listed.push(finding);
            }
            *place += 1;
        }
        for (kind, count) in next.counts {
            *self.counts.entry(kind).or_default() += count;
        }
    }
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
