//! Mate search in the USI loop: answers, stopping, and the GUI's recorded sessions.

use std::time::{Duration, Instant};

use shogi_core::Position;

use crate::gui::{check_shape, replay};
use crate::util::{Engine, run};

/// Plays the moves of a `checkmate` line; checks that the side to move is mated then. The number of moves.
fn mates(sfen: &str, answer: &str) -> usize {
    let mut position = Position::from_sfen(sfen).unwrap();
    let moves = answer.strip_prefix("checkmate ").expect(answer);
    for text in moves.split(' ') {
        let m = position.move_from_usi(text).expect(answer);
        let _undo = position.do_move_unchecked(m);
    }
    assert!(position.is_mated(), "{answer}");
    moves.split(' ').count()
}

const ONE: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
/// A composition of three plies.
const THREE: &str = "+P7B/9/8k/9/5G3/7+R1/9/9/9 b Prb3g4s4n4l16p 1";
const NONE: &str = "4k4/9/9/9/9/9/9/9/4K4 b P2r2b4g4s4n4l17p 1";
/// Zukou 1: no proof within the first second on any machine of this decade's tests.
const HARD: &str = "1pG1B4/Gs+P6/pP7/n1ls5/3k5/nL4+r1b/1+p1p+R4/1S7/2N6 b SP2gn2l11p 1";

#[test]
fn sessions_of_the_gui() {
    for (name, answer) in [
        ("mate-found-mate-engine.txt", "checkmate G*5b"),
        ("mate-none-mate-engine.txt", "checkmate nomate"),
        ("mate-with-play-engine.txt", "checkmate G*5b"),
    ] {
        let searches = replay(name);
        assert_eq!(searches.len(), 1, "{name}");
        check_shape(&searches[0], answer);
        assert_eq!(searches[0].last().unwrap(), answer, "{name}");
    }
}

#[test]
fn every_form_of_the_command_is_answered_once() {
    let mut engine = Engine::ready();
    for go in ["go mate", "go mate infinite", "go mate 20000"] {
        for (sfen, plies) in [(ONE, 1), (THREE, 3)] {
            engine.send(&format!("position sfen {sfen}"));
            engine.send(go);
            let lines = engine.until("checkmate");
            check_shape(&lines, "checkmate");
            assert!(mates(sfen, lines.last().unwrap()) >= plies);
            assert!(
                lines.iter().any(|line| line.contains(" score mate ")),
                "{lines:?}"
            );
        }
        engine.send(&format!("position sfen {NONE}"));
        engine.send(go);
        assert_eq!(engine.answer("checkmate"), "checkmate nomate");
    }
    engine.silent_for(Duration::from_millis(50));
    engine.quit();
}

/// The side not to move is in check, which no game has, but some problems do.
#[test]
fn a_check_may_stand_at_the_start() {
    let start = "4k4/9/4PN3/9/9/9/9/9/9 b 2G 1";
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {start}"));
    engine.send("go mate infinite");
    let lines = engine.until("checkmate");
    check_shape(&lines, "checkmate");
    assert!(
        !lines.iter().any(|line| line.contains("Error")),
        "{lines:?}"
    );
    let answer = lines.last().unwrap();
    let first = answer.split(' ').nth(1).unwrap();
    assert!(first.starts_with("G*"), "{answer}");
    engine.send(&format!("position sfen {start} moves {first}"));
    engine.send("setoption name RootIsAndNodeIfChecked value true");
    engine.send("go mate infinite");
    assert_ne!(engine.answer("checkmate"), "checkmate timeout");
    engine.send("setoption name MateKind value help");
    engine.send(&format!("position sfen {start}"));
    engine.send("go mate infinite");
    let lines = engine.until("checkmate");
    check_shape(&lines, "checkmate");
    assert!(
        lines.last().unwrap().starts_with("checkmate G*"),
        "{lines:?}"
    );
    engine.quit();
}

/// Commands that need a position of a game report that there is none, and do not use the game before.
#[test]
fn a_start_in_check_is_not_played() {
    let start = "4k4/9/4PN3/9/9/9/9/9/9 b 2G 1";
    let position = format!("position sfen {start}");
    let refused = "info string Error! the side not to move is in check";
    for command in [
        "go nodes 1",
        "go perft 1",
        "moves",
        "flip",
        "rep",
        "see G*5b",
    ] {
        let lines = run(&format!("{position} , {command} , quit"), b"");
        assert!(
            lines.iter().any(|line| line.starts_with(refused)),
            "{command}: {lines:?}"
        );
        let resigns = lines.iter().any(|line| line == "bestmove resign");
        assert_eq!(resigns, command == "go nodes 1", "{lines:?}");
    }
    let lines = run(&format!("{position} , d , quit"), b"");
    assert!(lines.iter().any(|line| line.contains(start)), "{lines:?}");
    assert!(
        !lines.iter().any(|line| line.contains("Error")),
        "{lines:?}"
    );
}

