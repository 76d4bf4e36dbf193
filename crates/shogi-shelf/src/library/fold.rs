//! The form in which texts are compared: full-width letters as half-width ones, half-width kana as full-width ones, small letters as
//! capitals, blanks left out.

/// The kana of half width from U+FF66 on, as full-width ones.
const KANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// The form of a text in which it is compared.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match wide(c) {
            c if c.is_whitespace() => {}
            'ﾞ' | 'ﾟ' => {
                let last = folded.pop();
                folded.extend(last.map(|last| voiced(last, c)));
            }
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// The usual width of a character.
fn wide(c: char) -> char {
    match c {
        // The full-width block is ASCII, moved.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '\u{ff66}'..='\u{ff9d}' => {
            let number = u32::from(c) - 0xff66;
            KANA.chars().nth(number as usize).unwrap_or(c)
        }
        c => c,
    }
}

/// A kana with the mark behind it.
fn voiced(kana: char, mark: char) -> char {
    let later = match (kana, mark) {
        ('ウ', 'ﾞ') => return 'ヴ',
        ('カ'..='ト' | 'ハ'..='ホ', 'ﾞ') => 1,
        ('ハ'..='ホ', _) => 2,
        _ => 0,
    };
    char::from_u32(u32::from(kana) + later).unwrap_or(kana)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_whatever_their_width() {
        for (text, expected) in [
            ("Ｐｏｎａｎｚａ　１", "ponanza1"),
            ("羽生　善治", "羽生善治"),
            ("ﾎﾟﾅﾝｻﾞ", "ポナンザ"),
            ("ｳﾞｧ ﾂﾞ", "ヴァヅ"),
            ("YaneuraOu V9", "yaneuraouv9"),
            ("ﾞ", ""),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }
}
