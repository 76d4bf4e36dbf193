//! How far the value of a position can be trusted: Egaroucid's grades A to F.

use std::collections::BTreeMap;
use std::fmt;

use hashbrown::HashMap;
use othello_core::{Board, State};

use crate::levels::{self, EndGame};
use crate::store::Table;

/// What the ends of lines behind a position are that lose less than two discs on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// All were searched exactly.
    A,
    /// At least one was searched exactly, the others to the end of the game.
    B,
    /// All were searched to the end of the game.
    C,
    /// Some were searched exactly or to the end of the game, others were not.
    D,
    /// Some were searched to the end of the game.
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

/// Grades of the positions of a book. Those that were found are kept: up to 40 bytes a position.
#[derive(Debug)]
pub struct Accuracies<'a> {
    table: &'a Table,
    narrow: HashMap<Board, Grade>,
    wide: HashMap<Board, Grade>,
}

/// By how many discs a move may be worse than the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    Narrow = 1,
    Wide = 2,
}

impl<'a> Accuracies<'a> {
    /// None yet.
    pub fn new(table: &'a Table) -> Self {
        Self {
            table,
            narrow: HashMap::new(),
            wide: HashMap::new(),
        }
    }

    /// The grade of a position; `None` if the book does not have it. Where the player to move must pass, that is the
    /// position after the pass.
    pub fn of(&mut self, board: Board) -> Option<Accuracy> {
        let board = after_pass(board);
        self.table.get(board)?;
        let grade = self.search(board, Window::Narrow);
        let wide = (grade == Grade::A).then(|| self.search(board, Window::Wide));
        Some(Accuracy { grade, wide })
    }

    /// How many positions of the book have each grade.
    pub fn count(&mut self) -> BTreeMap<Accuracy, u64> {
        let mut counts = BTreeMap::new();
        for (board, _) in self.table.iter() {
            if let Some(accuracy) = self.of(board) {
                *counts.entry(accuracy).or_default() += 1;
            }
        }
        counts
    }

    /// Goes as deep as a game is long.
    fn search(&mut self, board: Board, window: Window) -> Grade {
        let board = after_pass(board).canonical().board;
        let seen = match window {
            Window::Narrow => &self.narrow,
            Window::Wide => &self.wide,
        };
        if let Some(&grade) = seen.get(&board) {
            return grade;
        }
        let grade = self.grade(board, window);
        let seen = match window {
            Window::Narrow => &mut self.narrow,
            Window::Wide => &mut self.wide,
        };
        seen.insert(board, grade);
        grade
    }

    fn grade(&mut self, board: Board, window: Window) -> Grade {
        let table = self.table;
        let empties = board.empty().len();
        if board.state() == State::Over {
            return Grade::A;
        }
        let links = board.legal_moves().iter().filter_map(|square| {
            let child = board.play_legal(square);
            Some((child, i32::from(table.value_of_move_to(child)?)))
        });
        let links: Vec<_> = links.collect();
        let known = table.get(board);
        let Some(best) = links.iter().map(|&(_, value)| value).max() else {
            let level = known.map_or(-1, |known| known.level);
            return of_end(levels::egaroucid(level), empties).unwrap_or(Grade::F);
        };
        let least = best - window as i32;
        let mut found = Found::default();
        for &(child, _) in links.iter().filter(|&&(_, value)| value >= least) {
            found.add(self.search(child, window));
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
    match board.state() {
        State::Pass => board.passed(),
        State::Moves | State::Over => board,
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
        let has = |grade: Grade| self.0 & 1 << grade as u8 != 0;
        let unfinished = has(Grade::D) || has(Grade::E) || has(Grade::F);
        let finished = has(Grade::A) || has(Grade::B) || has(Grade::C);
        if finished && unfinished {
            Grade::D
        } else if has(Grade::B) || has(Grade::A) && has(Grade::C) {
            Grade::B
        } else if has(Grade::A) {
            Grade::A
        } else if has(Grade::C) {
            Grade::C
        } else if has(Grade::D) {
            Grade::D
        } else if has(Grade::E) {
            Grade::E
        } else {
            Grade::F
        }
    }
}
