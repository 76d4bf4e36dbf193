//! A board as a picture (SVG).

use std::fmt;
use std::fmt::Write as _;

use othello_core::{Game, Move, Position, Side, Square, State};
use othello_search::stable_squares;

/// Width of a square.
const CELL: u32 = 48;
/// Width of the border with letters and numbers.
const EDGE: u32 = 26;
/// Height of the line below the board.
const LINE: u32 = 30;

/// The marks on a picture of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureMarks {
    /// A red dot on the last move, small dots on legal moves.
    #[default]
    LastMove,
    /// The number of the move that placed each disc.
    Numbers,
    /// A yellow dot on discs that no move can flip.
    Stable,
}

/// The board after a game as an SVG picture; its text is the file.
///
/// ```
/// use othello_engine::{BoardPicture, PictureMarks};
///
/// let game = "f5d6c3".parse()?;
/// let svg = BoardPicture::new(&game, PictureMarks::Numbers).to_string();
/// assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
/// # Ok::<(), othello_core::TranscriptError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoardPicture<'a> {
    game: &'a Game,
    marks: PictureMarks,
    values: &'a [(Square, i32)],
}

impl<'a> BoardPicture<'a> {
    /// The picture of a game's last position.
    pub const fn new(game: &'a Game, marks: PictureMarks) -> Self {
        Self {
            game,
            marks,
            values: &[],
        }
    }

    /// Writes the values of moves, in discs, into their squares, those of the best ones on a bright ground, instead of
    /// dots on legal moves.
    #[must_use]
    pub const fn values(mut self, values: &'a [(Square, i32)]) -> Self {
        self.values = values;
        self
    }

    fn position(&self) -> Position {
        self.game.position()
    }

    /// The discs, and what is on them.
    fn discs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position();
        for square in Square::ALL {
            let [x, y] = center(square);
            let fill = if position.black() & square.bit() != 0 {
                "#111"
            } else if position.white() & square.bit() != 0 {
                "#fff"
            } else {
                continue;
            };
            let radius = CELL * 2 / 5;
            writeln!(
                f,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#111\"/>"
            )?;
        }
        self.write_values(f)?;
        match self.marks {
            PictureMarks::LastMove => self.last_move(f),
            PictureMarks::Numbers => self.numbers(f),
            PictureMarks::Stable => {
                let stable = stable_squares(position.board());
                stable
                    .iter()
                    .try_for_each(|square| dot(f, square, 6, "#e6c200"))
            }
        }
    }

    fn last_move(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.position().board();
        if board.state() == State::Moves && self.values.is_empty() {
            for square in board.legal_moves() {
                dot(f, square, 4, "#9fd8ef")?;
            }
        }
        let places = self.game.moves().iter().rev().find_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        });
        places.map_or(Ok(()), |square| dot(f, square, 5, "#d22"))
    }

    fn write_values(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.values.iter().map(|&(_, value)| value).max();
        for &(square, value) in self.values {
            let [x, y] = center(square);
            let y = y + 6;
            let fill = if Some(value) == best {
                dot(f, square, CELL * 2 / 5, "#ffd84d")?;
                "#111"
            } else {
                "#fff"
            };
            writeln!(
                f,
                "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\">{value:+}</text>"
            )?;
        }
        Ok(())
    }

    fn numbers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position();
        let placed = self.game.moves().iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        });
        for (n, square) in (1..).zip(placed) {
            let fill = if position.black() & square.bit() != 0 {
                "#fff"
            } else {
                "#111"
            };
            let [x, y] = center(square);
            let y = y + 6;
            writeln!(f, "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\">{n}</text>")?;
        }
        Ok(())
    }

    /// Who moves, and the discs of both.
    fn caption(&self) -> String {
        let position = self.position();
        let (black, white) = (position.black().count_ones(), position.white().count_ones());
        let mut text = match (position.board().is_over(), position.side()) {
            (true, _) => "Game over".to_owned(),
            (_, Side::Black) => "Black to move".to_owned(),
            (_, Side::White) => "White to move".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = write!(text, ", black {black}, white {white}");
        text
    }
}

