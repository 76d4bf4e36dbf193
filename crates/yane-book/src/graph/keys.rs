//! The keys of positions, straight from SFEN text where it is canonical, and the table from keys to nodes.
//!
//! Linking a book reads every position twice, so this is several times quicker than building a position each time.

use shogi_core::{
    ByColor, Color, Hand, KeyBuilder, Piece, PlayerKey, Position, Setup, SfenError, Square,
};

use super::NodeId;
use crate::db::Fields;

/// The side from which a position is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// As it is written.
    AsWritten,
    /// Flipped (turned by 180 degrees, players exchanged) if white is to move: black is to move then.
    BlackToMove,
    /// Flipped if black is to move.
    WhiteToMove,
}

impl View {
    /// Returns whether a position with `side` to move is flipped.
    pub const fn flips(self, side: Color) -> bool {
        match self {
            Self::AsWritten => false,
            Self::BlackToMove => matches!(side, Color::White),
            Self::WhiteToMove => matches!(side, Color::Black),
        }
    }
}

/// Keys that identify a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The whole position: [`Position::key128`].
    pub position: u128,
    /// Pieces of the side to move: [`Position::player_key`].
    pub mover: PlayerKey,
    /// Number of the move to be played.
    pub ply: u32,
}

impl Keys {
    pub(super) fn of(position: &Position) -> Self {
        Self {
            position: position.key128(),
            mover: position.player_key(position.side_to_move()),
            ply: position.ply(),
        }
    }
}

/// The keys of a position.
///
/// # Errors
/// When the text is no position. Counts of pieces and checks are not looked at.
#[inline]
pub(crate) fn sfen_keys(text: &[u8], view: View) -> Result<Keys, SfenError> {
    if let Some(fields) = Fields::split(text) {
        let mut keys = KeyBuilder::default();
        let put = |piece, square| keys.put(piece, square);
        if let Some((hands, ply)) = read_in_view(fields, view, put) {
            keys.set_hands(hands);
            let side = side_in_view(fields, view);
            return Ok(Keys {
                position: keys.position_key(side),
                mover: keys.player_key(side),
                ply,
            });
        }
    }
    Ok(Keys::of(&in_view(parse(text)?, view).0))
}

/// The position in `view`, with its ply, and whether it is flipped there.
///
/// # Errors
/// When the text is no position.
#[inline]
pub(crate) fn sfen_position(text: &[u8], view: View) -> Result<(Position, bool), SfenError> {
    if let Some(fields) = Fields::split(text) {
        let mut setup = Setup {
            side: side_in_view(fields, view),
            ..Setup::default()
        };
        let put = |piece, square: Square| setup.board[square.index()] = Some(piece);
        if let Some((hands, ply)) = read_in_view(fields, view, put) {
            (setup.hands, setup.ply) = (hands, ply);
            return Ok((Position::from_setup(&setup)?, view.flips(fields.side)));
        }
    }
    Ok(in_view(parse(text)?, view))
}

#[cold]
fn parse(text: &[u8]) -> Result<Position, SfenError> {
    Position::from_sfen(&String::from_utf8_lossy(text))
}

/// A position in `view`, and whether it is flipped there.
pub(super) fn in_view(position: Position, view: View) -> (Position, bool) {
    let flips = view.flips(position.side_to_move());
    (if flips { position.flip() } else { position }, flips)
}

const fn side_in_view(fields: Fields<'_>, view: View) -> Color {
    if view.flips(fields.side) {
        fields.side.flip()
    } else {
        fields.side
    }
}

/// Hands in view and ply; the pieces on the board, as the view shows them, go to `put`.
#[inline(always)]
fn read_in_view(
    fields: Fields<'_>,
    view: View,
    mut put: impl FnMut(Piece, Square),
) -> Option<(ByColor<Hand>, u32)> {
    if !view.flips(fields.side) {
        return fields.read(put);
    }
    let (mut hands, ply) = fields.read(|piece, square| put(piece.flip_color(), square.rotate()))?;
    hands.0.swap(0, 1);
    Some((hands, ply))
}

// From keys to nodes.

/// Choice among nodes with one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefer {
    First,
    Last,
}

