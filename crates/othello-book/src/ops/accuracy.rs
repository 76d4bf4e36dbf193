//! How far the value of a position can be trusted: Egaroucid's grades A to F.

use std::collections::BTreeMap;
use std::fmt;

use hashbrown::HashMap;
use othello_core::{Board, State};

use super::reach::children;
use crate::convert::links::value_by;
use crate::levels::{self, EndGame};
use crate::store::{Find, Known, Positions};

/// What the ends of lines behind a position are that lose less than two discs on the way: the table of Egaroucid's manual.
/// Egaroucid itself gives D where that says E.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// All were searched exactly.
    A,
    /// At least one was searched exactly, the others to the end of the game.
    B,
    /// All were searched to the end of the game.
    C,
    /// At least one was searched exactly, and others not to the end of the game.
    D,
    /// At least one was searched to the end of the game, none exactly, and others not to the end.
    E,
    /// None was searched to the end of the game.
    F,
}

/// How far the value of a position can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Accuracy {
    /// The grade.
    pub grade: Grade,
    /// For [`Grade::A`], the grade where moves may lose two discs too.
    pub wide: Option<Grade>,
}

/// One letter, or two for what has both grades: `F`, `AB`.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.grade)?;
        match self.wide {
            Some(wide) => write!(f, "{wide:?}"),
            None => Ok(()),
        }
    }
}

/// Grades of the positions of a book. Those that were found are kept: two bytes a position.
#[derive(Debug)]
pub struct Accuracies<'a, P> {
    book: &'a P,
    narrow: Grades,
    wide: Grades,
}

/// Grades that were found.
#[derive(Debug)]
struct Grades {
    /// Of positions of the book, by number.
    of: Vec<Option<Grade>>,
    /// Of others.
    others: HashMap<Board, Grade>,
}

impl Grades {
    fn new(count: u32) -> Self {
        Self {
            of: vec![None; count as usize],
            others: HashMap::new(),
        }
    }

    fn get(&self, number: Option<u32>, board: Board) -> Option<Grade> {
        match number {
            Some(number) => self.of[number as usize],
            None => self.others.get(&board.canonical().board).copied(),
        }
    }

    fn put(&mut self, number: Option<u32>, board: Board, grade: Grade) {
        match number {
            Some(number) => self.of[number as usize] = Some(grade),
            None => drop(self.others.insert(board.canonical().board, grade)),
        }
    }
}

/// By how many discs a move may be worse than the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    Narrow = 1,
    Wide = 2,
}

impl<P: Positions> Accuracies<'_, P> {
    /// How many positions of the book have each grade.
    pub fn count(&mut self) -> BTreeMap<Accuracy, u64> {
        let mut counts = BTreeMap::new();
        for number in 0..self.book.bound() {
            let board = self.book.board(number);
            if let Some(accuracy) = board.and_then(|board| self.of(board)) {
                *counts.entry(accuracy).or_default() += 1;
            }
        }
        counts
    }
}

impl<'a, P: Find> Accuracies<'a, P> {
    /// None yet.
    pub fn new(book: &'a P) -> Self {
        Self {
            book,
            narrow: Grades::new(book.bound()),
            wide: Grades::new(book.bound()),
        }
    }

    /// The grade of a position; `None` if the book does not have it. Where the player to move must pass, that is the
    /// position after the pass.
    pub fn of(&mut self, board: Board) -> Option<Accuracy> {
        let board = after_pass(board);
        let number = Some(self.book.find(board)?);
        let grade = self.search(board, number, Window::Narrow);
        let wide = (grade == Grade::A).then(|| self.search(board, number, Window::Wide));
        Some(Accuracy { grade, wide })
    }

    const fn grades(&mut self, window: Window) -> &mut Grades {
        match window {
            Window::Narrow => &mut self.narrow,
            Window::Wide => &mut self.wide,
        }
    }

    /// Goes as deep as a game is long.
    fn search(&mut self, board: Board, number: Option<u32>, window: Window) -> Grade {
        let after = after_pass(board);
        let number = if after == board {
            number
        } else {
            self.book.find(after)
        };
        if let Some(grade) = self.grades(window).get(number, after) {
            return grade;
        }
        let grade = self.grade(after, number, window);
        self.grades(window).put(number, after, grade);
        grade
    }

    fn grade(&mut self, board: Board, number: Option<u32>, window: Window) -> Grade {
        let book = self.book;
        let empties = board.empty().len();
        if board.is_over() {
            return Grade::A;
        }
        let links = children(book, board).filter_map(|(child, own)| {
            let known = own.map(|own| book.known(own)).filter(Known::has_value);
            let value = value_by(book, child, known.map(|known| known.value))?;
            Some((child, own, i32::from(value)))
        });
        let links: Vec<_> = links.collect();
        let known = number.map(|number| book.known(number));
        let Some(best) = links.iter().map(|&(.., value)| value).max() else {
            let level = known.map_or(-1, |known| known.level);
            return of_end(levels::egaroucid(level), empties).unwrap_or(Grade::F);
        };
        let least = best - window as i32;
        let mut found = Found::default();
        for &(child, own, _) in links.iter().filter(|&&(.., value)| value >= least) {
            found.add(self.search(child, own, window));
        }
        let leaf = known.map(|known| known.leaf);
        let leaf = leaf.filter(|leaf| leaf.is_known() && i32::from(leaf.edge.score) >= least);
        // A leaf that was not searched to the end says nothing.
        if let Some(leaf) = leaf
            && let Some(grade) = of_end(levels::egaroucid(leaf.level), empties - 1)
        {
            found.add(grade);
        }
        found.together()
    }
}

fn after_pass(board: Board) -> Board {
    // Looked at twice only where there are no moves.
    if board.legal_moves().is_empty() && board.state() == State::Pass {
        board.passed()
    } else {
        board
    }
}

/// What a search of a position with so many empty squares is worth; `None` if it does not go to the end.
fn of_end(end: EndGame, empties: u32) -> Option<Grade> {
    if empties <= end.exact {
        Some(Grade::A)
    } else if empties <= end.any {
        Some(Grade::C)
    } else {
        None
    }
}

/// The grades of what follows a position.
#[derive(Clone, Copy, Debug, Default)]
struct Found(u8);

impl Found {
    fn add(&mut self, grade: Grade) {
        self.0 |= 1 << grade as u8;
    }

    fn together(self) -> Grade {
        let has = |grades: [Grade; 3]| grades.iter().any(|&grade| self.0 & 1 << grade as u8 != 0);
        let exact = has([Grade::A, Grade::B, Grade::D]);
        let finished = has([Grade::B, Grade::C, Grade::E]);
        let unfinished = has([Grade::D, Grade::E, Grade::F]);
        match (exact, finished, unfinished) {
            (true, false, false) => Grade::A,
            (true, true, false) => Grade::B,
            (false, true, false) => Grade::C,
            (true, _, true) => Grade::D,
            (false, true, true) => Grade::E,
            (false, false, _) => Grade::F,
        }
    }
}
