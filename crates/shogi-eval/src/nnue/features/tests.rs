use super::*;
use shogi_core::MoveClass;
use shogi_core::movegen::Legal;

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
            indexer::ATTACK_COUNTS
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
                FeatureIndexer::new(set, king).for_each(BonaPiece::from_index(p).unwrap(), |f| {
                    found.push(f as usize);
                });
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
        indexer::attack_counts(&position, *piece, perspective)
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
            let before = Color::ALL.map(|perspective| set.active(&position, &before, perspective));
            let moves = position.moves::<Legal>();
            for &mv in &moves {
                let undo = position.do_move(mv);
                let delta = Delta::new(&position, mv, &undo);
                let list = PieceList::new(&position);
                let own_kings = ByColor(Color::ALL.map(|perspective| list.own_king(perspective)));
                // What an earlier move left is overwritten.
                set.deltas(&delta, own_kings, &mut deltas);
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
            let _ = position.do_move(mv);
        }
    }
}
