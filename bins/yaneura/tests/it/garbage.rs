//! Wrong input is answered with the reason and never ends the engine.

use std::time::Duration;

use test_support::SplitMix64;

use crate::util::{Engine, run};

#[test]
fn errors_say_what_is_wrong() {
    let mut engine = Engine::ready();
    for (line, expected) in [
        ("hello", "unknown command \"hello\""),
        ("stpo", "unknown command \"stpo\"; did you mean stop?"),
        (
            "Thread 4",
            "unknown command \"Thread\"; did you mean Threads?",
        ),
        ("exit", "unknown command \"exit\"; did you mean quit?"),
        (
            "makebook merge a.db b.db out.db",
            "makebook is a program of its own, no command of the engine; run it in a shell: makebook merge a.db b.db out.db",
        ),
        (
            "gensfen depth 3",
            "gensfen is a program of its own, no command of the engine; run it in a shell: gensfen depth 3",
        ),
        (
            "csa localhost --name me",
            "csa is a program of its own, no command of the engine; run it in a shell: yaneura csa localhost --name me",
        ),
        ("position", "position: no position given"),
        (
            "position startpos moves 7g7e",
            "position: move 1: illegal move 7g7e",
        ),
        (
            "position startpos moves 7g7f 7g7f",
            "position: move 2: illegal move 7g7f",
        ),
        (
            "position startpos moves 7g7f zz",
            "position: move 2: \"zz\" is not a move",
        ),
        (
            "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNX b - 1",
            "position: bad SFEN: board field, character 57: unexpected 'X' in rank i",
        ),
        (
            "position sfen 9/9/9 b - 1",
            "position: bad SFEN: board field: 3 ranks instead of 9",
        ),
        (
            "position sfen 9/9/9/9/9/9/9/9/9 x - 1",
            "position: bad SFEN: side field: expected b or w, found \"x\"",
        ),
        (
            "setoption name MultiPV value 0",
            "option MultiPV: \"0\" is not a number from 1 to 600",
        ),
        ("setoption name Nothing value 0", "No such option: Nothing"),
        (
            "setoption name MutliPV value 2",
            "No such option: MutliPV; did you mean MultiPV?",
        ),
        (
            "getoption Thread",
            "No such option: Thread; did you mean Threads?",
        ),
        ("setoption", "setoption: expected \"name\", found \"\""),
        ("perft -1", "perft: expected a depth up to 30, found \"-1\""),
        (
            "file no/such/file.txt",
            "file: cannot read no/such/file.txt: ",
        ),
    ] {
        let answer = engine.ask(line);
        let text = answer.strip_prefix("info string Error! ").expect(&answer);
        assert!(text.starts_with(expected), "{line}: {text}");
    }
    engine.quit();
}

/// After an unreadable `position` the one before is neither shown nor played from.
#[test]
fn no_position_is_not_the_one_before() {
    let mut engine = Engine::ready();
    engine.send("position startpos moves 7g7f");
    engine.send("position startpos moves 2g2f 7g7e");
    engine.until("info");
    let reason = "no position: the last one could not be read: move 2: illegal move 7g7e";
    for query in [
        "d",
        "side",
        "moves",
        "e",
        "rep",
        "flip",
        "perft 1",
        "go perft 1",
        "bench 1 1 1 current eval",
    ] {
        let answer = engine.ask(query);
        assert_eq!(answer, format!("info string Error! {reason}"), "{query}");
    }
    for (go, answer) in [
        ("go", "bestmove resign"),
        ("go btime 0 wtime 0 byoyomi 100", "bestmove resign"),
        ("go infinite", "bestmove resign"),
        ("go ponder", "bestmove resign"),
        ("go mate infinite", "checkmate timeout"),
    ] {
        let lines = engine.answered_once(go, Duration::ZERO);
        assert_eq!(
            lines,
            [format!("info string Error! {reason}"), answer.to_owned()],
            "{go}"
        );
    }
    engine.send("position startpos moves 7g7f");
    engine.send("d");
    assert_eq!(
        engine.answer("sfen"),
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
    );
    // Getting ready sets up the initial position.
    engine.send("position nonsense");
    assert_eq!(engine.answer_of_isready(), "readyok");
    assert_eq!(engine.ask("side"), "black");
    engine.quit();
}

