//! Moves as Japanese game records write them.

use std::fmt;

use crate::{Color, File, Move, Rank, Square};

/// A move in the notation of Japanese records: mark of the player, square, piece, and in brackets where the
/// piece comes from, as in the KIF format, so that no move needs 左, 右, 上 or 寄 to be told from others.
///
/// ```
/// use shogi_core::{JapaneseMove, Position};
/// let position = Position::startpos();
/// let m = position.move_from_usi("7g7f")?;
/// assert_eq!(JapaneseMove { m, last_to: None }.to_string(), "☗７六歩(77)");
/// # Ok::<(), shogi_core::MoveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JapaneseMove {
    /// The move.
    pub m: Move,
    /// The square that the move before went to: a move to the same square is written with 同.
    pub last_to: Option<Square>,
}

impl fmt::Display for JapaneseMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { m, last_to } = *self;
        f.write_str(player_mark(m.color()))?;
        if last_to == Some(m.to()) {
            f.write_str("同")?;
        } else {
            let to = m.to();
            write!(f, "{}{}", file_digit(to.file()), rank_kanji(to.rank()))?;
        }
        write!(f, "{}", m.piece_before().kind().to_kanji())?;
        if m.is_promotion() {
            f.write_str("成")?;
        }
        match m.from() {
            None => f.write_str("打"),
            Some(from) => {
                let (file, rank) = (from.file().index() + 1, from.rank().index() + 1);
                write!(f, "({file}{rank})")
            }
        }
    }
}

/// The mark of a player: ☗ for black (先手), ☖ for white (後手).
pub(crate) const fn player_mark(color: Color) -> &'static str {
    match color {
        Color::Black => "☗",
        Color::White => "☖",
    }
}

/// The number of a file as a full-width digit.
pub(crate) const fn file_digit(file: File) -> char {
    ['１', '２', '３', '４', '５', '６', '７', '８', '９'][file.index()]
}

/// The number of a rank in Japanese.
pub(crate) const fn rank_kanji(rank: Rank) -> char {
    ['一', '二', '三', '四', '五', '六', '七', '八', '九'][rank.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Position};

    fn line(start: &str, moves: &str) -> String {
        let mut game = Game::new(Position::from_sfen(start).unwrap());
        let mut text = String::new();
        for usi in moves.split(' ') {
            let m = game.position().move_from_usi(usi).unwrap();
            let last_to = game.last_move().map(Move::to);
            text.push_str(&JapaneseMove { m, last_to }.to_string());
            game.play(m);
        }
        text
    }

    #[test]
    fn moves_of_a_game() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(
            line(start, "7g7f 3c3d 8h2b+ 3a2b B*4e"),
            "☗７六歩(77)☖３四歩(33)☗２二角成(88)☖同銀(31)☗４五角打"
        );
    }

    #[test]
    fn promoted_pieces_keep_their_own_name() {
        assert_eq!(line("4k4/9/9/9/9/9/9/9/+R3K4 b - 1", "9i9a"), "☗９一龍(99)");
    }
}
