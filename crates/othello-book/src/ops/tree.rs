//! The lines of a book: as a tree, those that are drawn, and where players left them.

use hashbrown::HashMap;
use othello_core::{Board, Game, Move, Position, Square, State};

use crate::convert::links::value_by;
use crate::ops::children;
use crate::store::{GameCounts, PositionData, PositionLookup};

/// A move of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookStep {
    /// The move.
    pub square: Square,
    /// Value in discs for the player who makes it.
    pub value: i32,
    /// The number of the position behind it, after a forced pass; `None` if the game is over, or the move is the leaf.
    pub number: Option<u32>,
    /// The position behind it, after a forced pass.
    pub position: Position,
    /// True if it is the leaf.
    pub is_leaf: bool,
}

/// The moves of a position that the book knows, best first, equal ones in the order of their squares; without its leaf.
pub fn book_steps(book: &impl PositionLookup, position: Position) -> Vec<BookStep> {
    steps(book, position, false)
}

/// [`book_steps`] with the leaf of the position.
pub fn book_steps_and_leaf(book: &impl PositionLookup, position: Position) -> Vec<BookStep> {
    steps(book, position, true)
}

fn steps(book: &impl PositionLookup, position: Position, with_leaf: bool) -> Vec<BookStep> {
    let board = position.board();
    let mut steps = Vec::new();
    for (square, (child, number)) in board.legal_moves().iter().zip(children(book, board)) {
        let known = number
            .map(|number| book.known(number))
            .filter(PositionData::has_value);
        let value = value_by(book, child, known.map(|known| known.value));
        if let (Some(value), Some(next)) = (value, position.try_play(square).ok()) {
            steps.push(step(book, square, i32::from(value), next, false));
        }
    }
    let leaf = book
        .look_up(board)
        .map(|known| known.leaf)
        .filter(|leaf| leaf.is_known() && with_leaf);
    if let Some(leaf) = leaf {
        let canonical = board.canonical();
        let mv = leaf
            .edge
            .legal_on(canonical.board)
            .map(|mv| canonical.back().apply(mv));
        let square = match mv {
            Some(Move::Place(square)) => Some(square),
            _ => None,
        };
        let next = square.and_then(|square| Some((square, position.try_play(square).ok()?)));
        if let Some((square, next)) =
            next.filter(|(square, _)| steps.iter().all(|step| step.square != *square))
        {
            steps.push(step(book, square, i32::from(leaf.edge.score), next, true));
        }
    }
    steps.sort_by_key(|step| -step.value);
    steps
}

fn step(
    book: &impl PositionLookup,
    square: Square,
    value: i32,
    next: Position,
    is_leaf: bool,
) -> BookStep {
    let position = next.after_forced_pass();
    let number = book
        .find(position.board())
        .or_else(|| book.find(next.board()));
    let is_over = position.board().state() == State::Over;
    BookStep {
        square,
        value,
        number: number.filter(|_| !is_leaf && !is_over),
        position,
        is_leaf,
    }
}

/// Limits of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// Moves from its root.
    pub depth: u32,
    /// The greatest loss of a move, in discs.
    pub error: i32,
    /// True if leaves are shown.
    pub leaves: bool,
}

/// A row of a tree: a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeRow {
    /// Moves from the root, at least 1.
    pub depth: u32,
    /// The move.
    pub square: Square,
    /// Value in discs for the player who makes it.
    pub value: i32,
    /// Lines of the book behind it.
    pub lines: u64,
    /// The share of those in the lines behind all moves of its position, 0 to 1.
    pub share: f64,
    /// Games of the book behind it, for the player who makes it.
    pub games: GameCounts,
    /// The row, counted from 0, that has the same position and what follows it.
    pub same_as: Option<usize>,
    /// True if it is a leaf.
    pub is_leaf: bool,
}

/// The moves of a book from a position on, each behind the one before it. A position that several lines lead to is shown
/// once.
pub fn book_tree(book: &impl PositionLookup, root: Position, limits: TreeLimits) -> Vec<TreeRow> {
    let mut tree = Tree {
        book,
        limits,
        rows: Vec::new(),
        shown: HashMap::new(),
    };
    tree.visit(root.after_forced_pass(), 1);
    tree.rows
}

struct Tree<'a, P> {
    book: &'a P,
    limits: TreeLimits,
    rows: Vec<TreeRow>,
    /// The row of each position that is shown.
    shown: HashMap<Board, usize>,
}

