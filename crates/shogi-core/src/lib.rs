//! The rules of shogi.
//!
//! # What is here
//!
//! * [`Position`]: board, hands, side to move; legal move generation ([`movegen`]), making and
//!   taking back moves, checks and pins, notation, keys.
//! * [`Game`]: a position with the moves that led to it: repetition.
//! * Moves are played in two ways: `try_…` ([`Position::try_do_move`], [`Game::try_play`]) checks that the move is legal, for
//!   whatever comes from outside; `…_unchecked` ([`Position::do_move_unchecked`], [`Game::play_unchecked`]) is for moves that
//!   are known to be, such as generated ones.
//! * Attack sets ([`attacks`]), 16-bit moves ([`Move16`], [`AperyMove16`]), [`perft()`].
//!
//! With the feature `serde` squares, colours, pieces, moves and positions are their texts in serialised data.
//!
//! # What is not
//!
//! Evaluation, search and files. Nothing here prints, reads a clock or allocates in a hot path.
//!
//! ```
//! use shogi_core::{Game, Position, movegen::Legal};
//!
//! let mut game = Game::new(Position::startpos());
//! game.play_unchecked(game.position().move_from_usi("7g7f")?);
//! assert_eq!(game.position().moves::<Legal>().len(), 30);
//! # Ok::<(), shogi_core::MoveError>(())
//! ```

#![deny(unsafe_code)]

#[cfg(feature = "serde")]
mod as_text;
pub mod attacks;
mod bitboard;
mod color;
mod declaration;
mod game;
pub mod hand;
mod mate1;
mod move16;
pub mod movegen;
mod mv;
mod notation;
mod piece;
mod position;
mod see;
mod square;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use color::{ByColor, Color};
pub use declaration::{Declaration, EnteringKingRule};
pub use game::{Game, Repetition, RepetitionState};
pub use hand::Hand;
pub use move16::{AperyMove16, Move16, MoveText, Origin};
pub use movegen::{Leaves, perft, perft_divide};
pub use mv::Move;
pub use notation::{
    Correction, JapaneseMove, LenientPosition, MoveError, PositionLineError, SfenError, Shown,
    parse_diagram_line, parse_position_line,
};
pub use piece::{HandKind, MoveClass, Piece, PieceKind};
pub use position::{
    CheckSquares, Delta, Diagram, IllegalMove, PieceChange, Position, PositionParts, Setup,
    SetupError, Undo,
};
pub use square::{File, Rank, Square};
pub use zobrist::{KeyBuilder, PlayerKey};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
