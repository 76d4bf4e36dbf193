//! Apery's binary format, `book.bin`.
//!
//! Records of 16 bytes, all numbers little endian, in ascending order of their keys: key of the
//! position (u64, [`key`]), move ([`shogi_core::AperyMove16`], u16, 0 for none), count (u16), value
//! (i32). The moves of a position follow one another, best first.
//!
//! Positions are known by their keys only: which position a key belongs to is found by playing
//! moves from a position that is known, as [`mod@crate::convert`] does.

use std::ops::Range;
use std::path::Path;

use shogi_core::{AperyMove16, Color, Hand, HandKind, Move, Move16, Piece, Position, Square};
use yane_io::sniff::Head;
use yane_io::{AtomicFile, Map};

use crate::sniff::expect_apery;
use crate::{BookError, BookMove, Result};

/// Bytes of a record.
pub(crate) const RECORD: usize = 16;

// Reading Apery books in place, and writing them.

/// An Apery book, looked up in its file through a memory map ([`Map`] tells what other programs must
/// not do meanwhile).
#[derive(Debug)]
pub struct Apery {
    map: Map,
}

/// A record: a move of the position with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AperyRecord {
    /// The position's key.
    pub key: u64,
    /// The move, which may be any 16 bits: neither form nor legality is checked. 0 is "none".
    pub mv: AperyMove16,
    /// Number of times it was played.
    pub count: u16,
    /// Its value for the side to move.
    pub score: i32,
    /// Offset where the record begins in the file, in bytes.
    pub offset: u64,
}

impl Apery {
    /// Opens a book. Checks the size of the file only; [`Self::verify`] checks the order.
    ///
    /// # Errors
    /// When the file cannot be opened, is something else, or does not consist of records of 16 bytes.
    pub fn open(path: &Path) -> Result<Self> {
        let map = Map::open(path)?;
        expect_apery(path, &Head::of(&map))?;
        Self::from_map(map)
    }

    /// As [`Self::open`], for a file that is mapped already.
    ///
    /// # Errors
    /// When the file does not consist of records of 16 bytes.
    pub fn from_map(map: Map) -> Result<Self> {
        if !map.len().is_multiple_of(RECORD) {
            let reason = format!("expected records of {RECORD} bytes, the file ends inside one");
            return Err(map.error(map.len() as u64, reason).into());
        }
        Ok(Self { map })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.map.path()
    }

    /// The bytes of the file.
    pub(crate) const fn map(&self) -> &Map {
        &self.map
    }

    /// Returns the byte where the first record begins whose key is not less than `key`.
    pub(crate) fn first_from(&self, key: u64) -> u64 {
        (self.lower_bound(key) * RECORD) as u64
    }

    /// Number of records: moves of all positions.
    pub fn len(&self) -> u64 {
        self.records() as u64
    }

    /// Returns whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Checks that keys ascend.
    ///
    /// # Errors
    /// At the first record whose key is smaller than the one before.
    pub fn verify(&self) -> Result<()> {
        let mut last = 0;
        for entry in self.entries() {
            if entry.key < last {
                let reason = format!(
                    "expected a key of at least {last:#018x} (keys ascend), found {:#018x}",
                    entry.key
                );
                return Err(self.error(entry.offset, reason));
            }
            last = entry.key;
        }
        Ok(())
    }

