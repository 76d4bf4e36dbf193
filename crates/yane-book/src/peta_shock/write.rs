//! Writing the book: the positions as they stood, with their new moves.

use std::path::Path;
use std::sync::Arc;

use yane_io::AtomicFile;

use super::{PetaShockOptions, PetaShockReport, Solved};
use crate::book_move::push_move;
use crate::db::{HEADER, push_number};
use crate::graph::{DbSource, Layout, Piece, Source};
use crate::{BookError, Job, Result, Unit};

/// Text of a piece.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    positions: u64,
    moves: u64,
    read: u64,
}

/// Reads the book once more and writes it with the new moves.
pub(super) fn write_db(
    source: &DbSource,
    layout: &Arc<Layout>,
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
    let work = move |piece: Piece<'_, DbSource>| Ok(text(&piece, &solved, options));
    for text in layout.read_again(job, source, work)? {
        job.check()?;
        let text = text?;
        file.put(&text.bytes)?;
        report.positions += text.positions;
        report.moves += text.moves;
        job.progress.advance(text.read);
    }
    if report.positions == 0 {
        let reason = format!("no position is in {}", source.path().display());
        return Err(BookError::nothing(output, reason));
    }
    Ok(file.commit()?)
}

fn text(piece: &Piece<'_, DbSource>, solved: &Solved, options: PetaShockOptions) -> Text {
    let mut text = Text {
        read: piece.size(),
        ..Text::default()
    };
    text.bytes.reserve(text.read as usize);
    let end = options.line_end.bytes();
    let mut moves = Vec::new();
    for (node, record) in piece.records() {
        let Some(record) = record.filter(|_| !solved.arena().is_absent(node)) else {
            continue;
        };
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
