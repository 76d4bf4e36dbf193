//! What the moves of a few positions give, looked at on one thread.

use othello_core::{Board, Move, State, Symmetry};

use super::lines;
use super::tree::Tree;
use crate::Edge;
use crate::edax::RecordRef;
use crate::miner::judge::{self, judge};
use crate::miner::mismatch::{Mismatch, Moves};
use crate::miner::moves::{edge, push};
use crate::miner::replies;
use crate::miner::walk::ORDER;
use crate::miner::{Line, Options, Summary};
use crate::store::{Finding, Found, Index, Slot};

/// A position of the book, as it is in the game.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    /// Its number in the tree.
    pub(super) number: u32,
    pub(super) record: RecordRef<'a>,
    /// What leads from the stored board to the one of the game.
    pub(super) back: Symmetry,
}

/// A position that a move leads to and that was not reached before this round.
pub(super) struct Next<'a> {
    pub(super) parent: u32,
    pub(super) mv: Move,
    pub(super) slot: Slot,
    pub(super) record: RecordRef<'a>,
    pub(super) back: Symmetry,
    pub(super) is_pass: bool,
}

/// What everybody may look at.
#[derive(Clone, Copy)]
pub(super) struct Shared<'s, 'a> {
    pub(super) index: &'s Index<'a>,
    pub(super) tree: &'s Tree,
    pub(super) options: &'s Options,
}

/// What some positions gave.
#[derive(Default)]
pub(super) struct Part<'a> {
    /// In the order of the positions, and of their moves.
    pub(super) next: Vec<Next<'a>>,
    pub(super) summary: Summary,
    /// Keys of lines, and where each ends.
    lines: Vec<u8>,
    ends: Vec<usize>,
}

/// A move that may lead into the book.
struct Try<'a> {
    from: Here<'a>,
    edge: Edge,
    is_link: bool,
    mv: Move,
    board: Board,
    back: Symmetry,
}

impl<'a> Part<'a> {
    /// Looks at all moves of some positions, together: finding a position is waiting for memory.
    pub(super) fn of(shared: Shared<'_, 'a>, positions: &[Here<'a>]) -> Self {
        let mut part = Self::default();
        let (mut tries, mut finding) = (Vec::new(), Finding::default());
        for positions in positions.chunks(16) {
            tries.clear();
            for here in positions {
                part.collect(shared.index, here, &mut tries, &mut finding);
            }
            for (each, found) in tries.iter().zip(finding.finish(shared.index)) {
                part.take(shared, each, *found);
            }
        }
        part
    }

    /// The moves of a position that the rules allow.
    fn collect(
        &mut self,
        index: &Index<'a>,
        here: &Here<'a>,
        tries: &mut Vec<Try<'a>>,
        finding: &mut Finding<'a>,
    ) {
        let board = here.back.board(here.record.board());
        let links = here.record.link_count();
        for (n, edge) in (0..).map_while(|n| Some((n, edge(&here.record, n)?))) {
            let mv = edge.mv().map(|mv| here.back.apply(mv));
            let after = mv.and_then(|mv| Some((mv, board.after(mv)?)));
            let Some((mv, board)) = after else {
                self.summary.illegal += 1;
                continue;
            };
            let canonical = board.canonical_by(&ORDER);
            finding.ask(index, canonical.board);
            tries.push(Try {
                from: *here,
                edge,
                is_link: n < links,
                mv,
                board,
                back: canonical.back(),
            });
        }
    }

    fn take(&mut self, shared: Shared<'_, 'a>, each: &Try<'a>, found: Option<Found<'a>>) {
        let Some(Found { slot, record }) = found else {
            if each.is_link {
                self.summary.missing += 1;
            } else {
                self.replies(shared, each);
            }
            return;
        };
        self.summary.judged += 1;
        let Options { mode, dialect, .. } = *shared.options;
        if let Some(mismatch) = judge(mode, dialect, &each.from.record, each.edge, &record)
            && mismatch.size() >= shared.options.min_difference
        {
            self.report(shared, each, &record, &mismatch);
        }
        if shared.index.taken(slot) == 0 {
            self.next.push(Next {
                parent: each.from.number,
                mv: each.mv,
                slot,
                record,
                back: each.back,
                is_pass: is_pass(&record),
            });
        }
    }

    /// The transcript up to and with a move, and its plies.
    fn transcript(shared: Shared<'_, 'a>, each: &Try<'a>) -> (String, u32) {
        let mut text = shared.options.prefix.clone();
        let plies = shared.tree.line_to(each.from.number, &mut text);
        push(&mut text, each.mv);
        (text, plies + 1)
    }

    fn report(
        &mut self,
        shared: Shared<'_, 'a>,
        each: &Try<'a>,
        record: &RecordRef<'_>,
        mismatch: &Mismatch,
    ) {
        let (mut text, ply) = Self::transcript(shared, each);
        self.summary.mismatch(ply, mismatch.size());
        let len = text.len();
        let mut line = |edge: Edge| {
            if let Some(mv) = edge.mv() {
                push(&mut text, each.back.apply(mv));
            }
            self.line(&text, ply, mismatch.expected, mismatch.found);
            text.truncate(len);
        };
        match mismatch.moves {
            Moves::None => {}
            Moves::Best(edge) => line(edge),
            Moves::Above(bound) => {
                let edges = record.links().chain(judge::leaf(record));
                edges
                    .filter(|edge| i32::from(edge.score) > bound)
                    .for_each(line);
            }
        }
    }

    fn replies(&mut self, shared: Shared<'_, 'a>, each: &Try<'a>) {
        let replies = replies::all(shared.index, shared.options.mode, each.edge, each.board);
        if replies.is_empty() {
            return;
        }
        let (mut text, ply) = Self::transcript(shared, each);
        let len = text.len();
        for (n, reply) in replies.iter().enumerate() {
            match reply.shown {
                Some(mv) => push(&mut text, mv),
                // The line of the leaf comes out once.
                None if n > 0 => break,
                None => {}
            }
            let size = reply.expected.abs_diff(reply.found);
            self.summary.mismatch(ply, size);
            self.line(&text, ply, reply.expected, reply.found);
            text.truncate(len);
        }
    }

    fn line(&mut self, transcript: &str, ply: u32, expected: i32, found: i32) {
        let line = Line {
            transcript,
            ply,
            expected,
            found,
        };
        let mut key = Vec::new();
        lines::key(&line, &mut key);
        self.lines.extend(key);
        self.ends.push(self.lines.len());
    }

    /// Keys of the lines that came out.
    pub(super) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.lines[start..end])
    }
}

/// Whether the player to move must pass, and a move of the record says so.
pub(super) fn is_pass(record: &RecordRef<'_>) -> bool {
    let passes = |n| edge(record, n).map(|edge| edge.number == Edge::PASS);
    (0..).map_while(passes).any(|pass| pass) && record.board().state() == State::Pass
}
