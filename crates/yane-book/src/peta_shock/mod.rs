//! Peta-shock: a book whose values are those of the best play to the ends of the book.
//!
//! The whole book is taken as one graph, in which positions are the same up to a turn of the board by
//! 180 degrees and whatever their ply. A move whose position is in the book (registered or not) has
//! the value that best play gives that position; a registered move that leaves the book keeps its own
//! value. Values and depths are found backwards from the ends:
//!
//! 1. Positions from which every line leaves the book have constant values, found in one depth-first
//!    walk.
//! 2. Positions in check that go on for ever among positions in check (two plies later) are on
//!    *perpetual check loops*. With the positions between them they are the loop positions.
//! 3. All others start as draws without end, loop positions as lost for the side that gives check.
//! 4. Values are propagated in sweeps in the order of the book until nothing changes, loop positions
//!    by walking the loop.
//!
//! Depths: 0 for a move that leaves the book, else one more than that of the reply; 9999 is a line
//! that repeats for ever, 9997 a move that gives perpetual check.
//!
//! Reference: `makebook peta_shock` of YaneuraOu V9.70, whose output this reproduces. Two things are better defined here: the number of
//! plies to an end is not limited by a number of sweeps, and illegal moves of the book are errors.

mod arena;
mod solve;
mod value;

use std::path::Path;
use std::sync::Arc;

use shogi_core::Move16;
use shogi_packed::PackedSfen;
use yane_io::{AtomicFile, Overwrite};

use crate::book_move::push_move;
use crate::db::{BadLines, Comments, HEADER, LineEnd, comments_of_books, push_number};
use crate::graph::{DbSource, GraphSource, Identity, Index, Layout, NumberedChunk, YbbSource};
use crate::ybb::{MoveDepths, Ybb, YbbWriter};
use crate::{BookError, BookMove, Format, Job, Result, Unit};

pub use arena::{Arena, Target};
pub use solve::{KeptMoves, Solved, solve};
pub use value::PetaValue;
use value::{ENDLESS, EVADES, MATE, PERPETUAL};

/// Options: how to make a peta-shock book.
#[derive(Clone, Copy, Debug, Default)]
pub struct PetaShockOptions {
    /// Keep only the best moves of every position.
    pub shrink: bool,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for positions and moves that are wrong.
    pub bad_lines: BadLines,
}

/// Summary of the solved book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PetaShockReport {
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
    /// Positions from which every line leaves the book.
    pub constant: u64,
    /// Positions in check.
    pub in_check: u64,
    /// Positions in check on perpetual check loops.
    pub loops_in_check: u64,
    /// These and the positions between them.
    pub loops: u64,
    /// Moves that lead to positions of the book without being registered.
    pub joined: u64,
    /// Moves and positions left out because they are wrong.
    pub left_out: u64,
    /// Positions whose best move has a depth, which is the length of its line within the book, below
    /// [`USUAL_DEPTH_LIMIT`]: engines do not play them unless that option is set to 0.
    pub below_depth_limit: u64,
    /// Comments left out.
    pub comments_left_out: u64,
}

/// The usual value of the engine option `BookDepthLimit`: moves that were searched less deep are not played.
pub const USUAL_DEPTH_LIMIT: u16 = 16;

/// Returns whether the first of the moves is one that engines do not play at [`USUAL_DEPTH_LIMIT`].
fn is_below_limit(moves: &[(Move16, PetaValue)]) -> bool {
    moves
        .first()
        .is_some_and(|(_, best)| best.depth < USUAL_DEPTH_LIMIT)
}

/// Reads the book `input` and writes its peta-shock book to `output`: both `.db`, or both `.ybb`.
///
/// # Errors
/// When the formats differ, the input cannot be read, has an illegal move or a bad line, or the output
/// cannot be written. The output is untouched then.
pub fn peta_shock(
    input: &Path,
    output: &Path,
    options: PetaShockOptions,
    job: &Job,
) -> Result<PetaShockReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    match (Format::of_path(input)?, Format::of_path(output)?) {
        (Format::Db, Format::Db) => {
            let source = DbSource::new(input)?;
            let (solved, layout, mut report) = solve_book(&source, options, job)?;
            write_db(&source, &layout, solved, output, options, job, &mut report)?;
            Ok(report)
        }
        (Format::Ybb, Format::Ybb) => {
            let source = YbbSource::new(Ybb::open(input)?)?;
            let (solved, layout, mut report) = solve_book(&source, options, job)?;
            write_ybb(&source, &layout, solved, output, options, job, &mut report)?;
            Ok(report)
        }
        _ => {
            let reason =
                "peta_shock makes .db of .db and .ybb of .ybb; convert the book before or after";
            Err(BookError::file(output, reason))
        }
    }
}

