//! Umigame's numbers: how many lines a player has to know to play best moves whatever best moves the other one chooses.
//! As in Egaroucid, a line ends where the book does, and at a forced pass that the book does not have as a position.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;
use othello_core::{Board, Position, Side, State};

use crate::ops::children;
use crate::store::{PositionData, PositionLookup};

/// Which lines count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UmigameRule {
    /// The ply (discs less 4) from which on the book is not asked.
    pub depth: u32,
    /// The values of moves that count, for black; all if `None`.
    pub range: Option<RangeInclusive<i32>>,
    /// What both players together may lose on a line, in discs; with 0 only best moves count.
    pub loss: i32,
}

impl Default for UmigameRule {
    /// The whole book, best moves.
    fn default() -> Self {
        Self {
            depth: 60,
            range: None,
            loss: 0,
        }
    }
}

/// The numbers of a position, for each player; they saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct UmigameNumbers {
    pub black: u64,
    pub white: u64,
}

impl UmigameNumbers {
    const ONE: Self = Self { black: 1, white: 1 };
}

/// Computes numbers of positions of a book, and remembers them.
#[derive(Debug)]
pub struct Umigame<'a, P> {
    book: &'a P,
    rule: UmigameRule,
    /// By the number of the position, whether black moves, and what may still be lost.
    known: HashMap<(u32, bool, i32), UmigameNumbers>,
    stop: Option<&'a AtomicBool>,
}

impl<'a, P: PositionLookup> Umigame<'a, P> {
    /// Nothing is known yet.
    pub fn new(book: &'a P, rule: UmigameRule) -> Self {
        Self {
            book,
            rule,
            known: HashMap::new(),
            stop: None,
        }
    }

    /// Gives up once `stop` is raised: numbers come at once then, and mean nothing.
    #[must_use]
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// The numbers of a position, after a forced pass: one line each if the book lacks it.
    pub fn of(&mut self, position: Position) -> UmigameNumbers {
        let position = position.after_forced_pass();
        let is_black = position.side() == Side::Black;
        self.visit(position.board(), is_black, self.rule.loss)
    }

    /// The recursion is as deep as a game is long.
    fn visit(&mut self, board: Board, is_black: bool, rest: i32) -> UmigameNumbers {
        let number = self.book.find(board);
        let is_deep = board.discs().saturating_sub(4) >= self.rule.depth;
        let is_stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let Some(number) = number.filter(|_| !is_deep && !is_stopped) else {
            return UmigameNumbers::ONE;
        };
        // Only books of Edax have positions with a forced pass.
        if board.state() == State::Pass {
            return self.visit(board.passed(), !is_black, rest);
        }
        let key = (number, is_black, rest);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let numbers = self.best_moves(board, is_black, rest);
        self.known.insert(key, numbers);
        numbers
    }

    fn best_moves(&mut self, board: Board, is_black: bool, rest: i32) -> UmigameNumbers {
        let children: Vec<_> = children(self.book, board)
            .filter_map(|(child, number)| {
                let known = number.map(|number| self.book.known(number));
                let known = known.filter(PositionData::has_value);
                let own = known.map(|known| known.value);
                let value = crate::convert::links::value_by(self.book, child, own)?;
                Some((child, i32::from(value)))
            })
            .collect();
        let Some(best) = children.iter().map(|&(_, value)| value).max() else {
            return UmigameNumbers::ONE;
        };
        let mut sum = 0u64;
        let mut least = u64::MAX;
        for (child, value) in children {
            let loss = best - value;
            let for_black = if is_black { value } else { -value };
            let counts = self
                .rule
                .range
                .as_ref()
                .is_none_or(|range| range.contains(&for_black));
            if loss > rest || !counts {
                continue;
            }
            let UmigameNumbers { black, white } = self.visit(child, !is_black, rest - loss);
            let (own, other) = if is_black {
                (black, white)
            } else {
                (white, black)
            };
            least = least.min(own);
            sum = sum.saturating_add(other);
        }
        match (least, is_black) {
            (u64::MAX, _) => UmigameNumbers::ONE,
            (own, true) => UmigameNumbers {
                black: own,
                white: sum,
            },
            (own, false) => UmigameNumbers {
                black: sum,
                white: own,
            },
        }
    }
}
