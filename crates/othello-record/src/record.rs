//! Parsed games and positions, end-game problems (`.obf`), and errors of parsing.

use std::fmt;
use std::str::FromStr;

use othello_core::{Game, Move, Position, PositionError, Square, TranscriptError};

use crate::BitOrder;

/// The format of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// Moves, numbered or not.
    Transcript,
    /// 64 characters and a side.
    Board,
    /// A board of GGS, `[8 -------- … *]`.
    Ggs,
    /// A diagram of eight numbered rows.
    Diagram,
    /// A line of an `.obf` file: a board, then moves with scores or a comment.
    Problem,
    /// A line of Edax's text book: a board, level, leaf, score.
    EdaxText,
    /// A board and moves from there.
    BoardAndMoves,
    /// Two hexadecimal bitboards.
    Bitboards(BitOrder),
    /// Egaroucid's 16 characters.
    Base81,
    /// A game of GGS.
    Ggf,
    /// A game in SGF.
    Sgf,
    /// A game with tags as in chess.
    Pgn,
    /// JSON of Othello Quest or of this project's commands.
    Json,
    /// JSON of Egaroucid's game library.
    Egaroucid,
    /// A record of a WTHOR file.
    Wthor,
    /// A binary game of Edax, `.edx`.
    Edx,
    /// A line of a table that begins with a transcript.
    Csv,
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transcript => "a transcript",
            Self::Board => "a board of 64 squares",
            Self::Ggs => "a board of GGS",
            Self::Diagram => "a board diagram",
            Self::Problem => "an end-game problem",
            Self::EdaxText => "a line of a text book of Edax",
            Self::BoardAndMoves => "a board and moves",
            Self::Bitboards(BitOrder::A1) => "two bitboards with a1 = bit 0",
            Self::Bitboards(BitOrder::H8) => "two bitboards with h8 = bit 0",
            Self::Base81 => "a board in base 81",
            Self::Ggf => "a game in GGF",
            Self::Sgf => "a game in SGF",
            Self::Pgn => "a game in PGN",
            Self::Json => "JSON",
            Self::Egaroucid => "a game of Egaroucid",
            Self::Wthor => "a game of WTHOR",
            Self::Edx => "a binary game of Edax",
            Self::Csv => "a line of a table",
        })
    }
}

/// A game or a position. A position is a game without moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedRecord {
    /// The format of the text.
    pub kind: RecordKind,
    /// The game, in the likeliest interpretation.
    pub game: Game,
    /// The result behind the moves, as it is written.
    pub result: Option<String>,
    pub(crate) alternatives: Vec<Position>,
    pub(crate) note: Option<&'static str>,
}

/// A record of a text with several, or why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordItem {
    /// The line where it begins, counted from 1; in a WTHOR file, the number of the game.
    pub line: usize,
    /// Text of the record, trimmed.
    pub text: String,
    /// The record.
    pub record: Result<ParsedRecord, Error>,
}

/// The note that the text has no side to move.
pub(crate) const NO_SIDE: &str = "The text does not say who moves.";

/// The note that the bitboards were exchanged because they cannot arise otherwise.
pub(crate) const SWAPPED: &str =
    "The second number is taken for the player to move: no game comes to the other board.";

/// The note of the alternative with the bitboards exchanged.
const EXCHANGED: &str = "The second number is taken for the player to move.";

impl ParsedRecord {
    pub(crate) const fn of(kind: RecordKind, game: Game) -> Self {
        Self {
            kind,
            game,
            result: None,
            alternatives: Vec::new(),
            note: None,
        }
    }

    pub(crate) fn of_positions(
        kind: RecordKind,
        positions: &[Position],
        note: Option<&'static str>,
    ) -> Self {
        let (first, others) = positions.split_first().unwrap_or((&Position::START, &[]));
        Self {
            alternatives: others.to_vec(),
            note,
            ..Self::of(kind, Game::new(*first))
        }
    }

    /// The position at the end of the game, in the likeliest interpretation.
    pub const fn position(&self) -> Position {
        self.game.position()
    }

    /// All positions that the text may mean, the likeliest first.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        std::iter::once(self.position()).chain(self.alternatives.iter().copied())
    }

    /// A sentence about the interpretation that was taken, if there are several.
    pub const fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// All positions that the text may mean, the likeliest first, each with its [`note`](Self::note).
    pub fn interpretations(&self) -> impl Iterator<Item = (Position, Option<&'static str>)> + '_ {
        let other = match (self.kind, self.note) {
            (RecordKind::Bitboards(_), None) => Some(EXCHANGED),
            (RecordKind::Bitboards(_), Some(_)) => None,
            (_, note) => note,
        };
        let others = self.alternatives.iter();
        let others = others.map(move |&position| (position, other));
        std::iter::once((self.position(), self.note)).chain(others)
    }
}

// Errors of records and problems.

/// The formats that error messages suggest.
const EXPECTED: &str = "moves such as f5d6c3, a board of 64 squares or two hexadecimal numbers";

