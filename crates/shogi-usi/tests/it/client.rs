//! The client against engines made of a few lines of shell.
#![cfg(unix)]

use std::time::{Duration, Instant};

use shogi_usi::client::{EngineError, EngineProcess};
use shogi_usi::{BestMove, GoCommand};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

/// An engine that answers each command by a `case` of the shell.
fn engine(cases: &str) -> EngineProcess {
    let script = format!("while read -r word rest; do case $word in {cases} esac; done");
    EngineProcess::spawn("sh", &["-c", &script]).expect("a shell")
}

const NORMAL: &str = "usi) echo id name fake; echo id author nobody; \
    echo option name USI_Hash type spin default 1 min 1 max 9; echo usiok;; \
    isready) echo readyok;; \
    go) echo info depth 1 score cp 5 pv 7g7f; echo info multipv 2 score cp 1 pv 2g2f; \
        echo bestmove 7g7f ponder 3c3d;; \
    quit) exit 3;;";

#[test]
fn a_whole_session() {
    let mut engine = engine(NORMAL);
    engine.handshake(LONG).unwrap();
    assert_eq!((engine.name(), engine.author()), ("fake", "nobody"));
    assert!(engine.has_option("usi_hash") && !engine.has_option("MultiPV"));
    engine.set_option("USI_Hash", "2").unwrap();
    engine.get_ready(LONG).unwrap();
    engine.new_game().unwrap();
    engine.set_position(&"startpos".parse().unwrap()).unwrap();
    let result = engine.go(&GoCommand::default(), LONG).unwrap();
    assert!(matches!(
        result.best,
        BestMove::Move {
            ponder: Some(_),
            ..
        }
    ));
    assert_eq!(result.info.unwrap().depth, Some(1));
    assert_eq!(engine.quit(LONG).unwrap().code(), Some(3));
}

#[test]
fn a_position_and_a_search_are_two_lines() {
    // The engine says what it reads.
    let mut engine = EngineProcess::spawn("cat", &[]).expect("a program");
    let game = shogi_core::parse_position_line("startpos moves 7g7f").unwrap();
    let go = "nodes 100".parse().unwrap();
    engine.start_from(&game, &go).unwrap();
    let mut line = || engine.next_line(LONG).unwrap();
    assert_eq!(line(), "position startpos moves 7g7f");
    assert_eq!(line(), "go nodes 100");
}

#[test]
fn silence_is_a_time_out_and_the_process_is_killed() {
    let mut engine = engine("usi) exec sleep 1000;;");
    let error = engine.handshake(SHORT).unwrap_err();
    assert!(
        matches!(
            error,
            EngineError::Timeout {
                expected: "usiok",
                ..
            }
        ),
        "{error}"
    );
    let begin = Instant::now();
    assert!(!engine.quit(SHORT).unwrap().success());
    assert!(begin.elapsed() < LONG);
}

#[test]
fn an_early_end_shows_the_standard_error() {
    let mut engine = engine("usi) echo oops >&2; sleep 0.2; exit 1;;");
    let error = engine.handshake(LONG).unwrap_err();
    assert!(
        matches!(&error, EngineError::Closed { stderr, .. } if stderr.contains("oops")),
        "{error}"
    );
}

#[test]
fn a_flood_on_standard_error_does_not_block() {
    let mut engine = engine(
        "usi) i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789 >&2; \
         i=$((i+1)); done; echo usiok;;",
    );
    engine.handshake(LONG).unwrap();
    assert!(engine.stderr().len() <= 4096);
}

#[test]
fn nonsense_as_best_move_is_an_error() {
    let mut engine = engine("go) echo bestmove none;;");
    let error = engine.go(&GoCommand::default(), LONG).unwrap_err();
    assert!(matches!(error, EngineError::BadMove { .. }), "{error}");
}

#[test]
fn a_missing_program_is_an_error() {
    let error = EngineProcess::spawn("./no-such-engine", &[]).unwrap_err();
    assert!(matches!(error, EngineError::Spawn { .. }), "{error}");
}
