//! Books with a value for every legal move, with the values of best play.
//!
//! As [`mod@crate::build_tree`], but for books in which every position has all its legal moves: a
//! position that lacks one is taken for unfinished and left out. All others are written, those that
//! no line from the roots reaches as they are, but for expected replies that are known now. A draw by repetition is worth 0. A position in which
//! the side to move can declare or mate at once is worth 31999 to it and is not looked into; one that
//! is mated −32000.
//!
//! Reference: `makebook stera_convert` of YaneuraOu V7.61. Three things depend there on the way by
//! which a position is reached and are left out here: repetitions on cycles (see
//! [`mod@crate::build_tree`]), a draw after move 512, and the correction of mate values by the
//! distance from the root. The expected reply of a move that leaves the book is kept.

use std::path::Path;
use std::sync::Arc;

use shogi_core::movegen::LegalAll;
use shogi_core::{EnteringKingRule, Move16, Position};
use yane_io::Overwrite;

use crate::db::{BadLines, LineEnd};
use crate::graph::rewrite::{Rewrite, WriteTarget, Written, write_book};
use crate::graph::values::{Facts, Judge, MateStep, Rules, Values};
use crate::graph::{
    DbSource, GraphSource, Identity, Index, Layout, LinkReport, NodeId, START_SFENS, SourceRecord,
    View, YbbSource, customary_order, registered_moves,
};
use crate::ybb::Ybb;
use crate::{BookError, BookMove, Format, Job, Result, Unit};

/// Options: how to convert.
#[derive(Clone, Debug)]
pub struct SteraConvertOptions {
    /// Positions from which lines are followed; those that are not in the book do no harm. `None`:
    /// the even game, the handicaps, and all positions one move after.
    pub roots: Option<Vec<Position>>,
    /// Rule by which the side to move wins by declaration.
    pub entering_king: EnteringKingRule,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for positions and moves that are wrong.
    pub bad_lines: BadLines,
}

impl Default for SteraConvertOptions {
    /// All usual starts, the 27-point rule.
    fn default() -> Self {
        Self {
            roots: None,
            entering_king: EnteringKingRule::CsaRule27,
            line_end: LineEnd::default(),
            overwrite: Overwrite::default(),
            bad_lines: BadLines::default(),
        }
    }
}

/// Summary of the conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteraConvertReport {
    /// Report on the book that was read.
    pub links: LinkReport,
    /// Positions left out because a legal move has no value.
    pub incomplete: u64,
    /// Roots that are in the book.
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

/// Reads the book `input` (`.db` or `.ybb`) and writes it with new values to `output` (`.db`).
///
/// # Errors
/// When the input cannot be read, has an illegal move or a bad line, or the output cannot be written.
/// The output is untouched then.
pub fn stera_convert(
    input: &Path,
    output: &Path,
    options: &SteraConvertOptions,
    job: &Job,
) -> Result<SteraConvertReport> {
    let _claim = options.overwrite.claim(output, &[input])?;
    match Format::of_path(input)? {
        Format::Db => convert(&DbSource::new(input)?, output, options, job),
        Format::Ybb => convert(&YbbSource::new(Ybb::open(input)?)?, output, options, job),
        Format::Apery | Format::Sbk => Err(BookError::file(input, "expected a .db or .ybb file")),
    }
}

fn convert<S: GraphSource>(
    source: &S,
    output: &Path,
    options: &SteraConvertOptions,
    job: &Job,
) -> Result<SteraConvertReport> {
    let index = Index::build(job, source, Identity::Position, options.bad_lines)?;
    let index = Arc::new(index);
    let wanted = options.roots.clone().unwrap_or_else(usual_roots);
    let mut roots: Vec<_> = wanted
        .iter()
        .filter_map(|position| index.find(position).map(|id| id.0))
        .collect();
    let judge = Judge::AllMoves(options.entering_king);
    let (mut graph, links) = judge.link(&index, job, source)?;
    let layout = Arc::clone(index.layout());
    drop(index);
    job.progress.stage("solve", None, Unit::Positions);
    graph.unlink_absent();
    roots.retain(|&root| !graph.facts[root as usize].has(Facts::ABSENT));
    let absent = graph.facts.iter().filter(|facts| facts.has(Facts::ABSENT));
    let incomplete = absent.count() as u64 - links.repeated - links.bad_positions;
    let rules = Rules {
        draw: 0,
        mate: MateStep::Keep,
        win_depth: 1,
    };
    let converted = Arc::new(Converted {
        values: Values::new(graph, &roots, &[rules]),
        layout: Arc::clone(&layout),
    });
    job.check()?;
    let target = WriteTarget {
        path: output,
        line_end: options.line_end,
    };
    let Written { positions, moves } = write_book(job, source, &layout, &converted, target)?;
    Ok(SteraConvertReport {
        links,
        incomplete,
        roots: roots.len() as u64,
        reached: converted.values.reached,
        cyclic: converted.values.cyclic,
        repetitions: converted.values.repetitions,
        positions,
        moves,
    })
}

/// The initial positions and all that follow them.
fn usual_roots() -> Vec<Position> {
    let mut roots = Vec::new();
    for start in START_SFENS
        .iter()
        .filter_map(|sfen| Position::from_sfen(sfen).ok())
    {
        for m in start.moves::<LegalAll>() {
            let mut next = start.clone();
            let _ = next.do_move_unchecked(m);
            roots.push(next);
        }
        roots.push(start);
    }
    roots
}

/// A solved book.
struct Converted {
    values: Values,
    layout: Arc<Layout>,
}

impl<S: GraphSource> Rewrite<S> for Converted {
    fn rewrite(
        &self,
        id: NodeId,
        record: &S::Record<'_>,
        source: &S,
        moves: &mut Vec<BookMove>,
    ) -> Result<Option<u32>> {
        if self.values.moves.facts[id.index()].has(Facts::ABSENT) {
            return Ok(None);
        }
        let place = |problem| source.error(record.place(), problem);
        let (position, _) = record.position(View::AsWritten).map_err(place)?;
        let registered = registered_moves(record, self.layout.added(id));
        let visited =
            self.values.distance[id.index()] > 0 && !self.values.moves.range(id.0).is_empty();
        match &self.values.solutions[..] {
            [solution] if visited => {
                self.values
                    .moves(solution, id.0, &position, &registered, moves);
            }
            solutions => {
                for known in &registered {
                    let reply = |solution| self.values.reply(solution, id.0, known.mv);
                    moves.push(BookMove {
                        ponder: solutions.first().and_then(reply).or(known.ponder),
                        ..*known
                    });
                }
                sort_legal(&position, moves);
            }
        }
        Ok(Some(position.ply()))
    }
}

/// Keeps the legal moves, in the customary order.
fn sort_legal(position: &Position, moves: &mut Vec<BookMove>) {
    let place = |known: &BookMove| {
        let text = known.mv.and_then(Move16::decode)?;
        let m = position.move_from_text(text)?;
        Some(customary_order(position, m))
    };
    moves.retain(|known| place(known).is_some());
    moves.sort_by_cached_key(place);
}
