//! The engine as a process thinks as it does inside of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::{Game, parse_position_line};
use shogi_engine::{
    Decision, Session, ThinkError, ThinkLimits, Thinker, ThinkerPool, Thought, UsiSetup, UsiThinker,
};

use crate::util::PROGRAM;

fn setup(options: &[(&str, &str)]) -> UsiSetup {
    let fixed = [("USI_Hash", "1"), ("Threads", "1"), ("BookFile", "no_book")];
    let options = fixed.iter().chain(options);
    UsiSetup {
        options: options
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..UsiSetup::default()
    }
}

fn process(options: &[(&str, &str)]) -> Box<dyn Thinker> {
    Box::new(UsiThinker::start(PROGRAM, &setup(options)).expect("it starts"))
}

fn inside(options: &[(&str, &str)]) -> Box<dyn Thinker> {
    let mut session = Session::new();
    for (name, value) in options {
        session.set_option(name, Some(value)).expect("an option");
    }
    Box::new(session.searcher(1))
}

/// What thinkers make of the games one after the other.
fn thoughts(thinker: Box<dyn Thinker>, games: &[Game], limits: &ThinkLimits) -> Vec<Thought> {
    let mut thoughts = Vec::new();
    ThinkerPool::new(vec![thinker])
        .run(
            games.iter(),
            |thinker, game| {
                thinker.new_game().unwrap();
                thinker.think(game, limits).unwrap()
            },
            |thought| thoughts.push(thought),
        )
        .unwrap();
    // The only thing that may differ.
    for thought in &mut thoughts {
        thought.elapsed = Duration::ZERO;
    }
    thoughts
}

#[test]
fn a_process_and_a_searcher_think_alike() {
    let games = [
        "startpos",
        "startpos moves 7g7f 3c3d",
        // Mate in one, mated, a declaration, one king.
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
        "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
        "sfen LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl w - 1",
        "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1",
        // The position has been there: history counts.
        "startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h",
    ]
    .map(|line| parse_position_line(line).expect("a position"));
    let options = [("ResignValue", "20000"), ("DrawValueBlack", "-100")];
    for limits in [
        ThinkLimits {
            depth: Some(5),
            ..ThinkLimits::default()
        },
        ThinkLimits {
            nodes: Some(3000),
            lines: 3,
            ..ThinkLimits::default()
        },
    ] {
        let inside = thoughts(inside(&options), &games, &limits);
        assert_eq!(thoughts(process(&options), &games, &limits), inside);
        assert!(
            inside
                .iter()
                .any(|thought| matches!(thought.decision, Decision::DeclareWin))
        );
    }
    let consideration = [("ConsiderationMode", "true")];
    let limits = ThinkLimits {
        depth: Some(4),
        ..ThinkLimits::default()
    };
    let inside = thoughts(inside(&consideration), &games, &limits);
    assert!(
        inside
            .iter()
            .any(|thought| thought.lines.iter().any(|line| line.end.is_some()))
    );
    assert_eq!(thoughts(process(&consideration), &games, &limits), inside);
}

#[test]
fn a_process_can_be_stopped() {
    let stop = Arc::new(AtomicBool::new(false));
    let limits = ThinkLimits {
        stop: Some(stop.clone()),
        ..ThinkLimits::default()
    };
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    let games = [parse_position_line("startpos").unwrap()];
    let thought = thoughts(process(&[]), &games, &limits).pop().unwrap();
    other.join().unwrap();
    assert!(matches!(thought.decision, Decision::Play { .. }));
    assert!(thought.nodes > 0 && !thought.lines.is_empty());
}

#[test]
#[cfg(unix)]
fn an_engine_that_plays_illegal_moves_is_caught() {
    let script = "while read -r word rest; do case $word in usi) echo usiok;; isready) echo readyok;; \
        go) echo info depth 1 score cp 5 pv 7g7f 7g7f; echo bestmove 7g7e;; esac; done";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]);
    let mut thinker = UsiThinker::start_command(&mut command, &UsiSetup::default()).unwrap();
    let game = parse_position_line("startpos").unwrap();
    let limits = ThinkLimits {
        depth: Some(1),
        ..ThinkLimits::default()
    };
    let error = thinker.think(&game, &limits).unwrap_err();
    assert!(matches!(error, ThinkError::IllegalAnswer { .. }), "{error}");
    // One that is gone is not asked again.
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script.replace("bestmove 7g7e", "x; exit 1")]);
    let mut thinker = UsiThinker::start_command(&mut command, &UsiSetup::default()).unwrap();
    let error = thinker.think(&game, &limits).unwrap_err();
    assert!(matches!(error, ThinkError::Engine(_)), "{error}");
    let error = thinker.think(&game, &limits).unwrap_err();
    assert!(matches!(error, ThinkError::Broken(_)), "{error}");
}
