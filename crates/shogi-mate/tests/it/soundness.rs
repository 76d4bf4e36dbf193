//! The solver against the truth about thousands of small positions, with all sizes of tables; also those in which the
//! defender is in check at the start although the attacker is to move.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{
    ByColor, Color, Diagram, Hand, HandKind, MoveText, Piece, PieceKind, Position, Setup, Square,
};
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::verify::{MateLineError, replay};
use shogi_mate::{
    Answer, Exactness, Length, MateLimits, MateLine, Role, SilentMateObserver, Solver,
};

use crate::support::{
    Shortest, TRIED, Truth, shortest, small_placements, small_problems, solve, solver, solver_of,
    truth,
};

/// Checks an answer without limits.
fn check(position: &Position, expected: Truth, solver: &mut Solver) {
    let sfen = position.to_sfen();
    let limits = MateLimits::default();
    let solution = solver.solve(
        position,
        &limits,
        &AtomicBool::new(false),
        &mut SilentMateObserver,
    );
    match (&solution.answer, expected) {
        (Answer::NoMate, Truth::NoMate) => {}
        (Answer::Mate(mate), Truth::Mate(_) | Truth::LongMate) => {
            let texts: Vec<MoveText> = mate.moves.iter().map(|&m| m.into()).collect();
            replay(&position.clone().into(), solution.role, &texts).expect(&sfen);
            check_length(&sfen, mate.length, expected);
            if let Length::Exact(plies) = mate.length {
                assert_eq!(mate.moves.len(), plies as usize, "{sfen}");
            }
            if solver.options().exact == Exactness::Shortest {
                assert!(mate.length.is_exact(), "{sfen}");
            }
        }
        (answer, expected) => panic!("{sfen}: {answer:?}, expected {expected:?}"),
    }
}

/// Checks that a length can be right.
fn check_length(sfen: &str, length: Length, truth: Truth) {
    let possible = match (truth, length) {
        (Truth::NoMate, _) => false,
        (Truth::Mate(plies), Length::Exact(length)) => length == plies,
        (Truth::Mate(plies), Length::UpperBound(length)) => length >= plies,
        (Truth::LongMate, length) => length.plies() > TRIED,
    };
    assert!(possible, "{sfen}: {length:?}, truth {truth:?}");
}

/// Positions with the truth about them.
fn judged(seed: u64, count: usize) -> Vec<(Position, Truth)> {
    let judge = |position: Position| truth(&position).map(|truth| (position, truth));
    small_problems(seed, count).filter_map(judge).collect()
}

#[test]
fn answers_are_the_truth() {
    let problems = judged(11, 4000);
    let mates = problems.iter().filter(|(_, truth)| *truth != Truth::NoMate);
    let longest = mates
        .clone()
        .filter(|(_, truth)| matches!(truth, Truth::Mate(5..)));
    let (mates, longest) = (mates.count(), longest.count());
    assert!(
        problems.len() > 1000 && mates > 200 && longest > 20,
        "{} {mates} {longest}",
        problems.len()
    );
    for exact in [Exactness::Off, Exactness::Upper, Exactness::Shortest] {
        let mut solver = solver_of(4 << 20, exact, 1);
        for (position, truth) in &problems {
            check(position, *truth, &mut solver);
        }
    }
}

#[test]
fn small_tables_and_threads_change_nothing() {
    let problems = judged(12, 600);
    for (hash_bytes, threads) in [(1, 1), (100_000, 1), (1 << 20, 2), (333_333, 3)] {
        let mut solver = solver_of(hash_bytes, Exactness::Shortest, threads);
        for (position, truth) in &problems {
            check(position, *truth, &mut solver);
        }
    }
}

#[test]
fn limits_never_make_a_wrong_answer() {
    let mut solver = solver_of(1 << 16, Exactness::Shortest, 1);
    for (position, truth) in judged(13, 800) {
        for nodes in [1, 2, 5, 13, 50, 200] {
            let limits = MateLimits {
                nodes: Some(nodes),
                ..MateLimits::default()
            };
            let never = AtomicBool::new(false);
            let solution = solver.solve(&position, &limits, &never, &mut SilentMateObserver);
            match (&solution.answer, truth) {
                (Answer::Unknown(_), _) | (Answer::NoMate, Truth::NoMate) => {}
                (Answer::Mate(mate), truth) => {
                    check_length(&position.to_sfen(), mate.length, truth);
                }
                (Answer::NoMate, truth) => panic!("{}: truth {truth:?}", position.to_sfen()),
            }
        }
    }
}

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

/// Returns what is neither on the board nor in `hand`.
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

// Problems that start with the defender in check although the attacker is to move.

fn solve_diagram(solver: &mut Solver, start: &Diagram) -> Answer {
    let stop = AtomicBool::new(false);
    solver
        .solve_diagram(
            start,
            &MateLimits::default(),
            &stop,
            &mut SilentMateObserver,
        )
        .answer
}

