//! The positions that findings are about, for those who want to look at them.

use std::path::Path;

use memchr::memmem;
use shogi_core::Move16;
use yane_io::Map;

use super::finding::{Finding, FindingKind};
use crate::db::{MoveLine, Records, canonical_sfen};
use crate::ybb::{Ybb, YbbEntry};
use crate::{Format, Result};

/// What a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingPlace {
    /// The SFEN of the position, with its ply; `None` if it is about the book, or about text that is no position.
    pub sfen: Option<String>,
    /// The move, if it is about one that can be read.
    pub mv: Option<Move16>,
}

/// The positions and moves of findings of a check of the `.db` or `.ybb` book at `path`, in their order.
///
/// # Errors
/// When the book cannot be read any more.
pub fn places(path: &Path, findings: &[Finding]) -> Result<Vec<FindingPlace>> {
    match Format::of_path(path) {
        Ok(Format::Ybb) => in_binary(path, findings),
        _ => in_text(path, findings),
    }
}

fn in_text(path: &Path, findings: &[Finding]) -> Result<Vec<FindingPlace>> {
    let map = Map::open(path)?;
    map.want_random_access();
    let places = findings.iter().map(|finding| text_place(&map, finding));
    Ok(places.collect())
}

fn text_place(text: &[u8], finding: &Finding) -> FindingPlace {
    let mut place = FindingPlace::default();
    let at = usize::try_from(finding.offset).unwrap_or(usize::MAX);
    // Offsets of text in UTF-16 are others.
    if at >= text.len() || matches!(finding.kind, FindingKind::Header | FindingKind::Encoding) {
        return place;
    }
    let begins_line = |&start: &usize| start == 0 || matches!(text[start - 1], b'\n' | b'\r');
    let before = &text[..text.len().min(at + SFEN.len())];
    let start = memmem::rfind_iter(before, SFEN).find(begins_line);
    let record = start.and_then(|start| Records::new(&text[start..], start as u64).next());
    let Some(record) = record else {
        return place;
    };
    let mut buffer = Vec::new();
    if let Ok(line) = canonical_sfen(record.sfen, &mut buffer) {
        place.sfen = Some(format!(
            "{} {}",
            String::from_utf8_lossy(line.position),
            line.ply
        ));
    }
    let mut lines = record.lines();
    let line = lines.find(|(offset, _)| *offset == finding.offset);
    let parsed = line.and_then(|(_, line)| MoveLine::parse(line).ok());
    place.mv = parsed.and_then(|line| line.book_move.mv);
    place
}

const SFEN: &[u8] = b"sfen ";

fn in_binary(path: &Path, findings: &[Finding]) -> Result<Vec<FindingPlace>> {
    let book = Ybb::open(path)?;
    let mut places = vec![FindingPlace::default(); findings.len()];
    // Places in the moves area belong to whichever record names them.
    let mut rest: Vec<(u64, usize)> = Vec::new();
    for (number, finding) in findings.iter().enumerate() {
        match book.index_at(finding.offset) {
            Some(index) => {
                if let Ok(Some(entry)) = book.get(index) {
                    places[number].sfen = sfen(&entry);
                }
            }
            None => rest.push((finding.offset, number)),
        }
    }
    rest.sort_unstable();
    if rest.is_empty() {
        return Ok(places);
    }
    for entry in book.entries().flatten() {
        let moves: Vec<_> = entry.moves().collect();
        let range = entry.move_offset(0)..entry.move_offset(moves.len());
        let first = rest.partition_point(|place| place.0 < range.start);
        for &(offset, number) in rest[first..].iter().take_while(|place| place.0 < range.end) {
            let which = (0..moves.len()).find(|&at| entry.move_offset(at) == offset);
            places[number] = FindingPlace {
                sfen: sfen(&entry),
                mv: which.and_then(|at| moves[at].mv),
            };
        }
    }
    Ok(places)
}

fn sfen(entry: &YbbEntry<'_>) -> Option<String> {
    entry.position().ok().map(|position| position.to_sfen())
}
