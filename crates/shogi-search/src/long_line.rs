//! Lines that go on beyond what the search followed.

use shogi_core::{Game, Move, Position, Repetition};
use shogi_eval::Evaluator;

use crate::MAX_PLY;
use crate::worker::Worker;

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
