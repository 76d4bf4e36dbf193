//! A book whose values are carried from the ends of the lines to the starts of the games.
//!
//! From the initial positions of the even game and the handicaps ([`START_SFENS`]) every line of the
//! book is followed, over all legal moves, registered or not. A move that leaves the book keeps its
//! value, with depth 0; a move that leads to a position of the book gets the value of the best play
//! there and the expected reply, with the depth of that plus one. A draw by repetition is worth
//! [`BuildTreeOptions::black_contempt`] less than nothing for black in black's moves, and likewise for
//! white: the book is made twice, and the first gives black's moves, the second white's. Positions that
//! are not reached are not written.
//!
//! A move that mates is worth 31999, one that lets the opponent win by declaration −31999. A position
//! of the book in which nothing legal is known has no value, as if it were not in the book.
//!
//! # Repetition
//!
//! The value of a position is the same however it was reached; see [`crate::graph`] and the record
//! of this decision, `docs/decisions/0010-repetition-in-book-trees.md`. In short: a move that must
//! repeat a position is a draw, or lost for the side that has given perpetual check (31754); on other
//! cycles players may go on as long as they like, and going on for ever is a draw.
//!
//! Reference: `makebook build_tree` of YaneuraOu V7.61, with which this agrees on books without
//! cycles. That program's values near cycles depend on the order in which it visits positions.

use std::path::Path;
use std::sync::Arc;

use shogi_core::{Color, EnteringKingRule, Position};
use yane_io::Overwrite;

use crate::db::BadLines;
use crate::db::LineEnd;
use crate::graph::rewrite::{Rewrite, WriteTarget, Written, write_book};
use crate::graph::values::{Judge, MateStep, Rules, Values};
use crate::graph::{
    DbSource, GraphSource, Identity, Index, Layout, LinkReport, NodeId, START_SFENS, SourceRecord,
    View, YbbSource, registered_moves,
};
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Format, Job, Result, Unit};

/// Options: how to build a tree.
#[derive(Clone, Copy, Debug)]
pub struct BuildTreeOptions {
    /// Contempt for draws of black, in the unit of the book's values; from −30000 to 30000, other
    /// values are clamped.
    pub black_contempt: i32,
    /// The same for white.
    pub white_contempt: i32,
    /// Policy: identity of positions with different plies.
    pub ply: PlyMatters,
    /// Rule by which the side to move wins by declaration.
    pub entering_king: EnteringKingRule,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for positions and moves that are wrong.
    pub bad_lines: BadLines,
}

/// Policy: identity of positions with different move numbers (the option `IgnoreBookPly`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlyMatters {
    /// Positions are the same whatever their ply; moves of several entries are joined.
    #[default]
    No,
    /// A move leads to a position only if that has the next ply.
    Yes,
}

impl Default for BuildTreeOptions {
    /// Contempt 50 and 150, the 27-point rule, plies ignored.
    fn default() -> Self {
        Self {
            black_contempt: 50,
            white_contempt: 150,
            ply: PlyMatters::No,
            entering_king: EnteringKingRule::CsaRule27,
            line_end: LineEnd::default(),
            overwrite: Overwrite::default(),
            bad_lines: BadLines::default(),
        }
    }
}

/// Summary of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildTreeReport {
    /// Report on the book that was read.
    pub links: LinkReport,
    /// Initial positions that are in the book.
    pub roots: u64,
    /// Positions that can be reached from them.
    pub reached: u64,
    /// Positions that lie on cycles.
    pub cyclic: u64,
    /// Moves that repeat a position in any game.
    pub repetitions: u64,
    /// Positions written.
    pub positions: u64,
    /// Moves written.
    pub moves: u64,
}

/// Largest contempt: a draw must not be worth more than a mate.
const MAX_CONTEMPT: i32 = 30000;

/// Reads the book `input` (`.db` or `.ybb`) and writes its tree to `output` (`.db`).
///
/// # Errors
/// When the input cannot be read, has an illegal move or a bad line, or the output cannot be written.
/// The output is untouched then.
pub fn build_tree(
    input: &Path,
    output: &Path,
    options: BuildTreeOptions,
    job: &Job,
) -> Result<BuildTreeReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    match Format::of_path(input)? {
        Format::Db => build(&DbSource::new(input)?, output, options, job),
        Format::Ybb => build(&YbbSource::new(Ybb::open(input)?)?, output, options, job),
        Format::Apery | Format::Sbk => Err(BookError::file(input, "expected a .db or .ybb file")),
    }
}

fn build<S: GraphSource>(
    source: &S,
    output: &Path,
    options: BuildTreeOptions,
    job: &Job,
) -> Result<BuildTreeReport> {
    let identity = match options.ply {
        PlyMatters::No => Identity::Position,
        PlyMatters::Yes => Identity::PositionAndPly,
    };
    let index = Arc::new(Index::build(job, source, identity, options.bad_lines)?);
    let roots = start_nodes(&index);
    let judge = Judge::SomeMoves(options.entering_king);
    let (graph, links) = judge.link(&index, job, source)?;
    let layout = Arc::clone(index.layout());
    drop(index);
    job.progress.stage("solve", None, Unit::Positions);
    let tree = Arc::new(Tree {
        values: Values::new(graph, &roots, &rules(options)),
        layout: Arc::clone(&layout),
    });
    job.check()?;
    let target = WriteTarget {
        path: output,
        line_end: options.line_end,
    };
    let Written { positions, moves } = write_book(job, source, &layout, &tree, target)?;
    Ok(BuildTreeReport {
        links,
        roots: roots.len() as u64,
        reached: tree.values.reached,
        cyclic: tree.values.cyclic,
        repetitions: tree.values.repetitions,
        positions,
        moves,
    })
}

/// The initial positions that are in the book.
fn start_nodes(index: &Index) -> Vec<u32> {
    let node = |sfen: &&str| {
        let position = Position::from_sfen(sfen).ok()?;
        index.find(&position).map(|id| id.0)
    };
    START_SFENS.iter().filter_map(node).collect()
}

/// The rules of black's book and of white's; one is enough if a draw is worth the same in both.
fn rules(options: BuildTreeOptions) -> Vec<Rules> {
    let contempt = |contempt: i32| contempt.clamp(-MAX_CONTEMPT, MAX_CONTEMPT);
    let draws = [
        -contempt(options.black_contempt),
        contempt(options.white_contempt),
    ];
    let rules = |&draw| Rules {
        draw,
        mate: MateStep::Shorten,
        win_depth: 0,
    };
    let different = if draws[0] == draws[1] { 1 } else { 2 };
    draws[..different].iter().map(rules).collect()
}

/// A solved book.
struct Tree {
    values: Values,
    layout: Arc<Layout>,
}

impl<S: GraphSource> Rewrite<S> for Tree {
    fn rewrite(
        &self,
        id: NodeId,
        record: &S::Record<'_>,
        source: &S,
        moves: &mut Vec<BookMove>,
    ) -> Result<Option<u32>> {
        let ply = self.values.distance[id.index()];
        if ply == 0 || self.values.moves.range(id.0).is_empty() {
            return Ok(None);
        }
        let place = |problem| source.error(record.place(), problem);
        let (position, _) = record.position(View::AsWritten).map_err(place)?;
        let solution = match position.side_to_move() {
            Color::Black => self.values.solutions.first(),
            Color::White => self.values.solutions.last(),
        };
        let registered = registered_moves(record, self.layout.added(id));
        if let Some(solution) = solution {
            self.values
                .moves(solution, id.0, &position, &registered, moves);
        }
        Ok(Some(ply))
    }
}
