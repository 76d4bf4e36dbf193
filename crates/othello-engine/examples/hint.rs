//! Shows the best moves after a game of othello: `cargo run --release -p yane-othello-engine --example hint [f5d6c3…] [LEVEL]`.

use std::error::Error;
use std::sync::Arc;

use othello_core::Game;
use othello_engine::Session;
use othello_eval::Weights;
use othello_search::{Control, PlayLevel, SearchSettings, Searcher};

/// Moves that are shown.
const LINES: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let game: Game = words.next().unwrap_or_default().parse()?;
    let level = words.next().map_or(Ok(8), |text| text.parse())?;
    println!("{}", game.position());
    let weights = Arc::new(Weights::built_in());
    let searcher = Searcher::new(SearchSettings::default(), weights);
    let mut session = Session::new(searcher, PlayLevel::Egaroucid(level));
    session.set_game(game)?;
    let hints = session.hints(LINES, &Control::default(), &mut ());
    for hint in hints.moves {
        println!("{} {:+} ({})", hint.mv, hint.score, hint.source);
    }
    Ok(())
}