/// The shortest mate by playing every first check and asking a plain search; `None` for too much work.
fn plain(start: &Diagram) -> Option<Truth> {
    let mut best = Truth::NoMate;
    let checks = start.pieces().check_squares();
    for m in start.pieces().moves::<LegalAll>() {
        let text = MoveText::from(m);
        let Some((m, after)) = start.play(text) else {
            continue;
        };
        if !start.pieces().gives_check(m, &checks) {
            continue;
        }
        let length = match defended(&after)? {
            Truth::Mate(plies) => Truth::Mate(plies + 1),
            other => other,
        };
        best = match (best, length) {
            (Truth::Mate(a), Truth::Mate(b)) => Truth::Mate(a.min(b)),
            (Truth::Mate(a), _) | (_, Truth::Mate(a)) => Truth::Mate(a),
            (Truth::LongMate, _) | (_, Truth::LongMate) => Truth::LongMate,
            (Truth::NoMate, Truth::NoMate) => Truth::NoMate,
        };
    }
    Some(best)
}

/// The truth with the defender to move, from that of all positions after its moves.
fn defended(position: &Position) -> Option<Truth> {
    let mut longest = Truth::Mate(0);
    for m in position.moves::<LegalAll>() {
        let mut after = position.clone();
        let _ = after.do_move_unchecked(m);
        longest = match (longest, truth(&after)?) {
            (_, Truth::NoMate) => return Some(Truth::NoMate),
            (Truth::Mate(a), Truth::Mate(b)) => Truth::Mate(a.max(b + 1)),
            _ => Truth::LongMate,
        };
    }
    Some(longest)
}

#[test]
fn a_plain_search_agrees_about_starts_in_check() {
    let mut solver = solver(1 << 20, Exactness::Shortest);
    let (mut mates, mut others) = (0, 0);
    let starts = small_placements(5, usize::MAX).filter(|start| start.position().is_none());
    for start in starts.take(1000) {
        let Some(expected) = plain(&start) else {
            continue;
        };
        let sfen = start.pieces().to_sfen();
        match (solve_diagram(&mut solver, &start), expected) {
            (Answer::Mate(mate), expected) => {
                let texts: Vec<MoveText> = mate.moves.iter().map(|&m| m.into()).collect();
                assert!(
                    replay(&start, Role::Attacker, &texts).is_ok(),
                    "{sfen} {mate:?}"
                );
                let Length::Exact(plies) = mate.length else {
                    panic!("{sfen}: {mate:?}");
                };
                match expected {
                    Truth::Mate(shortest) => assert_eq!(plies, shortest, "{sfen}"),
                    Truth::LongMate => assert!(plies > TRIED, "{sfen}"),
                    Truth::NoMate => panic!("{sfen}: {mate:?}"),
                }
                mates += 1;
            }
            (Answer::NoMate, Truth::NoMate) => others += 1,
            (answer, expected) => panic!("{sfen}: {answer:?}, expected {expected:?}"),
        }
    }
    assert!(mates > 9 && others > 99, "{mates} {others}");
}

/// The knight gives check already; the gold mates.
const ONE: &str = "4k4/9/4PN3/9/9/9/9/9/9 b 2G 1";

#[test]
fn the_first_move_has_to_give_another_check() {
    let start = Diagram::from_sfen(ONE).unwrap();
    assert!(start.position().is_none());
    let fault = |line: &str| {
        let texts: Vec<MoveText> = line.split(' ').filter_map(MoveText::from_usi).collect();
        replay(&start, Role::Attacker, &texts).err()
    };
    let text = |word| MoveText::from_usi(word).unwrap();
    let quiet = text("G*9i");
    assert_eq!(
        fault("G*9i"),
        Some(MateLineError::NoCheck {
            ply: 1,
            text: quiet
        })
    );
    let takes = text("4c5a+");
    assert_eq!(
        fault("4c5a+"),
        Some(MateLineError::Illegal {
            ply: 1,
            text: takes
        })
    );
    let Answer::Mate(MateLine { moves, length }) =
        solve_diagram(&mut solver(1 << 20, Exactness::Shortest), &start)
    else {
        panic!("mate");
    };
    assert_eq!(length.plies() as usize, moves.len());
    // Nothing can be put between, so composers count the same.
    let limits = MateLimits::default();
    let counted = composer_length(&start, Role::Attacker, 99, &limits, &AtomicBool::new(false));
    match counted {
        ComposerLength::Known(mate) => {
            assert_eq!(mate.length, length);
            let texts: Vec<MoveText> = mate.moves.iter().map(|&m| m.into()).collect();
            assert!(replay(&start, Role::Attacker, &texts).is_ok());
        }
        other @ ComposerLength::Unknown { .. } => panic!("{other:?}"),
    }
}
