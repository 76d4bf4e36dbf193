//! Games as trees of properties, `(;B[f5];W[d6](;B[c3])(;B[c5]))`: the common part of GGF and SGF.

use crate::Error;

/// A property: a name and values in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// The name in capitals.
    pub(crate) name: String,
    /// The values without escapes, each with the byte of its bracket.
    pub(crate) values: Vec<(usize, String)>,
}

impl Property {
    /// The first value.
    pub(crate) fn value(&self) -> &str {
        self.values.first().map_or("", |(_, value)| value)
    }
}

/// A node of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PropertyNode {
    /// The number of the node before; `None` for the first.
    pub(crate) parent: Option<usize>,
    pub(crate) properties: Vec<Property>,
}

/// A mistake in a text, and its byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) reason: String,
}

impl Fault {
    pub(crate) fn new(at: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { at, reason }
    }

    /// The error of a format.
    pub(crate) fn in_format(self, format: &'static str) -> Error {
        Error::Game {
            format,
            reason: self.reason,
        }
    }
}

/// The format of a text that is a list of properties, by those of its first node: `GGF` or `SGF`.
pub(crate) fn format_name(text: &str) -> Option<&'static str> {
    let begins = begin(text)?;
    let mut format = None;
    let mut rest = text[begins..].trim_start_matches(['(', ';', ' ', '\t', '\r', '\n']);
    while let Some((name, behind)) = rest.split_once('[') {
        format = Some("SGF");
        let is_over = name.contains([';', ')']);
        if is_over {
            break;
        }
        let end = value_end(behind);
        let is_othello = || behind[..end].trim().eq_ignore_ascii_case("othello");
        match name.trim().to_ascii_uppercase().as_str() {
            "BO" => return Some("GGF"),
            "GM" if is_othello() => return Some("GGF"),
            _ => {}
        }
        rest = behind[end..].trim_start_matches(']');
    }
    format
}

/// The length of a value up to its bracket; escaped brackets do not count.
fn value_end(value: &str) -> usize {
    let mut escaped = false;
    let end = value.bytes().position(|c| match c {
        _ if escaped => {
            escaped = false;
            false
        }
        b'\\' => {
            escaped = true;
            false
        }
        c => c == b']',
    });
    end.unwrap_or(value.len())
}

/// The offset of the first game: archives have a count before it.
pub(crate) fn begin(text: &str) -> Option<usize> {
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let trimmed = trimmed
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let is_one = trimmed.strip_prefix('(')?.trim_start().starts_with(';');
    is_one.then(|| text.len() - trimmed.len())
}

/// The games of a text, each with its offset.
pub(crate) fn games(text: &str) -> Vec<(usize, &str)> {
    let games = counted_games(text).into_iter();
    games.map(|(at, game, _)| (at, game)).collect()
}

/// The games of a text, each with its offset and the number before it.
pub(crate) fn counted_games(text: &str) -> Vec<(usize, &str, Option<usize>)> {
    let mut games = Vec::new();
    let mut at = 0;
    while let Some(next) = begin(&text[at..]) {
        let count = text[at..at + next].trim().parse().ok();
        at += next;
        let game = &text[at..];
        let end = end(game.as_bytes()).unwrap_or(game.len());
        games.push((at, &game[..end], count));
        at += end;
    }
    games
}

/// The most boards of one match: GGS plays two at once. A larger number before games is that of an archive.
pub(crate) const MOST_BOARDS: usize = 8;

/// The offset behind the next game, or behind all boards of the match of which it is the first. `None` if one of them is not closed.
pub(crate) fn match_end(games: &[u8]) -> Option<usize> {
    let blanks = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    };
    let at = blanks(games);
    let digits = games[at..].iter().take_while(|byte| byte.is_ascii_digit());
    let digits = &games[at..at + digits.count()];
    let count = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok());
    let mut end = 0;
    for n in 0..count
        .filter(|count| (1..=MOST_BOARDS).contains(count))
        .unwrap_or(1)
    {
        let rest = &games[end..];
        // A game with a number of its own is of another match.
        if n > 0 && rest.get(blanks(rest)) != Some(&b'(') {
            break;
        }
        end += self::end(rest)?;
    }
    Some(end)
}

