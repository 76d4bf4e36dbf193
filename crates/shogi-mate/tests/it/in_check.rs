//! Problems that start with the defender in check although the attacker is to move.

use std::sync::atomic::AtomicBool;

use shogi_core::movegen::LegalAll;
use shogi_core::{Diagram, MoveText, Position};
use shogi_mate::composer::{ComposerLength, composer_length};
use shogi_mate::verify::{MateLineError, replay};
use shogi_mate::{
    Answer, Exactness, Length, MateLimits, MateLine, Role, SilentMateObserver, Solver,
};

use crate::oracle::{TRIED, Truth, truth};
use crate::support::{small_placements, solver};

fn solve(solver: &mut Solver, start: &Diagram) -> Answer {
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
        let _ = after.do_move(m);
        longest = match (longest, truth(&after)?) {
            (_, Truth::NoMate) => return Some(Truth::NoMate),
            (Truth::Mate(a), Truth::Mate(b)) => Truth::Mate(a.max(b + 1)),
            _ => Truth::LongMate,
        };
    }
    Some(longest)
}

#[test]
fn a_plain_search_agrees() {
    let mut solver = solver(1 << 20, Exactness::Shortest);
    let (mut mates, mut others) = (0, 0);
    let starts = small_placements(5, usize::MAX).filter(|start| start.position().is_none());
    for start in starts.take(1000) {
        let Some(expected) = plain(&start) else {
            continue;
        };
        let sfen = start.pieces().to_sfen();
        match (solve(&mut solver, &start), expected) {
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
        solve(&mut solver(1 << 20, Exactness::Shortest), &start)
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
