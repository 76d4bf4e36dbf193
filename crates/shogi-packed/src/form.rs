//! The codes of one packed form in the shapes that the fast ways look up.

use shogi_core::hand::SHIFT;
use shogi_core::{Color, HandKind, Piece, PieceKind};

use crate::codes::{Codes, HCP, InHand, PACKED_SFEN, code, entry};
use crate::moves::{self, MoveForm};
use crate::wide::Aligned;

/// One of the two packed forms.
pub(crate) struct Form {
    /// All codes, to read or write one at a time.
    pub(crate) codes: &'static Codes,
    /// Bit layout of the moves of the same family.
    pub(crate) moves: MoveForm,
    /// True if the colour bit comes before the promotion bit.
    pub(crate) color_first: bool,
    /// Code bits of each kind of black's on the board; zero for "empty" and the king.
    pub(crate) black: [u8; 16],
    /// As `black` for white's.
    pub(crate) white: [u8; 16],
    /// [`entry`] of each piece on the board by its number, of "empty" for zero.
    pub(crate) board: [u64; 32],
    /// The number of the piece on the board whose code goes on with these seven bits after the first.
    pub(crate) after_first: Aligned<[u8; 128]>,
    /// Codes of black's hand, of white's hand, and of what is in neither hand nor on the board.
    pub(crate) off_board: [OffBoard; 3],
    /// Codes off the board by the 10 bits that begin with them, see [`lookup`].
    pub(crate) off_board_lookup: [u64; 1 << LOOKUP_BITS],
    /// The number of the hand's code that seven bits begin with, see [`numbers`].
    pub(crate) in_hand: Aligned<[u8; 128]>,
    /// Seven bits that begin with no code off the board.
    pub(crate) stop: u64,
}

/// YaneuraOu's form.
pub(crate) static PACKED_SFEN_FORM: Form = form(&PACKED_SFEN, moves::YANEURAOU, false);
/// Apery's form.
pub(crate) static HCP_FORM: Form = form(&HCP, moves::APERY, true);

/// The bits of each kind's code on the board, the same in both forms: one for "empty", none for
/// kings.
pub(crate) const BOARD_MASKS: [u8; 16] = {
    let mut masks = [0; 16];
    masks[0] = 1;
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        let (_, len) = HCP.board(Piece::new(Color::Black, PieceKind::ALL[i]));
        masks[PieceKind::ALL[i] as usize] = ((1u32 << len) - 1) as u8;
        i += 1;
    }
    masks
};

const fn form(codes: &'static Codes, moves: MoveForm, color_first: bool) -> Form {
    let mut form = Form {
        codes,
        moves,
        color_first,
        black: [0; 16],
        white: [0; 16],
        board: [0; 32],
        after_first: Aligned([0; 128]),
        off_board: [
            OffBoard::new(codes, Some(Color::Black)),
            OffBoard::new(codes, Some(Color::White)),
            OffBoard::new(codes, None),
        ],
        off_board_lookup: lookup(codes),
        in_hand: Aligned(numbers(codes)),
        stop: stop(codes),
    };
    form.board[0] = entry((0, 1));
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let (bits, len) = codes.board(piece);
        form.board[piece as usize] = entry((bits as u64, len));
        match piece.color() {
            Color::Black => form.black[piece.kind() as usize] = bits as u8,
            Color::White => form.white[piece.kind() as usize] = bits as u8,
        }
        i += 1;
    }
    let mut i = 0;
    while i < 128 {
        if let Some((Some(piece), _)) = codes.read_board((i << 1 | 1) as u8) {
            form.after_first.0[i] = piece as u8;
        }
        i += 1;
    }
    form
}

// Tables for the last part of the stream: what is in the hands and in the box.

/// The codes of a hand or of the box, by count.
pub(crate) struct OffBoard {
    /// The codes of all pieces of each kind, and the length of one; by kind.
    pub(crate) repeated: [(u64, u32); 8],
    /// [`entry`] of lances, knights and silvers, by the bits [`LANCES_KNIGHTS_SILVERS`] of a
    /// hand.
    pub(crate) lances_knights_silvers: [u64; 512],
    /// [`entry`] of golds, bishops and rooks, by the bits [`BISHOPS_ROOKS_GOLDS`] of a hand.
    pub(crate) golds_bishops_rooks: [u64; 128],
}

/// Number of bits that [`lookup`] looks at.
pub(crate) const LOOKUP_BITS: u32 = 10;
/// Bits of a hand in [`lookup`].
pub(crate) const HAND_BITS: u32 = 28;

