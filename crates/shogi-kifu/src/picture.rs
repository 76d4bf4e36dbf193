//! Boards as pictures (SVG).

use std::fmt;

use report::{At, Picture, TextStyle};
use shogi_core::{Color, File, HandKind, Move, Piece, Position, Rank, Square};

use crate::words::{file_digit, to_kanji_number};

/// A board as an SVG picture: pieces with Japanese letters, hands, the squares of the last move, arrows for
/// moves, and lines of text below. Displaying it gives the whole file.
///
/// The picture needs nothing but a font with Japanese letters on the machine that shows it, and the same
/// board always gives the same bytes.
///
/// ```
/// use shogi_core::Position;
/// use shogi_kifu::BoardSvg;
///
/// let svg = BoardSvg::new(&Position::startpos()).to_string();
/// assert!(svg.starts_with("<svg xmlns") && svg.contains("玉"));
/// ```
#[derive(Clone, Debug)]
pub struct BoardSvg<'a> {
    position: &'a Position,
    last_move: Option<Move>,
    arrows: &'a [Move],
    captions: &'a [String],
    bottom: Color,
    labels: BoardLabels<'a>,
}

/// The words of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardLabels<'a> {
    /// Above black's hand.
    pub black: &'a str,
    /// Above white's hand.
    pub white: &'a str,
    /// In a hand without pieces.
    pub no_pieces: &'a str,
}

impl BoardLabels<'_> {
    /// In Japanese.
    pub const JAPANESE: Self = Self {
        black: "☗先手",
        white: "☖後手",
        no_pieces: "なし",
    };
    /// In English.
    pub const ENGLISH: Self = Self {
        black: "☗ Black",
        white: "☖ White",
        no_pieces: "none",
    };
}

/// Side of a square.
const CELL: f64 = 48.0;
const BOARD: f64 = 9.0 * CELL;
/// The upper left corner of the board.
const LEFT: f64 = 92.0;
const TOP: f64 = 36.0;
const WIDTH: f64 = LEFT + BOARD + 112.0;
/// Height of a piece in a hand and of a line below the board.
const LINE: f64 = 26.0;
/// Middle of the hands: white's and black's.
const HANDS: [f64; 2] = [LEFT + BOARD + 70.0, 46.0];
/// Colours of the arrows: of the first move, of the second.
const ARROWS: [&str; 2] = ["#c0392b", "#2c6fbb"];
/// Colour of text.
const INK: &str = "#222";
/// Colour of the lines of the board.
const LINES: &str = "#5b4423";

impl<'a> BoardSvg<'a> {
    /// The pieces of `position` and nothing else.
    pub const fn new(position: &'a Position) -> Self {
        Self {
            position,
            last_move: None,
            arrows: &[],
            captions: &[],
            bottom: Color::Black,
            labels: BoardLabels::JAPANESE,
        }
    }

    /// Shows the board as this player sees it; black unless it is set.
    #[must_use]
    pub const fn bottom(mut self, side: Color) -> Self {
        self.bottom = side;
        self
    }

    /// Sets the words; Japanese unless they are set.
    #[must_use]
    pub const fn labels(mut self, labels: BoardLabels<'a>) -> Self {
        self.labels = labels;
        self
    }

    /// Returns whether a player sits at the bottom.
    fn is_at_bottom(&self, color: Color) -> bool {
        color == self.bottom
    }

    /// The middle of a square.
    fn centre(&self, square: Square) -> At {
        centre(if self.is_at_bottom(Color::Black) {
            square
        } else {
            square.rotate()
        })
    }

    /// The place of a player's hand from left to right.
    const fn hand_x(&self, color: Color) -> f64 {
        HANDS[(color.index() + self.bottom.index()) % 2]
    }

    /// Marks the squares of the move that led to the position.
    #[must_use]
    pub const fn last_move(mut self, last_move: Option<Move>) -> Self {
        self.last_move = last_move;
        self
    }

    /// Draws an arrow for each of `moves`, from the square or hand it comes from: the first move in red, those after
    /// it in blue and thinner.
    #[must_use]
    pub const fn arrows(mut self, moves: &'a [Move]) -> Self {
        self.arrows = moves;
        self
    }

    /// Writes `lines` below the board.
    #[must_use]
    pub const fn captions(mut self, lines: &'a [String]) -> Self {
        self.captions = lines;
        self
    }

    /// Colours the squares of the last move.
    fn draw_last_move(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        let Some(m) = self.last_move else {
            return Ok(());
        };
        let squares = [(Some(m.to()), "#f5b942"), (m.from(), "#f7e3b0")];
        for (square, colour) in squares {
            if let Some(square) = square {
                let (x, y) = self.centre(square);
                picture.rect((x - CELL / 2.0, y - CELL / 2.0), (CELL, CELL), colour)?;
            }
        }
        Ok(())
    }

