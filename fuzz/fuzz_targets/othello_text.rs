//! Any text is a transcript, a position, two bitboards, a problem, or an error; what is read is written and read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_core::{Board, Game, Move, Position, Problem};

fuzz_target!(|text: &str| {
    if let Ok(mut game) = text.parse::<Game>() {
        assert_eq!(game.to_edax().parse().as_ref(), Ok(&game));
        // A pass at the end does not follow from later moves.
        while game.moves().last() == Some(&Move::Pass) {
            game.undo();
        }
        assert_eq!(game.to_string().parse(), Ok(game));
    }
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.to_string().parse(), Ok(position));
    }
    if let Ok(board) = Board::from_bitboards(text) {
        let canonical = board.canonical();
        assert_eq!(canonical.back().board(canonical.board), board);
    }
    if let Ok(problem) = text.parse::<Problem>() {
        assert_eq!(problem.to_string().parse(), Ok(problem));
    }
});
