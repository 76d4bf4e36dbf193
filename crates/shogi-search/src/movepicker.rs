//! Moves of one node, the most promising first, generated as late as possible.
//!
//! The stages of a normal node: the hash move; captures and promotions that do not lose material,
//! the most valuable first; two killers and the counter move; quiet moves by their history;
//! captures that lose material. In check there is one stage after the hash move, in quiescence only
//! captures and promotions.
//!
//! All pickers of a line share one stack of scored moves, so that nothing is allocated in a node.

use shogi_core::movegen::{
    All, CapturesAndPromotions, Evasions, GenKind, MoveList, QuietsWithoutPromotions,
};
use shogi_core::{CheckSquares, Move, Piece, PieceKind, Position};

use crate::history::{Arrival, Histories, LIMIT};

/// A generated move with its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    score: i32,
    m: Move,
}

/// What the pickers of a line share.
pub(crate) type MoveStack = Vec<Scored>;

/// What a picker needs to look at when it is asked for a move.
pub(crate) struct Context<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) checks: &'a CheckSquares,
    /// Arrivals of the moves one, two and four plies before.
    pub(crate) before: [Arrival; 3],
    /// Whether pointless non-promotions are wanted.
    pub(crate) all: bool,
    /// Bonus of quiet moves that give a safe check.
    pub(crate) check_bonus: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Hash,
    GenerateCaptures,
    GoodCaptures,
    Refutations,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateEvasions,
    Evasions,
    GenerateNoisy,
    Noisy,
    Done,
}

/// Hands out the moves of one node.
#[derive(Debug)]
pub(crate) struct MovePicker {
    stage: Stage,
    /// The stage that follows the hash move.
    after_hash: Stage,
    hash_move: Option<Move>,
    refutations: [Option<Move>; 3],
    next_refutation: usize,
    /// Where this node's part of the stack begins.
    start: usize,
    /// Losing captures are kept in `start..bad_end`.
    bad_end: usize,
    cursor: usize,
    end: usize,
    skip_quiets: bool,
    /// The promising quiet moves are through; the others come in any order.
    unsorted: bool,
}

/// Quiet moves with a worse history are not sorted.
const SORT_THRESHOLD: i32 = -4000;

/// What a capture or promotion wins at once.
#[inline]
pub(crate) fn gain(position: &Position, m: Move) -> i32 {
    let captured = position
        .piece_on(m.to())
        .map_or(0, |piece| piece.kind().exchange_value());
    let promoted = if m.is_promotion() {
        m.kind_after().exchange_value() - m.piece_before().kind().exchange_value()
    } else {
        0
    };
    captured + promoted
}

/// The kind that `m` captures.
#[inline]
pub(crate) fn victim(position: &Position, m: Move) -> Option<PieceKind> {
    position.piece_on(m.to()).map(Piece::kind)
}

/// Whether `m` is ordered with the captures: it captures or promotes.
#[inline]
pub(crate) fn is_noisy(position: &Position, m: Move) -> bool {
    m.is_promotion() || position.piece_on(m.to()).is_some()
}

impl MovePicker {
    /// All moves of a node. `hash_move` must be legal; `refutations` need not be.
    pub(crate) fn new(
        stack: &MoveStack,
        hash_move: Option<Move>,
        refutations: [Option<Move>; 3],
        in_check: bool,
    ) -> Self {
        let stage = if in_check {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateCaptures
        };
        Self {
            refutations,
            ..Self::starting(stack, hash_move, stage)
        }
    }

    /// The moves of a quiescence node out of check: captures and promotions. `hash_move` must be
    /// one of them.
    pub(crate) fn noisy(stack: &MoveStack, hash_move: Option<Move>) -> Self {
        Self::starting(stack, hash_move, Stage::GenerateNoisy)
    }

    fn starting(stack: &MoveStack, hash_move: Option<Move>, after_hash: Stage) -> Self {
        let start = stack.len();
        Self {
            stage: if hash_move.is_some() {
                Stage::Hash
            } else {
                after_hash
            },
            after_hash,
            hash_move,
            refutations: [None; 3],
            next_refutation: 0,
            start,
            bad_end: start,
            cursor: start,
            end: start,
            skip_quiets: false,
            unsorted: false,
        }
    }

    /// No more quiet moves are wanted.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Gives this node's part of the stack back.
    pub(crate) fn finish(&self, stack: &mut MoveStack) {
        stack.truncate(self.start);
    }

