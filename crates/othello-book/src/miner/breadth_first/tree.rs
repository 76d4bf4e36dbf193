//! The tree of a search breadth first, in a file of keys.

use othello_core::{Move, Square};

use crate::miner::MismatchLine;

use crate::miner::judge::push;

/// The number of a pass among moves.
pub(super) const PASS: u8 = 64;

/// The search tree: positions in the order in which they were reached, each with its parent and the move: five bytes a
/// position.
#[derive(Debug, Default)]
pub(super) struct SearchTree {
    pub(super) parents: Vec<u32>,
    pub(super) moves: Vec<u8>,
}

impl SearchTree {
    /// A tree of the start position, number 0.
    pub(super) fn new() -> Self {
        Self {
            parents: vec![0],
            moves: vec![PASS],
        }
    }

    /// The number of positions.
    pub(super) fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Adds a child of a position and returns its number.
    pub(super) fn add(&mut self, parent: u32, mv: Move) -> u32 {
        self.parents.push(parent);
        self.moves.push(match mv {
            Move::Place(square) => square.number(),
            Move::Pass => PASS,
        });
        self.len() - 1
    }

    /// Appends the moves to a position; returns their number, passes counted.
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

// Lines sorted by transcript, in memory or externally.

/// The length of a key behind its transcript: terminator, ply, two values.
pub(super) const TAIL: usize = 1 + 4 + 4 + 4;

/// Encodes a line as a key in the order of lines: transcript, ply, values.
pub(super) fn key(line: &MismatchLine<'_>, key: &mut Vec<u8>) {
    key.clear();
    key.extend(line.transcript.bytes());
    key.push(0);
    key.extend(line.ply.to_be_bytes());
    for value in [line.expected, line.found] {
        // Negative ones come first.
        key.extend((value.cast_unsigned() ^ 1 << 31).to_be_bytes());
    }
}

/// Decodes a key.
pub(super) fn line(key: &[u8]) -> Option<MismatchLine<'_>> {
    let (transcript, tail) = key.split_at_checked(key.len().checked_sub(TAIL)?)?;
    let number = |at: usize| Some(u32::from_be_bytes(*tail.get(at..)?.first_chunk()?));
    let value = |at| Some((number(at)? ^ 1 << 31).cast_signed());
    Some(MismatchLine {
        transcript: std::str::from_utf8(transcript).ok()?,
        ply: number(1)?,
        expected: value(5)?,
        found: value(9)?,
    })
}
