//! Values, bounds, games and lines from the ends of lines back, as Edax counts them.

use othello_core::{Board, State};

use super::Fixed;
use super::reach::children;
use crate::edax::Header;
use crate::egaroucid::Leaf;
use crate::levels;
use crate::store::{Bits, Bounds, Games, Known, Positions};

/// The value that is less than any.
const INFINITE: i32 = 127;

/// Gives each position that `start` leads to what follows from its moves to positions of the book and from its leaf, as
/// Edax's `book negamax` does: its value and the bounds of it, games that were solved, and lines. A leaf counts for its
/// level: exactly where the search went to the end of the game without pruning, else with the errors that the header
/// tells. Leaves that lead to a position of the book are taken away. Levels stay, and so does a position that has no
/// moves in the book.
pub fn negamax_edax(book: &mut impl Positions, start: Board, header: &Header) -> Fixed {
    let mut work = Work::new(book, header);
    work.visit(start, work.book.find(start));
    work.fixed
}

/// [`negamax_edax`] of the start, and of all positions that it does not lead to.
pub(crate) fn negamax_edax_all(book: &mut impl Positions, header: &Header) {
    let mut work = Work::new(book, header);
    work.visit(Board::START, work.book.find(Board::START));
    for number in 0..work.book.bound() {
        if let Some(board) = work.book.board(number) {
            work.visit(board, Some(number));
        }
    }
}

/// What a position tells the one before it, in the view of its own player.
#[derive(Clone, Copy, Debug)]
struct Sum {
    value: i32,
    lower: i32,
    upper: i32,
    games: Games,
    lines: u32,
}

impl Sum {
    const NOTHING: Self = Self {
        value: -INFINITE,
        lower: -INFINITE,
        upper: -INFINITE,
        games: Games {
            wins: 0,
            draws: 0,
            losses: 0,
        },
        lines: 0,
    };

    fn of(known: &Known) -> Self {
        Self {
            value: i32::from(known.value),
            lower: i32::from(known.bounds.lower),
            upper: i32::from(known.bounds.upper),
            games: known.games,
            lines: known.lines,
        }
    }

    /// Whether it has a value.
    const fn is_known(&self) -> bool {
        self.value.abs() < INFINITE
    }

    /// In the view of the other player.
    fn turned(self) -> Self {
        let Games {
            wins,
            draws,
            losses,
        } = self.games;
        Self {
            value: -self.value,
            lower: -self.upper,
            upper: -self.lower,
            games: Games {
                wins: losses,
                draws,
                losses: wins,
            },
            lines: self.lines,
        }
    }

    /// Another move.
    fn add(&mut self, mv: Self) {
        self.value = self.value.max(mv.value);
        self.lower = self.lower.max(mv.lower);
        self.upper = self.upper.max(mv.upper);
        let games = &mut self.games;
        games.wins = games.wins.saturating_add(mv.games.wins);
        games.draws = games.draws.saturating_add(mv.games.draws);
        games.losses = games.losses.saturating_add(mv.games.losses);
        self.lines = self.lines.saturating_add(mv.lines);
    }

    /// What a table says of a position with these sums.
    fn known(self, old: &Known) -> Known {
        let small = |value: i32| value.clamp(-INFINITE, INFINITE) as i8;
        Known {
            value: small(self.value),
            lines: self.lines,
            games: self.games,
            bounds: Bounds {
                lower: small(self.lower),
                upper: small(self.upper),
            },
            ..*old
        }
    }
}

struct Work<'a, P> {
    book: &'a mut P,
    /// Positions that are what they will be.
    seen: Bits,
    midgame_error: i32,
    endcut_error: i32,
    fixed: Fixed,
}

impl<'a, P: Positions> Work<'a, P> {
    fn new(book: &'a mut P, header: &Header) -> Self {
        Self {
            seen: Bits::new(book.bound().into()),
            book,
            midgame_error: header.midgame_error.clamp(0, INFINITE),
            endcut_error: header.endcut_error.clamp(0, INFINITE),
            fixed: Fixed::default(),
        }
    }

    /// What the book says of a position in the end; `None` if it does not have it. Goes as deep as a game is long.
    fn visit(&mut self, board: Board, number: Option<u32>) -> Option<Sum> {
        let Some(number) = number else {
            let after = (board.state() == State::Pass).then_some(board.passed())?;
            return self.visit(after, self.book.find(after)).map(Sum::turned);
        };
        let known = self.book.known(number);
        if !self.seen.add(number.into()) {
            return Some(Sum::of(&known));
        }
        self.fixed.reached += 1;
        // Leaves are moves of the board as the book has it.
        let new = self.visited(self.book.board(number)?, known);
        self.fixed.values += u64::from(new.value != known.value);
        self.fixed.lines += u64::from(new.lines != known.lines);
        self.fixed.leaves += u64::from(new.leaf != known.leaf);
        self.fixed.bounds += u64::from(new.bounds != known.bounds || new.games != known.games);
        if new != known {
            self.book.set(number, &new);
        }
        Some(Sum::of(&new))
    }

    fn visited(&mut self, board: Board, known: Known) -> Known {
        let mut links = Sum::NOTHING;
        let mut leaf = known.leaf;
        let mut is_end = true;
        match board.state() {
            State::Moves => {
                let squares = board.legal_moves();
                let children = children(self.book, board);
                for (square, (child, number)) in squares.iter().zip(children) {
                    let child = self.visit(child, number).filter(Sum::is_known);
                    let Some(child) = child else {
                        continue;
                    };
                    links.add(child.turned());
                    is_end = false;
                    if leaf.edge.number == square.number() {
                        leaf = Leaf::UNDEFINED;
                    }
                }
            }
            State::Pass => {
                let after = board.passed();
                let after = self.visit(after, self.book.find(after));
                if let Some(after) = after.filter(Sum::is_known) {
                    links.add(after.turned());
                    is_end = false;
                    leaf = Leaf::UNDEFINED;
                }
            }
            State::Over => {
                leaf = Leaf {
                    edge: crate::Edge {
                        score: known.value,
                        ..leaf.edge
                    },
                    level: known.level,
                };
            }
        }
        if leaf.is_known() {
            links.add(self.leaf(board, leaf, known.level));
            is_end = false;
        }
        let leaf = if board.state() == State::Over {
            known.leaf
        } else {
            leaf
        };
        if is_end {
            return Known { leaf, ..known };
        }
        Known {
            leaf,
            ..links.known(&known)
        }
    }

    fn leaf(&self, board: Board, leaf: Leaf, level: i8) -> Sum {
        let value = i32::from(leaf.edge.score);
        let empties = board.empty().len();
        let search = levels::edax(level.max(0) as u8, empties);
        let mut sum = Sum {
            value,
            lower: value,
            upper: value,
            lines: 1,
            ..Sum::NOTHING
        };
        if search.depth != empties {
            // Edax knows that its values lean to one side, by whether the depth is odd.
            let bias = (search.depth & 1) as i32 - (empties & 1) as i32;
            sum.lower = value - self.midgame_error - bias;
            sum.upper = value + self.midgame_error - bias;
        } else if !search.exact {
            sum.lower = value - self.endcut_error;
            sum.upper = value + self.endcut_error;
        } else {
            let count = match value.signum() {
                1 => &mut sum.games.wins,
                0 => &mut sum.games.draws,
                _ => &mut sum.games.losses,
            };
            *count = 1;
        }
        sum
    }
}
