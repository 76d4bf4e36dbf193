//! Transcripts in every spelling.

use super::fold::fold;
use crate::{Game, Move, Position, Square, State, TranscriptError};

/// A transcript from a position on, and the result behind its moves, if there is one.
///
/// # Errors
///
/// The first thing that is no move, no pass, no number of a move, no sign between moves and no result at the end, or the
/// first move that is not legal.
pub(crate) fn transcript(
    start: Position,
    text: &str,
) -> Result<(Game, Option<String>), TranscriptError> {
    let chars: Vec<char> = fold(text).chars().collect();
    let mut reader = Reader {
        chars: &chars,
        at: 0,
        game: Game::new(start),
        passes: 0,
        written: 0,
        result: None,
    };
    reader.run()?;
    Ok((reader.game, reader.result))
}

/// The square or the pass that a text is, and nothing else.
pub(crate) fn single(text: &str) -> Option<Move> {
    let text: String = fold(text).trim().to_ascii_lowercase();
    match text.as_str() {
        "pa" | "ps" | "pass" | "--" | "@@" | "-" | "p" | "パス" => Some(Move::Pass),
        _ => text.parse::<Square>().ok().map(Move::Place),
    }
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    game: Game,
    /// Passes in the game so far, written or not.
    passes: usize,
    /// Moves and passes that were written.
    written: usize,
    result: Option<String>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), TranscriptError> {
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                c if c.is_whitespace() => self.at += 1,
                ',' | ';' | ':' | '.' | '/' | '|' | '>' | '"' | '\'' | '[' | ']' | '_' | '~'
                | '!' | '?' | '…' => self.at += 1,
                '{' => self.skip_past('}')?,
                '(' => self.parenthesis()?,
                '$' => {
                    self.at += 1;
                    self.digits();
                }
                '*' if self.rest_is_blank(self.at + 1) => self.at += 1,
                '-' | '@' => self.run_of(c)?,
                '0'..='9' => self.number()?,
                _ if self.square_or_pass()? => {}
                _ => self.result()?,
            }
        }
        Ok(())
    }

    /// What is left behind a place has nothing to read.
    fn rest_is_blank(&self, at: usize) -> bool {
        let mut rest = self.chars.iter().skip(at);
        rest.all(|c| c.is_whitespace() || ".;,]\"'".contains(*c))
    }

    /// Dashes and at-signs: two are a pass, one dash stands between moves.
    fn run_of(&mut self, c: char) -> Result<(), TranscriptError> {
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

    /// A comment, or a move in parentheses.
    fn parenthesis(&mut self) -> Result<(), TranscriptError> {
        let begin = self.at + 1;
        self.skip_past(')')?;
        let inside: String = self.chars[begin..self.at - 1].iter().collect();
        match single(&inside) {
            Some(mv) => self.play(mv, inside.trim()),
            None => Ok(()),
        }
    }

    /// Goes behind the sign that ends a comment; comments in comments count.
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

    /// The number of a move, or the discs of both at the end.
    fn number(&mut self) -> Result<(), TranscriptError> {
        let begin = self.at;
        if self.score() {
            return Ok(());
        }
        let number = self.digits();
        match self.chars.get(self.at) {
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

    /// Whether a number counts moves, or pairs of them, with passes or without; the first may be any.
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

    /// Two numbers of at most 64 together with a dash or a colon between them, and nothing behind.
    fn score(&mut self) -> bool {
        let rest: String = self.chars[self.at..].iter().collect();
        let score = rest.trim_end_matches(|c: char| c.is_whitespace() || ".;,]\"'*".contains(c));
        let Some((black, white)) = score.split_once(['-', ':']) else {
            return false;
        };
        let discs = |text: &str| {
            let text = text.trim();
            // Half a point each for a draw, as chess writes it.
            if text == "1/2" {
                return Some(0);
            }
            let few = text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
            few.then(|| text.parse::<u32>().ok()).flatten()
        };
        let both = discs(black).zip(discs(white));
        if both.is_none_or(|(black, white)| black + white > 64) {
            return false;
        }
        self.result = Some(score.to_owned());
        self.at = self.chars.len();
        true
    }

    /// Reads a square or a pass at this place, if there is one.
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

    /// `B+12`, `white +4`, `draw` and such behind the last move.
    fn result(&mut self) -> Result<(), TranscriptError> {
        let rest: String = self.chars[self.at..].iter().collect();
        let text = rest.trim().trim_end_matches('.').to_lowercase();
        let sides = ["black", "white", "b", "w", "x", "o", "黒", "白", "●", "○"];
        let side = sides.iter().find_map(|side| text.strip_prefix(side));
        let is_result = side.map_or_else(
            || ["draw", "resign", "resigns", "引き分け", "投了"].contains(&text.as_str()),
            |rest| {
                let rest = rest.trim();
                let number = rest.strip_prefix('+').unwrap_or(rest).trim();
                let number = number.strip_suffix('石').unwrap_or(number);
                ["wins", "won", "勝ち", "resigns"].contains(&rest)
                    || number.parse().is_ok_and(|discs: u32| discs <= 64)
            },
        );
        if !is_result {
            let word = self.word();
            return Err(self.unreadable(word));
        }
        self.result = Some(rest.trim().to_owned());
        self.at = self.chars.len();
        Ok(())
    }

    /// What stands here up to the next blank or sign, and not much of it.
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
            Move::Pass => self.game.play(Move::Pass),
            Move::Place(square) => self.game.play_square(square),
        };
        if !played {
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
        let (game, _) = transcript(Position::START, text)?;
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
        ] {
            assert_eq!(read(text).as_deref(), Ok("f5d6c3d3c4"), "{text}");
        }
    }

    #[test]
    fn the_result_behind_the_moves_is_none_of_them() {
        for (text, result) in [
            ("F5D6C3D3C4 45-19", "45-19"),
            ("f5d6c3d3c4 33:31.", "33:31"),
            ("f5d6c3d3c4 1-0", "1-0"),
            ("f5d6c3d3c4 1/2-1/2", "1/2-1/2"),
            ("f5d6c3d3c4 B+12", "B+12"),
            ("f5d6c3d3c4 white +4", "white +4"),
            ("f5d6c3d3c4 黒勝ち", "黒勝ち"),
        ] {
            let (game, read) = transcript(Position::START, text).unwrap();
            assert_eq!(game.to_string(), "f5d6c3d3c4");
            assert_eq!(read.as_deref(), Some(result));
        }
    }

    #[test]
    fn what_is_no_move_is_told_with_its_place() {
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
