//! The result of a game behind its moves.

/// Returns whether a text is the result of a game and nothing else: the discs of both (`45-19`, `Black 45 White 19`, `33対31`), by
/// how many discs one has won (`B+12`, `+12`), or words (`draw`, `White resigns`).
pub(crate) fn is_result(text: &str) -> bool {
    let lower = without_parentheses(text).to_lowercase();
    let text = lower.trim_matches(|c: char| c.is_whitespace() || ".;,[]\"'*=()".contains(c));
    if ["1-0", "0-1", "1/2-1/2"].contains(&text) {
        return true;
    }
    if has_square(text) {
        return false;
    }
    let mut numbers: Vec<f32> = Vec::new();
    let mut words = 0;
    for word in parts(text) {
        if let Ok(number) = word.parse::<f32>() {
            numbers.push(number);
        } else if is_result_word(&word) {
            words += 1;
        } else {
            return false;
        }
    }
    let has_sign = text.contains('+') || text.starts_with('-');
    let sum: f32 = numbers.iter().sum();
    match numbers.len() {
        0 => words > 0,
        1 => (words > 0 || has_sign) && sum <= 64.0,
        2 => sum <= 64.0,
        _ => false,
    }
}

/// Returns whether a text has a square, and so a move.
fn has_square(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars
        .windows(2)
        .any(|pair| matches!(pair, ['a'..='h', '1'..='8']))
}

/// Removes a comment in parentheses at the end.
fn without_parentheses(text: &str) -> &str {
    let trimmed = text.trim_end();
    let inside = trimmed.strip_suffix(')').and_then(|text| text.rfind('('));
    match inside {
        // `(45-19)` is the result itself.
        Some(at) if !trimmed[..at].trim().is_empty() => &trimmed[..at],
        _ => text,
    }
}

/// Splits a text into numbers and words.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut kind = None;
    for c in text.chars() {
        let new = match c {
            '0'..='9' | '.' => Some(true),
            c if c.is_alphabetic() || "●○⚫⚪'".contains(c) => Some(false),
            _ => None,
        };
        match (new, parts.last_mut()) {
            (None, _) => {}
            (Some(_), Some(last)) if new == kind => last.push(c),
            _ => parts.push(c.to_string()),
        }
        kind = new;
    }
    parts
}

fn is_result_word(word: &str) -> bool {
    let words = [
        "black",
        "white",
        "b",
        "w",
        "x",
        "o",
        "by",
        "to",
        "win",
        "wins",
        "won",
        "lose",
        "loses",
        "lost",
        "draw",
        "drawn",
        "resign",
        "resigns",
        "resigned",
        "result",
        "score",
        "final",
        "disc",
        "discs",
        "timeout",
        "time",
        "on",
        "and",
        "the",
        "黒",
        "白",
        "●",
        "○",
        "⚫",
        "⚪",
        "対",
        "石",
        "勝ち",
        "勝",
        "負け",
        "引き分け",
        "投了",
        "時間切れ",
        "黒勝ち",
        "白勝ち",
        "黒の勝ち",
        "白の勝ち",
        "石差",
    ];
    words.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_known_by_their_words() {
        for text in [
            "45-19",
            "45 - 19.",
            "33:31",
            "(45-19)",
            "45-19 (Black wins)",
            "=45-19",
            "45,19",
            "33.5-30.5",
            "1-0",
            "1/2-1/2",
            "B+12",
            "white +4",
            "+12",
            "-4",
            "draw",
            "White resigns",
            "黒勝ち",
            "黒 33 白 31",
            "33対31",
            "Black: 45, White: 19",
            "W+4 *",
        ] {
            assert!(is_result(text), "{text}");
        }
        for text in [
            "", "45", "99-1", "40-40", "4519", "12 34 5", "hello", "45-19 x9", "58b6", "f5",
        ] {
            assert!(!is_result(text), "{text}");
        }
    }
}
