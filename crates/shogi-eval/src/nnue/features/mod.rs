//! The feature sets: the inputs of a network that are active.
//!
//! A feature set turns the pieces that one player sees (see [`crate::BonaPiece`]) into indices of
//! features. Most sets combine every piece with the square of the perspective's own king, so
//! that all of them change when that king moves; then the accumulator is refreshed.
//! Otherwise a move changes a few indices (`FeatureSet::deltas`).

mod attacks;
mod indexer;

use arrayvec::ArrayVec;
use shogi_core::{ByColor, Color, Square};

use crate::{BonaPiece, PieceList};

pub(super) use attacks::attack_feature;
#[cfg(target_arch = "x86_64")]
pub(super) use indexer::ABSENT;
pub use indexer::FeatureIndexer;
pub(super) use indexer::{BoardFeatures, Codes, PLACES};

/// Most features that are on at once: all pieces, and both kings in two parts of a set.
pub const MAX_ACTIVE: usize = PieceList::LEN + 4;

/// Most features that one move turns off; it turns as many on.
pub(crate) const MAX_CHANGED: usize = 3;

/// The features that are active for one perspective. A feature that is there n times counts n times
/// (missing pieces are all the same feature).
pub type ActiveFeatures = ArrayVec<u32, MAX_ACTIVE>;

/// A set of input features. The names are those of evaluation files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// Own king × piece: the classic set.
    HalfKp,
    /// [`Self::HalfKp`] with the board mirrored when the own king is on files 6 to 9.
    HalfKpVm,
    /// [`Self::HalfKp`] × how often both sides attack the piece's square (0, 1, 2 or more).
    HalfKpE9,
    /// Both kings.
    K,
    /// Pieces without kings.
    P,
    /// Kings and pieces beside each other.
    KP,
    /// Pieces with both kings, which share their planes.
    A2,
    /// Kings beside [`Self::A2`].
    KA2,
    /// Own king × piece, kings included and told apart.
    HalfKa1,
    /// Own king × piece, kings included in one plane.
    HalfKa2,
    /// [`Self::HalfKa1`], mirrored.
    HalfKaHm1,
    /// [`Self::HalfKa2`], mirrored.
    HalfKaHm2,
}

impl FeatureSet {
    /// All sets.
    pub const ALL: [Self; 12] = [
        Self::HalfKp,
        Self::HalfKpVm,
        Self::HalfKpE9,
        Self::K,
        Self::P,
        Self::KP,
        Self::A2,
        Self::KA2,
        Self::HalfKa1,
        Self::HalfKa2,
        Self::HalfKaHm1,
        Self::HalfKaHm2,
    ];

