//! What is different between two positions, as features: more than a move, such as a position seen
//! some time ago with the king on the same square.

use arrayvec::ArrayVec;
use shogi_core::{ByColor, Color, Hand, HandKind, Piece, PieceKind, Position, Square};

use crate::nnue::features::{FeatureSet, Perspective, attack_feature};
use crate::{BonaPiece, PieceList, seen_by};

/// All features of a position may go and all of another come; every piece is one or two.
pub(super) type FeatureList = ArrayVec<u32, 96>;

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

impl Contents {
    /// Nothing, not even a missing piece: no feature is on.
    pub(super) const EMPTY: Self = Self {
        board: [None; Square::COUNT],
        attacks: [0; Square::COUNT],
        hands: ByColor([Hand::EMPTY; 2]),
        absent_kings: ByColor([false; 2]),
        missing: 0,
    };

    /// Those of `position`.
    pub(super) fn new(position: &Position, set: FeatureSet, viewer: Color) -> Self {
        let absent_kings = ByColor(Color::ALL.map(|color| position.king(color).is_none()));
        let kings = absent_kings.0.into_iter().filter(|absent| !absent).count();
        let hands = ByColor(Color::ALL.map(|color| position.hand(color)));
        let in_hand = |hand: Hand| {
            hand.iter()
                .map(|(_, count)| usize::from(count))
                .sum::<usize>()
        };
        let in_hands: usize = hands.0.into_iter().map(in_hand).sum();
        let there = position.occupied().len() as usize - kings + in_hands;
        let mut contents = Self {
            board: *position.board(),
            attacks: [0; Square::COUNT],
            hands,
            absent_kings,
            missing: (PieceList::LEN - there) as u8,
        };
        if set.depends_on_attacks() {
            for square in position.occupied() {
                contents.attacks[square.index()] = attack_feature(position, square, viewer);
            }
        }
        contents
    }

    /// The features that were on in `self` and are off in `new`, and those the other way round.
    pub(super) fn changes(
        &self,
        new: &Self,
        set: FeatureSet,
        viewer: Color,
        own_king: Square,
    ) -> [FeatureList; 2] {
        let mut lists = Lists {
            set,
            perspective: Perspective::new(set, own_king),
            viewer,
            removed: FeatureList::new(),
            added: FeatureList::new(),
        };
        lists.board(self, new);
        for owner in Color::ALL {
            if self.hands[owner] != new.hands[owner] {
                lists.hand(owner, self.hands[owner], new.hands[owner]);
            }
            let home = seen_by(owner, Square::S5I);
            let king = BonaPiece::on_board(Piece::new(owner, PieceKind::King), home, viewer);
            lists.times(
                king,
                self.absent_kings[owner].into(),
                new.absent_kings[owner].into(),
            );
        }
        lists.times(BonaPiece::NONE, self.missing, new.missing);
        [lists.removed, lists.added]
    }
}

struct Lists {
    set: FeatureSet,
    perspective: Perspective,
    viewer: Color,
    removed: FeatureList,
    added: FeatureList,
}

impl Lists {
    fn board(&mut self, old: &Contents, new: &Contents) {
        for square in Square::ALL {
            let at = square.index();
            let both = [old, new].map(|contents| (contents.board[at], contents.attacks[at]));
            if both[0] == both[1] {
                continue;
            }
            for (list, (piece, attacks)) in
                [&mut self.removed, &mut self.added].into_iter().zip(both)
            {
                if let Some(piece) = piece {
                    let piece = BonaPiece::on_board(piece, square, self.viewer);
                    let offset = u32::from(attacks) * self.set.attack_stride();
                    self.perspective
                        .for_each(piece, |feature| list.push(feature + offset));
                }
            }
        }
    }

    fn hand(&mut self, owner: Color, old: Hand, new: Hand) {
        for kind in HandKind::ALL {
            let (old, new) = (old.count(kind), new.count(kind));
            let piece = |nth| BonaPiece::in_hand(kind, owner, nth, self.viewer);
            for nth in new + 1..=old {
                self.perspective
                    .for_each(piece(nth), |feature| self.removed.push(feature));
            }
            for nth in old + 1..=new {
                self.perspective
                    .for_each(piece(nth), |feature| self.added.push(feature));
            }
        }
    }

    /// `piece` was there `old` times and is there `new` times.
    fn times(&mut self, piece: BonaPiece, old: u8, new: u8) {
        for _ in new..old {
            self.perspective
                .for_each(piece, |feature| self.removed.push(feature));
        }
        for _ in old..new {
            self.perspective
                .for_each(piece, |feature| self.added.push(feature));
        }
    }
}
