//! Piece kinds, pieces, and the kinds that can be in hand.

use std::fmt;

use crate::Color;

/// A kind of piece, without its owner. The numbers are the field's (YaneuraOu: `PieceType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceKind {
    /// 歩
    Pawn = 1,
    /// 香
    Lance = 2,
    /// 桂
    Knight = 3,
    /// 銀
    Silver = 4,
    /// 角
    Bishop = 5,
    /// 飛
    Rook = 6,
    /// 金
    Gold = 7,
    /// 玉
    King = 8,
    /// と
    ProPawn = 9,
    /// 成香
    ProLance = 10,
    /// 成桂
    ProKnight = 11,
    /// 成銀
    ProSilver = 12,
    /// 馬
    Horse = 13,
    /// 龍
    Dragon = 14,
}

/// Added to a kind's number by promotion.
pub(crate) const PROMOTION: u8 = 8;
/// Added to the numbers of white's pieces.
const WHITE: u8 = 16;

impl PieceKind {
    /// All kinds in order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::ProPawn,
        Self::ProLance,
        Self::ProKnight,
        Self::ProSilver,
        Self::Horse,
        Self::Dragon,
    ];

    /// The kind with this number.
    ///
    /// # Safety
    /// `number` is 1 to 14.
    #[inline(always)]
    #[allow(unsafe_code)]
    const unsafe fn from_number_unchecked(number: u8) -> Self {
        debug_assert!(number >= 1 && number <= 14);
        // SAFETY: the enum is `repr(u8)` with the discriminants 1..=14, and the caller guarantees
        // the range.
        unsafe { std::mem::transmute::<u8, Self>(number) }
    }

    /// Returns whether the kind can promote.
    #[inline(always)]
    pub const fn can_promote(self) -> bool {
        (self as u8) < Self::Gold as u8
    }

    /// The promoted form; `None` for gold, king and promoted pieces.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn promote(self) -> Option<Self> {
        if self.can_promote() {
            // SAFETY: pawn to rook are 1 to 6, so this is 9 to 14.
            Some(unsafe { Self::from_number_unchecked(self as u8 + PROMOTION) })
        } else {
            None
        }
    }

    /// The kind before promotion; the kind itself when it is not promoted.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn unpromote(self) -> Self {
        if self.is_promoted() {
            // SAFETY: promoted kinds are 9 to 14, so this is 1 to 6.
            unsafe { Self::from_number_unchecked(self as u8 - PROMOTION) }
        } else {
            self
        }
    }

    /// Returns whether it is a promoted piece.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self as u8 > 8
    }

    /// The kind that it becomes in the hand of the player who captures it; `None` for the king.
    #[inline(always)]
    pub const fn hand_kind(self) -> Option<HandKind> {
        static KINDS: [Option<HandKind>; 15] = {
            let mut table = [None; 15];
            let mut i = 0;
            while i < PieceKind::ALL.len() {
                let kind = PieceKind::ALL[i];
                table[kind as usize] = HandKind::from_piece_kind(kind.unpromote());
                i += 1;
            }
            table
        };
        KINDS[self as usize]
    }

    /// The group of kinds that it moves like.
    #[inline(always)]
    pub const fn move_class(self) -> MoveClass {
        // A table and not a `match`: the compiler turns the match into a jump, which is mispredicted
        // once for nearly every move made.
        static CLASSES: [MoveClass; 15] = {
            let mut table = [MoveClass::Gold; 15];
            table[PieceKind::Pawn as usize] = MoveClass::Pawn;
            table[PieceKind::Lance as usize] = MoveClass::Lance;
            table[PieceKind::Knight as usize] = MoveClass::Knight;
            table[PieceKind::Silver as usize] = MoveClass::Silver;
            table[PieceKind::Bishop as usize] = MoveClass::Bishop;
            table[PieceKind::Rook as usize] = MoveClass::Rook;
            table[PieceKind::King as usize] = MoveClass::King;
            table[PieceKind::Horse as usize] = MoveClass::Horse;
            table[PieceKind::Dragon as usize] = MoveClass::Dragon;
            table
        };
        CLASSES[self as usize]
    }

    /// Returns the number of ranks at the owner's far edge on which the piece could never move
    /// again, so that it may neither be dropped there nor arrive unpromoted: 1 for pawn and lance,
    /// 2 for the knight.
    #[inline(always)]
    pub const fn dead_ranks(self) -> u32 {
        match self {
            Self::Pawn | Self::Lance => 1,
            Self::Knight => 2,
            _ => 0,
        }
    }

    /// The number of pieces of the unpromoted kind in a full set, both players together (pawn 18 … king 2).
    pub const fn set_count(self) -> u8 {
        match self.unpromote() {
            Self::Pawn => 18,
            Self::Lance | Self::Knight | Self::Silver | Self::Gold => 4,
            _ => 2,
        }
    }

    /// The SFEN spelling for black, for example `P` or `+R`.
    pub const fn to_sfen(self) -> &'static str {
        match self {
            Self::Pawn => "P",
            Self::Lance => "L",
            Self::Knight => "N",
            Self::Silver => "S",
            Self::Bishop => "B",
            Self::Rook => "R",
            Self::Gold => "G",
            Self::King => "K",
            Self::ProPawn => "+P",
            Self::ProLance => "+L",
            Self::ProKnight => "+N",
            Self::ProSilver => "+S",
            Self::Horse => "+B",
            Self::Dragon => "+R",
        }
    }

    /// The one-character Japanese name, for boards shown to people.
    pub const fn to_kanji(self) -> char {
        match self {
            Self::Pawn => '歩',
            Self::Lance => '香',
            Self::Knight => '桂',
            Self::Silver => '銀',
            Self::Bishop => '角',
            Self::Rook => '飛',
            Self::Gold => '金',
            Self::King => '玉',
            Self::ProPawn => 'と',
            Self::ProLance => '杏',
            Self::ProKnight => '圭',
            Self::ProSilver => '全',
            Self::Horse => '馬',
            Self::Dragon => '龍',
        }
    }
}