#[test]
fn limits_are_answered_with_timeout() {
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {HARD}"));
    let begin = Instant::now();
    engine.send("go mate 50");
    assert_eq!(engine.answer("checkmate"), "checkmate timeout");
    assert!(begin.elapsed() >= Duration::from_millis(50));
    engine.send("setoption name MateNodesLimit value 1000");
    engine.send("go mate infinite");
    assert_eq!(engine.answer("checkmate"), "checkmate timeout");
    engine.quit();
}

/// A help mate of 49,909 plies (Jugemu 3).
const LONG_HELP: &str =
    "rBKp1r1ss/GL3p1bL/L3klpp1/2G2n2P/1gnnng1P1/P1s1s1P2/1P1P1P3/2P1P4/9 b 5p 1";

#[test]
fn stop_is_answered_within_50_ms() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Hash value 64");
    for (kind, sfen) in [("tsume", HARD), ("help", LONG_HELP)] {
        engine.send(&format!("setoption name MateKind value {kind}"));
        engine.send(&format!("position sfen {sfen}"));
        // The best of several tries: the machine may be busy with other things.
        let mut quickest = Duration::MAX;
        for wait_ms in [0, 10, 30, 50, 50] {
            engine.send("go mate infinite");
            std::thread::sleep(Duration::from_millis(wait_ms));
            let begin = Instant::now();
            engine.send("stop");
            assert_eq!(engine.answer("checkmate"), "checkmate timeout");
            quickest = quickest.min(begin.elapsed());
            assert!(begin.elapsed() < Duration::from_secs(2));
        }
        assert!(quickest < Duration::from_millis(50), "{kind}: {quickest:?}");
    }
    engine.quit();
}

#[test]
fn searches_of_both_kinds_follow_each_other() {
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {HARD}"));
    engine.send("go infinite");
    engine.send("go mate infinite");
    // The search answers before the other one begins.
    engine.until("bestmove");
    engine.send("isready");
    engine.until("readyok");
    engine.send(&format!("position sfen {ONE}"));
    engine.send("go depth 2");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().any(|line| line.starts_with("checkmate ")),
        "{lines:?}"
    );
    engine.send("go mate");
    assert_eq!(engine.answer("checkmate"), "checkmate G*5b");
    engine.quit();
}

#[test]
fn a_script_waits_for_the_answer() {
    let lines = run(
        &format!("position sfen {ONE} , go mate infinite , quit"),
        b"",
    );
    assert_eq!(lines.last().unwrap(), "checkmate G*5b");
}

#[test]
fn a_side_in_check_attacks_by_default() {
    // White is in check and can only be mated.
    let checked = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1 moves G*6b";
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {checked}"));
    engine.send("go mate");
    assert_eq!(engine.answer("checkmate"), "checkmate nomate");
    engine.send("setoption name RootIsAndNodeIfChecked value true");
    engine.send("go mate");
    let answer = engine.answer("checkmate");
    assert_ne!(answer, "checkmate timeout");
    // A king that is mated cannot be the one that mates.
    engine.send(&format!("position sfen {ONE} moves G*5b"));
    engine.send("go mate");
    let lines = engine.until("checkmate");
    assert_eq!(lines.last().unwrap(), "checkmate nomate");
    assert!(
        lines.iter().any(|line| line.contains("mated already")),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn help_mates_are_solved_on_request() {
    // Without help there is no mate with a gold and a pawn.
    let sfen = "9/9/4k4/9/9/9/9/9/9 b GP 1";
    let mut engine = Engine::ready();
    engine.send(&format!("position sfen {sfen}"));
    engine.send("go mate");
    assert_eq!(engine.answer("checkmate"), "checkmate nomate");
    engine.send("setoption name MateKind value help");
    engine.send("setoption name USI_Hash value 64");
    engine.send("go mate");
    let answer = engine.answer("checkmate");
    assert!(mates(sfen, &answer) > 1);
    engine.quit();
}
