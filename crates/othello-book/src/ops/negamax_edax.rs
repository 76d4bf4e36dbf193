//! Edax's negamax: values, bounds, game counts and lines.

use othello_core::{Board, State};

use crate::edax::EdaxHeader;
use crate::egaroucid::BookLeaf;
use crate::levels;
use crate::ops::{FixReport, children};
use crate::store::{BitSet, Bounds, GameCounts, PositionData, PositionStore};

/// The infinite value.
const INFINITE: i32 = 127;

/// Recomputes the positions reachable from `start` from their links and leaves, as Edax's `book negamax` does: value,
/// bounds, solved games and lines. A leaf counts by its level: exactly if the search was exact to the end of the game,
/// else with the errors of the header. Leaves that lead to a position of the book are deleted. Levels stay, and so do
/// positions without moves in the book.
pub fn negamax_edax(book: &mut impl PositionStore, start: Board, header: &EdaxHeader) -> FixReport {
    let mut work = EdaxNegamax::new(book, header);
    work.visit(start, work.book.find(start));
    work.fixed
}

/// [`negamax_edax`] of the start position, and of all isolated positions.
pub(crate) fn negamax_edax_all(book: &mut impl PositionStore, header: &EdaxHeader) {
    let mut work = EdaxNegamax::new(book, header);
    work.visit(Board::START, work.book.find(Board::START));
    for number in 0..work.book.bound() {
        if let Some(board) = work.book.board(number) {
            work.visit(board, Some(number));
        }
    }
}

/// The result of a subtree, from the view of its player to move.
#[derive(Clone, Copy, Debug)]
struct SubtreeSum {
    value: i32,
    lower: i32,
    upper: i32,
    games: GameCounts,
    lines: u32,
}

impl SubtreeSum {
    const NOTHING: Self = Self {
        value: -INFINITE,
        lower: -INFINITE,
        upper: -INFINITE,
        games: GameCounts {
            wins: 0,
            draws: 0,
            losses: 0,
        },
        lines: 0,
    };

    fn of(known: &PositionData) -> Self {
        Self {
            value: i32::from(known.value),
            lower: i32::from(known.bounds.lower),
            upper: i32::from(known.bounds.upper),
            games: known.games,
            lines: known.lines,
        }
    }

    /// Returns whether it has a value.
    const fn is_known(&self) -> bool {
        self.value.abs() < INFINITE
    }

    /// The result from the other player's view.
    fn negated(self) -> Self {
        let GameCounts {
            wins,
            draws,
            losses,
        } = self.games;
        Self {
            value: -self.value,
            lower: -self.upper,
            upper: -self.lower,
            games: GameCounts {
                wins: losses,
                draws,
                losses: wins,
            },
            lines: self.lines,
        }
    }

    /// Adds a move.
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

    /// The data of a position with these results.
    fn known(self, old: &PositionData) -> PositionData {
        let small = |value: i32| value.clamp(-INFINITE, INFINITE) as i8;
        PositionData {
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

struct EdaxNegamax<'a, P> {
    book: &'a mut P,
    /// The finished positions.
    seen: BitSet,
    midgame_error: i32,
    endcut_error: i32,
    fixed: FixReport,
}

impl<'a, P: PositionStore> EdaxNegamax<'a, P> {
    fn new(book: &'a mut P, header: &EdaxHeader) -> Self {
        Self {
            seen: BitSet::new(book.bound().into()),
            book,
            midgame_error: header.midgame_error.clamp(0, INFINITE),
            endcut_error: header.endcut_error.clamp(0, INFINITE),
            fixed: FixReport::default(),
        }
    }

    /// Visits a position and returns its result; `None` if it is not in the book. The recursion is as deep as a game is
    /// long.
    fn visit(&mut self, board: Board, number: Option<u32>) -> Option<SubtreeSum> {
        let Some(number) = number else {
            let after = (board.state() == State::Pass).then_some(board.passed())?;
            return self
                .visit(after, self.book.find(after))
                .map(SubtreeSum::negated);
        };
        let known = self.book.known(number);
        if !self.seen.add(number.into()) {
            return Some(SubtreeSum::of(&known));
        }
        self.fixed.reached += 1;
        // Leaves are moves on the stored board.
        let new = self.visited(self.book.board(number)?, known);
        self.fixed.values += u64::from(new.value != known.value);
        self.fixed.lines += u64::from(new.lines != known.lines);
        self.fixed.leaves += u64::from(new.leaf != known.leaf);
        self.fixed.bounds += u64::from(new.bounds != known.bounds || new.games != known.games);
        if new != known {
            self.book.set(number, &new);
        }
        Some(SubtreeSum::of(&new))
    }

    fn visited(&mut self, board: Board, known: PositionData) -> PositionData {
        let mut links = SubtreeSum::NOTHING;
        let mut leaf = known.leaf;
        let mut is_end = true;
        match board.state() {
            State::Moves => {
                let squares = board.legal_moves();
                let children = children(self.book, board);
                for (square, (child, number)) in squares.iter().zip(children) {
                    let child = self.visit(child, number).filter(SubtreeSum::is_known);
                    let Some(child) = child else {
                        continue;
                    };
                    links.add(child.negated());
                    is_end = false;
                    if leaf.edge.number == square.number() {
                        leaf = BookLeaf::UNDEFINED;
                    }
                }
            }
            State::Pass => {
                let after = board.passed();
                let after = self.visit(after, self.book.find(after));
                if let Some(after) = after.filter(SubtreeSum::is_known) {
                    links.add(after.negated());
                    is_end = false;
                    leaf = BookLeaf::UNDEFINED;
                }
            }
            State::Over => {
                leaf = BookLeaf {
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
            return PositionData { leaf, ..known };
        }
        PositionData {
            leaf,
            ..links.known(&known)
        }
    }

    fn leaf(&self, board: Board, leaf: BookLeaf, level: i8) -> SubtreeSum {
        let value = i32::from(leaf.edge.score);
        let empties = board.empty().len();
        let search = levels::edax(level.max(0) as u8, empties);
        let mut sum = SubtreeSum {
            value,
            lower: value,
            upper: value,
            lines: 1,
            ..SubtreeSum::NOTHING
        };
        if search.depth != empties {
            // Edax corrects the bias of its values by the parity of the depth.
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
