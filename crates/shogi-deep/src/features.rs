//! The input planes of dlshogi's networks.
//!
//! Source of the layout: dlshogi (`DeepLearningShogi`), `cppshogi`'s input features; the 119 planes are those of its WCSC35 edition.

use shogi_core::{Bitboard, Color, HandKind, PieceKind, Position, Square, attacks};

/// Planes of the board (`input1`): 31 for each side, the side to move first.
pub const BOARD_PLANES: usize = 62;
const SIDE_PLANES: usize = BOARD_PLANES / 2;
/// First plane of the squares that pieces of a kind attack.
const ATTACKS: usize = 14;
/// First plane of the squares that at least one, two, three pieces attack.
const ATTACKERS: usize = 28;
const BOARD_BITS: usize = BOARD_PLANES * Square::COUNT;
const WORDS: usize = BOARD_BITS.div_ceil(64);
const BOARD_BYTES: usize = BOARD_BITS.div_ceil(8);

/// The planes of hands and checks that a network wants (`input2`), each the same on all squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat {
    /// 57 planes: hands, and whether the side to move is in check.
    Wcsc28,
    /// 119 planes: the same, then how far both sides are from declaring a win by an entered king.
    Wcsc35,
}

impl InputFormat {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Wcsc28, Self::Wcsc35];

    /// Number of planes.
    pub const fn planes(self) -> usize {
        match self {
            Self::Wcsc28 => 57,
            Self::Wcsc35 => 119,
        }
    }

    /// The format that has so many planes.
    pub(crate) const fn with_planes(planes: usize) -> Option<Self> {
        match planes {
            57 => Some(Self::Wcsc28),
            119 => Some(Self::Wcsc35),
            _ => None,
        }
    }

    /// The bits of its planes.
    const fn mask(self) -> u128 {
        (1 << self.planes()) - 1
    }

    /// The name in the option `ModelArchitecture` of the field's engines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wcsc28 => "dlshogi-WCSC28",
            Self::Wcsc35 => "dlshogi-WCSC35",
        }
    }
}

/// Pieces in hand in the order of their planes, and the planes that each has.
const HANDS: [(HandKind, usize); 7] = [
    (HandKind::Pawn, 8),
    (HandKind::Lance, 4),
    (HandKind::Knight, 4),
    (HandKind::Silver, 4),
    (HandKind::Gold, 4),
    (HandKind::Bishop, 2),
    (HandKind::Rook, 2),
];
const HAND_PLANES: usize = 28;
const CHECK_PLANE: usize = 56;
/// First plane of what concerns a declaration, 31 for each side.
const DECLARATION: usize = 57;
const DECLARATION_PLANES: usize = 31;

/// What a network sees of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPlanes {
    board: [u64; WORDS],
    state: u128,
}

impl InputPlanes {
    /// The planes of `position`, those of the larger [`InputFormat`].
    pub fn new(position: &Position) -> Self {
        let mut features = Self {
            board: [0; WORDS],
            state: 0,
        };
        for color in Color::ALL {
            features.set_board(position, color);
            features.set_hand(position, color);
            features.set_declaration(position, color);
        }
        features.state |= u128::from(position.in_check()) << CHECK_PLANE;
        features
    }

    /// A number that is almost certainly another one for other planes: FNV-1a over words, with the high bits mixed into the low ones.
    pub(crate) fn key(&self) -> u128 {
        const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let state = [self.state as u64, (self.state >> 64) as u64];
        let words = self.board.iter().chain(&state);
        words.fold(START, |hash, &word| {
            let hash = (hash ^ u128::from(word)).wrapping_mul(PRIME);
            hash ^ hash >> 64
        })
    }

