//! Accuracy of values, and losses of moves.

use std::collections::{BTreeMap, HashMap};

use othello_book::ops;
use othello_book::ops::{Accuracies, Grade};
use othello_book::store::{MemoryBook, PositionLookup as _};
use othello_core::{Board, Game, Move, Side, State};

use crate::convert::loaded;
use crate::golden;

/// 0 to 5 are A to F; A with its wide grade is −5 to 0.
fn code(accuracy: ops::Accuracy) -> i32 {
    accuracy
        .wide
        .map_or(accuracy.grade as i32, |wide| wide as i32 - 5)
}

/// The kinds of line ends behind a position, as a sum: 1 exact, 2 to the end of the game, 4 neither.
struct Ends<'a> {
    table: &'a MemoryBook,
    window: i32,
    seen: HashMap<Board, u8>,
}

impl Ends<'_> {
    /// By the manual's table: where both players make moves that are worse by no more than the window.
    fn of(&mut self, board: Board) -> u8 {
        let board = if board.state() == State::Pass {
            board.passed()
        } else {
            board
        };
        if board.is_over() {
            return 1;
        }
        if let Some(&known) = self.seen.get(&board.canonical().board) {
            return known;
        }
        let known = self.table.get(board);
        let empties = board.empty().len();
        let moves = board.legal_moves().iter().filter_map(|square| {
            let child = board.play_unchecked(square);
            Some((i32::from(self.table.value_of_move(child)?), child))
        });
        let moves: Vec<_> = moves.collect();
        let best = moves.iter().map(|&(value, _)| value).max();
        let ends = match (best, known) {
            (None, known) => end(known.map_or(-1, |known| known.level), empties).unwrap_or(4),
            (Some(best), known) => {
                let least = best - self.window;
                let within = |value: i32| value >= least;
                let leaf = known.map(|known| known.leaf).filter(|leaf| leaf.is_known());
                let leaf = leaf.filter(|leaf| within(leaf.edge.score.into()));
                let leaf = leaf
                    .and_then(|leaf| end(leaf.level, empties - 1))
                    .unwrap_or(0);
                let behind = moves.iter().filter(|&&(value, _)| within(value));
                behind.fold(leaf, |ends, &(_, child)| ends | self.of(child))
            }
        };
        self.seen.insert(board.canonical().board, ends);
        ends
    }

    /// The number of the grade, 0 to 5 for A to F.
    fn grade(&mut self, board: Board) -> i32 {
        match self.of(board) {
            1 => 0,
            3 => 1,
            2 => 2,
            5 | 7 => 3,
            6 => 4,
            _ => 5,
        }
    }
}

/// The number of empty squares from which a level of the books searches to the end, and exactly.
fn end(level: i8, empties: u32) -> Option<u8> {
    let (any, exact) = match level {
        ..=0 => (0, 0),
        1..=10 => (2 * level as u32, 2 * level as u32),
        11..=12 => (25, 21),
        13..=14 => (27, 21),
        15..=17 => (27, 22),
        18..=19 => (29, 22),
        20..=22 => (30, 24),
        23..=24 => (32, 26),
        25..=26 => (34, 26),
        27..=28 => (36, 28),
        29..=30 => (36, 30),
        39..=40 => (42, 34),
        60.. => (60, 60),
        _ => panic!("level {level}"),
    };
    match empties {
        _ if empties <= exact => Some(1),
        _ if empties <= any => Some(2),
        _ => None,
    }
}

/// Egaroucid's are the same, but for D where its manual says E.
#[test]
fn grades_are_those_of_the_manual() {
    for (book, slips_at_least) in [("var_a", 0), ("var_g", 12)] {
        let table = loaded(book);
        let mut grades = Accuracies::new(&table);
        let expected = golden::text_of(&format!("books/egaroucid/accuracy_{book}.txt"));
        let ends = |window| Ends {
            table: &table,
            window,
            seen: HashMap::new(),
        };
        let (mut narrow, mut wide) = (ends(1), ends(2));
        let (mut lines, mut slips) = (0, 0);
        for line in expected.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let number = |text| u64::from_str_radix(text, 16).unwrap();
            let board = Board::new(number(words[0]), number(words[1])).unwrap();
            let found = code(grades.of(board).unwrap());
            let egaroucid: i32 = words[2].parse().unwrap();
            let by_the_table = match narrow.grade(board) {
                0 => wide.grade(board) - 5,
                grade => grade,
            };
            assert_eq!(found, by_the_table, "{book} {line}");
            let is_slip = (egaroucid, found) == (3, 4) || (egaroucid, found) == (-2, -1);
            assert!(is_slip || found == egaroucid, "{book} {line}");
            slips += u32::from(is_slip);
            lines += 1;
        }
        assert!(slips >= slips_at_least, "{book}: {slips}");
        assert_eq!(lines, table.len());
        let counts = grades.count();
        assert_eq!(counts.values().sum::<u64>(), lines as u64);
        // In a new order of asking they are the same.
        assert_eq!(Accuracies::new(&table).count(), counts);
    }
}

