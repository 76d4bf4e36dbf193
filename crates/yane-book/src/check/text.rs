//! A piece of a text book.

use yane_io::Chunk;

use super::{Kind, PieceFindings, moves, repeats};
use crate::BookMove;
use crate::db::{HEADER, Lines, MoveLine, Record, Records};

/// Bytes of move lines of a position that `ShogiHome` reads when it searches on the disk.
const MOST_MOVES: usize = 8 << 10;
/// Bytes of an SFEN line that it reads.
const MOST_SFEN: usize = 1 << 10;

/// Checks a piece.
pub(super) fn check(chunk: &Chunk, findings: &mut PieceFindings) {
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

/// What stands before the first position.
fn check_start(text: &[u8], findings: &mut PieceFindings) {
    let text_without_mark = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let first = text_without_mark
        .split(|byte| matches!(byte, b'\r' | b'\n'))
        .next()
        .unwrap_or_default();
    if first != HEADER.as_bytes() {
        let text = format!("expected {HEADER} as the first line");
        findings.add(Kind::Header, 0, text);
    }
    for (offset, line) in Lines::new(text, 0) {
        let found = String::from_utf8_lossy(line).into_owned();
        let text = format!("expected a line that begins with sfen, found {found:?}");
        findings.add(Kind::Format, offset, text);
    }
}

fn check_record(record: &Record<'_>, lines: &mut Vec<(u64, BookMove)>, out: &mut PieceFindings) {
    out.positions += 1;
    out.follow(record.sfen, record.offset);
    if record.sfen.len() + "sfen ".len() > MOST_SFEN {
        out.add(Kind::TooLong, record.offset, "SFEN line of more than 1 KiB");
    }
    if record.body.len() > MOST_MOVES {
        let text = format!("{} bytes of moves, more than 8 KiB", record.body.len());
        out.add(Kind::TooLong, record.offset, text);
    }
    lines.clear();
    for (offset, line) in record.lines() {
        match MoveLine::parse(line) {
            Ok(parsed) => {
                check_spelling(offset, line, out);
                lines.push((offset, parsed.book_move));
            }
            Err(fault) => out.add(Kind::Format, offset, fault.to_string()),
        }
    }
    out.moves += lines.len() as u64;
    if lines.is_empty() {
        out.add(Kind::Empty, record.offset, "position without moves");
    }
    let position = match record.position() {
        Ok(position) => position,
        Err(error) => {
            out.add(Kind::Position, record.offset, error.to_string());
            return;
        }
    };
    let sfen = position.to_sfen();
    if sfen.as_bytes() != record.sfen {
        out.add(Kind::Spelling, record.offset, format!("expected {sfen}"));
    }
    moves::check_position(&position, record.offset, out);
    moves::check_moves(&position, lines, out);
    repeats::note(&position, record.offset, &mut out.identities);
}

/// Whether programs that split lines at single blanks and take a lone word for a comment read it.
fn check_spelling(offset: u64, line: &[u8], out: &mut PieceFindings) {
    let odd = line.contains(&b'\t') || line.windows(2).any(|pair| pair == b"  ");
    if odd || !line.contains(&b' ') {
        let text = "expected move, reply, value, depth and count with single blanks";
        out.add(Kind::Spelling, offset, text);
    }
}
