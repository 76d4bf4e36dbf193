//! Shows what a book says about a position:
//! `cargo run -p yane-book --example probe_book -- BOOK.db [startpos moves 7g7f … | sfen …]`.

use std::error::Error;
use std::path::PathBuf;

use shogi_core::parse_position_line;
use yane_book::Job;
use yane_book::probe::{OpenBook, OpenOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("usage: probe_book BOOK [POSITION]")?;
    let words: Vec<String> = words.collect();
    let text = match words.as_slice() {
        [] => "startpos".to_owned(),
        words => words.join(" "),
    };
    let game = parse_position_line(&text)?;
    // A text book is looked up where it lies, so that its size does not matter.
    let options = OpenOptions {
        on_the_fly: true,
        ..OpenOptions::default()
    };
    let book = OpenBook::open(&PathBuf::from(path), options, &Job::default())?;
    let moves = book.find(game.position())?;
    if moves.is_empty() {
        println!("not in the book");
    }
    for found in moves {
        let mv = found.mv.and_then(|code| game.position().move_from_16(code));
        let mv = mv.map_or("none".to_owned(), |mv| mv.to_string());
        println!("{mv}: value {}, depth {}", found.eval, found.depth);
    }
    Ok(())
}
