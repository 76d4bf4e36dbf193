//! Files of many games, as commands of every game treat them.

use std::path::Path;

use test_support::{RecordCommands, RecordedGame};

/// A game in GGF.
fn ggf(game: &RecordedGame) -> String {
    let moves = ["B[f5]", "W[d6]", "B[c3]", "W[d3]", "B[c4]", "W[f4]"];
    let ([black, white], [black_rate, white_rate]) = (game.players, game.ratings);
    let (year, month) = game.date;
    let result = if game.moves % 2 == 1 { "+2" } else { "-2" };
    format!(
        "(;GM[Othello]PB[{black}]PW[{white}]RB[{black_rate}]RW[{white_rate}]DT[{year}-{month:02}-05]TY[8]RE[{result}]{};)\n",
        moves[..game.moves].concat()
    )
}

#[test]
fn files_of_games_are_converted_and_filtered() {
    let commands = RecordCommands {
        program: Path::new(env!("CARGO_BIN_EXE_othello")),
        prefix: "games",
        format: "ggf",
        record: ggf,
        bad: "(;GM[Othello]B[f5]W[f5];)\n",
        winner: "--winner",
    };
    commands.check();
}
