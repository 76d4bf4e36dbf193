//! The plain codec, one code after another: portable, what the fast ways are compared with, and what says why bytes are no
//! position.

use shogi_core::{Color, Hand, HandKind, Piece, PieceKind, Position, Setup, SetupError, Square};

use crate::codes::{Codes, HAND_ORDER, InHand};
use crate::form::Form;
use crate::{NO_KING, PackError, UnpackError};

/// Packs a position.
pub(crate) fn encode_plain(position: &Position, form: &Form) -> Result<[u8; 32], PackError> {
    encode(position, form.codes)
}

/// Unpacks a position, with move number 1.
pub(crate) fn decode_plain(bytes: &[u8; 32], form: &Form) -> Result<Position, UnpackError> {
    decode(bytes, form.codes)
}

/// Packs a position.
fn encode(position: &Position, codes: &Codes) -> Result<[u8; 32], PackError> {
    let mut bits = BitWriter::new();
    bits.write(position.side_to_move() as u32, 1);
    for color in Color::ALL {
        bits.write(
            position
                .king(color)
                .map_or(NO_KING, |king| king as u8)
                .into(),
            7,
        );
    }
    let mut boxed = HandKind::ALL.map(|kind| kind.piece_kind().set_count());
    let mut take = |kind: HandKind, count: u8| boxed[kind as usize - 1] -= count;
    for square in Square::ALL {
        let Some(piece) = position.piece_on(square) else {
            bits.write(0, 1);
            continue;
        };
        if let Some(kind) = piece.kind().hand_kind() {
            let (code, len) = codes.board(piece);
            bits.write(code, len);
            take(kind, 1);
        }
    }
    for color in Color::ALL {
        for kind in HAND_ORDER {
            let count = position.hand(color).count(kind);
            let (code, len) = codes.in_hand(InHand::Hand(color, kind));
            (0..count).for_each(|_| bits.write(code, len));
            take(kind, count);
        }
    }
    for kind in HAND_ORDER {
        let (code, len) = codes.in_hand(InHand::Box(kind));
        (0..boxed[kind as usize - 1]).for_each(|_| bits.write(code, len));
    }
    bits.finish()
        .map_err(|bits| PackError::MissingKing { bits })
}

/// Unpacks a position, with move number 1.
fn decode(bytes: &[u8; 32], codes: &Codes) -> Result<Position, UnpackError> {
    let mut bits = BitReader::new(bytes);
    let mut setup = Setup::default();
    if bits.read(1).ok_or(UnpackError::TooShort)? == 1 {
        setup.side = Color::White;
    }
    for color in Color::ALL {
        let bit = bits.position();
        let square = bits.read(7).ok_or(UnpackError::TooShort)? as u8;
        if square == NO_KING {
            continue;
        }
        let king = Square::from_index(square as usize);
        let king = king.ok_or(UnpackError::KingSquare { bit, square })?;
        if setup.board[king.index()]
            .replace(Piece::new(color, PieceKind::King))
            .is_some()
        {
            return Err(UnpackError::KingsMeet(king));
        }
    }
    for square in Square::ALL {
        if setup.board[square.index()].is_none() {
            let bit = bits.position();
            let (piece, len) = codes
                .read_board(bits.peek())
                .ok_or(UnpackError::Code { bit })?;
            bits.skip(len).ok_or(UnpackError::TooShort)?;
            setup.board[square.index()] = piece;
        }
    }
    while bits.position() < 256 {
        let bit = bits.position();
        let (place, len) = codes
            .read_in_hand(bits.peek())
            .ok_or(UnpackError::Code { bit })?;
        bits.skip(len).ok_or(UnpackError::TooShort)?;
        if let InHand::Hand(color, kind) = place {
            let hand: &mut Hand = &mut setup.hands[color];
            let found = hand.count(kind) + 1;
            *hand = hand
                .with_count(kind, found)
                .ok_or(SetupError::TooManyPieces {
                    kind: kind.piece_kind(),
                    found,
                })?;
        }
    }
    Ok(Position::from_setup(&setup)?)
}

/// Writes bits; counts on when the 256 are full.
struct BitWriter {
    words: [u64; 4],
    len: usize,
}

impl BitWriter {
    const fn new() -> Self {
        Self {
            words: [0; 4],
            len: 0,
        }
    }

    /// Appends the low `count` bits of `value`, the lowest first; its other bits are zero.
    #[inline]
    fn write(&mut self, value: u32, count: usize) {
        debug_assert!(u64::from(value) < 1 << count);
        let (word, shift) = (self.len / 64, self.len % 64);
        // As two words, so that a value across their border needs no special case.
        let bits = u128::from(value) << shift;
        if let Some(low) = self.words.get_mut(word) {
            *low |= bits as u64;
        }
        if let Some(high) = self.words.get_mut(word + 1) {
            *high |= (bits >> 64) as u64;
        }
        self.len += count;
    }

    /// The 32 bytes; the number of bits written when they are not exactly 256.
    fn finish(self) -> Result<[u8; 32], usize> {
        if self.len != 256 {
            return Err(self.len);
        }
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }
}

/// Reads bits.
struct BitReader<'a> {
    bytes: &'a [u8; 32],
    at: usize,
}

impl<'a> BitReader<'a> {
    const fn new(bytes: &'a [u8; 32]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Number of bits read so far.
    const fn position(&self) -> usize {
        self.at
    }

    /// The next 8 bits without moving on, zeros beyond the end.
    fn peek(&self) -> u8 {
        let byte = |index: usize| u16::from(self.bytes.get(index).copied().unwrap_or(0));
        let both = byte(self.at / 8) | byte(self.at / 8 + 1) << 8;
        (both >> (self.at % 8)) as u8
    }

    /// Moves on by `count` bits; `None` beyond the end.
    fn skip(&mut self, count: usize) -> Option<()> {
        self.at += count;
        (self.at <= 256).then_some(())
    }

    /// The next `count` bits (8 at most).
    fn read(&mut self, count: usize) -> Option<u32> {
        let value = u32::from(self.peek()) & ((1 << count) - 1);
        self.skip(count)?;
        Some(value)
    }
}
