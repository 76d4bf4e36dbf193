//! Reads the games of a file in any format (KIF, KI2, CSA, JKF, USI lines) and encoding, and prints them as CSA:
//! `cargo run -p yane-shogi-kifu --example read_games [FILE]`.

use std::error::Error;

use shogi_kifu::{CsaVersion, KifuFormat, read_games};

/// What is read without a file.
const GAME: &str = "手合割：平手\n先手：先生\n後手：生徒\n▲７六歩△３四歩▲２二角成△同銀\n";

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => GAME.as_bytes().to_vec(),
    };
    let (format, games) = read_games(&bytes)?;
    println!("'{} games, format {}", games.len(), format.name());
    for game in games {
        // A file may have games that are none among others.
        match game {
            Ok(game) => {
                let (csa, losses) = KifuFormat::Csa.write(&game.record, CsaVersion::V22);
                print!("{csa}");
                for (kind, count) in losses.iter() {
                    println!("'left out: {kind:?}, {count} times");
                }
            }
            Err(error) => println!("'{error}"),
        }
    }
    Ok(())
}