/// A text that is neither a game nor a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// An invalid board, or invalid bitboards.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// An invalid game of another format.
    #[error("{format}: {reason}")]
    Game {
        /// The format.
        format: &'static str,
        /// The problem, and its move.
        reason: String,
    },
    /// Several records where one was expected.
    #[error("{0} games or positions, where one was expected")]
    Several(usize),
    /// Punctuation without moves.
    #[error("{EXPECTED} were expected")]
    Empty,
    /// A text of no known format.
    #[error("'{0}' is no game and no position: {EXPECTED} were expected")]
    Unknown(String),
}

/// A line that is not an end-game problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An invalid board before the first `;`.
    #[error(transparent)]
    Board(#[from] PositionError),
    /// A move with a score that cannot be parsed.
    #[error("'{0}' is not a move, a colon and a score from -64 to 64")]
    Answer(String),
}

// End-game problems, Edax's `.obf` format: a board, and moves with their scores.
//
// A line is `<64 squares> <side>; G8:+18; H1:+12; …`, best move first; text from `%` on is a comment. Problems that
// were extracted from games have answers such as `bm g8:+18; ba h1:+12;`.

/// An end-game problem: a position with the scores of its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves with their scores for the side to move, best first as in the file.
    pub answers: Vec<(Move, i32)>,
    /// The comment behind `%`, trimmed.
    pub comment: String,
}

/// The problems of a text, each with its line number, counted from 1. Empty lines and comments are skipped.
pub fn problems(text: &str) -> impl Iterator<Item = (usize, Result<Problem, ProblemError>)> + '_ {
    text.lines()
        .enumerate()
        .filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('%')
        })
        .map(|(n, line)| (n + 1, line.parse()))
}

impl Problem {
    /// The best score of the answers.
    pub fn score(&self) -> Option<i32> {
        self.answers.iter().map(|&(_, score)| score).max()
    }
}

impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(line: &str) -> Result<Self, ProblemError> {
        let (line, comment) = line.split_once('%').unwrap_or((line, ""));
        let (board, answers) = line.split_once(';').unwrap_or((line, ""));
        let answers = answers.split(';').map(str::trim);
        Ok(Self {
            position: board.parse()?,
            answers: answers
                .filter(|answer| !answer.is_empty())
                .map(answer)
                .collect::<Result<_, _>>()?,
            comment: comment.trim().to_owned(),
        })
    }
}

/// Parses `G8:+18`, `bm g8:+18` or `ba h1:+12`.
fn answer(text: &str) -> Result<(Move, i32), ProblemError> {
    let wrong = || ProblemError::Answer(text.to_owned());
    let body = ["bm ", "ba "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text);
    let (mv, score) = body.split_once(':').ok_or_else(wrong)?;
    let mv = match mv.trim() {
        pass if ["pa", "ps"].contains(&pass.to_ascii_lowercase().as_str()) => Move::Pass,
        name => Move::Place(name.parse::<Square>().map_err(|_| wrong())?),
    };
    let score = score.trim().parse().map_err(|_| wrong())?;
    if (-64..=64).contains(&score) {
        Ok((mv, score))
    } else {
        Err(wrong())
    }
}

/// Writes the line of a file, without its end.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", self.position)?;
        for (mv, score) in &self.answers {
            write!(f, " {}:{score:+};", mv.to_string().to_ascii_uppercase())?;
        }
        if !self.comment.is_empty() {
            write!(f, " % {}", self.comment)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

    #[test]
    fn a_line_is_read_and_written_back() {
        let line = format!("{BOARD}; G8:+18; H1:+12; A2:-6; PA:+0; % FFO #1");
        let problem: Problem = line.parse().unwrap();
        assert_eq!(problem.to_string(), line);
        assert_eq!(problem.score(), Some(18));
        assert_eq!(problem.comment, "FFO #1");
        let extracted: Problem = format!("{BOARD} % bm").parse().unwrap();
        assert_eq!(extracted.score(), None);
        let extracted: Problem = format!("{BOARD}; bm g8:+18; ba h1:+12;").parse().unwrap();
        assert_eq!(extracted.answers, problem.answers[..2]);
    }

    #[test]
    fn invalid_answers_are_errors() {
        for bad in ["g9:+1", "g8", "g8:+65", "g8:x", "xx g8:+1"] {
            let read = format!("{BOARD}; G8:+18; {bad};").parse::<Problem>();
            assert_eq!(read, Err(ProblemError::Answer(bad.to_owned())));
        }
        assert!(matches!(
            "X;".parse::<Problem>(),
            Err(ProblemError::Board(_))
        ));
    }

    #[test]
    fn empty_lines_and_comments_are_skipped() {
        let text = format!("% all of them\n\n{BOARD};\nnonsense\n");
        let lines: Vec<_> = problems(&text).map(|(n, read)| (n, read.is_ok())).collect();
        assert_eq!(lines, [(3, true), (4, false)]);
    }
}
