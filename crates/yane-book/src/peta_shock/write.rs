//! Writing the book: the positions as they stood, with their new moves.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::{PetaShockOptions, PetaShockReport, Solved, changed};
use crate::book_move::push_move;
use crate::db::{HEADER, Records, push_number};
use crate::graph::{DbSource, NodeId, Source};
use crate::io::{AtomicFile, Chunk, Ordered};
use crate::{Job, Result, Unit};

/// Text of a piece.
struct Text {
    bytes: Vec<u8>,
    positions: u64,
    moves: u64,
    read: u64,
}

/// Reads the book once more and writes it with the new moves.
pub(super) fn write_db(
    source: &DbSource,
    pieces: Vec<NodeId>,
    solved: Solved,
    output: &Path,
    options: PetaShockOptions,
    job: &Job,
    report: &mut PetaShockReport,
) -> Result<()> {
    let positions = solved.arena().present();
    let mut file = AtomicFile::create(output)?;
    let end = std::str::from_utf8(options.line_end.bytes()).unwrap_or("\n");
    file.put(format!("{HEADER}{end}# NOE:{positions}{end}").as_bytes())?;
    job.progress
        .stage("write", Some(source.size()), Unit::Bytes);
    let mut read = source.open()?;
    let mut pieces = pieces.into_iter();
    let numbered = move || Ok(read()?.map(|chunk| (chunk, pieces.next())));
    let solved = Arc::new(solved);
    let path = source.path().to_owned();
    let work = move |(chunk, first): (Chunk, Option<NodeId>)| {
        let first = first.ok_or_else(|| changed(&path))?;
        Ok(text(&chunk, first, &solved, options))
    };
    for text in Ordered::new(job.threads, numbered, work) {
        job.check()?;
        let text = text?;
        file.put(&text.bytes)?;
        report.positions += text.positions;
        report.moves += text.moves;
        job.progress.advance(text.read);
    }
    if report.positions != positions {
        return Err(changed(source.path()));
    }
    file.flush().map_err(crate::BookError::io(output))?;
    file.commit()
}

fn text(
    chunk: &Chunk,
    first: NodeId,
    solved: &Solved,
    options: PetaShockOptions,
) -> Text {
    let mut text = Text {
        bytes: Vec::with_capacity(chunk.text.len() + chunk.text.len() / 8),
        positions: 0,
        moves: 0,
        read: chunk.text.len() as u64,
    };
    let end = options.line_end.bytes();
    let mut moves = Vec::new();
    let mut id = first;
    for record in Records::new(&chunk.text, chunk.offset) {
        let node = id;
        id = NodeId(id.0 + 1);
        if node.index() >= solved.arena().len() || solved.arena().is_absent(node) {
            continue;
        }
        let out = &mut text.bytes;
        out.extend_from_slice(b"sfen ");
        out.extend_from_slice(record.sfen);
        out.extend_from_slice(end);
        solved.moves(node, options.shrink, &mut moves);
        for (mv, outcome) in &moves {
            push_move(out, Some(*mv));
            out.extend_from_slice(b" none ");
            push_number(out, outcome.value.unsigned_abs().into(), outcome.value < 0);
            out.push(b' ');
            push_number(out, outcome.depth.into(), false);
            out.extend_from_slice(end);
        }
        text.positions += 1;
        text.moves += moves.len() as u64;
    }
    text
}