    /// All records in the order of the file.
    pub fn entries(&self) -> AperyRecords<'_> {
        AperyRecords {
            book: self,
            range: 0..self.records(),
        }
    }

    /// The moves of the position with this key, in the order of the file; none when the book does
    /// not have it.
    pub fn find(&self, key: u64) -> AperyRecords<'_> {
        let start = self.lower_bound(key);
        let mut end = start;
        while end < self.records() && self.key(end) == key {
            end += 1;
        }
        AperyRecords {
            book: self,
            range: start..end,
        }
    }

    /// Returns whether the book has a position with this key.
    pub fn contains(&self, key: u64) -> bool {
        let at = self.lower_bound(key);
        at < self.records() && self.key(at) == key
    }

    /// The first record whose key is not less than `key`.
    fn lower_bound(&self, key: u64) -> usize {
        let (mut start, mut end) = (0, self.records());
        while start < end {
            let middle = start + (end - start) / 2;
            if self.key(middle) < key {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    fn records(&self) -> usize {
        self.map.len() / RECORD
    }

    fn key(&self, at: usize) -> u64 {
        let start = at * RECORD;
        u64::from_le_bytes(std::array::from_fn(|i| self.map[start + i]))
    }

    fn entry(&self, at: usize) -> AperyRecord {
        let start = at * RECORD;
        let [m0, m1, c0, c1, ref score @ ..] = self.map[start + 8..start + RECORD] else {
            unreachable!("a record has 16 bytes");
        };
        AperyRecord {
            key: self.key(at),
            mv: AperyMove16(u16::from_le_bytes([m0, m1])),
            count: u16::from_le_bytes([c0, c1]),
            score: i32::from_le_bytes(std::array::from_fn(|i| score[i])),
            offset: start as u64,
        }
    }

    fn error(&self, offset: u64, reason: String) -> crate::BookError {
        self.map.error(offset, reason).into()
    }
}

/// Iterator over records of an [`Apery`].
#[derive(Clone, Debug)]
pub struct AperyRecords<'a> {
    book: &'a Apery,
    range: Range<usize>,
}

impl Iterator for AperyRecords<'_> {
    type Item = AperyRecord;

    fn next(&mut self) -> Option<AperyRecord> {
        self.range.next().map(|at| self.book.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for AperyRecords<'_> {}

/// Writes a book position by position.
#[derive(Debug)]
pub struct AperyWriter {
    file: AtomicFile,
    last: u64,
    count: u64,
}

impl AperyWriter {
    /// Begins a new version of `path`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self {
            file: AtomicFile::create(path)?,
            last: 0,
            count: 0,
        })
    }

    /// Adds the moves of the position with this key, in the order given. Of a move its code, count
    /// and value are written; counts over 65,535 become that.
    ///
    /// # Errors
    /// When the key is smaller than the one before, a code is no move, or the file cannot be
    /// written.
    pub fn push(&mut self, key: u64, moves: &[BookMove]) -> Result<()> {
        if key < self.last {
            return Err(self.bad(key, "expected keys in ascending order"));
        }
        self.last = key;
        for book_move in moves {
            let code = match book_move.mv.map(Move16::decode) {
                None => 0,
                Some(Some(text)) => AperyMove16::encode(text).0,
                Some(None) => return Err(self.bad(key, "expected a move")),
            };
            let count = u16::try_from(book_move.count).unwrap_or(u16::MAX);
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&key.to_le_bytes());
            record[8..10].copy_from_slice(&code.to_le_bytes());
            record[10..12].copy_from_slice(&count.to_le_bytes());
            record[12..].copy_from_slice(&book_move.eval.to_le_bytes());
            self.file.put(&record)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Number of records so far.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there is no record yet.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Replaces the file with the book.
    ///
    /// # Errors
    /// When the file cannot be written; the old file is untouched then.
    pub fn commit(self) -> Result<()> {
        Ok(self.file.commit()?)
    }

    fn bad(&self, key: u64, reason: &str) -> BookError {
        let reason = format!("record {}, key {key:#018x}: {reason}", self.count);
        BookError::file(self.file.target(), reason)
    }
}

// Apery's 64-bit position keys.
//
// A key is the XOR of a number for each piece on its square, one for each kind of piece in the hand
// of the side to move by its count, zero counts included, and one if white is to move. The other
// hand is left out: with a complete set it follows from the rest.

/// Pieces have the numbers of [`Piece::index`]; number 0, an empty square, was drawn but never used.
const PIECES: usize = 31;
const SQUARES: usize = 81;
const HAND_KINDS: usize = 7;
/// Counts 0 to 18.
const HAND_COUNTS: usize = 19;

/// The random numbers in the order they are drawn: pieces, hands, turn.
static NUMBERS: [u64; PIECES * SQUARES + HAND_KINDS * HAND_COUNTS + 1] = numbers();
const HANDS_START: usize = PIECES * SQUARES;
const TURN: usize = HANDS_START + HAND_KINDS * HAND_COUNTS;

/// Kinds in the order in which the hand numbers are drawn.
const HAND_ORDER: [HandKind; HAND_KINDS] = [
    HandKind::Pawn,
    HandKind::Lance,
    HandKind::Knight,
    HandKind::Silver,
    HandKind::Gold,
    HandKind::Bishop,
    HandKind::Rook,
];

/// The key of a position.
///
/// ```
/// use shogi_core::Position;
/// assert_eq!(yane_book::apery::key(&Position::startpos()), 0xeebe8ee7e1ad7e15);
/// ```
pub fn key(position: &Position) -> u64 {
    let side = position.side_to_move();
    board(position) ^ hand(position.hand(side)) ^ turn(side)
}

/// The parts of a position's key from which those of its successors are made quickly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PositionKey {
    board: u64,
    /// Hand and turn as they will be after any move: the mover's hand changes, the other does not.
    next: u64,
}

