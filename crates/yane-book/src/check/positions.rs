//! Positions with their moves, of text and binary books; and positions that are there more than once: the same, at another ply,
//! or flipped.
//!
//! Every position is a small record under the 128-bit key of its black-to-move form; sorted by key
//! (outside of memory), those that belong together are neighbours.

use std::ops::Range;

use shogi_core::{Color, Position};
use yane_io::Chunk;
use yane_io::external::{RunBuilder, Sorter};

use super::{FindingKind, PieceFindings};
use crate::book_move::push_move;
use crate::db::{HEADER, Lines, MoveLine, Record, Records};
use crate::records::legal_move;
use crate::ybb::{Ybb, YbbEntry};
use crate::{BookError, BookMove, Job, Result, Unit, lacks_values};

/// Bytes of move lines of a position that `ShogiHome` reads when it searches on the disk.
const MOST_MOVES: usize = 8 << 10;
/// Bytes of an SFEN line that it reads.
const MOST_SFEN: usize = 1 << 10;

/// Checks a piece.
pub(super) fn check_text(chunk: &Chunk, findings: &mut PieceFindings) {
    let mut records = Records::new(&chunk.bytes, chunk.offset).peekable();
    if chunk.offset == 0 {
        let begin = records
            .peek()
            .map_or(chunk.bytes.len(), |record| record.offset as usize);
        check_start(&chunk.bytes[..begin], findings);
    }
    let mut lines = Vec::new();
    for record in records {
        check_record(&record, &mut lines, findings);
    }
}

/// Checks the text before the first position.
fn check_start(text: &[u8], findings: &mut PieceFindings) {
    let text_without_mark = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let first = text_without_mark
        .split(|byte| matches!(byte, b'\r' | b'\n'))
        .next()
        .unwrap_or_default();
    if first != HEADER.as_bytes() {
        let text = format!("expected {HEADER} as the first line");
        findings.add(FindingKind::Header, 0, text);
    }
    for (offset, line) in Lines::new(text, 0) {
        let found = String::from_utf8_lossy(line).into_owned();
        let text = format!("expected a line that begins with sfen, found {found:?}");
        findings.add(FindingKind::Format, offset, text);
    }
}

fn check_record(record: &Record<'_>, lines: &mut Vec<(u64, BookMove)>, out: &mut PieceFindings) {
    out.positions += 1;
    out.follow(record.sfen, record.offset);
    if record.sfen.len() + "sfen ".len() > MOST_SFEN {
        out.add(
            FindingKind::TooLong,
            record.offset,
            "SFEN line of more than 1 KiB",
        );
    }
    if record.body.len() > MOST_MOVES {
        let text = format!("{} bytes of moves, more than 8 KiB", record.body.len());
        out.add(FindingKind::TooLong, record.offset, text);
    }
    lines.clear();
    for (offset, line) in record.lines() {
        match MoveLine::parse(line) {
            Ok(parsed) => {
                check_spelling(offset, line, out);
                lines.push((offset, parsed.book_move));
            }
            Err(problem) => out.add(FindingKind::Format, offset, problem.to_string()),
        }
    }
    count(lines, out);
    if lines.is_empty() {
        out.add(FindingKind::Empty, record.offset, "position without moves");
    }
    let position = match record.position() {
        Ok(position) => position,
        Err(error) => {
            out.add(FindingKind::Position, record.offset, error.to_string());
            return;
        }
    };
    let sfen = position.to_sfen();
    if sfen.as_bytes() != record.sfen {
        out.add(
            FindingKind::Spelling,
            record.offset,
            format!("expected {sfen}"),
        );
    }
    check_position(&position, record.offset, out);
    check_moves(&position, lines, out);
    note(&position, record.offset, &mut out.identities);
}

/// Counts the moves of a position.
fn count(lines: &[(u64, BookMove)], out: &mut PieceFindings) {
    out.moves += lines.len() as u64;
    let moves = lines.iter().map(|&(_, known)| known);
    out.without_value += u64::from(lacks_values(moves));
}

/// Checks whether programs that split lines at single blanks and take a lone word for a comment read it.
fn check_spelling(offset: u64, line: &[u8], out: &mut PieceFindings) {
    let odd = line.contains(&b'\t') || line.windows(2).any(|pair| pair == b"  ");
    if odd || !line.contains(&b' ') {
        let text = "expected move, reply, value, depth and count with single blanks";
        out.add(FindingKind::Spelling, offset, text);
    }
}

/// Checks the positions with these numbers.
pub(super) fn check_binary(book: &Ybb, range: Range<u64>, findings: &mut PieceFindings) {
    let mut lines = Vec::new();
    for at in range {
        match book.get(at) {
            Ok(Some(entry)) => check_entry(&entry, &mut lines, findings),
            Ok(None) => {}
            Err(BookError::Files(yane_io::Error::Byte { offset, reason, .. })) => {
                findings.positions += 1;
                findings.add(FindingKind::Format, offset, reason);
            }
            Err(other) => findings.add(FindingKind::Format, 0, other.to_string()),
        }
    }
}

