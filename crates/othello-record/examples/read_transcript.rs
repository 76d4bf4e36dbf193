//! Reads a game or position of othello in any spelling, and prints its board:
//! `cargo run -p yane-othello-record --example read_transcript ["F5-D6-C3 …"]`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1);
    let text = text.as_deref().unwrap_or("1. F5 D6 2. C3 D3 3. C4 33-31");
    let record = othello_record::parse(text)?;
    println!("read as {:?}: {}", record.kind, record.game);
    if let Some(result) = &record.result {
        println!("result: {result}");
    }
    let position = record.position();
    println!("{position}");
    for square in position.board().legal_moves() {
        let flips = position.board().flips(square);
        println!("{square} flips {}", flips.len());
    }
    Ok(())
}
