//! What a listing shows: a position, or a game.

use std::fmt;

use shogi_core::Position;

use crate::pack::Ply;
use crate::{Hcpe3Game, Sample, pack};

// Items of a listing and their text form.

/// A position or a game with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A record.
    Position {
        /// Number in the file, from 1.
        number: u64,
        /// Offset of its first byte.
        offset: u64,
        /// The contents of the record.
        sample: Sample,
    },
    /// A game.
    Game {
        /// Number in the file, from 1.
        number: u64,
        /// Offset of its first byte.
        offset: u64,
        /// The game.
        game: Game,
    },
}

/// A game of either format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Game {
    /// Of a pack file.
    Pack(pack::Game),
    /// Of an hcpe3 file.
    Hcpe3(Hcpe3Game),
}

impl Game {
    /// The position it starts from.
    pub const fn start(&self) -> &Position {
        match self {
            Self::Pack(game) => game.start(),
            Self::Hcpe3(game) => game.start(),
        }
    }

    /// Returns the moves and scores of the game.
    pub fn plies(&self) -> &[Ply] {
        match self {
            Self::Pack(game) => game.plies(),
            Self::Hcpe3(game) => game.plies(),
        }
    }

    /// The position after its last move.
    pub(super) fn end(&self) -> Position {
        let mut position = self.start().clone();
        for ply in self.plies() {
            let _ = position.do_move_unchecked(ply.mv);
        }
        position
    }

    /// Returns the ending as text, such as `result black, reason resign`.
    pub(super) fn ending(&self) -> String {
        let (result, reason) = match self {
            Self::Pack(game) => (game.result(), game.reason().to_string()),
            Self::Hcpe3(game) => (game.ending().result, game.ending().flags.to_string()),
        };
        let contradicts = matches!(self, Self::Pack(game) if game.contradicts_itself());
        let remark = if contradicts {
            " (a contradiction)"
        } else {
            ""
        };
        format!("result {}, reason {reason}{remark}", result.name())
    }
}

impl fmt::Display for Item {
    /// A position is a line (number, move, score of the player to move, result, ply, SFEN), so that
    /// lists can be sorted and searched:
    ///
    /// ```text
    ///       1  7g7f      100  black  ply   1  lnsgkgsnl/… b - 1
    /// ```
    ///
    /// A game is four:
    ///
    /// ```text
    /// game 1 (byte 0): 2 plies, result black, reason resign
    ///   start  lnsgkgsnl/… b - 1
    ///   moves  7g7f 3c3d
    ///   scores 100 -100
    /// ```
    ///
    /// `{:#}` adds the board, or those of the start and the end of the game, and an empty line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position { number, sample, .. } => {
                write_position(f, *number, sample)?;
                if f.alternate() {
                    writeln!(f, "\n{:#}", sample.position)?;
                }
            }
            Self::Game {
                number,
                offset,
                game,
            } => {
                write_game(f, *number, *offset, game)?;
                if f.alternate() {
                    writeln!(f, "\n{:#}\n{:#}", game.start(), game.end())?;
                }
            }
        }
        Ok(())
    }
}

pub(super) fn write_position(
    f: &mut fmt::Formatter<'_>,
    number: u64,
    sample: &Sample,
) -> fmt::Result {
    let ply = sample
        .ply
        .map_or_else(|| "–".to_owned(), |ply| ply.to_string());
    write!(
        f,
        "{number:>7}  {:<5} {:>7}  {:<5}  ply {ply:>3}  {}",
        sample.move_text(),
        sample.score.0,
        sample.result.name(),
        sample.position
    )
}

pub(super) fn write_game(
    f: &mut fmt::Formatter<'_>,
    number: u64,
    offset: u64,
    game: &Game,
) -> fmt::Result {
    let plies = game.plies();
    let (count, ending) = (plies.len(), game.ending());
    writeln!(f, "game {number} (byte {offset}): {count} plies, {ending}")?;
    write!(f, "  start  {}\n  moves ", game.start())?;
    plies.iter().try_for_each(|ply| write!(f, " {}", ply.mv))?;
    write!(f, "\n  scores")?;
    plies.iter().try_for_each(|ply| write!(f, " {}", ply.score))
}