/// The solved book, how its entries are numbered, and what is known of it.
fn solve_book<S: GraphSource>(
    source: &S,
    options: PetaShockOptions,
    job: &Job,
) -> Result<(Solved, Arc<Layout>, PetaShockReport)> {
    let index = Index::build(job, source, Identity::UpToFlip, options.bad_lines)?;
    let index = Arc::new(index);
    let (arena, links) = Arena::link(&index, source, job)?;
    let layout = Arc::clone(index.layout());
    drop(index);
    let solved = solve(arena, job)?;
    let mut report = solved.report();
    report.joined = links.joined;
    report.left_out = links.bad_moves + links.bad_positions;
    Ok((solved, layout, report))
}

// Writing a solved book as text or as `.ybb`.

/// Text of a piece.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    positions: u64,
    moves: u64,
    below_depth_limit: u64,
    /// Comments that were there.
    comments: u64,
    read: u64,
}

/// Reads the book once more and writes it with the new moves.
fn write_db(
    source: &DbSource,
    layout: &Arc<Layout>,
    solved: Solved,
    output: &Path,
    options: PetaShockOptions,
    job: &Job,
    report: &mut PetaShockReport,
) -> Result<()> {
    report.comments_left_out = comments_of_books([source.path()])?.len() as u64;
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
        report.below_depth_limit += text.below_depth_limit;
        report.comments_left_out += text.comments;
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
        solved.moves(node, options.into(), &mut moves);
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
        text.below_depth_limit += u64::from(is_below_limit(&moves));
        text.comments += Comments::count_in(&record);
    }
    text
}

/// A position to be written, and whether engines do not play it at the usual limit of depths.
type YbbRow = (PackedSfen, u16, Vec<BookMove>, bool);

/// Reads the book once more and writes it with the new moves.
fn write_ybb(
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
    let work = move |piece: NumberedChunk<'_, YbbSource>| Ok(rows(&piece, &solved, options.into()));
    for rows in layout.read_again(job, source, work)? {
        job.check()?;
        let rows = rows?;
        for (packed, ply, moves, is_below_limit) in &rows {
            writer.push(packed, *ply, moves)?;
            report.below_depth_limit += u64::from(*is_below_limit);
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

fn rows(piece: &NumberedChunk<'_, YbbSource>, solved: &Solved, kept: KeptMoves) -> Vec<YbbRow> {
    let mut rows = Vec::new();
    let mut moves = Vec::new();
    for (node, entry) in piece.records() {
        let Some(entry) = entry.filter(|_| !solved.arena().is_absent(node)) else {
            continue;
        };
        solved.moves(node, kept, &mut moves);
        let is_below_limit = is_below_limit(&moves);
        let moves = moves.iter().map(|(mv, outcome)| BookMove {
            eval: outcome.value.into(),
            depth: outcome.depth.into(),
            ..BookMove::new(Some(*mv))
        });
        rows.push((entry.packed, entry.ply, moves.collect(), is_below_limit));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_moves() {
        let outcome = |value, depth| PetaValue { value, depth };
        let falling = [
            outcome(10, 1),
            outcome(10, 5),
            outcome(10, ENDLESS),
            outcome(10, PERPETUAL),
            outcome(0, 0),
            outcome(-10, ENDLESS),
            outcome(-10, 5),
            outcome(-10, 1),
            outcome(-10, PERPETUAL),
            PetaValue::WORST,
        ];
        for (place, better) in falling.iter().enumerate() {
            assert!(!better.is_better_than(*better));
            for worse in &falling[place + 1..] {
                assert!(better.is_better_than(*worse), "{better:?} {worse:?}");
                assert!(!worse.is_better_than(*better));
                assert_eq!(worse.or_better(*better), *better);
            }
        }
    }

    #[test]
    fn depths_grow_to_the_end_of_time() {
        assert_eq!(
            PetaValue::leaf(7).for_parent(),
            PetaValue {
                value: -7,
                depth: 1
            }
        );
        let perpetual = PetaValue {
            value: 3,
            depth: PERPETUAL,
        };
        assert_eq!(perpetual.for_parent().depth, EVADES);
        assert_eq!(PetaValue::WORST.for_parent().depth, ENDLESS);
    }
}