    /// The name in the header of evaluation files.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::HalfKp => "HalfKP(Friend)",
            Self::HalfKpVm => "HalfKP_vm(Friend)",
            Self::HalfKpE9 => "HalfKPE9(Friend)",
            Self::K => "K",
            Self::P => "P",
            Self::KP => "K+P",
            Self::A2 => "A2",
            Self::KA2 => "K+A2",
            Self::HalfKa1 => "HalfKA1(Friend)",
            Self::HalfKa2 => "HalfKA2(Friend)",
            Self::HalfKaHm1 => "HalfKA_hm1(Friend)",
            Self::HalfKaHm2 => "HalfKA_hm2(Friend)",
        }
    }

    /// The name as part of an architecture's, such as `halfkp` in `halfkp_256x2-32-32`.
    pub(crate) const fn short_name(self) -> &'static str {
        match self {
            Self::HalfKp => "halfkp",
            Self::HalfKpVm => "halfkpvm",
            Self::HalfKpE9 => "halfkpe9",
            Self::K => "k",
            Self::P => "p",
            Self::KP => "kp",
            Self::A2 => "a2",
            Self::KA2 => "ka2",
            Self::HalfKa1 => "halfka1",
            Self::HalfKa2 => "halfka2",
            Self::HalfKaHm1 => "halfkahm1",
            Self::HalfKaHm2 => "halfkahm2",
        }
    }

    /// The set with this name, either way of writing it, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(|set| {
            let file_name = set.file_name();
            same(set.short_name())
                || same(file_name)
                || file_name.strip_suffix("(Friend)").is_some_and(same)
        })
    }

    /// The number by which files know the set.
    pub const fn hash(self) -> u32 {
        const K: u32 = 0xd3ce_e169;
        const P: u32 = 0x764c_fb4b;
        const A2: u32 = 0xa20d_cb9b;
        match self {
            // The two differ in size alone.
            Self::HalfKp | Self::HalfKpE9 => 0x5d69_d5b8,
            Self::HalfKpVm => 0x0b6b_1d9a,
            Self::K => K,
            Self::P => P,
            Self::KP => K ^ (P << 1) ^ (P >> 31),
            Self::A2 => A2,
            Self::KA2 => K ^ (A2 << 1) ^ (A2 >> 31),
            Self::HalfKa1 => 0x5f13_4cb8,
            Self::HalfKa2 => 0x5f23_4cb8,
            Self::HalfKaHm1 => 0x7f13_4cb8,
            Self::HalfKaHm2 => 0x7f23_4cb8,
        }
    }

    /// The number of features: inputs of the feature transformer. No two sets have the same number.
    pub const fn dimensions(self) -> usize {
        let squares = Square::COUNT;
        let pieces = BonaPiece::PIECE_END;
        match self {
            Self::HalfKp => squares * pieces,
            Self::HalfKpVm => MIRRORED_KINGS * pieces,
            Self::HalfKpE9 => squares * pieces * attacks::ATTACK_COUNTS,
            Self::K => 2 * squares,
            Self::P => pieces,
            Self::KP => 2 * squares + pieces,
            Self::A2 => pieces + squares,
            Self::KA2 => 2 * squares + pieces + squares,
            Self::HalfKa1 => squares * BonaPiece::END,
            Self::HalfKa2 => squares * (pieces + squares),
            Self::HalfKaHm1 => MIRRORED_KINGS * BonaPiece::END,
            Self::HalfKaHm2 => MIRRORED_KINGS * (pieces + squares),
        }
    }

    /// The number of active features in every position, counted with repetitions.
    pub const fn active_count(self) -> usize {
        match self {
            Self::HalfKp | Self::HalfKpVm | Self::HalfKpE9 | Self::P => PieceList::LEN,
            Self::K => 2,
            Self::KP
            | Self::A2
            | Self::HalfKa1
            | Self::HalfKa2
            | Self::HalfKaHm1
            | Self::HalfKaHm2 => PieceList::LEN + 2,
            Self::KA2 => PieceList::LEN + 4,
        }
    }

    /// Returns whether all features of a perspective change when its own king moves.
    pub const fn is_king_relative(self) -> bool {
        !matches!(self, Self::K | Self::P | Self::KP | Self::A2 | Self::KA2)
    }

    /// Returns whether pieces other than kings are features.
    pub const fn has_pieces(self) -> bool {
        !matches!(self, Self::K)
    }

    /// Returns whether the board is mirrored when the own king is on files 6 to 9.
    pub(crate) const fn is_mirrored(self) -> bool {
        matches!(self, Self::HalfKpVm | Self::HalfKaHm1 | Self::HalfKaHm2)
    }

    /// Returns whether any move may change features of pieces that did not move, so that every position has
    /// to be listed again.
    pub(crate) const fn depends_on_attacks(self) -> bool {
        matches!(self, Self::HalfKpE9)
    }

    /// The distance between the features of a piece under different attacks; 0 for sets that do not
    /// depend on attacks.
    pub const fn attack_stride(self) -> u32 {
        match self {
            Self::HalfKpE9 => Self::HalfKp.dimensions() as u32,
            _ => 0,
        }
    }
}

/// King squares that are left when files 6 to 9 are mirrored to 4 to 1.
const MIRRORED_KINGS: usize = 45;

// The few features that a move turns off, each with the one that it turns on instead.

/// A feature that is off now, and the one that is on instead.
pub(crate) type FeatureDelta = [u32; 2];

/// Room for the deltas of one perspective: one more than there are, so that what is not wanted can be written and left.
const ROOM: usize = MAX_CHANGED + 1;

/// The feature deltas of a move in both perspectives (dirty pieces): each removes one feature and adds another, as many in one perspective as in the
/// other.
#[derive(Clone, Debug, Default)]
pub(crate) struct FeatureDeltas {
    /// By perspective.
    all: [[FeatureDelta; ROOM]; 2],
    len: u8,
    refresh: ByColor<bool>,
}

impl FeatureDeltas {
    /// The number of features in [`Self::all`].
    pub(in crate::nnue) const ALL: usize = 4 * ROOM;

    /// Returns whether all features of `perspective` may have changed: they have to be listed again.
    #[inline(always)]
    pub(crate) fn refresh(&self, perspective: Color) -> bool {
        self.refresh[perspective]
    }

    /// Returns whether that is so for one of the perspectives.
    #[inline(always)]
    pub(in crate::nnue) fn refreshes_any(&self) -> bool {
        self.refresh != ByColor([false; 2])
    }

    /// The deltas that `perspective` sees: up to [`MAX_CHANGED`]. They mean nothing if it needs a [refresh](Self::refresh).
    #[inline(always)]
    pub(crate) fn of(&self, perspective: Color) -> &[FeatureDelta] {
        &self.all[perspective.index()][..self.place()]
    }

