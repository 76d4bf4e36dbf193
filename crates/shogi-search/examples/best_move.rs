//! Searches a position for a second: `cargo run --release -p yane-shogi-search --example best_move [startpos moves 7g7f … | sfen …]`.

use std::error::Error;
use std::time::Duration;

use shogi_core::parse_position_line;
use shogi_eval::PositionalEvaluator;
use shogi_search::{
    Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, TimeLimit, search,
};

/// Prints each line that the search has found.
struct Printer;

impl Observer for Printer {
    fn info(&mut self, info: &SearchInfo) {
        let moves: Vec<_> = info.pv.iter().map(ToString::to_string).collect();
        let line = moves.join(" ");
        println!("depth {}, score {}: {line}", info.depth, info.score.0);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let text = match words.as_slice() {
        [] => "startpos".to_owned(),
        words => words.join(" "),
    };
    let game = parse_position_line(&text)?;
    let limits = Limits {
        time: TimeLimit::MoveTime(Duration::from_secs(1)),
        ..Limits::default()
    };
    let found = search(
        &game,
        &limits,
        &SearchOptions::default(),
        // Any evaluator: this one needs no file.
        &mut PositionalEvaluator::new(),
        // The transposition table, in MiB.
        &mut SharedState::new(64),
        &Control::new(),
        &mut Printer,
    );
    match found {
        Some(result) => println!("best move: {}, {} nodes", result.best, result.nodes),
        None => println!("no legal move"),
    }
    Ok(())
}
