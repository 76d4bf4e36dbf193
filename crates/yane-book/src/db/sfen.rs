//! The SFEN scanner of books: tells in one pass whether a text is in canonical form, and what is where.
//!
//! Most lines of most books are written that way already. Scanning them is several times quicker than reading the
//! position ([`Position::from_sfen`]) and writing it again. Whatever is not canonical is left to `Position`, which also
//! says what is wrong with it.

use shogi_core::{ByColor, Color, Hand, HandKind, Piece, Position, SfenError, Square};

/// An SFEN in the form that [`Position::to_sfen`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SfenLine<'a> {
    /// Board, side and hands: the text without ` ply`.
    pub position: &'a [u8],
    /// Number of the move to be played.
    pub ply: u32,
}

impl SfenLine<'_> {
    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        let board = self.position.iter().position(|&byte| byte == b' ');
        match board.and_then(|at| self.position.get(at + 1)) {
            Some(b'w') => Color::White,
            _ => Color::Black,
        }
    }
}

/// Brings an SFEN into its canonical form: `text` itself if it has it, else what `Position` writes,
/// kept in `buffer`. A missing ply is 1.
///
/// Checks that every rank has nine squares, no kind of piece appears more often than in a set, and
/// a side has at most one king.
///
/// # Errors
/// When the text is no position.
#[inline]
pub fn canonical_sfen<'a>(
    text: &'a [u8],
    buffer: &'a mut Vec<u8>,
) -> Result<SfenLine<'a>, SfenError> {
    if let Some(line) = scan(text) {
        return Ok(line);
    }
    rewrite(text, buffer)
}

#[cold]
fn rewrite<'a>(text: &[u8], buffer: &'a mut Vec<u8>) -> Result<SfenLine<'a>, SfenError> {
    let text = String::from_utf8_lossy(text);
    let position = Position::from_sfen(&text)?;
    buffer.clear();
    buffer.extend_from_slice(position.to_sfen_without_ply().as_bytes());
    Ok(SfenLine {
        position: buffer,
        ply: position.ply(),
    })
}

/// The parts of `text` if it is canonical.
#[inline]
fn scan(text: &[u8]) -> Option<SfenLine<'_>> {
    let fields = Fields::split(text)?;
    let mut pieces = scan_board(fields.board)?;
    let hands_len = scan_hands(fields.rest, |letter, count| {
        pieces.add(SYMBOLS[letter as usize].unit * count);
        Some(())
    })?;
    if !pieces.fit_in_a_set() {
        return None;
    }
    let end = text.len() - fields.rest.len() + hands_len;
    let ply = scan_ply(&text[end + 1..])?;
    Some(SfenLine {
        position: &text[..end],
        ply,
    })
}

/// The fields of an SFEN, separated but not parsed yet.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    board: &'a [u8],
    /// The side to move.
    pub(crate) side: Color,
    /// Hands and ply.
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of `text`, if they are separated by single blanks.
    #[inline(always)]
    pub(crate) fn split(text: &'a [u8]) -> Option<Self> {
        let longest = &text[..text.len().min(LONGEST_BOARD + 1)];
        let (board, rest) = text.split_at(memchr::memchr(b' ', longest)?);
        let (side, rest) = match rest {
            [b' ', b'b', b' ', rest @ ..] => (Color::Black, rest),
            [b' ', b'w', b' ', rest @ ..] => (Color::White, rest),
            _ => return None,
        };
        Some(Self { board, side, rest })
    }

    /// Reads the text if it is in the plain form: calls `put` for the pieces on the board, and returns the hands and the
    /// ply. How many pieces there are of a kind is not checked. After `None` what was put means nothing.
    #[inline(always)]
    pub(crate) fn read(self, put: impl FnMut(Piece, Square)) -> Option<(ByColor<Hand>, u32)> {
        read_board(self.board, put)?;
        let mut hands = ByColor([Hand::EMPTY; 2]);
        let hands_len = scan_hands(self.rest, |letter, count| {
            let piece = PIECES[letter as usize]?;
            let hand = &mut hands[piece.color()];
            let kind = HandKind::from_piece_kind(piece.kind())?;
            *hand = hand.with_count(kind, count as u8)?;
            Some(())
        })?;
        Some((hands, scan_ply(&self.rest[hands_len + 1..])?))
    }
}

/// Pieces by letter.
static PIECES: [Option<Piece>; 256] = {
    let mut table = [None; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = Piece::from_sfen(byte as u8 as char);
        byte += 1;
    }
    table
};