    /// The bits that are set of the board's planes: plane × 81 + square, in order.
    pub fn board_bits(&self) -> impl Iterator<Item = usize> {
        self.board.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    word * 64 + bit
                })
            })
        })
    }

    /// The planes that are set of `format`'s other planes, in order.
    pub fn state_planes(&self, format: InputFormat) -> impl Iterator<Item = usize> {
        (0..format.planes()).filter(|&plane| self.state >> plane & 1 != 0)
    }

    /// Bytes of [`Self::write_bytes`] in this format.
    pub const fn byte_count(format: InputFormat) -> usize {
        BOARD_BYTES + format.planes().div_ceil(8)
    }

    /// Appends the planes as bits, the lowest of a byte first: 628 bytes of the board, then 8 or 15 of `format`'s other planes.
    pub fn write_bytes(&self, format: InputFormat, bytes: &mut Vec<u8>) {
        let board = self.board.iter().flat_map(|word| word.to_le_bytes());
        bytes.extend(board.take(BOARD_BYTES));
        let state = self.state & format.mask();
        bytes.extend(&state.to_le_bytes()[..format.planes().div_ceil(8)]);
    }

    /// [`Self::write_bytes`] into a place of [`Self::byte_count`] bytes.
    #[cfg(feature = "ort")]
    pub(crate) fn write_to(&self, format: InputFormat, bytes: &mut [u8]) {
        let (board, state) = bytes.split_at_mut(BOARD_BYTES);
        let (words, rest) = board.as_chunks_mut();
        for (bytes, word) in words.iter_mut().zip(&self.board) {
            *bytes = word.to_le_bytes();
        }
        rest.copy_from_slice(&self.board[WORDS - 1].to_le_bytes()[..rest.len()]);
        let planes = (self.state & format.mask()).to_le_bytes();
        state.copy_from_slice(&planes[..state.len()]);
    }

    /// Reads the bytes of [`Self::write_bytes`]; `None` when there are more or fewer, or a bit is set that stands for nothing. Planes that `format`
    /// does not have are empty.
    pub fn from_bytes(bytes: &[u8], format: InputFormat) -> Option<Self> {
        if bytes.len() != Self::byte_count(format) {
            return None;
        }
        let (board, state) = bytes.split_at(BOARD_BYTES);
        let mut words = [[0; 8]; WORDS];
        words.as_flattened_mut()[..BOARD_BYTES].copy_from_slice(board);
        let board = words.map(u64::from_le_bytes);
        let mut number = [0; 16];
        number[..state.len()].copy_from_slice(state);
        let state = u128::from_le_bytes(number);
        let is_whole = board[WORDS - 1] >> (BOARD_BITS % 64) == 0 && state & !format.mask() == 0;
        is_whole.then_some(Self { board, state })
    }

    fn set_board(&mut self, position: &Position, color: Color) {
        let side = side_of(position, color);
        let first = side * SIDE_PLANES;
        let turned = |set: Bitboard| match position.side_to_move() {
            Color::Black => set,
            Color::White => set.rotate(),
        };
        // Squares with at least one, two, three attackers.
        let mut attacked = [Bitboard::EMPTY; 3];
        for (number, kind) in PieceKind::ALL.into_iter().enumerate() {
            let pieces = position.pieces(color, kind);
            let mut by_kind = Bitboard::EMPTY;
            pieces.for_each(|square| {
                let here = attacks::attacks(color, kind.move_class(), square, position.occupied());
                attacked[2] |= attacked[1] & here;
                attacked[1] |= attacked[0] & here;
                attacked[0] |= here;
                by_kind |= here;
            });
            self.set_plane(first + number, turned(pieces));
            self.set_plane(first + ATTACKS + number, turned(by_kind));
        }
        for (number, set) in attacked.into_iter().enumerate() {
            self.set_plane(first + ATTACKERS + number, turned(set));
        }
    }

    fn set_plane(&mut self, plane: usize, set: Bitboard) {
        set.for_each(|square| {
            let bit = plane * Square::COUNT + square.index();
            self.board[bit / 64] |= 1 << (bit % 64);
        });
    }

    fn set_hand(&mut self, position: &Position, color: Color) {
        let mut plane = side_of(position, color) * HAND_PLANES;
        for (kind, planes) in HANDS {
            let count = usize::from(position.hand(color).count(kind)).min(planes);
            self.state |= ((1 << count) - 1) << plane;
            plane += planes;
        }
    }

    fn set_declaration(&mut self, position: &Position, color: Color) {
        let first = DECLARATION + side_of(position, color) * DECLARATION_PLANES;
        let zone = |square: &Square| square.is_promotion_zone(color);
        let mut inside = [0, 0];
        for square in position.color(color).into_iter().filter(zone) {
            match position.piece_on(square).map(shogi_core::Piece::kind) {
                Some(PieceKind::King) => self.state |= 1 << first,
                Some(kind) => inside[usize::from(is_big(kind))] += 1,
                None => {}
            }
        }
        let [small, big] = inside;
        // Values out of range set nothing.
        if (1..=10).contains(&(small + big)) {
            self.state |= 1 << (first + 1 + 10 - (small + big));
        }
        let hand = position.hand(color);
        let held = |big| {
            let kinds = hand
                .iter()
                .filter(move |(kind, _)| is_big(kind.piece_kind()) == big);
            kinds.map(|(_, count)| usize::from(count)).sum::<usize>()
        };
        let points = small + held(false) + 5 * (big + held(true));
        let needed = match color {
            Color::Black => 28,
            Color::White => 27,
        };
        if let Some(rest @ 0..20) = usize::checked_sub(needed, points) {
            self.state |= 1 << (first + 11 + rest);
        }
    }
}

/// 0 for the side to move, 1 for the other one.
fn side_of(position: &Position, color: Color) -> usize {
    usize::from(color != position.side_to_move())
}

/// Returns whether a piece counts five points in a declaration.
const fn is_big(kind: PieceKind) -> bool {
    matches!(kind.unpromote(), PieceKind::Bishop | PieceKind::Rook)
}
