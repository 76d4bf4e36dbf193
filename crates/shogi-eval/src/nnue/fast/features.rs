//! What is different between two positions, as features: more than a move, such as a position seen
//! some time ago with the king on the same square, or the empty board.

use shogi_core::{ByColor, Color, HandKind, Piece, PieceKind, Position, Square};

use crate::nnue::features::{
    BoardFeatures, Codes, FeatureIndexer, FeatureSet, PLACES, attack_feature,
};
use crate::nnue::simd::{FeatureList, Isa};
use crate::{BonaPiece, PieceList, seen_by};

/// What a move or more changes.
#[derive(Clone, Debug)]
pub(super) struct Differences {
    pub(super) removed: FeatureList,
    pub(super) added: FeatureList,
}

impl Differences {
    pub(super) const NONE: Self = Self {
        removed: FeatureList::EMPTY,
        added: FeatureList::EMPTY,
    };
}

/// Everything that the features of a perspective depend on, besides its own king's square.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    board: Codes,
    /// Attacks on each piece, for sets that care (see [`attack_feature`]).
    attacks: Codes,
    /// A bit for each piece in hand, by its number as a [`BonaPiece`].
    in_hand: u128,
    kings: ByColor<Option<Square>>,
    /// Whether there is a position at all.
    is_known: bool,
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
    pub(super) perspective: Color,
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

/// Where `perspective`'s king is as it sees it. A king that is not there has its place at home.
#[inline(always)]
pub(super) fn own_king(position: &Position, perspective: Color) -> Square {
    let king = position.king(perspective);
    king.map_or(Square::S5I, |king| seen_by(perspective, king))
}

/// Nothing, not even a missing piece: no feature is on.
pub(super) static NOTHING: Contents = Contents::EMPTY;

impl Contents {
    /// As [`NOTHING`].
    pub(super) const EMPTY: Self = Self {
        board: [0; PLACES],
        attacks: [0; PLACES],
        in_hand: 0,
        kings: ByColor([None; 2]),
        is_known: false,
        missing: 0,
    };

    /// Becomes what both players see of `position`; [`Self::set_view`] is to follow.
    #[inline(always)]
    pub(super) fn set_board(&mut self, position: &Position) {
        for (code, piece) in self.board.iter_mut().zip(position.board()) {
            *code = piece.map_or(0, |piece| piece as u8);
        }
        self.kings = ByColor(Color::ALL.map(|color| position.king(color)));
        self.is_known = true;
    }

    /// Becomes the contents of `seen`, a view of the same position.
    #[inline(always)]
    pub(super) fn set_view(&mut self, seen: Seen<'_>) {
        if seen.set.depends_on_attacks() {
            self.attacks = [0; PLACES];
            for square in seen.position.occupied() {
                let attacks = attack_feature(seen.position, square, seen.perspective);
                self.attacks[square.index()] = attacks;
            }
        }
        self.in_hand = 0;
        // The perspective's own hand first, as if that were black's: so places are known when this is compiled.
        let owners = [seen.perspective, seen.perspective.flip()];
        for (owner, same) in owners.into_iter().zip(Color::ALL) {
            let hand = seen.position.hand(owner);
            if !hand.is_empty() {
                for kind in HandKind::ALL {
                    let first = BonaPiece::in_hand(kind, same, 1, Color::Black).index();
                    let pieces = (1u64 << hand.count(kind)) - 1;
                    self.in_hand |= u128::from(pieces) << first;
                }
            }
        }
        self.missing = seen.missing;
    }

    /// Writes to `differences` which features are on in `self` and off in `new`, the contents of
    /// `seen`, and which the other way round.
    #[inline(always)]
    pub(super) fn compare<I: Isa>(
        &self,
        isa: I,
        new: &Self,
        seen: Seen<'_>,
        differences: &mut Differences,
    ) {
        differences.removed.clear();
        differences.added.clear();
        let features = BoardFeatures::new(seen.set, seen.perspective, seen.own_king);
        if seen.set.depends_on_attacks() {
            self.compare_attacks(new, seen, &features, differences);
        } else {
            isa.list_pieces(&features, &self.board, &new.board, &mut differences.removed);
            isa.list_pieces(&features, &new.board, &self.board, &mut differences.added);
        }
        if seen.set.has_pieces() {
            list_hand(
                features.base,
                self.in_hand & !new.in_hand,
                &mut differences.removed,
            );
            list_hand(
                features.base,
                new.in_hand & !self.in_hand,
                &mut differences.added,
            );
        }
        // Nothing at all has no king to be absent.
        let lacks_king =
            |contents: &Self| contents.is_known && contents.kings.0.iter().any(Option::is_none);
        if seen.set == FeatureSet::KA2 || lacks_king(self) || lacks_king(new) {
            self.compare_kings(new, seen, differences);
        }
        if self.missing != new.missing {
            self.compare_missing(new, seen, differences);
        }
    }

    /// As [`Isa::list_pieces`], both ways, for a set whose features depend on attacks.
    fn compare_attacks(
        &self,
        new: &Self,
        seen: Seen<'_>,
        features: &BoardFeatures,
        differences: &mut Differences,
    ) {
        let stride = seen.set.attack_stride();
        for at in 0..Square::COUNT {
            let contents = |contents: &Self| (contents.board[at], contents.attacks[at]);
            let (old, new) = (contents(self), contents(new));
            if old == new {
                continue;
            }
            let lists = [
                (&mut differences.removed, old),
                (&mut differences.added, new),
            ];
            for (list, (code, attacks)) in lists {
                let (feature, is_there) = features.feature(code, at);
                if is_there {
                    list.push(feature + u32::from(attacks) * stride);
                }
            }
        }
    }

    /// What the board does not show of kings: those that are not there, and second features of those
    /// that are.
    #[cold]
    fn compare_kings(&self, new: &Self, seen: Seen<'_>, differences: &mut Differences) {
        let indexer = FeatureIndexer::new(seen.set, seen.own_king);
        let sides = [
            (self, &mut differences.removed),
            (new, &mut differences.added),
        ];
        for (contents, list) in sides {
            if contents.is_known {
                for owner in Color::ALL {
                    let king = contents.kings[owner];
                    king_features(&indexer, seen.perspective, owner, king, list);
                }
            }
        }
    }

    #[cold]
    fn compare_missing(&self, new: &Self, seen: Seen<'_>, differences: &mut Differences) {
        let indexer = FeatureIndexer::new(seen.set, seen.own_king);
        for _ in new.missing..self.missing {
            indexer.for_each(BonaPiece::NONE, |feature| differences.removed.push(feature));
        }
        for _ in self.missing..new.missing {
            indexer.for_each(BonaPiece::NONE, |feature| differences.added.push(feature));
        }
    }
}

#[inline(always)]
fn list_hand(base: u32, mut pieces: u128, list: &mut FeatureList) {
    while pieces != 0 {
        list.push(base + pieces.trailing_zeros());
        pieces &= pieces - 1;
    }
}

/// The features of a king that the board does not show: all when it is taken to stand at home, else
/// the second.
pub(super) fn king_features(
    indexer: &FeatureIndexer,
    perspective: Color,
    owner: Color,
    square: Option<Square>,
    list: &mut FeatureList,
) {
    let king =
        |square| BonaPiece::on_board(Piece::new(owner, PieceKind::King), square, perspective);
    match square {
        None => {
            let home = seen_by(owner, Square::S5I);
            indexer.for_each(king(home), |feature| list.push(feature));
        }
        Some(square) => {
            if let Some(feature) = indexer.second_feature(king(square).index()) {
                list.push(feature);
            }
        }
    }
}
