//! Results of games, as records state them.

use std::fmt;

use othello_core::Side;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OthelloResult {
    /// Who won, and by how much.
    pub outcome: OthelloOutcome,
    /// The way the game ended.
    pub end: OthelloEnd,
}

/// Who won a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OthelloOutcome {
    /// The final difference in discs for black, −64 to 64; empty squares are the winner's.
    Score(i32),
    /// A win without a number of discs.
    Win(Side),
}

/// The way a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OthelloEnd {
    /// Neither side could move, or the record does not say.
    #[default]
    Played,
    /// A player resigned.
    Resigned,
    /// A player's time was up.
    Time,
    /// The players agreed on the score.
    Agreed,
}

impl OthelloResult {
    /// A result of a game that was played to its end.
    pub const fn played(outcome: OthelloOutcome) -> Self {
        Self {
            outcome,
            end: OthelloEnd::Played,
        }
    }

    /// The final difference in discs for black, if it is known.
    pub const fn score(self) -> Option<i32> {
        match self.outcome {
            OthelloOutcome::Score(score) => Some(score),
            OthelloOutcome::Win(_) => None,
        }
    }

    /// The winner; `None` for a draw.
    pub const fn winner(self) -> Option<Side> {
        match self.outcome {
            OthelloOutcome::Win(side) => Some(side),
            OthelloOutcome::Score(0) => None,
            OthelloOutcome::Score(1..) => Some(Side::Black),
            OthelloOutcome::Score(_) => Some(Side::White),
        }
    }

    /// The result of a count of discs; empty squares go to the winner. `None` if there are too many.
    pub const fn of_discs(black: u32, white: u32) -> Option<Self> {
        if black > 64 || white > 64 || black + white > 64 {
            return None;
        }
        let empty = 64 - black as i32 - white as i32;
        let difference = black as i32 - white as i32;
        let score = difference + empty * difference.signum();
        Some(Self::played(OthelloOutcome::Score(score)))
    }

    /// The discs of black and white at the end, if the score is known; 64 together.
    pub const fn discs(self) -> Option<[u32; 2]> {
        match self.outcome {
            OthelloOutcome::Score(score) if score % 2 == 0 && score.abs() <= 64 => {
                Some([(32 + score / 2) as u32, (32 - score / 2) as u32])
            }
            _ => None,
        }
    }
}

impl OthelloEnd {
    /// The name in lists and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Resigned => "resigned",
            Self::Time => "time",
            Self::Agreed => "agreed",
        }
    }
}

/// Writes what is read as the result behind moves: `B+26`, `W+4`, `W+4 time`, `draw`, `Black wins`, `White resigns`, `White time`.
impl fmt::Display for OthelloResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |side| {
            if side == Side::Black {
                "Black"
            } else {
                "White"
            }
        };
        let end = match self.end {
            OthelloEnd::Played => String::new(),
            end => format!(" {}", end.name()),
        };
        match (self.outcome, self.end) {
            (OthelloOutcome::Score(0), _) => write!(f, "draw{end}"),
            (OthelloOutcome::Score(score), _) => {
                let winner = if score > 0 { 'B' } else { 'W' };
                write!(f, "{winner}+{}{end}", score.abs())
            }
            (OthelloOutcome::Win(side), OthelloEnd::Resigned) => {
                write!(f, "{} resigns", name(side.other()))
            }
            (OthelloOutcome::Win(side), OthelloEnd::Time) => {
                write!(f, "{} time", name(side.other()))
            }
            (OthelloOutcome::Win(side), _) => write!(f, "{} wins", name(side)),
        }
    }
}

