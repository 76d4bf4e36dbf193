//! Reading collections: one problem a line, as text or JSON.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use shogi_core::{Diagram, MoveText, PositionLineError, parse_diagram_line};
use thiserror::Error;
use yane_io::Error as FileError;
use yane_io::sniff::{EMPTY, Expected, Head, JSON};

/// An error in a line of a collection.
#[derive(Debug, Error)]
pub(super) enum ProblemError {
    #[error("{0}")]
    Position(#[from] PositionLineError),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("expected the field \"sfen\" with a text")]
    NoSfen,
    #[error("expected \"pv\" to be a text of moves or a list of them")]
    BadMoves,
    #[error("{0:?} is not a move")]
    NotAMove(String),
}

/// A line of a collection.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The position, before the moves. The defender may be in check already although the attacker is to move.
    pub(super) start: Diagram,
    /// The moves that follow it.
    pub(super) moves: Vec<MoveText>,
    /// Whether the moves lead to the problem, as behind an SFEN, or are its solution, as in JSON.
    leads: bool,
    /// How long the mate is said to be.
    pub(super) stated: Option<u32>,
}

/// The kinds of files that are collections.
const COLLECTION: Expected<'_> = Expected {
    accepts: &[EMPTY, JSON],
    ..Expected::text("positions, one a line, as SFEN or JSON")
};

/// A line that holds something: a problem, or what is wrong.
pub(super) type Entry = (usize, Result<Problem, ProblemError>);

/// Reads all lines of `file`, of standard input when it is `-`.
pub(super) fn read(file: &Path) -> Result<Vec<Entry>, FileError> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(FileError::io("standard input"))?;
    } else {
        bytes = std::fs::read(file).map_err(FileError::io(file))?;
    }
    let name = if file == Path::new("-") {
        Path::new("standard input")
    } else {
        file
    };
    COLLECTION.check(name, &Head::of(&bytes))?;
    let text = yane_io::decode_text(&bytes);
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(str::trim).enumerate();
    let full = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    Ok(full.map(|(i, line)| (i + 1, parse(line))).collect())
}

fn parse(text: &str) -> Result<Problem, ProblemError> {
    if text.starts_with('{') {
        return parse_json(&serde_json::from_str(text)?);
    }
    let text = text.strip_prefix("position ").unwrap_or(text);
    let (start, moves) = match text.split_once(" moves") {
        Some((start, moves)) => (start, moves),
        None => (text, ""),
    };
    Ok(Problem {
        start: start_of(start)?,
        moves: moves_of(moves.split_ascii_whitespace())?,
        leads: true,
        stated: None,
    })
}

fn parse_json(value: &Value) -> Result<Problem, ProblemError> {
    let sfen = value.get("sfen").and_then(Value::as_str);
    let moves = match value.get("pv") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => moves_of(text.split_ascii_whitespace())?,
        Some(Value::Array(list)) => {
            let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            moves_of(texts.ok_or(ProblemError::BadMoves)?.into_iter())?
        }
        Some(_) => return Err(ProblemError::BadMoves),
    };
    let stated = value.get("len").and_then(Value::as_u64);
    Ok(Problem {
        start: start_of(sfen.ok_or(ProblemError::NoSfen)?)?,
        moves,
        leads: false,
        stated: stated.and_then(|len| u32::try_from(len).ok()),
    })
}

fn start_of(text: &str) -> Result<Diagram, ProblemError> {
    Ok(parse_diagram_line(text)?)
}

fn moves_of<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<MoveText>, ProblemError> {
    words
        .map(|word| MoveText::from_usi(word).ok_or_else(|| ProblemError::NotAMove(word.to_owned())))
        .collect()
}

impl Problem {
    /// The position to solve.
    pub(super) fn to_solve(&self) -> Result<Diagram, ProblemError> {
        let mut now = self.start.clone();
        for (i, &text) in self.moves.iter().enumerate().filter(|_| self.leads) {
            let (_, after) = now.play(text).ok_or_else(|| PositionLineError::Move {
                number: i + 1,
                error: shogi_core::MoveError::Illegal(text.to_string()),
            })?;
            now = after.into();
        }
        Ok(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATE: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";

    #[test]
    fn lines_of_all_kinds() {
        let texts = [
            format!("{MATE} moves G*5b"),
            format!("sfen {MATE} moves G*5b"),
            format!("position sfen {MATE} moves G*5b"),
            format!("{{\"sfen\": \"{MATE}\", \"pv\": \"G*5b\", \"len\": 1}}"),
            format!("{{\"sfen\": \"{MATE}\", \"pv\": [\"G*5b\"]}}"),
        ];
        for text in texts {
            let problem = parse(&text).unwrap();
            assert_eq!(problem.start.pieces().to_sfen(), MATE, "{text}");
            assert_eq!(problem.moves.len(), 1, "{text}");
            let solved = problem.to_solve().unwrap();
            assert_eq!(solved.pieces().is_mated(), !text.starts_with('{'), "{text}");
        }
        assert!(parse(MATE).unwrap().moves.is_empty());
    }

    #[test]
    fn faults_are_told() {
        let why = |text: &str| parse(text).unwrap_err().to_string();
        assert!(why("4k4 b").contains("bad SFEN"));
        assert!(why("{}").contains("sfen"));
        assert!(why("{").contains("EOF"));
        assert_eq!(why(&format!("{MATE} moves x")), "\"x\" is not a move");
        assert!(why(&format!("{{\"sfen\": \"{MATE}\", \"pv\": 5}}")).contains("list"));
        let illegal = parse(&format!("{MATE} moves G*9z")).unwrap_err();
        assert!(matches!(illegal, ProblemError::NotAMove(_)));
        let illegal = parse(&format!("{MATE} moves S*5b")).unwrap();
        assert!(illegal.to_solve().is_err());
    }
}
