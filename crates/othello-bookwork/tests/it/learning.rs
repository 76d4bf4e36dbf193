//! Learning where all searches are exact, as Egaroucid does it.

use std::collections::BTreeMap;
use std::sync::Arc;

use othello_book::ops;
use othello_bookwork::{BookSearcher, BookStage, GrowthLimit, Learn, SearchItem};
use othello_core::{Board, State};
use othello_eval::Weights;
use othello_search::Control;
use test_support::TestFolder;

use crate::support::{loaded, run, task};

/// A position as a golden has it: value, level; value, number and level of the leaf.
type Row = ([i32; 2], [i32; 3]);

fn golden(name: &str) -> BTreeMap<String, Row> {
    let text = test_support::fixture_text(format!("othello/books/egaroucid/{name}.dump.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| {
        let parts: Vec<_> = line.split(" | ").collect();
        let numbers = |text: &str| -> Vec<i32> {
            text.split(' ')
                .map(|number| number.parse().unwrap())
                .collect()
        };
        let (value, leaf) = (numbers(parts[1]), numbers(parts[2]));
        (
            parts[0].to_owned(),
            ([value[0], value[1]], [leaf[0], leaf[1], leaf[2]]),
        )
    });
    rows.collect()
}

fn board_of(text: &str) -> Board {
    let bits = |text: &str| u64::from_str_radix(text, 16).unwrap();
    let (mover, opponent) = text.split_once(' ').unwrap();
    Board::new(bits(mover), bits(opponent)).unwrap()
}

/// The exact value of a board.
fn exact(searcher: &mut BookSearcher, board: Board) -> i32 {
    let item = SearchItem::new(board, "60".parse().unwrap());
    let answer = item.map(|item| searcher.search(&item, &Control::default()).unwrap().answer);
    answer.map_or_else(|| board.score(), |answer| i32::from(answer.score))
}

/// The canonical boards behind the moves of a board, after forced passes, and the signs of their values.
fn moves_of(board: &str) -> impl Iterator<Item = (Board, i32)> {
    let board = board_of(board);
    board.legal_moves().iter().map(move |square| {
        let child = board.play_unchecked(square);
        let is_pass = child.state() == State::Pass;
        let next = if is_pass { child.passed() } else { child };
        (next.canonical().board, if is_pass { 1 } else { -1 })
    })
}

/// The canonical board behind the leaf of a row.
fn behind(board: &str, row: &Row) -> Option<Board> {
    let board = board_of(board);
    let edge = othello_book::Edge {
        score: row.1[0] as i8,
        number: row.1[1] as u8,
    };
    let child = board.after(edge.legal_on(board)?)?;
    Some(
        if child.state() == State::Pass {
            child.passed()
        } else {
            child
        }
        .canonical()
        .board,
    )
}

fn text(board: Board) -> String {
    format!("{:016x} {:016x}", board.mover(), board.opponent())
}

/// Learns with the settings of a golden and compares. Of moves that are equally good either may be the leaf, so learning
/// may need more rounds, and come to other best moves.
fn learnt(name: &str, start: &str, [depth, error, sum, leaf_error]: [u32; 4], loops: u32) {
    let folder = TestFolder::new();
    let output = folder.path("book.egbk3");
    let limit = |number| GrowthLimit(Some(number));
    let learn = Learn {
        level: "60".parse().unwrap(),
        depth: limit(depth),
        error: limit(error),
        sum: limit(sum),
        leaf_error: limit(leaf_error),
        loops: limit(loops),
        // The board alone, so that the way to it is not registered.
        starts: vec![othello_record::parse(start).unwrap().position().to_string()],
        ..Learn::default()
    };
    let growth = run(&task(None, &output, &[BookStage::Learn(learn)]), 2);
    let book = loaded(&output);
    assert_eq!(growth.positions, book.len() as u64);
    let golden = golden(name);
    for board in golden.keys() {
        let bits = |at: usize| u64::from_str_radix(&board[at..at + 16], 16).unwrap();
        assert!(
            book.get(Board::new(bits(0), bits(17)).unwrap()).is_some(),
            "{name}: {board} is missing"
        );
    }
    let has_more_rounds = loops > 15;
    let mut searcher = BookSearcher::new(Arc::new(Weights::built_in()));
    for board in book.sorted() {
        let place = format!("{name}: {}", text(board));
        let Some(row) = golden.get(&text(board)) else {
            let value = exact(&mut searcher, board);
            let is_best = |(parent, row): (&String, &Row)| {
                moves_of(parent).any(|(child, sign)| child == board && sign * value == row.0[0])
            };
            assert!(
                has_more_rounds && golden.iter().any(is_best),
                "{place} is new"
            );
            continue;
        };
        let (value, leaf) = row;
        let known = book.get(board).unwrap();
        assert_eq!(
            [i32::from(known.value), i32::from(known.level)],
            *value,
            "{place}"
        );
        let found = known.leaf;
        // In the last round of the golden it was not calculated yet, or it is a position of the book by now.
        let has_changed = leaf[1] == 125
            || behind(&text(board), row).is_some_and(|child| book.get(child).is_some());
        if has_more_rounds && has_changed {
            continue;
        }
        assert_eq!(
            [i32::from(found.edge.score), i32::from(found.level)],
            [leaf[0], leaf[2]],
            "{place}"
        );
        if leaf[0] == -126 || board == Board::START {
            assert_eq!(i32::from(found.edge.number), leaf[1], "{place}");
        } else {
            let child = board.after(found.edge.legal_on(board).unwrap()).unwrap();
            let pass = child.state() == State::Pass;
            let value = if pass {
                exact(&mut searcher, child.passed())
            } else {
                -exact(&mut searcher, child)
            };
            assert_eq!(value, leaf[0], "{place}");
        }
    }
}

#[test]
fn books_learnt_where_searches_are_exact() {
    let start = "e6f4c3d6d7b2f5c7f3g4h3f2g2f6d3h2g5d8f1c4c5d2a1h6b8b7h1b4d1g6a3a4h7g3b3g7g8c6b5h8c8g1a7e3h5e7e2";
    learnt("deviate_end_0", start, [52, 2, 4, 2], 15);
    let start = "e6f6f5f4c3b2e3d2g3e7d3g4f2f3b3c6h4h2g7e1b1c5d8b4d1h8b5a1d6c1g1h3h1e2g2c7h5c4d7a4b7a5f7c2a3b6a2g6";
    learnt("deviate_end_1", start, [53, 60, 60, 60], 30);
    let start = "d3c3e6d6c5f6f5c4b4a5e7d2c6b6b2f4a3a1c2d8f3b3e2b1g6d7f8c7c1a4e3g2b7h6g3a8g5a2a7g7b5h2g8h5g4b8f7f2a6";
    learnt("deviate_end_2", start, [54, 4, 6, 4], 15);
}

#[test]
fn values_and_lines_are_right() {
    let folder = TestFolder::new();
    let output = folder.path("book.egbk3");
    let learn = Learn {
        level: "2".parse().unwrap(),
        depth: GrowthLimit(Some(6)),
        starts: vec!["f5d6".to_owned(), "f5f6".to_owned()],
        ..Learn::default()
    };
    run(&task(None, &output, &[BookStage::Learn(learn)]), 1);
    let mut book = loaded(&output);
    assert!(book.len() > 30, "{}", book.len());
    let fixed = ops::negamax(&mut book, Board::START, ops::LeafValues::CountOpen);
    assert_eq!(
        (fixed.values, fixed.lines, fixed.reached),
        (0, 0, book.len() as u64)
    );
}