/// The middle of a square.
fn center(square: Square) -> [u32; 2] {
    [square.file(), square.rank()].map(|n| EDGE + u32::from(n) * CELL + CELL / 2)
}

fn dot(f: &mut fmt::Formatter<'_>, square: Square, radius: u32, fill: &str) -> fmt::Result {
    let [x, y] = center(square);
    writeln!(
        f,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>"
    )
}

impl fmt::Display for BoardPicture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = 8 * CELL;
        let (width, height) = (board + 2 * EDGE, board + 2 * EDGE + LINE);
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"17\" text-anchor=\"middle\">"
        )?;
        writeln!(
            f,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
             <rect x=\"{EDGE}\" y=\"{EDGE}\" width=\"{board}\" height=\"{board}\" fill=\"#2f8f4e\"/>"
        )?;
        for n in 0..=8u32 {
            let at = EDGE + n * CELL;
            let end = EDGE + board;
            writeln!(
                f,
                "<path d=\"M{at} {EDGE}V{end}M{EDGE} {at}H{end}\" stroke=\"#143d22\"/>"
            )?;
        }
        for (letter, number) in ('a'..='h').zip(1..=8u32) {
            let along = EDGE + (number - 1) * CELL + CELL / 2;
            let (y, other_y) = (EDGE - 8, EDGE + board + 18);
            let (x, other_x) = (EDGE / 2, EDGE + board + EDGE / 2);
            let middle = along + 6;
            writeln!(
                f,
                "<text x=\"{along}\" y=\"{y}\">{letter}</text><text x=\"{along}\" y=\"{other_y}\">{letter}</text>"
            )?;
            writeln!(
                f,
                "<text x=\"{x}\" y=\"{middle}\">{number}</text><text x=\"{other_x}\" y=\"{middle}\">{number}</text>"
            )?;
        }
        for at in [[2, 2], [6, 2], [2, 6], [6, 6]] {
            let [x, y] = at.map(|n| EDGE + n * CELL);
            writeln!(
                f,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"#143d22\"/>"
            )?;
        }
        self.discs(f)?;
        let (x, y) = (width / 2, height - 12);
        writeln!(
            f,
            "<text x=\"{x}\" y=\"{y}\">{}</text>\n</svg>",
            self.caption()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(moves: &str, marks: PictureMarks) -> String {
        let game: Game = moves.parse().unwrap();
        BoardPicture::new(&game, marks).to_string()
    }

    #[test]
    fn discs_and_marks_are_where_they_belong() {
        let text = svg("f5d6c3", PictureMarks::LastMove);
        // Seven discs, four legal moves, the last move.
        assert_eq!(text.matches("stroke=\"#111\"").count(), 7);
        assert_eq!(text.matches("#9fd8ef").count(), 4);
        // c3 is the third file and rank.
        let at = EDGE + 2 * CELL + CELL / 2;
        assert!(text.contains(&format!("cx=\"{at}\" cy=\"{at}\" r=\"5\" fill=\"#d22\"")));
        assert!(text.contains("White to move, black 5, white 2"));
        let text = svg("f5d6c3", PictureMarks::Numbers);
        assert_eq!(text.matches(">3</text>").count(), 3);
        assert!(!text.contains("#d22"));
        let game: Game = "f5d6c3".parse().unwrap();
        let values =
            [("d3", 1), ("c4", -2)].map(|(square, value)| (square.parse().unwrap(), value));
        let text = BoardPicture::new(&game, PictureMarks::LastMove)
            .values(&values)
            .to_string();
        assert!(text.contains(">+1</text>") && text.contains(">-2</text>"));
        assert_eq!(text.matches("#ffd84d").count(), 1);
        assert_eq!(text.matches("#9fd8ef").count(), 0);
        // Every tag is closed.
        assert_eq!(
            text.matches("<text").count(),
            text.matches("</text>").count()
        );
        assert_eq!(svg("", PictureMarks::Stable).matches("#e6c200").count(), 0);
    }
}
