//! Transcripts in every spelling.

use othello_core::{Game, Move, Position, Square, State, TranscriptError};

use crate::side::fold;
use crate::{result, side};

/// Parses a transcript in any spelling, from a position on.
///
/// # Errors
///
/// The first text that is no move, pass, move number, separator or result, or the first illegal move.
pub fn parse_transcript(start: Position, text: &str) -> Result<Game, TranscriptError> {
    parse_with_result(start, text).map(|(game, _)| game)
}

/// [`parse_transcript`] with the result behind the moves, if there is one.
pub(crate) fn parse_with_result(
    start: Position,
    text: &str,
) -> Result<(Game, Option<String>), TranscriptError> {
    let read = parse_with_comments(start, text)?;
    Ok((read.game, read.result))
}

/// A transcript with what stands between and behind its moves.
pub(crate) struct Transcript {
    pub(crate) game: Game,
    pub(crate) result: Option<String>,
    /// Comments in braces, each with the number of moves before it.
    pub(crate) comments: Vec<(usize, String)>,
}

/// [`parse_transcript`] with result and comments.
pub(crate) fn parse_with_comments(
    start: Position,
    text: &str,
) -> Result<Transcript, TranscriptError> {
    let chars: Vec<char> = fold(text).chars().collect();
    let mut parser = Parser {
        chars: &chars,
        at: 0,
        game: Game::new(start),
        passes: 0,
        written: 0,
        has_times: false,
        result: None,
        comments: Vec::new(),
    };
    parser.run()?;
    // Folding keeps the number of characters: comments are taken as they were.
    let as_written = |(ply, begin, end): &(usize, usize, usize)| {
        let comment = text.chars().skip(*begin).take(end - begin).collect();
        (*ply, comment)
    };
    Ok(Transcript {
        comments: parser.comments.iter().map(as_written).collect(),
        game: parser.game,
        result: parser.result,
    })
}

/// Parses a text that is one square or one pass.
pub(crate) fn single(text: &str) -> Option<Move> {
    let text: String = fold(text).trim().to_ascii_lowercase();
    match text.as_str() {
        "pa" | "ps" | "pass" | "--" | "@@" | "-" | "p" | "パス" => Some(Move::Pass),
        _ => text.parse::<Square>().ok().map(Move::Place),
    }
}

/// Returns whether a character separates moves.
const fn is_separator(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '.'
            | '|'
            | '<'
            | '>'
            | '"'
            | '\''
            | ']'
            | '_'
            | '~'
            | '!'
            | '?'
            | '…'
            | '\\'
            | '='
            | '*'
            | '+'
            | '&'
            | '・'
            | '·'
    )
}

