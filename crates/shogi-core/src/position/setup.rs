//! Building positions from plain data, with all rules checked in one place.

use thiserror::Error;

use super::Position;
use crate::zobrist::BoardKey;
use crate::{Bitboard, ByColor, Color, Hand, HandKind, MoveClass, Piece, PieceKind, Square};

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

/// Why a [`Setup`] is not a position.
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
        /// How many there are, promoted ones included.
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

/// What is known of a position that [`Position::from_setup`] would accept.
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
