//! A board as a picture (SVG).

use std::fmt;
use std::fmt::Write as _;

use othello_core::{Game, Move, Position, Side, Square, State};
use othello_search::stable_squares;
use report::{At, Picture, TextStyle};

/// Width of a square.
const CELL: f64 = 48.0;
const BOARD: f64 = 8.0 * CELL;
/// Width of the border with letters and numbers.
const EDGE: f64 = 26.0;
/// Height of the line below the board.
const LINE: f64 = 30.0;
/// Radius of a disc.
const DISC: f64 = 19.0;
/// From the middle of a square to the foot of text in it.
const FOOT: f64 = 6.0;
/// Colour of lines.
const LINES: &str = "#143d22";

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
    fn discs(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        let position = self.position();
        for square in Square::ALL {
            let fill = if position.black() & square.bit() != 0 {
                "#111"
            } else if position.white() & square.bit() != 0 {
                "#fff"
            } else {
                continue;
            };
            picture.circle(center(square), DISC, fill, Some("#111"))?;
        }
        self.write_values(picture)?;
        match self.marks {
            PictureMarks::LastMove => self.last_move(picture),
            PictureMarks::Numbers => self.numbers(picture),
            PictureMarks::Stable => stable_squares(position.board())
                .iter()
                .try_for_each(|square| dot(picture, square, 6.0, "#e6c200")),
        }
    }

    fn last_move(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        let board = self.position().board();
        if board.state() == State::Moves && self.values.is_empty() {
            for square in board.legal_moves() {
                dot(picture, square, 4.0, "#9fd8ef")?;
            }
        }
        let places = self.game.moves().iter().rev().find_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        });
        places.map_or(Ok(()), |square| dot(picture, square, 5.0, "#d22"))
    }

    fn write_values(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        let best = self.values.iter().map(|&(_, value)| value).max();
        for &(square, value) in self.values {
            let fill = if Some(value) == best {
                dot(picture, square, DISC, "#ffd84d")?;
                "#111"
            } else {
                "#fff"
            };
            write_in(picture, square, format_args!("{value:+}"), fill)?;
        }
        Ok(())
    }

    fn numbers(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
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
            write_in(picture, square, format_args!("{n}"), fill)?;
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

type Board<'a, 'b> = Picture<'a, fmt::Formatter<'b>>;

/// The middle of a square.
fn center(square: Square) -> At {
    let along = |n: u8| EDGE + f64::from(n) * CELL + CELL / 2.0;
    (along(square.file()), along(square.rank()))
}

fn dot(picture: &mut Board<'_, '_>, square: Square, radius: f64, fill: &str) -> fmt::Result {
    picture.circle(center(square), radius, fill, None)
}

/// Text in the middle of a square.
fn write_in(
    picture: &mut Board<'_, '_>,
    square: Square,
    text: fmt::Arguments<'_>,
    fill: &str,
) -> fmt::Result {
    let (x, y) = center(square);
    let style = TextStyle {
        fill: Some(fill),
        ..TextStyle::default()
    };
    picture.text((x, y + FOOT), text, style)
}

/// The letters of the files and the numbers of the ranks, on both sides.
fn write_border(picture: &mut Board<'_, '_>) -> fmt::Result {
    let plain = TextStyle::default();
    for (letter, number) in ('a'..='h').zip(1..=8u8) {
        let along = EDGE + f64::from(number - 1) * CELL + CELL / 2.0;
        for y in [EDGE - 8.0, EDGE + BOARD + 18.0] {
            picture.text((along, y), letter, plain)?;
        }
        for x in [EDGE / 2.0, EDGE + BOARD + EDGE / 2.0] {
            picture.text((x, along + FOOT), number, plain)?;
        }
    }
    Ok(())
}

impl fmt::Display for BoardPicture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (BOARD + 2.0 * EDGE, BOARD + 2.0 * EDGE + LINE);
        let attributes =
            format_args!("font-family=\"sans-serif\" font-size=\"17\" text-anchor=\"middle\"");
        let mut picture = Picture::begin(f, (width, height), attributes)?;
        picture.background("#fff")?;
        picture.rect((EDGE, EDGE), (BOARD, BOARD), "#2f8f4e")?;
        picture.grid((EDGE, EDGE), 8, CELL, LINES)?;
        write_border(&mut picture)?;
        for (x, y) in [(2.0, 2.0), (6.0, 2.0), (2.0, 6.0), (6.0, 6.0)] {
            picture.circle((EDGE + x * CELL, EDGE + y * CELL), 4.0, LINES, None)?;
        }
        self.discs(&mut picture)?;
        let below = (width / 2.0, height - 12.0);
        picture.text(below, self.caption(), TextStyle::default())?;
        picture.end()
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
        let at = EDGE + 2.5 * CELL;
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
