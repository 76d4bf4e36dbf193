//! Files of many games, as commands of every game treat them.

use std::path::Path;

use test_support::{RecordCommands, RecordedGame};

/// A game in CSA. Who is to move at its end gives up.
fn csa(game: &RecordedGame) -> String {
    let moves = [
        "+7776FU", "-3334FU", "+2726FU", "-8384FU", "+2625FU", "-8485FU",
    ];
    let ([black, white], [black_rate, white_rate]) = (game.players, game.ratings);
    let (year, month) = game.date;
    format!(
        "V2.2\nN+{black}\nN-{white}\n$START_TIME:{year}/{month:02}/05 10:00:00\nPI\n+\n\
         'black_rate:{black}:{black_rate}.0\n'white_rate:{white}:{white_rate}.0\n{}\n%TORYO\n",
        moves[..game.moves].join("\n")
    )
}

#[test]
fn files_of_games_are_converted_and_filtered() {
    let commands = RecordCommands {
        program: Path::new(env!("CARGO_BIN_EXE_kifu")),
        prefix: "",
        format: "csa",
        record: csa,
        bad: "V2.2\nPI\n+\n+7775XX\n",
        winner: "--outcome",
    };
    commands.check();
}
