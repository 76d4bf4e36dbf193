//! The `position` command: where a game starts and the moves played since.

use std::fmt;
use std::str::FromStr;

use shogi_core::{Game, Move, Position, PositionLineError, parse_position_line};

/// A starting position and the legal moves that follow.
///
/// Text form (without the word `position`): `startpos [moves ...]` or `[sfen] SFEN [moves ...]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    start: Position,
    moves: Vec<Move>,
}

impl PositionCommand {
    /// The position and history of `game`. Passes cannot be written in USI: a game that contains
    /// one starts after its last pass.
    pub fn from_game(game: &Game) -> Self {
        let mut start = game.clone();
        let mut moves = Vec::new();
        while let Some(m) = start.undo() {
            moves.push(m);
        }
        moves.reverse();
        // `undo` also stops at a pass, after having taken it back.
        if !start.is_empty() {
            start.play_null();
        }
        Self {
            start: start.position().clone(),
            moves,
        }
    }

    /// The start of the game.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The moves played since.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The final position with its history.
    pub fn to_game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&m| game.play(m));
        game
    }
}

impl FromStr for PositionCommand {
    type Err = PositionLineError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_position_line(text).map(|game| Self::from_game(&game))
    }
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == Position::startpos() {
            write!(f, "startpos")?;
        } else {
            write!(f, "sfen {}", self.start.to_sfen())?;
        }
        if !self.moves.is_empty() {
            write!(f, " moves")?;
        }
        self.moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in [
            "startpos",
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
            "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b",
        ] {
            assert_eq!(text.parse::<PositionCommand>().unwrap().to_string(), text);
        }
        let short: PositionCommand = "4k4/9/4P4/9/9/9/9/9/9 b G".parse().unwrap();
        assert_eq!(short.to_string(), "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1");
    }

    #[test]
    fn a_pass_starts_the_game_anew() {
        let mut game = Game::new(Position::startpos());
        game.play(game.position().move_from_usi("7g7f").unwrap());
        game.play_null();
        game.play(game.position().move_from_usi("2g2f").unwrap());
        let command = PositionCommand::from_game(&game);
        assert_eq!(command.moves().len(), 1);
        assert_eq!(command.to_game().position(), game.position());
    }
}