    fn draw_pieces(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        for square in Square::ALL {
            if let Some(piece) = self.position.piece_on(square) {
                let owner = self.is_at_bottom(piece.color());
                draw_piece(picture, self.centre(square), piece, owner)?;
            }
        }
        Ok(())
    }

    /// A player's hand beside the board: from the top down, and at the bottom.
    fn draw_hand(&self, picture: &mut Board<'_, '_>, color: Color) -> fmt::Result {
        let x = self.hand_x(color);
        let name = match color {
            Color::Black => self.labels.black,
            Color::White => self.labels.white,
        };
        let head = self.hand_head(color);
        picture.text((x, head), name, style(17.0, INK))?;
        if self.position.hand(color).is_empty() {
            return picture.text((x, head + LINE), self.labels.no_pieces, style(15.0, "#777"));
        }
        for (line, (kind, count)) in self.hand_lines(color).enumerate() {
            let y = head + LINE * (line + 1) as f64;
            let mut text = kind.piece_kind().to_kanji().to_string();
            if count > 1 {
                text.push_str(&to_kanji_number(count));
            }
            picture.text((x, y), text, style(21.0, INK))?;
        }
        Ok(())
    }

    /// The kinds in a hand, the strongest first, with their counts.
    fn hand_lines(&self, color: Color) -> impl Iterator<Item = (HandKind, u8)> {
        let hand = self.position.hand(color);
        let counted = HandKind::SFEN_ORDER.map(|kind| (kind, hand.count(kind)));
        counted.into_iter().filter(|&(_, count)| count > 0)
    }

    /// The place of the name above a hand.
    fn hand_head(&self, color: Color) -> f64 {
        if !self.is_at_bottom(color) {
            return TOP + 18.0;
        }
        let lines = self.hand_lines(color).count().max(1);
        TOP + BOARD - 8.0 - LINE * lines as f64
    }

    /// The origin of a move: the middle of its square, or of the piece in the hand.
    fn origin(&self, m: Move) -> At {
        if let Some(from) = m.from() {
            return self.centre(from);
        }
        let color = m.color();
        let mut lines = self.hand_lines(color);
        let line = lines.position(|(kind, _)| m.dropped() == Some(kind));
        let below = line.map_or(0.0, |line| LINE * (line + 1) as f64);
        (self.hand_x(color), self.hand_head(color) + below - 7.0)
    }

    /// The lines of the board, its star points, and the numbers of files and ranks.
    fn draw_grid(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        picture.grid((LEFT, TOP), 9, CELL, LINES)?;
        for (x, y) in [(3.0, 3.0), (6.0, 3.0), (3.0, 6.0), (6.0, 6.0)] {
            picture.circle((LEFT + CELL * x, TOP + CELL * y), 3.0, LINES, None)?;
        }
        for file in File::ALL {
            let (x, _) = self.centre(Square::new(file, Rank::ALL[0]));
            picture.text((x, TOP - 8.0), file_digit(file), style(16.0, INK))?;
        }
        for rank in Rank::ALL {
            let (_, y) = self.centre(Square::new(File::ALL[0], rank));
            let number = to_kanji_number(rank.index() as u8 + 1);
            picture.text((LEFT + BOARD + 15.0, y + 6.0), number, style(16.0, INK))?;
        }
        Ok(())
    }

    fn draw_arrows(&self, picture: &mut Board<'_, '_>) -> fmt::Result {
        // The first move on top of the others.
        for (index, &m) in self.arrows.iter().enumerate().rev() {
            let colour = ARROWS[index.min(1)];
            let half = if index == 0 { 4.5 } else { 3.0 };
            picture.arrow(self.origin(m), self.centre(m.to()), half, colour)?;
        }
        Ok(())
    }
}

impl fmt::Display for BoardSvg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = TOP + BOARD + 10.0;
        let height = below + LINE * self.captions.len() as f64 + 8.0;
        let attributes = format_args!("font-family=\"serif\" lang=\"ja\"");
        let mut picture = Picture::begin(f, (WIDTH, height), attributes)?;
        picture.title(self.position.to_sfen())?;
        picture.background("#fffdf8")?;
        picture.rect((LEFT, TOP), (BOARD, BOARD), "#f3cf8d")?;
        self.draw_last_move(&mut picture)?;
        self.draw_grid(&mut picture)?;
        self.draw_hand(&mut picture, Color::White)?;
        self.draw_hand(&mut picture, Color::Black)?;
        self.draw_pieces(&mut picture)?;
        self.draw_arrows(&mut picture)?;
        for (line, caption) in self.captions.iter().enumerate() {
            let y = below + LINE * line as f64 + 18.0;
            picture.text((WIDTH / 2.0, y), caption, style(16.0, INK))?;
        }
        picture.end()
    }
}

type Board<'a, 'b> = Picture<'a, fmt::Formatter<'b>>;

