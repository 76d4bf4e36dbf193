//! Against a plain breadth-first search on whole positions, and what limits do.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Diagram, MoveText, Position};

use crate::support::{small_placements, small_problems};
use shogi_mate::help_mate::{HelpMateOptions, HelpMateSolver};
use shogi_mate::verify::replay_moves;
use shogi_mate::{
    Answer, CheckedRoot, Length, MateLimits, Reason, Role, SilentMateObserver, Solution,
};

fn options(memory_bytes: usize, threads: usize) -> HelpMateOptions {
    HelpMateOptions {
        memory_bytes,
        threads,
        ..HelpMateOptions::default()
    }
}

fn solve_with(sfen: &str, options: HelpMateOptions, limits: &MateLimits) -> Solution {
    let position = Position::from_sfen(sfen).unwrap();
    let stop = AtomicBool::new(false);
    HelpMateSolver::new(options).solve(&position, limits, &stop, &mut SilentMateObserver)
}

fn solve(sfen: &str) -> Answer {
    solve_with(sfen, options(64 << 20, 1), &MateLimits::default()).answer
}

/// Length of the shortest help mate up to `max` plies; `Err` when there is none within them but positions
/// are left. Knows nothing of keys, layers in bytes or generated checks.
fn plain(position: &Position, attacker: Color, max: usize) -> Result<Option<usize>, usize> {
    let mut seen = HashSet::from([position.to_sfen_without_ply()]);
    let mut layer = vec![position.clone()];
    for plies in 0..=max {
        let mut next = Vec::new();
        for mut position in layer {
            let attacks = position.side_to_move() == attacker;
            if !attacks && position.is_mated() {
                return Ok(Some(plies));
            }
            for m in position.moves::<LegalAll>() {
                let undo = position.do_move_unchecked(m);
                if (!attacks || position.in_check()) && seen.insert(position.to_sfen_without_ply())
                {
                    next.push(position.clone());
                }
                position.undo_move(m, &undo);
            }
        }
        if next.is_empty() {
            return Ok(None);
        }
        layer = next;
    }
    Err(max)
}

/// Checks that `line` is one of the answer's length that mates.
fn check_line(position: &Position, role: Role, line: &[shogi_core::Move]) {
    let attacker = role.attacker(position.side_to_move());
    let mut position = position.clone();
    for &m in line {
        assert!(position.is_legal(m));
        let _undo = position.do_move_unchecked(m);
        assert!(m.color() != attacker || position.in_check());
    }
    assert!(position.is_mated() && position.side_to_move() != attacker);
}

#[test]
fn agrees_with_a_plain_search() {
    let (mut mates, mut none) = (0, 0);
    for position in small_problems(1, 1500) {
        let role = Role::of(&position, CheckedRoot::Defends);
        let attacker = role.attacker(position.side_to_move());
        let Ok(expected) = plain(&position, attacker, 3) else {
            continue;
        };
        let sfen = position.to_sfen();
        match (solve(&sfen), expected) {
            (Answer::Mate(line), Some(plies)) => {
                assert_eq!(line.length, Length::Exact(plies as u32), "{sfen}");
                assert_eq!(line.moves.len(), plies, "{sfen}");
                check_line(&position, role, &line.moves);
                mates += 1;
            }
            (Answer::NoMate, None) => none += 1,
            (answer, expected) => panic!("{sfen}: {answer:?}, expected {expected:?}"),
        }
    }
    // The problems must not be all of one kind.
    assert!(mates > 100 && none > 50, "{mates} mates, {none} without");
}

/// [`plain`] for a start with a check that stands, for mates in three at most.
fn plain_from_check(start: &Diagram) -> Result<Option<usize>, usize> {
    let pieces = start.pieces();
    let checks = pieces.check_squares();
    let mut best: Result<Option<usize>, usize> = Ok(None);
    for m in pieces.moves::<LegalAll>() {
        let Some((m, after)) = start.play(m.into()) else {
            continue;
        };
        if !pieces.gives_check(m, &checks) {
            continue;
        }
        best = match (best, plain(&after, m.color(), 2)) {
            (Ok(Some(a)), Ok(Some(b))) => Ok(Some(a.min(b + 1))),
            (Ok(Some(a)), _) => Ok(Some(a)),
            (_, Ok(Some(b))) => Ok(Some(b + 1)),
            (Ok(None), Ok(None)) => Ok(None),
            (Err(max), _) | (_, Err(max)) => Err(max),
        };
    }
    best
}

#[test]
fn agrees_with_a_plain_search_from_a_check() {
    let solver = HelpMateSolver::new(options(64 << 20, 1));
    let stop = AtomicBool::new(false);
    let (mut ones, mut mates, mut none) = (0, 0, 0);
    let starts = small_placements(3, usize::MAX).filter(|start| start.position().is_none());
    for start in starts.take(1500) {
        let Ok(expected) = plain_from_check(&start) else {
            continue;
        };
        let sfen = start.pieces().to_sfen();
        let solution = solver.solve_diagram(
            &start,
            &MateLimits::default(),
            &stop,
            &mut SilentMateObserver,
        );
        match (solution.answer, expected) {
            (Answer::Mate(line), Some(plies)) => {
                assert_eq!(line.length, Length::Exact(plies as u32), "{sfen}");
                let texts: Vec<MoveText> = line.moves.iter().map(|&m| m.into()).collect();
                let (moves, end) = replay_moves(&start, Role::Attacker, &texts).expect(&sfen);
                assert!(moves.len() == plies && end.is_mated(), "{sfen}");
                ones += usize::from(plies == 1);
                mates += 1;
            }
            (Answer::NoMate, None) => none += 1,
            (answer, expected) => panic!("{sfen}: {answer:?}, expected {expected:?}"),
        }
    }
    assert!(
        ones > 9 && mates > ones + 9 && none > 50,
        "{ones} {mates} {none}"
    );
}

