//! Depth-first search with an explicit stack, in the order of the classic programs.

mod lookahead;
mod node;

use crate::miner::depth_first::lookahead::{PendingNode, TOGETHER};
use hashbrown::HashSet;
use othello_core::{Board, Canonical, Move, Square, Symmetry};
use yane_io::{Job, Unit};

use crate::Edge;
use crate::miner::depth_first::lookahead::{Lookahead, ResolvedMove};
use crate::miner::judge::{self, Mismatch, Moves, edge, push, push_number};
use crate::miner::{Dialect, MineOptions, MinerSummary, MismatchLine};
use crate::store::{EdaxIndex, IndexHit};
use node::{MoveTarget, Node, RemainingMoves};

/// The order in which the classic programs try symmetries: rotations, then reflections. The first that gives the stored
/// board counts, which matters for self-symmetric boards.
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

/// The square that the classic programs call a1, number 0 there.
const CALLED_A1: Square = Square::ALL[63];

/// The reason why a search failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// The book lacks the start position of the search.
    #[error("the book does not have the position to begin with: 0x{:016x} 0x{:016x}", .0.h8_first()[0], .0.h8_first()[1])]
    NoStart(Board),
    /// An error of a file, or cancellation.
    #[error("{0}")]
    Files(#[from] yane_io::Error),
}

/// Finds mismatches and reports every line to `each`, in order.
///
/// The index keeps which edges were taken: a second search needs a new one.
///
/// # Errors
///
/// [`MineError::NoStart`], [`yane_io::Error::Cancelled`], and those of `each`.
pub fn mine(
    index: &mut EdaxIndex<'_>,
    options: &MineOptions,
    job: &Job,
    each: &mut dyn FnMut(&MismatchLine<'_>) -> yane_io::Result<()>,
) -> Result<MinerSummary, MineError> {
    let (board, canonical, found) = start(index, options)?;
    job.progress
        .stage("mining", Some(index.len()), Unit::Positions);
    let mut walk = DepthFirst {
        index,
        options,
        job,
        each,
        stack: Vec::new(),
        ahead: Lookahead::default(),
        printed: HashSet::new(),
        transcript: options.prefix.clone(),
        summary: MinerSummary::default(),
        fresh: 0,
        reported: 0,
    };
    let start = walk.ahead.start(Node {
        board,
        back: canonical.back(),
        found,
        text: 0,
        lost: 0,
    });
    walk.enter(start, 0, 0);
    while walk.step()? {}
    walk.job.progress.advance(walk.fresh - walk.reported);
    let mut summary = walk.summary;
    summary.isolated = walk.index.len().saturating_sub(walk.fresh);
    Ok(summary)
}

/// The start position of a search: its board in the game, the canonical one, and its record.
pub(super) fn start<'a>(
    index: &EdaxIndex<'a>,
    options: &MineOptions,
) -> Result<(Board, Canonical, IndexHit<'a>), MineError> {
    // Books mean the same counted from either corner; the classic programs count from h8. Rotating the start and the
    // lines suffices.
    let board = Symmetry::ROTATION.board(options.start.board());
    let canonical = board.canonical_by(&ORDER);
    let found = index.find(canonical.board);
    let found = found.ok_or(MineError::NoStart(canonical.board))?;
    Ok((board, canonical, found))
}

/// An entry of the search stack.
struct StackEntry<'a> {
    here: Node<'a>,
    left: RemainingMoves,
    /// The length of dead moves at the end of the transcript ([`Dialect::V1`]).
    dead: usize,
}

struct DepthFirst<'w, 'a> {
    index: &'w mut EdaxIndex<'a>,
    options: &'w MineOptions,
    job: &'w Job,
    each: &'w mut dyn FnMut(&MismatchLine<'_>) -> yane_io::Result<()>,
    /// The search stack. Discs grow with every move and a pass follows no pass, so it is at most 121 deep.
    stack: Vec<StackEntry<'a>>,
    ahead: Lookahead<'a>,
    /// The reported lines of modes 6 and 7, each once.
    printed: HashSet<String>,
    transcript: String,
    summary: MinerSummary,
    /// Positions that were entered for the first time, and those reported as progress.
    fresh: u64,
    reported: u64,
}

