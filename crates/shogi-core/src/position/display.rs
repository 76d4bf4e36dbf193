//! Positions for people.

use std::fmt;

use super::Position;
use crate::{Color, File, Rank, Square};

impl fmt::Display for Position {
    /// `{}` is the SFEN; `{:#}` a board with Japanese pieces as black sees it, hands and SFEN.
    /// White's pieces are marked with `v`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return f.write_str(&self.to_sfen());
        }
        write_hand(f, self, Color::White)?;
        writeln!(f, "  ９ ８ ７ ６ ５ ４ ３ ２ １")?;
        for (rank, name) in Rank::ALL.into_iter().zip("一二三四五六七八九".chars()) {
            write!(f, "|")?;
            for file in File::ALL.into_iter().rev() {
                match self.piece_on(Square::new(file, rank)) {
                    None => write!(f, " ・")?,
                    Some(piece) => {
                        let mark = if piece.color() == Color::White {
                            'v'
                        } else {
                            ' '
                        };
                        write!(f, "{mark}{}", piece.kind().to_kanji())?;
                    }
                }
            }
            writeln!(f, "|{name}")?;
        }
        write_hand(f, self, Color::Black)?;
        let side = match self.side {
            Color::Black => "先手番",
            Color::White => "後手番",
        };
        writeln!(f, "{side} {}手目", self.ply)?;
        write!(f, "sfen {}", self.to_sfen())
    }
}

fn write_hand(f: &mut fmt::Formatter<'_>, position: &Position, color: Color) -> fmt::Result {
    let owner = match color {
        Color::Black => "先手",
        Color::White => "後手",
    };
    write!(f, "{owner}の持駒:")?;
    let hand = position.hand(color);
    if hand.is_empty() {
        write!(f, " なし")?;
    }
    for kind in crate::HandKind::SFEN_ORDER {
        match hand.count(kind) {
            0 => {}
            1 => write!(f, " {}", kind.piece_kind().to_kanji())?,
            count => write!(f, " {}{count}", kind.piece_kind().to_kanji())?,
        }
    }
    writeln!(f)
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.to_sfen())
    }
}
