//! Rust text as tokens, as far as paths need it: words, marks and texts; comments are left out.

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or a keyword; a raw identifier without its `r#`.
    Word(String),
    /// `::`.
    PathSeparator,
    /// Any other sign, one letter each.
    Mark(char),
    /// What stands between the quotes of a text, escapes as they are written.
    Text(String),
}

impl Token {
    /// Returns whether this is the sign `mark`.
    pub(super) fn is(&self, mark: char) -> bool {
        matches!(self, Self::Mark(own) if *own == mark)
    }

    /// Returns whether this is the word `word`.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }

    /// The word, if this is one.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Returns the tokens of a file. Numbers come as words; text that is no Rust gives tokens all the same.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
    };
    let mut found = Vec::new();
    while let Some(letter) = reader.peek(0) {
        if let Some(token) = reader.next(letter) {
            found.push(token);
        }
    }
    found
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    /// Reads the token that begins with `letter`, or skips what is none.
    fn next(&mut self, letter: char) -> Option<Token> {
        match letter {
            '/' if self.peek(1) == Some('/') => {
                self.skip_while(|letter| letter != '\n');
                None
            }
            '/' if self.peek(1) == Some('*') => {
                self.skip_block_comment();
                None
            }
            '"' => Some(self.text()),
            '\'' => self.letter_or_lifetime(),
            ':' if self.peek(1) == Some(':') => {
                self.at += 2;
                Some(Token::PathSeparator)
            }
            _ if is_of_word(letter) => Some(self.word()),
            _ => {
                self.at += 1;
                (!letter.is_whitespace()).then_some(Token::Mark(letter))
            }
        }
    }

    fn skip_while(&mut self, goes_on: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&goes_on) {
            self.at += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while let Some(letter) = self.peek(0) {
            match (letter, self.peek(1)) {
                ('/', Some('*')) => {
                    depth += 1;
                    self.at += 2;
                }
                ('*', Some('/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// A text with escapes, from its opening quote on.
    fn text(&mut self) -> Token {
        let start = self.at + 1;
        self.at = start;
        while let Some(letter) = self.peek(0) {
            match letter {
                '"' => break,
                '\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let end = self.at.min(self.letters.len());
        self.at = end + 1;
        Token::Text(self.letters[start..end].iter().collect())
    }

    /// A text without escapes, which ends with a quote and `hashes` of `#`; the place is behind its opening quote.
    fn raw_text(&mut self, hashes: usize) -> Token {
        let start = self.at;
        let is_end = |place: usize| {
            self.letters[place] == '"'
                && (1..=hashes).all(|hash| self.letters.get(place + hash) == Some(&'#'))
        };
        let end = (start..self.letters.len())
            .find(|&place| is_end(place))
            .unwrap_or(self.letters.len());
        self.at = end + 1 + hashes;
        Token::Text(self.letters[start..end].iter().collect())
    }

    /// `'x'` and `'\n'` are skipped; of a lifetime only its quote is, and its name is no part of a path.
    fn letter_or_lifetime(&mut self) -> Option<Token> {
        if self.peek(1) == Some('\\') {
            self.at += 3;
            self.skip_while(|letter| letter != '\'');
            self.at += 1;
        } else if self.peek(2) == Some('\'') {
            self.at += 3;
        } else {
            self.at += 1;
            self.skip_while(is_of_word);
        }
        None
    }

    /// A word, or what begins like one: raw and byte texts, byte letters, raw identifiers.
    fn word(&mut self) -> Token {
        let start = self.at;
        self.skip_while(is_of_word);
        let word: String = self.letters[start..self.at].iter().collect();
        let is_raw = matches!(word.as_str(), "r" | "br" | "cr");
        let mut hashes = 0;
        while self.peek(hashes) == Some('#') {
            hashes += 1;
        }
        match self.peek(if is_raw { hashes } else { 0 }) {
            Some('"') if is_raw => {
                self.at += hashes + 1;
                self.raw_text(hashes)
            }
            Some('"') if matches!(word.as_str(), "b" | "c") => self.text(),
            Some('\'') if word == "b" => {
                self.letter_or_lifetime();
                Token::Text(String::new())
            }
            Some(letter) if word == "r" && hashes == 1 && is_of_word(letter) => {
                self.at += 1;
                self.word()
            }
            _ => Token::Word(word),
        }
    }
}

fn is_of_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let found = tokens(text);
        let words: Vec<&str> = found.iter().filter_map(Token::word).collect();
        words.join(" ")
    }

    #[test]
    fn comments_texts_and_letters_have_no_words() {
        let text = "a /* b /* c */ d */ e // f\n\"g \\\" h\" r#\"i \" j\"# b\"k\" 'l' '\\'' b'm' n";
        assert_eq!(words(text), "a e n");
    }

    #[test]
    fn lifetimes_are_left_out_and_raw_identifiers_are_words() {
        assert_eq!(words("fn f<'a>(x: &'a r#type) {}"), "fn f x type");
    }

    #[test]
    fn paths_are_words_and_separators() {
        assert_eq!(
            tokens("a::B"),
            [
                Token::Word("a".to_owned()),
                Token::PathSeparator,
                Token::Word("B".to_owned())
            ]
        );
    }
}
