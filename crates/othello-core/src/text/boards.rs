//! Boards of 64 signs in every dialect, in a row or in rows.

use super::sides;
use crate::{Board, Position, Side, State, TextError};

/// What a sign of a board stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Empty,
    Disc(Side),
    /// `0`, `1` or `2`, which programs use differently.
    Digit(u8),
}

pub(crate) fn cell(c: char) -> Option<Cell> {
    Some(match c {
        '-' | '.' | '_' | '+' | 'e' | 'E' | '·' | '・' | '･' | '□' | '🟩' => Cell::Empty,
        'X' | 'x' | 'B' | 'b' | '*' | '#' | '@' | '●' | '⚫' | '■' | '黒' => {
            Cell::Disc(Side::Black)
        }
        'O' | 'o' | 'W' | 'w' | '○' | '⚪' | '◯' | '〇' | '白' => Cell::Disc(Side::White),
        '0'..='2' => Cell::Digit(c as u8 - b'0'),
        _ => return None,
    })
}

/// Black's discs and white's. Digits are `0` empty, `1` black, `2` white where there is a `2`; else `0` black and `1`
/// white, as Egaroucid has them.
pub(super) fn discs(cells: &[Cell; 64]) -> [u64; 2] {
    let has_two = cells.contains(&Cell::Digit(2));
    let mut both = [0; 2];
    for (n, cell) in cells.iter().enumerate() {
        let side = match (cell, has_two) {
            (Cell::Empty, _) | (Cell::Digit(0), true) => continue,
            (Cell::Disc(side), _) => *side,
            (Cell::Digit(1), true) | (Cell::Digit(0), false) => Side::Black,
            (Cell::Digit(_), _) => Side::White,
        };
        both[usize::from(side == Side::White)] |= 1 << n;
    }
    both
}

/// A board that a text begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told<'a> {
    /// As it is meant to be read first, then other ways to read it.
    pub(crate) positions: Vec<Position>,
    /// Whether the text says who moves.
    pub(crate) has_side: bool,
    /// It is as GGS has it: a size before it or brackets around it.
    pub(crate) is_ggs: bool,
    /// What stands behind.
    pub(crate) rest: &'a str,
}

/// Whether a text is meant as a board of signs: most of its first signs are such.
pub(crate) fn looks_like_one(text: &str) -> bool {
    let signs: Vec<char> = body(text)
        .0
        .chars()
        .filter(|c| !is_frame(*c))
        .take(64)
        .collect();
    let discs = signs.iter().filter(|c| cell(**c).is_some()).count();
    signs.len() >= 16 && discs * 8 >= signs.len() * 7
}

const fn is_frame(c: char) -> bool {
    c.is_whitespace() || matches!(c, '/' | '|' | '"' | '\'' | ',')
}

/// A text without what stands before the board, and whether that was as GGS has it.
fn body(text: &str) -> (&str, bool) {
    let mut text = text.trim_start();
    for word in ["setboard", "board", "position", "pos"] {
        let head = text.get(..word.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(word)) {
            text = text[word.len()..].trim_start_matches([' ', '\t', ':', '=']);
            break;
        }
    }
    let in_brackets = text.strip_prefix(['[', '(']);
    let text = in_brackets.unwrap_or(text).trim_start();
    let sized = text.strip_prefix('8');
    let sized = sized.filter(|rest| rest.starts_with(char::is_whitespace));
    (
        sized.unwrap_or(text),
        in_brackets.is_some() || sized.is_some(),
    )
}

