//! Building positions from plain data, with all rules checked in one place; diagrams, which need not be legal; and
//! positions printed for people.

use std::fmt;

use thiserror::Error;

use super::{Position, Undo};
#[cfg(test)]
use crate::position::diagram::Diagram;
use crate::zobrist::BoardKey;
use crate::{
    Bitboard, ByColor, Color, File, Hand, HandKind, Move, MoveClass, Piece, PieceKind, Rank, Square,
};

/// A position as plain data, which may be nonsense; [`Position::from_setup`] checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Pieces by square index.
    pub board: [Option<Piece>; 81],
    /// Pieces in hand.
    pub hands: ByColor<Hand>,
    /// Player to move.
    pub side: Color,
    /// Number of the move to be played.
    pub ply: u32,
}

impl Default for Setup {
    /// An empty board, black to move, move 1.
    fn default() -> Self {
        Self {
            board: [None; 81],
            hands: ByColor::default(),
            side: Color::Black,
            ply: 1,
        }
    }
}

/// Reason why a [`Setup`] is not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A player has two kings or more.
    #[error("{} has more than one king", color_name(*.0))]
    TooManyKings(Color),
    /// Board and hands hold more pieces of a kind than a set has.
    #[error("{found} pieces of kind {} (a set has {})", .kind.to_sfen(), .kind.set_count())]
    TooManyPieces {
        /// The unpromoted kind.
        kind: PieceKind,
        /// Their number, promoted ones included.
        found: u8,
    },
    /// The player who is not to move is in check: the king could be captured.
    #[error("{} is in check but it is the other side's turn", color_name(*.0))]
    OpponentInCheck(Color),
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

impl Position {
    /// Checks `setup` and makes a position of it.
    ///
    /// Pieces on squares from which they can never move and two unpromoted pawns on a file are
    /// accepted: problems and test sets contain them, and the rules are well defined for them.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn from_setup(setup: &Setup) -> Result<Self, SetupError> {
        let position = Self::place(setup)?;
        let them = setup.side.flip();
        match position.kings[them] {
            Some(king) if position.is_attacked_by(setup.side, king) => {
                Err(SetupError::OpponentInCheck(them))
            }
            _ => Ok(position),
        }
    }

    /// As [`Self::from_setup`], but whoever is not to move may be in check.
    pub(super) fn place(setup: &Setup) -> Result<Self, SetupError> {
        let mut position = Self {
            classes: [Bitboard::EMPTY; MoveClass::COUNT],
            colors: ByColor([Bitboard::EMPTY; 2]),
            checkers: Bitboard::EMPTY,
            blockers: Bitboard::EMPTY,
            board_key: BoardKey::of_side(setup.side),
            hands: setup.hands,
            kings: ByColor([None; 2]),
            side: setup.side,
            ply: setup.ply,
            board: setup.board,
        };
        let mut counts = [0u8; 15];
        let mut too_many_kings = None;
        occupied(&setup.board).for_each(|square| {
            let Some(piece) = setup.board[square.index()] else {
                return;
            };
            counts[piece.kind().unpromote() as usize] += 1;
            position.classes[piece.kind().move_class() as usize] |= square.into();
            position.colors[piece.color()] |= square.into();
            position.board_key ^= BoardKey::of_piece(piece, square);
            if piece.kind() == PieceKind::King
                && position.kings[piece.color()].replace(square).is_some()
            {
                too_many_kings.get_or_insert(piece.color());
            }
        });
        if let Some(color) = too_many_kings {
            return Err(SetupError::TooManyKings(color));
        }
        for kind in HandKind::ALL {
            let in_hands = setup
                .hands
                .0
                .iter()
                .map(|hand| hand.count(kind))
                .sum::<u8>();
            let found = counts[kind as usize] + in_hands;
            if found > kind.piece_kind().set_count() {
                return Err(SetupError::TooManyPieces {
                    kind: kind.piece_kind(),
                    found,
                });
            }
        }
        position.refresh_checks();
        Ok(position)
    }
}

