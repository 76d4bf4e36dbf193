//! Negamax and line counts: as Egaroucid does them, and as Edax does, with bounds and game counts.

use othello_core::{Board, State};

use super::accuracy;
use crate::Edge;
use crate::edax::EdaxHeader;
use crate::egaroucid::BookLeaf;
use crate::ops::children;
use crate::store::{BitSet, Bounds, GameCounts, PositionData, PositionStore};

/// The greatest number of lines; higher counts saturate.
const MOST_LINES: u64 = 4_000_000_000;

/// The use of leaves for the value of their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafValues {
    /// Only links count, as in Egaroucid.
    Ignore,
    /// The leaf counts like a link, as in Egaroucid's "Edax compliant" negamax.
    Count,
    /// The leaf counts like a link, unless it leads to a position of the book.
    CountOpen,
}

/// The counts of [`fix`] or [`negamax`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixReport {
    /// Positions that were reached.
    pub reached: u64,
    /// Positions with a new value.
    pub values: u64,
    /// Positions with a new number of lines.
    pub lines: u64,
    /// Deleted leaves.
    pub leaves: u64,
    /// Positions with new bounds or game counts.
    pub bounds: u64,
}

/// Recomputes values from the leaves back to `start`: each position gets the value of its best link. Recounts lines.
/// Positions without links keep their value, and all keep their level.
pub fn negamax(book: &mut impl PositionStore, start: Board, leaves: LeafValues) -> FixReport {
    Negamax::new(book, Some(leaves)).run(start)
}

/// Recounts lines from `start` on: one for the position, plus those of its children.
pub fn count_lines(book: &mut impl PositionStore, start: Board) -> FixReport {
    Negamax::new(book, None).run(start)
}

/// [`negamax`] without leaves, then deletes invalid leaves: those that are illegal or lead to a position of the book.
/// Those that say that every move is in the book stay.
pub fn fix(book: &mut impl PositionStore, start: Board) -> FixReport {
    let mut fixed = negamax(book, start, LeafValues::Ignore);
    fixed.leaves = delete_invalid_leaves(book);
    fixed
}

/// [`fix`] with leaves counted for values: invalid ones are deleted first.
pub fn fix_with_leaves(book: &mut impl PositionStore, start: Board) -> FixReport {
    let leaves = delete_invalid_leaves(book);
    FixReport {
        leaves,
        ..negamax(book, start, LeafValues::Count)
    }
}

/// Deletes invalid leaves and returns their number.
fn delete_invalid_leaves(book: &mut impl PositionStore) -> u64 {
    let mut count = 0;
    for number in 0..book.bound() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let known = book.known(number);
        let leaf = known.leaf;
        let child = leaf.edge.legal_on(board).and_then(|mv| board.after(mv));
        let is_new = child.is_some_and(|child| book.value_of_move(child).is_none());
        let stays = is_new || leaf.edge.number == Edge::NONE;
        if !stays && leaf != BookLeaf::UNDEFINED {
            let leaf = BookLeaf::UNDEFINED;
            book.set(number, &PositionData { leaf, ..known });
            count += 1;
        }
    }
    count
}

/// The value of a position, if it has one, and its lines.
type SubtreeResult = (Option<i32>, u64);

/// The value of a position, if it has one.
fn value(known: &PositionData) -> Option<i32> {
    known.has_value().then_some(i32::from(known.value))
}

struct Negamax<'a, P> {
    book: &'a mut P,
    /// The finished positions.
    seen: BitSet,
    /// The rule by which values change, if they do.
    values: Option<LeafValues>,
    fixed: FixReport,
}

impl<'a, P: PositionStore> Negamax<'a, P> {
    fn new(book: &'a mut P, values: Option<LeafValues>) -> Self {
        Self {
            seen: BitSet::new(book.bound().into()),
            book,
            values,
            fixed: FixReport::default(),
        }
    }

    fn run(mut self, start: Board) -> FixReport {
        self.visit(start, self.book.find(start));
        self.fixed
    }

    /// Visits a board, with its number if it is in the book. The recursion is as deep as a game is long, at most 121
    /// plies.
    fn visit(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        match board.state() {
            State::Moves => self.visit_position(board, number),
            State::Pass => self.visit_pass(board, number),
            State::Over => self.visit_end(board, number),
        }
    }

