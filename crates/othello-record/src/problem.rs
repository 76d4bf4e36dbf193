//! End-game problems, Edax's `.obf` format: a board, and moves with their scores.
//!
//! A line is `<64 squares> <side>; G8:+18; H1:+12; …`, best move first; text from `%` on is a comment. Problems that
//! were extracted from games have answers such as `bm g8:+18; ba h1:+12;`.

use std::fmt;
use std::str::FromStr;

use othello_core::{Move, Position, Square};

use crate::ProblemError;

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
