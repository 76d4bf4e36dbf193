//! The prefix codes of the two packed forms.
//!
//! Codes are written in stream order. On the board a kind's code is followed by its colour and
//! promotion bits (Apery) or promotion and colour bits (YaneuraOu); gold has no promotion bit. In
//! hand and box the codes are spelled out in full, with `c` for the colour bit.

use shogi_core::{Color, HandKind, Piece};

/// The place of a piece off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InHand {
    /// In a player's hand.
    Hand(Color, HandKind),
    /// In neither hand nor on the board: the game is played without it.
    Box(HandKind),
}

/// The order in which hands and box are written.
pub(crate) const HAND_ORDER: [HandKind; 7] = [
    HandKind::Pawn,
    HandKind::Lance,
    HandKind::Knight,
    HandKind::Silver,
    HandKind::Gold,
    HandKind::Bishop,
    HandKind::Rook,
];

/// A code: its bits, the first of the stream lowest, and their number.
type Code = (u32, usize);

/// All codes of one packed form, with tables that find the code at the start of 8 bits.
pub(crate) struct Codes {
    board: [Code; Piece::INDEX_LIMIT],
    hand: [[Code; 8]; 2],
    boxed: [Code; 8],
    board_lookup: [Option<(Option<Piece>, usize)>; 256],
    hand_lookup: [Option<(InHand, usize)>; 256],
}

/// The codes of one kind as they stand in the source: board with `c` and `p`, hand with `c`, box.
struct Spelling {
    kind: HandKind,
    board: &'static [u8],
    hand: &'static [u8],
    boxed: &'static [u8],
}

const fn spelling(
    kind: HandKind,
    board: &'static str,
    hand: &'static str,
    boxed: &'static str,
) -> Spelling {
    Spelling {
        kind,
        board: board.as_bytes(),
        hand: hand.as_bytes(),
        boxed: boxed.as_bytes(),
    }
}

/// YaneuraOu: `extra/sfen_packer.cpp`.
pub(crate) static PACKED_SFEN: Codes = build(&[
    spelling(HandKind::Pawn, "10pc", "00c", "010"),
    spelling(HandKind::Lance, "1100pc", "1000c", "10010"),
    spelling(HandKind::Knight, "1101pc", "1010c", "10110"),
    spelling(HandKind::Silver, "1110pc", "1100c", "11010"),
    spelling(HandKind::Gold, "11110c", "1110c", "11011"),
    spelling(HandKind::Bishop, "111110pc", "111100c", "1111010"),
    spelling(HandKind::Rook, "111111pc", "111110c", "1111110"),
]);

/// Apery and cshogi: `HuffmanCodedPos`.
pub(crate) static HCP: Codes = build(&[
    spelling(HandKind::Pawn, "10cp", "00c", "010"),
    spelling(HandKind::Lance, "1100cp", "1000c", "10010"),
    spelling(HandKind::Knight, "1110cp", "1100c", "11010"),
    spelling(HandKind::Silver, "1101cp", "1010c", "10110"),
    spelling(HandKind::Gold, "11110c", "1110c", "10111"),
    spelling(HandKind::Bishop, "111110cp", "111110c", "1111000"),
    spelling(HandKind::Rook, "111111cp", "111111c", "1111010"),
]);

const fn read_spelling(text: &[u8], color: Color, promoted: bool) -> Code {
    let mut bits = 0;
    let mut i = 0;
    while i < text.len() {
        let bit = match text[i] {
            b'1' => true,
            b'c' => matches!(color, Color::White),
            b'p' => promoted,
            _ => false,
        };
        if bit {
            bits |= 1 << i;
        }
        i += 1;
    }
    (bits, text.len())
}

