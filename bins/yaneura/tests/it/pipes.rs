//! Commands in a pipe: those for people print their result before `quit` or the end of the input ends the program.

use std::time::{Duration, Instant};

use crate::util::{Engine, run};

const MATE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1";

#[test]
fn results_come_before_the_end() {
    let mate = |command: &str| format!("{MATE}\n{command}");
    for (script, result) in [
        ("go perft 3".to_owned(), "Nodes searched: 25470"),
        ("perft 3".to_owned(), "Nodes searched: 25470"),
        ("position startpos\ngo perft 2\nside".to_owned(), "black"),
        ("bench 3".to_owned(), "Nodes searched: "),
        ("bench 1 1 2 default depth".to_owned(), "Nodes/second    : "),
        ("bench 1 1 2 current perft".to_owned(), "Nodes/second    : "),
        ("speedtest 1 1 1".to_owned(), "USI_Hash (MiB)  : 1"),
        ("eval".to_owned(), "  "),
        ("e".to_owned(), "eval = "),
        ("d".to_owned(), "sfen "),
        (mate("mate1"), "G*5b"),
        (mate("mate"), "checkmate G*5b"),
        (mate("mate 60000"), "checkmate G*5b"),
        (mate("mate infinite"), "checkmate G*5b"),
        (mate("go mate"), "checkmate G*5b"),
        (mate("go mate 60000"), "checkmate G*5b"),
    ] {
        for end in ["\nquit\n", "\n"] {
            let input = format!("setoption name USI_Hash value 1\n{script}{end}");
            let lines = run("", input.as_bytes());
            let text = lines.join("\n");
            assert!(
                !text.contains("stopped") && !text.contains("Error!"),
                "{input}{text}"
            );
            assert!(
                lines.iter().any(|line| line.starts_with(result)),
                "{input}{text}"
            );
        }
    }
}

#[test]
fn what_never_ends_can_be_ended() {
    for command in ["perft 30", "go perft 30", "bench 30"] {
        for second in ["stop", "quit"] {
            let mut engine = Engine::ready();
            engine.send(command);
            engine.send("quit");
            engine.silent_for(Duration::from_millis(100));
            engine.send(second);
            engine.ends();
        }
    }
}

/// A problem of 1,525 plies, far too large for a small table.
const HARD: &str =
    "position sfen 1pG1B4/Gs+P6/pP7/n1ls5/3k5/nL4+r1b/1+p1p+R4/1S7/2N6 b SP2gn2l11p 1";

#[test]
fn a_gui_waits_for_nothing() {
    for (go, most) in [
        ("position startpos\ngo infinite", 10),
        ("position startpos\ngo btime 600000 wtime 600000", 10),
        ("go mate infinite", 10),
    ] {
        let begin = Instant::now();
        let input = format!("setoption name USI_Hash value 1\n{HARD}\n{go}\nquit\n");
        let lines = run("", input.as_bytes());
        let last = lines.last().unwrap();
        assert!(
            last.starts_with("bestmove ") || last.starts_with("checkmate "),
            "{lines:?}"
        );
        assert!(
            begin.elapsed() < Duration::from_secs(most),
            "{go}: {:?}",
            begin.elapsed()
        );
    }
}

#[test]
fn a_mate_search_of_a_person_can_be_stopped() {
    let mut engine = Engine::ready();
    engine.send(HARD);
    engine.send("mate");
    engine.send("quit");
    engine.silent_for(Duration::from_millis(100));
    engine.send("stop");
    let rest = engine.ends();
    assert!(
        rest.iter().any(|line| line.starts_with("checkmate ")),
        "{rest:?}"
    );
}

#[test]
fn words_that_the_mate_command_does_not_know() {
    let lines = run("", b"mate problems.sfen\nquit\n");
    assert_eq!(
        lines,
        [
            "info string Error! mate: expected nothing more, milliseconds or infinite; collections: mate FILE alone on the \
          command line, found \"problems.sfen\""
        ]
    );
}
