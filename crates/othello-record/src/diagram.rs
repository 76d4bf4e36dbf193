//! Board diagrams: eight numbered rows, as programs show boards to people.

use othello_core::{Game, Move, Position, Side, Square};

use crate::boards::{Cell, cell, discs, positions};
use crate::side;

/// The board as a diagram of nine lines with the number of the move that placed each disc: `X` and `O` for the discs of the start
/// position, `-` for empty squares. Passes have no number.
///
/// ```
/// use othello_record::diagram_of_moves;
///
/// let diagram = diagram_of_moves(&"f5d6c3".parse()?);
/// assert_eq!(diagram.lines().nth(5), Some("5   -  -  -  X  O  1  -  - 5"));
/// # Ok::<(), othello_core::TranscriptError>(())
/// ```
pub fn diagram_of_moves(game: &Game) -> String {
    let mut numbers = [0u32; 64];
    let places = game.moves().iter().filter_map(|mv| match mv {
        Move::Place(square) => Some(*square),
        Move::Pass => None,
    });
    for (square, number) in places.zip(1..) {
        numbers[square.index()] = number;
    }
    let start = game.start();
    let cell = |square: Square| match numbers[square.index()] {
        0 if start.black() & square.bit() != 0 => "X".to_owned(),
        0 if start.white() & square.bit() != 0 => "O".to_owned(),
        0 => "-".to_owned(),
        number => number.to_string(),
    };
    let mut text = "    a  b  c  d  e  f  g  h\n".to_owned();
    for rank in 0..8 {
        let name = char::from(b'1' + rank);
        text.extend([name, ' ']);
        for square in Square::ALL.iter().filter(|square| square.rank() == rank) {
            text.push_str(&format_cell(&cell(*square)));
        }
        text.extend([' ', name, '\n']);
    }
    text
}

/// A cell of three characters.
fn format_cell(text: &str) -> String {
    format!(" {text:>2}")
}

/// The board as a diagram of ten lines: `X` black, `O` white, `.` legal moves, `-` other empty squares; then the side to
/// move. [`parse`](crate::parse) reads it back.
///
/// ```
/// use othello_core::Position;
/// use othello_record::diagram;
///
/// let diagram = diagram(Position::START);
/// assert_eq!(diagram.lines().nth(3), Some("3 - - - . - - - - 3"));
/// assert_eq!(diagram.lines().last(), Some("Black (X) to move"));
/// ```
pub fn diagram(position: Position) -> String {
    let letters = "  a b c d e f g h\n";
    let mut text = letters.to_owned();
    let legal = position.board().legal_moves();
    for square in Square::ALL {
        let (rank, bit) = (char::from(b'1' + square.rank()), square.bit());
        if square.file() == 0 {
            text.push(rank);
        }
        text.push(' ');
        text.push(if position.black() & bit != 0 {
            'X'
        } else if position.white() & bit != 0 {
            'O'
        } else if legal.contains(square) {
            '.'
        } else {
            '-'
        });
        if square.file() == 7 {
            text.extend([' ', rank, '\n']);
        }
    }
    text.push_str(letters);
    text.push_str(match position.side() {
        Side::Black => "Black (X) to move",
        Side::White => "White (O) to move",
    });
    text
}

/// Parses a diagram in a folded text: its positions, the likelier first, and whether it has the side to move. `None`
/// unless the text has eight rows numbered 1 to 8, each once.
pub(crate) fn parse_diagram(text: &str) -> Option<(Vec<Position>, bool)> {
    let mut cells = [Cell::Empty; 64];
    let mut seen = 0u8;
    let mut others = String::new();
    for line in text.lines() {
        match row(line) {
            // Another diagram begins.
            Some((rank, ..)) if seen >> rank & 1 != 0 => return None,
            Some((rank, row, rest)) => {
                cells[rank * 8..][..8].copy_from_slice(&row);
                seen |= 1 << rank;
                others.push_str(rest);
            }
            None => others.push_str(line),
        }
        others.push('\n');
    }
    if seen != u8::MAX {
        return None;
    }
    let [black, white] = discs(&cells);
    let side = side::anywhere(&others).or_else(|| side::alone(&others));
    Some((positions(black, white, side), side.is_some()))
}

/// Parses a row that begins with its number: the rank from 0, the squares, the rest.
fn row(line: &str) -> Option<(usize, [Cell; 8], &str)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '|');
    let number = line.chars().next()?.to_digit(10)?;
    let rank = usize::try_from(number).ok()?.checked_sub(1)?;
    let line = line.get(1..)?;
    if rank > 7 || !line.starts_with(|c: char| c.is_whitespace() || c == '|') {
        return None;
    }
    let mut row = [Cell::Empty; 8];
    // Framed squares may be blank.
    let parts: Vec<&str> = line.split('|').collect();
    if parts.len() >= 9 {
        for (cell_of, part) in row.iter_mut().zip(&parts[1..]) {
            let mut signs = part.trim().chars();
            *cell_of = match (signs.next(), signs.next()) {
                (None, _) => Cell::Empty,
                (Some(c), None) => cell(c)?,
                _ => return None,
            };
        }
        return Some((rank, row, ""));
    }
    let mut count = 0;
    for (at, c) in line.char_indices() {
        match cell(c) {
            _ if count == 8 => {
                let rest = line[at..].trim_start();
                let rest = rest.strip_prefix(line_number(number)).unwrap_or(rest);
                return Some((rank, row, rest));
            }
            Some(cell) => {
                row[count] = cell;
                count += 1;
            }
            None if c.is_whitespace() || c == '|' => {}
            None => return None,
        }
    }
    (count == 8).then_some((rank, row, ""))
}

/// The digit of a row, which may be repeated at its end.
fn line_number(number: u32) -> char {
    char::from_digit(number, 10).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_core::Game;

    #[test]
    fn diagrams_are_read_back() {
        let position = "f5d6c3d3c4".parse::<Game>().unwrap().position();
        for position in [Position::START, position, position.passed()] {
            assert_eq!(
                parse_diagram(&diagram(position)),
                Some((vec![position], true))
            );
        }
    }

    #[test]
    fn diagrams_of_other_programs_are_read() {
        let edax = "\
  A B C D E F G H            BLACK            A  B  C  D  E  F  G  H
1 - - - - - - - - 1         edax 4.6
2 - - - - - - - - 2  time:   0:00.000
3 - - - . - - - - 3
4 - - . O * - - - 4  Ply: 1 (60 empties)
5 - - - * O . - - 5   * to move
6 - - - - . - - - 6
7 - - - - - - - - 7
8 - - - - - - - - 8
  A B C D E F G H";
        assert_eq!(parse_diagram(edax), Some((vec![Position::START], true)));
        let framed: String = (1..=8)
            .map(|n| match n {
                4 => "4 | | | |O|X| | | |\n".to_owned(),
                5 => "5 | | | |X|O| | | |\n".to_owned(),
                n => format!("{n} | | | | | | | | |\n"),
            })
            .collect();
        let framed = format!("{framed}White to play");
        assert_eq!(
            parse_diagram(&framed),
            Some((vec![Position::START.passed()], true))
        );
        assert_eq!(parse_diagram("1 - - - - - - - -\n"), None);
        assert_eq!(parse_diagram("f5d6"), None);
    }
}
