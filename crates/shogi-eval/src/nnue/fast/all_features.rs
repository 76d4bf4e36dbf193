//! All features of a position in both views, for evaluations from nothing.

use shogi_core::{Bitboard, Color, Hand, HandKind, Position};

use super::features::{king_features, own_king};
use crate::BonaPiece;
use crate::nnue::features::{BoardFeatures, FeatureIndexer, FeatureSet, attack_feature};
use crate::nnue::simd::{FeatureList, Isa};

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

    /// Those of `perspective`.
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
            list_hand::<true>(black, bases[0], &mut self.0[0]);
            list_hand::<false>(white, bases[0], &mut self.0[0]);
            list_hand::<true>(white, bases[1], &mut self.0[1]);
            list_hand::<false>(black, bases[1], &mut self.0[1]);
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

    /// What the board does not show of kings.
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
fn list_hand<const OWN: bool>(hand: Hand, base: u32, list: &mut FeatureList) {
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