impl PositionKey {
    pub(crate) fn of(position: &Position) -> Self {
        let next = position.side_to_move().flip();
        Self {
            board: board(position),
            next: hand(position.hand(next)) ^ turn(next),
        }
    }

    /// The key after the legal move `m` of `position`, whose parts these are.
    #[inline]
    pub(crate) fn after(&self, position: &Position, m: Move) -> u64 {
        let to = m.to();
        let mut board = self.board ^ piece(m.piece_after(), to);
        if let Some(from) = m.from() {
            board ^= piece(m.piece_before(), from);
        }
        if let Some(captured) = position.piece_on(to) {
            board ^= piece(captured, to);
        }
        board ^ self.next
    }
}

fn piece(piece: Piece, square: Square) -> u64 {
    NUMBERS[piece.index() * SQUARES + square.index()]
}

fn board(position: &Position) -> u64 {
    let on_square = |square| position.piece_on(square).map(|found| piece(found, square));
    Square::ALL
        .into_iter()
        .filter_map(on_square)
        .fold(0, |key, number| key ^ number)
}

fn hand(hand: Hand) -> u64 {
    HAND_ORDER
        .iter()
        .enumerate()
        .fold(0, |key, (place, &kind)| {
            key ^ NUMBERS[HANDS_START + place * HAND_COUNTS + usize::from(hand.count(kind))]
        })
}

fn turn(side: Color) -> u64 {
    match side {
        Color::Black => 0,
        Color::White => NUMBERS[TURN],
    }
}

/// Length of the state.
const N: usize = 312;
/// Distance of the words that are combined.
const M: usize = 156;
/// The seed of a default-constructed C++ `std::mt19937_64`.
const SEED: u64 = 5489;

/// The first `COUNT` numbers.
const fn numbers<const COUNT: usize>() -> [u64; COUNT] {
    let mut state = [0; N];
    state[0] = SEED;
    let mut i = 1;
    while i < N {
        let last = state[i - 1];
        state[i] = (last ^ last >> 62)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(i as u64);
        i += 1;
    }
    let mut numbers = [0; COUNT];
    let mut drawn = 0;
    while drawn < COUNT {
        // Word by word is the same as all at once: each step needs only words of this round that
        // come before it and of the last round that come after it.
        let at = drawn % N;
        let low_bits = u64::MAX >> 33;
        let joined = (state[at] & !low_bits) | (state[(at + 1) % N] & low_bits);
        let twist = if joined & 1 == 1 {
            0xb5026f5aa96619e9
        } else {
            0
        };
        state[at] = state[(at + M) % N] ^ joined >> 1 ^ twist;
        numbers[drawn] = temper(state[at]);
        drawn += 1;
    }
    numbers
}

const fn temper(mut word: u64) -> u64 {
    word ^= word >> 29 & 0x5555555555555555;
    word ^= word << 17 & 0x71d67fffeda60000;
    word ^= word << 37 & 0xfff7eee000000000;
    word ^ word >> 43
}

#[cfg(test)]
mod tests {
    use shogi_core::movegen::LegalAll;

    use super::*;

    #[test]
    fn keys_of_successors_are_those_of_the_positions() {
        for sfen in [
            Position::STARTPOS_SFEN,
            "4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p 77",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let parts = PositionKey::of(&position);
            for m in position.moves::<LegalAll>() {
                let mut after = position.clone();
                let _ = after.do_move_unchecked(m);
                assert_eq!(parts.after(&position, m), key(&after), "{sfen} {m}");
            }
        }
    }

    #[test]
    fn the_ten_thousandth_number_is_the_standards() {
        // C++17, [rand.predef]: the 10000th invocation of a default-constructed mt19937_64.
        let numbers = super::numbers::<10_000>();
        assert_eq!(numbers[9_999], 9981545732273789042);
    }
}