/// Kinds that move alike: gold, promoted pawn, lance, knight and silver are one class.
///
/// The position keeps one bitboard for each class; which of the gold-like kinds a piece is stands
/// on the mailbox board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum MoveClass {
    Pawn,
    Lance,
    Knight,
    Silver,
    Bishop,
    Rook,
    Gold,
    King,
    Horse,
    Dragon,
}

impl MoveClass {
    /// Number of classes.
    pub const COUNT: usize = 10;

    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
        Self::King,
        Self::Horse,
        Self::Dragon,
    ];
}

/// A kind that can be held in hand, in the order of SFEN's and the packed forms' own lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum HandKind {
    Pawn = 1,
    Lance = 2,
    Knight = 3,
    Silver = 4,
    Bishop = 5,
    Rook = 6,
    Gold = 7,
}

impl HandKind {
    /// All kinds in order of their numbers: P L N S B R G.
    pub const ALL: [Self; 7] = [
        Self::Pawn,
        Self::Lance,
        Self::Knight,
        Self::Silver,
        Self::Bishop,
        Self::Rook,
        Self::Gold,
    ];

    /// The order in which SFEN lists hands: R B G S N L P.
    pub const SFEN_ORDER: [Self; 7] = [
        Self::Rook,
        Self::Bishop,
        Self::Gold,
        Self::Silver,
        Self::Knight,
        Self::Lance,
        Self::Pawn,
    ];

    /// The kind with this number, 1 (pawn) to 7 (gold).
    #[inline(always)]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Pawn),
            2 => Some(Self::Lance),
            3 => Some(Self::Knight),
            4 => Some(Self::Silver),
            5 => Some(Self::Bishop),
            6 => Some(Self::Rook),
            7 => Some(Self::Gold),
            _ => None,
        }
    }

    /// The same kind as a hand kind; `None` for kings and promoted pieces.
    #[inline(always)]
    pub const fn from_piece_kind(kind: PieceKind) -> Option<Self> {
        Self::from_number(kind as u8)
    }

    /// The same kind on the board.
    #[inline(always)]
    pub const fn piece_kind(self) -> PieceKind {
        match self {
            Self::Pawn => PieceKind::Pawn,
            Self::Lance => PieceKind::Lance,
            Self::Knight => PieceKind::Knight,
            Self::Silver => PieceKind::Silver,
            Self::Bishop => PieceKind::Bishop,
            Self::Rook => PieceKind::Rook,
            Self::Gold => PieceKind::Gold,
        }
    }

    /// The upper-case SFEN and USI letter.
    pub const fn to_usi(self) -> char {
        match self {
            Self::Pawn => 'P',
            Self::Lance => 'L',
            Self::Knight => 'N',
            Self::Silver => 'S',
            Self::Bishop => 'B',
            Self::Rook => 'R',
            Self::Gold => 'G',
        }
    }

    /// The kind of an upper-case USI letter.
    pub const fn from_usi(letter: char) -> Option<Self> {
        match letter {
            'P' => Some(Self::Pawn),
            'L' => Some(Self::Lance),
            'N' => Some(Self::Knight),
            'S' => Some(Self::Silver),
            'B' => Some(Self::Bishop),
            'R' => Some(Self::Rook),
            'G' => Some(Self::Gold),
            _ => None,
        }
    }
}