/// An open-addressing hash table from 128-bit keys to nodes, behind a filter.
///
/// The keys lie in node order in an array of their own; the table has only node numbers. Nearly all
/// look-ups are for keys that are not there, and time goes into waiting for memory. So the filter is
/// made for the way the questions come: after all moves of a position that capture nothing, the side
/// to move has the same pieces on the same squares, and that chooses the filter's line. One look at
/// memory answers for all these moves together.
#[derive(Debug)]
pub(super) struct KeyTable {
    keys: Vec<u128>,
    slots: Vec<u32>,
    filter: Vec<FilterLine>,
}

const EMPTY: u32 = u32::MAX;

/// Number of keys that share a cache line of the filter on average: 4 bytes a key.
const KEYS_IN_LINE: usize = 16;

/// A part of the filter: a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct FilterLine([u64; 8]);

/// The node in the slot where the search for a key begins, or [`EMPTY`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess(u32);

impl KeyTable {
    /// A table for about `expected` keys, to be filled with [`Self::push`].
    pub(super) fn new(expected: usize) -> Self {
        Self {
            keys: Vec::with_capacity(expected),
            slots: Vec::new(),
            filter: vec![FilterLine::default(); expected / KEYS_IN_LINE + 1],
        }
    }

    /// Adds the key of the next node.
    pub(super) fn push(&mut self, key: u128, mover: PlayerKey) {
        self.keys.push(key);
        let line = self.filter_place(mover);
        self.filter[line].add(key);
    }

