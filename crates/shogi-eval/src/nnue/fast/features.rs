//! What is different between two positions, as features: more than a move, such as a position seen
//! some time ago with the king on the same square, or the empty board.

use shogi_core::{ByColor, Color, Hand, HandKind, Piece, PieceKind, Position, Square};

use crate::nnue::features::{FeatureSet, Perspective, attack_feature};
use crate::{BonaPiece, PieceList, seen_by};

/// Features. There is room for more than can change.
#[derive(Clone, Debug)]
pub(super) struct FeatureList {
    features: [u32; Self::ROOM],
    len: usize,
}

impl FeatureList {
    const ROOM: usize = 128;

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.features[..self.len.min(Self::ROOM)]
    }
}

/// What a move or more changes.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    pub(super) removed: FeatureList,
    pub(super) added: FeatureList,
}

impl Differences {
    pub(super) const NONE: Self = {
        const NONE: FeatureList = FeatureList {
            features: [0; FeatureList::ROOM],
            len: 0,
        };
        Self {
            removed: NONE,
            added: NONE,
        }
    };
}

/// Writes a list. Its length is in a register meanwhile.
struct Writer<'a, F> {
    features: &'a mut [u32; FeatureList::ROOM],
    len: usize,
    perspective: Perspective,
    /// Hears of each feature.
    announce: F,
}

impl<F: Fn(u32)> Writer<'_, F> {
    /// Adds what `piece` is as features, shifted by `offset`.
    #[inline(always)]
    fn push(&mut self, piece: usize, offset: u32) {
        let (feature, is_there) = self.perspective.feature(piece);
        // No branch: it is written always, and counted when it is there.
        self.write(feature + offset);
        self.len += usize::from(is_there);
        if let Some(feature) = self.perspective.second_feature(piece) {
            self.write(feature);
            self.len += 1;
        }
    }

    #[inline(always)]
    fn write(&mut self, feature: u32) {
        (self.announce)(feature);
        // Never that many, but this way it is seen without a check.
        self.features[self.len % FeatureList::ROOM] = feature;
    }
}

/// Squares, filled up to whole words.
const PLACES: usize = Square::COUNT.next_multiple_of(8);

/// Everything that features depend on, besides the own king's square.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    board: [Option<Piece>; Square::COUNT],
    /// Attacks on each piece, for sets that care (see [`attack_feature`]).
    attacks: [u8; Square::COUNT],
    hands: ByColor<Hand>,
    /// Kings that are taken to stand at home, as they are not on the board.
    absent_kings: ByColor<bool>,
    /// Pieces of a set that are not in the game, kings aside.
    missing: u8,
}

/// A position as seen by one player.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) position: &'a Position,
    /// Pieces of a set that are not in the game, kings aside.
    pub(super) missing: u8,
    pub(super) set: FeatureSet,
    pub(super) viewer: Color,
    pub(super) own_king: Square,
}

/// How many pieces of a set are not in the game, kings aside.
pub(super) fn missing_pieces(position: &Position) -> u8 {
    let kings = Color::ALL.map(|color| u32::from(position.king(color).is_some()));
    let in_hands = Color::ALL.map(|color| position.hand(color).len());
    let sum = |both: [u32; 2]| both.into_iter().sum::<u32>();
    let there = position.occupied().len() + sum(in_hands) - sum(kings);
    (PieceList::LEN as u32).saturating_sub(there) as u8
}