const fn build(spellings: &[Spelling; 7]) -> Codes {
    let mut codes = Codes {
        board: [(0, 0); Piece::INDEX_LIMIT],
        hand: [[(0, 0); 8]; 2],
        boxed: [(0, 0); 8],
        board_lookup: [None; 256],
        hand_lookup: [None; 256],
    };
    let mut i = 0;
    while i < spellings.len() {
        let spelling = &spellings[i];
        let mut c = 0;
        while c < 2 {
            let color = Color::ALL[c];
            let piece = Piece::new(color, spelling.kind.piece_kind());
            codes.board[piece as usize] = read_spelling(spelling.board, color, false);
            if let Some(promoted) = piece.promote() {
                codes.board[promoted as usize] = read_spelling(spelling.board, color, true);
            }
            codes.hand[c][spelling.kind as usize] = read_spelling(spelling.hand, color, false);
            c += 1;
        }
        codes.boxed[spelling.kind as usize] = read_spelling(spelling.boxed, Color::Black, false);
        i += 1;
    }
    fill_lookups(codes)
}

const fn fill_lookups(mut codes: Codes) -> Codes {
    let mut bits = 0;
    while bits < 256 {
        codes.board_lookup[bits] = find_board(&codes, bits as u32);
        codes.hand_lookup[bits] = find_in_hand(&codes, bits as u32);
        bits += 1;
    }
    codes
}

/// Returns whether `bits` begin with `code`.
const fn begins_with(bits: u32, code: Code) -> bool {
    bits & ((1 << code.1) - 1) == code.0
}

const fn find_board(codes: &Codes, bits: u32) -> Option<(Option<Piece>, usize)> {
    if bits & 1 == 0 {
        return Some((None, 1));
    }
    let mut i = 0;
    while i < Piece::ALL.len() {
        let code = codes.board[Piece::ALL[i] as usize];
        if code.1 > 0 && begins_with(bits, code) {
            return Some((Some(Piece::ALL[i]), code.1));
        }
        i += 1;
    }
    None
}

const fn find_in_hand(codes: &Codes, bits: u32) -> Option<(InHand, usize)> {
    let mut i = 0;
    while i < HandKind::ALL.len() {
        let kind = HandKind::ALL[i];
        let mut c = 0;
        while c < 2 {
            let code = codes.hand[c][kind as usize];
            if begins_with(bits, code) {
                return Some((InHand::Hand(Color::ALL[c], kind), code.1));
            }
            c += 1;
        }
        let code = codes.boxed[kind as usize];
        if begins_with(bits, code) {
            return Some((InHand::Box(kind), code.1));
        }
        i += 1;
    }
    None
}

impl Codes {
    /// The code of a piece on the board; kings have none.
    pub(crate) const fn board(&self, piece: Piece) -> Code {
        self.board[piece as usize]
    }

    /// The code of a piece off the board.
    pub(crate) const fn in_hand(&self, place: InHand) -> Code {
        match place {
            InHand::Hand(color, kind) => self.hand[color as usize][kind as usize],
            InHand::Box(kind) => self.boxed[kind as usize],
        }
    }

    /// The square's content at the start of these 8 bits, and the length of its code.
    pub(crate) const fn read_board(&self, bits: u8) -> Option<(Option<Piece>, usize)> {
        self.board_lookup[bits as usize]
    }

    /// The piece off the board at the start of these 8 bits, and the length of its code.
    pub(crate) const fn read_in_hand(&self, bits: u8) -> Option<(InHand, usize)> {
        self.hand_lookup[bits as usize]
    }
}

/// Codes, at most 58 bits of them, above their length in the lower six bits: a shift takes just
/// these for its distance.
pub(crate) const fn entry((bits, len): (u64, usize)) -> u64 {
    bits << 6 | len as u64
}

/// The code of a piece in `color`'s hand, or in the box for `None`.
pub(crate) const fn code(codes: &Codes, color: Option<Color>, kind: HandKind) -> (u64, usize) {
    let (bits, len) = codes.in_hand(match color {
        Some(color) => InHand::Hand(color, kind),
        None => InHand::Box(kind),
    });
    (bits as u64, len)
}