    /// The next move, `None` when there are no more.
    pub(crate) fn next(&mut self, stack: &mut MoveStack, context: &Context<'_>) -> Option<Move> {
        loop {
            let found = match self.stage {
                Stage::Hash => {
                    self.stage = self.after_hash;
                    return self.hash_move;
                }
                Stage::GenerateCaptures => {
                    self.generate::<CapturesAndPromotions>(stack, context, Self::score_noisy);
                    self.stage = Stage::GoodCaptures;
                    continue;
                }
                Stage::GoodCaptures => self.good_capture(stack, context),
                Stage::Refutations => self.refutation(context),
                Stage::GenerateQuiets => {
                    if self.skip_quiets {
                        self.end = self.cursor;
                    } else {
                        self.generate::<QuietsWithoutPromotions>(stack, context, score_quiet);
                    }
                    self.stage = Stage::Quiets;
                    continue;
                }
                Stage::Quiets if self.skip_quiets => None,
                Stage::Quiets => self.quiet(stack),
                Stage::BadCaptures | Stage::Evasions | Stage::Noisy => self.best(stack),
                Stage::GenerateEvasions => {
                    self.generate::<Evasions>(stack, context, score_evasion);
                    self.stage = Stage::Evasions;
                    continue;
                }
                Stage::GenerateNoisy => {
                    self.generate::<CapturesAndPromotions>(stack, context, Self::score_noisy);
                    self.stage = Stage::Noisy;
                    continue;
                }
                Stage::Done => return None,
            };
            if found.is_some() {
                return found;
            }
            self.advance();
        }
    }

    /// The stage is empty: on to the one after it.
    fn advance(&mut self) {
        self.stage = match self.stage {
            Stage::GoodCaptures => Stage::Refutations,
            Stage::Refutations => Stage::GenerateQuiets,
            Stage::Quiets => {
                (self.cursor, self.end) = (self.start, self.bad_end);
                Stage::BadCaptures
            }
            _ => Stage::Done,
        };
    }

    /// Generates the moves of kind `G` and puts them, with their scores, on top of the stack.
    #[inline]
    fn generate<G: GenKind>(
        &mut self,
        stack: &mut MoveStack,
        context: &Context<'_>,
        score: impl Fn(Move, &Context<'_>) -> i32,
    ) {
        let mut list = MoveList::new();
        if context.all {
            context.position.generate::<All<G>>(&mut list);
        } else {
            context.position.generate::<G>(&mut list);
        }
        self.cursor = stack.len();
        stack.extend(list.into_iter().map(|m| Scored {
            score: score(m, context),
            m,
        }));
        self.end = stack.len();
    }

    fn score_noisy(m: Move, context: &Context<'_>) -> i32 {
        let history = context.histories.capture(m, victim(context.position, m));
        gain(context.position, m) * 6 + history / 8 - m.piece_before().kind().exchange_value() / 4
    }

    /// The best move that is left, by score.
    #[inline]
    fn best(&mut self, stack: &mut MoveStack) -> Option<Move> {
        while self.cursor < self.end {
            let rest = &mut stack[self.cursor..self.end];
            let mut best = 0;
            for i in 1..rest.len() {
                if rest[i].score > rest[best].score {
                    best = i;
                }
            }
            rest.swap(0, best);
            let m = rest[0].m;
            self.cursor += 1;
            if Some(m) != self.hash_move {
                return Some(m);
            }
        }
        None
    }

    /// The best capture that does not lose material. Losing ones are put aside on the way.
    fn good_capture(&mut self, stack: &mut MoveStack, context: &Context<'_>) -> Option<Move> {
        while let Some(m) = self.best(stack) {
            let score = stack[self.cursor - 1].score;
            if context.position.see_ge(m, -score / 24) {
                return Some(m);
            }
            stack.swap(self.bad_end, self.cursor - 1);
            self.bad_end += 1;
        }
        None
    }

    fn refutation(&mut self, context: &Context<'_>) -> Option<Move> {
        while self.next_refutation < self.refutations.len() && !self.skip_quiets {
            let index = self.next_refutation;
            self.next_refutation += 1;
            let Some(m) = self.refutations[index] else {
                continue;
            };
            let repeated =
                Some(m) == self.hash_move || self.refutations[..index].contains(&Some(m));
            if !repeated && !is_noisy(context.position, m) && context.position.is_legal(m) {
                return Some(m);
            }
            self.refutations[index] = None;
        }
        None
    }

    /// The next quiet move: the best that is left while there are promising ones, then any.
    fn quiet(&mut self, stack: &mut MoveStack) -> Option<Move> {
        loop {
            let m = if self.unsorted {
                let scored = stack[self.cursor..self.end].first()?;
                self.cursor += 1;
                scored.m
            } else {
                let m = self.best(stack)?;
                self.unsorted = stack[self.cursor - 1].score < SORT_THRESHOLD;
                m
            };
            if !self.refutations.contains(&Some(m)) && Some(m) != self.hash_move {
                return Some(m);
            }
        }
    }
}

/// Rank of a quiet move.
fn score_quiet(m: Move, context: &Context<'_>) -> i32 {
    let history = context.histories.quiet(m, context.before);
    let check = context.position.gives_check(m, context.checks)
        && context
            .position
            .see_ge(m, -PieceKind::Pawn.exchange_value());
    history + if check { context.check_bonus } else { 0 }
}

/// Rank of an answer to a check: captures first.
fn score_evasion(m: Move, context: &Context<'_>) -> i32 {
    if is_noisy(context.position, m) {
        4 * LIMIT + gain(context.position, m) - m.piece_before().kind().exchange_value() / 8
    } else {
        context.histories.quiet(m, context.before)
    }
}
