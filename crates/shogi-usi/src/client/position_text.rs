//! The `position` command, kept in words from one question to the next.

use std::fmt::Write as _;

use shogi_core::Game;

use crate::PositionCommand;

/// A `position` command and the game it says.
#[derive(Debug, Default)]
pub(super) struct PositionText {
    text: String,
    /// Whether moves are said, and not a start alone.
    has_moves: bool,
    said: Option<Said>,
}

#[derive(Debug)]
struct Said {
    plies: usize,
    /// What tells the start and these plies from others.
    line_key: Option<u64>,
}

impl Said {
    fn of(game: &Game) -> Self {
        let plies = game.len();
        Self {
            plies,
            line_key: game.line_key(plies),
        }
    }
}

impl PositionText {
    /// The command for the end of `game`, without an end of line. The caller may add to it as long as it takes
    /// that off again.
    pub(super) fn of(&mut self, game: &Game) -> &mut String {
        if !self.goes_on(game) {
            self.text.clear();
            let command = PositionCommand::from_game(game);
            write!(self.text, "position {command}").expect("a string takes everything");
            self.has_moves = !command.moves().is_empty();
            self.said = Some(Said::of(game));
        }
        &mut self.text
    }

    /// Whether `game` goes on from the one that was said last; then its new moves are said.
    fn goes_on(&mut self, game: &Game) -> bool {
        let Some(said) = &mut self.said else {
            return false;
        };
        if game.line_key(said.plies) != said.line_key {
            return false;
        }
        for m in game.moves_from(said.plies) {
            // Behind a pass the text begins anew.
            let Some(m) = m else {
                return false;
            };
            self.text
                .push_str(if self.has_moves { " " } else { " moves " });
            self.has_moves = true;
            write!(self.text, "{m}").expect("a string takes everything");
        }
        *said = Said::of(game);
        true
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    fn text(said: &mut PositionText, game: &Game) -> String {
        let text = said.of(game);
        let len = text.len();
        text.push_str("\ngo infinite\n");
        text.truncate(len);
        text.clone()
    }

    fn expected(game: &Game) -> String {
        format!("position {}", PositionCommand::from_game(game))
    }

    #[test]
    fn every_game_is_said_as_if_it_were_the_first() {
        let lines = [
            "startpos",
            "startpos moves 7g7f",
            "startpos moves 7g7f 3c3d 8h2b+",
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
            // Back, another branch, another start with the same moves.
            "startpos moves 7g7f",
            "startpos moves 2g2f 3c3d",
            "4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b 2G 1 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b 2G 5 moves G*5b",
            "4k4/9/4P4/9/9/9/9/9/9 b G 1",
            "4k4/9/4P4/9/9/9/9/9/9 w G 1",
            "startpos",
        ];
        let games = lines.map(|line| shogi_core::parse_position_line(line).unwrap());
        let mut said = PositionText::default();
        for game in &games {
            assert_eq!(text(&mut said, game), expected(game));
        }
        for a in &games {
            for b in &games {
                let mut said = PositionText::default();
                text(&mut said, a);
                assert_eq!(text(&mut said, b), expected(b), "{a:?}");
            }
        }
    }

    #[test]
    fn equal_moves_from_starts_that_a_capture_made_equal() {
        // The rook takes a pawn or a lance; what is in hand makes up for it.
        let starts = [
            "4k4/9/9/9/9/9/7p1/9/4K2R1 b L 1",
            "4k4/9/9/9/9/9/7l1/9/4K2R1 b P 1",
        ];
        let games = starts
            .map(|start| shogi_core::parse_position_line(&format!("{start} moves 2i2g")).unwrap());
        assert_eq!(games[0].position(), games[1].position());
        let mut said = PositionText::default();
        for game in [&games[0], &games[1], &games[0]] {
            assert_eq!(text(&mut said, game), expected(game));
        }
    }

    #[test]
    fn behind_a_pass_the_text_begins_anew() {
        let mut said = PositionText::default();
        let mut game = Game::new(Position::startpos());
        for step in 0..6 {
            if step % 3 == 2 {
                game.play_null();
            } else {
                let moves = game.position().moves::<shogi_core::movegen::Legal>();
                game.play(moves[0]);
            }
            assert_eq!(text(&mut said, &game), expected(&game), "{step}");
        }
    }
}
