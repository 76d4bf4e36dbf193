//! Moves of one node, the most promising first, generated as late as possible.
//!
//! The stages of a normal node: the TT move; captures and promotions that do not lose material,
//! the most valuable first; quiet moves with a good history; captures that lose material; the other
//! quiet moves. In check there is one stage after the TT move, in quiescence only captures and
//! promotions, and near its start quiet checks.
//!
//! All pickers of a line share one stack of scored moves, so that nothing is allocated in a node.

use shogi_core::movegen::{
    All, CapturesAndPromotions, Checks, Evasions, GenKind, MoveList, QuietsWithoutPromotions,
};
use shogi_core::{CheckSquares, Move, MoveClass, Piece, PieceKind, Position, Square};

use crate::Params;
use crate::history::{Histories, HistoryIndex, QuietHistories};

/// A generated move with its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScoredMove {
    score: i32,
    m: Move,
}

/// The stack of moves that the pickers of a line share.
pub(crate) type MoveStack = Vec<ScoredMove>;

/// The state of the search that a picker looks at when it is asked for a move.
pub(crate) struct Context<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) params: &'a Params,
    /// The squares from which the side to move gives check, if that has been worked out.
    pub(crate) checks: Option<&'a CheckSquares>,
    pub(crate) index: &'a HistoryIndex,
    /// True if pointless non-promotions are wanted.
    pub(crate) all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    GenerateNoisy,
    Noisy,
    GenerateChecks,
    QuietChecks,
    Done,
}

/// Hands out the moves of one node.
#[derive(Debug)]
pub(crate) struct MovePicker {
    stage: Stage,
    /// The stage that follows the TT move.
    after_tt_move: Stage,
    tt_move: Option<Move>,
    depth: i32,
    /// Start of this node's part of the stack.
    start: usize,
    /// Losing captures are kept in `start..bad_end`.
    bad_end: usize,
    cursor: usize,
    end: usize,
    /// The range of the quiet moves.
    quiets: (usize, usize),
    skip_quiets: bool,
    /// The promising quiet moves are through; the others come in any order.
    unsorted: bool,
    with_checks: bool,
}

/// Returns what a capture or promotion wins at once.
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

/// Returns whether `m` is ordered with the captures: it captures or promotes.
#[inline]
pub(crate) fn is_noisy(position: &Position, m: Move) -> bool {
    m.is_promotion() || position.piece_on(m.to()).is_some()
}

impl MovePicker {
    /// All moves of a node to be searched `depth` plies deep. `tt_move` must be legal.
    pub(crate) fn new(
        stack: &MoveStack,
        tt_move: Option<Move>,
        depth: i32,
        in_check: bool,
    ) -> Self {
        let stage = if in_check {
            Stage::GenerateEvasions
        } else {
            Stage::GenerateCaptures
        };
        Self {
            depth,
            ..Self::starting(stack, tt_move, stage)
        }
    }

    /// The moves of a quiescence node out of check: captures and promotions, then quiet checks if
    /// they are wanted. `tt_move` must be one of them.
    pub(crate) fn noisy(stack: &MoveStack, tt_move: Option<Move>, with_checks: bool) -> Self {
        Self {
            with_checks,
            ..Self::starting(stack, tt_move, Stage::GenerateNoisy)
        }
    }

