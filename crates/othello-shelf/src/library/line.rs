//! The positions of a game as the index keeps them: a number for each, equal for boards that are turned or mirrored.

use othello_core::{Board, Position, State};
use othello_record::OthelloRecord;

/// The positions that a game passes, by the number of discs on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Discs of the start position.
    first: u8,
    /// The key of the position with each number of discs, from the first on.
    keys: Box<[u32]>,
}

/// A position that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PositionKey {
    discs: u8,
    key: u32,
}

impl Line {
    /// The positions of the line that is played.
    pub(super) fn of(record: &OthelloRecord) -> Self {
        let first = record.start().board().discs() as u8;
        let mut keys = Vec::with_capacity(61);
        for id in record.main_line() {
            let wanted = PositionKey::of(record.node(id).position());
            // A pass places no disc.
            if usize::from(wanted.discs - first) == keys.len() {
                keys.push(wanted.key);
            }
        }
        Self {
            first,
            keys: keys.into(),
        }
    }

    /// Returns whether the game passes a position.
    pub(super) fn passes(&self, wanted: PositionKey) -> bool {
        let at = wanted.discs.checked_sub(self.first);
        at.and_then(|at| self.keys.get(usize::from(at))) == Some(&wanted.key)
    }
}

impl PositionKey {
    /// The key of a position, the same before and behind a forced pass.
    pub(super) fn of(position: Position) -> Self {
        let board = position.board();
        let key = match board.state() {
            State::Moves => number(board),
            State::Pass => number(board.passed()),
            // Either side may stand there.
            State::Over => number(board).min(number(board.passed())),
        };
        Self {
            discs: board.discs() as u8,
            key,
        }
    }
}

/// A number for a board and its images. Two boards of the same number of discs have the same one by chance only, once in 2^32.
fn number(board: Board) -> u32 {
    let board = board.canonical().board;
    let mut bits = board.mover() ^ board.opponent().rotate_left(32);
    // The finalizer of SplitMix64, twice.
    for add in [0x9e37_79b9_7f4a_7c15, board.opponent()] {
        bits = bits.wrapping_add(add);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
    }
    (bits >> 32) as u32
}

#[cfg(test)]
mod tests {
    use othello_core::{Game, Symmetry};

    use super::*;

    const MOVES: &str = "d3e3f4g5f5f6g6c3f7g7d2c4h6e6c5g4b3e2h5a3a2h4f3h7a4b2d1e8c1b5d6e1d7a1g8e7b1h3f2a5f1c6b4g3c7b7f8h8c8c2a6b6h2a8a7g1h1g2b8d8";

    #[test]
    fn a_game_passes_its_positions_in_every_orientation() {
        let game: Game = MOVES.parse().unwrap();
        let line = Line::of(&OthelloRecord::from(&game));
        assert_eq!(line.keys.len(), 61);
        let other = Line::of(&OthelloRecord::from(&"f5f6".parse::<Game>().unwrap()));
        let mut at = Game::default();
        for &mv in game.moves() {
            at.try_play(mv).unwrap();
            let position = at.position();
            for symmetry in Symmetry::ALL {
                let turned = Position::new(symmetry.board(position.board()), position.side());
                assert!(line.passes(PositionKey::of(turned)));
                let is_common = at.moves().len() <= 1;
                assert_eq!(other.passes(PositionKey::of(turned)), is_common);
            }
        }
    }
}
