//! The layers of the breadth-first search: positions in few bytes each, in the order in which they were found, and the
//! expansion of a layer into the next.

use std::sync::atomic::{AtomicBool, Ordering};

use shogi_core::movegen::{All, Checks, LegalAll, MoveList};
use shogi_core::{Bitboard, ByColor, Color, Hand, HandKind, Move, Piece, Position, Setup};
use yane_clock::Instant;

use super::visited::VisitedSet;
use crate::Reason;

/// A chunk is full when it has this many bytes: small enough that all threads get some.
const CHUNK_BYTES: usize = 16 << 10;
/// Longest packed position: squares, a byte a piece, hands.
const MAX_PACKED: usize = 11 + 40 + 6;

/// Bits of a count in the packed hand: pawns, and anything else.
const PAWN_BITS: u32 = 5;
const OTHER_BITS: u32 = 3;

/// Some positions, one after another.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Number of the first position; the others follow it.
    pub(super) first: u32,
    bytes: Vec<u8>,
}

/// The positions of one layer. All have the same side to move.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) chunks: Vec<Chunk>,
}

impl Layer {
    /// Adds the position with this number in its packed form. Numbers rise by one.
    pub(super) fn push(&mut self, number: u32, packed: &[u8]) {
        let full = |chunk: &Chunk| chunk.bytes.len() + packed.len() > CHUNK_BYTES;
        if self.chunks.last().is_none_or(full) {
            // Most layers of long problems have one position: they take no whole chunk.
            let room = if self.chunks.is_empty() {
                MAX_PACKED
            } else {
                CHUNK_BYTES
            };
            self.chunks.push(Chunk {
                first: number,
                bytes: Vec::with_capacity(room),
            });
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.bytes.extend_from_slice(packed);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.chunks
            .iter()
            .map(|chunk| chunk.bytes.capacity() + size_of::<Chunk>())
            .sum()
    }
}

impl Chunk {
    /// The positions with their numbers; `side` is to move in all of them.
    pub(super) fn positions(&self, side: Color) -> impl Iterator<Item = (u32, Position)> + '_ {
        let mut rest = self.bytes.as_slice();
        let mut number = self.first;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let position = unpack(&mut rest, side);
            number += 1;
            Some((number - 1, position))
        })
    }
}

/// Appends the packed form of `position`: its occupied squares, the pieces on them, the hands.
pub(super) fn pack(position: &Position, out: &mut Vec<u8>) {
    let occupied = position.occupied();
    let [low, high] = occupied.words();
    out.extend_from_slice(&low.to_le_bytes());
    // 18 squares in the second word.
    out.extend_from_slice(&high.to_le_bytes()[..3]);
    occupied.for_each(|square| out.extend(position.piece_on(square).map(|piece| piece as u8)));
    for color in [Color::Black, Color::White] {
        let mut bits = 0u32;
        let mut shift = 0;
        for kind in HandKind::ALL {
            bits |= u32::from(position.hand(color).count(kind)) << shift;
            shift += width(kind);
        }
        out.extend_from_slice(&bits.to_le_bytes()[..3]);
    }
}

const fn width(kind: HandKind) -> u32 {
    match kind {
        HandKind::Pawn => PAWN_BITS,
        _ => OTHER_BITS,
    }
}

/// Removes a position from the front of `bytes`, which [`pack`] wrote.
fn unpack(bytes: &mut &[u8], side: Color) -> Position {
    let mut word = |count: usize| {
        let mut word = [0; 8];
        word[..count].copy_from_slice(&bytes[..count]);
        *bytes = &bytes[count..];
        u64::from_le_bytes(word)
    };
    let occupied = Bitboard::from_words([word(8), word(3)]);
    let mut setup = Setup {
        side,
        ..Setup::default()
    };
    occupied.for_each(|square| {
        setup.board[square.index()] = PIECES[word(1) as usize & 31];
    });
    setup.hands = ByColor([(); 2].map(|()| {
        let mut bits = word(3) as u32;
        let mut hand = Hand::EMPTY;
        for kind in HandKind::ALL {
            let count = bits & ((1 << width(kind)) - 1);
            hand = hand.with_count(kind, count as u8).unwrap_or(hand);
            bits >>= width(kind);
        }
        hand
    }));
    Position::from_setup(&setup).expect("a position was packed")
}

