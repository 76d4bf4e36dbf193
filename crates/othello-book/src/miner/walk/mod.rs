//! The walk through the book.

mod ahead;
mod tell;

use hashbrown::HashSet;
use othello_core::{Board, Canonical, Move, Square, Symmetry};
use yane_io::{Error, Job, Unit};

use self::ahead::{Ahead, Target};
use super::judge::judge;
use super::moves::{edge, push};
use super::{Dialect, Line, Options, Summary};
use crate::Edge;
use crate::store::{Found, Index};

/// The order in which the classic programs try symmetries: turns, then mirrors. The first that gives the stored board
/// counts, which matters for boards that are images of themselves.
pub(super) const ORDER: [Symmetry; 8] = [
    Symmetry::ALL[0],
    Symmetry::ALL[6],
    Symmetry::ALL[3],
    Symmetry::ALL[5],
    Symmetry::ALL[2],
    Symmetry::ALL[1],
    Symmetry::ALL[4],
    Symmetry::ALL[7],
];

/// The square that the classic programs call a1; its number is 0 there.
const CALLED_A1: Square = Square::ALL[63];

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// The book lacks the position from which the search begins.
    #[error("the book does not have the position to begin with: 0x{:016x} 0x{:016x}", .0.h8_first()[0], .0.h8_first()[1])]
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
    let (board, canonical, found) = start(index, options)?;
    job.progress
        .stage("mining", Some(index.len()), Unit::Positions);
    let mut walk = Walk {
        index,
        options,
        job,
        each,
        stack: Vec::new(),
        ahead: Ahead::default(),
        printed: HashSet::new(),
        transcript: options.prefix.clone(),
        summary: Summary::default(),
        fresh: 0,
        told: 0,
    };
    let start = walk.ahead.start(Reached {
        board,
        back: canonical.back(),
        found,
        text: 0,
        lost: 0,
    });
    walk.enter(start, 0, 0);
    while walk.step()? {}
    walk.job.progress.advance(walk.fresh - walk.told);
    let mut summary = walk.summary;
    summary.isolated = walk.index.len().saturating_sub(walk.fresh);
    Ok(summary)
}

/// The position from which a search begins: its board in the game, the canonical one, and what the book has of it.
pub(super) fn start<'a>(
    index: &Index<'a>,
    options: &Options,
) -> Result<(Board, Canonical, Found<'a>), MineError> {
    // Books count squares from either corner and say the same; transcripts of the classic programs come from
    // reading them from h8. Turned at the start and at the end, nothing between needs to know.
    let board = Symmetry::ROTATION.board(options.start.board());
    let canonical = board.canonical_by(&ORDER);
    let found = index.find(canonical.board);
    let found = found.ok_or(MineError::NoStart(canonical.board))?;
    Ok((board, canonical, found))
}

/// A position of the book that a move leads to.
#[derive(Clone, Copy)]
struct Reached<'a> {
    /// As it is in the game.
    board: Board,
    /// What leads from the stored board to that.
    back: Symmetry,
    found: Found<'a>,
    /// Bytes of the transcript that are of the move.
    text: usize,
    /// What the line has lost, where that is limited.
    lost: u32,
}

/// The moves of a position that were not taken when it was seen.
#[derive(Clone, Copy, Default)]
struct Left {
    /// How many were taken then.
    taken: u16,
    count: u16,
    /// Where they stand.
    first: u32,
}

#[derive(Clone, Copy)]
enum Leads<'a> {
    /// To a position, with the moves that are left there, if those are known yet.
    To(Move, Reached<'a>, Option<Left>),
    /// To a position that the book lacks.
    Nowhere(Move, Board),
    /// It is against the rules.
    Illegal,
}

/// A position on the way from the start to where the walk is.
struct Frame<'a> {
    here: Reached<'a>,
    left: Left,
    /// Bytes of moves at the end of the transcript that led nowhere ([`Dialect::V1`]).
    dead: usize,
}

struct Walk<'w, 'a> {
    index: &'w mut Index<'a>,
    options: &'w Options,
    job: &'w Job,
    each: &'w mut dyn FnMut(&Line<'_>) -> yane_io::Result<()>,
    /// From the start to where the walk is. Discs become more with every move and a pass follows no pass, so it is
    /// at most 121 deep.
    stack: Vec<Frame<'a>>,
    ahead: Ahead<'a>,
    /// Lines of modes 6 and 7: each comes out once.
    printed: HashSet<String>,
    transcript: String,
    summary: Summary,
    /// Positions that were entered for the first time, and those that were told as progress.
    fresh: u64,
    told: u64,
}

