//! The walk through the book.

use othello_core::{Board, Move, Symmetry};
use yane_io::{Error, Job, Unit};

use super::judge::{self, Mismatch, Moves, judge};
use super::{Line, Options, Summary};
use crate::Edge;
use crate::edax::RecordRef;
use crate::store::{Found, Index, Slot};

/// The order in which the classic programs try symmetries: turns, then mirrors. The first that gives the stored board
/// counts, which matters for boards that are images of themselves.
const ORDER: [Symmetry; 8] = [
    Symmetry::ALL[0],
    Symmetry::ALL[6],
    Symmetry::ALL[3],
    Symmetry::ALL[5],
    Symmetry::ALL[2],
    Symmetry::ALL[1],
    Symmetry::ALL[4],
    Symmetry::ALL[7],
];

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// The book lacks the position from which the search begins.
    #[error("the book does not have the position to begin with (player {:016x}, opponent {:016x})", .0.mover(), .0.opponent())]
    NoStart(Board),
    /// Files, and interruption.
    #[error(transparent)]
    Files(#[from] Error),
}

/// Looks for mismatches, and gives every line to `each`, in order.
///
/// The index keeps which moves were taken: a second search needs a new one.
///
/// # Errors
///
/// [`MineError::NoStart`], [`Error::Cancelled`], and whatever `each` gives.
pub fn mine(
    index: &mut Index<'_>,
    options: &Options,
    job: &Job,
    each: &mut dyn FnMut(&Line<'_>) -> yane_io::Result<()>,
) -> Result<Summary, MineError> {
    // Books count squares from either corner and say the same; transcripts of the classic programs come from
    // reading them from h8. Turned at the start and at the end, nothing between needs to know.
    let board = Symmetry::ROTATION.board(options.start.board());
    let canonical = board.canonical_by(&ORDER);
    let found = index
        .find(canonical.board)
        .ok_or(MineError::NoStart(canonical.board))?;
    job.progress
        .stage("mining", Some(index.len()), Unit::Positions);
    let mut walk = Walk {
        index,
        options,
        job,
        each,
        stack: Vec::new(),
        transcript: options.prefix.clone(),
        summary: Summary::default(),
        fresh: 0,
        told: 0,
    };
    walk.enter(Frame::new(board, canonical.back(), found, None));
    while walk.step()? {}
    walk.job.progress.advance(walk.fresh - walk.told);
    let mut summary = walk.summary;
    summary.isolated = walk.index.len() - walk.fresh;
    Ok(summary)
}

/// A position on the way from the start to where the walk is.
struct Frame<'a> {
    /// As it is in the game.
    board: Board,
    /// What leads from the stored board to that.
    back: Symmetry,
    slot: Slot,
    record: RecordRef<'a>,
    /// Bytes of the transcript that its move takes.
    text: usize,
}

impl<'a> Frame<'a> {
    fn new(board: Board, back: Symmetry, found: Found<'a>, mv: Option<Move>) -> Self {
        let text = match mv {
            Some(Move::Place(_)) => 2,
            Some(Move::Pass) | None => 0,
        };
        Self {
            board,
            back,
            slot: found.slot,
            record: found.record,
            text,
        }
    }
}

struct Walk<'w, 'a> {
    index: &'w mut Index<'a>,
    options: &'w Options,
    job: &'w Job,
    each: &'w mut dyn FnMut(&Line<'_>) -> yane_io::Result<()>,
    /// From the start to where the walk is. Discs become more with every move and a pass follows no pass, so it is
    /// at most 121 deep.
    stack: Vec<Frame<'a>>,
    transcript: String,
    summary: Summary,
    /// Positions that were entered for the first time, and those that were told as progress.
    fresh: u64,
    told: u64,
}

