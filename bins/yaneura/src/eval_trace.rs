//! `eval`: the static evaluation with what every piece contributes.

use std::fmt::Write;

use shogi_core::{Color, HandKind, Piece, PieceKind, Position, Setup, Square};
use shogi_eval::Evaluator;

/// The table: for every piece the evaluation less that of the same position without it, from black's point
/// of view.
pub(crate) fn trace(position: &Position, evaluator: &mut dyn Evaluator, name: &str) -> String {
    let mut value = |position: &Position| {
        evaluator.reset(position);
        evaluator.evaluate(position)
    };
    let side = position.side_to_move();
    let for_side = value(position);
    let whole = for_black(side, for_side);
    let setup = position.to_setup();
    let mut without = |change: &dyn Fn(&mut Setup)| {
        let mut rest = setup.clone();
        change(&mut rest);
        // Without the piece the king of the other side may be in check: no position then.
        let rest = Position::from_setup(&rest).ok()?;
        Some(whole - for_black(side, value(&rest)))
    };

    let mut text = format!("evaluation: {name}\ncontribution of each piece, + for black:\n");
    for rank in 0..9 {
        let squares = (0..9).rev().map(|file| Square::ALL[file * 9 + rank]);
        let (mut names, mut values) = (String::new(), String::new());
        for square in squares {
            let piece = position.piece_on(square);
            write!(names, "{:>7}", letter(piece)).expect("a String");
            values.push_str(&match piece {
                Some(piece) if piece.kind() != PieceKind::King => {
                    shown(without(&|setup| setup.board[square.index()] = None))
                }
                _ => " ".repeat(7),
            });
        }
        writeln!(text, "{}\n{}", names.trim_end(), values.trim_end()).expect("a String");
    }
    for color in Color::ALL {
        for kind in HandKind::ALL {
            let count = position.hand(color).count(kind);
            if count == 0 {
                continue;
            }
            let one = without(&|setup| {
                let hand = &mut setup.hands[color];
                *hand = hand.without(kind);
            });
            let name = kind.piece_kind().to_sfen();
            let owner = if color == Color::Black {
                "black"
            } else {
                "white"
            };
            writeln!(
                text,
                "{owner}'s hand {name} x{count}, the last one:{}",
                shown(one)
            )
            .expect("a String");
        }
    }
    write!(text, "eval = {for_side} (side to move), {whole:+} (black)").expect("a String");
    text
}

fn for_black(side: Color, value: i32) -> i32 {
    if side == Color::Black { value } else { -value }
}

fn letter(piece: Option<Piece>) -> String {
    piece.map_or_else(|| ".".to_owned(), |piece| piece.to_string())
}

fn shown(value: Option<i32>) -> String {
    value.map_or_else(|| format!("{:>7}", "?"), |value| format!("{value:>+7}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_eval::MaterialEvaluator;

    #[test]
    fn material_contributes_its_worth() {
        let position = Position::from_sfen("4k4/9/9/4p4/9/4R4/9/9/4K4 w 2P 1").unwrap();
        let text = trace(&position, &mut MaterialEvaluator::new(), "material");
        assert!(text.contains("+990") && text.contains("-90"), "{text}");
        assert!(
            text.contains("black's hand P x2, the last one:    +90"),
            "{text}"
        );
        assert!(
            text.ends_with("eval = -1080 (side to move), +1080 (black)"),
            "{text}"
        );
    }
}
