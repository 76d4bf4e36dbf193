//! Boards and tables in the shape that Edax's console prints.

use std::fmt::Write as _;
use std::time::Duration;

use othello_core::{Board, Game, Move, Position, Side, Square};

use crate::analysis::{AnalysedMove, Judge};
use crate::hints::{Hint, HintSource};

const RULE: &str = "------+-----+--------------+-------------+----------+----------------------\n";

/// The header of a table of hints.
pub(super) fn hints_header() -> String {
    let names = " depth|score|       time   |  nodes (N)  |   N/s    | principal variation\n";
    format!("\n{names}{RULE}")
}

/// The last line of a table of hints.
pub(super) const HINTS_END: &str = RULE;

/// The header of an analysis.
pub(super) const ANALYSIS: &str = "\n\n              N     played        alternative\nply  level   alt. move  score     score   move\n---+-------+-----+-----------+--+---------------\n";

/// `0:00.000`, with hours where there are any.
fn time(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    if minutes < 60 {
        format!("{minutes}:{seconds:02}.{milliseconds:03}")
    } else {
        format!(
            "{}:{:02}:{seconds:02}.{milliseconds:03}",
            minutes / 60,
            minutes % 60
        )
    }
}

/// The board with the times of both players, and the moves of the game on a second board.
pub(super) fn board(game: &Game, times: [Duration; 2]) -> String {
    let position = game.position();
    let letters = "A B C D E F G H";
    let head =
        |name: &str| format!("  {letters}            {name}            A  B  C  D  E  F  G  H\n");
    let mut text = head("BLACK");
    let numbers = numbers(game);
    let legal = position.board().legal_moves();
    for rank in 0..8u8 {
        let number = rank + 1;
        let (mut left, mut right) = (String::new(), String::new());
        for file in 0..8u8 {
            let Some(square) = Square::new(rank * 8 + file) else {
                continue;
            };
            let bit = square.bit();
            left.push_str(if position.black() & bit != 0 {
                "* "
            } else if position.white() & bit != 0 {
                "O "
            } else if legal.contains(square) {
                ". "
            } else {
                "- "
            });
            let start = game.start();
            let cell = match numbers[square.index()] {
                Some(number) => format!("{number:>2}|"),
                None if start.black() & bit != 0 => "##|".to_owned(),
                None if start.white() & bit != 0 => "()|".to_owned(),
                None => "  |".to_owned(),
            };
            right.push_str(&cell);
        }
        let middle = middle(position, rank, times);
        let _ = writeln!(
            text,
            "{number} {left}{number}{middle}{number} |{right} {number}"
        );
    }
    text.push_str(&head("WHITE"));
    text
}

/// The facts between the two boards, 24 characters.
fn middle(position: Position, rank: u8, times: [Duration; 2]) -> String {
    let board = position.board();
    let of_black = |black: Board, white: Board| match position.side() {
        Side::Black => black,
        Side::White => white,
    };
    let discs = |black: bool| {
        let (bits, view) = if black {
            (position.black(), of_black(board, board.passed()))
        } else {
            (position.white(), of_black(board.passed(), board))
        };
        let moves = view.legal_moves().len();
        format!("   {:>2} discs  {moves:>2} moves   ", bits.count_ones())
    };
    let clock = |n: usize| format!("{:>17}       ", time(times[n]));
    match rank {
        0 => clock(0),
        1 => discs(true),
        3 => {
            let empties = board.empty().len();
            let ply = 61 - i64::from(empties);
            format!("  ply {ply:>2} ({empties:>2} empties)   ")
        }
        4 if board.is_over() => "       Game over        ".to_owned(),
        4 => match position.side() {
            Side::Black => "    Black's turn (*)    ".to_owned(),
            Side::White => "    White's turn (O)    ".to_owned(),
        },
        6 => discs(false),
        7 => clock(1),
        _ => " ".repeat(24),
    }
}

/// The number of the move on each square, passes not counted.
fn numbers(game: &Game) -> [Option<u32>; 64] {
    let mut numbers = [None; 64];
    let mut number = 61 - game.start().board().empty().len().min(60);
    for mv in game.moves() {
        if let Move::Place(square) = mv {
            numbers[square.index()] = Some(number);
            number += 1;
        }
    }
    numbers
}