/// Returns whether a text is a time, `0:12`, and not the discs of both sides: those are 64 together.
fn is_time(text: &str) -> bool {
    let numbers = text.trim().split_once(':');
    numbers.is_some_and(|(minutes, seconds)| {
        let is_seconds = seconds.len() == 2;
        match (minutes.parse::<u32>(), seconds.parse::<u32>()) {
            (Ok(minutes), Ok(seconds)) => is_seconds && seconds < 60 && minutes + seconds != 64,
            _ => false,
        }
    })
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    game: Game,
    /// The passes of the game so far, written or not.
    passes: usize,
    /// The number of moves and passes that were written.
    written: usize,
    /// True behind a time of a move.
    has_times: bool,
    result: Option<String>,
    /// The number of moves before each comment in braces, and the places where it begins and ends.
    comments: Vec<(usize, usize, usize)>,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), TranscriptError> {
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                c if c.is_whitespace() => self.at += 1,
                '/' => self.slash(),
                '[' => self.bracket(),
                '{' => {
                    let begin = self.at + 1;
                    self.skip_past('}')?;
                    let ply = self.game.moves().len();
                    self.comments.push((ply, begin, self.at - 1));
                }
                '(' | '-' | '+' | '0'..='9' if self.result() => {}
                '(' => self.parenthesis()?,
                '$' => {
                    self.at += 1;
                    self.digits();
                }
                '-' | '@' => self.dashes_or_at_signs(c)?,
                '#' if self.digit_follows() => self.at += 1,
                c if is_separator(c) => self.at += 1,
                '0'..='9' => self.number()?,
                _ if self.square_or_pass()? || self.result() || self.side()? => {}
                _ => {
                    let word = self.word();
                    return Err(self.unreadable(word));
                }
            }
        }
        Ok(())
    }

    fn digit_follows(&self) -> bool {
        let next = self.chars.get(self.at + 1);
        next.is_some_and(char::is_ascii_digit)
    }

    /// Skips a slash between moves, or a time: `f5/1.5`.
    fn slash(&mut self) {
        let is_time = self.digit_follows();
        self.at += 1;
        if is_time {
            self.skip_time();
        }
    }

    fn skip_time(&mut self) {
        self.has_times = true;
        let rest = self.chars[self.at..].iter();
        self.at += rest
            .take_while(|c| c.is_ascii_digit() || ".:".contains(**c))
            .count();
    }

    /// Opens a list of moves, or skips a comment without moves: `f5[1.5]`.
    fn bracket(&mut self) {
        /// The longest comment; lists of moves may be longer.
        const LONG: usize = 500;
        let inside = &self.chars[self.at + 1..];
        let mut few = inside.iter().take(LONG);
        let end = few.position(|&c| c == ']').unwrap_or(0);
        let has_move = inside[..end].windows(2).any(|pair| {
            let text: String = pair.iter().collect();
            text.parse::<Square>().is_ok()
        });
        let is_comment = end > 0 && !has_move && self.written > 0;
        self.at += if is_comment { end + 2 } else { 1 };
    }

    /// Reads dashes or at-signs: two are a pass, one dash is a separator.
    fn dashes_or_at_signs(&mut self, c: char) -> Result<(), TranscriptError> {
        let count = self.chars[self.at..]
            .iter()
            .take_while(|&&d| d == c)
            .count();
        let text: String = [c].repeat(count).iter().collect();
        match (c, count) {
            ('-', 1) => self.at += 1,
            (_, 2) => {
                self.at += 2;
                self.play(Move::Pass, &text)?;
            }
            _ => return Err(self.unreadable(text)),
        }
        Ok(())
    }

    /// Reads a comment, or a move in parentheses.
    fn parenthesis(&mut self) -> Result<(), TranscriptError> {
        let begin = self.at + 1;
        self.skip_past(')')?;
        let inside: String = self.chars[begin..self.at - 1].iter().collect();
        match single(&inside) {
            Some(mv) => self.play(mv, inside.trim()),
            None => Ok(()),
        }
    }

    /// Skips a comment up to its end character; comments nest.
    fn skip_past(&mut self, end: char) -> Result<(), TranscriptError> {
        let begin = self.chars[self.at];
        let mut depth = 0;
        for (n, &c) in self.chars[self.at..].iter().enumerate() {
            if c == begin {
                depth += 1;
            } else if c == end {
                depth -= 1;
                if depth == 0 {
                    self.at += n + 1;
                    return Ok(());
                }
            }
        }
        let text = self.word();
        Err(self.unreadable(text))
    }

    fn digits(&mut self) -> Option<usize> {
        let digits = self.chars[self.at..].iter();
        let digits: String = digits.take_while(|c| c.is_ascii_digit()).collect();
        self.at += digits.len();
        digits.parse().ok()
    }

    /// Reads the number of a move, or a time.
    fn number(&mut self) -> Result<(), TranscriptError> {
        let begin = self.at;
        let number = self.digits();
        match self.chars.get(self.at) {
            // `0:12`, `1:02:03.5`.
            Some(':') if self.digit_follows() && self.written > 0 => {
                self.skip_time();
                Ok(())
            }
            // `1.`, `1)`, `1:`, `1手目`.
            Some('.' | ')' | ':' | '手') => {
                self.at += 1;
                if self.chars.get(self.at) == Some(&'目') {
                    self.at += 1;
                }
                Ok(())
            }
            _ if number.is_some_and(|n| self.counts_moves(n)) && self.move_follows() => Ok(()),
            _ => {
                self.at = begin;
                let text = self.word();
                Err(self.unreadable(text))
            }
        }
    }

    /// Returns whether a number is that of the next move or pair of moves, with or without passes; the first may be any.
    fn counts_moves(&self, number: usize) -> bool {
        let all = self.game.moves().len();
        let discs = all - self.passes;
        let counts = [discs, all, self.written];
        self.written == 0
            || counts
                .iter()
                .any(|&count| number == count + 1 || number == count / 2 + 1)
    }

    fn move_follows(&self) -> bool {
        let rest: String = self.chars[self.at..]
            .iter()
            .filter(|c| !c.is_whitespace())
            .take(2)
            .collect();
        single(&rest).is_some()
    }

    /// Reads a square or a pass, if there is one here.
    fn square_or_pass(&mut self) -> Result<bool, TranscriptError> {
        let rest = &self.chars[self.at..];
        let begins = |word: &str| {
            let mut rest = rest.iter();
            word.chars()
                .all(|c| rest.next().is_some_and(|r| r.to_ascii_lowercase() == c))
        };
        for word in ["pass", "pa", "ps", "パス"] {
            if begins(word) {
                let count = word.chars().count();
                let text: String = rest[..count].iter().collect();
                self.at += count;
                self.play(Move::Pass, &text)?;
                return Ok(true);
            }
        }
        if !matches!(rest[0].to_ascii_lowercase(), 'a'..='h') {
            return Ok(false);
        }
        let blanks = rest[1..].iter().take_while(|c| c.is_whitespace()).count();
        let Some(&digit) = rest.get(1 + blanks) else {
            return Ok(false);
        };
        let text: String = [rest[0], digit].iter().collect();
        let Ok(square) = text.parse::<Square>() else {
            return Ok(false);
        };
        self.at += 2 + blanks;
        self.play(Move::Place(square), &text)?;
        Ok(true)
    }

    /// Reads the result of the game, if nothing else is left.
    fn result(&mut self) -> bool {
        /// A bound on the length of results.
        const LONG: usize = 80;
        let rest = &self.chars[self.at..];
        if rest.len() > LONG {
            return false;
        }
        let rest: String = rest.iter().collect();
        if !result::is_result(&rest) || self.has_times && is_time(&rest) {
            return false;
        }
        let text = rest
            .trim()
            .trim_end_matches(['.', ';', ',', ']', '"', '\'', '*']);
        self.result = Some(text.trim_end().to_owned());
        self.at = self.chars.len();
        true
    }

    /// Reads the side before its move, `B:f5 W:d6`, if there is one. It must be the side to move.
    fn side(&mut self) -> Result<bool, TranscriptError> {
        let word = self.word();
        // `黒f5` is one word.
        let first: String = word.chars().take(1).collect();
        let (side, len) = match (side::side(&word), side::side(&first)) {
            (Some(side), _) => (side, word.chars().count()),
            (None, Some(side)) if !first.is_ascii() => (side, 1),
            _ => return Ok(false),
        };
        let rest: String = self.chars[self.at + len..].iter().collect();
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ":.-=,;>".contains(c));
        let next: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
        let next = if next.is_empty() {
            rest.chars().take(2).collect()
        } else {
            next
        };
        // `f5` may have the next move behind it without a blank.
        let two: String = next.chars().take(2).collect();
        let Some(mv) = single(&next).or_else(|| single(&two)) else {
            return Ok(false);
        };
        let position = self.game.position();
        let must_pass = position.board().state() == State::Pass && mv != Move::Pass;
        if (position.side() != side) != must_pass {
            return Err(self.unreadable(word));
        }
        self.at += len;
        Ok(true)
    }

    /// The word here, at most 20 characters, for an error.
    fn word(&self) -> String {
        let rest = self.chars[self.at..].iter();
        let word: String = rest
            .clone()
            .take_while(|c| c.is_alphanumeric())
            .take(20)
            .collect();
        if word.is_empty() {
            rest.take(1).collect()
        } else {
            word
        }
    }

    fn unreadable(&self, text: String) -> TranscriptError {
        TranscriptError::Move {
            ply: self.written + 1,
            text,
        }
    }

    fn play(&mut self, mv: Move, text: &str) -> Result<(), TranscriptError> {
        // Some programs write passes until both have passed.
        if mv == Move::Pass && self.game.position().board().state() == State::Over {
            return Ok(());
        }
        self.written += 1;
        let before = self.game.moves().len();
        let played = match mv {
            Move::Pass => self.game.try_play(Move::Pass),
            Move::Place(square) => self.game.try_play_square(square),
        };
        if played.is_err() {
            return Err(TranscriptError::Illegal {
                ply: self.written,
                text: text.to_owned(),
            });
        }
        let new = self.game.moves()[before..].iter();
        self.passes += new.filter(|mv| **mv == Move::Pass).count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, TranscriptError> {
        let (game, _) = parse_with_result(Position::START, text)?;
        Ok(game.to_string())
    }

    #[test]
    fn moves_are_read_in_every_spelling() {
        for text in [
            "f5d6c3d3c4",
            "\u{feff}f5d6c3d3c4\r\n",
            "1. F5 D6 2. C3 D3 3. C4",
            "1.f5 2.d6 3.c3 4.d3 5.c4",
            "1f5 2d6 3c3 4d3 5c4",
            "1 f5\n2 d6\n3 c3\n4 d3\n5 c4\n",
            "1) f5 2) d6 3) c3 4) d3 5) c4",
            "1手目 f5、2手目 d6、3手目 c3、4手目 d3、5手目 c4",
            "f5-d6-c3-d3-c4",
            "F5, D6, C3, D3, C4",
            "f5;d6;c3;d3;c4;",
            "f5 > d6 → c3/d3|c4",
            "Ｆ５Ｄ６Ｃ３Ｄ３Ｃ４",
            "Ｆ５—Ｄ６　Ｃ３。Ｄ３、Ｃ４",
            "f 5 d 6 c 3 d 3 c 4",
            "[\"f5\", \"d6\", \"c3\", \"d3\", \"c4\"]",
            "f5 (d6) c3 (d3) c4",
            "f5! {best} d6?! (f6 is the other) c3 $1 d3 c4 *",
            "21. f5 d6 22. c3 d3 23. c4",
            "#1 f5 #2 d6 #3 c3 #4 d3 #5 c4",
            "①f5 ②d6 ③c3 ④d3 ⑤c4",
            "f5\\d6=c3*d3+c4",
            "<f5・d6 &c3 d3 c4>",
            "B:f5 W:d6 B:c3 W:d3 B:c4",
            "BLACK, f5\nWHITE, d6\nBLACK, c3\nWHITE, d3\nBLACK, c4\n",
            "Black; F5 White; D6 Black, C3 White> D3 Black = C4",
            "黒f5 白d6 黒c3 白d3 黒c4",
            "black f5, white d6, black c3, white d3, black c4",
            "f5/1.2 d6/0.3 c3 0:12 d3 1:02:03 c4[1.5]",
            "f5 0:01 d6 0:02 c3 0:12 d3 1:02 c4 0:12",
        ] {
            assert_eq!(read(text).as_deref(), Ok("f5d6c3d3c4"), "{text}");
        }
    }

    #[test]
    fn the_result_behind_the_moves_is_separate() {
        for (text, result) in [
            ("F5D6C3D3C4 45-19", "45-19"),
            ("f5d6c3d3c4 33:31.", "33:31"),
            ("f5d6c3d3c4 1-0", "1-0"),
            ("f5d6c3d3c4 1/2-1/2", "1/2-1/2"),
            ("f5d6c3d3c4 B+12", "B+12"),
            ("f5d6c3d3c4 white +4", "white +4"),
            ("f5d6c3d3c4 黒勝ち", "黒勝ち"),
            ("f5d6c3d3c4 45-19 (Black wins)", "45-19 (Black wins)"),
            ("f5d6c3d3c4 -4", "-4"),
            ("f5d6c3d3c4 (34-30)", "(34-30)"),
            ("f5 0:01 d6 0:02 c3 0:12 d3 1:02 c4 33:31", "33:31"),
        ] {
            let (game, read) = parse_with_result(Position::START, text).unwrap();
            assert_eq!(game.to_string(), "f5d6c3d3c4");
            assert_eq!(read.as_deref(), Some(result));
        }
    }

    #[test]
    fn errors_name_the_move() {
        for (text, ply, word) in [
            ("f5d6 45-30", 3, "45"),
            ("f5d6 45", 3, "45"),
            ("f5d6 hello", 3, "hello"),
            ("f5 7 d6", 2, "7"),
            ("f5---d6", 2, "---"),
            ("f5@d6", 2, "@"),
            ("f5 {d6", 2, "{"),
            ("f5 (d6", 2, "("),
            ("f5 # d6", 2, "#"),
            ("f5 4519", 2, "4519"),
            ("W:f5", 1, "W"),
            ("f5 B:d6", 2, "B"),
            ("i5", 1, "i5"),
        ] {
            let text_of = word.to_owned();
            let expected = TranscriptError::Move { ply, text: text_of };
            assert_eq!(read(text), Err(expected), "{text}");
        }
        let illegal = TranscriptError::Illegal {
            ply: 2,
            text: "--".to_owned(),
        };
        assert_eq!(read("f5--d6"), Err(illegal));
    }
}