    fn starting(stack: &MoveStack, tt_move: Option<Move>, after_tt_move: Stage) -> Self {
        let start = stack.len();
        Self {
            stage: if tt_move.is_some() {
                Stage::TtMove
            } else {
                after_tt_move
            },
            after_tt_move,
            tt_move,
            depth: 0,
            start,
            bad_end: start,
            cursor: start,
            end: start,
            quiets: (start, start),
            skip_quiets: false,
            unsorted: false,
            with_checks: false,
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
                Stage::TtMove => {
                    self.stage = self.after_tt_move;
                    return self.tt_move;
                }
                Stage::GoodCaptures => self.good_capture(stack, context),
                Stage::GoodQuiets => self.good_quiet(stack, context.params),
                Stage::BadQuiets => self.bad_quiet(stack, context.params),
                Stage::BadCaptures | Stage::Evasions | Stage::Noisy => self.best(stack),
                Stage::QuietChecks => self.quiet_check(stack, context.position),
                Stage::Done => return None,
                Stage::GenerateCaptures
                | Stage::GenerateQuiets
                | Stage::GenerateEvasions
                | Stage::GenerateNoisy
                | Stage::GenerateChecks => {
                    self.generate_stage(stack, context);
                    continue;
                }
            };
            if found.is_some() {
                return found;
            }
            self.advance();
        }
    }

    /// Generates the moves of the stage, and goes on to the one that hands them out. Apart from
    /// [`Self::next`], which is called far more often and needs little room.
    #[inline(never)]
    fn generate_stage(&mut self, stack: &mut MoveStack, context: &Context<'_>) {
        self.stage = match self.stage {
            Stage::GenerateCaptures => {
                self.generate::<CapturesAndPromotions>(stack, context, score_noisy);
                Stage::GoodCaptures
            }
            Stage::GenerateQuiets => {
                self.generate_quiets(stack, context);
                Stage::GoodQuiets
            }
            Stage::GenerateEvasions => {
                self.generate::<Evasions>(stack, context, score_evasion);
                Stage::Evasions
            }
            Stage::GenerateNoisy => {
                self.generate::<CapturesAndPromotions>(stack, context, score_noisy);
                Stage::Noisy
            }
            Stage::GenerateChecks => {
                let us = context.position.side_to_move();
                let histories = context.histories.quiet(us, context.index, context.params);
                self.generate::<Checks>(stack, context, |m, _| histories.rank(m));
                Stage::QuietChecks
            }
            stage => stage,
        };
    }

    /// The stage is empty: on to the one after it.
    fn advance(&mut self) {
        self.stage = match self.stage {
            Stage::GoodCaptures => Stage::GenerateQuiets,
            Stage::GoodQuiets => {
                (self.cursor, self.end) = (self.start, self.bad_end);
                Stage::BadCaptures
            }
            Stage::BadCaptures => {
                (self.cursor, self.end) = self.quiets;
                Stage::BadQuiets
            }
            Stage::Noisy if self.with_checks => Stage::GenerateChecks,
            _ => Stage::Done,
        };
    }

    fn generate_quiets(&mut self, stack: &mut MoveStack, context: &Context<'_>) {
        if self.skip_quiets {
            self.end = self.cursor;
        } else {
            let own_checks;
            let checks = if let Some(checks) = context.checks {
                checks
            } else {
                own_checks = context.position.check_squares();
                &own_checks
            };
            let ranks = QuietRanks::new(context, checks);
            self.generate::<QuietsWithoutPromotions>(stack, context, |m, context| {
                ranks.of(m, context)
            });
            if ranks.histories.is_near_root() {
                for ScoredMove { score, m } in &mut stack[self.cursor..] {
                    *score += ranks.histories.rank_near_root(*m);
                }
            }
        }
        self.quiets = (self.cursor, self.end);
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
        // By reference: the list itself is 2,400 bytes that would be moved.
        stack.extend(list.iter().map(|&m| ScoredMove {
            score: score(m, context),
            m,
        }));
        self.end = stack.len();
    }

    /// The best move that is left, by score.
    #[inline]
    fn best(&mut self, stack: &mut MoveStack) -> Option<Move> {
        while self.cursor < self.end {
            let rest = &mut stack[self.cursor..self.end];
            let (mut best, mut most) = (0, i32::MIN);
            for (index, scored) in rest.iter().enumerate() {
                if scored.score > most {
                    (best, most) = (index, scored.score);
                }
            }
            rest.swap(0, best);
            let m = rest[0].m;
            self.cursor += 1;
            if Some(m) != self.tt_move {
                return Some(m);
            }
        }
        None
    }

    /// The best capture that does not lose material. Losing ones are put aside on the way.
    fn good_capture(&mut self, stack: &mut MoveStack, context: &Context<'_>) -> Option<Move> {
        while let Some(m) = self.best(stack) {
            let score = stack[self.cursor - 1].score;
            if context
                .position
                .see_ge(m, -score / context.params.order_good_capture)
            {
                return Some(m);
            }
            stack.swap(self.bad_end, self.cursor - 1);
            self.bad_end += 1;
        }
        None
    }

    /// The next quiet move that is not bad: the best that is left while there are promising ones,
    /// then any.
    fn good_quiet(&mut self, stack: &mut MoveStack, params: &Params) -> Option<Move> {
        let sorted = -params.order_sorted * self.depth;
        while !self.skip_quiets && self.cursor < self.end {
            if !self.unsorted {
                let m = self.best(stack)?;
                let score = stack[self.cursor - 1].score;
                if score < params.order_bad_quiet {
                    // The others are no better.
                    return None;
                }
                self.unsorted = score < sorted;
                return Some(m);
            }
            let ScoredMove { score, m } = stack[self.cursor];
            self.cursor += 1;
            if score >= params.order_bad_quiet && Some(m) != self.tt_move {
                return Some(m);
            }
        }
        None
    }

    /// The next quiet move that was too bad to come before.
    fn bad_quiet(&mut self, stack: &MoveStack, params: &Params) -> Option<Move> {
        while !self.skip_quiets && self.cursor < self.end {
            let ScoredMove { score, m } = stack[self.cursor];
            self.cursor += 1;
            if score < params.order_bad_quiet && Some(m) != self.tt_move {
                return Some(m);
            }
        }
        None
    }

    /// The next check that is neither a capture nor a promotion.
    fn quiet_check(&mut self, stack: &mut MoveStack, position: &Position) -> Option<Move> {
        while let Some(m) = self.best(stack) {
            if !is_noisy(position, m) {
                return Some(m);
            }
        }
        None
    }
}