/// By viewer and number of a piece, its number as a [`BonaPiece`] on the viewer's first square.
static FIRST_SQUARE: [[u16; 32]; 2] = {
    let mut table = [[0; 32]; 2];
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < PieceKind::ALL.len() {
            let piece = Piece::new(Color::ALL[color], PieceKind::ALL[kind]);
            let mut viewer = 0;
            while viewer < 2 {
                let viewer_color = Color::ALL[viewer];
                let first = seen_by(viewer_color, Square::ALL[0]);
                let index = BonaPiece::on_board(piece, first, viewer_color).index();
                table[viewer][piece as usize] = index as u16;
                viewer += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    table
};

impl Contents {
    /// Nothing, not even a missing piece: no feature is on.
    pub(super) const EMPTY: Self = Self {
        board: [None; Square::COUNT],
        attacks: [0; Square::COUNT],
        hands: ByColor([Hand::EMPTY; 2]),
        absent_kings: ByColor([false; 2]),
        missing: 0,
    };

    /// Writes to `differences` which features were on and are off in `seen`, and which the other way
    /// round, and becomes the contents of `seen`. `announce` hears of each feature meanwhile, and
    /// perhaps of others that mean nothing.
    #[inline(always)]
    pub(super) fn change(
        &mut self,
        seen: Seen<'_>,
        differences: &mut Differences,
        announce: impl Fn(u32) + Copy,
    ) {
        let perspective = Perspective::new(seen.set, seen.own_king);
        let mut removed = Writer {
            features: &mut differences.removed.features,
            len: 0,
            perspective,
            announce,
        };
        let mut added = Writer {
            features: &mut differences.added.features,
            len: 0,
            perspective,
            announce,
        };
        self.change_board(seen, &mut removed, &mut added);
        self.change_others(seen, &mut removed, &mut added);
        let lens = [removed.len, added.len];
        [differences.removed.len, differences.added.len] = lens;
    }

    /// Hands, and what is on neither board nor hands.
    #[inline(always)]
    fn change_others<F: Fn(u32)>(
        &mut self,
        seen: Seen<'_>,
        removed: &mut Writer<'_, F>,
        added: &mut Writer<'_, F>,
    ) {
        for owner in Color::ALL {
            let (old, new) = (self.hands[owner], seen.position.hand(owner));
            if old != new {
                let piece = |kind, nth| BonaPiece::in_hand(kind, owner, nth, seen.viewer).index();
                for kind in HandKind::ALL {
                    let (old, new) = (old.count(kind), new.count(kind));
                    for nth in new + 1..=old {
                        removed.push(piece(kind, nth), 0);
                    }
                    for nth in old + 1..=new {
                        added.push(piece(kind, nth), 0);
                    }
                }
                self.hands[owner] = new;
            }
            let (old, new) = (
                self.absent_kings[owner],
                seen.position.king(owner).is_none(),
            );
            if old != new {
                let home = seen_by(owner, Square::S5I);
                let king = Piece::new(owner, PieceKind::King);
                let king = BonaPiece::on_board(king, home, seen.viewer).index();
                if new {
                    added.push(king, 0);
                } else {
                    removed.push(king, 0);
                }
                self.absent_kings[owner] = new;
            }
        }
        for _ in seen.missing..self.missing {
            removed.push(BonaPiece::NONE.index(), 0);
        }
        for _ in self.missing..seen.missing {
            added.push(BonaPiece::NONE.index(), 0);
        }
        self.missing = seen.missing;
    }

    #[inline(always)]
    fn change_board<F: Fn(u32)>(
        &mut self,
        seen: Seen<'_>,
        removed: &mut Writer<'_, F>,
        added: &mut Writer<'_, F>,
    ) {
        let code = |piece: Option<Piece>| piece.map_or(0, |piece| piece as u8);
        let board = seen.position.board();
        let mut different = [0; PLACES];
        for ((different, old), new) in different.iter_mut().zip(&self.board).zip(board) {
            *different = code(*old) ^ code(*new);
        }
        let mut attacks = [0; Square::COUNT];
        if seen.set.depends_on_attacks() {
            for square in seen.position.occupied() {
                let at = square.index();
                attacks[at] = attack_feature(seen.position, square, seen.viewer);
                different[at] |= attacks[at] ^ self.attacks[at];
            }
        }
        let stride = seen.set.attack_stride();
        let first = &FIRST_SQUARE[seen.viewer.index()];
        for (word, bytes) in different.as_chunks::<8>().0.iter().enumerate() {
            let mut bytes = u64::from_le_bytes(*bytes);
            while bytes != 0 {
                let byte = bytes.trailing_zeros() / 8;
                bytes &= !(0xff << (8 * byte));
                let at = (8 * word + byte as usize).min(Square::COUNT - 1);
                let square = match seen.viewer {
                    Color::Black => at,
                    Color::White => Square::COUNT - 1 - at,
                };
                let number = |piece: Piece| usize::from(first[piece as usize % 32]) + square;
                if let Some(piece) = self.board[at] {
                    removed.push(number(piece), u32::from(self.attacks[at]) * stride);
                }
                if let Some(piece) = board[at] {
                    added.push(number(piece), u32::from(attacks[at]) * stride);
                }
            }
        }
        self.board = *board;
        if seen.set.depends_on_attacks() {
            self.attacks = attacks;
        }
    }
}