fn check_entry(entry: &YbbEntry<'_>, lines: &mut Vec<(u64, BookMove)>, out: &mut PieceFindings) {
    out.positions += 1;
    out.follow(&entry.packed.0, entry.offset());
    lines.clear();
    let numbered = entry.moves().enumerate();
    lines.extend(numbered.map(|(place, known)| (entry.move_offset(place), known)));
    count(lines, out);
    if lines.is_empty() {
        out.add(FindingKind::Empty, entry.offset(), "position without moves");
    }
    match entry.position() {
        Ok(position) => {
            check_moves(&position, lines, out);
            note(&position, entry.offset(), &mut out.identities);
        }
        Err(error) => out.add(FindingKind::Position, entry.offset(), error.to_string()),
    }
}

/// Checks a position that could be read, which begins at byte `offset`.
pub(super) fn check_position(position: &Position, offset: u64, findings: &mut PieceFindings) {
    for side in [Color::Black, Color::White] {
        if position.king(side).is_none() {
            let text = match side {
                Color::Black => "black has no king",
                Color::White => "white has no king",
            };
            findings.add(FindingKind::Position, offset, text);
        }
    }
}

/// Checks the moves of a position, each with its byte in the file.
pub(super) fn check_moves(
    position: &Position,
    moves: &[(u64, BookMove)],
    findings: &mut PieceFindings,
) {
    for (place, (offset, known)) in moves.iter().enumerate() {
        if moves[..place]
            .iter()
            .any(|(_, earlier)| earlier.mv == known.mv)
        {
            findings.add(FindingKind::RepeatedMove, *offset, spell(known.mv));
        }
        let Some(mv) = known.mv else {
            continue;
        };
        let Some(legal) = legal_move(position, mv) else {
            findings.add(FindingKind::Move, *offset, spell(known.mv));
            continue;
        };
        if let Some(reply) = known.ponder {
            let mut child = position.clone();
            let _ = child.do_move_unchecked(legal);
            if legal_move(&child, reply).is_none() {
                findings.add(FindingKind::Reply, *offset, spell(known.ponder));
            }
        }
    }
}

fn spell(mv: Option<shogi_core::Move16>) -> String {
    let mut text = Vec::new();
    push_move(&mut text, mv);
    String::from_utf8_lossy(&text).into_owned()
}

// Positions that are there more than once: the same, at another ply, or flipped.

/// The first occurrence of a position with a key.
#[derive(Clone, Copy)]
struct Appearance {
    side: u8,
    ply: u32,
    offset: u64,
}

impl Appearance {
    fn to_bytes(self) -> [u8; 13] {
        let mut bytes = [self.side; 13];
        bytes[1..5].copy_from_slice(&self.ply.to_le_bytes());
        bytes[5..].copy_from_slice(&self.offset.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            side: bytes[0],
            ply: u32::from_le_bytes(std::array::from_fn(|i| bytes[1 + i])),
            offset: u64::from_le_bytes(std::array::from_fn(|i| bytes[5 + i])),
        }
    }
}

/// Notes the position that begins at byte `offset`.
pub(super) fn note(position: &Position, offset: u64, identities: &mut RunBuilder) {
    let key = match position.side_to_move() {
        Color::Black => position.key128(),
        Color::White => position.flip().key128(),
    };
    let identity = Appearance {
        side: position.side_to_move() as u8,
        ply: position.ply(),
        offset,
    };
    identities.push(&key.to_be_bytes(), &identity.to_bytes());
}

/// Finds the repetitions among the positions noted.
pub(super) fn find(noted: Sorter, findings: &mut PieceFindings, job: &Job) -> Result<()> {
    let total = Some(findings.positions);
    job.progress.stage("repetitions", total, Unit::Positions);
    let mut records = noted.finish()?;
    let mut found = PieceFindings::new(findings.limit);
    let mut group: Vec<Appearance> = Vec::new();
    let mut group_key = Vec::new();
    let mut done = 0u64;
    while let Some((_, key, body)) = records.current() {
        if group_key != key {
            report(&group, &mut found);
            group.clear();
            group_key.clear();
            group_key.extend_from_slice(key);
        }
        group.push(Appearance::from_bytes(body));
        records.advance()?;
        done += 1;
        if done.is_multiple_of(1 << 16) {
            job.check()?;
            job.progress.advance(1 << 16);
        }
    }
    report(&group, &mut found);
    findings.append(found);
    Ok(())
}

/// Reports all entries of one position but the first.
fn report(group: &[Appearance], findings: &mut PieceFindings) {
    for (place, identity) in group.iter().enumerate().skip(1) {
        let earlier = &group[..place];
        let same_side = earlier.iter().find(|other| other.side == identity.side);
        let same = earlier
            .iter()
            .find(|other| other.side == identity.side && other.ply == identity.ply);
        let (kind, other, text) = match (same, same_side) {
            (Some(other), _) => (
                FindingKind::Duplicate,
                other,
                "the position is there already",
            ),
            (None, Some(other)) => (
                FindingKind::OtherPly,
                other,
                "the position is there at another ply",
            ),
            (None, None) => (
                FindingKind::Flipped,
                &group[0],
                "the flipped position is there",
            ),
        };
        findings.add_repeat(kind, identity.offset, text, Some(other.offset));
    }
}
