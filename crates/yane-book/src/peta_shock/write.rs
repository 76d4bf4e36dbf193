//! Writing a solved book as text or as `.ybb`.

use std::path::Path;
use std::sync::Arc;

use shogi_core::PackedSfen;
use yane_io::AtomicFile;

use super::{PetaShockOptions, PetaShockReport, Solved};
use crate::book_move::push_move;
use crate::db::{HEADER, push_number};
use crate::graph::{DbSource, GraphSource, Layout, NumberedChunk, YbbSource};
use crate::ybb::{MoveDepths, YbbWriter};
use crate::{BookError, BookMove, Job, Result, Unit};

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
    let work = move |piece: NumberedChunk<'_, DbSource>| Ok(text(&piece, &solved, options));
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

fn text(piece: &NumberedChunk<'_, DbSource>, solved: &Solved, options: PetaShockOptions) -> Text {
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

/// A position to be written.
type Row = (PackedSfen, u16, Vec<BookMove>);

/// Reads the book once more and writes it with the new moves.
pub(super) fn write_ybb(
    source: &YbbSource,
    layout: &Arc<Layout>,
    solved: Solved,
    output: &Path,
    options: PetaShockOptions,
    job: &Job,
    report: &mut PetaShockReport,
) -> Result<()> {
    let mut writer = YbbWriter::create(output, job.temp_for(output), MoveDepths::Stored)?;
    job.progress
        .stage("write", Some(source.size()), Unit::Positions);
    let work = move |piece: NumberedChunk<'_, YbbSource>| Ok(rows(&piece, &solved, options.shrink));
    for rows in layout.read_again(job, source, work)? {
        job.check()?;
        let rows = rows?;
        for (packed, ply, moves) in &rows {
            writer.push(packed, *ply, moves)?;
            report.positions += 1;
            report.moves += moves.len() as u64;
        }
        job.progress.advance(rows.len() as u64);
    }
    if report.positions == 0 {
        return Err(BookError::nothing(output, "no position is in the input"));
    }
    writer.commit()
}

fn rows(piece: &NumberedChunk<'_, YbbSource>, solved: &Solved, shrink: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut moves = Vec::new();
    for (node, entry) in piece.records() {
        let Some(entry) = entry.filter(|_| !solved.arena().is_absent(node)) else {
            continue;
        };
        solved.moves(node, shrink, &mut moves);
        let moves = moves.iter().map(|(mv, outcome)| BookMove {
            eval: outcome.value.into(),
            depth: outcome.depth.into(),
            ..BookMove::new(Some(*mv))
        });
        rows.push((entry.packed, entry.ply, moves.collect()));
    }
    rows
}