    /// Visits a forced pass, which books of Edax store.
    fn visit_pass(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let after = board.passed();
        let (after, lines) = self.visit(after, self.book.find(after));
        let after = after.map(|value| -value);
        let Some(number) = number else {
            return (after, lines);
        };
        let known = self.book.known(number);
        let mut new = known;
        if let Some(after) = after {
            new.lines = lines as u32;
            if self.values.is_some() {
                new.value = after as i8;
            }
        }
        self.change(number, &known, &new);
        (value(&new), u64::from(new.lines))
    }

    fn visit_end(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let of = |number: Option<u32>| Some((number?, value(&self.book.known(number?))?));
        let negated = |(number, value): (u32, i32)| (number, -value);
        let found = of(number).or_else(|| of(self.book.find(board.passed())).map(negated));
        let Some((number, value)) = found else {
            return (None, 0);
        };
        self.fixed.reached += u64::from(self.seen.add(number.into()));
        (Some(value), 1)
    }

    fn change(&mut self, number: u32, old: &PositionData, new: &PositionData) {
        if !self.seen.add(number.into()) {
            return;
        }
        self.fixed.reached += 1;
        self.fixed.values += u64::from(new.value != old.value);
        self.fixed.lines += u64::from(new.lines != old.lines);
        if new != old {
            self.book.set(number, new);
        }
    }

    fn visit_position(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let Some(number) = number else {
            return (None, 0);
        };
        let known = self.book.known(number);
        if self.seen.has(number.into()) {
            return (value(&known), u64::from(known.lines));
        }
        let mut leaf = match self.values {
            Some(LeafValues::Count | LeafValues::CountOpen) if known.leaf.is_known() => {
                Some(known.leaf.edge)
            }
            _ => None,
        };
        let (mut best, mut lines) = (None, 1);
        // Numbers of moves are those of the canonical board, on which the order of the children is another one.
        let canonical = board.canonical().board;
        for (square, (child, number)) in
            (canonical.legal_moves().iter()).zip(children(self.book, canonical))
        {
            let (value, more) = self.visit(child, number);
            lines += more;
            best = best.max(value.map(|value| -value));
            let is_here = leaf.is_some_and(|leaf| leaf.number == square.number());
            if is_here && value.is_some() && self.values == Some(LeafValues::CountOpen) {
                leaf = None;
            }
        }
        let best = best.max(leaf.map(|leaf| i32::from(leaf.score)));
        let mut new = known;
        new.lines = lines.min(MOST_LINES) as u32;
        if self.values.is_some()
            && let Some(best) = best
        {
            new.value = best.clamp(-64, 64) as i8;
        }
        self.change(number, &known, &new);
        (value(&new), u64::from(new.lines))
    }
}

// Edax's negamax: values, bounds, game counts and lines.

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

/// The bounds of a leaf of a position of some level, as Edax assumes them: exact if the search was exact to the end of the
/// game, else with the errors of the header.
pub fn edax_leaf_bounds(value: i32, level: i8, empties: u32, header: &EdaxHeader) -> [i32; 2] {
    let search = accuracy::edax(level.max(0) as u8, empties);
    if search.depth != empties {
        // Edax corrects the bias of its values by the parity of the depth.
        let bias = (search.depth & 1) as i32 - (empties & 1) as i32;
        let error = header.midgame_error;
        [value - error - bias, value + error - bias]
    } else if search.exact {
        [value; 2]
    } else {
        [value - header.endcut_error, value + header.endcut_error]
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
    header: EdaxHeader,
    fixed: FixReport,
}

impl<'a, P: PositionStore> EdaxNegamax<'a, P> {
    fn new(book: &'a mut P, header: &EdaxHeader) -> Self {
        Self {
            seen: BitSet::new(book.bound().into()),
            book,
            header: EdaxHeader {
                midgame_error: header.midgame_error.clamp(0, INFINITE),
                endcut_error: header.endcut_error.clamp(0, INFINITE),
                ..*header
            },
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
        let [lower, upper] = edax_leaf_bounds(value, level, empties, &self.header);
        let mut sum = SubtreeSum {
            value,
            lower,
            upper,
            lines: 1,
            ..SubtreeSum::NOTHING
        };
        let search = accuracy::edax(level.max(0) as u8, empties);
        if search.depth == empties && search.exact {
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
