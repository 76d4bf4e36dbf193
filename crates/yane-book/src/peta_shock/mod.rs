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
mod sweep;
mod value;
mod write;

use std::path::Path;
use std::sync::Arc;

use yane_io::Overwrite;

pub use arena::{Arena, Target};
pub use solve::{Solved, solve};
pub use value::PetaValue;

use crate::db::BadLines;
use crate::db::LineEnd;
use crate::graph::{DbSource, GraphSource, Identity, Index, Layout, YbbSource};
use crate::ybb::Ybb;
use crate::{BookError, Format, Job, Result};

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

/// Summary of what was made.
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
    options.overwrite.check(output, &[input])?;
    match (Format::of_path(input)?, Format::of_path(output)?) {
        (Format::Db, Format::Db) => {
            let source = DbSource::new(input)?;
            let (solved, layout, mut report) = solve_book(&source, options, job)?;
            write::write_db(&source, &layout, solved, output, options, job, &mut report)?;
            Ok(report)
        }
        (Format::Ybb, Format::Ybb) => {
            let source = YbbSource::new(Ybb::open(input)?)?;
            let (solved, layout, mut report) = solve_book(&source, options, job)?;
            write::write_ybb(&source, &layout, solved, output, options, job, &mut report)?;
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
