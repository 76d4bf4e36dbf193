//! An opening with its names.

use othello_core::{BoardError, Game, TranscriptError};

use crate::side::fold;

/// The two namings of openings. They name different lines: most names have no counterpart in the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpeningLanguage {
    /// The names of players in Europe and America.
    #[default]
    English,
    /// The names of joseki in Japan.
    Japanese,
}

/// An opening with its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedOpening {
    /// The moves; none behind a position in lists of boards.
    pub game: Game,
    /// The name in English, or in the language of the file that it is from; empty if there is none.
    pub english: String,
    /// The name in Japanese, or in the language of the file that it is from; empty if there is none.
    pub japanese: String,
}

impl NamedOpening {
    /// The name in a language.
    pub fn name(&self, language: OpeningLanguage) -> Option<&str> {
        let name = match language {
            OpeningLanguage::English => &self.english,
            OpeningLanguage::Japanese => &self.japanese,
        };
        (!name.is_empty()).then_some(name)
    }

    /// Returns whether this is a name of the opening, in either language, whatever its case, blanks and punctuation. Brackets hold other
    /// names: `Aubrey (Tanaka)` is called `Aubrey`, and `Tanaka`.
    ///
    /// ```
    /// use othello_record::OpeningNames;
    ///
    /// let called = |name: &str| {
    ///     let all = OpeningNames::built_in().openings().iter();
    ///     all.filter(|opening| opening.is_called(name)).count()
    /// };
    /// assert_eq!((called("rose"), called("Rose-v-Toth"), called("虎")), (1, 1, 1));
    /// ```
    pub fn is_called(&self, name: &str) -> bool {
        let wanted = plain(name);
        self.plain_names().any(|name| name == wanted)
    }

    /// Returns whether a name of the opening, in either language, begins with a text, whatever its case, blanks and punctuation.
    pub(crate) fn name_begins_with(&self, text: &str) -> bool {
        let wanted = plain(text);
        self.plain_names().any(|name| name.starts_with(&wanted))
    }

    pub(super) fn plain_names(&self) -> impl Iterator<Item = String> + '_ {
        [&self.english, &self.japanese]
            .into_iter()
            .filter(|name| !name.is_empty())
            .flat_map(|name| {
                let name = fold(name);
                let inside = name.split_once('(').map_or("", |(_, inside)| inside);
                let before = name.split('(').next().unwrap_or_default();
                let others = inside
                    .split(['/', ')'])
                    .filter(|name| !name.trim().is_empty());
                let all = [name.as_str(), before].into_iter().chain(others);
                all.map(plain).collect::<Vec<_>>()
            })
    }
}

/// A name without what is written in different ways: case, blanks, punctuation, a general word at its end.
pub(super) fn plain(name: &str) -> String {
    let name: String = fold(name)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let general = ["opening", "variation", "定石"];
    let short = general.iter().find_map(|word| name.strip_suffix(word));
    short
        .filter(|short| !short.is_empty())
        .unwrap_or(&name)
        .to_owned()
}

/// A line that is no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct OpeningError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: OpeningProblem,
}

/// What is wrong with a line of a list of openings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningProblem {
    /// Neither moves nor a board, or no name behind them.
    #[error(
        "moves or a board of 64 squares and a name were expected, such as 'f5d6 Perpendicular'"
    )]
    Expected,
    /// A line of one word.
    #[error(
        "moves or a board of 64 squares and a name were expected, such as 'f5d6 Perpendicular', not '{0}'"
    )]
    NoName(String),
    /// Moves that cannot be played.
    #[error(transparent)]
    Moves(#[from] TranscriptError),
    /// A board of another number of squares.
    #[error("a board has 64 squares, not {0}")]
    Squares(usize),
    /// A square with two discs.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// Fewer openings than the first line of the list announces.
    #[error("{announced} openings are announced, {found} follow")]
    Count {
        /// The number in the first line.
        announced: usize,
        /// Openings in the list.
        found: usize,
    },
}
