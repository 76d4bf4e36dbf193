//! `position file PATH [game N] [ply N]`: a position of a game record.

use shogi_core::Game;
use shogi_kifu::{ArchiveGame, GameRecord, KifuError, open_archive};
use yane_io::path_of_text;

use super::{Subject, UsiLoop};
use crate::error::LineError;

/// What follows the word `file`, if the text after `position` begins with it.
pub(super) fn argument(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix("file")?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// A game of a file, and a place in it.
#[derive(Debug, PartialEq, Eq)]
struct RecordedPosition<'a> {
    path: &'a str,
    /// Number of the game in the file, from 1.
    game: usize,
    /// Number of moves made; `None`: all.
    ply: Option<usize>,
}

impl<'a> RecordedPosition<'a> {
    /// The path may have blanks in it; `game N` and `ply N` behind it come in any order.
    fn parse(argument: &'a str) -> Result<Self, LineError> {
        let wrong = |found: &str| LineError::Argument {
            command: "position file",
            expected: "PATH [game N] [ply N]",
            found: found.to_owned(),
        };
        let (mut path, mut game, mut ply) = (argument, None, None);
        while let Some((rest, number)) = path.rsplit_once(' ') {
            let rest = rest.trim_end();
            let Some((before, word)) = rest.rsplit_once(' ') else {
                break;
            };
            let value = match word {
                "game" if game.is_none() => &mut game,
                "ply" if ply.is_none() => &mut ply,
                _ => break,
            };
            *value = Some(number.parse().map_err(|_| wrong(number))?);
            path = before.trim_end();
        }
        if path.is_empty() || game == Some(0) {
            return Err(wrong(argument));
        }
        Ok(Self {
            path,
            game: game.unwrap_or(1),
            ply,
        })
    }

    /// The record of the game.
    fn read(&self) -> Result<GameRecord, String> {
        let path = &path_of_text(self.path);
        let mut left = self.game;
        let games = open_archive(path, 1, |game: Result<ArchiveGame, KifuError>| game)
            .map_err(|error| error.to_string())?;
        for batch in games {
            let mut games = batch.map_err(|error| error.to_string())?.items;
            if left <= games.len() {
                let game = games.swap_remove(left - 1);
                return game
                    .map(|game| game.record)
                    .map_err(|error| error.to_string());
            }
            left -= games.len();
        }
        let count = self.game - left;
        Err(format!(
            "{} has {count} games, none of number {}",
            self.path, self.game
        ))
    }
}

impl UsiLoop {
    /// Sets the position after some moves of a game in a file of records of any format.
    pub(super) fn set_recorded_position(&mut self, argument: &str) -> Result<(), LineError> {
        let place = RecordedPosition::parse(argument);
        let read = place.and_then(|place| {
            let record = place.read().map_err(LineError::Record)?;
            let moves = record.moves().count();
            match place.ply {
                Some(ply) if ply > moves => Err(LineError::Record(format!(
                    "the game has {moves} moves, not {ply}"
                ))),
                ply => Ok((record, ply.unwrap_or(moves), moves)),
            }
        });
        let (record, ply, moves) = read.inspect_err(|error| {
            self.subject = Subject::Unreadable(error.to_string());
        })?;
        let mut game = Game::new(record.start().clone());
        for m in record.moves().take(ply) {
            game.play_unchecked(m);
        }
        self.set_game(game);
        let name = |color| record.headers.player(color).unwrap_or("?");
        let [black, white] = shogi_core::Color::ALL.map(name);
        self.output.say(&crate::error::shortened(&format!(
            "position: after {ply} of {moves} moves of {black} - {white}"
        )));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        for (text, path, game, ply) in [
            ("a.kif", "a.kif", 1, None),
            ("my games/a b.kif ply 3", "my games/a b.kif", 1, Some(3)),
            ("a.csa game 2", "a.csa", 2, None),
            ("a.csa  ply 0  game 12", "a.csa", 12, Some(0)),
            ("the ply", "the ply", 1, None),
        ] {
            let found = RecordedPosition::parse(text).unwrap();
            assert_eq!(found, RecordedPosition { path, game, ply }, "{text}");
        }
        for text in ["", "a.csa game 0", "a.csa ply x", "a.csa game -1"] {
            assert!(RecordedPosition::parse(text).is_err(), "{text}");
        }
        assert_eq!(argument("file a.kif"), Some("a.kif"));
        assert_eq!(argument("startpos"), None);
        assert_eq!(argument("filex y"), None);
    }
}
