//! Boards of 64 characters in every dialect, in one row or eight.

use othello_core::{Board, Position, PositionError, Side, State};

use crate::side;

/// The meaning of a character of a board.
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

/// The bitboards of black and white. Digits are `0` empty, `1` black, `2` white where there is a `2`; else `0` black and `1`
/// white, as Egaroucid has them.
pub(crate) fn discs(cells: &[Cell; 64]) -> [u64; 2] {
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

/// A board at the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoardText<'a> {
    /// The likeliest interpretation first, then the others.
    pub(crate) positions: Vec<Position>,
    /// True if the text has the side to move.
    pub(crate) has_side: bool,
    /// True for the GGS form: with a size before it or brackets around it.
    pub(crate) is_ggs: bool,
    /// The text behind the board.
    pub(crate) rest: &'a str,
}

/// Returns whether a text looks like a board: most of its first characters are squares.
pub(crate) fn is_board(text: &str) -> bool {
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

/// Removes keywords and brackets before the board; returns whether it is in GGS form too.
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

/// Parses 64 squares of a folded text, and the side to move before or behind them. Without a side, it is the one that
/// would move if nobody has passed, then the other.
///
/// # Errors
///
/// An unknown character with its place, or too few.
pub(crate) fn parse_board(text: &str) -> Result<BoardText<'_>, PositionError> {
    let trimmed = text.trim_start();
    let (first, rest) = trimmed
        .split_once(char::is_whitespace)
        .unwrap_or((trimmed, ""));
    let next = rest.split_whitespace().next().unwrap_or_default();
    // One character, then rows of a board.
    if first.chars().count() == 1 && next.chars().count() >= 8 && first != "8" {
        let side = match first {
            "1" if rest.contains('2') => Some(Side::Black),
            "2" if rest.contains('2') => Some(Side::White),
            _ => side::side(first),
        };
        let found = first.chars().next().unwrap_or_default();
        let side = side.ok_or(PositionError::Character { at: 1, found })?;
        return with_side(squares(rest)?, side);
    }
    let found = squares(text);
    if found.is_err()
        && let Some((side, rest)) = side::leading(text)
        && let Ok(parsed) = squares(rest.trim_start_matches([':', ',', ';', ' ']))
        && !parsed.has_side
    {
        return with_side(parsed, side);
    }
    found
}

/// Sets the side that stands before a board; none behind it may contradict.
fn with_side(mut parsed: BoardText<'_>, side: Side) -> Result<BoardText<'_>, PositionError> {
    parsed.positions.retain(|position| position.side() == side);
    parsed.has_side = true;
    if parsed.positions.is_empty() {
        return Err(PositionError::Long { at: 1 });
    }
    Ok(parsed)
}

fn squares(text: &str) -> Result<BoardText<'_>, PositionError> {
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
            // The board ends here.
            None if matches!(c, ';' | '%' | ']') => break,
            None => {
                let at = before + n + 1;
                return Err(PositionError::Character { at, found: c });
            }
        }
    }
    if squares < 64 {
        return Err(PositionError::Short { squares });
    }
    let rest = &signs[end..];
    // A 65th square.
    if let Some(c) = rest.chars().next()
        && cell(c) == Some(Cell::Empty)
    {
        let at = before + signs[..end].chars().count() + 1;
        return Err(PositionError::Character { at, found: c });
    }
    let [black, white] = discs(&cells);
    if rest.trim().is_empty() && has_lone_end(&signs[..end]) {
        return Err(PositionError::Short { squares: 63 });
    }
    let (side, rest) = side_behind(rest, cells.contains(&Cell::Digit(2)));
    Ok(BoardText {
        positions: positions(black, white, side),
        has_side: side.is_some(),
        is_ggs,
        rest,
    })
}

/// Returns whether only the last character stands alone: then it is the side, and a square is missing.
fn has_lone_end(signs: &str) -> bool {
    let groups: Vec<_> = signs
        .split_whitespace()
        .map(|group| group.chars().count())
        .collect();
    groups.last() == Some(&1) && groups.iter().any(|&count| count > 1)
}

/// Splits off the side to move. Where discs are 1 and 2, sides may be too.
fn side_behind(text: &str, has_two: bool) -> (Option<Side>, &str) {
    let blanks = |c: char| c.is_whitespace() || is_frame(c);
    let trimmed = text.trim_start_matches(blanks);
    for (name, side) in [('1', Side::Black), ('2', Side::White)] {
        if has_two && let Some(rest) = trimmed.strip_prefix(name) {
            return (Some(side), rest);
        }
    }
    match side::leading(text) {
        Some((side, rest)) => (Some(side), rest),
        None => (None, text),
    }
}

/// Expands a board of eight rows separated by `/` with counts of empty squares, as in FEN.
pub(crate) fn expand_counted_rows(text: &str) -> Option<String> {
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

/// The positions of two bitboards: one if the side to move is known, else both, the likelier first.
pub(crate) fn positions(black: u64, white: u64, side: Option<Side>) -> Vec<Position> {
    let of = |side| match side {
        Side::Black => Position::new(board_of(black, white), side),
        Side::White => Position::new(board_of(white, black), side),
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

/// A board of disjoint bitboards.
fn board_of(mover: u64, opponent: u64) -> Board {
    Board::new(mover, opponent).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_core::Game;

    fn tiger() -> Position {
        "f5d6c3d3c4".parse::<Game>().unwrap().position()
    }

    /// The board with other characters for empty, black and white.
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
                let parsed = parse_board(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(parsed.positions, [tiger()], "{text}");
                assert!(parsed.has_side && is_board(&text), "{text}");
            }
            let parsed = parse_board(&cells).unwrap();
            assert_eq!(parsed.positions, [tiger(), tiger().passed()]);
            assert!(!parsed.has_side);
        }
    }

    #[test]
    fn rows_may_have_their_empty_squares_counted() {
        let text = "8/8/2XO4/2XXX3/3OXX2/3O4/8/8 w";
        let parsed = expand_counted_rows(text).unwrap();
        assert_eq!(parse_board(&parsed).unwrap().positions, [tiger()]);
        for text in ["8/8 w", "f5/d6", "8/8/2XO4/2XXX3/3OXX2/3O4/8/7 w"] {
            assert_eq!(expand_counted_rows(text), None);
        }
    }

    #[test]
    fn invalid_boards_are_reported_with_their_place() {
        let cells = signs("-", "X", "O");
        assert_eq!(
            parse_board(&cells[1..]),
            Err(PositionError::Short { squares: 63 })
        );
        assert_eq!(
            parse_board(&format!("{} X;", &cells[2..])),
            Err(PositionError::Short { squares: 63 })
        );
        let missing = format!("{} X", &cells[1..]);
        assert_eq!(
            parse_board(&missing),
            Err(PositionError::Short { squares: 63 })
        );
        let bad = cells.replacen('-', "?", 1);
        assert_eq!(
            parse_board(&bad),
            Err(PositionError::Character { at: 1, found: '?' })
        );
        let long = format!("{cells}- X");
        assert_eq!(
            parse_board(&long),
            Err(PositionError::Character { at: 65, found: '-' })
        );
    }
}