/// Text around its place.
const fn style(size: f64, fill: &'static str) -> TextStyle<'static> {
    TextStyle {
        size: Some(size),
        anchor: Some("middle"),
        fill: Some(fill),
    }
}

/// The middle of a square.
fn centre(square: Square) -> At {
    let (file, rank) = (square.file().index() as f64, square.rank().index() as f64);
    (
        LEFT + BOARD - CELL * (file + 0.5),
        TOP + CELL * (rank + 0.5),
    )
}

/// A piece in the shape of one, its letter red when it is promoted; that of the player at the top is upside down.
fn draw_piece(
    picture: &mut Board<'_, '_>,
    (x, y): At,
    piece: Piece,
    is_at_bottom: bool,
) -> fmt::Result {
    let turn = if is_at_bottom { "" } else { " rotate(180)" };
    let ink = if piece.kind().is_promoted() {
        "#b3261e"
    } else {
        "#1c1407"
    };
    picture.shape(format_args!(
        "<g transform=\"translate({x} {y}){turn}\"><path d=\"M0 -20L12 -15L17 18L-17 18L-12 -15Z\" \
         fill=\"#ffe9bd\" stroke=\"#7a5a25\"/>\
         <text y=\"10\" font-size=\"25\" text-anchor=\"middle\" fill=\"{ink}\">{}</text></g>",
        piece.kind().to_kanji()
    ))
}

#[cfg(test)]
mod tests {
    use shogi_core::Game;

    use super::*;

    /// Letters of `text` elements, in order.
    fn texts(svg: &str) -> Vec<&str> {
        svg.split("<text ")
            .skip(1)
            .map(|rest| {
                let (_, text) = rest.split_once('>').unwrap();
                text.split_once('<').unwrap().0
            })
            .collect()
    }

    #[test]
    fn every_piece_is_drawn_for_its_owner() {
        let position = Position::startpos();
        let svg = BoardSvg::new(&position).to_string();
        assert_eq!(svg.matches("rotate(180)").count(), 20);
        assert_eq!(svg.matches("M0 -20").count(), 40);
        assert_eq!(svg.matches(">歩<").count(), 18);
        assert!(!svg.contains("polygon") && !svg.contains("#f5b942"));
        assert_eq!(svg.matches(">なし<").count(), 2);
        assert!(svg.contains("<title>lnsgkgsnl/1r5b1/"));
    }

    #[test]
    fn hands_are_counted_in_japanese() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R2G18P2b2g4s4n4l 1").unwrap();
        let svg = BoardSvg::new(&position).to_string();
        let texts = texts(&svg);
        for text in ["飛", "金二", "歩十八", "角二", "銀四"] {
            assert!(texts.contains(&text), "{text} in {texts:?}");
        }
    }

    #[test]
    fn moves_are_marked() {
        let mut game = Game::new(Position::startpos());
        for usi in ["7g7f", "3c3d", "8h2b+"] {
            game.play_unchecked(game.position().move_from_usi(usi).unwrap());
        }
        let arrows = [game.position().move_from_usi("3a2b").unwrap()];
        let captions = ["a < b".to_owned()];
        let svg = BoardSvg::new(game.position())
            .last_move(game.last_move())
            .arrows(&arrows)
            .captions(&captions)
            .to_string();
        assert!(svg.contains("fill=\"#b3261e\">馬<"));
        assert_eq!(svg.matches("<polygon").count(), 1);
        // 2b and 8h.
        assert!(
            svg.contains("<rect x=\"428\" y=\"84\"") && svg.contains("<rect x=\"140\" y=\"372\"")
        );
        assert_eq!(texts(&svg).last(), Some(&"a &lt; b"));
    }

    #[test]
    fn the_board_turns_with_the_player() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K3P b G 1").unwrap();
        let picture = BoardSvg::new(&position)
            .bottom(Color::White)
            .labels(BoardLabels::ENGLISH);
        let svg = picture.to_string();
        assert_eq!(svg.matches("rotate(180)").count(), 2);
        let texts = texts(&svg);
        assert!(texts.contains(&"☗ Black") && texts.contains(&"none"));
        let corner = BoardSvg::new(&position).centre(Square::new(File::ALL[0], Rank::ALL[8]));
        let turned = picture.centre(Square::new(File::ALL[8], Rank::ALL[0]));
        assert_eq!(corner, turned);
        let drop = position.move_from_usi("G*5e").unwrap();
        assert!(picture.origin(drop).1 < BoardSvg::new(&position).origin(drop).1);
    }

    #[test]
    fn drops_come_from_the_hand() {
        let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b RG 1").unwrap();
        let drop = |usi| position.move_from_usi(usi).unwrap();
        let svg = BoardSvg::new(&position);
        let (rook, gold) = (svg.origin(drop("R*5b")), svg.origin(drop("G*5b")));
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(rook.0, HANDS[0]) && near(gold.0, HANDS[0]));
        assert!(near(gold.1 - rook.1, LINE));
    }
}
