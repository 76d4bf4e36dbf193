//! Answers of public programs and of an independent one.

use othello_core::{
    Board, Counting, PlyCounts, Position, Square, Squares, State, Symmetry, perft, perft_table,
};
use serde_json::Value;

fn check_perft(board: Board, counting: Counting, expected: &Value, at_most: u64) {
    for (n, count) in numbers(expected).into_iter().enumerate() {
        if count <= at_most {
            assert_eq!(perft(board, n as u32 + 1, counting), count, "{board:?} {n}");
        }
    }
}

#[test]
fn perft_of_the_start_in_all_three_ways() {
    let row: Value = serde_json::from_str(&text("perft/start.json")).unwrap();
    // Depth 11 takes a second or two in the test profile; passes begin to matter at 9.
    check_perft(Board::START, Counting::Moves, &row["edax"], u64::MAX);
    check_perft(
        Board::START,
        Counting::Positions,
        &row["leaf_pass_is_ply"],
        u64::MAX,
    );
    check_perft(
        Board::START,
        Counting::PositionsPassFree,
        &row["leaf_pass_not_ply"],
        u64::MAX,
    );
}

#[test]
fn perft_of_positions_with_passes_and_ends() {
    for row in rows("perft/midgame.jsonl") {
        let board = board(&row);
        assert_eq!(discs(board), pair(&row["a1lsb"]));
        check_perft(board, Counting::Moves, &row["edax"], u64::MAX);
        check_perft(
            board,
            Counting::Positions,
            &row["leaf_pass_is_ply"],
            u64::MAX,
        );
        check_perft(
            board,
            Counting::PositionsPassFree,
            &row["leaf_pass_not_ply"],
            u64::MAX,
        );
        let count = |ply: &Value, name: &str| ply[name].as_u64().unwrap();
        let expected: Vec<_> = row["edax_table"]
            .as_array()
            .unwrap()
            .iter()
            .map(|ply| PlyCounts {
                moves: count(ply, "moves"),
                passes: count(ply, "passes"),
                wins: count(ply, "wins"),
                draws: count(ply, "draws"),
                losses: count(ply, "losses"),
            })
            .take_while(|ply| ply.moves < 1_000_000)
            .collect();
        assert_eq!(perft_table(board, expected.len() as u32), expected);
    }
}

#[test]
fn moves_flips_passes_and_scores() {
    for row in rows("moves/moves.jsonl") {
        let board = board(&row);
        assert_eq!(discs(board), pair(&row["a1lsb"]));
        assert_eq!(board.h8_first(), <[u64; 2]>::from(pair(&row["h8lsb"])));
        let moves = row["moves"].as_object().unwrap();
        assert_eq!(board.legal_moves().len() as usize, moves.len());
        for (name, flips) in moves {
            let square: Square = name.parse().unwrap();
            let flips = flips.as_array().unwrap().iter();
            let flips: Squares = flips
                .map(|s| s.as_str().unwrap().parse::<Square>().unwrap())
                .collect();
            assert_eq!(board.flips(square), flips, "{board:?} {square}");
        }
        let state = match row["state"].as_str() {
            Some("normal") => State::Moves,
            Some("pass") => State::Pass,
            _ => State::Over,
        };
        assert_eq!(board.state(), state);
        if state == State::Over {
            assert_eq!(i64::from(board.score()), row["score"].as_i64().unwrap());
        }
    }
}

#[test]
fn symmetries_and_canonical_boards() {
    for row in rows("symmetry/symmetry.jsonl") {
        let board = board(&row);
        for symmetry in Symmetry::ALL {
            let image = &row["syms_a1lsb"][usize::from(symmetry.number())];
            assert_eq!(discs(symmetry.board(board)), pair(image));
        }
        let canonical = board.canonical();
        assert_eq!(discs(canonical.board), pair(&row["canonical_a1lsb"]));
        assert_eq!(
            Some(u64::from(canonical.symmetry.number())),
            row["canonical_sym"].as_u64()
        );
        for (from, to) in row["moves"].as_object().unwrap() {
            let turned = canonical.symmetry.square(from.parse().unwrap());
            assert_eq!(Some(turned.to_string().as_str()), to.as_str());
            assert_eq!(canonical.back().square(turned).to_string(), *from);
        }
    }
}

#[test]
fn self_symmetric_boards_take_the_first_symmetry() {
    for row in rows("symmetry/self_symmetric.jsonl") {
        let board = board(&row);
        let canonical = board.canonical();
        assert_eq!(discs(canonical.board), pair(&row["canonical_a1lsb"]));
        let all = numbers(&row["all_syms_giving_canonical"]);
        assert_eq!(u64::from(canonical.symmetry.number()), all[0]);
        for (from, to) in row["move_images"].as_object().unwrap() {
            let turned = canonical.symmetry.square(from.parse().unwrap()).to_string();
            assert!(
                to.as_array()
                    .unwrap()
                    .iter()
                    .any(|square| *square == *turned)
            );
        }
    }
}

/// The score of a board with few empty squares, by trying everything.
fn solve(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return match board.state() {
            State::Over => board.score(),
            _ => -solve(board.passed(), -beta, -alpha),
        };
    }
    let mut best = -65;
    for square in moves {
        best = best.max(-solve(board.play_unchecked(square), -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[test]
fn exact_scores_of_end_games() {
    let mut solved = 0;
    for row in rows("endgame/random.jsonl") {
        let board = board(&row);
        if row["empties"].as_u64() > Some(9) {
            continue;
        }
        for (name, score) in row["moves"].as_object().unwrap() {
            let after = board.try_play(name.parse().unwrap()).unwrap();
            assert_eq!(Some(i64::from(-solve(after, -64, 64))), score.as_i64());
        }
        solved += 1;
    }
    assert!(solved > 20);
}

/// The text of a file of `fixtures/othello`.
pub(crate) fn text(name: &str) -> String {
    test_support::fixture_text(format!("othello/{name}"))
}

/// The lines of a file of JSON lines.
pub(crate) fn rows(name: &str) -> Vec<Value> {
    test_support::fixture_rows(&format!("othello/{name}"))
}

/// The board of a row; the side to move is `X` where the text does not say.
pub(crate) fn board(row: &Value) -> Board {
    let text = row["board"].as_str().unwrap();
    let side = if text.len() == 64 { " X" } else { "" };
    format!("{text}{side}").parse::<Position>().unwrap().board()
}

/// A pair of hexadecimal numbers.
pub(crate) fn pair(value: &Value) -> (u64, u64) {
    let number = |n: usize| u64::from_str_radix(value[n].as_str().unwrap(), 16).unwrap();
    (number(0), number(1))
}

/// The discs of a board as a pair, a1 = bit 0.
pub(crate) fn discs(board: Board) -> (u64, u64) {
    (board.mover(), board.opponent())
}

/// Numbers of an array.
pub(crate) fn numbers(value: &Value) -> Vec<u64> {
    let array = value.as_array().unwrap();
    array.iter().map(|n| n.as_u64().unwrap()).collect()
}