/// Reads 64 signs of a folded text, and who moves, behind them or before. Without a side, it is who would be to move if
/// nobody has passed, then the other.
///
/// # Errors
///
/// A sign that stands for nothing, with its place, or too few.
pub(crate) fn board(text: &str) -> Result<Told<'_>, TextError> {
    let trimmed = text.trim_start();
    let (first, rest) = trimmed
        .split_once(char::is_whitespace)
        .unwrap_or((trimmed, ""));
    let next = rest.split_whitespace().next().unwrap_or_default();
    // One sign, then rows of a board.
    if first.chars().count() == 1 && next.chars().count() >= 8 && first != "8" {
        let side = match first {
            "1" if rest.contains('2') => Some(Side::Black),
            "2" if rest.contains('2') => Some(Side::White),
            _ => sides::side(first),
        };
        let found = first.chars().next().unwrap_or_default();
        let side = side.ok_or(TextError::Character { at: 1, found })?;
        return with_side(squares(rest)?, side);
    }
    let found = squares(text);
    if found.is_err()
        && let Some((side, rest)) = sides::leading(text)
        && let Ok(told) = squares(rest.trim_start_matches([':', ',', ';', ' ']))
        && !told.has_side
    {
        return with_side(told, side);
    }
    found
}

/// A board whose side stands before it; behind it nothing may say another.
fn with_side(mut told: Told<'_>, side: Side) -> Result<Told<'_>, TextError> {
    told.positions.retain(|position| position.side() == side);
    told.has_side = true;
    if told.positions.is_empty() {
        return Err(TextError::Long { at: 1 });
    }
    Ok(told)
}

fn squares(text: &str) -> Result<Told<'_>, TextError> {
    let (signs, is_ggs) = body(text);
    let before = text[..text.len() - signs.len()].chars().count();
    let mut cells = [Cell::Empty; 64];
    let mut squares = 0;
    let mut end = signs.len();
    for (n, (at, c)) in signs.char_indices().enumerate() {
        if squares == 64 {
            end = at;
            break;
        }
        match cell(c) {
            Some(cell) => {
                cells[squares] = cell;
                squares += 1;
            }
            None if is_frame(c) => {}
            // The text has come to its end, but for the side.
            None if matches!(c, ';' | '%' | ']') => break,
            None => {
                let at = before + n + 1;
                return Err(TextError::Character { at, found: c });
            }
        }
    }
    if squares < 64 {
        return Err(TextError::Short { squares });
    }
    let rest = &signs[end..];
    // What follows the last square without a blank is one square more.
    if let Some(c) = rest.chars().next()
        && cell(c) == Some(Cell::Empty)
    {
        let at = before + signs[..end].chars().count() + 1;
        return Err(TextError::Character { at, found: c });
    }
    let [black, white] = discs(&cells);
    if rest.trim().is_empty() && has_lone_end(&signs[..end]) {
        return Err(TextError::Short { squares: 63 });
    }
    let (side, rest) = side_behind(rest, cells.contains(&Cell::Digit(2)));
    Ok(Told {
        positions: positions(black, white, side),
        has_side: side.is_some(),
        is_ggs,
        rest,
    })
}

/// Whether the last sign stands alone and others do not: then it is the side, and a square is missing.
fn has_lone_end(signs: &str) -> bool {
    let groups: Vec<_> = signs
        .split_whitespace()
        .map(|group| group.chars().count())
        .collect();
    groups.last() == Some(&1) && groups.iter().any(|&count| count > 1)
}

/// Who moves, and the text behind that. Where discs are 1 and 2, sides may be so too.
fn side_behind(text: &str, has_two: bool) -> (Option<Side>, &str) {
    let blanks = |c: char| c.is_whitespace() || is_frame(c);
    let trimmed = text.trim_start_matches(blanks);
    for (name, side) in [('1', Side::Black), ('2', Side::White)] {
        if has_two && let Some(rest) = trimmed.strip_prefix(name) {
            return (Some(side), rest);
        }
    }
    match sides::leading(text) {
        Some((side, rest)) => (Some(side), rest),
        None => (None, text),
    }
}