/// The row of a hint in a position: black's moves in lower case, white's in upper.
pub(super) fn hint(position: Position, hint: &Hint) -> String {
    let depth = match hint.source {
        HintSource::Book { .. } => "  book".to_owned(),
        HintSource::Search {
            depth, selectivity, ..
        } => match selectivity.percent() {
            100 => format!("{depth:>5} "),
            percent => format!("{depth:>2}@{percent}%"),
        },
    };
    let milliseconds = hint.elapsed.as_millis();
    let rate = (u128::from(hint.nodes) * 1000).checked_div(milliseconds);
    let rate = rate.map_or(String::new(), |rate| rate.to_string());
    let mut side = position.side();
    let mut play = Vec::new();
    for mv in &hint.pv {
        let name = mv.to_string();
        play.push(match side {
            Side::Black => name,
            Side::White => name.to_ascii_uppercase(),
        });
        side = side.other();
    }
    let play = play.join(" ");
    format!(
        "{depth}  {:+03}{:>16}{:>14} {rate:>10} {play:<22}\n",
        hint.score,
        time(hint.elapsed),
        hint.nodes
    )
}

/// The row of an analysed move.
pub(super) fn analysed(level: u32, mv: &AnalysedMove, name: &str) -> String {
    let case = |hint: &Hint| match mv.side {
        Side::Black => hint.mv.to_string(),
        Side::White => hint.mv.to_string().to_ascii_uppercase(),
    };
    let mut text = format!(
        "{:>3} {level:>4} {:>6}    {} {:>+6}   ",
        mv.ply,
        mv.others,
        case(&mv.played),
        mv.played.score
    );
    if let Some(other) = &mv.alternative {
        let sign = match mv.played.score.cmp(&other.score) {
            std::cmp::Ordering::Greater => '>',
            std::cmp::Ordering::Equal => '=',
            std::cmp::Ordering::Less => '<',
        };
        let _ = write!(text, "{sign} {:>+5}     {} ", other.score, case(other));
    }
    // Where both scores are exact it is an error, and no matter of opinion.
    let verdict = match (mv.judge(), is_exact(mv)) {
        (None, _) => String::new(),
        (Some(_), true) => "<- ERROR".to_owned(),
        (Some(Judge::Disagree | Judge::Mistake), false) if mv.loss() < 5 => {
            format!("<- {name} disagrees")
        }
        (Some(_), false) => format!("<- {name} disagrees strongly"),
    };
    format!("{}\n", (text + &verdict).trim_end())
}

fn is_exact(mv: &AnalysedMove) -> bool {
    let is_other_exact = |other: &Hint| other.source.is_exact();
    mv.played.source.is_exact() && mv.alternative.as_ref().is_none_or(is_other_exact)
}

/// The sums of an analysis: of opinions, and of errors where both scores are exact.
pub(super) fn sums(moves: &[AnalysedMove]) -> String {
    let mut text = "\n      | rejections : discs | errors    : discs | error rate |\n".to_owned();
    for (name, side) in [("Black", Side::Black), ("White", Side::White)] {
        let part = |exact: bool| {
            let moves = moves.iter();
            let moves = moves.filter(|mv| mv.side == side && is_exact(mv) == exact);
            let all: Vec<_> = moves.collect();
            let wrong = all.iter().filter(|mv| mv.loss() > 0).count();
            let discs: u32 = all.iter().map(|mv| mv.loss()).sum();
            (wrong, all.len(), discs)
        };
        let ((rejected, all, discs), (wrong, exact, errors)) = (part(false), part(true));
        let rate = if exact == 0 {
            "-".to_owned()
        } else {
            format!("{:.3}", f64::from(errors) / exact as f64)
        };
        let _ = writeln!(
            text,
            "{name} | {rejected:>3} / {all:>3}  : {discs:>+5} | {wrong:>3} / {exact:>3} : {errors:>+5} | {rate:>10} |"
        );
    }
    text
}