    /// All features of the deltas of both perspectives, and some that mean nothing.
    #[inline(always)]
    pub(in crate::nnue) fn all(&self) -> &[u32; Self::ALL] {
        bytemuck::cast_ref(&self.all)
    }

    /// Becomes none, writing no more than it has to; `refresh` says what both perspectives need then.
    #[inline(always)]
    fn clear(&mut self, refresh: bool) {
        self.len = 0;
        self.refresh = ByColor([refresh; 2]);
    }

    /// Notes that `perspective` needs a refresh, if `refresh`.
    #[inline(always)]
    pub(in crate::nnue) fn refresh_if(&mut self, perspective: Color, refresh: bool) {
        self.refresh[perspective] |= refresh;
    }

    /// Appends what black and white see, if `is_there`, without a branch.
    #[inline(always)]
    fn push_if(&mut self, before: [u32; 2], after: [u32; 2], is_there: bool) {
        let place = self.place();
        for (view, deltas) in self.all.iter_mut().enumerate() {
            deltas[place] = [before[view], after[view]];
        }
        self.len += u8::from(is_there);
        debug_assert!(usize::from(self.len) <= MAX_CHANGED);
    }

    /// The length, in a way that is seen to be less than the room.
    #[inline(always)]
    fn place(&self) -> usize {
        const { assert!(ROOM.is_power_of_two()) }
        usize::from(self.len) % ROOM
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;
    use shogi_core::movegen::Legal;
    use shogi_core::{Delta, MoveClass};

    const SFENS: [&str; 4] = [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
    ];

    #[test]
    fn dimensions_and_hashes_are_the_fields() {
        let table = [
            ("HalfKP(Friend)", 125_388, 0x5d69_d5b8),
            ("HalfKP_vm(Friend)", 69_660, 0x0b6b_1d9a),
            ("HalfKPE9(Friend)", 1_128_492, 0x5d69_d5b8),
            ("K", 162, 0xd3ce_e169),
            ("P", 1_548, 0x764c_fb4b),
            ("K+P", 1_710, 0x3f57_17ff),
            ("A2", 1_629, 0xa20d_cb9b),
            ("K+A2", 1_791, 0x97d5_765e),
            ("HalfKA1(Friend)", 138_510, 0x5f13_4cb8),
            ("HalfKA2(Friend)", 131_949, 0x5f23_4cb8),
            ("HalfKA_hm1(Friend)", 76_950, 0x7f13_4cb8),
            ("HalfKA_hm2(Friend)", 73_305, 0x7f23_4cb8),
        ];
        for (name, dimensions, hash) in table {
            let set = FeatureSet::from_name(name).unwrap();
            assert_eq!((set.dimensions(), set.hash()), (dimensions, hash), "{name}");
            assert_eq!(FeatureSet::from_name(set.short_name()), Some(set));
        }
        assert_eq!(
            FeatureSet::from_name("HalfKA_hm2"),
            Some(FeatureSet::HalfKaHm2)
        );
        assert_eq!(FeatureSet::from_name("HalfKX"), None);
    }

    /// Every feature is some piece with some king, and no two are the same.
    #[test]
    fn features_fill_their_dimensions() {
        for set in FeatureSet::ALL {
            let mut hits = vec![0u32; set.dimensions()];
            for king in Square::ALL {
                let indexer = FeatureIndexer::new(set, king);
                for piece in (0..BonaPiece::END).filter_map(BonaPiece::from_index) {
                    indexer.for_each(piece, |feature| hits[feature as usize] += 1);
                }
            }
            let reached = hits.iter().filter(|&&n| n > 0).count();
            let counts = if set.depends_on_attacks() {
                attacks::ATTACK_COUNTS
            } else {
                1
            };
            assert_eq!(reached * counts, set.dimensions(), "{set:?}");
        }
    }

    /// The formulas of the file format, written out, against tables.
    #[test]
    fn indices_are_the_formulas() {
        let mirror = |p: usize| match p.checked_sub(90) {
            None => p,
            Some(b) => 90 + b / 81 * 81 + (8 - b % 81 / 9) * 9 + b % 9,
        };
        let fold = |p: usize| if p >= 1629 { p - 81 } else { p };
        for king in Square::ALL {
            let k = king.index();
            let half = if k >= 45 { king.mirror().index() } else { k };
            let seen = |p: usize| if k >= 45 { mirror(p) } else { p };
            for p in 0..BonaPiece::END {
                let is_king = p >= 1548;
                let no_kings = |index: usize| (!is_king).then_some(index);
                let expected = |set| match set {
                    FeatureSet::HalfKp | FeatureSet::HalfKpE9 => [no_kings(1548 * k + p), None],
                    FeatureSet::HalfKpVm => [no_kings(1548 * half + seen(p)), None],
                    FeatureSet::K => [is_king.then(|| p - 1548), None],
                    FeatureSet::P => [no_kings(p), None],
                    FeatureSet::KP => [Some(p), None],
                    FeatureSet::A2 => [Some(fold(p)), None],
                    FeatureSet::KA2 => [Some(fold(p)), is_king.then(|| p - 1548 + 1629)],
                    FeatureSet::HalfKa1 => [Some(1710 * k + p), None],
                    FeatureSet::HalfKa2 => [Some(1629 * k + fold(p)), None],
                    FeatureSet::HalfKaHm1 => [Some(1710 * half + seen(p)), None],
                    FeatureSet::HalfKaHm2 => [Some(1629 * half + fold(seen(p))), None],
                };
                for set in FeatureSet::ALL {
                    let mut found = Vec::new();
                    FeatureIndexer::new(set, king).for_each(
                        BonaPiece::from_index(p).unwrap(),
                        |f| {
                            found.push(f as usize);
                        },
                    );
                    let expected: Vec<_> = expected(set).into_iter().flatten().collect();
                    assert_eq!(found, expected, "{set:?} {king:?} {p}");
                }
            }
        }
    }

    #[test]
    fn attacks_are_counted_to_two() {
        // The pawn on 5d: attacked by black's lance and rook behind it? Only by the first of a line.
        let position = Position::from_sfen("4k4/9/9/4p4/4R4/4L4/3N5/9/4K4 b - 1").unwrap();
        let list = PieceList::new(&position);
        let count = |square, perspective| {
            let piece = list
                .view(perspective)
                .iter()
                .find(|p| p.square() == Some(seen_square(perspective, square)))
                .unwrap();
            attacks::attack_counts(&position, *piece, perspective)
        };
        assert_eq!(count(Square::S5D, Color::Black), 3);
        assert_eq!(count(Square::S5D, Color::White), 1);
        // The rook: by the lance, the knight and the pawn.
        assert_eq!(count(Square::S5E, Color::Black), 6 + 1);
        assert_eq!(count(Square::S5E, Color::White), 3 + 2);
        assert_eq!(count(Square::S6G, Color::Black), 0);
    }

    fn seen_square(perspective: Color, square: Square) -> Square {
        crate::seen_by(perspective, square)
    }

    /// Feature deltas lead from the features of one position to those of the next, through all legal moves.
    #[test]
    fn deltas_are_differences() {
        for (sfen, set) in SFENS
            .iter()
            .flat_map(|s| FeatureSet::ALL.map(|set| (s, set)))
        {
            let mut position = Position::from_sfen(sfen).unwrap();
            let mut deltas = FeatureDeltas::default();
            for ply in 0..60usize {
                let before = PieceList::new(&position);
                let before =
                    Color::ALL.map(|perspective| set.active(&position, &before, perspective));
                let moves = position.moves::<Legal>();
                for &mv in &moves {
                    let undo = position.do_move_unchecked(mv);
                    let delta = Delta::new(&position, mv, &undo);
                    let list = PieceList::new(&position);
                    let own_kings =
                        ByColor(Color::ALL.map(|perspective| list.own_king(perspective)));
                    // The deltas of an earlier move are overwritten.
                    let boards =
                        Color::ALL.map(|player| BoardFeatures::new(set, player, own_kings[player]));
                    let [black, white] = &boards;
                    BoardFeatures::deltas([black, white], set, &delta, &mut deltas);
                    for perspective in Color::ALL {
                        let mut expected = set.active(&position, &list, perspective);
                        assert_eq!(expected.len(), set.active_count());
                        expected.sort_unstable();
                        if deltas.refresh(perspective) {
                            let king = mv.kind_after().move_class() == MoveClass::King
                                && mv.color() == perspective
                                && set.is_king_relative();
                            assert!(king || set == FeatureSet::HalfKpE9);
                            continue;
                        }
                        let mut features = before[perspective.index()].to_vec();
                        for &[before, after] in deltas.of(perspective) {
                            let place = features.iter().position(|&f| f == before);
                            features[place.unwrap()] = after;
                        }
                        features.sort_unstable();
                        assert_eq!(features[..], expected[..], "{set:?} {mv:?}");
                    }
                    position.undo_move(mv, &undo);
                }
                let Some(&mv) = moves.get((ply * 7919 + 13) % moves.len().max(1)) else {
                    break;
                };
                let _ = position.do_move_unchecked(mv);
            }
        }
    }
}