impl<'a> Walk<'_, 'a> {
    /// Makes a position the one whose moves are taken.
    fn enter(&mut self, frame: Frame<'a>) {
        self.summary.entered += 1;
        // Without moves nothing tells whether it was entered before; it counts as taken then.
        if self.index.taken(frame.slot) == 0 {
            self.fresh += 1;
            if next(&frame.record, 0).is_none() {
                self.index.take(frame.slot);
            }
        }
        self.stack.push(frame);
    }

    /// Takes the next move, or goes back where none is left. `false` at the end.
    fn step(&mut self) -> Result<bool, MineError> {
        let Some(top) = self.stack.last() else {
            return Ok(false);
        };
        let deep = self.stack.len() as u32 - 1;
        let edge = match self.options.max_ply {
            Some(max) if deep >= max => None,
            _ => next(&top.record, self.index.taken(top.slot)),
        };
        let Some(edge) = edge else {
            let left = self.transcript.len() - top.text;
            self.transcript.truncate(left);
            self.stack.pop();
            return Ok(true);
        };
        self.index.take(top.slot);
        self.follow(edge)?;
        if self.fresh - self.told >= 1 << 16 {
            self.job.progress.advance(self.fresh - self.told);
            self.told = self.fresh;
            self.job.check()?;
        }
        Ok(!self.summary.cut_short)
    }

    /// Follows a move of the position on top.
    fn follow(&mut self, edge: Edge) -> Result<(), MineError> {
        let Some(top) = self.stack.last() else {
            return Ok(());
        };
        let mv = edge.mv().map(|mv| top.back.turn(mv));
        let Some((mv, board)) = mv.and_then(|mv| Some((mv, top.board.after(mv)?))) else {
            self.summary.illegal += 1;
            return Ok(());
        };
        let canonical = board.canonical_by(&ORDER);
        let Some(found) = self.index.find(canonical.board) else {
            let is_leaf = self.index.taken(top.slot) > top.record.link_count();
            self.summary.missing += u64::from(!is_leaf);
            return Ok(());
        };
        push(&mut self.transcript, mv);
        let frame = Frame::new(board, canonical.back(), found, Some(mv));
        self.summary.judged += 1;
        if let Some(mismatch) = judge(self.options.mode, edge, &found.record)
            && mismatch.size() >= self.options.min_difference
        {
            self.report(&mismatch, &frame)?;
        }
        self.enter(frame);
        Ok(())
    }

    /// Gives out the lines of a mismatch.
    fn report(&mut self, mismatch: &Mismatch, frame: &Frame<'_>) -> yane_io::Result<()> {
        // The position that was judged is not on the stack yet.
        let ply = self.stack.len() as u32;
        self.summary.mismatch(ply, mismatch.size());
        match mismatch.moves {
            Moves::None => Ok(()),
            Moves::Best(edge) => self.line(mismatch, frame, edge, ply),
            Moves::AboveExpected => {
                let record = frame.record;
                let edges = record.links().chain(judge::leaf(&record));
                for edge in edges.filter(|edge| i32::from(edge.score) > mismatch.expected) {
                    self.line(mismatch, frame, edge, ply)?;
                }
                Ok(())
            }
        }
    }

    fn line(
        &mut self,
        mismatch: &Mismatch,
        frame: &Frame<'_>,
        edge: Edge,
        ply: u32,
    ) -> yane_io::Result<()> {
        if self.options.limit.is_some_and(|n| self.summary.lines >= n) {
            self.summary.cut_short = true;
            return Ok(());
        }
        let len = self.transcript.len();
        if let Some(mv) = edge.mv() {
            push(&mut self.transcript, frame.back.turn(mv));
        }
        let line = Line {
            transcript: &self.transcript,
            ply,
            expected: mismatch.expected,
            found: mismatch.found,
        };
        let written = (self.each)(&line);
        self.transcript.truncate(len);
        self.summary.lines += 1;
        written
    }
}

/// The move of a record that comes after so many: links, then the leaf if there is one.
#[inline]
fn next(record: &RecordRef<'_>, taken: usize) -> Option<Edge> {
    let edge = record.edge(taken)?;
    (taken < record.link_count() || edge.number != Edge::NONE).then_some(edge)
}

/// Appends a move as the classic programs name it; a pass is not written.
fn push(transcript: &mut String, mv: Move) {
    if let Move::Place(square) = mv {
        let square = square.rotated();
        transcript.push((b'a' + square.file()) as char);
        transcript.push((b'1' + square.rank()) as char);
    }
}