    /// Makes the table ready for look-ups. Nodes that share a key with another and are not preferred
    /// are returned, rising. The nodes `absent` (rising) are left out.
    pub(super) fn finish(&mut self, prefer: Prefer, absent: &[NodeId]) -> Vec<NodeId> {
        self.keys.shrink_to_fit();
        self.slots = vec![EMPTY; self.keys.len() * 5 / 3 + 8];
        let mut others = Vec::new();
        let mut absent = absent.iter().peekable();
        for node in 0..self.keys.len() as u32 {
            if absent.next_if(|id| id.0 == node).is_some() {
                continue;
            }
            let (slot, found) = self.find(self.keys[node as usize]);
            if found == EMPTY {
                self.slots[slot] = node;
            } else if prefer == Prefer::Last {
                self.slots[slot] = node;
                others.push(NodeId(found));
            } else {
                others.push(NodeId(node));
            }
        }
        others.sort_unstable();
        others
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The filter's line number `place`.
    #[inline(always)]
    pub(super) fn filter_line(&self, place: usize) -> FilterLine {
        self.filter[place]
    }

    /// Number of the filter's line for positions in which the side to move has this.
    #[inline(always)]
    pub(super) fn filter_place(&self, mover: PlayerKey) -> usize {
        scale(mover.bits(), self.filter.len())
    }

    /// First part of a look-up. The parts are apart so that those of many keys can wait for memory
    /// together.
    #[inline(always)]
    pub(super) fn guess(&self, key: u128) -> Guess {
        Guess(self.slots[scale((key >> 64) as u64, self.slots.len())])
    }

    /// Second part of a look-up: whether the guess is right.
    #[inline(always)]
    pub(super) fn is_right(&self, key: u128, guess: Guess) -> bool {
        // A wrong place for an empty slot costs less than a branch that waits for the slot.
        let at = (guess.0 as usize).min(self.keys.len() - 1);
        self.keys[at] == key
    }

    /// Last part: the node with this key.
    #[inline(always)]
    pub(super) fn conclude(&self, key: u128, guess: Guess, right: bool) -> Option<NodeId> {
        match guess.0 {
            EMPTY => None,
            node if right => Some(NodeId(node)),
            _ => self.get(key),
        }
    }

    /// The node with this key.
    pub(super) fn get(&self, key: u128) -> Option<NodeId> {
        let (_, found) = self.find(key);
        (found != EMPTY).then_some(NodeId(found))
    }

    /// The slot of `key`, or the free one where it would go.
    #[inline(always)]
    fn find(&self, key: u128) -> (usize, u32) {
        let mut slot = scale((key >> 64) as u64, self.slots.len());
        loop {
            let node = self.slots[slot];
            if node == EMPTY || self.keys[node as usize] == key {
                return (slot, node);
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }
}

impl FilterLine {
    /// The two bits of a key, each as word and number of the bit.
    #[inline(always)]
    const fn places(key: u128) -> [(usize, u32); 2] {
        let hash = key as u64;
        [
            (hash as usize & 7, (hash >> 3 & 63) as u32),
            ((hash >> 9) as usize & 7, (hash >> 12 & 63) as u32),
        ]
    }

    fn add(&mut self, key: u128) {
        for (word, bit) in Self::places(key) {
            self.0[word] |= 1 << bit;
        }
    }

    /// False for most keys that are not in the table.
    #[inline(always)]
    pub(super) const fn passes(&self, key: u128) -> bool {
        let [(word, bit), (other_word, other_bit)] = Self::places(key);
        (self.0[word] >> bit & self.0[other_word] >> other_bit) & 1 != 0
    }
}

/// A number below `len` from a random `hash`.
#[inline(always)]
fn scale(hash: u64, len: usize) -> usize {
    ((u128::from(hash) * len as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use shogi_core::{Color, KeyBuilder, Piece, Square};

    use super::*;

    const TEXTS: [&str; 6] = [
        Position::STARTPOS_SFEN,
        "4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p 77",
        "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPP2P/2G2K1pr/LN4G1b w BL2Plp 60",
        "9/9/9/9/9/9/9/9/9 b - 1",
        "8k/9/9/9/4+R4/9/9/9/K8 w 2B17P 300",
        "8k/9/9/9/4+R4/9/9/9/K8  w 17P2B",
    ];

    #[test]
    fn agrees_with_the_rules_crate() {
        for text in TEXTS {
            let written = Position::from_sfen(text).unwrap();
            for view in [View::AsWritten, View::BlackToMove, View::WhiteToMove] {
                let flips = view.flips(written.side_to_move());
                let expected = if flips {
                    written.flip()
                } else {
                    written.clone()
                };
                let (position, flipped) = sfen_position(text.as_bytes(), view).unwrap();
                assert_eq!((&position, flipped), (&expected, flips));
                let keys = sfen_keys(text.as_bytes(), view).unwrap();
                assert_eq!(keys, Keys::of(&expected));
            }
        }
    }

    #[test]
    fn is_as_strict_as_the_rules_crate() {
        for text in TEXTS {
            for at in 0..text.len() {
                for byte in b"+-/ 0123456789PLNSBRGKplnsbrgkbwx\xff" {
                    let mut changed = text.as_bytes().to_vec();
                    changed[at] = *byte;
                    check(&changed);
                    changed.insert(at, text.as_bytes()[at]);
                    check(&changed);
                }
                check(&text.as_bytes()[..at]);
            }
        }
    }

    fn check(text: &[u8]) {
        let expected = Position::from_sfen(&String::from_utf8_lossy(text));
        let found = sfen_position(text, View::AsWritten).map(|(position, _)| position);
        match (&expected, &found) {
            (Err(_), Err(_)) => {}
            _ => assert_eq!(expected, found, "{}", String::from_utf8_lossy(text)),
        }
        if let Ok(position) = expected {
            let keys = sfen_keys(text, View::AsWritten).unwrap();
            assert_eq!(keys, Keys::of(&position));
        }
    }

    #[test]
    fn finds_what_was_put_in() {
        let key = |n: u64| u128::from(n.wrapping_mul(0x9e3779b97f4a7c15)) * 0x2545f4914f6cdd1d_u128;
        let mover = |n: u64| {
            let mut builder = KeyBuilder::default();
            builder.put(Piece::BlackKing, Square::ALL[n as usize % 81]);
            builder.put(Piece::BlackGold, Square::ALL[n as usize / 81]);
            builder.player_key(Color::Black)
        };
        let numbers: Vec<_> = (1..=1000).chain([7, 500]).collect();
        for (prefer, seven, others) in [
            (Prefer::First, 6, [1000, 1001]),
            (Prefer::Last, 1000, [6, 499]),
        ] {
            let mut table = KeyTable::new(1000);
            for n in numbers.iter().copied() {
                table.push(key(n), mover(n));
            }
            let left_out = table.finish(prefer, &[NodeId(3)]);
            assert_eq!(left_out, others.map(NodeId));
            assert_eq!(table.get(key(7)), Some(NodeId(seven)));
            assert_eq!(table.get(key(4)), None);
            let found = |n| {
                let guess = table.guess(key(n));
                table.conclude(key(n), guess, table.is_right(key(n), guess))
            };
            let passes = |n: &u64| {
                let line = table.filter_line(table.filter_place(mover(*n)));
                line.passes(key(*n))
            };
            assert!((5..=1000).all(|n| passes(&n) && found(n) == table.get(key(n))));
            assert!((5..=1000).all(|n| found(n).is_some()));
            assert!((1001..5_000).filter(passes).count() < 400);
            assert!((1001..5_000).all(|n| found(n).is_none()));
        }
    }
}