impl<P: PositionLookup> Tree<'_, P> {
    /// The recursion is as deep as a game is long.
    fn visit(&mut self, position: Position, depth: u32) {
        if depth > self.limits.depth {
            return;
        }
        let steps = steps(self.book, position, self.limits.leaves);
        let lines_of = |step: &BookStep| match step.number {
            Some(number) => u64::from(self.book.known(number).lines).max(1),
            None => 1,
        };
        let lines: Vec<_> = steps.iter().map(lines_of).collect();
        let sum: u64 = lines.iter().sum();
        let best = steps.first().map_or(0, |step| step.value);
        for (step, lines) in steps.iter().zip(lines) {
            if best - step.value > self.limits.error {
                continue;
            }
            let board = step.position.board().canonical().board;
            let same_as = self.shown.get(&board).copied();
            let games = step
                .number
                .map_or_else(GameCounts::default, |number| self.book.known(number).games);
            let is_other = step.position.side() != position.side();
            let games = if is_other {
                games.for_opponent()
            } else {
                games
            };
            self.rows.push(TreeRow {
                depth,
                square: step.square,
                value: step.value,
                lines,
                share: lines as f64 / sum.max(1) as f64,
                games,
                same_as,
                is_leaf: step.is_leaf,
            });
            if same_as.is_none() && step.number.is_some() {
                self.shown.insert(board, self.rows.len() - 1);
                self.visit(step.position, depth + 1);
            }
        }
    }
}

/// The drawn lines of a book: those of moves of value 0 from a position of value 0.
#[derive(Debug)]
pub struct DrawnLines<'a, P> {
    book: &'a P,
    counts: HashMap<Board, u64>,
}

impl<'a, P: PositionLookup> DrawnLines<'a, P> {
    /// Nothing is counted yet.
    pub fn new(book: &'a P) -> Self {
        Self {
            book,
            counts: HashMap::new(),
        }
    }

    /// The number of lines from a position to where the book knows no move of value 0; 0 if the position has another
    /// value. It saturates.
    pub fn count(&mut self, position: Position) -> u64 {
        let position = position.after_forced_pass();
        let is_drawn = self
            .book
            .look_up(position.board())
            .is_some_and(|known| known.value == 0);
        if is_drawn { self.behind(position) } else { 0 }
    }

    fn behind(&mut self, position: Position) -> u64 {
        let board = position.board().canonical().board;
        if let Some(count) = self.counts.get(&board) {
            return *count;
        }
        let steps = self.steps(position).into_iter();
        let counts = steps.map(|step| {
            if step.number.is_some() {
                self.behind(step.position)
            } else {
                1
            }
        });
        let count = counts.fold(0, u64::saturating_add).max(1);
        self.counts.insert(board, count);
        count
    }

    fn steps(&self, position: Position) -> Vec<BookStep> {
        let mut steps = book_steps(self.book, position);
        steps.retain(|step| step.value == 0);
        steps
    }

    /// Calls `each` with the moves of lines from a position, at most `most` lines.
    ///
    /// # Errors
    ///
    /// The errors of `each`.
    pub fn for_each<E>(
        &self,
        position: Position,
        most: u64,
        each: &mut dyn FnMut(&[Square]) -> Result<(), E>,
    ) -> Result<(), E> {
        let position = position.after_forced_pass();
        if self
            .book
            .look_up(position.board())
            .is_some_and(|known| known.value == 0)
        {
            self.list(position, &mut Vec::new(), &mut { most }, each)?;
        }
        Ok(())
    }

    fn list<E>(
        &self,
        position: Position,
        line: &mut Vec<Square>,
        left: &mut u64,
        each: &mut dyn FnMut(&[Square]) -> Result<(), E>,
    ) -> Result<(), E> {
        let steps = self.steps(position);
        if steps.is_empty() && *left > 0 {
            *left -= 1;
            return each(line);
        }
        for step in steps {
            if *left == 0 {
                break;
            }
            line.push(step.square);
            if step.number.is_some() {
                self.list(step.position, line, left, each)?;
            } else {
                *left -= 1;
                each(line)?;
            }
            line.pop();
        }
        Ok(())
    }
}

/// Where a player left the book: a move that loses more than was allowed, or that the book does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The position before the move.
    pub position: Position,
    /// The move that was made.
    pub played: Square,
    /// The number of moves before it, passes not counted.
    pub ply: usize,
    /// What it loses by the book, in discs; `None` if the book does not know it.
    pub loss: Option<i32>,
    /// The moves of the book, best first.
    pub known: Vec<BookStep>,
}

/// The first move of a game, of those by players for whom `whose` is true, that loses more than `error` discs or is not in
/// the book. `None` if there is none before the book ends.
pub fn departure(
    book: &impl PositionLookup,
    game: &Game,
    error: i32,
    whose: impl Fn(othello_core::Side) -> bool,
) -> Option<Departure> {
    let mut position = game.start();
    let mut ply = 0;
    for &mv in game.moves() {
        if let Move::Place(square) = mv {
            let known = book_steps_and_leaf(book, position);
            let best = known.first()?.value;
            let played = known
                .iter()
                .find(|step| step.square == square || is_image(position, step.square, square));
            let loss = played.map(|step| best - step.value);
            if whose(position.side()) && loss.is_none_or(|loss| loss > error) {
                return Some(Departure {
                    position,
                    played: square,
                    ply,
                    loss,
                    known,
                });
            }
            loss?;
            position = position.try_play(square).ok()?;
            ply += 1;
        } else {
            position = position.passed();
        }
    }
    None
}

/// Returns whether two moves lead to images of one board.
fn is_image(position: Position, one: Square, other: Square) -> bool {
    let child = |square| {
        position
            .board()
            .try_play(square)
            .ok()
            .map(|child| child.canonical().board)
    };
    child(one).is_some() && child(one) == child(other)
}