macro_rules! pieces {
    ($($black:ident $white:ident $kind:ident),* $(,)?) => {
        /// A piece on the board: kind and owner. Black pieces are 1 to 14, white ones 17 to 30
        /// (kind + 16), as in the field's own code.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Piece {
            $($black = PieceKind::$kind as u8,)*
            $($white = PieceKind::$kind as u8 + WHITE,)*
        }

        impl Piece {
            /// All 28 pieces, black's first.
            pub const ALL: [Self; 28] = [$(Self::$black,)* $(Self::$white,)*];
        }
    };
}

pieces! {
    BlackPawn WhitePawn Pawn,
    BlackLance WhiteLance Lance,
    BlackKnight WhiteKnight Knight,
    BlackSilver WhiteSilver Silver,
    BlackBishop WhiteBishop Bishop,
    BlackRook WhiteRook Rook,
    BlackGold WhiteGold Gold,
    BlackKing WhiteKing King,
    BlackProPawn WhiteProPawn ProPawn,
    BlackProLance WhiteProLance ProLance,
    BlackProKnight WhiteProKnight ProKnight,
    BlackProSilver WhiteProSilver ProSilver,
    BlackHorse WhiteHorse Horse,
    BlackDragon WhiteDragon Dragon,
}

impl Piece {
    /// Size of an array indexed by [`Piece::index`].
    pub const INDEX_LIMIT: usize = 31;

    /// The piece with this number.
    ///
    /// # Safety
    /// `number` is 1 to 14 or 17 to 30.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) const unsafe fn from_number_unchecked(number: u8) -> Self {
        debug_assert!(number & 15 >= 1 && number & 15 <= 14 && number < 32);
        // SAFETY: the enum is `repr(u8)` with just these discriminants, and the caller guarantees
        // that the number is one of them.
        unsafe { std::mem::transmute::<u8, Self>(number) }
    }

    /// The contents of squares with the pieces of these numbers, 0 for none.
    ///
    /// # Safety
    /// Each number is 0, 1 to 14, or 17 to 30.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const unsafe fn from_numbers_unchecked<const N: usize>(
        numbers: [u8; N],
    ) -> [Option<Self>; N] {
        const {
            // SAFETY: both are one byte, and every byte is a `u8`.
            let empty = unsafe { std::mem::transmute::<Option<Self>, u8>(None) };
            assert!(empty == 0);
        }
        // SAFETY: arrays of one-byte items. `Some` of a piece is the piece's byte, `None` is the one
        // left over that was just checked, and the caller guarantees that there are no others.
        unsafe { std::mem::transmute_copy(&numbers) }
    }

    /// The piece of `color` and `kind`.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        // SAFETY: a kind is 1 to 14, and white adds 16.
        unsafe { Self::from_number_unchecked(kind as u8 + WHITE * color as u8) }
    }

    /// The kind.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub const fn kind(self) -> PieceKind {
        // SAFETY: without white's 16, the number of a piece is its kind's.
        unsafe { PieceKind::from_number_unchecked(self as u8 & (WHITE - 1)) }
    }

    /// The owner.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if (self as u8) < WHITE {
            Color::Black
        } else {
            Color::White
        }
    }

    /// The piece's number: 1 to 14 for black, 17 to 30 for white.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The promoted form, if there is one.
    #[inline(always)]
    pub const fn promote(self) -> Option<Self> {
        match self.kind().promote() {
            Some(kind) => Some(Self::new(self.color(), kind)),
            None => None,
        }
    }

    /// The same kind owned by the other player.
    pub const fn flip_color(self) -> Self {
        Self::new(self.color().flip(), self.kind())
    }

    /// The piece of one unpromoted SFEN letter: upper case is black's.
    pub const fn from_sfen(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_lowercase() {
            Color::White
        } else {
            Color::Black
        };
        let kind = match letter.to_ascii_uppercase() {
            'K' => PieceKind::King,
            upper => match HandKind::from_usi(upper) {
                Some(kind) => kind.piece_kind(),
                None => return None,
            },
        };
        Some(Self::new(color, kind))
    }
}

impl fmt::Display for Piece {
    /// SFEN spelling: `P`, `p`, `+R`, `+r`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.kind().to_sfen().chars() {
            let c = if self.color() == Color::White {
                c.to_ascii_lowercase()
            } else {
                c
            };
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_kind_and_color() {
        for piece in Piece::ALL {
            assert_eq!(Piece::new(piece.color(), piece.kind()), piece);
            assert_eq!(
                piece.index(),
                piece.kind() as usize + 16 * piece.color().index()
            );
            assert_eq!(piece.flip_color().flip_color(), piece);
            if let Some(promoted) = piece.promote() {
                assert_eq!(promoted.kind().unpromote(), piece.kind());
                assert!(promoted.kind().is_promoted() && !piece.kind().is_promoted());
            }
        }
        assert_eq!(Piece::from_sfen('r'), Some(Piece::WhiteRook));
        assert_eq!(Piece::from_sfen('x'), None);
        assert_eq!(Piece::WhiteDragon.to_string(), "+r");
    }
}