/// Pieces by their number.
const PIECES: [Option<Piece>; 32] = {
    let mut pieces = [None; 32];
    let mut i = 0;
    while i < Piece::ALL.len() {
        pieces[Piece::ALL[i] as usize] = Some(Piece::ALL[i]);
        i += 1;
    }
    pieces
};

/// The stop flag and the deadline of a solve.
#[derive(Debug)]
pub(super) struct StopCheck<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) deadline: Option<Instant>,
}

/// Positions between two checks of the clock.
const CLOCK_INTERVAL: usize = 32;

impl StopCheck<'_> {
    /// Fails when the search has to stop.
    pub(super) fn check(&self) -> Result<(), Reason> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Reason::Stopped);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Reason::Time);
        }
        Ok(())
    }
}

/// A position that was found: the moves to it, and the end of its packed form in [`Expansion::bytes`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) key: u128,
    pub(super) parent: u32,
    pub(super) check: Move,
    pub(super) reply: Move,
    pub(super) end: usize,
}

/// The successors of the positions of a chunk.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The position and the move that mates, if any.
    pub(super) mate: Option<(u32, Move)>,
    /// Positions that were not known yet. Some may be there twice.
    pub(super) children: Vec<Successor>,
    /// Their packed forms.
    pub(super) bytes: Vec<u8>,
    /// Moves made.
    pub(super) nodes: u64,
}

impl Expansion {
    /// Plays every check and every reply in the positions of `chunk`; ends at the first mate.
    pub(super) fn of(
        chunk: &Chunk,
        attacker: Color,
        visited: &VisitedSet,
        stop_check: &StopCheck<'_>,
    ) -> Result<Self, Reason> {
        let mut expansion = Self::default();
        for (i, (number, mut position)) in chunk.positions(attacker).enumerate() {
            if i.is_multiple_of(CLOCK_INTERVAL) {
                stop_check.check()?;
            }
            if expansion.position(number, &mut position, visited) {
                break;
            }
        }
        Ok(expansion)
    }

    /// Returns whether one of the checks mates.
    fn position(&mut self, number: u32, position: &mut Position, visited: &VisitedSet) -> bool {
        let checks: MoveList = position.moves::<All<Checks>>();
        for check in checks {
            let undo = position.do_move_unchecked(check);
            self.nodes += 1;
            let replies = position.moves::<LegalAll>();
            if replies.is_empty() {
                self.mate = Some((number, check));
                return true;
            }
            for reply in replies {
                self.reply(number, position, check, reply, visited);
            }
            position.undo_move(check, &undo);
        }
        false
    }

    fn reply(
        &mut self,
        parent: u32,
        position: &mut Position,
        check: Move,
        reply: Move,
        visited: &VisitedSet,
    ) {
        let undo = position.do_move_unchecked(reply);
        self.nodes += 1;
        let key = position.key128();
        if !visited.contains(key) {
            pack(position, &mut self.bytes);
            self.children.push(Successor {
                key,
                parent,
                check,
                reply,
                end: self.bytes.len(),
            });
        }
        position.undo_move(reply, &undo);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back() {
        let sfens = [
            Position::STARTPOS_SFEN,
            "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
            "r3+B1K2/SG4b2/1L2N3l/1GNGLp3/2rNp1n1g/1ss4lk/5P3/3PP1P1P/PPP3sP1 b 7p 1",
            "9/9/9/9/9/9/9/9/9 b R3G3N17Prbgsp 1",
        ];
        let mut layer = Layer::default();
        for copy in 0..1000 {
            for (i, sfen) in sfens.iter().enumerate() {
                let position = Position::from_sfen(sfen).unwrap();
                let mut packed = Vec::new();
                pack(&position, &mut packed);
                assert!(packed.len() <= MAX_PACKED);
                layer.push((copy * sfens.len() + i) as u32 + 7, &packed);
            }
        }
        assert!(layer.chunks.len() > 1);
        let mut visited = 0;
        for chunk in &layer.chunks {
            for (number, position) in chunk.positions(Color::Black) {
                assert_eq!(number, visited + 7);
                assert_eq!(position.to_sfen(), sfens[visited as usize % sfens.len()]);
                visited += 1;
            }
        }
        assert_eq!(visited as usize, 1000 * sfens.len());
    }
}