/// Rank of a capture or promotion: what it wins and how that went before.
fn score_noisy(m: Move, context: &Context<'_>) -> i32 {
    let history = context.histories.capture(m, victim(context.position, m));
    gain(context.position, m) * context.params.order_victim / 2 + history
}

/// Ranks quiet moves.
struct QuietRanks<'a> {
    histories: QuietHistories<'a>,
    checks: &'a CheckSquares,
    /// [`ATTACKED`] and [`DISCOVERER`], by number of square. A power of two is looked into without a check.
    marks: [u8; 128],
}

/// The mark of squares that enemy pawns attack.
const ATTACKED: u8 = 1;
/// The mark of pieces that may give check by going away.
const DISCOVERER: u8 = 2;

impl<'a> QuietRanks<'a> {
    fn new(context: &Context<'a>, checks: &'a CheckSquares) -> Self {
        let us = context.position.side_to_move();
        let pawns = context.position.class_of(us.flip(), MoveClass::Pawn);
        let mut marks = [0; 128];
        for (squares, mark) in [
            (pawns.forward(us.flip()), ATTACKED),
            (checks.discoverers(), DISCOVERER),
        ] {
            squares.for_each(|square| marks[square.index() % 128] |= mark);
        }
        Self {
            histories: context.histories.quiet(us, context.index, context.params),
            checks,
            marks,
        }
    }

    /// Its history, whether it gives a safe check, and what pawns do to the piece. Near the root there is
    /// more to it.
    #[inline(always)]
    fn of(&self, m: Move, context: &Context<'_>) -> i32 {
        let mut rank = self.histories.rank_anywhere(m);
        let marks = |square: Square| self.marks[square.index() % 128];
        let (from, to) = (m.from().map_or(0, marks), marks(m.to()));
        let kind = m.kind_after();
        // Few moves come as far as to be asked whether they give check.
        if from & DISCOVERER != 0 || self.checks.of(kind.move_class()).contains(m.to()) {
            rank += safe_check(m, self.checks, context);
        }
        if (from | to) & ATTACKED != 0 && kind != PieceKind::King && kind != PieceKind::Pawn {
            let value = kind.exchange_value();
            let (flees, exposed) = (from & ATTACKED, to & ATTACKED);
            rank += i32::from(flees) * value * context.params.order_escape / 16;
            rank -= i32::from(exposed) * value * context.params.order_en_prise / 16;
        }
        rank
    }
}

/// Returns what is added to the rank of a move that gives check without losing material; else 0.
#[cold]
fn safe_check(m: Move, checks: &CheckSquares, context: &Context<'_>) -> i32 {
    let position = context.position;
    let p = context.params;
    if position.gives_check(m, checks) && position.see_ge(m, -p.order_check_see) {
        p.order_check
    } else {
        0
    }
}

/// Rank of an evasion: captures first.
fn score_evasion(m: Move, context: &Context<'_>) -> i32 {
    if is_noisy(context.position, m) {
        let attacker = m.piece_before().kind().exchange_value();
        (1 << 20) + gain(context.position, m) - attacker / context.params.order_evasion_attacker
    } else {
        let histories = context.histories;
        let [continuation, _] = histories.continuation(m, context.index);
        histories.main(m) + histories.pawn(m, context.index) + continuation
    }
}
