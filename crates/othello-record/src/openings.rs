//! Names of openings, found by position: in any orientation and by any order of moves.

use std::collections::HashMap;
use std::sync::LazyLock;

use othello_core::{Board, Game, Position};

#[cfg(test)]
use crate::opening::plain;
use crate::opening::{NamedOpening, OpeningError, OpeningLanguage};
use crate::opening_list;

/// A list of openings.
///
/// A name belongs to a position, seen from any side of the board: it does not matter by which moves a game came there. Where a list
/// names a position twice the later name counts; the list of this project does not. Of the names on the way of a game the last
/// one is the game's.
///
/// ```
/// use othello_core::Game;
/// use othello_record::{OpeningLanguage, OpeningNames};
///
/// let names = OpeningNames::built_in();
/// // The Tiger, one move longer.
/// let game: Game = "c4e3f6e6f5c5".parse()?;
/// let (ply, opening) = names.longest(&game).expect("it has a name");
/// assert_eq!((ply, opening.english.as_str()), (5, "Tiger"));
/// assert_eq!(names.name(&game, OpeningLanguage::Japanese), Some("虎定石"));
/// # Ok::<(), othello_core::TranscriptError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpeningNames {
    openings: Vec<NamedOpening>,
    /// The opening of each canonical board.
    by_board: HashMap<Board, usize>,
}

static BUILT_IN: LazyLock<OpeningNames> =
    LazyLock::new(|| OpeningNames::parse(include_str!("openings.tsv")).unwrap_or_default());

impl OpeningNames {
    /// The openings of this project.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses a list in one of these forms, a line each:
    ///
    /// * moves, a blank, tab or comma, and a name (`f5d6c3d3c4 Tiger`); a tab may part the name in English from that in Japanese;
    /// * the 64 squares of a board and a name, as Egaroucid has them: `0` for black, `1` for white, `.` for an empty square;
    /// * Zebra's: the number of openings in the first line, then moves and a name;
    /// * a name, `=` and moves.
    ///
    /// Lines that begin with `#` or `//` are comments. Of two names of a position the later one counts.
    ///
    /// # Errors
    ///
    /// A line without a name, or whose moves or board are none; fewer openings than the first line announces.
    pub fn parse(text: &str) -> Result<Self, OpeningError> {
        let mut names = Self::default();
        for opening in opening_list::read(text)? {
            let board = opening.game.position().board().canonical().board;
            names.by_board.insert(board, names.openings.len());
            names.openings.push(opening);
        }
        Ok(names)
    }

    /// All openings, in the order of the list.
    pub fn openings(&self) -> &[NamedOpening] {
        &self.openings
    }

    /// The opening of the last position of a game.
    pub fn of_position(&self, game: &Game) -> Option<&NamedOpening> {
        self.at(game.position())
    }

    /// The opening of a position.
    pub fn at(&self, position: Position) -> Option<&NamedOpening> {
        let number = self.by_board.get(&position.board().canonical().board)?;
        self.openings.get(*number)
    }

    /// All openings that a game passes, each with the number of moves that lead to it: those with a name in either language.
    pub fn along(&self, game: &Game) -> Vec<(usize, &NamedOpening)> {
        // A list may name positions that no moves lead to.
        let positions = game.positions().enumerate();
        positions
            .filter_map(|(n, position)| Some((n, self.at(position)?)))
            .collect()
    }

    /// The openings that a game passes and that have a name in a language, each with the number of moves that lead to it.
    pub fn along_in(&self, game: &Game, language: OpeningLanguage) -> Vec<(usize, &NamedOpening)> {
        let mut along = self.along(game);
        along.retain(|(_, opening)| opening.name(language).is_some());
        along
    }

    /// The longest opening with an English name that a game passes, with the number of moves that lead to it.
    pub fn longest(&self, game: &Game) -> Option<(usize, &NamedOpening)> {
        self.longest_in(game, OpeningLanguage::English)
    }

    /// The longest opening with a name in a language that a game passes, with the number of moves that lead to it.
    pub(crate) fn longest_in(
        &self,
        game: &Game,
        language: OpeningLanguage,
    ) -> Option<(usize, &NamedOpening)> {
        self.along_in(game, language).pop()
    }

