//! Sides to move in the words of people and programs, and look-alike characters.

use othello_core::Side;

/// The side that a word names.
pub(crate) fn side(word: &str) -> Option<Side> {
    let word = word
        .trim_matches(|c: char| "()[]'\"`.,".contains(c))
        .to_lowercase();
    let word = word.strip_suffix("'s").unwrap_or(&word);
    Some(match word {
        "x" | "b" | "*" | "#" | "@" | "0" | "black" | "dark" | "●" | "⚫" | "■" | "黒" | "黒番"
        | "先手" | "先手番" | "noir" => Side::Black,
        "o" | "w" | "1" | "white" | "light" | "○" | "⚪" | "◯" | "〇" | "□" | "白" | "白番"
        | "後手" | "後手番" | "blanc" => Side::White,
        _ => return None,
    })
}

/// Returns whether a word only accompanies a side.
fn is_filler(word: &str) -> bool {
    let word = word
        .trim_matches(|c: char| "()[]:=.,".contains(c))
        .to_lowercase();
    [
        "",
        "side",
        "to",
        "move",
        "moves",
        "play",
        "plays",
        "turn",
        "next",
        "player",
        "mover",
        "stm",
        "s",
        "is",
        "の番",
        "の手番",
        "手番",
        "番",
        "次",
        "です",
    ]
    .contains(&word.as_str())
}

/// Splits off a leading side to move, with the words around it.
pub(crate) fn leading(text: &str) -> Option<(Side, &str)> {
    let mut found = None;
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || "/|,:;=".contains(c));
        // Behind a side, punctuation begins something else.
        let blanks = rest.trim_start();
        let next = if found.is_some() { blanks } else { trimmed };
        let end = next
            .char_indices()
            .find(|&(at, c)| c.is_whitespace() || ",;:%|=".contains(c) || at > 0 && c == ']');
        let word = &next[..end.map_or(next.len(), |(at, _)| at)];
        if word.is_empty() {
            break;
        }
        if found.is_none()
            && let Some(side) = self::side(word)
        {
            found = Some(side);
        } else if !is_filler(word) {
            // `黒の番`, `白手番`: a character and a filler.
            let mut chars = word.chars();
            let first = chars.next().map(String::from).unwrap_or_default();
            match self::side(&first) {
                Some(side) if found.is_none() && is_filler(chars.as_str()) => found = Some(side),
                _ => break,
            }
        }
        rest = &next[word.len()..];
    }
    found.map(|side| (side, rest))
}

/// The side to move named anywhere in a text: `X to move`, `White's turn`, `side to move: O`, `黒番`.
pub(crate) fn anywhere(text: &str) -> Option<Side> {
    let lower = text.to_lowercase();
    for phrase in ["to move", "to play", "turn", "手番", "の番"] {
        for (at, _) in lower.match_indices(phrase) {
            let before = lower[..at].split_whitespace().next_back();
            let before = before.map(|word| word.trim_end_matches("'s"));
            let after = &lower[at + phrase.len()..];
            let after = after.trim_start_matches(|c: char| c.is_whitespace() || ":=は".contains(c));
            let end = after.find(|c: char| c.is_whitespace() || ",;.".contains(c));
            let after = &after[..end.unwrap_or(after.len())];
            let found = before.and_then(side).or_else(|| side(after));
            if found.is_some() {
                return found;
            }
        }
    }
    let words = ["黒番", "白番", "先手番", "後手番"];
    words
        .iter()
        .find(|word| lower.contains(**word))
        .and_then(|word| side(word))
}

/// The side named by a line that has nothing else.
pub(crate) fn alone(text: &str) -> Option<Side> {
    text.lines().find_map(|line| side(line.trim()))
}

// Folding of look-alike characters.

/// Folds characters that look alike: full-width letters, digits and punctuation become ASCII, all dashes `-`, invisible
/// characters blanks. The number of characters stays the same.
pub(crate) fn fold(text: &str) -> String {
    text.chars().map(folded).collect()
}

const fn folded(c: char) -> char {
    match c {
        // The full-width block is ASCII, moved.
        '\u{ff01}'..='\u{ff5e}' => match char::from_u32(c as u32 - 0xff01 + 0x21) {
            Some(c) => c,
            None => ' ',
        },
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | 'ー' | 'ｰ' | '─' | '━' => '-',
        '\u{a0}'
        | '\u{3000}'
        | '\u{feff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{fe0e}'
        | '\u{fe0f}'
        | '\u{2060}' => ' ',
        c if is_circled_number(c) => ' ',
        '、' | '､' => ',',
        '。' | '｡' => '.',
        '“' | '”' | '„' | '「' | '」' => '"',
        '‘' | '’' => '\'',
        '→' | '⇒' | '⟶' => '>',
        c => c,
    }
}

/// Returns whether a character is a circled number, 1 to 50.
const fn is_circled_number(c: char) -> bool {
    matches!(c, '\u{2460}'..='\u{2473}' | '\u{3251}'..='\u{325f}' | '\u{32b1}'..='\u{32bf}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_read_in_many_words() {
        for (text, expected, behind) in [
            (" X", Side::Black, ""),
            (" o;", Side::White, ";"),
            (" Black to move", Side::Black, ""),
            (", white's turn; rest", Side::White, "; rest"),
            ("side to move: O % comment", Side::White, " % comment"),
            (" ●の番", Side::Black, ""),
            ("白番", Side::White, ""),
            (" X,21,F5,1", Side::Black, ",21,F5,1"),
            (" O]", Side::White, ""),
            (" O: value +1", Side::White, ": value +1"),
            (" * f5d6", Side::Black, " f5d6"),
        ] {
            assert_eq!(leading(text), Some((expected, behind)), "{text}");
        }
        for text in ["", " ;", " f5", " - X", " 7"] {
            assert_eq!(leading(text), None, "{text}");
        }
    }

    #[test]
    fn a_side_is_found_in_other_text() {
        for (text, expected) in [
            ("Black (X) to move, 4 discs", Some(Side::Black)),
            ("move 3: White's turn", Some(Side::White)),
            ("Side to move: *", Some(Side::Black)),
            ("手番: 白", Some(Side::White)),
            ("白番です", Some(Side::White)),
            ("black 4 white 1", None),
        ] {
            assert_eq!(anywhere(text), expected, "{text}");
        }
    }

    #[test]
    fn characters_that_look_alike_become_one() {
        assert_eq!(fold("Ｆ５－ｄ６—ｃ３、　→"), "F5-d6-c3, >");
        assert_eq!(fold("\u{feff}f\u{200b}5"), " f 5");
    }
}
