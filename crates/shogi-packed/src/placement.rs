//! A packed position that has been read and checked.

use shogi_core::{ByColor, Color, Hand, HandKind, Piece, Square};

use crate::attack::Change;
use crate::board::{Board, Header};
use crate::form::{Form, HCP_FORM};
use crate::moves::Moves;
use crate::off_board::Codes64;
use crate::{FEW, NO_KING, PackError, UnpackError, attack, board, off_board, plain, wide};

/// A packed position that has been read and checked: what converting needs, at a fraction of the
/// time that a [`Position`](shogi_core::Position) takes to build.
///
/// The rules are those of [`Position::from_setup`](shogi_core::Position::from_setup): whatever is a `Placement` is a `Position`.
///
/// ```
/// use shogi_core::{MoveText, Position};
/// use shogi_packed::{Hcp, PackedSfen, Placement};
/// let hcp = Hcp::encode(&Position::startpos())?;
/// let placement = Placement::from_hcp(&hcp)?;
/// let text = MoveText::from_usi("7g7f").expect("a move");
/// assert!(placement.is_legal(text));
/// assert_eq!(placement.to_packed_sfen()?, PackedSfen::encode(&Position::startpos())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Placement {
    pub(crate) header: Header,
    pub(crate) board: Board,
    pub(crate) hands: ByColor<Hand>,
    /// Number of pieces of each kind missing from a full set, pawns in the lowest byte.
    pub(crate) missing: u64,
    /// The stream as it was read.
    pub(crate) words: [u64; 4],
    /// The form in which it was read.
    pub(crate) form: &'static Form,
}

/// [`FEW`] positions being read.
pub(crate) struct Few {
    /// A move in each.
    pub(crate) moves: Moves,
    /// The positions.
    pub(crate) placements: [Placement; FEW],
    /// True for those that are valid positions.
    pub(crate) good: [bool; FEW],
    /// True for the valid positions whose move is legal.
    pub(crate) legal: [bool; FEW],
    /// The positions in the form that is wanted.
    pub(crate) written: [[u8; 32]; FEW],
    /// True for those that have been written; the others are left to [`Placement::write_any`].
    pub(crate) is_written: [bool; FEW],
}

/// The pieces of a full set, a byte a kind, pawns lowest.
pub(crate) const FULL_SET: u64 = {
    let mut set = 0;
    let mut i = 0;
    while i < HandKind::ALL.len() {
        set |= (HandKind::ALL[i].piece_kind().set_count() as u64) << (8 * i);
        i += 1;
    }
    set
};
/// The uppermost bit of each byte.
const SIGNS: u64 = 0x0080_8080_8080_8080;

impl Placement {
    /// A board without a piece, to read positions into; black to move.
    pub fn empty() -> Self {
        Self {
            header: Header {
                side: Color::Black,
                kings: ByColor([NO_KING; 2]),
            },
            board: Board::EMPTY,
            hands: ByColor([Hand::EMPTY; 2]),
            missing: FULL_SET,
            words: [0; 4],
            form: &HCP_FORM,
        }
    }

    /// Reads and checks on any processor; `false` when it is no position.
    pub(crate) fn read_plain(&mut self, bytes: &[u8; 32], form: &'static Form) -> bool {
        let words = wide::from_bytes(bytes);
        let Some(header) = Header::read(bytes) else {
            return false;
        };
        let Some(board) = board::read(&words, header, form) else {
            return false;
        };
        let Some(hands) = off_board::read(&words, 256 - board.end, form).get() else {
            return false;
        };
        let counts = board.squares.counts() + off_board::counts(hands, wide::deposit);
        let Some(missing) = missing(counts) else {
            return false;
        };
        let king = header.kings[header.side.flip()];
        let (us, squares) = (header.side, &board.squares);
        if king != NO_KING && attack::is_attacked(squares, us, king.into(), Change::NONE) {
            return false;
        }
        self.header = header;
        self.board = board;
        self.hands = hands;
        self.missing = missing;
        self.words = words;
        self.form = form;
        true
    }