    /// The name of a game in a language: that of the longest opening on its way.
    pub fn name(&self, game: &Game, language: OpeningLanguage) -> Option<&str> {
        self.longest_in(game, language)?.1.name(language)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_core::Symmetry;

    use super::*;

    fn english(moves: &str) -> Option<(usize, String)> {
        let game = moves.parse().unwrap();
        let found = OpeningNames::built_in().longest(&game);
        found.map(|(ply, opening)| (ply, opening.english.clone()))
    }

    #[test]
    fn every_opening_is_legal_and_has_names_of_its_own() {
        // A line that is not legal would leave the list empty.
        let names = OpeningNames::parse(include_str!("openings.tsv")).unwrap();
        assert_eq!(names.by_board.len(), names.openings().len());
        for language in [OpeningLanguage::English, OpeningLanguage::Japanese] {
            let named: Vec<_> = names
                .openings()
                .iter()
                .filter_map(|opening| opening.name(language))
                .collect();
            assert!(named.len() >= 88, "{}", named.len());
            let distinct: HashSet<_> = named.iter().map(|name| plain(name)).collect();
            assert_eq!(distinct.len(), named.len());
        }
        for opening in names.openings() {
            let moves = opening.game.to_string();
            assert!(moves.starts_with("f5"), "{moves}");
            assert_eq!(moves.len(), opening.game.moves().len() * 2);
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
                    .all(|&mv| game.try_play(symmetry.apply(mv)).is_ok());
                // Half of the symmetries exchange the colours of the start.
                if turned {
                    assert_eq!(names.of_position(&game), Some(opening));
                    assert_eq!(
                        names.along(&game).pop(),
                        Some((game.moves().len(), opening))
                    );
                }
            }
        }
        // Other orders of moves: the position has the name.
        assert_eq!(english("f5d6c4d3c3"), Some((5, "Tiger".to_owned())));
        assert_eq!(english("e6f6f5f4g5").unwrap().0, 5);
        assert_eq!(english(""), None);
        assert_eq!(english("f5d6c3"), Some((2, "Perpendicular".to_owned())));
    }

    /// Lines that four public lists name alike.
    #[test]
    fn well_known_lines_have_their_names() {
        for (moves, name) in [
            ("c4e3f6e6f5c5f4g6f7", "Rose-Bill"),
            ("c4e3f6e6f5c5f4g6f7d3", "Tamenori"),
            ("c4e3f6e6f5c5f4g6f7g5", "Central Rose-Bill (Dead Draw)"),
            ("c4e3f6e6f5g6", "Aubrey (Tanaka)"),
            ("c4e3f6e6f5g6e7c5", "Aubrey, Feldborg continuation"),
            ("c4e3f6e6f5c5f4g5g4f3c6d3d6", "Ishii"),
            ("c4e3f6e6f5c5f4g5g4f3c6d3d6b3c3b4e2b6", "Mainline Tiger"),
            ("c4e3f4c5d6f3e6c3d3e2", "Rose"),
            ("c4e3f4c5d6f3e6c3d3e2b5f5", "Rotating Flat"),
            ("c4e3f4c5d6f3e6c3d3e2b5f5b3", "Murakami variation"),
            (
                "c4e3f4c5d6f3e6c3d3e2b5f5b4f6c2e7d2c7",
                "Rotating Flat, Kling continuation",
            ),
            ("c4e3f4c5d6f3e6c6", "Ralle"),
            ("c4e3f4c5e6", "Horse"),
            ("c4e3f5b4f3", "Swallow"),
            ("c4e3f5b4f3f4e2e6g5f6d6c6", "No-Cat continuation"),
            ("c4c3d3c5b6", "Rocket"),
            ("c4c3d3c5b6c6b5", "Hamilton"),
            ("c4c3d3c5b6e3", "Lollipop"),
            ("c4e3f4c5d6f3e6c3d3e2b5", "Flat"),
            ("c4c3d3c5b3", "Snake (Peasant)"),
            ("c4c3d3c5b3f3", "Lysons"),
            ("c4c3d3e3c2c6", "Lysons"),
            ("f5f6e6d6c5e3d3", "Rose v. Toth"),
            ("c4e3f6b4", "Bent Ganglion (Ganglion)"),
            ("c4e3f5b4", "No-Cat (Ganglion)"),
        ] {
            let plies = moves.len() / 2;
            assert_eq!(english(moves), Some((plies, name.to_owned())), "{moves}");
        }
    }