/// Reads the board field: calls `put` for every piece. `None` when the ranks do not fill the board.
#[inline(always)]
fn read_board(board: &[u8], mut put: impl FnMut(Piece, Square)) -> Option<()> {
    // Squares go down a file, files to the left: a rank is written from index 72 + rank in steps of -9.
    let mut rank = 0;
    let mut index = 72;
    let mut bytes = board.iter();
    while let Some(&byte) = bytes.next() {
        let piece = match byte {
            b'1'..=b'9' => {
                index -= 9 * i32::from(byte - b'0');
                continue;
            }
            b'/' => {
                rank += 1;
                if index != rank - 1 - 9 || rank > 8 {
                    return None;
                }
                index = 72 + rank;
                continue;
            }
            b'+' => PIECES[*bytes.next()? as usize]?.promote()?,
            _ => PIECES[byte as usize]?,
        };
        put(piece, Square::from_index(usize::try_from(index).ok()?)?);
        index -= 9;
    }
    (rank == 8 && index == 8 - 9).then_some(())
}

/// Characters of a board full of promoted pieces: nothing longer can be a board.
const LONGEST_BOARD: usize = 81 * 2 + 8;

/// Counts the pieces of the board field; `None` when it is not canonical.
///
/// Every character is looked up once, and no branch depends on it: errors are collected and looked at in the end.
#[inline(always)]
fn scan_board(board: &[u8]) -> Option<Counts> {
    let mut pieces = Counts::default();
    let mut before = SLASH;
    let mut squares = 0u32;
    let mut wanted = 9u32;
    let mut errors = 0u32;
    for &byte in board {
        let symbol = &SYMBOLS[byte as usize];
        errors |= u32::from(before & symbol.not_after);
        pieces.add(symbol.unit);
        before = symbol.class;
        let is_slash = u32::from(before == SLASH);
        errors |= is_slash * (squares ^ wanted);
        wanted += is_slash * 9;
        squares += u32::from(symbol.squares);
    }
    let complete = errors == 0 && wanted == 81 && squares == 81;
    (complete && before & (SLASH | PLUS) == 0).then_some(pieces)
}

/// Length of the hands field, which a blank must follow. Calls `visit` for every kind with its letter and count.
#[inline(always)]
fn scan_hands(text: &[u8], mut visit: impl FnMut(u8, u64) -> Option<()>) -> Option<usize> {
    if text.starts_with(b"- ") {
        return Some(1);
    }
    let mut at = 0;
    let mut next_in_order = 1;
    loop {
        let mut count = 0;
        while let Some(digit @ b'0'..=b'9') = text.get(at) {
            count = count * 10 + u64::from(digit - b'0');
            at += 1;
            if count == 0 || count > 18 {
                return None;
            }
        }
        let letter = *text.get(at)?;
        if letter == b' ' {
            return (at > 0 && count == 0).then_some(at);
        }
        let order = HAND_ORDER[letter as usize];
        if order < next_in_order || count == 1 {
            return None;
        }
        next_in_order = order + 1;
        visit(letter, count.max(1))?;
        at += 1;
    }
}

/// A number without leading zeros that fits 32 bits for certain, and nothing after it.
#[inline(always)]
fn scan_ply(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 9 || (text[0] == b'0' && text.len() > 1) {
        return None;
    }
    let mut ply = 0;
    for &digit in text {
        if !digit.is_ascii_digit() {
            return None;
        }
        ply = ply * 10 + u32::from(digit - b'0');
    }
    Some(ply)
}

/// Number of pieces of each kind: [`WIDTH`] bits a kind (P L N S B R G, black king, white king).
#[derive(Default)]
struct Counts(u64);

/// Bits for one kind: the board has at most 81 of it and each hand 18, so no count overflows.
const WIDTH: u32 = 7;
/// Nine kinds of seven bits fill 63 bits.
const LIMITS: [u64; 9] = [18, 4, 4, 4, 2, 2, 4, 1, 1];

impl Counts {
    #[inline(always)]
    const fn add(&mut self, unit: u64) {
        self.0 += unit;
    }

    #[inline(always)]
    fn fit_in_a_set(&self) -> bool {
        let mut counts = self.0;
        let mut fits = true;
        for limit in LIMITS {
            fits &= counts & ((1 << WIDTH) - 1) <= limit;
            counts >>= WIDTH;
        }
        fits
    }
}

/// Meaning of a character in the board field.
#[derive(Clone, Copy)]
struct Symbol {
    /// One unit of the piece's kind in [`Counts`].
    unit: u64,
    /// Number of squares it describes.
    squares: u8,
    /// One of the classes below.
    class: u8,
    /// The classes that it must not follow.
    not_after: u8,
}

