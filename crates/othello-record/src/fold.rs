//! Folding of look-alike characters.

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
    fn characters_that_look_alike_become_one() {
        assert_eq!(fold("Ｆ５－ｄ６—ｃ３、　→"), "F5-d6-c3, >");
        assert_eq!(fold("\u{feff}f\u{200b}5"), " f 5");
    }
}
