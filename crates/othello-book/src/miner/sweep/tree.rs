//! How each position was first reached.

use othello_core::{Move, Square};

use crate::miner::moves::push;

/// The number of a pass among moves.
const PASS: u8 = 64;

/// Positions in the order in which they were reached, each with the one before it and the move between: five bytes a
/// position.
#[derive(Debug, Default)]
pub(super) struct Tree {
    parents: Vec<u32>,
    moves: Vec<u8>,
}

impl Tree {
    /// A tree of the start alone, which is number 0.
    pub(super) fn new() -> Self {
        Self {
            parents: vec![0],
            moves: vec![PASS],
        }
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Adds a position that a move of another leads to, and gives its number.
    pub(super) fn add(&mut self, parent: u32, mv: Move) -> u32 {
        self.parents.push(parent);
        self.moves.push(match mv {
            Move::Place(square) => square.number(),
            Move::Pass => PASS,
        });
        self.len() - 1
    }

    /// Appends the moves that lead to a position, and tells how many there are, passes counted.
    pub(super) fn line_to(&self, position: u32, text: &mut String) -> u32 {
        let mut moves = Vec::with_capacity(128);
        let mut at = position as usize;
        while at != 0 {
            moves.push(self.moves[at]);
            at = self.parents[at] as usize;
        }
        for &number in moves.iter().rev() {
            if let Some(square) = Square::new(number) {
                push(text, Move::Place(square));
            }
        }
        moves.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_from_the_start() {
        let mut tree = Tree::new();
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let first = tree.add(0, place("d3"));
        let second = tree.add(first, Move::Pass);
        tree.add(0, place("c4"));
        let third = tree.add(second, place("c5"));
        let mut text = "x".to_owned();
        // Squares are called as the classic programs do.
        assert_eq!(tree.line_to(third, &mut text), 3);
        assert_eq!((text.as_str(), tree.len()), ("xe6f4", 5));
        assert_eq!(tree.line_to(0, &mut text), 0);
    }
}
