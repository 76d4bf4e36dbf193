//! The codes of one packed form in the shapes that the fast ways look up.

use crate::PackedForm;
use crate::moves::{self, MoveForm};
use crate::off_board_tables::{LOOKUP_BITS, OffBoard, lookup, numbers, stop};
use crate::wide::Aligned;
use shogi_core::packed::codes::{Codes, HCP, PACKED_SFEN, entry};
use shogi_core::{Color, Piece, PieceKind};

/// One of the two packed forms.
pub(crate) struct Form {
    /// Which it is.
    pub(crate) kind: PackedForm,
    /// All codes, to read or write one at a time.
    pub(crate) codes: &'static Codes,
    /// Where the moves of the same family have what.
    pub(crate) moves: MoveForm,
    /// Whether the colour bit comes before the promotion bit.
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
    /// What codes off the board 10 bits begin with, see [`lookup`].
    pub(crate) off_board_lookup: [u64; 1 << LOOKUP_BITS],
    /// The number of the hand's code that seven bits begin with, see [`numbers`].
    pub(crate) in_hand: Aligned<[u8; 128]>,
    /// Seven bits that begin with no code off the board.
    pub(crate) stop: u64,
}

/// YaneuraOu's form.
pub(crate) static PACKED_SFEN_FORM: Form = form(
    PackedForm::PackedSfen,
    &PACKED_SFEN,
    moves::YANEURAOU,
    false,
);
/// Apery's form.
pub(crate) static HCP_FORM: Form = form(PackedForm::Hcp, &HCP, moves::APERY, true);

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

const fn form(kind: PackedForm, codes: &'static Codes, moves: MoveForm, color_first: bool) -> Form {
    let mut form = Form {
        kind,
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