/// The offset behind the closing parenthesis of a game; parentheses in brackets do not count. `None` if it is not closed.
pub(crate) fn end(game: &[u8]) -> Option<usize> {
    let (mut depth, mut in_value, mut escaped) = (0usize, false, false);
    for (at, c) in game.iter().enumerate() {
        match c {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_value,
            b'[' => in_value = true,
            b']' => in_value = false,
            b'(' if !in_value => depth += 1,
            b')' if !in_value => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The nodes of a game, each behind its parent.
pub(crate) fn nodes(game: &str) -> Result<Vec<PropertyNode>, Fault> {
    let mut reader = Reader {
        game,
        at: 0,
        nodes: Vec::new(),
        last: None,
        open: Vec::new(),
    };
    reader.run()?;
    Ok(reader.nodes)
}

struct Reader<'a> {
    game: &'a str,
    at: usize,
    nodes: Vec<PropertyNode>,
    /// The node that the next one follows.
    last: Option<usize>,
    /// The nodes before the open parentheses.
    open: Vec<Option<usize>>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        while let Some(c) = self.game[self.at..].chars().next() {
            match c {
                '(' => self.open.push(self.last),
                ')' => match self.open.pop() {
                    Some(before) if self.open.is_empty() => {
                        self.last = before;
                        return Ok(());
                    }
                    Some(before) => self.last = before,
                    None => return Err(Fault::new(self.at, "a ')' without '('")),
                },
                ';' => {
                    let parent = self.last;
                    self.last = Some(self.nodes.len());
                    self.nodes.push(PropertyNode {
                        parent,
                        properties: Vec::new(),
                    });
                }
                c if c.is_ascii_alphabetic() => {
                    self.property()?;
                    continue;
                }
                '[' => {
                    return Err(Fault::new(
                        self.at,
                        "a value without the name of a property",
                    ));
                }
                c if c.is_whitespace() || c == ',' || c == '\u{feff}' => {}
                c => {
                    let reason =
                        format!("'{c}' stands where a property such as B[f5] was expected");
                    return Err(Fault::new(self.at, reason));
                }
            }
            self.at += c.len_utf8();
        }
        Err(Fault::new(
            self.game.len(),
            "the game has no ')' at its end",
        ))
    }

    fn property(&mut self) -> Result<(), Fault> {
        let begin = self.at;
        let rest = &self.game[begin..];
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let word = &rest[..length];
        // In old files names have small letters that do not count: `BoardSize` is BS.
        let capitals: String = word.chars().filter(|c| !c.is_ascii_lowercase()).collect();
        let is_small = !capitals.starts_with(|c: char| c.is_ascii_uppercase());
        let name = if is_small {
            word.to_ascii_uppercase()
        } else {
            capitals
        };
        self.at += length;
        let mut values = Vec::new();
        loop {
            let rest = &self.game[self.at..];
            let blanks = rest.len() - rest.trim_start().len();
            if !rest[blanks..].starts_with('[') {
                break;
            }
            self.at += blanks;
            let at = self.at;
            let value = self.value(&name)?;
            values.push((at, value));
        }
        if values.is_empty() {
            let name = name.chars().take(20).collect::<String>();
            return Err(Fault::new(
                begin,
                format!("the property {name} has no value in brackets"),
            ));
        }
        let Some(last) = self.last else {
            return Err(Fault::new(
                begin,
                format!("the property {name} stands before the first ';'"),
            ));
        };
        self.nodes[last].properties.push(Property { name, values });
        Ok(())
    }

    /// Reads a value in brackets.
    fn value(&mut self, name: &str) -> Result<String, Fault> {
        let begin = self.at;
        let mut value = String::new();
        let mut chars = self.game[begin + 1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                ']' => {
                    self.at = begin + 1 + at + 1;
                    return Ok(value);
                }
                '\\' => match chars.next() {
                    // An escaped line end is none.
                    Some((_, '\n')) => {}
                    Some((_, '\r')) => {
                        if chars.as_str().starts_with('\n') {
                            chars.next();
                        }
                    }
                    Some((_, c)) => value.push(c),
                    None => break,
                },
                '\r' => {
                    value.push('\n');
                    if chars.as_str().starts_with('\n') {
                        chars.next();
                    }
                }
                c => value.push(c),
            }
        }
        Err(Fault::new(
            begin,
            format!("the value of {name} has no ']' at its end"),
        ))
    }
}

/// Appends `NAME[value]` with escapes, unless the value is empty.
pub(crate) fn put(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        put_values(text, name, [value]);
    }
}

/// Appends a property with any number of values.
pub(crate) fn put_values<'a>(
    text: &mut String,
    name: &str,
    values: impl IntoIterator<Item = &'a str>,
) {
    text.push_str(name);
    for value in values {
        text.push('[');
        for c in value.chars() {
            if matches!(c, ']' | '\\') {
                text.push('\\');
            }
            // Line ends are read as LF.
            text.push(if c == '\r' { '\n' } else { c });
        }
        text.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_read_with_their_variations() {
        let read = nodes("(;GM[2]C[a\\]b\\\\];B[f5](;W[d6];B[c3])(;W[f6]AB[a1] [b2]))").unwrap();
        let parents: Vec<_> = read.iter().map(|node| node.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(1)]);
        assert_eq!(read[0].properties[1].value(), "a]b\\");
        assert_eq!(read[4].properties[1].values.len(), 2);
        let old = nodes("(;GaMe[2];Black[f5]white[d6])").unwrap();
        let names: Vec<_> = old
            .iter()
            .flat_map(|node| &node.properties)
            .map(|p| &p.name[..])
            .collect();
        assert_eq!(names, ["GM", "B", "WHITE"]);
    }

    #[test]
    fn mistakes_have_their_byte() {
        for (text, at, reason) in [
            ("(;B[f5", 3, "no ']'"),
            ("(;B[f5]", 7, "no ')'"),
            ("(;B)", 2, "no value"),
            ("(;[f5])", 2, "without the name"),
            ("(;B[f5]%)", 7, "'%'"),
            ("(B[f5])", 1, "before the first ';'"),
            (")", 0, "without '('"),
        ] {
            let fault = nodes(text).unwrap_err();
            assert!(
                fault.at == at && fault.reason.contains(reason),
                "{text}: {fault:?}"
            );
        }
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        let mut text = "(;".to_owned();
        put(&mut text, "C", "a]\\b\n[c");
        text.push(')');
        assert_eq!(nodes(&text).unwrap()[0].properties[0].value(), "a]\\b\n[c");
        let three = format!("2 {text}{text}\n{text}");
        assert_eq!(games(&three).len(), 3);
        let counts: Vec<_> = counted_games(&three).iter().map(|game| game.2).collect();
        assert_eq!(counts, [Some(2), None, None]);
        // Both boards of a match end at one place; a part of it has none.
        assert_eq!(match_end(three.as_bytes()), Some(2 + 2 * text.len()));
        assert_eq!(match_end(&three.as_bytes()[..3 + text.len()]), None);
    }
}
