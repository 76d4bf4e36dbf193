//! `check_position`: why a position that was set up by hand is none.

use serde::{Deserialize, Serialize};
use shogi_core::{
    Color, File, HandKind, Piece, PieceKind, Position, Setup, SetupError, SfenError, Square,
};

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CheckRequest {
    sfen: String,
}

/// The position and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CheckedFields {
    sfen: Option<String>,
    problems: Vec<Problem>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Problem {
    code: &'static str,
    square: Option<String>,
    text: String,
}

impl Problem {
    fn new(code: &'static str, square: Option<Square>, text: String) -> Self {
        Self {
            code,
            square: square.map(|square| square.to_string()),
            text,
        }
    }
}

/// Answers `check_position`.
pub(crate) fn check_position(request: &CheckRequest) -> CheckedFields {
    let setup = match Setup::from_sfen(&request.sfen) {
        Ok(setup) => setup,
        Err(error) => {
            let code = match error {
                // More in a hand than a set has cannot even be counted.
                SfenError::HandCount { .. }
                | SfenError::Setup(SetupError::TooManyPieces { .. }) => "too_many",
                _ => "syntax",
            };
            let problem = Problem::new(code, None, error.to_string());
            return CheckedFields {
                sfen: None,
                problems: vec![problem],
            };
        }
    };
    let mut problems = kings(&setup);
    problems.extend(counts(&setup));
    problems.extend(pawns(&setup));
    problems.extend(dead_pieces(&setup));
    let position = Position::from_setup(&setup);
    problems.extend(check(&setup, &position));
    let position = position.ok().filter(|_| problems.is_empty());
    CheckedFields {
        sfen: position.map(|position| position.to_sfen()),
        problems,
    }
}

const fn side_name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// The squares with a piece, in their order.
fn squares(setup: &Setup, piece: Piece) -> impl Iterator<Item = Square> {
    let is_there = move |square: &Square| setup.board[square.index()] == Some(piece);
    Square::ALL.into_iter().filter(is_there)
}

fn kings(setup: &Setup) -> Vec<Problem> {
    let both = [Color::Black, Color::White];
    let king = |color| squares(setup, Piece::new(color, PieceKind::King)).collect::<Vec<_>>();
    let mut problems = Vec::new();
    for color in both {
        let found = king(color);
        if let [_, second, ..] = found[..] {
            let (side, count) = (side_name(color), found.len());
            let text = format!("{side} has {count} kings");
            problems.push(Problem::new("two_kings", Some(second), text));
        }
    }
    if both.iter().all(|&color| king(color).is_empty()) {
        let text = "there is no king on the board".to_owned();
        problems.push(Problem::new("no_king", None, text));
    }
    problems
}

/// Kinds of which there are more than a set has.
fn counts(setup: &Setup) -> Vec<Problem> {
    let too_many = |kind: HandKind| {
        let on_board = setup.board.iter().flatten();
        let on_board = on_board.filter(|piece| piece.kind().unpromote() == kind.piece_kind());
        let in_hands = setup.hands.0.iter().map(|hand| u32::from(hand.count(kind)));
        let found = on_board.count() as u32 + in_hands.sum::<u32>();
        let most = u32::from(kind.piece_kind().set_count());
        let letter = kind.piece_kind().to_sfen();
        let text = format!("{found} pieces of kind {letter}, a set has {most}");
        (found > most).then(|| Problem::new("too_many", None, text))
    };
    HandKind::ALL.into_iter().filter_map(too_many).collect()
}

/// Files with two pawns of a side.
fn pawns(setup: &Setup) -> Vec<Problem> {
    let mut problems = Vec::new();
    for color in [Color::Black, Color::White] {
        for file in File::ALL {
            let pawns = squares(setup, Piece::new(color, PieceKind::Pawn));
            let on_file: Vec<_> = pawns.filter(|square| square.file() == file).collect();
            if let [_, second, ..] = on_file[..] {
                let count = match on_file.len() {
                    2 => "two".to_owned(),
                    count => count.to_string(),
                };
                let (side, file) = (side_name(color), file.to_usi());
                let text = format!("{count} {side} pawns on file {file}");
                problems.push(Problem::new("two_pawns", Some(second), text));
            }
        }
    }
    problems
}

/// Pieces that can never move.
fn dead_pieces(setup: &Setup) -> Vec<Problem> {
    let dead = |square: Square| {
        let piece = setup.board[square.index()]?;
        let from_edge = square.rank().distance_to_edge(piece.color()) as u32;
        let (letter, side) = (piece.kind().to_sfen(), side_name(piece.color()));
        let text = format!("the {side} {letter} on {square} can never move");
        let is_dead = from_edge < piece.kind().dead_ranks();
        is_dead.then(|| Problem::new("dead_piece", Some(square), text))
    };
    Square::ALL.into_iter().filter_map(dead).collect()
}

/// Checks that no game has.
fn check(setup: &Setup, position: &Result<Position, SetupError>) -> Option<Problem> {
    match position {
        Err(SetupError::OpponentInCheck(color)) => {
            let side = side_name(*color);
            let text = format!("{side} is in check, but it is the other side's turn");
            let king = squares(setup, Piece::new(*color, PieceKind::King)).next();
            Some(Problem::new("opponent_in_check", king, text))
        }
        Ok(position) if position.checkers().len() > 2 => {
            let king = position.king(setup.side);
            let count = position.checkers().len();
            let text = format!("{count} pieces give check at once");
            Some(Problem::new("too_many_checks", king, text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(sfen: &str) -> Vec<&'static str> {
        let checked = check_position(&CheckRequest {
            sfen: sfen.to_owned(),
        });
        assert_eq!(checked.sfen.is_none(), !checked.problems.is_empty());
        let problems = checked.problems.iter();
        problems.map(|problem| problem.code).collect()
    }

    #[test]
    fn every_problem_is_told() {
        for (sfen, expected) in [
            ("4k4/9/9/9/9/9/9/9/4K4 b 2P 1", &[][..]),
            // Problems of mates have one king.
            ("4k4/9/9/9/9/9/9/9/9 b 2P 1", &[]),
            ("9/9/9/9/9/9/9/9/9 b - 1", &["no_king"]),
            ("4k4/9/9 b - 1", &["syntax"]),
            ("4kk3/9/9/9/9/9/9/9/4K4 b - 1", &["two_kings"]),
            ("4k4/9/9/9/9/9/9/9/4K4 b 3R 1", &["too_many"]),
            ("4k4/9/9/4P4/4P4/9/9/9/4K4 b - 1", &["two_pawns"]),
            (
                "P3k4/9/9/9/9/9/9/9/4K3p b - 1",
                &["dead_piece", "dead_piece"],
            ),
            ("4k4/N8/9/9/9/9/9/9/4K4 b - 1", &["dead_piece"]),
            ("4k4/4G4/9/9/9/9/9/9/4K4 b - 1", &["opponent_in_check"]),
            ("4k4/3GGG3/9/9/9/9/9/9/4K4 w - 1", &["too_many_checks"]),
            (
                "P3k4/9/P8/9/9/9/9/9/4KK2G b 4G 1",
                &["two_kings", "too_many", "two_pawns", "dead_piece"],
            ),
        ] {
            assert_eq!(codes(sfen), expected, "{sfen}");
        }
    }

    #[test]
    fn the_place_is_named() {
        let checked = check_position(&CheckRequest {
            sfen: "4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1".to_owned(),
        });
        let problem = &checked.problems[0];
        assert_eq!(problem.text, "two black pawns on file 5");
        assert_eq!(problem.square.as_deref(), Some("5d"));
    }
}
