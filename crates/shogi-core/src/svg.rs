//! Boards as pictures (SVG).

use std::fmt::{self, Write as _};

use crate::notation::{file_digit, player_mark, rank_kanji};
use crate::{Color, File, HandKind, Move, Piece, Position, Rank, Square};

/// A board as an SVG picture: pieces with Japanese letters, hands, the squares of the last move, arrows for
/// moves, and lines of text below. Displaying it gives the whole file.
///
/// The picture needs nothing but a font with Japanese letters on the machine that shows it, and the same
/// board always gives the same bytes.
///
/// ```
/// use shogi_core::{BoardSvg, Position};
/// let svg = BoardSvg::new(&Position::startpos()).to_string();
/// assert!(svg.starts_with("<svg xmlns") && svg.contains("玉"));
/// ```
#[derive(Clone, Debug)]
pub struct BoardSvg<'a> {
    position: &'a Position,
    last_move: Option<Move>,
    arrows: &'a [Move],
    captions: &'a [String],
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

impl<'a> BoardSvg<'a> {
    /// The pieces of `position` and nothing else.
    pub const fn new(position: &'a Position) -> Self {
        Self {
            position,
            last_move: None,
            arrows: &[],
            captions: &[],
        }
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
    fn write_last_move(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(m) = self.last_move else {
            return Ok(());
        };
        let squares = [(Some(m.to()), "#f5b942"), (m.from(), "#f7e3b0")];
        for (square, colour) in squares {
            if let Some(square) = square {
                let (x, y) = centre(square);
                let (x, y) = (x - CELL / 2.0, y - CELL / 2.0);
                writeln!(
                    f,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{colour}\"/>"
                )?;
            }
        }
        Ok(())
    }

    fn write_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::ALL {
            if let Some(piece) = self.position.piece_on(square) {
                let (x, y) = centre(square);
                write_piece(f, x, y, piece)?;
            }
        }
        Ok(())
    }

    /// A player's hand beside the board: white's from the top down, black's at the bottom.
    fn write_hand(&self, f: &mut fmt::Formatter<'_>, color: Color) -> fmt::Result {
        let x = HANDS[color.index()];
        let name = match color {
            Color::Black => "先手",
            Color::White => "後手",
        };
        let head = self.hand_head(color);
        let title = format!("{}{name}", player_mark(color));
        write_text(f, x, head, 17.0, "middle", "#222", &title)?;
        if self.position.hand(color).is_empty() {
            return write_text(f, x, head + LINE, 15.0, "middle", "#777", "なし");
        }
        for (line, (kind, count)) in self.hand_lines(color).enumerate() {
            let y = head + LINE * (line + 1) as f64;
            let mut text = kind.piece_kind().to_kanji().to_string();
            if count > 1 {
                text.push_str(&kanji_number(count));
            }
            write_text(f, x, y, 21.0, "middle", "#222", &text)?;
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
        match color {
            Color::White => TOP + 18.0,
            Color::Black => {
                let lines = self.hand_lines(color).count().max(1);
                TOP + BOARD - 8.0 - LINE * lines as f64
            }
        }
    }

    /// The origin of a move: the middle of its square, or of the piece in the hand.
    fn origin(&self, m: Move) -> (f64, f64) {
        if let Some(from) = m.from() {
            return centre(from);
        }
        let color = m.color();
        let mut lines = self.hand_lines(color);
        let line = lines.position(|(kind, _)| m.dropped() == Some(kind));
        let below = line.map_or(0.0, |line| LINE * (line + 1) as f64);
        (HANDS[color.index()], self.hand_head(color) + below - 7.0)
    }

    fn write_arrows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The first move on top of the others.
        for (index, &m) in self.arrows.iter().enumerate().rev() {
            let colour = ARROWS[index.min(1)];
            let half = if index == 0 { 4.5 } else { 3.0 };
            write_arrow(f, self.origin(m), centre(m.to()), half, colour)?;
        }
        Ok(())
    }
}

impl fmt::Display for BoardSvg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = TOP + BOARD + 10.0;
        let height = below + LINE * self.captions.len() as f64 + 8.0;
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" font-family=\"serif\" lang=\"ja\" role=\"img\">"
        )?;
        writeln!(f, "<title>{}</title>", self.position.to_sfen())?;
        writeln!(
            f,
            "<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fffdf8\"/>\n\
             <rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{BOARD}\" height=\"{BOARD}\" fill=\"#f3cf8d\"/>"
        )?;
        self.write_last_move(f)?;
        write_grid(f)?;
        self.write_hand(f, Color::White)?;
        self.write_hand(f, Color::Black)?;
        self.write_pieces(f)?;
        self.write_arrows(f)?;
        for (line, caption) in self.captions.iter().enumerate() {
            let y = below + LINE * line as f64 + 18.0;
            write_text(f, WIDTH / 2.0, y, 16.0, "middle", "#222", caption)?;
        }
        writeln!(f, "</svg>")
    }
}

