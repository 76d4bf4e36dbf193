//! Answers about the current position, the static evaluation by pieces, and version and build.

use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use shogi_core::movegen::LegalAll;
use shogi_core::{
    Color, Declaration, Game, HandKind, Leaves, Move, Piece, PieceKind, Position, Setup, Square,
    perft,
};
use shogi_engine::Session;
use shogi_packed::{Hcp, PackedSfen};
use shogi_search::{ParamSpec, Params};

use crate::error::LineError;
use crate::streams::OutputHandle;

/// A middle-game position with many moves, known from perft comparisons as "matsuri".
pub(crate) const MATSURI: &str =
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

/// The side to move.
pub(crate) fn side(position: &Position) -> &'static str {
    match position.side_to_move() {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// Name and version.
pub(crate) fn version() -> &'static str {
    concat!("yaneura ", env!("CARGO_PKG_VERSION"))
}

/// All legal moves, pointless non-promotions included.
pub(crate) fn moves(position: &Position) -> String {
    joined(position.moves::<LegalAll>())
}

/// Every move that mates at once, or `none`.
pub(crate) fn mate_in_one(position: &Position) -> String {
    let moves = position.mating_moves();
    if moves.is_empty() {
        "none".to_owned()
    } else {
        joined(moves)
    }
}

/// What a policy and value network says about a position: the probability of winning and the likeliest moves.
pub(crate) fn network_view(win_rate: f32, moves: &[(Move, f32)]) -> String {
    const SHOWN: usize = 10;
    let percent = |share: f32| 100.0 * share;
    let shown = moves.iter().take(SHOWN);
    let shown: Vec<_> = shown
        .map(|(m, prior)| format!("{m} {:.1} %", percent(*prior)))
        .collect();
    format!(
        "win rate of the side to move: {:.1} %\npolicy: {}",
        percent(win_rate),
        shown.join(", ")
    )
}

/// The relation of the current position to earlier ones.
pub(crate) fn repetition(game: &Game) -> &'static str {
    game.repetition().kind.name()
}

/// The declaration win of the side to move.
pub(crate) fn declaration(session: &Session) -> String {
    match session
        .game()
        .position()
        .declaration(session.entering_king_rule())
    {
        Some(Declaration::Win) => "win".to_owned(),
        Some(Declaration::Try(m)) => m.to_string(),
        None => "none".to_owned(),
    }
}

/// 64 hexadecimal digits.
pub(crate) fn packed_sfen(position: &Position) -> Result<String, LineError> {
    Ok(PackedSfen::encode(position)?.to_string())
}

/// 64 hexadecimal digits.
pub(crate) fn hcp(position: &Position) -> Result<String, LineError> {
    Ok(Hcp::encode(position)?.to_string())
}

/// The largest threshold that the exchange begun by `text` reaches.
pub(crate) fn see(position: &Position, text: &str) -> Result<String, LineError> {
    Ok(position.see(position.move_from_usi(text)?).to_string())
}

/// A line for each parameter of the search: name, type, default, minimum, maximum, step and tuning rate, in the form
/// that tuning frameworks read.
pub(crate) fn params() -> String {
    // The usual initial rate of tuners.
    const RATE: &str = "0.002";
    let line = |spec: &ParamSpec| {
        let ParamSpec {
            name,
            default,
            min,
            max,
            step,
        } = spec;
        format!("{name}, int, {default}, {min}, {max}, {step}, {RATE}")
    };
    let lines: Vec<String> = Params::SPECS.iter().map(line).collect();
    lines.join("\n")
}

/// The largest depth of `perft`: deeper ones would not end.
pub(crate) const DEEPEST_PERFT: u32 = 30;

/// Plies that are counted without a check of the stop flag.
const PERFT_BLOCK: u32 = 3;

/// Prints the number of sequences of `depth` plies that begin with each move, and the sum; no sum when `stop` is
/// raised meanwhile.
pub(crate) fn print_perft(
    position: &mut Position,
    depth: u32,
    output: &OutputHandle,
    stop: &AtomicBool,
) {
    if depth == 0 {
        output.line("Nodes searched: 1");
        return;
    }
    let begin = Instant::now();
    let mut total = 0;
    for m in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(m);
        let counted = stoppable_perft(position, depth - 1, stop);
        position.undo_move(m, &undo);
        let Some(nodes) = counted else {
            return output.say("perft: stopped");
        };
        total += nodes;
        output.line(format!("{m}: {nodes}"));
    }
    let ms = (begin.elapsed().as_millis() as u64).max(1);
    output.line(format!("Elapsed Time = {ms} [ms]"));
    output.line(format!("{} NPS", total.saturating_mul(1000) / ms));
    output.line("");
    output.line(format!("Nodes searched: {total}"));
}

/// The number of sequences of `depth` plies; `None` when `stop` is raised meanwhile.
pub(crate) fn stoppable_perft(
    position: &mut Position,
    depth: u32,
    stop: &AtomicBool,
) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= PERFT_BLOCK {
        return Some(perft(position, depth, Leaves::Bulk));
    }
    let mut nodes = 0;
    for m in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(m);
        let counted = stoppable_perft(position, depth - 1, stop);
        position.undo_move(m, &undo);
        nodes += counted?;
    }
    Some(nodes)
}

/// Version, system and kind of build, for reports of errors.
pub(crate) fn build() -> String {
    let kind = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{}, {}-{}, {kind} build, {} bits, {threads} threads at once",
        version(),
        std::env::consts::ARCH,
        std::env::consts::OS,
        usize::BITS,
    )
}

fn joined<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items
        .into_iter()
        .map(|item| item.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

// `eval`: the static evaluation with the contribution of every piece.

/// The table: for every piece the evaluation less that of the same position without it, from black's point
/// of view.
pub(crate) fn trace(
    position: &Position,
    value: &mut dyn FnMut(&Position) -> i32,
    name: &str,
) -> String {
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
    use shogi_eval::{Evaluator, MaterialEvaluator};

    #[test]
    fn material_contributes_its_value() {
        let position = Position::from_sfen("4k4/9/9/4p4/9/4R4/9/9/4K4 w 2P 1").unwrap();
        let mut evaluator = MaterialEvaluator::new();
        let mut value = |position: &Position| {
            evaluator.reset(position);
            evaluator.evaluate(position)
        };
        let text = trace(&position, &mut value, "material");
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
