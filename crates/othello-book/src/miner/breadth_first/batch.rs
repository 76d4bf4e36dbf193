//! The edges of a batch of positions, processed on one thread.

use othello_core::{Board, Move, State, Symmetry};

use crate::Edge;
use crate::edax::EdaxRecordRef;
use crate::miner::breadth_first::SearchTree;
use crate::miner::depth_first::ORDER;
use crate::miner::judge::{Mismatch, Moves, edge, push};
use crate::miner::{MineOptions, MinerSummary, MismatchLine, breadth_first, judge};
use crate::store::{BatchLookup, EdaxIndex, IndexHit, Slot};

/// A position of the book with its orientation in the game.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    /// The number in the tree.
    pub(super) number: u32,
    pub(super) record: EdaxRecordRef<'a>,
    /// The symmetry from the stored board to the one of the game.
    pub(super) back: Symmetry,
}

/// A child that was not reached before this round.
pub(super) struct Child<'a> {
    pub(super) parent: u32,
    pub(super) mv: Move,
    pub(super) slot: Slot,
    pub(super) record: EdaxRecordRef<'a>,
    pub(super) back: Symmetry,
    pub(super) is_pass: bool,
}

/// The shared state of a round.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'s, 'a> {
    pub(super) index: &'s EdaxIndex<'a>,
    pub(super) tree: &'s SearchTree,
    pub(super) options: &'s MineOptions,
}

/// The results of a batch.
#[derive(Default)]
pub(super) struct Batch<'a> {
    /// Children in the order of the positions and their edges.
    pub(super) next: Vec<Child<'a>>,
    pub(super) summary: MinerSummary,
    /// Keys of lines, and the end of each.
    lines: Vec<u8>,
    ends: Vec<usize>,
}

/// An edge that may lead into the book.
struct Candidate<'a> {
    from: Node<'a>,
    edge: Edge,
    is_link: bool,
    mv: Move,
    board: Board,
    back: Symmetry,
}

impl<'a> Batch<'a> {
    /// Processes the edges of some positions together, so that memory latencies overlap.
    pub(super) fn of(shared: SearchContext<'_, 'a>, positions: &[Node<'a>]) -> Self {
        let mut part = Self::default();
        let (mut tries, mut lookup) = (Vec::new(), BatchLookup::default());
        for positions in positions.chunks(16) {
            tries.clear();
            for here in positions {
                part.collect(shared.index, here, &mut tries, &mut lookup);
            }
            for (each, found) in tries.iter().zip(lookup.resolve(shared.index)) {
                part.take(shared, each, *found);
            }
        }
        part
    }

    /// Collects the legal edges of a position.
    fn collect(
        &mut self,
        index: &EdaxIndex<'a>,
        here: &Node<'a>,
        tries: &mut Vec<Candidate<'a>>,
        lookup: &mut BatchLookup<'a>,
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
            lookup.push(index, canonical.board);
            tries.push(Candidate {
                from: *here,
                edge,
                is_link: n < links,
                mv,
                board,
                back: canonical.back(),
            });
        }
    }

    fn take(
        &mut self,
        shared: SearchContext<'_, 'a>,
        each: &Candidate<'a>,
        found: Option<IndexHit<'a>>,
    ) {
        let Some(IndexHit { slot, record }) = found else {
            if each.is_link {
                self.summary.missing += 1;
            } else {
                self.replies(shared, each);
            }
            return;
        };
        self.summary.judged += 1;
        let MineOptions { mode, dialect, .. } = *shared.options;
        if let Some(mismatch) = judge::judge(mode, dialect, &each.from.record, each.edge, &record)
            && mismatch.size() >= shared.options.min_difference
        {
            self.report(shared, each, &record, &mismatch);
        }
        if shared.index.taken(slot) == 0 {
            self.next.push(Child {
                parent: each.from.number,
                mv: each.mv,
                slot,
                record,
                back: each.back,
                is_pass: is_pass(&record),
            });
        }
    }

    /// The transcript up to and including a move, and its plies.
    fn transcript(shared: SearchContext<'_, 'a>, each: &Candidate<'a>) -> (String, u32) {
        let mut text = shared.options.prefix.clone();
        let plies = shared.tree.line_to(each.from.number, &mut text);
        push(&mut text, each.mv);
        (text, plies + 1)
    }

    fn report(
        &mut self,
        shared: SearchContext<'_, 'a>,
        each: &Candidate<'a>,
        record: &EdaxRecordRef<'_>,
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

    fn replies(&mut self, shared: SearchContext<'_, 'a>, each: &Candidate<'a>) {
        let replies = judge::replies(shared.index, shared.options.mode, each.edge, each.board);
        if replies.is_empty() {
            return;
        }
        let (mut text, ply) = Self::transcript(shared, each);
        let len = text.len();
        for (n, reply) in replies.iter().enumerate() {
            match reply.shown {
                Some(mv) => push(&mut text, mv),
                // The line of the leaf is reported once.
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
        let line = MismatchLine {
            transcript,
            ply,
            expected,
            found,
        };
        let mut key = Vec::new();
        breadth_first::key(&line, &mut key);
        self.lines.extend(key);
        self.ends.push(self.lines.len());
    }

    /// The keys of the reported lines.
    pub(super) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.lines[start..end])
    }
}

/// Returns whether a record is a forced pass with the pass among its edges.
pub(super) fn is_pass(record: &EdaxRecordRef<'_>) -> bool {
    let passes = |n| edge(record, n).map(|edge| edge.number == Edge::PASS);
    (0..).map_while(passes).any(|pass| pass) && record.board().state() == State::Pass
}