const DIGIT: u8 = 1;
const PIECE: u8 = 2;
const PLUS: u8 = 4;
const SLASH: u8 = 8;
const OTHER: u8 = 16;

static SYMBOLS: [Symbol; 256] = {
    let other = Symbol {
        unit: 0,
        squares: 0,
        class: OTHER,
        not_after: u8::MAX,
    };
    let mut table = [other; 256];
    let mut digit = 1;
    while digit <= 9 {
        table[b'0' as usize + digit] = Symbol {
            squares: digit as u8,
            class: DIGIT,
            not_after: DIGIT | PLUS | OTHER,
            ..other
        };
        digit += 1;
    }
    let letters = *b"PLNSBRGKk";
    let mut kind = 0;
    while kind < letters.len() {
        let letter = letters[kind] as usize;
        let symbol = Symbol {
            unit: 1 << (WIDTH * kind as u32),
            squares: 1,
            class: PIECE,
            not_after: if kind < 6 { OTHER } else { PLUS | OTHER },
        };
        table[letter] = symbol;
        if kind < 7 {
            table[letters[kind].to_ascii_lowercase() as usize] = symbol;
        }
        kind += 1;
    }
    table[b'+' as usize] = Symbol {
        class: PLUS,
        not_after: PLUS | OTHER,
        ..other
    };
    table[b'/' as usize] = Symbol {
        class: SLASH,
        not_after: SLASH | PLUS | OTHER,
        ..other
    };
    table
};

/// Place of a letter in the hands field, from 1; 0 for what cannot stand there.
static HAND_ORDER: [u8; 256] = {
    let mut table = [0; 256];
    let letters = *b"RBGSNLPrbgsnlp";
    let mut place = 0;
    while place < letters.len() {
        table[letters[place] as usize] = place as u8 + 1;
        place += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use shogi_core::{HandKind, Piece, PieceKind};

    use super::*;

    #[test]
    fn the_quick_way_accepts_only_what_position_writes() {
        let canonical = [
            Position::STARTPOS_SFEN,
            "4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p 77",
            "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPP2P/2G2K1pr/LN4G1b w BL2Plp 60",
            "9/9/9/9/9/9/9/9/9 b - 1",
            "8k/9/9/9/4+R4/9/9/9/K8 w 2B17P 300",
        ];
        for text in canonical {
            assert_eq!(Position::from_sfen(text).unwrap().to_sfen(), text);
            assert!(scan(text.as_bytes()).is_some(), "{text}");
        }
        let mut accepted = 0;
        for text in canonical {
            for at in 0..text.len() {
                for byte in b"+-/ 0123456789PLNSBRGKplnsbrgkbwx" {
                    let mut changed = text.as_bytes().to_vec();
                    changed[at] = *byte;
                    accepted += u32::from(check_against_position(&changed));
                    changed.insert(at, text.as_bytes()[at]);
                    accepted += u32::from(check_against_position(&changed));
                }
            }
        }
        assert!(accepted > 1000);
    }

    fn check_against_position(text: &[u8]) -> bool {
        let Some(line) = scan(text) else {
            return false;
        };
        let text = std::str::from_utf8(text).unwrap();
        match Position::from_sfen(text) {
            Ok(position) => {
                assert_eq!(position.to_sfen(), text);
                assert_eq!(position.to_sfen_without_ply().as_bytes(), line.position);
                assert_eq!(position.ply(), line.ply);
                assert_eq!(position.side_to_move(), line.side_to_move());
            }
            Err(SfenError::Setup(shogi_core::SetupError::OpponentInCheck(_))) => {}
            Err(error) => panic!("{text}: {error}"),
        }
        true
    }

    #[test]
    fn other_forms_are_rewritten() {
        let mut buffer = Vec::new();
        let line = canonical_sfen(b"4k4/9/9/9/9/9/9/9/4K4  b 2p3PrbG", &mut buffer).unwrap();
        assert_eq!(line.position, b"4k4/9/9/9/9/9/9/9/4K4 b G3Prb2p");
        assert_eq!(line.ply, 1);
        assert!(canonical_sfen(b"hello", &mut buffer).is_err());
    }

    #[test]
    fn kinds_agree_with_the_rules_crate() {
        for kind in HandKind::ALL {
            let letter = kind.to_usi() as usize;
            let symbol = SYMBOLS[letter];
            let place = symbol.unit.trailing_zeros() / WIDTH;
            let limit = PieceKind::from(kind).set_count();
            assert_eq!(LIMITS[place as usize], u64::from(limit));
            let piece = Piece::new(Color::Black, kind.into());
            assert_eq!(symbol.not_after & PLUS == 0, piece.promote().is_some());
        }
    }
}