/// The result that a text states (see [`is_result`]); `None` if it is none, or does not say who won.
pub(crate) fn parse_result(text: &str) -> Option<OthelloResult> {
    if !is_result(text) {
        return None;
    }
    let lower = without_parentheses(text).to_lowercase();
    let text = lower.trim_matches(|c: char| c.is_whitespace() || ".;,[]\"'*=()".contains(c));
    let end = if ["resign", "投了"].iter().any(|word| text.contains(word)) {
        OthelloEnd::Resigned
    } else if text.contains("time") || text.contains("時間") {
        OthelloEnd::Time
    } else if text.contains("agreed") {
        OthelloEnd::Agreed
    } else {
        OthelloEnd::Played
    };
    let with = |outcome| Some(OthelloResult { outcome, end });
    if let Some(score) = logbook(text) {
        return with(OthelloOutcome::Score(score));
    }
    match text {
        "1-0" => return with(OthelloOutcome::Win(Side::Black)),
        "0-1" => return with(OthelloOutcome::Win(Side::White)),
        "1/2-1/2" => return with(OthelloOutcome::Score(0)),
        _ => {}
    }
    let parts = parts(text);
    // Digits are sides on boards only.
    let words = parts
        .iter()
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let named = { words }.find_map(|word| match &word[..] {
        "黒勝ち" | "黒の勝ち" | "黒投了" => Some(Side::Black),
        "白勝ち" | "白の勝ち" | "白投了" => Some(Side::White),
        word => crate::side::side(word),
    });
    let numbers: Vec<i32> = parts
        .iter()
        .filter_map(|word| word.parse::<f32>().ok().map(|n| n.round() as i32))
        .collect();
    match (&numbers[..], named) {
        ([first, second], named) => {
            let [black, white] = if named == Some(Side::White) {
                [*second, *first]
            } else {
                [*first, *second]
            };
            let result =
                OthelloResult::of_discs(u32::try_from(black).ok()?, u32::try_from(white).ok()?)?;
            Some(OthelloResult { end, ..result })
        }
        ([score], Some(Side::White)) => with(OthelloOutcome::Score(-score)),
        ([score], Some(Side::Black)) => with(OthelloOutcome::Score(*score)),
        ([score], None) => with(OthelloOutcome::Score(if text.starts_with('-') {
            -score
        } else {
            *score
        })),
        (_, _) if ["draw", "引き分け"].iter().any(|word| text.contains(word)) => {
            with(OthelloOutcome::Score(0))
        }
        (_, Some(side)) => {
            let has_lost = end != OthelloEnd::Played
                || ["lose", "lost", "負け"]
                    .iter()
                    .any(|word| text.contains(word));
            with(OthelloOutcome::Win(if has_lost {
                side.other()
            } else {
                side
            }))
        }
        _ => None,
    }
}

/// Returns whether a text is the result of a game and nothing else: the discs of both (`45-19`, `Black 45 White 19`, `33対31`), by
/// how many discs one has won (`B+12`, `+12`), or words (`draw`, `White resigns`).
pub(crate) fn is_result(text: &str) -> bool {
    let lower = without_parentheses(text).to_lowercase();
    let text = lower.trim_matches(|c: char| c.is_whitespace() || ".;,[]\"'*=()".contains(c));
    if ["1-0", "0-1", "1/2-1/2"].contains(&text) || logbook(text).is_some() {
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

/// The difference of discs for black in a game of Logistello's books, `+34 10`: a number with its sign, then a flag of two digits.
fn logbook(text: &str) -> Option<i32> {
    let mut words = text.trim_start_matches(':').split_whitespace();
    let (score, flag) = (words.next()?, words.next()?);
    let is_flag = flag.len() <= 2 && flag.bytes().all(|byte| byte.is_ascii_digit());
    if words.next().is_some() || !is_flag || !score.starts_with(['+', '-']) {
        return None;
    }
    let score: i32 = score.parse().ok()?;
    (-64..=64).contains(&score).then_some(score)
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
        "agreed",
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
        "黒投了",
        "白投了",
        "石差",
    ];
    words.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_understood_and_read_as_they_are_written() {
        let score = OthelloOutcome::Score;
        let win = OthelloOutcome::Win;
        for (text, outcome, end) in [
            ("45-19", score(26), OthelloEnd::Played),
            ("40-10", score(44), OthelloEnd::Played),
            ("32-32", score(0), OthelloEnd::Played),
            ("White: 45, Black: 19", score(-26), OthelloEnd::Played),
            ("B+12", score(12), OthelloEnd::Played),
            ("white +4", score(-4), OthelloEnd::Played),
            ("-4", score(-4), OthelloEnd::Played),
            ("1-0", win(Side::Black), OthelloEnd::Played),
            ("draw", score(0), OthelloEnd::Played),
            ("White resigns", win(Side::Black), OthelloEnd::Resigned),
            ("black timeout", win(Side::White), OthelloEnd::Time),
            ("黒勝ち", win(Side::Black), OthelloEnd::Played),
            ("白投了", win(Side::Black), OthelloEnd::Resigned),
            ("33対31", score(2), OthelloEnd::Played),
            // Logistello's: the difference, and a flag.
            ("+34 10", score(34), OthelloEnd::Played),
            (": -06 00", score(-6), OthelloEnd::Played),
            ("+60 11", score(60), OthelloEnd::Played),
            ("+00 01", score(0), OthelloEnd::Played),
            ("W+14 time", score(-14), OthelloEnd::Time),
            ("B+64 resigned", score(64), OthelloEnd::Resigned),
            ("draw agreed", score(0), OthelloEnd::Agreed),
        ] {
            let result = OthelloResult { outcome, end };
            assert_eq!(parse_result(text), Some(result), "{text}");
            assert_eq!(parse_result(&result.to_string()), Some(result), "{text}");
        }
        for text in ["", "f5", "45-30", "time"] {
            assert_eq!(parse_result(text), None, "{text}");
        }
    }

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
            "+34 10",
            "W+4 agreed",
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