#[test]
fn grades_have_letters() {
    let told = |grade, wide| ops::Accuracy { grade, wide }.to_string();
    assert_eq!(told(Grade::F, None), "F");
    assert_eq!(told(Grade::A, Some(Grade::B)), "AB");
    let table = loaded("var_a");
    let far: Game = "f5d6c3d3c4f4c5b3c2".parse().unwrap();
    assert_eq!(
        Accuracies::new(&table).of(far.position().board()),
        None,
        "not in the book"
    );
}

#[test]
fn errors_of_a_game_add_up() {
    let table = loaded("var_g");
    // A line of the book, by always the worst move; then one that the book does not have.
    let mut game = Game::default();
    loop {
        let board = game.position().board();
        let moves = board.legal_moves().iter().filter_map(|square| {
            Some((table.value_of_move(board.play_unchecked(square))?, square))
        });
        let Some((_, worst)) = moves.min_by_key(|(value, _)| *value) else {
            break;
        };
        assert!(game.try_play_square(worst).is_ok());
    }
    let known = game.moves().len();
    assert!(known > 1);
    while game.moves().len() < known + 2 {
        let board = game.position().board();
        let square = board.legal_moves().iter().last().unwrap();
        assert!(game.try_play_square(square).is_ok());
    }
    let errors = ops::line_losses(&table, &game);
    let moves = game.moves().iter();
    assert_eq!(
        errors.len(),
        moves.filter(|mv| matches!(mv, Move::Place(_))).count()
    );
    let (mut black, mut white, mut lost) = (0, 0, 0);
    for (n, error) in errors.iter().enumerate() {
        let found = error.error();
        assert!(n >= known || found.is_some(), "{n}");
        let error_here = found.unwrap_or(0).max(0);
        lost += error_here;
        match error.side {
            Side::Black => black += error_here,
            Side::White => white += error_here,
        }
        assert_eq!((error.black, error.white), (black, white));
    }
    assert!(lost > 0);
    assert_eq!(errors.last().unwrap().value, None);
}

#[test]
fn errors_of_a_book_are_those_of_its_moves_and_lines() {
    let mut table = loaded("var_g");
    ops::remove_isolated(&mut table, Board::START);
    let errors = ops::book_losses(&table, Board::START);
    // Every position is reached for some sum, and only the start for nothing plies away.
    assert_eq!(errors.sums.values().sum::<u64>(), table.len() as u64);
    // The sums against all lines, one by one.
    let mut least = BTreeMap::new();
    walk(&table, Board::START, 0, &mut least);
    let mut sums = BTreeMap::new();
    for sum in least.into_values() {
        *sums.entry(sum).or_default() += 1;
    }
    assert_eq!(errors.sums, sums);
    let moves: u64 = errors.moves.values().sum();
    let links = table.iter().map(|(board, _)| {
        let moves = board.legal_moves().iter();
        let links =
            moves.filter(|&square| table.value_of_move(board.play_unchecked(square)).is_some());
        links.count() as u64
    });
    assert_eq!(moves, links.sum::<u64>());
}

/// Notes the least sum for each position by going through all lines that are not worse than one that was there.
fn walk(
    table: &othello_book::store::MemoryBook,
    board: Board,
    sum: i32,
    least: &mut BTreeMap<Board, i32>,
) {
    let board = if board.state() == othello_core::State::Pass {
        board.passed()
    } else {
        board
    };
    let mut key = board.canonical().board;
    if board.is_over() && table.get(board).is_none() {
        key = board.passed().canonical().board;
    }
    let Some(known) = table.get(key) else { return };
    if least.get(&key).is_some_and(|&old| old <= sum) {
        return;
    }
    least.insert(key, sum);
    for square in board.legal_moves() {
        let child = board.play_unchecked(square);
        if let Some(value) = table.value_of_move(child) {
            let error = i32::from(known.value) - i32::from(value);
            walk(table, child, sum + error.max(0), least);
        }
    }
}
