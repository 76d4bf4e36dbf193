//! Position lines as programs of the field write them: read as they were meant, with a list of what was
//! corrected.
//!
//! Only what can mean one thing is corrected. A line is first read as it stands; when that fails it is
//! rewritten to the standard form and read again, so that whatever is read here means what the standard
//! form means. For files there is [`parse_position_line`], which corrects nothing.

use std::fmt;

use super::sfen::is_hands_field;
use super::{PositionLineError, SfenError};
use crate::{Diagram, Game, MoveText, SetupError, parse_diagram_line, parse_position_line};

/// Something in a position line that was read in another way than it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Correction {
    /// Characters that stand for blanks, as the underscores of web addresses; the first of them.
    Blank(char),
    /// A word in another spelling.
    Spelling {
        /// The word as it stands there.
        found: String,
        /// The text that it was read as.
        read: String,
    },
    /// The board stands alone: black is to move.
    SideMissing,
    /// No field tells the pieces in hand: there are none.
    HandsMissing,
    /// The number of the move means nothing and was left out.
    MoveNumber(String),
    /// Moves follow without the word `moves`.
    MovesWordMissing,
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank(c) => write!(f, "{c:?} read as a blank"),
            Self::Spelling { found, read } => write!(f, "{found:?} read as {read:?}"),
            Self::SideMissing => f.write_str("no side to move: black taken"),
            Self::HandsMissing => f.write_str("no pieces in hand given: none taken"),
            Self::MoveNumber(found) => write!(f, "move number {found:?} left out"),
            Self::MovesWordMissing => f.write_str("the word \"moves\" is missing before the moves"),
        }
    }
}

/// The contents of a position line.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A position to play from, with the history that repetition needs.
    Game(Game),
    /// Pieces that nobody can play from: whoever is to move could take the king.
    Diagram(Diagram),
}

/// A position line, read as it was meant.
///
/// ```
/// use shogi_core::{LenientPosition, Shown};
/// let line = LenientPosition::parse("STARTPOS 7g7f 3c3d")?;
/// assert!(matches!(line.shown, Shown::Game(game) if game.len() == 2));
/// assert_eq!(line.corrections.len(), 2);
/// # Ok::<(), shogi_core::PositionLineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LenientPosition {
    /// The contents.
    pub shown: Shown,
    /// The corrections, in the order of the line; empty when the line is right.
    pub corrections: Vec<Correction>,
}

impl LenientPosition {
    /// Reads what follows the word `position`. Besides what [`parse_position_line`] reads:
    ///
    /// * underscores, commas, quotation marks and blanks of other scripts between the words;
    /// * `sfen startpos`;
    /// * `startpos`, `sfen`, `moves`, the side and the moves in upper or lower case, the side as a word
    ///   (`black`, `sente`);
    /// * hands that are missing, `0`, or have pieces counted 0; the board alone;
    /// * a number of the move that is none (`-1`, `1.0`);
    /// * moves without the word `moves`;
    /// * a check against whoever is not to move.
    ///
    /// # Errors
    /// See [`PositionLineError`]. Characters are counted in the corrected line.
    pub fn parse(text: &str) -> Result<Self, PositionLineError> {
        match Shown::parse(text) {
            Ok(shown) => Ok(Self {
                shown,
                corrections: Vec::new(),
            }),
            Err(error) => {
                let Corrected { text, corrections } = corrected(text);
                if corrections.is_empty() {
                    return Err(error);
                }
                let shown = Shown::parse(&text)?;
                Ok(Self { shown, corrections })
            }
        }
    }
}

impl Shown {
    /// Reads a line in the standard form.
    fn parse(text: &str) -> Result<Self, PositionLineError> {
        match parse_position_line(text) {
            Err(PositionLineError::Sfen(SfenError::Setup(SetupError::OpponentInCheck(_)))) => {
                let diagram = parse_diagram_line(text)?;
                // After a move it is a position like others.
                let position = diagram.position().cloned();
                Ok(position.map_or(Self::Diagram(diagram), |start| Self::Game(Game::new(start))))
            }
            read => read.map(Self::Game),
        }
    }
}

/// A line that is being rewritten.
#[derive(Default)]
struct Corrected {
    text: String,
    corrections: Vec<Correction>,
}