/// The middle of a square.
fn centre(square: Square) -> (f64, f64) {
    let (file, rank) = (square.file().index() as f64, square.rank().index() as f64);
    (
        LEFT + BOARD - CELL * (file + 0.5),
        TOP + CELL * (rank + 0.5),
    )
}

/// The lines of the board, its star points, and the numbers of files and ranks.
fn write_grid(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut path = String::new();
    for line in 0..=9 {
        let (x, y) = (LEFT + CELL * f64::from(line), TOP + CELL * f64::from(line));
        write!(path, "M{x} {TOP}v{BOARD}M{LEFT} {y}h{BOARD}")?;
    }
    writeln!(f, "<path d=\"{path}\" stroke=\"#5b4423\" fill=\"none\"/>")?;
    for (x, y) in [(3.0, 3.0), (6.0, 3.0), (3.0, 6.0), (6.0, 6.0)] {
        let (x, y) = (LEFT + CELL * x, TOP + CELL * y);
        writeln!(
            f,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#5b4423\"/>"
        )?;
    }
    for file in File::ALL {
        let x = LEFT + BOARD - CELL * (file.index() as f64 + 0.5);
        let digit = file_digit(file).to_string();
        write_text(f, x, TOP - 8.0, 16.0, "middle", "#222", &digit)?;
    }
    for rank in Rank::ALL {
        let y = TOP + CELL * (rank.index() as f64 + 0.5) + 6.0;
        let number = rank_kanji(rank).to_string();
        write_text(f, LEFT + BOARD + 15.0, y, 16.0, "middle", "#222", &number)?;
    }
    Ok(())
}

/// A piece in the shape of one, its letter red when it is promoted; white's are upside down.
fn write_piece(f: &mut fmt::Formatter<'_>, x: f64, y: f64, piece: Piece) -> fmt::Result {
    let turn = match piece.color() {
        Color::Black => "",
        Color::White => " rotate(180)",
    };
    let ink = if piece.kind().is_promoted() {
        "#b3261e"
    } else {
        "#1c1407"
    };
    writeln!(
        f,
        "<g transform=\"translate({x} {y}){turn}\"><path d=\"M0 -20L12 -15L17 18L-17 18L-12 -15Z\" \
         fill=\"#ffe9bd\" stroke=\"#7a5a25\"/>\
         <text y=\"10\" font-size=\"25\" text-anchor=\"middle\" fill=\"{ink}\">{}</text></g>",
        piece.kind().to_kanji()
    )
}

/// An arrow between two points, `half` as wide as its shaft.
fn write_arrow(
    f: &mut fmt::Formatter<'_>,
    from: (f64, f64),
    to: (f64, f64),
    half: f64,
    colour: &str,
) -> fmt::Result {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    if length == 0.0 {
        return Ok(());
    }
    let (dx, dy) = (dx / length, dy / length);
    // A point `along` the arrow and `aside` of it.
    let at = |along: f64, aside: f64| {
        let (x, y) = (
            from.0 + dx * along - dy * aside,
            from.1 + dy * along + dx * aside,
        );
        format!("{x:.1},{y:.1}")
    };
    let (head, tip) = (length - 18.0, length - 4.0);
    let points = [
        at(6.0, half),
        at(head, half),
        at(head, half * 2.6),
        at(tip, 0.0),
        at(head, -half * 2.6),
        at(head, -half),
        at(6.0, -half),
    ];
    writeln!(
        f,
        "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.75\"/>",
        points.join(" ")
    )
}

/// A line of text.
fn write_text(
    f: &mut fmt::Formatter<'_>,
    x: f64,
    y: f64,
    size: f64,
    anchor: &str,
    ink: &str,
    text: &str,
) -> fmt::Result {
    write!(
        f,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{ink}\">"
    )?;
    for letter in text.chars() {
        match letter {
            '&' => f.write_str("&amp;")?,
            '<' => f.write_str("&lt;")?,
            '>' => f.write_str("&gt;")?,
            // XML has no place for these.
            letter if letter.is_control() => f.write_char('\u{fffd}')?,
            letter => f.write_char(letter)?,
        }
    }
    writeln!(f, "</text>")
}

/// A count of pieces as diagrams write it: 二, 十, 十八.
fn kanji_number(count: u8) -> String {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let tens = if count >= 10 { "十" } else { "" };
    format!("{tens}{}", DIGITS[usize::from(count % 10)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;

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
        assert_eq!(
            (kanji_number(10), kanji_number(18)),
            ("十".into(), "十八".into())
        );
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