    /// The player to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.header.side
    }

    /// Returns the square of `color`'s king; `None` when there is none.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.header.king(color)
    }

    /// The pieces in `color`'s hand.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// The piece on `square`, if any.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board.squares.piece_on(square)
    }

    /// The bits of the board in `form`.
    fn board_bits(&self, form: &Form) -> [u64; 4] {
        let mut words = if form.color_first == self.form.color_first {
            self.words
        } else {
            exchanged(&self.words, &self.board.starts)
        };
        for (i, word) in words.iter_mut().enumerate() {
            let kept = self.board.end.saturating_sub(64 * i as u32);
            *word &= !u64::MAX.unbounded_shl(kept);
        }
        words
    }

    /// Writes the position; every case.
    pub(crate) fn write_any(&self, form: &Form, bytes: &mut [u8; 32]) -> Result<(), PackError> {
        let mut words = self.board_bits(form);
        let boxed = off_board::boxed(self.missing, wide::extract);
        let end = off_board::write(&mut words, self.board.end, self.hands, boxed, form);
        *bytes = wide::to_bytes(words);
        match end {
            256 => Ok(()),
            bits => Err(PackError::MissingKing {
                bits: bits as usize,
            }),
        }
    }

    /// Writes the position on any processor, if the box is empty and neither hand too full; `false` otherwise.
    pub(crate) fn write_plain(&self, form: &Form, bytes: &mut [u8; 32]) -> bool {
        let mut words = self.board_bits(form);
        let hand = |i: usize| Codes64::hand(&form.off_board[i], self.hands.0[i], wide::extract);
        let (black, white) = (hand(0), hand(1));
        let at = self.board.end + black.len;
        wide::place(&mut words, self.board.end, black.bits);
        wide::place(&mut words, at, white.bits);
        *bytes = wide::to_bytes(words);
        black.len <= 64 && white.len <= 64 && at + white.len == 256
    }
}

/// Returns the pieces of a full set that `counts` lacks, a byte a kind, pawns lowest; `None` when
/// `counts` has more than a set of any kind.
#[inline(always)]
pub(crate) fn missing(counts: u64) -> Option<u64> {
    let missing = (FULL_SET | SIGNS) - counts;
    (missing & SIGNS == SIGNS).then_some(missing & !SIGNS)
}

/// The stream with the codes on the board changed into those of the other form.
///
/// They differ by neighbouring bits that change places: the third and fourth of every piece, the
/// fifth and sixth of lances, knights and silvers, the last two of bishops and rooks. Where these two
/// bits are equal in all codes, changing them does no harm.
fn exchanged(words: &[u64; 4], starts: &[u64; 4]) -> [u64; 4] {
    let down = |words: &[u64; 4], by: u32| {
        let [a, b, c, d] = *words;
        let joined = |low: u64, high: u64| low >> by | high << (64 - by);
        [joined(a, b), joined(b, c), joined(c, d), d >> by]
    };
    let up = |words: &[u64; 4], by: u32| {
        let [a, b, c, d] = *words;
        let joined = |low: u64, high: u64| low >> (64 - by) | high << by;
        [a << by, joined(a, b), joined(b, c), joined(c, d)]
    };
    let zip = |a: &[u64; 4], b: &[u64; 4], f: fn(u64, u64) -> u64| {
        [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
    };
    let and = |a: &[u64; 4], b: &[u64; 4]| zip(a, b, |a, b| a & b);
    let pieces = and(words, starts);
    let long = and(&pieces, &down(words, 1));
    let upper = and(&long, &and(&down(words, 2), &down(words, 3)));
    let middle = zip(&long, &upper, |a, b| a & !b);
    let longest = and(&upper, &down(words, 4));
    let or_up = |a: &[u64; 4], b: &[u64; 4]| zip(a, &up(b, 2), |a, b| a | b);
    let pairs = up(&or_up(&pieces, &or_up(&middle, &longest)), 2);
    let differ = and(&zip(words, &down(words, 1), |a, b| a ^ b), &pairs);
    zip(
        &zip(words, &differ, |a, b| a ^ b),
        &up(&differ, 1),
        |a, b| a ^ b,
    )
}

/// Returns the reason why bytes cannot be read.
#[cold]
#[inline(never)]
pub(crate) fn why_not(bytes: &[u8; 32], form: &Form) -> UnpackError {
    match plain::decode_plain(bytes, form) {
        Err(error) => error,
        Ok(position) => unreachable!("{position} is a position"),
    }
}
