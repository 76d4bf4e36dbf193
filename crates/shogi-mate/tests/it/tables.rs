//! Small random positions, with tables of any size, against the plain search.

use proptest::prelude::*;
use shogi_core::{ByColor, Color, Hand, HandKind, Piece, PieceKind, Position, Setup, Square};
use shogi_mate::{Answer, Exactness};

use crate::oracle::{Shortest, shortest};
use crate::support::{solve, solver};

/// Some pieces around a king in a corner region, and some in the attacker's hand. `full` gives the defender
/// all that is left.
fn positions() -> impl Strategy<Value = Option<Position>> {
    let piece = (0usize..81, 0usize..13, any::<bool>());
    (
        0usize..81,
        prop::option::of(0usize..81),
        prop::collection::vec(piece, 2..9),
        prop::collection::vec(0usize..7, 0..4),
        prop::collection::vec(0usize..7, 0..3),
        any::<bool>(),
    )
        .prop_map(|(king, own_king, pieces, hand, other_hand, full)| {
            build(king, own_king, &pieces, [&hand, &other_hand], full)
        })
}

fn build(
    king: usize,
    own_king: Option<usize>,
    pieces: &[(usize, usize, bool)],
    hands: [&[usize]; 2],
    full: bool,
) -> Option<Position> {
    let mut board = [None; 81];
    board[king] = Some(Piece::WhiteKing);
    if let Some(square) = own_king.filter(|&square| square != king) {
        board[square] = Some(Piece::BlackKing);
    }
    for &(square, kind, black) in pieces {
        // Most pieces near the king, where they matter.
        let near = Square::from_index(king)?
            .offset((square % 5) as i8 - 2, (square / 5 % 5) as i8 - 2)
            .map_or(square, Square::index);
        let kinds = PieceKind::ALL
            .into_iter()
            .filter(|kind| *kind != PieceKind::King);
        let kind = kinds.clone().nth(kind)?;
        let color = if black { Color::Black } else { Color::White };
        let edge = Square::from_index(near)?.rank().distance_to_edge(color);
        if board[near].is_none() && edge >= kind.dead_ranks() as usize {
            board[near] = Some(Piece::new(color, kind));
        }
    }
    let mut hand = ByColor([Hand::EMPTY; 2]);
    for (hand, kinds) in hand.0.iter_mut().zip(hands) {
        for &kind in kinds {
            let kind = HandKind::ALL[kind];
            *hand = hand.with_count(kind, hand.count(kind) + 1)?;
        }
    }
    if full {
        hand.0[1] = rest(&board, hand.0[0])?;
    }
    let setup = Setup {
        board,
        hands: hand,
        side: Color::Black,
        ply: 1,
    };
    Position::from_setup(&setup).ok()
}

/// What is neither on the board nor in `hand`.
fn rest(board: &[Option<Piece>; 81], hand: Hand) -> Option<Hand> {
    let mut rest = Hand::EMPTY;
    for kind in HandKind::ALL {
        let on_board = board.iter().flatten();
        let used = on_board
            .filter(|piece| piece.kind().hand_kind() == Some(kind))
            .count();
        let left = kind
            .piece_kind()
            .set_count()
            .checked_sub(used as u8 + hand.count(kind))?;
        rest = rest.with_count(kind, left)?;
    }
    Some(rest)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Mates, lengths and disproofs are those of the plain search, whatever the size of the table.
    #[test]
    fn a_plain_search_agrees(position in positions(), kilobytes in 1usize..200) {
        let Some(position) = position else { return Ok(()) };
        let Some(shortest) = shortest(&position, 5, 60_000) else { return Ok(()) };
        for exact in [Exactness::Off, Exactness::Shortest] {
            let mut solver = solver(kilobytes << 10, exact);
            let solution = solve(&mut solver, &position, Some(100_000));
            match (&solution.answer, shortest) {
                (Answer::Mate(line), Shortest::Mate(plies)) => {
                    prop_assert!(line.length.plies() >= plies, "{} {:?}", position.to_sfen(), line);
                    if exact == Exactness::Shortest {
                        prop_assert_eq!(line.length.plies(), plies, "{}", position.to_sfen());
                        prop_assert!(line.length.is_exact());
                    }
                }
                (Answer::Mate(line), Shortest::None) => {
                    prop_assert!(line.length.plies() > 5, "{} {:?}", position.to_sfen(), line);
                }
                (Answer::NoMate, found) => prop_assert_eq!(found, Shortest::None, "{}", position.to_sfen()),
                (Answer::Unknown(_), found) => {
                    prop_assert_eq!(found, Shortest::None, "not decided: {}", position.to_sfen());
                }
            }
        }
    }
}
