//! Mates are found, and mate scores are true.

use crate::common::{fixture_sfens, think, think_deep};
use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_search::{Limits, Value};

/// Length of the shortest mate in at most `plies` (odd) plies by trying everything.
fn shortest_mate(position: &Position, plies: u32) -> Option<u32> {
    (1..=plies)
        .step_by(2)
        .find(|&plies| mates_in(position, plies))
}

fn mates_in(position: &Position, plies: u32) -> bool {
    if plies == 1 {
        return position.mate_in_one().is_some();
    }
    let mut next = position.clone();
    position.moves::<LegalAll>().into_iter().any(|m| {
        let undo = next.do_move(m);
        let replies = next.moves::<LegalAll>();
        let mated = replies.into_iter().all(|reply| {
            let undo = next.do_move(reply);
            let mated = (1..plies - 1)
                .step_by(2)
                .any(|shorter| mates_in(&next, shorter));
            next.undo_move(reply, &undo);
            mated
        });
        next.undo_move(m, &undo);
        mated
    })
}

/// Positions from games without a mate in one.
fn quiet_sfens() -> Vec<String> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/mate/mate1_no.sfen"
    );
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn mates_in_one_are_played_at_once() {
    let mut mates = 0;
    for sfen in fixture_sfens("mate1.jsonl").iter().take(300) {
        let position = Position::from_sfen(sfen).unwrap();
        let mating = position.mating_moves();
        if mating.is_empty() {
            continue;
        }
        let thought = think_deep(sfen, 2);
        let found = thought.found();
        assert_eq!(found.score, Value::mate_in(1), "{sfen}");
        assert!(mating.contains(&found.best), "{sfen} {}", found.best);
        mates += 1;
    }
    assert!(mates > 50);
}

#[test]
fn short_mates_agree_with_trying_everything() {
    let (mut in_three, mut none) = (0, 0);
    for sfen in quiet_sfens().iter().take(150) {
        let position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let truth = shortest_mate(&position, 3);
        let thought = think_deep(sfen, 9);
        let score = thought.found().score;
        if let Some(plies) = truth {
            assert_eq!(score, Value::mate_in(plies), "{sfen}");
            in_three += u32::from(plies == 3);
        } else {
            assert!(score < Value::mate_in(3), "{sfen}: {score:?}");
            none += 1;
        }
    }
    assert!(in_three > 2 && none > 20, "{in_three} {none}");
}

/// Returns whether every move of the side to move allows a mate in one.
fn is_mated_in_two(position: &Position) -> bool {
    let mut next = position.clone();
    position.moves::<LegalAll>().into_iter().all(|m| {
        let undo = next.do_move(m);
        let mates = next.mate_in_one().is_some();
        next.undo_move(m, &undo);
        mates
    })
}

#[test]
fn being_mated_is_seen_and_never_imagined() {
    let mut mated = 0;
    for sfen in fixture_sfens("legal_moves.jsonl").iter().take(150) {
        let position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let score = think_deep(sfen, 6).found().score;
        if is_mated_in_two(&position) {
            assert_eq!(score, Value::mated_in(2), "{sfen}");
            mated += 1;
        } else {
            assert!(score > Value::mated_in(2), "{sfen}");
        }
    }
    assert!(mated > 1, "{mated}");
}

#[test]
fn announced_mates_can_be_played_out() {
    let mut long_mates = 0;
    for sfen in quiet_sfens().iter().skip(150).take(120) {
        let mut position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let thought = think_deep(sfen, 9);
        let Some(plies) = thought.found().score.mate_plies() else {
            continue;
        };
        let pv = &thought.infos.last().unwrap().pv;
        for &m in pv {
            let _ = position.do_move(m);
        }
        // The line may be cut short where the table knew the rest.
        if pv.len() as u32 >= plies.unsigned_abs() {
            assert_eq!(pv.len() as u32, plies.unsigned_abs(), "{sfen}");
            assert!(position.is_mated(), "{sfen} {pv:?}");
            long_mates += u32::from(plies >= 5);
        }
    }
    assert!(long_mates >= 5, "{long_mates}");
}

#[test]
fn a_mated_root_has_no_result() {
    let game = crate::common::game("4k4/4G4/4P4/9/9/9/9/9/4K4 w R2B3g4s4n4lr16p 1");
    assert!(game.position().is_mated());
    let thought = think(&game, &Limits::default());
    assert!(thought.result.is_none() && thought.infos.is_empty());
}