/// The facts about a position that [`Position::from_setup`] would accept.
pub struct PositionParts {
    /// The content of all squares.
    pub board: [Option<Piece>; 81],
    /// The pieces of both players by the way they move.
    pub classes: [Bitboard; MoveClass::COUNT],
    /// The pieces of each player.
    pub colors: ByColor<Bitboard>,
    /// The kings' squares.
    pub kings: ByColor<Option<Square>>,
    /// Pieces in hand.
    pub hands: ByColor<Hand>,
    /// The side to move.
    pub side: Color,
    /// The move number.
    pub ply: u32,
}

impl Position {
    /// The position of `parts`, of which nothing is checked: the caller must have verified that [`Position::from_setup`] would
    /// accept it, and that the sets are those of the board.
    pub fn from_parts_unchecked(parts: &PositionParts) -> Self {
        let mut board_key = BoardKey::of_side(parts.side);
        (parts.colors.0[0] | parts.colors.0[1]).for_each(|square| {
            if let Some(piece) = parts.board[square.index()] {
                board_key ^= BoardKey::of_piece(piece, square);
            }
        });
        let mut position = Self {
            classes: parts.classes,
            colors: parts.colors,
            checkers: Bitboard::EMPTY,
            blockers: Bitboard::EMPTY,
            board_key,
            hands: parts.hands,
            kings: parts.kings,
            side: parts.side,
            ply: parts.ply,
            board: parts.board,
        };
        position.refresh_checks();
        position
    }
}

/// The squares with a piece. No branch for each of them: which are occupied, no processor foresees.
#[inline(always)]
fn occupied(board: &[Option<Piece>; 81]) -> Bitboard {
    // The first word of a bitboard has 63 squares.
    let (low, high) = board.split_at(63);
    let word = |squares: &[Option<Piece>]| {
        let bits = squares.iter().enumerate();
        bits.fold(0, |word, (bit, piece)| {
            word | u64::from(piece.is_some()) << bit
        })
    };
    Bitboard::from_clean_words([word(low), word(high)])
}

impl Position {
    /// As [`Self::do_move_unchecked`], for pieces of a `Diagram`: checks that stood before the move are seen afterwards.
    /// Taken back by [`Self::undo_move`].
    ///
    /// # Panics
    /// May panic on a move that captures a king.
    pub fn do_move_from_diagram_unchecked(&mut self, m: Move) -> Undo {
        let undo = self.do_move_unchecked(m);
        self.refresh_checks();
        undo
    }
}

// Positions for people.

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

#[cfg(test)]
mod tests {
    use crate::MoveText;

    use super::*;

    #[test]
    fn a_check_that_stands_is_seen_after_a_move() {
        // The silver gives check already; black moves.
        let diagram = Diagram::from_sfen("9/7k1/7S1/9/9/9/9/9/9 b GP 1").unwrap();
        assert_eq!(diagram.position(), None);
        let play = |text| diagram.play(MoveText::from_usi(text).unwrap());
        let (_, after) = play("G*2a").unwrap();
        assert_eq!(after.checkers().len(), 2);
        assert_eq!(Position::from_sfen(&after.to_sfen()), Ok(after));
        // Neither the king nor its own square can be taken.
        assert_eq!(play("2c2b"), None);
        assert!(play("2c3b").is_some_and(|(_, after)| !after.in_check()));
        let quiet = Diagram::from_sfen("9/7k1/9/7S1/9/9/9/9/9 b G 1").unwrap();
        assert_eq!(quiet.position(), Some(quiet.pieces()));
    }

    #[test]
    fn a_dropped_pawn_mates_by_no_means() {
        // The gold can take the pawn, which does not help against the knight.
        let pawn = MoveText::from_usi("P*1b").unwrap();
        let checked = Diagram::from_sfen("7gk/6R2/7N1/9/9/9/9/9/9 b P 1").unwrap();
        assert_eq!((checked.position(), checked.play(pawn)), (None, None));
        let quiet = Diagram::from_sfen("7gk/6R2/9/9/9/9/9/9/9 b P 1").unwrap();
        assert!(quiet.play(pawn).is_some());
    }
}