    #[test]
    fn japanese_names_are_a_naming_of_their_own() {
        let names = OpeningNames::built_in();
        let named = |moves: &str| {
            let game = moves.parse().unwrap();
            names.name(&game, OpeningLanguage::Japanese)
        };
        for (moves, name) in [
            ("f5d6c3d3c4f4c5b3c2", "花形定石（ローズビル）"),
            ("f5d6c3d3c4f4c5b3c2e6", "金魚定石"),
            ("f5d6c3d3c4f4c5b3c2e3", "酉定石"),
            ("f5d6c3d3c4f4c5b3c2b4", "FJT定石"),
            ("f5d6c3d3c4b3", "イエス流"),
            ("f5d6c4d3e6", "羊定石"),
            ("f5d6c5f4d3", "馬定石"),
            ("f5d6c5f4e3c6d3f6e6d7", "ローズ"),
            ("f5d6c5f4e3c6d3f6e6d7g4c4g6", "村上流"),
            ("f5d6c5f4e3c6e6f6", "雪うさぎ"),
            ("f5f6e6f4g3", "ロケット定石（ヒラメ定石）"),
            ("f5f6e6f4g5", "飛び出し牛（闘牛）"),
            ("f5f6e6f4e3d6", "白大量取り（リンゴ定石）"),
            ("f5f4", "平行取り"),
            // Without a name of its own the position has that of the line.
            ("f5d6c3d3c4f4", "虎定石"),
        ] {
            assert_eq!(named(moves), Some(name), "{moves}");
        }
    }

    #[test]
    fn a_name_is_exact_and_a_prefix_is_a_family() {
        let all = OpeningNames::built_in().openings();
        let called = |name: &str| all.iter().filter(|opening| opening.is_called(name)).count();
        for name in [
            "Rose",
            "rose v toth",
            "tanaka",
            "Bat",
            "F.A.T.",
            "ローズビル",
            "虎",
            "虎定石",
            "Snake",
        ] {
            assert_eq!(called(name), 1, "{name}");
        }
        assert_eq!((called("Ros"), called("Buff"), called("")), (0, 0, 0));
        let family = |text: &str| {
            let family = all.iter().filter(|opening| opening.name_begins_with(text));
            family
                .map(|opening| opening.english.as_str())
                .collect::<HashSet<_>>()
        };
        let roses = family("Rose");
        for name in ["Rose", "Rose-Birth", "Rose-Bill", "Rose v. Toth"] {
            assert!(roses.contains(name), "{name}");
        }
        assert!(!roses.contains("Flat"));
        assert!(family("Bat").contains("Bat, Kling alternative"));
    }

    #[test]
    fn lists_of_programs_are_read_and_errors_have_their_line() {
        let read = |text: &str, moves: &str| {
            let names = OpeningNames::parse(text).unwrap();
            let game: Game = moves.parse().unwrap();
            let along = names.along(&game).into_iter();
            along
                .map(|(ply, opening)| (ply, opening.english.clone()))
                .collect::<Vec<_>>()
        };
        let named = |ply: usize, name: &str| (ply, name.to_owned());
        let text = "\u{feff}# comment\nf5d6 縦取り\n\nf5d6c3d3c4 虎 定石\r\n";
        assert_eq!(
            read(text, "f5d6c3d3c4"),
            [named(2, "縦取り"), named(5, "虎 定石")]
        );
        let egaroucid = "...........................10......100.....1.................... Perpendicular Opening\n\
                         ..................0........00......1111....1.................... Ganglion\n";
        assert_eq!(read(egaroucid, "f5d6"), [named(2, "Perpendicular Opening")]);
        assert_eq!(
            read(egaroucid, "c4e3f6b4").pop(),
            Some(named(4, "Ganglion"))
        );
        let zebra = "2\nC4c3                                     Diagonal Opening\n\
                     C4c3D3c5B3                               Snake / Peasant\n";
        assert_eq!(
            read(zebra, "f5f6e6f4g6"),
            [named(2, "Diagonal Opening"), named(5, "Snake / Peasant")]
        );
        assert_eq!(
            read("// x\n　虎系 = F5D6C3\n", "c4e3f6"),
            [named(3, "虎系")]
        );
        for (text, line) in [
            ("f5d6", 1),
            ("\nf5f5 x", 2),
            ("x y", 1),
            ("f5d6 \t", 1),
            ("3\nf5d6 a\nf5f6 b\n", 1),
            (
                "...........................10......100.....1................... short",
                1,
            ),
        ] {
            assert_eq!(OpeningNames::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
