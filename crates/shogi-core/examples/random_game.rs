//! Plays a game of random legal moves to its end, and prints it as a USI line with the last position:
//! `cargo run -p yane-shogi-core --example random_game [SEED]`.

use std::error::Error;

use shogi_core::movegen::LegalAll;
use shogi_core::{Game, Position, Repetition};
use yane_base::random::SplitMix64;

/// Games of random moves may go on for ever.
const MOST_PLIES: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let mut random = SplitMix64::new(seed);
    let mut game = Game::new(Position::startpos());
    let mut line = "position startpos moves".to_owned();
    let mut end = "a thousand plies";
    for _ in 0..MOST_PLIES {
        let moves = game.position().moves::<LegalAll>();
        if moves.is_empty() {
            end = "mate";
            break;
        }
        let chosen = moves[(random.next_u64() % moves.len() as u64) as usize];
        line.push(' ');
        line.push_str(&chosen.to_string());
        // What is generated is legal; a move from elsewhere goes through `try_play`.
        game.play_unchecked(chosen);
        let repetition = game.repetition();
        if repetition.kind == Repetition::Draw && repetition.times >= 3 {
            end = "the same position for the fourth time";
            break;
        }
    }
    println!("{line}\n\n{:#}\n{end}", game.position());
    Ok(())
}