#[test]
fn threads_find_the_same() {
    for position in small_problems(2, 60) {
        let limits = MateLimits {
            nodes: Some(200_000),
            ..MateLimits::default()
        };
        let sfen = position.to_sfen();
        let one = solve_with(&sfen, options(64 << 20, 1), &limits).answer;
        let three = solve_with(&sfen, options(64 << 20, 3), &limits).answer;
        assert!(
            one == three || [&one, &three].contains(&&Answer::Unknown(Reason::Nodes)),
            "{sfen}"
        );
    }
}

/// Needs more than a few positions.
const LARGE: &str = "9/9/4k4/9/9/9/9/9/9 b RB2S2N 1";

#[test]
fn limits_are_reported_and_never_no_mate() {
    let without = "9/9/9/9/4k4/9/9/9/9 b S 1";
    let limits = |nodes| MateLimits {
        nodes: Some(nodes),
        ..MateLimits::default()
    };
    let answer = |sfen, memory, nodes| solve_with(sfen, options(memory, 1), &limits(nodes)).answer;
    assert_eq!(answer(LARGE, 64 << 20, 10), Answer::Unknown(Reason::Nodes));
    assert_eq!(
        answer(without, 1 << 10, u64::MAX),
        Answer::Unknown(Reason::Memory)
    );
    assert_eq!(answer(without, 64 << 20, u64::MAX), Answer::NoMate);
    let position = Position::from_sfen(LARGE).unwrap();
    let solver = HelpMateSolver::new(options(64 << 20, 1));
    let stopped = solver.solve(
        &position,
        &MateLimits::default(),
        &AtomicBool::new(true),
        &mut SilentMateObserver,
    );
    assert_eq!(stopped.answer, Answer::Unknown(Reason::Stopped));
    let timed = MateLimits {
        time: Some(std::time::Duration::ZERO),
        ..MateLimits::default()
    };
    let late = solver.solve(
        &position,
        &timed,
        &AtomicBool::new(false),
        &mut SilentMateObserver,
    );
    assert_eq!(late.answer, Answer::Unknown(Reason::Time));
}

#[test]
fn defenders_may_move_first() {
    // Already mated; mated after any reply; not in check and without a move: no mate.
    let mated = solve("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    assert!(matches!(mated, Answer::Mate(line) if line.moves.is_empty()));
    let stalemate = solve("k8/2G6/1G7/9/9/9/9/9/9 w - 1");
    assert_eq!(stalemate, Answer::NoMate);
    let checked = "3k5/4G4/4P4/9/9/9/9/9/4K4 w G 1";
    match solve(checked) {
        Answer::Mate(line) => {
            assert_eq!(line.moves.len() % 2, 0);
            let position = Position::from_sfen(checked).unwrap();
            check_line(&position, Role::Defender, &line.moves);
        }
        other => panic!("{other:?}"),
    }
}

/// A problem of the fixtures.
#[derive(Debug, serde::Deserialize)]
struct KnownProblem {
    id: String,
    sfen: String,
    len: usize,
}

fn known_problems() -> Vec<KnownProblem> {
    test_support::fixture_rows("mate/help.jsonl")
}

/// Those that are small; the slow tier takes all.
#[test]
fn known_problems_have_their_length() {
    let slow = std::env::var_os("SHOGI_SLOW_TESTS").is_some();
    for known in known_problems() {
        if !slow && !known.is_small() {
            continue;
        }
        let time = known.is_wide().then_some(Duration::from_secs(20));
        let limits = MateLimits {
            time,
            ..MateLimits::default()
        };
        match solve_with(&known.sfen, options(4 << 30, 2), &limits).answer {
            Answer::Mate(line) => {
                assert_eq!(line.moves.len(), known.len, "{}", known.id);
                let position = Position::from_sfen(&known.sfen).unwrap();
                check_line(&position, Role::Attacker, &line.moves);
            }
            Answer::Unknown(Reason::Time | Reason::Memory) if known.is_wide() => {}
            other => panic!("{}: {other:?}", known.id),
        }
    }
}

impl KnownProblem {
    fn is_small(&self) -> bool {
        ["forest-05-13", "forest-06-12"].contains(&self.id.as_str())
    }

    /// Returns whether it has more positions than can be looked at in a minute, or kept in 4 GiB: limits may end the
    /// search, but not with a wrong answer.
    fn is_wide(&self) -> bool {
        [
            "bataco",
            "chain",
            "kato-107a",
            "kato-107b",
            "kato-162a",
            "ofm-139",
            "shichiro",
            "wfp-56-12a",
        ]
        .contains(&self.id.as_str())
    }
}
