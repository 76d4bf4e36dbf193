//! Boards that are drawn: eight rows with their numbers, as programs show them to people.

use super::boards::{Cell, cell, discs, positions};
use super::sides;
use crate::{Position, Side};

/// How a board is drawn that [`Position::drawn`] gives: letters above and below, numbers at both ends of rows.
impl Position {
    /// The board as people look at it, in ten lines: `X` black, `O` white, `.` where the side to move can play, `-`
    /// other empty squares; then who moves. The reader of positions ([`read`](crate::reading::read)) reads it.
    ///
    /// ```
    /// use othello_core::Position;
    ///
    /// let drawn = Position::START.drawn();
    /// assert_eq!(drawn.lines().nth(3), Some("3 - - - . - - - - 3"));
    /// assert_eq!(drawn.lines().last(), Some("Black (X) to move"));
    /// ```
    pub fn drawn(self) -> String {
        let letters = "  a b c d e f g h\n";
        let mut text = letters.to_owned();
        let legal = self.board().legal_moves();
        for square in crate::Square::ALL {
            let (rank, bit) = (char::from(b'1' + square.rank()), square.bit());
            if square.file() == 0 {
                text.push(rank);
            }
            text.push(' ');
            text.push(if self.black() & bit != 0 {
                'X'
            } else if self.white() & bit != 0 {
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
        text.push_str(match self.side() {
            Side::Black => "Black (X) to move",
            Side::White => "White (O) to move",
        });
        text
    }
}

/// A drawing of a board in a folded text: its positions, the likelier first, and whether it says who moves. `None` if the
/// text does not have eight rows with the numbers 1 to 8, each once.
pub(crate) fn drawing(text: &str) -> Option<(Vec<Position>, bool)> {
    let mut cells = [Cell::Empty; 64];
    let mut seen = 0u8;
    let mut others = String::new();
    for line in text.lines() {
        match row(line) {
            // Another drawing begins.
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
    let side = sides::anywhere(&others).or_else(|| sides::alone(&others));
    Some((positions(black, white, side), side.is_some()))
}

/// The rank (from 0), the squares of a row that begins with its number, and what stands behind it.
fn row(line: &str) -> Option<(usize, [Cell; 8], &str)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '|');
    let number = line.chars().next()?.to_digit(10)?;
    let rank = usize::try_from(number).ok()?.checked_sub(1)?;
    let line = line.get(1..)?;
    if rank > 7 || !line.starts_with(|c: char| c.is_whitespace() || c == '|') {
        return None;
    }
    let mut row = [Cell::Empty; 8];
    // Squares in frames may be blank.
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

/// The sign of a number of a row, which may stand at its end too.
fn line_number(number: u32) -> char {
    char::from_digit(number, 10).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

    #[test]
    fn drawings_are_read_back() {
        let position = "f5d6c3d3c4".parse::<Game>().unwrap().position();
        for position in [Position::START, position, position.passed()] {
            assert_eq!(drawing(&position.drawn()), Some((vec![position], true)));
        }
    }

    #[test]
    fn drawings_of_other_programs_are_read() {
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
        assert_eq!(drawing(edax), Some((vec![Position::START], true)));
        let framed: String = (1..=8)
            .map(|n| match n {
                4 => "4 | | | |O|X| | | |\n".to_owned(),
                5 => "5 | | | |X|O| | | |\n".to_owned(),
                n => format!("{n} | | | | | | | | |\n"),
            })
            .collect();
        let framed = format!("{framed}White to play");
        assert_eq!(
            drawing(&framed),
            Some((vec![Position::START.passed()], true))
        );
        assert_eq!(drawing("1 - - - - - - - -\n"), None);
        assert_eq!(drawing("f5d6"), None);
    }
}