/// A board of eight rows between which `/` stands, with numbers for empty squares, as a board without them.
pub(crate) fn counted_rows(text: &str) -> Option<String> {
    let (rows, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    let mut board = String::new();
    let mut count = 0;
    for row in rows.split('/') {
        let before = board.len();
        for c in row.chars() {
            match c {
                '1'..='8' => board.push_str(&"-".repeat(c as usize - '0' as usize)),
                c if c.is_ascii() && matches!(cell(c), Some(Cell::Disc(_))) => board.push(c),
                _ => return None,
            }
        }
        if board.len() - before != 8 {
            return None;
        }
        count += 1;
    }
    (count == 8).then(|| board + rest)
}

/// The positions of black's and white's discs: one if it is known who moves, else both, the likelier first.
pub(super) fn positions(black: u64, white: u64, side: Option<Side>) -> Vec<Position> {
    let of = |side| match side {
        Side::Black => Position::new(Board::of(black, white), side),
        Side::White => Position::new(Board::of(white, black), side),
    };
    if let Some(side) = side {
        return vec![of(side)];
    }
    let first = if (black | white).count_ones().is_multiple_of(2) {
        Side::Black
    } else {
        Side::White
    };
    let both = [of(first), of(first.other())];
    let can_move = both.map(|position| position.board().state() == State::Moves);
    match can_move {
        [false, true] => vec![both[1], both[0]],
        _ => both.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    fn tiger() -> Position {
        "f5d6c3d3c4".parse::<Game>().unwrap().position()
    }

    /// The board with other signs for empty, black and white.
    fn signs(empty: &str, black: &str, white: &str) -> String {
        let text = tiger().to_string();
        let cells = text[..64].chars().map(|c| match c {
            'X' => black,
            'O' => white,
            _ => empty,
        });
        cells.collect()
    }

    #[test]
    fn boards_are_read_in_every_dialect() {
        for (empty, black, white, side) in [
            ("-", "X", "O", "O"),
            (".", "x", "o", "o"),
            ("-", "*", "O", "O"),
            ("-", "#", "O", "white"),
            (".", "@", "O", "White to move"),
            ("_", "B", "W", "W"),
            (".", "0", "1", "1"),
            ("0", "1", "2", "2"),
            ("・", "●", "○", "白番"),
            ("・", "●", "○", "○の番"),
            ("+", "X", "O", "side to move: O"),
        ] {
            let cells = signs(empty, black, white);
            let rows: Vec<String> = cells
                .chars()
                .collect::<Vec<_>>()
                .chunks(8)
                .map(|row| row.iter().collect())
                .collect();
            for text in [
                format!("{side} {cells}"),
                format!("{cells} {side}"),
                format!("{}\n{side}", rows.join("\n")),
                format!("{}/{side}", rows.join("/")),
                format!("[8 {} {side}]", rows.join(" ")),
                format!("setboard {cells} {side}"),
            ] {
                let told = board(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(told.positions, [tiger()], "{text}");
                assert!(told.has_side && looks_like_one(&text), "{text}");
            }
            let told = board(&cells).unwrap();
            assert_eq!(told.positions, [tiger(), tiger().passed()]);
            assert!(!told.has_side);
        }
    }

    #[test]
    fn rows_may_have_their_empty_squares_counted() {
        let text = "8/8/2XO4/2XXX3/3OXX2/3O4/8/8 w";
        let told = counted_rows(text).unwrap();
        assert_eq!(board(&told).unwrap().positions, [tiger()]);
        for text in ["8/8 w", "f5/d6", "8/8/2XO4/2XXX3/3OXX2/3O4/8/7 w"] {
            assert_eq!(counted_rows(text), None);
        }
    }

    #[test]
    fn boards_that_are_none_are_told_with_their_place() {
        let cells = signs("-", "X", "O");
        assert_eq!(board(&cells[1..]), Err(TextError::Short { squares: 63 }));
        assert_eq!(
            board(&format!("{} X;", &cells[2..])),
            Err(TextError::Short { squares: 63 })
        );
        let missing = format!("{} X", &cells[1..]);
        assert_eq!(board(&missing), Err(TextError::Short { squares: 63 }));
        let bad = cells.replacen('-', "?", 1);
        assert_eq!(board(&bad), Err(TextError::Character { at: 1, found: '?' }));
        let long = format!("{cells}- X");
        assert_eq!(
            board(&long),
            Err(TextError::Character { at: 65, found: '-' })
        );
    }
}
