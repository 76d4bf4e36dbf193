//! How far values can be trusted, and what moves lose.

use std::collections::BTreeMap;

use othello_book::ops::{self, Accuracies, Grade};
use othello_core::{Board, Game, Move, Side};

use crate::convert::loaded;
use crate::fixtures;

/// 0 to 5 are A to F; A with its wide grade is −5 to 0.
fn code(accuracy: ops::Accuracy) -> i32 {
    accuracy
        .wide
        .map_or(accuracy.grade as i32, |wide| wide as i32 - 5)
}

#[test]
fn grades_are_those_of_egaroucid() {
    for book in ["var_a", "var_g"] {
        let table = loaded(book);
        let mut grades = Accuracies::new(&table);
        let expected = fixtures::text(&format!("books/egaroucid/accuracy_{book}.txt"));
        let mut lines = 0;
        for line in expected.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let number = |text| u64::from_str_radix(text, 16).unwrap();
            let board = Board::new(number(words[0]), number(words[1])).unwrap();
            let found = grades.of(board).map(code);
            assert_eq!(found, words[2].parse().ok(), "{book} {line}");
            lines += 1;
        }
        assert_eq!(lines, table.len());
        let counts = grades.count();
        assert_eq!(counts.values().sum::<u64>(), lines as u64);
        // In a new order of asking they are the same.
        assert_eq!(Accuracies::new(&table).count(), counts);
    }
}

#[test]
fn grades_are_told_by_letters() {
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
        let moves = board
            .legal_moves()
            .iter()
            .filter_map(|square| Some((table.value_of_move_to(board.play_legal(square))?, square)));
        let Some((_, worst)) = moves.min_by_key(|(value, _)| *value) else {
            break;
        };
        assert!(game.play_square(worst));
    }
    let known = game.moves().len();
    assert!(known > 1);
    while game.moves().len() < known + 2 {
        let board = game.position().board();
        let square = board.legal_moves().iter().last().unwrap();
        assert!(game.play_square(square));
    }
    let errors = ops::line_errors(&table, &game);
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
    let errors = ops::book_errors(&table, Board::START);
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
            moves.filter(|&square| table.value_of_move_to(board.play_legal(square)).is_some());
        links.count() as u64
    });
    assert_eq!(moves, links.sum::<u64>());
}

/// Notes the least sum for each position by going through all lines that are not worse than one that was there.
fn walk(
    table: &othello_book::store::Table,
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
        let child = board.play_legal(square);
        if let Some(value) = table.value_of_move_to(child) {
            let error = i32::from(known.value) - i32::from(value);
            walk(table, child, sum + error.max(0), least);
        }
    }
}
