//! Any game has at most one name, and nothing panics.

use proptest::prelude::*;
use shogi_core::movegen::Legal;
use shogi_core::{Color, Move, Position};
use shogi_openings::{
    OPENINGS, OpeningName, OpeningObserver, castle, castle_names, openings_along,
};

/// A game of random moves.
fn random_game(start: &Position, choices: &[u16]) -> Vec<Move> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for &choice in choices {
        let legal: Vec<Move> = position.moves::<Legal>().iter().copied().collect();
        if legal.is_empty() {
            break;
        }
        let m = legal[usize::from(choice) % legal.len()];
        let _ = position.try_do_move(m).unwrap();
        moves.push(m);
    }
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_games_have_names_that_do_not_depend_on_how_they_are_asked(
        choices in proptest::collection::vec(any::<u16>(), 0..120),
        from in 0_usize..100,
    ) {
        let start = Position::startpos();
        let moves = random_game(&start, &choices);
        let along = openings_along(&start, moves.iter().copied());
        prop_assert_eq!(along.len(), moves.len() + 1);
        for (ply, found) in along.iter().enumerate() {
            prop_assert_eq!(shogi_openings::opening_of(&start, moves[..ply].iter().copied()), *found);
            if let Some(found) = found {
                prop_assert!(found.ply <= ply.min(OpeningObserver::OPENING_PLIES));
            }
        }
        // The same game from a later position on.
        let from = from.min(moves.len());
        let mut later = start;
        for &m in &moves[..from] {
            let _ = later.try_do_move(m).unwrap();
        }
        let _ = openings_along(&later, moves[from..].iter().copied());
        for color in Color::ALL {
            let turned = castle(&later.flip(), color.flip());
            prop_assert_eq!(castle(&later, color), turned);
        }
    }
}

#[test]
fn a_move_that_is_not_legal_ends_the_look() {
    let start = Position::startpos();
    let m = start.move_from_usi("7g7f").unwrap();
    let mut observer = OpeningObserver::new(&start);
    observer.play(m);
    observer.play(m);
    observer.play(m);
    assert_eq!(observer.opening(), None);
}

#[test]
fn names_are_different_and_found() {
    assert!(OPENINGS.len() >= 60);
    for (index, name) in OPENINGS.iter().enumerate() {
        assert_eq!(OpeningName::find(name.ja), Some(name));
        assert_eq!(OpeningName::find(&name.en.to_uppercase()), Some(name));
        for other in &OPENINGS[..index] {
            assert!(
                name.ja != other.ja && name.en != other.en && name.id != other.id,
                "{}",
                name.ja
            );
        }
        // Kinds of kinds end.
        assert!(std::iter::successors(Some(name), |name| name.parent()).count() < 5);
    }
    assert!(castle_names().count() >= 30);
}
