//! The principal variation: collected from the leaves up, and as it is reported, with moves of the table behind its end.

use shogi_core::{Game, Move, Position, Repetition};
use shogi_eval::Evaluator;

use crate::MAX_PLY;
use crate::worker::Worker;

const ROWS: usize = MAX_PLY as usize + 2;

/// A triangular table: row `ply` holds the best line found from that ply on.
#[derive(Debug)]
pub(crate) struct PvTable {
    moves: Box<[Option<Move>]>,
    lengths: Box<[usize]>,
}

impl PvTable {
    pub(crate) fn new() -> Self {
        Self {
            moves: vec![None; ROWS * ROWS].into(),
            lengths: vec![0; ROWS].into(),
        }
    }

    /// No line from `ply` is known.
    #[inline]
    pub(crate) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// The best line from `ply` is `m` followed by that from the next ply.
    pub(crate) fn set(&mut self, ply: usize, m: Move) {
        let length = self.lengths[ply + 1];
        let (upper, lower) = self.moves.split_at_mut((ply + 1) * ROWS);
        let row = &mut upper[ply * ROWS..];
        row[0] = Some(m);
        row[1..=length].copy_from_slice(&lower[..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line from `ply`.
    pub(crate) fn line(&self, ply: usize) -> impl Iterator<Item = Move> {
        self.moves[ply * ROWS..][..self.lengths[ply]]
            .iter()
            .copied()
            .flatten()
    }
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The line to report for `pv`, which starts at the root: with `extend_lines` it goes on with moves
    /// of the transposition table.
    pub(crate) fn reported_line(&self, pv: &[Move]) -> Vec<Move> {
        if !self.options.extend_lines {
            return pv.to_vec();
        }
        extended(&self.game, pv, |position| {
            let m = position.move_from_16(self.tt.probe(position.key())?.code)?;
            position.is_legal(m).then_some(m)
        })
    }

    /// Adds the reply that the table knows to a line of one move, so that there is one to ponder on.
    pub(crate) fn add_reply(&mut self, line: &mut Vec<Move>) {
        if let [m] = line[..] {
            self.game.play(m);
            let entry = self.tt.probe(self.game.position().key());
            line.extend(self.tt_move(entry.as_ref()));
            self.game.undo();
        }
    }
}

/// `pv` from the current position of `game` on, followed by the moves that `next` knows, as far as
/// nothing repeats.
fn extended(game: &Game, pv: &[Move], next: impl Fn(&Position) -> Option<Move>) -> Vec<Move> {
    let mut game = game.clone();
    let mut line = Vec::new();
    while line.len() < MAX_PLY as usize {
        if game.repetition_in_search(line.len() as u32) != Repetition::None && !line.is_empty() {
            break;
        }
        let known = pv.get(line.len()).copied();
        let Some(m) = known.or_else(|| next(game.position())) else {
            break;
        };
        game.play(m);
        line.push(m);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::{Piece, Square};

    #[test]
    fn lines_are_joined() {
        let a = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let b = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let mut table = PvTable::new();
        table.clear(2);
        table.set(1, b);
        table.set(0, a);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [a, b]);
        table.clear(1);
        table.set(0, b);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [b]);
    }

    /// The first of `moves` that is legal.
    fn first_legal(position: &Position, moves: &[&str]) -> Option<Move> {
        let mut moves = moves.iter();
        moves.find_map(|text| position.move_from_usi(text).ok())
    }

    #[test]
    fn a_line_goes_on_until_it_repeats() {
        let game = Game::new(Position::startpos());
        let pv = [game.position().move_from_usi("2h3h").unwrap()];
        let shuffle = ["8b7b", "3h2h", "7b8b", "2h3h"];
        let line = extended(&game, &pv, |position| first_legal(position, &shuffle));
        let text: Vec<_> = line.iter().map(ToString::to_string).collect();
        // The position after the first move is there again; the root itself may come back once.
        assert_eq!(text, ["2h3h", "8b7b", "3h2h", "7b8b", "2h3h"]);
    }

    #[test]
    fn a_line_ends_where_nothing_is_known() {
        let game = Game::new(Position::startpos());
        let pv = [game.position().move_from_usi("7g7f").unwrap()];
        assert_eq!(extended(&game, &pv, |_| None), pv);
        let line = extended(&game, &pv, |position| {
            first_legal(position, &["3c3d", "2g2f"])
        });
        assert_eq!(line.len(), 3);
    }
}
