//! Positions from which a walk over a book begins.

use std::path::Path;

use shogi_core::{Game, Move, Position};
use yane_io::read_text;

use super::Replay;
use crate::Result;
use crate::db::{LineProblem, Lines, line_error};
use crate::sniff::RECORDS;

/// A position from which a walk begins, with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Root {
    /// How the game begins: `startpos` or `sfen …`.
    start: String,
    game: Game,
}

impl Root {
    /// The even game.
    pub fn startpos() -> Self {
        Self {
            start: "startpos".to_owned(),
            game: Game::new(Position::startpos()).with_look_back(u32::MAX),
        }
    }

    /// Reads a line of a record file.
    ///
    /// # Errors
    /// When the line is no game, or one of its moves cannot be played.
    pub fn parse(line: &[u8]) -> std::result::Result<Self, LineProblem> {
        let mut replay = Replay::new(line)?;
        let start = if line.contains(&b'/') {
            format!("sfen {}", replay.position().to_sfen())
        } else {
            "startpos".to_owned()
        };
        let mut game = Game::new(replay.position().clone()).with_look_back(u32::MAX);
        while let Some(m) = replay.play_next()? {
            game.play(m);
        }
        Ok(Self { start, game })
    }

    /// The game up to the root; it looks back without limit for repetitions.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The line of a record file for the root's game with `moves` after it. The word `moves` is
    /// there only when a move is.
    pub fn line(&self, moves: impl IntoIterator<Item = Move>) -> String {
        let mut line = self.start.clone();
        for (index, m) in self.game.moves().chain(moves).enumerate() {
            line.push_str(if index == 0 { " moves " } else { " " });
            line.push_str(&m.to_string());
        }
        line
    }
}

/// Reads the roots in the record file at `path`.
///
/// # Errors
/// When the file cannot be read, or a line is no game or has a move that cannot be played.
pub fn read_roots(path: &Path) -> Result<Vec<Root>> {
    let text = read_text(path, &RECORDS)?;
    Lines::new(&text, 0)
        .map(|(offset, line)| {
            Root::parse(line).map_err(|problem| line_error(path, offset, problem))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::TestFolder;

    #[test]
    fn lines_are_rewritten_in_one_form() {
        let even = Position::STARTPOS_SFEN;
        for (line, expected) in [
            ("startpos", "startpos"),
            ("position startpos moves", "startpos"),
            ("7g7f 3c3d resign", "startpos moves 7g7f 3c3d"),
            (even, &format!("sfen {even}")),
            (
                &format!("sfen {even} 7g7f"),
                &format!("sfen {even} moves 7g7f"),
            ),
        ] {
            let root = Root::parse(line.as_bytes()).unwrap();
            assert_eq!(root.line([]), expected);
        }
        let root = Root::parse(b"startpos moves 7g7f").unwrap();
        let m = root.game().position().move_from_usi("3c3d").unwrap();
        assert_eq!(root.line([m]), "startpos moves 7g7f 3c3d");
    }

    #[test]
    fn a_bad_root_is_an_error_with_its_line() {
        let folder = TestFolder::new();
        let path = folder.path("roots.txt");
        std::fs::write(&path, "# roots\n\nstartpos\nstartpos moves 7g7e\n").unwrap();
        let error = read_roots(&path).unwrap_err();
        assert!(
            error.to_string().ends_with("line 4: illegal move 7g7e"),
            "{error}"
        );
    }
}
