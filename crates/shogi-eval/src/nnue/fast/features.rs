//! The active features of a position: all of them for a refresh, or those that differ from another position, which may be
//! more than a move away, such as an entry of the refresh cache.

use shogi_core::{Bitboard, ByColor, Color, Hand, HandKind, Piece, PieceKind, Position, Square};

use crate::nnue::features::{
    BoardFeatures, Codes, FeatureIndexer, FeatureSet, PLACES, attack_feature,
};
use crate::nnue::simd::{FeatureList, Isa};
use crate::{BonaPiece, PieceList, seen_by};

/// The features that are on, by perspective.
#[derive(Clone, Debug)]
pub(super) struct AllFeatures([FeatureList; 2]);

/// A position as both players see it.
#[derive(Clone, Copy)]
pub(super) struct SeenByBoth<'a> {
    pub(super) position: &'a Position,
    /// Pieces of a set that are not in the game, kings aside.
    pub(super) missing: u8,
    pub(super) set: FeatureSet,
    pub(super) views: [&'a BoardFeatures; 2],
}

impl AllFeatures {
    pub(super) const NONE: Self = Self([FeatureList::EMPTY; 2]);

    /// The features of `perspective`.
    #[inline(always)]
    pub(super) fn of(&self, perspective: Color) -> &[u32] {
        self.0[perspective.index()].as_slice()
    }

    /// Becomes those of `seen`.
    #[inline(always)]
    pub(super) fn list<I: Isa>(&mut self, isa: I, seen: SeenByBoth<'_>) {
        let (position, set) = (seen.position, seen.set);
        let squares = squares(seen);
        isa.list_board(seen.views, position.board(), squares, &mut self.0);
        if set.depends_on_attacks() {
            self.regard_attacks(seen, squares);
        }
        if set.has_pieces() {
            let [black, white] = Color::ALL.map(|color| position.hand(color));
            let bases = seen.views.map(|view| view.base);
            list_pieces_in_hand::<true>(black, bases[0], &mut self.0[0]);
            list_pieces_in_hand::<false>(white, bases[0], &mut self.0[0]);
            list_pieces_in_hand::<true>(white, bases[1], &mut self.0[1]);
            list_pieces_in_hand::<false>(black, bases[1], &mut self.0[1]);
        }
        let lacks_king = Color::ALL.map(|color| position.king(color).is_none());
        if set == FeatureSet::KA2 || lacks_king.contains(&true) {
            self.list_kings(seen);
        }
        if seen.missing > 0 {
            self.list_missing(seen);
        }
    }

    /// Takes the features under the attacks on the pieces on `squares`, of which just those under no attacks are
    /// listed.
    fn regard_attacks(&mut self, seen: SeenByBoth<'_>, squares: Bitboard) {
        for (perspective, list) in Color::ALL.into_iter().zip(&mut self.0) {
            for (square, feature) in squares.into_iter().zip(list.as_mut_slice()) {
                let attacks = attack_feature(seen.position, square, perspective);
                *feature += u32::from(attacks) * seen.set.attack_stride();
            }
        }
    }

    /// Lists the king features that the board does not show.
    #[cold]
    fn list_kings(&mut self, seen: SeenByBoth<'_>) {
        for (perspective, list) in Color::ALL.into_iter().zip(&mut self.0) {
            let indexer = FeatureIndexer::new(seen.set, own_king(seen.position, perspective));
            for owner in Color::ALL {
                let king = seen.position.king(owner);
                king_features(&indexer, perspective, owner, king, list);
            }
        }
    }

    #[cold]
    fn list_missing(&mut self, seen: SeenByBoth<'_>) {
        for (perspective, list) in Color::ALL.into_iter().zip(&mut self.0) {
            let indexer = FeatureIndexer::new(seen.set, own_king(seen.position, perspective));
            for _ in 0..seen.missing {
                indexer.for_each(BonaPiece::NONE, |feature| list.push(feature));
            }
        }
    }
}

