//! Answers about the current position.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Declaration, Game, Hcp, Leaves, PackedSfen, Position, perft};
use shogi_engine::Session;
use shogi_search::{ParamSpec, Params};

use crate::error::LineError;
use crate::output::OutputHandle;

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

/// A line for each number that shapes the search: name, kind, default, least, greatest, step and
/// rate of tuning, in the form that tuning frameworks read.
pub(crate) fn params() -> String {
    // The rate that the field's tuners begin with.
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

/// The deepest `perft`; what is deeper would not end.
pub(crate) const DEEPEST_PERFT: u32 = 30;

/// Plies that are counted without looking whether to stop.
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
        let undo = position.do_move(m);
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
        let undo = position.do_move(m);
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
