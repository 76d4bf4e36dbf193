//! The accuracy of values: Egaroucid's grades A to F, from the search depths of levels.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;
use othello_core::{Board, State};

use crate::convert::links::value_by;
use crate::ops::children;
use crate::store::{PositionData, PositionLookup, PositionStore};

/// A grade, by the leaves of the subtree whose lines lose less than two discs: the table of Egaroucid's manual.
/// Egaroucid itself gives D where that says E.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// All leaves were searched exactly.
    A,
    /// Some were searched exactly, the others to the end of the game.
    B,
    /// All were searched to the end of the game.
    C,
    /// Some were searched exactly, others not to the end of the game.
    D,
    /// Some were searched to the end of the game, none exactly, others not to the end.
    E,
    /// None was searched to the end of the game.
    F,
}

/// The accuracy of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Accuracy {
    /// The grade.
    pub grade: Grade,
    /// For [`Grade::A`], the grade where lines may lose two discs.
    pub wide: Option<Grade>,
}

/// Writes one letter, or two for both grades: `F`, `AB`.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.grade)?;
        match self.wide {
            Some(wide) => write!(f, "{wide:?}"),
            None => Ok(()),
        }
    }
}

/// A grader of the positions of a book, which remembers their grades.
#[derive(Debug)]
pub struct Accuracies<'a, P> {
    book: &'a P,
    narrow: Grades,
    wide: Grades,
    stop: Option<&'a AtomicBool>,
}

/// The cache of grades.
#[derive(Debug)]
struct Grades {
    /// Grades of positions of the book, by number; empty if they are among the others.
    of: Vec<Option<Grade>>,
    /// Grades of other positions.
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
            Some(number) if !self.of.is_empty() => self.of[number as usize],
            _ => self.others.get(&board.canonical().board).copied(),
        }
    }

    fn put(&mut self, number: Option<u32>, board: Board, grade: Grade) {
        match number {
            Some(number) if !self.of.is_empty() => self.of[number as usize] = Some(grade),
            _ => drop(self.others.insert(board.canonical().board, grade)),
        }
    }
}

/// The greatest loss of a move, in discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    Narrow = 1,
    Wide = 2,
}

impl<P: PositionStore> Accuracies<'_, P> {
    /// The number of positions of each grade.
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

impl<'a, P: PositionLookup> Accuracies<'a, P> {
    /// A grader of many positions; it takes two bytes of each position of the book.
    pub fn new(book: &'a P) -> Self {
        Self {
            book,
            narrow: Grades::new(book.bound()),
            wide: Grades::new(book.bound()),
            stop: None,
        }
    }

    /// A grader of a few positions; it takes memory for what it looks at. Once `stop` is raised its answers come at once and
    /// mean nothing.
    pub fn of_few(book: &'a P, stop: &'a AtomicBool) -> Self {
        Self {
            book,
            narrow: Grades::new(0),
            wide: Grades::new(0),
            stop: Some(stop),
        }
    }

    /// The grade of a position, or of the one after a forced pass; `None` if it is not in the book.
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

    /// The recursion is as deep as a game is long.
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
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Grade::F;
        }
        if board.is_over() {
            return Grade::A;
        }
        let links = children(book, board).filter_map(|(child, own)| {
            let known = own
                .map(|own| book.known(own))
                .filter(PositionData::has_value);
            let value = value_by(book, child, known.map(|known| known.value))?;
            Some((child, own, i32::from(value)))
        });
        let links: Vec<_> = links.collect();
        let known = number.map(|number| book.known(number));
        let Some(best) = links.iter().map(|&(.., value)| value).max() else {
            let level = known.map_or(-1, |known| known.level);
            return of_end(egaroucid(level), empties).unwrap_or(Grade::F);
        };
        let least = best - window as i32;
        let mut found = GradeSet::default();
        for &(child, own, _) in links.iter().filter(|&&(.., value)| value >= least) {
            found.add(self.search(child, own, window));
        }
        let leaf = known.map(|known| known.leaf);
        let leaf = leaf.filter(|leaf| leaf.is_known() && i32::from(leaf.edge.score) >= least);
        // A leaf that was not searched to the end does not count.
        if let Some(leaf) = leaf
            && let Some(grade) = of_end(egaroucid(leaf.level), empties - 1)
        {
            found.add(grade);
        }
        found.together()
    }
}

fn after_pass(board: Board) -> Board {
    // Two tests, as most boards have moves.
    if board.legal_moves().is_empty() && board.state() == State::Pass {
        board.passed()
    } else {
        board
    }
}