impl<'a> Walk<'_, 'a> {
    /// Makes the position behind a target the one whose moves are taken: what its line has lost, and bytes of the
    /// transcript that lead to it beside its move.
    fn enter(&mut self, target: usize, lost: u32, dead: usize) {
        let Some((mut here, left)) = self.arrive(target) else {
            return;
        };
        here.lost = lost;
        here.text += dead;
        self.summary.entered += 1;
        let Found { slot, record } = here.found;
        // Without moves nothing tells whether it was entered before; it counts as taken then.
        if self.index.taken(slot) == 0 {
            self.fresh += 1;
            if edge(&record, 0).is_none() {
                self.index.take(slot);
            }
        }
        self.stack.push(Frame {
            here,
            left,
            dead: 0,
        });
    }

    /// Takes the next move, or goes back where none is left. `false` at the end.
    fn step(&mut self) -> Result<bool, MineError> {
        let chosen = self.choose();
        let Some(top) = self.stack.last() else {
            return Ok(false);
        };
        let Some((taken, lost)) = chosen else {
            let left = self.transcript.len() - top.here.text - top.dead;
            self.transcript.truncate(left);
            self.ahead.forget(top.left);
            self.stack.pop();
            return Ok(true);
        };
        let record = top.here.found.record;
        let n = taken - usize::from(top.left.taken);
        let &Target { edge, leads } = self.ahead.target(top.left, n);
        let is_link = taken < record.link_count();
        match leads {
            Leads::Illegal => {
                self.summary.illegal += 1;
                if let Some(mv) = edge.mv().filter(|_| is_link) {
                    self.leave(top.here.back.apply(mv));
                }
            }
            Leads::Nowhere(mv, board) => {
                if is_link {
                    self.summary.missing += 1;
                    self.leave(mv);
                } else {
                    self.replies(edge, mv, board)?;
                }
            }
            Leads::To(mv, reached, _) => {
                let target = top.left.first as usize + n;
                self.follow(edge, mv, &Reached { lost, ..reached }, target)?;
            }
        }
        Ok(!self.summary.cut_short)
    }

    /// A link that led nowhere, which one version does not take out of its lines.
    fn leave(&mut self, mv: Move) {
        if self.options.dialect == Dialect::V1
            && let Some(top) = self.stack.last_mut()
        {
            let len = self.transcript.len();
            push(&mut self.transcript, mv);
            top.dead += self.transcript.len() - len;
        }
    }

    /// Takes the next move of the position on top: its number, and what the line has lost behind it. Moves beyond the
    /// limits are taken too, and passed over.
    fn choose(&mut self) -> Option<(usize, u32)> {
        let top = self.stack.last()?;
        let Found { slot, record } = top.here.found;
        loop {
            // Lines that came here on another way meanwhile have taken moves too.
            let taken = self.index.taken(slot);
            let n = taken - usize::from(top.left.taken);
            if n >= usize::from(top.left.count) {
                return None;
            }
            self.index.take(slot);
            let target = self.ahead.target(top.left, n);
            let edge = target.edge;
            // Lines of a position have a move more than the way to it.
            let more = u32::from(matches!(target.leads, Leads::To(..)));
            let plies = self.stack.len() as u32 + more;
            let lost = match &self.options.limits {
                Some(limits) => limits.after(&record, edge, top.here.lost, plies),
                None => Some(0),
            };
            if let Some(lost) = lost {
                return Some((taken, lost));
            }
        }
    }

    /// Judges a move and the position behind it, and enters that.
    fn follow(
        &mut self,
        edge: Edge,
        mv: Move,
        reached: &Reached<'a>,
        target: usize,
    ) -> Result<(), MineError> {
        let Some(top) = self.stack.last_mut() else {
            return Ok(());
        };
        let dead = std::mem::take(&mut top.dead);
        let parent = top.here.found.record;
        push(&mut self.transcript, mv);
        self.summary.judged += 1;
        let Options { mode, dialect, .. } = *self.options;
        if let Some(mismatch) = judge(mode, dialect, &parent, edge, &reached.found.record)
            && mismatch.size() >= self.options.min_difference
        {
            let len = self.transcript.len();
            if dialect == Dialect::V1 && mv == Move::Pass {
                self.transcript.push_str("Pass");
            }
            self.report(&mismatch, reached)?;
            self.transcript.truncate(len);
        }
        self.enter(target, reached.lost, dead);
        if self.fresh - self.told >= 1 << 16 {
            self.job.progress.advance(self.fresh - self.told);
            self.told = self.fresh;
            self.job.check()?;
        }
        Ok(())
    }
}