/// The squares whose pieces are features.
#[inline(always)]
fn squares(seen: SeenByBoth<'_>) -> Bitboard {
    let mut kings = Bitboard::EMPTY;
    for color in Color::ALL {
        if let Some(king) = seen.position.king(color) {
            kings |= Bitboard::from_square(king);
        }
    }
    let occupied = seen.position.occupied();
    match (seen.set.has_pieces(), seen.views[0].has_kings()) {
        (true, true) => occupied,
        (true, false) => occupied ^ kings,
        (false, _) => kings,
    }
}

/// By kind, the first piece in the perspective's own hand, or in the other's.
const fn first_in_hand<const OWN: bool>() -> [u32; HandKind::ALL.len() + 1] {
    let mut first = [0; HandKind::ALL.len() + 1];
    let owner = if OWN { Color::Black } else { Color::White };
    let mut i = 0;
    while i < HandKind::ALL.len() {
        let kind = HandKind::ALL[i];
        let piece = BonaPiece::in_hand(kind, owner, 1, Color::Black);
        first[kind as usize] = piece.index() as u32;
        i += 1;
    }
    first
}

/// Appends the features of the perspective's own hand, or of the other's.
#[inline(always)]
fn list_pieces_in_hand<const OWN: bool>(hand: Hand, base: u32, list: &mut FeatureList) {
    if hand.is_empty() {
        return;
    }
    let first = const { first_in_hand::<OWN>() };
    let [pawns, others @ ..] = HandKind::ALL;
    list.push_run::<18>(base + first[pawns as usize], hand.count(pawns));
    for kind in others {
        list.push_run::<4>(base + first[kind as usize], hand.count(kind));
    }
}

/// The features that differ between two positions.
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
    /// True if there is a position at all.
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

/// The number of pieces of a set that are not in the game, kings aside.
pub(super) fn missing_pieces(position: &Position) -> u8 {
    let kings = Color::ALL.map(|color| u32::from(position.king(color).is_some()));
    let in_hands = Color::ALL.map(|color| position.hand(color).len());
    let sum = |both: [u32; 2]| both.into_iter().sum::<u32>();
    let there = position.occupied().len() + sum(in_hands) - sum(kings);
    (PieceList::LEN as u32).saturating_sub(there) as u8
}

/// The square of `perspective`'s king as it sees it. A king that is not there has its place at home.
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

    /// Lists the king features that the board does not show: those that are not there, and second features of those
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

#[cfg(test)]
mod tests {
    use shogi_core::Square;

    use super::*;
    use crate::PieceList;
    use crate::nnue::fast::features::missing_pieces;
    use crate::nnue::simd::{Kernel, Level};

    const POSITIONS: [&str; 6] = [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
        "4+B2K1/2+P1+R4/9/9/9/9/5+p3/3+r5/1k4+b2 b 2G2S3N4L2g2sn16p 1",
        "k8/9/9/9/9/9/9/9/8K b 2R2B4G4S4N4L18P 1",
    ];

    struct List<'a>(SeenByBoth<'a>);

    impl Kernel for List<'_> {
        type Output = AllFeatures;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> AllFeatures {
            let mut all = AllFeatures::NONE;
            all.list(isa, self.0);
            all
        }
    }

    #[test]
    fn they_are_those_of_the_list_of_pieces() {
        for sfen in POSITIONS {
            let position = Position::from_sfen(sfen).unwrap();
            let pieces = PieceList::new(&position);
            for set in FeatureSet::ALL {
                let king = |perspective: Color| -> Square { own_king(&position, perspective) };
                let views = Color::ALL
                    .map(|perspective| BoardFeatures::new(set, perspective, king(perspective)));
                let seen = SeenByBoth {
                    position: &position,
                    missing: missing_pieces(&position),
                    set,
                    views: views.each_ref(),
                };
                for level in Level::available() {
                    let all = level.run(List(seen));
                    for perspective in Color::ALL {
                        let mut listed = all.of(perspective).to_vec();
                        let mut expected = set.active(&position, &pieces, perspective).to_vec();
                        listed.sort_unstable();
                        expected.sort_unstable();
                        assert_eq!(listed, expected, "{sfen} {set:?} {perspective:?} {level:?}");
                    }
                }
            }
        }
    }
}