impl<'a> DepthFirst<'_, 'a> {
    /// Enters the position behind a target, with the sum of errors and the length of dead moves before it.
    fn enter(&mut self, target: usize, lost: u32, dead: usize) {
        let Some((mut here, left)) = self.arrive(target) else {
            return;
        };
        here.lost = lost;
        here.text += dead;
        self.summary.entered += 1;
        let IndexHit { slot, record } = here.found;
        // A position without edges is marked as entered by taking one.
        if self.index.taken(slot) == 0 {
            self.fresh += 1;
            if edge(&record, 0).is_none() {
                self.index.take(slot);
            }
        }
        self.stack.push(StackEntry {
            here,
            left,
            dead: 0,
        });
    }

    /// Takes the next edge, or backtracks. Returns `false` at the end.
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
        let &ResolvedMove { edge, leads } = self.ahead.target(top.left, n);
        let is_link = taken < record.link_count();
        match leads {
            MoveTarget::Illegal => {
                self.summary.illegal += 1;
                if let Some(mv) = edge.mv().filter(|_| is_link) {
                    self.leave(top.here.back.apply(mv));
                }
            }
            MoveTarget::Nowhere(mv, board) => {
                if is_link {
                    self.summary.missing += 1;
                    self.leave(mv);
                } else {
                    self.replies(edge, mv, board)?;
                }
            }
            MoveTarget::To(mv, reached, _) => {
                let target = top.left.first as usize + n;
                self.follow(edge, mv, &Node { lost, ..reached }, target)?;
            }
        }
        Ok(!self.summary.cut_short)
    }

    /// Keeps a dead link in the transcript, as one version does.
    fn leave(&mut self, mv: Move) {
        if self.options.dialect == Dialect::V1
            && let Some(top) = self.stack.last_mut()
        {
            let len = self.transcript.len();
            push(&mut self.transcript, mv);
            top.dead += self.transcript.len() - len;
        }
    }

    /// Takes the next edge of the top position: its index, and the sum of errors behind it. Edges beyond the limits are
    /// taken and skipped.
    fn choose(&mut self) -> Option<(usize, u32)> {
        let top = self.stack.last()?;
        let IndexHit { slot, record } = top.here.found;
        loop {
            // The position may have been entered on another way meanwhile.
            let taken = self.index.taken(slot);
            let n = taken - usize::from(top.left.taken);
            if n >= usize::from(top.left.count) {
                return None;
            }
            self.index.take(slot);
            let target = self.ahead.target(top.left, n);
            let edge = target.edge;
            // Lines have one move more than the way to their position.
            let more = u32::from(matches!(target.leads, MoveTarget::To(..)));
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

    /// Judges an edge, and enters the position behind it.
    fn follow(
        &mut self,
        edge: Edge,
        mv: Move,
        reached: &Node<'a>,
        target: usize,
    ) -> Result<(), MineError> {
        let Some(top) = self.stack.last_mut() else {
            return Ok(());
        };
        let dead = std::mem::take(&mut top.dead);
        let parent = top.here.found.record;
        push(&mut self.transcript, mv);
        self.summary.judged += 1;
        let MineOptions { mode, dialect, .. } = *self.options;
        if let Some(mismatch) = judge::judge(mode, dialect, &parent, edge, &reached.found.record)
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
        if self.fresh - self.reported >= 1 << 16 {
            self.job.progress.advance(self.fresh - self.reported);
            self.reported = self.fresh;
            self.job.check()?;
        }
        Ok(())
    }
}

impl DepthFirst<'_, '_> {
    /// Reports replies to a leaf that lead back into the book, in modes 6 and 7.
    pub(super) fn replies(&mut self, edge: Edge, mv: Move, board: Board) -> yane_io::Result<()> {
        let len = self.transcript.len();
        push(&mut self.transcript, mv);
        let ply = self.stack.len() as u32;
        for reply in judge::replies(self.index, self.options.mode, edge, board) {
            let line = self.transcript.len();
            if let Some(mv) = reply.shown {
                push(&mut self.transcript, mv);
            }
            if !self.printed.contains(&self.transcript) {
                self.printed.insert(self.transcript.clone());
                let size = reply.expected.abs_diff(reply.found);
                self.summary.mismatch(ply, size);
                self.give(ply, reply.expected, reply.found)?;
            }
            self.transcript.truncate(line);
        }
        self.transcript.truncate(len);
        Ok(())
    }

    /// Reports the lines of a mismatch.
    pub(super) fn report(&mut self, mismatch: &Mismatch, judged: &Node<'_>) -> yane_io::Result<()> {
        // The judged position is not on the stack yet.
        let ply = self.stack.len() as u32;
        self.summary.mismatch(ply, mismatch.size());
        match mismatch.moves {
            Moves::None => Ok(()),
            Moves::Best(edge) => self.line(mismatch, judged, edge, ply),
            Moves::Above(bound) => {
                let record = judged.found.record;
                let leaf = match self.options.dialect {
                    Dialect::V1 => Some(record.leaf()),
                    Dialect::Seed | Dialect::V2 => judge::leaf(&record),
                };
                let edges = record.links().chain(leaf);
                for edge in edges.filter(|edge| i32::from(edge.score) > bound) {
                    self.line(mismatch, judged, edge, ply)?;
                }
                Ok(())
            }
        }
    }

    fn line(
        &mut self,
        mismatch: &Mismatch,
        judged: &Node<'_>,
        edge: Edge,
        ply: u32,
    ) -> yane_io::Result<()> {
        if let Some(limits) = &self.options.limits
            && limits
                .after(&judged.found.record, edge, judged.lost, ply + 1)
                .is_none()
        {
            return Ok(());
        }
        let len = self.transcript.len();
        match edge.mv().map(|mv| judged.back.apply(mv)) {
            Some(mv @ Move::Place(_)) => push(&mut self.transcript, mv),
            _ if self.options.dialect == Dialect::V1 => push_number(&mut self.transcript, edge),
            _ => {}
        }
        let result = self.give(ply, mismatch.expected, mismatch.found);
        self.transcript.truncate(len);
        result
    }

    /// Reports the transcript as a line.
    fn give(&mut self, ply: u32, expected: i32, found: i32) -> yane_io::Result<()> {
        if self.options.limit.is_some_and(|n| self.summary.lines >= n) {
            self.summary.cut_short = true;
            return Ok(());
        }
        self.summary.lines += 1;
        (self.each)(&MismatchLine {
            transcript: &self.transcript,
            ply,
            expected,
            found,
        })
    }
}

impl<'a> DepthFirst<'_, 'a> {
    /// Takes the position behind a target, with its remaining edges.
    pub(super) fn arrive(&mut self, target: usize) -> Option<(Node<'a>, RemainingMoves)> {
        if let MoveTarget::To(_, _, None) = self.ahead.targets[target].leads {
            self.look_ahead(target as u32);
        }
        let MoveTarget::To(_, reached, left) = &mut self.ahead.targets[target].leads else {
            return None;
        };
        Some((*reached, left.replace(RemainingMoves::default())?))
    }

    /// Resolves the edges of the position behind a target, and those of the next ones.
    pub(super) fn look_ahead(&mut self, target: u32) {
        // Those before it were skipped.
        while self
            .ahead
            .open
            .last()
            .is_some_and(|open| open.target != target)
        {
            self.ahead.open.pop();
        }
        let rest = self.ahead.open.len().saturating_sub(TOGETHER);
        for n in (rest..self.ahead.open.len()).rev() {
            let open = self.ahead.open[n];
            self.expand(open);
        }
        self.ahead.open.truncate(rest);
        let Lookahead {
            targets,
            open,
            lookup,
            queued,
            ..
        } = &mut self.ahead;
        let found = lookup.resolve(self.index).iter().rev();
        for (queued, found) in queued.drain(..).rev().zip(found) {
            let leads = &mut targets[queued.target as usize].leads;
            match (leads, found) {
                (MoveTarget::To(_, reached, _), Some(found)) => {
                    reached.found = *found;
                    open.push(queued);
                }
                (leads, _) => {
                    if let MoveTarget::To(mv, reached, _) = leads {
                        *leads = MoveTarget::Nowhere(*mv, reached.board);
                    }
                }
            }
        }
    }

    /// The edge of a position at an index: links, then the leaf if there is one.
    #[inline]
    pub(super) fn next(&self, here: &Node<'_>, taken: usize) -> Option<Edge> {
        let edge = edge(&here.found.record, taken)?;
        let skipped = self.options.dialect == Dialect::V1
            && taken == here.found.record.link_count()
            && edge.score == 0
            && edge.mv().map(|mv| here.back.apply(mv)) == Some(Move::Place(CALLED_A1));
        (!skipped).then_some(edge)
    }

    /// Queues lookups of the remaining edges of a position.
    pub(super) fn expand(&mut self, open: PendingNode) {
        let MoveTarget::To(_, here, _) = self.ahead.targets[open.target as usize].leads else {
            return;
        };
        let taken = self.index.taken(here.found.slot);
        let depth = open.depth + 1;
        let queued = self.ahead.queued.len();
        if self.options.max_ply.is_none_or(|max| open.depth < max) {
            for n in taken.. {
                let Some(edge) = self.next(&here, n) else {
                    break;
                };
                let mv = edge.mv().map(|mv| here.back.apply(mv));
                let after = mv.and_then(|mv| Some((mv, here.board.after(mv)?)));
                let ahead = &mut self.ahead;
                let leads = after.map_or(MoveTarget::Illegal, |(mv, board)| {
                    let canonical = board.canonical_by(&ORDER);
                    // Set by the lookup; the position itself is a placeholder.
                    let reached = Node {
                        board,
                        back: canonical.back(),
                        text: if mv == Move::Pass { 0 } else { 2 },
                        ..here
                    };
                    ahead.lookup.push(self.index, canonical.board);
                    let target = ahead.row.len() as u32;
                    ahead.queued.push(PendingNode { target, depth });
                    MoveTarget::To(mv, reached, None)
                });
                ahead.row.push(ResolvedMove { edge, leads });
            }
        }
        let count = self.ahead.row.len() as u16;
        let first = if count > 0 { self.ahead.put() } else { 0 };
        for queued in &mut self.ahead.queued[queued..] {
            queued.target += first;
        }
        if let MoveTarget::To(_, _, left) = &mut self.ahead.targets[open.target as usize].leads {
            *left = Some(RemainingMoves {
                taken: taken as u16,
                first,
                count,
            });
        }
    }
}