/// Table of the codes off the board by the 10 bits that begin with them: the pieces that they add to
/// black's hand (bits as in [`Hand::bits`]), to white's (28 bits further up), and from bit 56 on the
/// number of bits they take. Zero when there is not one whole code.
pub(crate) const fn lookup(codes: &Codes) -> [u64; 1 << LOOKUP_BITS] {
    let mut table = [0; 1 << LOOKUP_BITS];
    let mut bits = 0;
    while bits < table.len() {
        let mut at = 0;
        while let Some((place, len)) = codes.read_in_hand((bits >> at) as u8) {
            if at + len > LOOKUP_BITS as usize {
                break;
            }
            if let InHand::Hand(color, kind) = place {
                table[bits] += 1 << (SHIFT[kind as usize] + HAND_BITS * color as u32);
            }
            at += len;
        }
        table[bits] |= (at as u64) << (2 * HAND_BITS);
        bits += 1;
    }
    table
}

/// Addend of one code of a hand to the result of [`lookup`], by its number in [`numbers`]; zero for the
/// last.
pub(crate) const STEPS: [u64; 16] = {
    let mut steps = [0; 16];
    let mut i = 0;
    while i < 2 * HandKind::ALL.len() {
        let (color, kind) = (i / 7, HandKind::ALL[i % 7]);
        let (_, len) = code(&HCP, Some(Color::ALL[color]), kind);
        steps[i] = (len as u64) << (2 * HAND_BITS);
        steps[i] |= 1 << (SHIFT[kind as usize] + HAND_BITS * color as u32);
        i += 1;
    }
    steps
};

/// The number in [`STEPS`] of the hand's code that seven bits begin with, and above it, from bit 4 on, the
/// code's length. The last number and no length for anything else, the box included.
pub(crate) const fn numbers(codes: &Codes) -> [u8; 128] {
    let mut table = [STEPS.len() as u8 - 1; 128];
    let mut bits = 0;
    while bits < table.len() {
        if let Some((InHand::Hand(color, kind), len)) = codes.read_in_hand(bits as u8) {
            assert!(len <= 7);
            table[bits] = (len << 4) as u8 | (7 * color as u8 + kind as u8 - 1);
        }
        bits += 1;
    }
    table
}

/// Bits of [`stop`].
pub(crate) const STOP_BITS: u32 = 7;

/// [`STOP_BITS`] bits that begin with no code.
pub(crate) const fn stop(codes: &Codes) -> u64 {
    let mut bits = 127;
    while codes.read_in_hand(bits).is_some() {
        bits -= 1;
    }
    bits as u64
}

impl OffBoard {
    /// The codes of `color`'s hand, or of the box for `None`.
    pub(crate) const fn new(codes: &Codes, color: Option<Color>) -> Self {
        use HandKind::{Bishop, Gold, Knight, Lance, Rook, Silver};
        let mut table = Self {
            repeated: [(0, 0); 8],
            lances_knights_silvers: [0; 512],
            golds_bishops_rooks: [0; 128],
        };
        let mut i = 0;
        while i < HandKind::ALL.len() {
            let kind = HandKind::ALL[i];
            let set = kind.piece_kind().set_count() as usize;
            let (bits, len) = repeat(code(codes, color, kind), set, (0, 0));
            table.repeated[kind as usize] = (bits, (len / set) as u32);
            i += 1;
        }
        let mut i = 0;
        while i < 512 {
            let (lances, knights, silvers) = (i & 7, i >> 3 & 7, i >> 6);
            // All twelve, sixty bits, do not fit: their length will be missed.
            if lances <= 4 && knights <= 4 && silvers <= 4 && lances + knights + silvers < 12 {
                let bits = repeat(code(codes, color, Lance), lances, (0, 0));
                let bits = repeat(code(codes, color, Knight), knights, bits);
                let bits = repeat(code(codes, color, Silver), silvers, bits);
                table.lances_knights_silvers[i] = entry(bits);
            }
            i += 1;
        }
        let mut i = 0;
        while i < 128 {
            let (bishops, rooks, golds) = (i & 3, i >> 2 & 3, i >> 4);
            if bishops <= 2 && rooks <= 2 && golds <= 4 {
                let bits = repeat(code(codes, color, Gold), golds, (0, 0));
                let bits = repeat(code(codes, color, Bishop), bishops, bits);
                let bits = repeat(code(codes, color, Rook), rooks, bits);
                table.golds_bishops_rooks[i] = entry(bits);
            }
            i += 1;
        }
        table
    }
}

/// `bits` with `count` codes appended; lengths beside the bits.
const fn repeat(
    (code, len): (u64, usize),
    count: usize,
    (mut bits, mut at): (u64, usize),
) -> (u64, usize) {
    let mut i = 0;
    while i < count {
        bits |= code << at;
        at += len;
        i += 1;
    }
    (bits, at)
}
