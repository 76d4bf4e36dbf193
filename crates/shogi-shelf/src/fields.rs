//! How things of the game and failures stand in messages.

use page_messages::{FailurePlace, PageFailure, PageFile};
use serde::Deserialize;
use shogi_core::{Game, Move, Move16, MoveText, Position, Repetition, Square};
use shogi_kifu::MoveNotation;
use yane_book::BookError;
use yane_book::edit::{EditError, EntryMatching};

/// Moves of a line at most.
const MOST_MOVES: usize = 5_000;

/// A position by its SFEN.
pub(crate) fn position_of(sfen: &str) -> Result<Position, PageFailure> {
    Position::from_sfen(sfen).map_err(|error| PageFailure::new(format!("sfen: {error}")))
}

/// A move by its USI, whether it is legal or not.
pub(crate) fn move_of(usi: &str) -> Result<Move16, PageFailure> {
    let text = MoveText::from_usi(usi).map(Move16::encode);
    text.ok_or_else(|| PageFailure::new(format!("'{}' is no move", usi.escape_debug())))
}

/// The USI of a move of a book.
pub(crate) fn usi(mv: Move16) -> String {
    mv.decode()
        .map_or_else(|| format!("{:#06x}", mv.0), |text| text.to_string())
}

/// The move, if the rules allow it.
pub(crate) fn legal(position: &Position, mv: Move16) -> Option<Move> {
    let m = position.move_from_16(mv);
    m.filter(|&m| position.is_legal(m))
}

/// The position behind a legal move.
pub(crate) fn behind(position: &Position, m: Move) -> Position {
    let mut behind = position.clone();
    let _ = behind.do_move_unchecked(m);
    behind
}

/// A line of a request: a position, the start position if there is none, and moves from there.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LineFields {
    #[serde(default)]
    sfen: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

impl LineFields {
    /// A line from a position.
    pub(crate) fn new(start: &Position, moves: &[String]) -> Self {
        Self {
            sfen: Some(start.to_sfen()),
            moves: moves.to_vec(),
        }
    }

    /// The game, which knows of all positions before.
    ///
    /// # Errors
    ///
    /// An SFEN that is none, or the first move that is not legal.
    pub(crate) fn game(&self) -> Result<Game, PageFailure> {
        let start = match &self.sfen {
            Some(sfen) => position_of(sfen)?,
            None => Position::startpos(),
        };
        if self.moves.len() > MOST_MOVES {
            let moves = self.moves.len();
            let text = format!("{moves} moves are more than {MOST_MOVES}");
            return Err(PageFailure::new(text));
        }
        let mut game = Game::new(start).with_look_back(u32::MAX);
        for (index, name) in self.moves.iter().enumerate() {
            let Ok(m) = game.position().move_from_usi(name) else {
                let place = FailurePlace {
                    mv: Some(index as u64),
                    ..FailurePlace::default()
                };
                let (number, name) = (index + 1, name.escape_debug());
                let text = format!("move {number}: '{name}' is not legal");
                return Err(PageFailure::new(text).at(place));
            };
            game.play_unchecked(m);
        }
        Ok(game)
    }
}

/// The language of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NamesChoice {
    #[default]
    Ja,
    En,
    None,
}

impl NamesChoice {
    /// The name of a legal move; `None` if names are left out.
    pub(crate) fn name(
        self,
        position: &Position,
        m: Move,
        last_to: Option<Square>,
    ) -> Option<String> {
        let notation = match self {
            Self::Ja => MoveNotation::Japanese,
            Self::En => MoveNotation::Western,
            Self::None => return None,
        };
        Some(notation.name(position, m, last_to))
    }

    /// The name of a move of a book; `None` if it is not legal, or names are left out.
    pub(crate) fn book_name(self, position: &Position, mv: Move16) -> Option<String> {
        self.name(position, legal(position, mv)?, None)
    }
}

/// Which entries are those of a position, in requests.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct FindingFields {
    #[serde(default = "yes")]
    flipped: bool,
    #[serde(default = "yes")]
    ignore_ply: bool,
}

const fn yes() -> bool {
    true
}

impl From<FindingFields> for EntryMatching {
    fn from(fields: FindingFields) -> Self {
        Self {
            flipped: fields.flipped,
            ignore_ply: fields.ignore_ply,
        }
    }
}

/// The name of a repetition; `None` if it is none.
pub(crate) const fn repetition_name(kind: Repetition) -> Option<&'static str> {
    match kind {
        Repetition::None => None,
        Repetition::Draw => Some("draw"),
        Repetition::Win => Some("win"),
        Repetition::Lose => Some("lose"),
        Repetition::Superior => Some("superior"),
        Repetition::Inferior => Some("inferior"),
    }
}

/// The failure of a book that the page knows by a name.
pub(crate) fn book_failure(error: &BookError, file: &PageFile) -> PageFailure {
    let mut place = FailurePlace {
        path: Some(file.path.clone()),
        ..FailurePlace::default()
    };
    match error {
        BookError::Files(error) => return page_shelf::file_failure(error, file),
        BookError::Line { line, .. } => place.line = Some(*line),
        _ => {}
    }
    PageFailure::of(error).at(place)
}

/// The failure of an edit of such a book.
pub(crate) fn edit_failure(error: &EditError, file: &PageFile) -> PageFailure {
    match error {
        EditError::Book(error) => book_failure(error, file),
        error => PageFailure::of(error),
    }
}
