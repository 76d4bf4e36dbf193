//! Any text is a game, a position, two bitboards, a problem, or an error; what is read is written and read back, and a
//! text that a plain reader takes is the same to the reader of all forms.
#![no_main]

use libfuzzer_sys::fuzz_target;
use othello_core::{Board, Game, Move, Position};
use othello_record::{Problem, diagram, parse, parse_all, parse_lines};

fuzz_target!(|text: &str| {
    if let Ok(mut game) = text.parse::<Game>() {
        assert_eq!(game.to_edax().parse().as_ref(), Ok(&game));
        // A pass at the end does not follow from later moves.
        while game.moves().last() == Some(&Move::Pass) {
            game.undo();
        }
        assert_eq!(game.to_string().parse(), Ok(game));
    }
    if let Ok(record) = parse(text) {
        assert!(
            record
                .positions()
                .any(|position| position == record.position())
        );
        let position = record.position();
        for text in [position.to_string(), diagram(position)] {
            let again = parse(&text).expect("what is written is read");
            assert_eq!(again.positions().collect::<Vec<_>>(), [position]);
        }
        let numbers = parse(&position.to_bitboards()).expect("what is written is read");
        assert!(
            numbers
                .positions()
                .any(|read| read.board() == position.board())
        );
    }
    for item in parse_all(text).iter().chain(&parse_lines(text)) {
        assert!(item.line > 0);
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