/// An answer without a search comes no sooner than that of a search.
#[test]
fn resignation_waits_for_ponderhit_and_stop() {
    let soon = Duration::from_millis(50);
    let mut engine = Engine::ready();
    engine.send("position nonsense");
    for (go, too_early, steer) in [
        ("go ponder", None, "ponderhit"),
        ("go ponder btime 5 wtime 5", None, "gameover"),
        ("go infinite", Some("ponderhit"), "stop"),
        ("go ponder infinite", Some("ponderhit"), "gameover lose"),
    ] {
        engine.send(go);
        engine.silent_for(soon);
        if let Some(steer) = too_early {
            engine.send(steer);
            engine.silent_for(soon);
        }
        let error = engine.ask("wait");
        assert!(
            error.ends_with("wait: the search runs until stop or ponderhit"),
            "{error}"
        );
        assert_eq!(engine.ask(steer), "bestmove resign", "{go}");
    }
    // Another `go` ends it too, and so does the end.
    engine.send("go infinite");
    engine.send("go infinite");
    assert_eq!(engine.answer("bestmove"), "bestmove resign");
    engine.send("quit");
    assert_eq!(engine.ends().last().unwrap(), "bestmove resign");
}

/// A search that runs while an unreadable position comes answers first.
#[test]
fn a_running_search_answers_before_the_resignation() {
    let mut engine = Engine::ready();
    engine.send("go infinite");
    engine.send("position nonsense");
    engine.send("go");
    assert_ne!(engine.answer("bestmove"), "bestmove resign");
    assert_eq!(engine.answer("bestmove"), "bestmove resign");
    engine.quit();
}

#[test]
fn nothing_is_said_about_blank_lines() {
    assert_eq!(run("", b"\n  \n\r\n\t\nrep\nquit\n"), ["rep_none"]);
}

/// The same bytes every time.
fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut random = SplitMix64::new(seed);
    let next = || random.next_u64() as u8;
    std::iter::repeat_with(next).take(count).collect()
}

#[test]
fn binary_input_is_survived() {
    let mut input = Vec::new();
    for seed in 1..=200 {
        input.extend(noise(seed << 20, 2000));
        input.extend(b"\nposition ");
        input.extend(noise(seed, 100));
        input.extend(b"\ngo ");
        input.extend(noise(seed + 1000, 20));
        input.extend(b"\nsetoption name ");
        input.extend(noise(seed + 2000, 20));
        input.push(b'\n');
    }
    input.extend(b"\nstop\nwait\nposition startpos\nrep\nquit\n");
    let lines = run("", &input);
    assert_eq!(lines.last().unwrap(), "rep_none");
    assert!(lines.iter().all(|line| line.chars().count() < 400));
    assert!(lines.len() > 600);
}

#[test]
fn monstrous_lines_are_survived() {
    let mut input = b"position startpos moves".to_vec();
    input.extend(b" 7g7f".repeat(100_000));
    input.push(b'\n');
    input.extend(b"x".repeat(3_000_000));
    input.extend(b"\nrep\nposition startpos\nrep\nquit\n");
    let lines = run("", &input);
    assert_eq!(
        lines,
        [
            "info string Error! position: move 2: illegal move 7g7f",
            "info string Error! line longer than 1048576 bytes",
            "info string Error! no position: the last one could not be read: move 2: illegal move 7g7f",
            "rep_none"
        ]
    );
}

/// Of a line that is too long the beginning counts: `go` is answered, and a position is none.
#[test]
fn monstrous_commands_are_answered() {
    let mut input = b"USI_Hash 1\nposition startpos moves 7g7f\ngo depth 1 ".to_vec();
    input.extend(b"x ".repeat(1_000_000));
    input.extend(b"\nwait\nposition startpos moves 2g2f ");
    input.extend(b"3c3d ".repeat(500_000));
    input.extend(b"\ngo\nsetoption name BookDir value ");
    input.extend(b"y".repeat(3_000_000));
    input.extend(b"\ngetoption BookDir\nquit\n");
    let lines = run("", &input);
    let answers: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("bestmove"))
        .collect();
    assert_eq!(answers.len(), 2, "{lines:?}");
    assert_ne!(answers[0], "bestmove resign");
    assert_eq!(answers[1], "bestmove resign");
    assert_eq!(lines.last().unwrap(), "Options[BookDir] = book");
}

/// Every beginning of every valid line, and every line with one byte changed.
#[test]
fn damaged_commands_are_survived() {
    let mut input = Vec::new();
    for line in [
        "position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1 moves G*8h",
        "setoption name EnteringKingRule value TryRule",
        "go searchmoves 7g7f P*5e depth 1",
        "ponderhit btime 100",
        "gameover draw",
        "see 7g7f",
    ] {
        for end in 0..line.len() {
            // A truncated line must not start a search without end or leave.
            input.extend(&line.as_bytes()[..end]);
            input.push(b'\n');
            let mut damaged = line.as_bytes().to_vec();
            damaged[end] = damaged[end].wrapping_add(1);
            input.extend(damaged);
            input.push(b'\n');
        }
    }
    input.extend(b"setoption name USI_Hash value 1\nwait\nposition startpos\nrep\nquit\n");
    let lines = run("", &input);
    assert_eq!(lines.last().unwrap(), "rep_none");
}
