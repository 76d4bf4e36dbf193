use super::*;
use shogi_core::movegen::Legal;

fn index(piece: Piece, square: Square, perspective: Color) -> usize {
    BonaPiece::on_board(piece, square, perspective).index()
}

#[test]
fn numbers_are_the_fields() {
    use Color::{Black, White};
    assert_eq!(index(Piece::BlackPawn, Square::S1A, Black), 90);
    assert_eq!(index(Piece::WhitePawn, Square::S1A, Black), 171);
    assert_eq!(index(Piece::WhitePawn, Square::S1A, White), 90 + 80);
    assert_eq!(index(Piece::BlackDragon, Square::S9I, White), 1467);
    assert_eq!(index(Piece::BlackProPawn, Square::S1B, Black), 739);
    assert_eq!(index(Piece::BlackKing, Square::S5I, Black), 1548 + 44);
    assert_eq!(index(Piece::BlackKing, Square::S9I, White), 1629);
    assert_eq!(
        BonaPiece::in_hand(HandKind::Pawn, Black, 18, Black).index(),
        18
    );
    assert_eq!(
        BonaPiece::in_hand(HandKind::Rook, White, 2, Black).index(),
        89
    );
    assert_eq!(
        BonaPiece::in_hand(HandKind::Gold, White, 1, White).index(),
        69
    );
}

#[test]
fn every_piece_has_a_number_of_its_own() {
    let mut seen = vec![false; BonaPiece::END];
    for piece in Piece::ALL {
        if piece.kind().is_promoted() && piece.kind().move_class() == shogi_core::MoveClass::Gold {
            continue;
        }
        for square in Square::ALL {
            let p = BonaPiece::on_board(piece, square, Color::White);
            assert!(!std::mem::replace(&mut seen[p.index()], true), "{p:?}");
            assert_eq!(p.square(), Some(square.rotate()));
            assert_eq!(p.mirror().square(), Some(square.rotate().mirror()));
            assert_eq!(p.is_king(), piece.kind() == PieceKind::King);
        }
    }
    for kind in HandKind::ALL {
        for owner in Color::ALL {
            for nth in 1..=kind.piece_kind().set_count() {
                let p = BonaPiece::in_hand(kind, owner, nth, Color::White);
                assert!(!std::mem::replace(&mut seen[p.index()], true), "{p:?}");
                assert_eq!((p.square(), p.mirror()), (None, p));
            }
        }
    }
    // The numbers that stay free: no piece, and the nineteenth pawn and so on that hands have room for.
    let free: Vec<_> = (0..BonaPiece::END).filter(|&p| !seen[p]).collect();
    assert_eq!(
        free,
        [0, 19, 38, 43, 48, 53, 58, 63, 68, 73, 78, 81, 84, 87]
    );
}

#[test]
fn the_views_are_each_others_from_the_other_chair() {
    let position = Position::from_sfen(
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    )
    .unwrap();
    let sorted = |list: &PieceList, perspective| {
        let mut view = *list.view(perspective);
        view.sort_unstable();
        (view, list.own_king(perspective), list.kings(perspective))
    };
    let (list, turned) = (PieceList::new(&position), PieceList::new(&position.flip()));
    for perspective in Color::ALL {
        assert_eq!(
            sorted(&list, perspective),
            sorted(&turned, perspective.flip())
        );
    }
}

#[test]
fn missing_pieces_are_entries() {
    let two_pieces_less = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let no_black_king = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
    for (sfen, missing) in [
        (Position::STARTPOS_SFEN, 0),
        (two_pieces_less, 2),
        (no_black_king, 0),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", 38),
    ] {
        let list = PieceList::new(&Position::from_sfen(sfen).unwrap());
        for perspective in Color::ALL {
            let none = list
                .view(perspective)
                .iter()
                .filter(|p| p.index() == 0)
                .count();
            assert_eq!(none, missing, "{sfen}");
            assert_eq!(list.own_king(perspective), Square::S5I);
        }
    }
}

#[test]
fn changes_lead_to_the_lists_of_the_next_position() {
    let sorted = |list: &PieceList| {
        let mut views: Vec<_> = (0..PieceList::LEN)
            .map(|i| Color::ALL.map(|perspective| list.view(perspective)[i]))
            .collect();
        views.sort_unstable();
        (views, list.kings)
    };
    for sfen in [
        Position::STARTPOS_SFEN,
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
    ] {
        let mut position = Position::from_sfen(sfen).unwrap();
        let mut list = PieceList::new(&position);
        for ply in 0..300usize {
            let moves = position.moves::<Legal>();
            // All moves are tried, one is played.
            for &mv in &moves {
                let undo = position.do_move(mv);
                let changes = Changes::new(&Delta::new(&position, mv, &undo));
                let before = list.clone();
                list.apply(&changes);
                assert_eq!(sorted(&list), sorted(&PieceList::new(&position)), "{mv:?}");
                let king = mv.kind_after() == PieceKind::King;
                assert_eq!(changes.king_moved(), king.then_some(mv.color()));
                list.revert(&changes);
                assert_eq!(list, before);
                position.undo_move(mv, &undo);
            }
            let Some(&mv) = moves.get((ply * 7919 + 13) % moves.len().max(1)) else {
                break;
            };
            let undo = position.do_move(mv);
            list.apply(&Changes::new(&Delta::new(&position, mv, &undo)));
        }
    }
}