/// The grade of a search by the number of empty squares; `None` if it does not go to the end.
fn of_end(end: EndgameDepth, empties: u32) -> Option<Grade> {
    if empties <= end.exact {
        Some(Grade::A)
    } else if empties <= end.any {
        Some(Grade::C)
    } else {
        None
    }
}

/// The set of grades in a subtree.
#[derive(Clone, Copy, Debug, Default)]
struct GradeSet(u8);

impl GradeSet {
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

// The search depths of the levels of Egaroucid and Edax.

/// The numbers of empty squares from which a level of Egaroucid searches to the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndgameDepth {
    /// With any selectivity.
    pub(crate) any: u32,
    /// Exactly.
    pub(crate) exact: u32,
}

/// The end-game depths by the highest level of each row: with any selectivity, then exactly. Up to level 10 both are
/// twice the level.
const EGAROUCID: [(i8, u32, u32); 27] = [
    (12, 25, 21),
    (14, 27, 21),
    (17, 27, 22),
    (19, 29, 22),
    (22, 30, 24),
    (24, 32, 26),
    (26, 34, 26),
    (28, 36, 28),
    (30, 36, 30),
    (32, 38, 30),
    (34, 38, 32),
    (36, 40, 32),
    (38, 40, 34),
    (40, 42, 34),
    (42, 42, 36),
    (44, 44, 36),
    (46, 44, 38),
    (48, 46, 38),
    (50, 46, 40),
    (51, 48, 40),
    (52, 50, 42),
    (53, 54, 46),
    (54, 56, 48),
    (55, 58, 50),
    (56, 60, 52),
    (57, 60, 54),
    (58, 60, 56),
];

/// The end-game depths of a level of Egaroucid. Values entered by hand (level 70) count as exact, undefined levels as
/// unsearched.
pub(crate) fn egaroucid(level: i8) -> EndgameDepth {
    let (any, exact) = match level {
        ..=0 => (0, 0),
        1..=10 => (2 * level as u32, 2 * level as u32),
        59 => (60, 58),
        60.. => (60, 60),
        _ => {
            let row = EGAROUCID.iter().find(|(last, ..)| level <= *last);
            row.map_or((60, 60), |&(_, any, exact)| (any, exact))
        }
    };
    EndgameDepth { any, exact }
}

/// A search setting of Edax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    /// The depth in plies; the number of empty squares for a search to the end of the game.
    pub(crate) depth: u32,
    /// True if the search is exact, without selective pruning.
    pub(crate) exact: bool,
}

/// The search setting of Edax for a level and a number of empty squares.
pub(crate) fn edax(level: u8, empties: u32) -> Search {
    let level = u32::from(level);
    // The numbers of empty squares for an exact search, and for one to the end at all.
    let (exact, any) = match level {
        0..=10 => (2 * level, 2 * level),
        11..=12 => (21, 24),
        13..=18 => (21, 27),
        19..=21 => (24, 30),
        22..=24 => (24, 33),
        25..=27 => (27, 33),
        28..=29 => (27, 36),
        30..=31 => (30, 36),
        32..=35 => (30, 39),
        36..=59 => (level - 6, level + 9),
        _ => (60, 60),
    };
    if level > 0 && empties <= any {
        let exact = empties <= exact;
        Search {
            depth: empties,
            exact,
        }
    } else {
        Search {
            depth: level,
            exact: level <= 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_depths_of_the_programs() {
        for (level, any, exact) in [
            (-1, 0, 0),
            (5, 10, 10),
            (11, 25, 21),
            (21, 30, 24),
            (27, 36, 28),
            (51, 48, 40),
            (58, 60, 56),
            (59, 60, 58),
            (60, 60, 60),
            (70, 60, 60),
        ] {
            assert_eq!(egaroucid(level), EndgameDepth { any, exact }, "{level}");
        }
        let search = |depth, exact| Search { depth, exact };
        assert_eq!(edax(0, 0), search(0, true));
        assert_eq!(edax(1, 2), search(2, true));
        assert_eq!(edax(1, 3), search(1, true));
        assert_eq!(edax(21, 24), search(24, true));
        assert_eq!(edax(21, 25), search(25, false));
        assert_eq!(edax(21, 31), search(21, false));
        assert_eq!(edax(36, 31), search(31, false));
        assert_eq!(edax(60, 55), search(55, true));
    }

    #[test]
    fn higher_levels_search_no_less() {
        for level in 0..60i8 {
            let (low, high) = (egaroucid(level), egaroucid(level + 1));
            assert!(low.any <= high.any && low.exact <= high.exact, "{level}");
        }
    }
}
