//! PSV records as blocks of text, as the classic commands `learn convert_plain` and `learn convert_bin` write and
//! read them.
//!
//! ```text
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! move 7g7f
//! score 35
//! ply 1
//! result 1
//! e
//! ```
//!
//! The score and the result (1, 0 or -1) are those of the player to move, as in PSV. `move none` stands for no move.

use std::fmt::Write as _;
use std::io::{self, BufRead};

use shogi_core::{Move16, MoveText, Position};
use shogi_packed::PackedSfen;
use thiserror::Error;
use yane_io::{BoundedLines, LineError};

use crate::record::{TeacherRecord as _, TeacherRecordProblem};
use crate::{MoverOutcome, Psv, TeacherScore};

/// Appends `record` to `text`.
///
/// # Errors
///
/// When the record holds no position; `text` is as before.
pub fn write_plain(record: &Psv, text: &mut String) -> Result<(), TeacherRecordProblem> {
    let (position, _) = record.open()?;
    let sfen = position.to_sfen();
    let Psv {
        score,
        mv,
        ply,
        outcome,
        ..
    } = *record;
    let mv = mv
        .decode()
        .map_or_else(|| "none".to_owned(), |mv| mv.to_string());
    let outcome = outcome as i8;
    writeln!(
        text,
        "sfen {sfen}\nmove {mv}\nscore {score}\nply {ply}\nresult {outcome}\ne"
    )
    .expect("text can be appended to");
    Ok(())
}

/// Why text blocks could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlainError {
    /// The text could not be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A line is not as it should be.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Line {
        /// Number of the line, from 1.
        line: u64,
        /// The expected text.
        expected: &'static str,
        /// The line.
        found: String,
    },
    /// The text ends inside a block.
    #[error("line {line}: the text ends inside a block; expected the line \"e\"")]
    Unfinished {
        /// Number of the last line.
        line: u64,
    },
}

/// The records of a text of blocks.
#[derive(Debug)]
pub struct PlainReader<R> {
    text: BoundedLines<R>,
}

impl<R: BufRead> PlainReader<R> {
    /// Reads `text`.
    pub fn new(text: R) -> Self {
        Self {
            text: BoundedLines::new(text),
        }
    }

    /// The next record; `None` at the end of the text.
    ///
    /// # Errors
    ///
    /// With the first line that is not as it should be. Unknown words are such lines too, so that nothing is lost
    /// without a word.
    pub(crate) fn next_record(&mut self) -> Result<Option<Psv>, PlainError> {
        let mut block = PlainBlock::default();
        let mut begun = false;
        loop {
            let number = self.text.number() + 1;
            let Some(line) = self.text.next().map_err(LineError::into_io)? else {
                return if begun {
                    Err(PlainError::Unfinished { line: number - 1 })
                } else {
                    Ok(None)
                };
            };
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end();
            if line.is_empty() && !begun {
                continue;
            }
            begun = true;
            let problem = |expected| PlainError::Line {
                line: number,
                expected,
                found: line.to_owned(),
            };
            if line == "e" {
                return block
                    .finish()
                    .map(Some)
                    .ok_or_else(|| problem("the line \"sfen …\" before it"));
            }
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            block.set(word, value.trim()).map_err(problem)?;
        }
    }
}

impl<R: BufRead> Iterator for PlainReader<R> {
    type Item = Result<Psv, PlainError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// The fields of a block that were read so far.
#[derive(Default)]
struct PlainBlock {
    position: Option<PackedSfen>,
    mv: Option<Move16>,
    score: i16,
    ply: u16,
    outcome: Option<MoverOutcome>,
}

impl PlainBlock {
    /// Takes a line of `word` and `value`; the error is what was expected.
    fn set(&mut self, word: &str, value: &str) -> Result<(), &'static str> {
        match word {
            "sfen" => {
                let position =
                    Position::from_sfen(value).map_err(|_| "the SFEN of a legal position")?;
                let packed = PackedSfen::encode(&position);
                self.position =
                    Some(packed.map_err(|_| "a position of 40 pieces with both kings")?);
            }
            "move" => {
                self.mv = match value {
                    "none" | "resign" | "win" => None,
                    text => {
                        let mv = MoveText::from_usi(text).ok_or("a move such as 7g7f, or none")?;
                        Some(Move16::encode(mv))
                    }
                };
            }
            "score" => self.score = value.parse().map_err(|_| "a score from -32768 to 32767")?,
            "ply" => self.ply = value.parse().map_err(|_| "a ply from 0 to 65535")?,
            "result" => {
                let number = value.parse().ok();
                self.outcome = Some(
                    number
                        .and_then(MoverOutcome::from_number)
                        .ok_or("a result: 1, 0 or -1")?,
                );
            }
            _ => return Err("sfen, move, score, ply, result or e"),
        }
        Ok(())
    }

    /// The record, if there is a position.
    fn finish(self) -> Option<Psv> {
        Some(Psv {
            position: self.position?,
            score: TeacherScore(self.score),
            mv: self.mv.unwrap_or(Move16(0)),
            ply: self.ply,
            outcome: self.outcome.unwrap_or(MoverOutcome::Draw),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
move 7g7f
score 35
ply 1
result 1
e
sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 57
move G*5b
score 31999
ply 57
result -1
e
";

    #[test]
    fn text_becomes_records_and_the_same_text_again() {
        let records: Vec<_> = PlainReader::new(TEXT.as_bytes())
            .map(|record| record.expect("good"))
            .collect();
        assert_eq!(records.len(), 2);
        assert_eq!(records[1].outcome, MoverOutcome::Loss);
        assert_eq!(records[1].ply, 57);
        let mut text = String::new();
        for record in &records {
            write_plain(record, &mut text).expect("a position");
        }
        assert_eq!(text, TEXT);
    }

    #[test]
    fn problems_are_told_with_their_lines() {
        let error = |text: &str| {
            let result: Result<Vec<_>, _> = PlainReader::new(text.as_bytes()).collect();
            result.expect_err("a problem").to_string()
        };
        assert_eq!(
            error("sfen nothing\ne\n"),
            "line 1: expected the SFEN of a legal position, found \"sfen nothing\""
        );
        assert_eq!(
            error("\nscore 3\n"),
            "line 2: the text ends inside a block; expected the line \"e\""
        );
        assert_eq!(
            error("score x\n"),
            "line 1: expected a score from -32768 to 32767, found \"score x\""
        );
        assert_eq!(
            error("e\n"),
            "line 1: expected the line \"sfen …\" before it, found \"e\""
        );
        assert_eq!(
            error("colour 3\n"),
            "line 1: expected sfen, move, score, ply, result or e, found \"colour 3\""
        );
        assert_eq!(
            error("result 2\n"),
            "line 1: expected a result: 1, 0 or -1, found \"result 2\""
        );
    }
}
