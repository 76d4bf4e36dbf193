//! Writing the book in binary: the positions as they stood, with their new moves and depths.

use std::path::Path;
use std::sync::Arc;

use shogi_core::PackedSfen;

use super::{PetaShockOptions, PetaShockReport, Solved};
use crate::graph::{Layout, Piece, Source, YbbSource};
use crate::ybb::{MoveDepths, YbbWriter};
use crate::{BookError, BookMove, Job, Result, Unit};

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
    let work = move |piece: Piece<'_, YbbSource>| Ok(rows(&piece, &solved, options.shrink));
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

fn rows(piece: &Piece<'_, YbbSource>, solved: &Solved, shrink: bool) -> Vec<Row> {
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
