//! Names of openings, found by position: in any orientation and by any order of moves.

use std::collections::HashMap;
use std::sync::LazyLock;

use othello_core::{Board, Game};

/// An opening with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedOpening {
    /// The moves.
    pub game: Game,
    /// The name in English, or in the language of the file that it is from.
    pub english: String,
    /// The name in Japanese, or in the language of the file that it is from.
    pub japanese: String,
}

/// A list of openings.
///
/// ```
/// use othello_core::Game;
/// use othello_record::OpeningNames;
///
/// let names = OpeningNames::built_in();
/// // The Tiger, turned by 180 degrees and one move longer.
/// let game: Game = "c4e3f6e6f5c5".parse()?;
/// let (ply, opening) = names.longest(&game).expect("it has a name");
/// assert_eq!((ply, opening.english.as_str(), opening.japanese.as_str()), (6, "Tiger, main line", "虎本線"));
/// # Ok::<(), othello_core::TranscriptError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpeningNames {
    openings: Vec<NamedOpening>,
    /// The opening of each canonical board.
    by_board: HashMap<Board, usize>,
}

/// A line that is no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct OpeningError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected.
    pub reason: String,
}

static BUILT_IN: LazyLock<OpeningNames> =
    LazyLock::new(|| OpeningNames::parse(include_str!("openings.tsv")).unwrap_or_default());

impl OpeningNames {
    /// The openings of this project.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses a list: a line has moves, a blank or tab, and a name, as in Egaroucid; or moves, the name in English and the name
    /// in Japanese with tabs between them. Lines that begin with `#` are comments. Of two names of a position the later one counts.
    ///
    /// # Errors
    ///
    /// A line without a name, or whose moves are none.
    pub fn parse(text: &str) -> Result<Self, OpeningError> {
        let mut names = Self::default();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |reason: String| OpeningError {
                line: n + 1,
                reason,
            };
            let (moves, name) = line.split_once([' ', '\t', '　', ',']).ok_or_else(|| {
                wrong(format!(
                    "moves and a name were expected, such as 'f5d6 Perpendicular', not '{line}'"
                ))
            })?;
            let game: Game = moves.parse().map_err(|error| wrong(format!("{error}")))?;
            if game.moves().is_empty() || name.trim().is_empty() {
                return Err(wrong("moves and a name were expected".to_owned()));
            }
            let (english, japanese) = name.split_once('\t').unwrap_or((name, name));
            names.by_board.insert(key(&game), names.openings.len());
            names.openings.push(NamedOpening {
                game,
                english: english.trim().to_owned(),
                japanese: japanese.trim().to_owned(),
            });
        }
        Ok(names)
    }

    /// All openings, in the order of the list.
    pub fn openings(&self) -> &[NamedOpening] {
        &self.openings
    }

    /// The opening of the last position of a game.
    pub fn of_position(&self, game: &Game) -> Option<&NamedOpening> {
        self.at(game.position().board())
    }

    fn at(&self, board: Board) -> Option<&NamedOpening> {
        let number = self.by_board.get(&board.canonical().board)?;
        self.openings.get(*number)
    }

    /// All openings that a game passes, each with the number of moves that lead to it.
    pub fn along(&self, game: &Game) -> Vec<(usize, &NamedOpening)> {
        let mut position = game.start();
        let mut found = Vec::new();
        for (n, &mv) in game.moves().iter().enumerate() {
            let Some(board) = position.board().after(mv) else {
                break;
            };
            position = othello_core::Position::new(board, position.side().other());
            found.extend(self.at(board).map(|opening| (n + 1, opening)));
        }
        found
    }

    /// The longest opening that a game passes, with the number of moves that lead to it.
    pub fn longest(&self, game: &Game) -> Option<(usize, &NamedOpening)> {
        self.along(game).pop()
    }
}

fn key(game: &Game) -> Board {
    game.position().board().canonical().board
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_core::Symmetry;

    use super::*;

    #[test]
    fn every_opening_is_legal_and_has_names_of_its_own() {
        // A line that is not legal would leave the list empty.
        let names = OpeningNames::parse(include_str!("openings.tsv")).unwrap();
        assert!(names.openings().len() >= 140, "{}", names.openings().len());
        let distinct = |of: fn(&NamedOpening) -> &str| {
            names
                .openings()
                .iter()
                .map(of)
                .collect::<HashSet<_>>()
                .len()
        };
        assert_eq!(distinct(|opening| &opening.english), names.openings().len());
        assert_eq!(
            distinct(|opening| &opening.japanese),
            names.openings().len()
        );
        assert_eq!(
            names.by_board.len(),
            names.openings().len(),
            "two names of a position"
        );
        for opening in names.openings() {
            assert!(
                opening.game.to_string().starts_with("f5"),
                "{}",
                opening.english
            );
            assert_eq!(
                opening.game.to_string().len(),
                opening.game.moves().len() * 2
            );
        }
    }

    #[test]
    fn openings_are_found_in_all_orientations_and_orders() {
        let names = OpeningNames::built_in();
        for opening in names.openings() {
            for symmetry in Symmetry::ALL {
                let mut game = Game::default();
                let turned = opening
                    .game
                    .moves()
                    .iter()
                    .all(|&mv| game.play(symmetry.apply(mv)));
                // Half of the symmetries exchange the colours of the start.
                if turned {
                    assert_eq!(names.of_position(&game), Some(opening));
                    assert_eq!(names.longest(&game), Some((game.moves().len(), opening)));
                }
            }
        }
        let named = |moves: &str| {
            let found = names.longest(&moves.parse().unwrap());
            found.map(|(ply, opening)| (ply, opening.english.clone()))
        };
        // Another order of moves.
        assert_eq!(named("f5d6c4d3c3"), named("f5d6c3d3c4"));
        assert_eq!(
            named("f5d6c3d3c4f4c5b3c2e3"),
            Some((9, "Aubrey (Tanaka)".to_owned()))
        );
        assert_eq!(named(""), None);
        // All games of up to four plies have a name of their length.
        let mut games = vec![Game::default()];
        for _ in 0..4 {
            let next = |game: &Game| {
                let moves = game.position().board().legal_moves();
                let game = game.clone();
                moves
                    .iter()
                    .map(move |square| {
                        let mut next = game.clone();
                        next.play_square(square);
                        next
                    })
                    .collect::<Vec<_>>()
            };
            games = games.iter().flat_map(next).collect();
            assert!(games.iter().all(|game| names.of_position(game).is_some()));
        }
    }

    #[test]
    fn lists_of_egaroucid_are_read_and_errors_have_their_line() {
        let names = OpeningNames::parse("\u{feff}# comment\nf5d6 縦取り\n\nf5d6c3d3c4 虎 定石\r\n")
            .unwrap();
        let game: Game = "f5d6c3d3c4".parse().unwrap();
        assert_eq!(
            names
                .along(&game)
                .iter()
                .map(|(ply, name)| (*ply, &name.english[..]))
                .collect::<Vec<_>>(),
            [(2, "縦取り"), (5, "虎 定石")]
        );
        for (text, line) in [("f5d6", 1), ("\nf5f5 x", 2), ("x y", 1), ("f5d6 \t", 1)] {
            assert_eq!(OpeningNames::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
