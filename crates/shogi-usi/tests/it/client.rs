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

/// An engine that says something while it gets ready.
fn talking(words: &str, then: &str) -> EngineProcess {
    engine(&format!(
        "usi) echo id name talker; echo option name EvalDir type string default eval; echo usiok;; \
         isready) echo info string loading eval file : net/nn.bin; {words}; {then};; \
         setoption) echo info string set $rest;; \
         quit) exit 0;;"
    ))
}

#[test]
fn what_an_engine_says_while_it_gets_ready_is_kept() {
    let mut engine = talking("true", "echo readyok");
    engine.handshake(LONG).unwrap();
    let report = engine.get_ready(LONG).unwrap();
    assert_eq!(report.lines(), ["loading eval file : net/nn.bin"]);
    let evaluation = report.evaluation();
    assert_eq!(
        evaluation.as_deref(),
        Some("loading eval file : net/nn.bin")
    );
    report.check(engine.name()).unwrap();
}

#[test]
fn an_error_that_an_engine_says_is_its_error() {
    let mut engine = talking("echo 'info string Error! : no nn.bin'", "echo readyok");
    engine.handshake(LONG).unwrap();
    let report = engine.get_ready(LONG).unwrap();
    let error = report.check(engine.name()).unwrap_err().to_string();
    assert_eq!(error, "talker says \"Error! : no nn.bin\"");
    // It plays all the same, for those who want that.
    engine.new_game().unwrap();
}

#[test]
fn an_engine_that_ends_after_an_error_has_told_why() {
    let mut engine = talking("echo 'info string Error! : no nn.bin'", "exit 1");
    engine.handshake(LONG).unwrap();
    let error = engine.get_ready(LONG).unwrap_err();
    assert!(
        matches!(&error, EngineError::Reported { words, .. } if words == "Error! : no nn.bin"),
        "{error}"
    );
}

#[test]
fn paths_of_users_are_sent_as_absolute_ones() {
    let mut engine = talking("true", "echo readyok");
    engine.handshake(LONG).unwrap();
    // Tests run in the folder of the package.
    engine.set_user_option("EvalDir", "src").unwrap();
    engine.set_user_option("EvalDir", "no-such-folder").unwrap();
    let report = engine.get_ready(LONG).unwrap();
    let here = std::env::current_dir().unwrap();
    let sent = format!("set name EvalDir value {}", here.join("src").display());
    assert_eq!(report.lines()[0], sent);
    assert_eq!(report.lines()[1], "set name EvalDir value no-such-folder");
}

#[test]
fn no_line_hides_behind_a_control_character() {
    let mut engine = engine(NORMAL);
    engine.handshake(LONG).unwrap();
    for value in ["1\nquit", "1\rquit", "\u{1b}[2J", "1\0"] {
        let error = engine.set_option("USI_Hash", value).unwrap_err();
        assert!(
            matches!(error, EngineError::ControlCharacter { .. }),
            "{error}"
        );
    }
    engine.get_ready(LONG).unwrap();
}

/// The number of a process that a script has started.
fn helper_of(engine: &mut EngineProcess) -> String {
    engine.send_line("helper").unwrap();
    engine.next_line(LONG).unwrap()
}

fn is_running(process: &str) -> bool {
    // A process that nobody has waited for yet counts as ended.
    let stat = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", process])
        .output()
        .expect("ps");
    let stat = String::from_utf8_lossy(&stat.stdout).trim().to_owned();
    !stat.is_empty() && !stat.starts_with('Z')
}

#[test]
fn nothing_of_an_engine_behind_a_script_is_left() {
    let cases = "helper) sleep 1000 > /dev/null 2>&1 & echo $!;; quit) exit 0;;";
    for is_killed in [false, true] {
        let mut engine = engine(cases);
        let helper = helper_of(&mut engine);
        assert!(is_running(&helper));
        if is_killed {
            drop(engine);
        } else {
            assert!(engine.quit(LONG).unwrap().success());
        }
        let end = Instant::now() + LONG;
        while is_running(&helper) {
            assert!(Instant::now() < end, "{helper} is left");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn an_engine_stands_in_a_group_of_its_own() {
    let mut engine = engine("group) ps -o pgid= -p $$;; me) echo $$;;");
    let mut ask = |word: &str| {
        engine.send_line(word).unwrap();
        engine.next_line(LONG).unwrap()
    };
    assert_eq!(ask("group"), ask("me"));
}

#[test]
fn values_that_are_no_utf_8_reach_the_engine_as_they_are() {
    let mut engine = engine(
        "usi) echo option name EvalDir type string default eval; echo usiok;; \
         setoption) printf %s \"$rest\" | od -An -v -tx1 | tr -d ' \\n'; echo;;",
    );
    engine.handshake(LONG).unwrap();
    let folder = yane_io::text_of_bytes(b"\x95\x5d\xc2\x88\x9f");
    engine.set_option("EvalDir", &folder).unwrap();
    let line = engine.next_line(LONG).unwrap();
    assert!(line.ends_with("76616c756520955dc2889f"), "{line}");
}
