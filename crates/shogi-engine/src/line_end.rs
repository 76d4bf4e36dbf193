//! How a line ends, for analysis.

use shogi_core::{Declaration, EnteringKingRule, Game, Move, Repetition};

/// What comes after the last move of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The position has been there before; as the side to move sees it.
    Repetition(Repetition),
    /// The side to move can declare a win.
    Win,
    /// The side to move has no legal move.
    Resign,
}

/// Follows `line` from the current position of `game`. The number of moves until it ends, and how; `None`
/// when nothing ends it.
pub(crate) fn line_end(
    game: &Game,
    line: &[Move],
    rule: EnteringKingRule,
) -> (usize, Option<LineEnd>) {
    let mut game = game.clone();
    for (index, &m) in line.iter().enumerate() {
        game.play(m);
        let plies = index + 1;
        let repetition = game.repetition_in_search(plies as u32);
        if repetition != Repetition::None {
            return (plies, Some(LineEnd::Repetition(repetition)));
        }
    }
    let position = game.position();
    let end = if position.has_no_legal_move() {
        Some(LineEnd::Resign)
    } else if position.declaration(rule) == Some(Declaration::Win) {
        Some(LineEnd::Win)
    } else {
        None
    };
    (line.len(), end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;

    /// The end of the line of `moves` from `sfen`, and the number of its moves.
    fn end(sfen: &str, moves: &str) -> (usize, Option<LineEnd>) {
        let start = Game::new(Position::from_sfen(sfen).unwrap());
        let mut game = start.clone();
        let mut line = Vec::new();
        for text in moves.split_ascii_whitespace() {
            let m = game.position().move_from_usi(text).unwrap();
            game.play(m);
            line.push(m);
        }
        line_end(&start, &line, EnteringKingRule::default())
    }

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn repetitions_end_a_line() {
        let draw = Some(LineEnd::Repetition(Repetition::Draw));
        // As the search has it, the root itself may come back once.
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b"), (4, None));
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b 2h3h"), (5, draw));
        assert_eq!(end(START, "2h3h 8b7b 3h2h 7b8b 2h3h 7a7b"), (5, draw));
        // The side to move has done nothing but check: it loses.
        let checks = "4k4/9/9/9/9/9/9/4R4/K8 w - 1";
        let lose = Some(LineEnd::Repetition(Repetition::Lose));
        assert_eq!(end(checks, "5a4a 5h4h 4a5a 4h5h 5a4a"), (5, lose));
        assert_eq!(end(START, "7g7f 3c3d"), (2, None));
    }

    #[test]
    fn the_game_can_end_too() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        assert_eq!(end(mate, "G*5b"), (1, Some(LineEnd::Resign)));
        let entered = "LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl b - 1";
        assert_eq!(end(entered, "5c5b+"), (1, Some(LineEnd::Win)));
    }
}