impl Corrected {
    /// Adds a word as it is.
    fn push(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Adds `read` where `found` stands.
    fn push_as(&mut self, found: &str, read: &str) {
        if found != read {
            self.corrections.push(Correction::Spelling {
                found: found.to_owned(),
                read: read.to_owned(),
            });
        }
        self.push(read);
    }
}

/// Rewrites a line to the standard form, as far as it is understood.
fn corrected(text: &str) -> Corrected {
    let mut line = Corrected::default();
    let stands_for_blank = |c: char| {
        matches!(c, '_' | ',' | '"' | '\'' | '\u{feff}' | '\u{200b}')
            || (c.is_whitespace() && !c.is_ascii())
    };
    let foreign = text.chars().find(|&c| stands_for_blank(c));
    line.corrections.extend(foreign.map(Correction::Blank));
    let text = text.replace(stands_for_blank, " ");
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let rest = match words.as_slice() {
        [start, rest @ ..] if start.eq_ignore_ascii_case("startpos") => {
            line.push_as(start, "startpos");
            rest
        }
        [word, start, rest @ ..]
            if word.eq_ignore_ascii_case("sfen") && start.eq_ignore_ascii_case("startpos") =>
        {
            line.push_as(&format!("{word} {start}"), "startpos");
            rest
        }
        [word, board, rest @ ..] if word.eq_ignore_ascii_case("sfen") => {
            line.push_as(word, "sfen");
            line.push(board);
            correct_fields(rest, &mut line)
        }
        [board, rest @ ..] if board.contains('/') => {
            line.push(board);
            correct_fields(rest, &mut line)
        }
        other => other,
    };
    correct_moves(rest, &mut line);
    line
}

/// Rewrites the fields of an SFEN after the board; what follows them.
fn correct_fields<'a>(words: &'a [&'a str], line: &mut Corrected) -> &'a [&'a str] {
    let rest = match words {
        [] => {
            line.corrections.push(Correction::SideMissing);
            line.push("b");
            words
        }
        [word, rest @ ..] => match side(word) {
            Some(side) => {
                line.push_as(word, side);
                rest
            }
            // Not understood: it stays, and is told.
            None => return words,
        },
    };
    let rest = match rest {
        [word, rest @ ..] if is_hands_field(word) => {
            line.push(word);
            rest
        }
        [word, rest @ ..] if is_hands_field(&without_zeros(word)) => {
            line.push_as(word, &without_zeros(word));
            rest
        }
        _ if rest
            .first()
            .is_none_or(|word| is_moves(word) || is_number(word)) =>
        {
            line.corrections.push(Correction::HandsMissing);
            line.push("-");
            rest
        }
        _ => return rest,
    };
    match rest {
        [word, rest @ ..] if word.parse::<u32>().is_ok() && !word.starts_with('+') => {
            line.push(word);
            rest
        }
        [word, rest @ ..] if is_number(word) => {
            let found = (*word).to_owned();
            line.corrections.push(Correction::MoveNumber(found));
            rest
        }
        _ => rest,
    }
}

/// Rewrites the moves.
fn correct_moves(words: &[&str], line: &mut Corrected) {
    let moves = match words {
        [word, moves @ ..] if word.eq_ignore_ascii_case("moves") => {
            line.push_as(word, "moves");
            moves
        }
        [first, ..] if MoveText::from_usi(&move_spelling(first)).is_some() => {
            line.corrections.push(Correction::MovesWordMissing);
            line.push("moves");
            words
        }
        other => other,
    };
    for word in moves {
        if MoveText::from_usi(word).is_some() {
            line.push(word);
            continue;
        }
        let spelling = move_spelling(word);
        if MoveText::from_usi(&spelling).is_some() {
            line.push_as(word, &spelling);
        } else {
            line.push(word);
        }
    }
}

/// The letter of the side that `word` names.
fn side(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" | "sente" => Some("b"),
        "w" | "white" | "gote" => Some("w"),
        _ => None,
    }
}

/// Hands without the pieces that are counted 0.
fn without_zeros(hands: &str) -> String {
    let mut kept = String::new();
    let mut count = String::new();
    for c in hands.chars() {
        if c.is_ascii_digit() {
            count.push(c);
            continue;
        }
        // Also a `-` beside pieces, and beside nothing.
        let none = c == '-' || (!count.is_empty() && count.bytes().all(|digit| digit == b'0'));
        if !none {
            kept.push_str(&count);
            kept.push(c);
        }
        count.clear();
    }
    if count.bytes().any(|digit| digit != b'0') {
        kept.push_str(&count);
    }
    if kept.is_empty() {
        kept.push('-');
    }
    kept
}

/// Returns whether the moves begin here.
fn is_moves(word: &str) -> bool {
    word.eq_ignore_ascii_case("moves") || MoveText::from_usi(&move_spelling(word)).is_some()
}

/// Returns whether `word` is written like a number, whatever its value.
fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok() && word.contains(|c: char| c.is_ascii_digit())
}

/// A word in the letters that moves are written in.
fn move_spelling(word: &str) -> String {
    if word.as_bytes().get(1) == Some(&b'*') {
        let mut spelling = word.to_ascii_lowercase();
        spelling[..1].make_ascii_uppercase();
        spelling
    } else {
        word.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SFEN that a line shows and what is said of it.
    fn read(text: &str) -> (String, String) {
        let line = LenientPosition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let sfen = match line.shown {
            Shown::Game(game) => game.position().to_sfen(),
            Shown::Diagram(diagram) => format!("diagram {}", diagram.pieces().to_sfen()),
        };
        let told: Vec<_> = line.corrections.iter().map(ToString::to_string).collect();
        (sfen, told.join("; "))
    }

    const BOARD: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    const AFTER: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

    #[test]
    fn a_right_line_is_not_corrected() {
        let (sfen, told) = read("startpos moves 7g7f");
        assert_eq!((sfen.as_str(), told.as_str()), (AFTER, ""));
        assert_eq!(read("4k4/9/9/9/9/9/9/9/4K4  b\t2b2g  001").1, "");
    }

    #[test]
    fn spellings_are_corrected() {
        for (text, told) in [
            ("STARTPOS moves 7g7f", "\"STARTPOS\" read as \"startpos\""),
            (
                "startpos Moves 7G7F",
                "\"Moves\" read as \"moves\"; \"7G7F\" read as \"7g7f\"",
            ),
            (
                "startpos 7g7f",
                "the word \"moves\" is missing before the moves",
            ),
            ("startpos_moves_7g7f", "'_' read as a blank"),
            ("startpos moves,7g7f", "',' read as a blank"),
            (
                "sfen startpos moves 7g7f",
                "\"sfen startpos\" read as \"startpos\"",
            ),
            ("\"startpos moves 7g7f\"", "'\"' read as a blank"),
            ("startpos\u{3000}moves 7g7f", "'\\u{3000}' read as a blank"),
        ] {
            assert_eq!(read(text), (AFTER.to_owned(), told.to_owned()), "{text}");
        }
    }

    #[test]
    fn fields_are_corrected() {
        let start = format!("{BOARD} b - 1");
        let none = "no pieces in hand given: none taken";
        for (fields, told) in [
            ("", format!("no side to move: black taken; {none}")),
            ("b", none.to_owned()),
            ("b 1", none.to_owned()),
            ("b 0 1", "\"0\" read as \"-\"".to_owned()),
            ("b 0P0b", "\"0P0b\" read as \"-\"".to_owned()),
            ("B - 1", "\"B\" read as \"b\"".to_owned()),
            ("Sente - 1", "\"Sente\" read as \"b\"".to_owned()),
            ("b - -1", "move number \"-1\" left out".to_owned()),
            ("b - 1.0", "move number \"1.0\" left out".to_owned()),
        ] {
            for word in ["", "sfen "] {
                let text = format!("{word}{BOARD} {fields}");
                assert_eq!(read(&text), (start.clone(), told.clone()), "{text}");
            }
        }
        // Without a tail they end at the moves all the same.
        for fields in ["b", "b -", "b - 1", "B 0 1"] {
            assert_eq!(read(&format!("{BOARD} {fields} 7g7f")).0, AFTER, "{fields}");
        }
    }

    #[test]
    fn hands_that_look_like_a_move_are_hands() {
        let (sfen, _) = read("sfen 4k4/9/9/9/9/9/9/9/4K4 B 2b2g");
        assert_eq!(sfen, "4k4/9/9/9/9/9/9/9/4K4 b 2b2g 1");
        // These cannot be hands.
        let (sfen, _) = read("sfen 4k4/9/9/9/9/9/9/9/4K4 B 5i5h");
        assert_eq!(sfen, "4k4/9/9/9/9/9/9/4K4/9 w - 2");
    }

    #[test]
    fn what_has_no_single_meaning_is_refused() {
        for text in [
            "",
            "moves 7g7f",
            "7g7f 3c3d",
            "startpos 7g7e",
            "startpos moves 7g7f x",
            &format!("{BOARD}[-] w 0 1"),
            &format!("{BOARD} x - 1"),
            &format!("{BOARD} - 1"),
            &format!("{BOARD} b - - 0 1"),
            &format!("{BOARD} b - 1 2"),
            &format!("{BOARD} b K 1"),
            &format!("{BOARD} b 19P 1"),
            "9/9/9 B - 1",
        ] {
            assert!(LenientPosition::parse(text).is_err(), "{text}");
        }
        let error = LenientPosition::parse("STARTPOS moves 7g7f 7G7F").unwrap_err();
        assert_eq!(error.to_string(), "move 2: illegal move 7g7f");
    }

    #[test]
    fn a_king_that_can_be_taken_is_shown_as_pieces() {
        let (sfen, told) = read("4k4/4R4/9/9/9/9/9/9/4K4_B");
        assert_eq!(sfen, "diagram 4k4/4R4/9/9/9/9/9/9/4K4 b - 1");
        assert!(told.contains("\"B\" read as \"b\""), "{told}");
        let (sfen, _) = read("9/7k1/7S1/9/9/9/9/9/9 b GP 1 G*2a");
        assert_eq!(sfen, "7G1/7k1/7S1/9/9/9/9/9/9 w P 2");
    }
}
