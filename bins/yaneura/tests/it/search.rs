//! Searches: every limit, steering while they run, exactly one answer each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shogi_core::{Game, parse_position_line};
use shogi_engine::{
    Decision, Searcher, Session, ThinkError, ThinkLimits, Thinker, Thought, UsiSetup, UsiThinker,
};
use test_support::SplitMix64;

use crate::util::{Engine, PROGRAM, is_usual, one_line, run};

fn is_move(word: &str) -> bool {
    shogi_core::MoveText::from_usi(word).is_some()
}

fn best(line: &str) -> &str {
    line.strip_prefix("bestmove ")
        .expect("a bestmove")
        .split(' ')
        .next()
        .expect("a word")
}

#[test]
fn every_limit_ends_a_search() {
    let mut engine = Engine::ready();
    for go in [
        "go depth 1",
        "go depth 0",
        "go nodes 1",
        "go nodes 0",
        "go nodes 5000",
        "go movetime 10",
        "go movetime 0",
        "go rtime 20",
        "go",
        "go btime 0 wtime 0 byoyomi 0",
        "go btime 100 wtime 100",
        "go btime 0 wtime 0 byoyomi 100",
        "go btime 100 wtime 100 binc 10 winc 10",
        "go btime -50 wtime -50 byoyomi 0",
        "go depth 1 nodes 1 movetime 1",
    ] {
        engine.send(go);
        let lines = engine.until("bestmove");
        let answer = lines.last().expect("a bestmove");
        assert!(is_move(best(answer)), "{go}: {answer}");
        // However early it ends, the move comes with a score.
        assert!(
            lines
                .iter()
                .any(|line| line.contains(" score ") && line.contains(" pv ")),
            "{go}: {lines:?}"
        );
    }
    engine.quit();
}

#[test]
fn go_works_without_any_preparation() {
    let mut engine = Engine::start();
    engine.send("go depth 2");
    assert!(is_move(best(&engine.answer("bestmove"))));
    engine.quit();
}

#[test]
fn only_the_named_moves_are_searched() {
    let mut engine = Engine::ready();
    for name in ["9g9f", "1i1h"] {
        engine.send(&format!("go depth 3 searchmoves {name}"));
        assert_eq!(best(&engine.answer("bestmove")), name);
    }
    // A pointless non-promotion is searched when it is named.
    engine.send("position startpos moves 7g7f 3c3d");
    engine.send("go depth 2 searchmoves 8h2b");
    assert_eq!(best(&engine.answer("bestmove")), "8h2b");
    // Illegal moves are left out; without a legal one all moves are searched.
    for (named, expected) in [
        ("9g9e 8h2b 9z", "searchmoves: \"9z\" is not a move"),
        ("9g9e 8h2b", "searchmoves: illegal here: 9g9e"),
    ] {
        let lines =
            engine.answered_once(&format!("go depth 3 searchmoves {named}"), Duration::ZERO);
        assert_eq!(best(lines.last().unwrap()), "8h2b");
        assert_eq!(lines[0], format!("info string Error! go: {expected}"));
    }
    let lines = engine.answered_once("go depth 3 searchmoves 9g9e", Duration::ZERO);
    assert!(is_move(best(lines.last().unwrap())), "{lines:?}");
    engine.quit();
}

#[test]
fn a_mated_side_resigns() {
    let mut lines = run(
        "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1 , go depth 5 , quit",
        b"",
    );
    lines.retain(|line| !is_usual(line));
    assert_eq!(
        lines,
        [
            "info depth 0 multipv 1 score mate -1 nodes 0 nps 0 hashfull 0 time 1 pv resign",
            "bestmove resign"
        ]
    );
}

#[test]
fn a_score_below_resign_value_resigns() {
    let position = "position sfen 4k4/9/9/9/9/9/9/9/R3K3R w 2B 1";
    let lines = run(&format!("{position} , go depth 3 , quit"), b"");
    assert!(is_move(best(lines.last().unwrap())), "{lines:?}");
    let lines = run(
        &format!("{position} , setoption name ResignValue value 1000 , go depth 3 , quit"),
        b"",
    );
    assert_eq!(lines.last().unwrap(), "bestmove resign");
}

#[test]
fn declarations_are_played_at_once() {
    let entered = "position sfen LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl w - 1";
    let lines = run(&format!("{entered} , go infinite , stop , quit"), b"");
    // An endless search that a script stops answers before the script goes on.
    assert_eq!(lines.last().unwrap(), "bestmove win");
    let lines = run(
        &format!(
            "{entered} , setoption name EnteringKingRule value NoEnteringKing , go depth 1 , quit"
        ),
        b"",
    );
    assert!(is_move(best(lines.last().unwrap())), "{lines:?}");
    let near = "position sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1";
    let lines = run(
        &format!("{near} , setoption name EnteringKingRule value TryRule , go depth 1 , quit"),
        b"",
    );
    assert_eq!(lines.last().unwrap(), "bestmove 5b5a");
}

#[test]
fn mates_are_found_and_played() {
    let line = one_line("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1 , mate1");
    let mut engine = Engine::ready();
    engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1");
    engine.send("go depth 3");
    let lines = engine.until("bestmove");
    assert_eq!(best(lines.last().unwrap()), line);
    assert!(
        lines[lines.len() - 2].contains(" score mate 1 "),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn stop_is_answered_within_10_ms() {
    let mut engine = Engine::ready();
    // The best of several tries: the machine may be busy with other things.
    let mut quickest = Duration::MAX;
    for wait_ms in [0, 1, 10, 50, 100, 200, 300, 300, 300] {
        engine.send("go infinite");
        std::thread::sleep(Duration::from_millis(wait_ms));
        let begin = Instant::now();
        engine.send("stop");
        engine.until("bestmove");
        let elapsed = begin.elapsed();
        assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
        if wait_ms >= 100 {
            quickest = quickest.min(elapsed);
        }
    }
    assert!(quickest < Duration::from_millis(10), "{quickest:?}");
    engine.quit();
}

#[test]
fn stopping_twice_or_without_a_search_is_harmless() {
    let mut engine = Engine::ready();
    engine.send("stop");
    engine.send("ponderhit");
    engine.send("go infinite");
    engine.send("stop");
    engine.send("stop");
    engine.until("bestmove");
    engine.send("stop");
    engine.silent_for(Duration::from_millis(50));
    assert_eq!(engine.answer_of_isready(), "readyok");
    engine.quit();
}

#[test]
fn an_infinite_search_keeps_its_answer_back() {
    let mut engine = Engine::ready();
    // One legal move, and a position without any: both are decided at once.
    for sfen in [
        "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
        "k8/9/9/9/9/9/9/9/K8 b - 1",
    ] {
        engine.send(&format!("position sfen {sfen}"));
        engine.send("go infinite");
        engine.silent_for(Duration::from_millis(200));
        engine.send("stop");
        engine.until("bestmove");
    }
    engine.quit();
}

#[test]
fn commands_during_a_search() {
    let mut engine = Engine::ready();
    engine.send("go infinite");
    engine.send("isready");
    engine.until("readyok");
    engine.send("usinewgame");
    engine.send("setoption name MultiPV value 2");
    engine.send("setoption name USI_Hash value 2");
    engine.send("position startpos moves 7g7f");
    engine.send("usi");
    engine.until("usiok");
    engine.send("stop");
    // The running search was about the initial position.
    let answer = engine.answer("bestmove");
    assert!(
        "abcdefghi".contains(best(&answer).chars().nth(1).unwrap()),
        "{answer}"
    );
    engine.send("go depth 3");
    let lines = engine.until("bestmove");
    assert!(
        lines.iter().any(|line| line.contains(" multipv 2 ")),
        "{lines:?}"
    );
    let reply = best(lines.last().unwrap());
    assert_eq!(
        engine
            .ask("moves")
            .split(' ')
            .filter(|m| *m == reply)
            .count(),
        1
    );
    engine.quit();
}

#[test]
fn each_go_is_answered_once_even_when_they_overlap() {
    let mut engine = Engine::ready();
    for _ in 0..20 {
        engine.send("go infinite");
    }
    engine.send("stop");
    (0..20).for_each(|_| drop(engine.until("bestmove")));
    engine.silent_for(Duration::from_millis(50));
    engine.quit();
}

/// Commands in a random order, at random times: every `go` is answered once, every `isready` too.
#[test]
fn any_order_of_commands_is_answered_in_full() {
    let commands = [
        "go infinite",
        "go depth 2",
        "go nodes 300",
        "go movetime 1",
        "go ponder",
        "go ponder btime 0 wtime 0 byoyomi 10",
        "ponderhit",
        "ponderhit btime 0 wtime 0 byoyomi 10",
        "stop",
        "stop",
        "gameover draw",
        "isready",
        "usinewgame",
        "position startpos moves 7g7f 3c3d",
        "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
        "setoption name Stochastic_Ponder value true",
        "setoption name Stochastic_Ponder value false",
        "setoption name USI_Hash value 2",
        "setoption name MultiPV value 2",
    ];
    let mut engine = Engine::ready();
    let mut random = SplitMix64::new(20);
    let mut sent = Vec::new();
    for _ in 0..600 {
        let command = random.choose(&commands);
        engine.send(command);
        sent.push(command);
        if random.below(8) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(4)));
        }
    }
    engine.send("stop");
    engine.send("getoption Threads");
    let count = |word: &str| {
        sent.iter()
            .filter(|line| line.split(' ').next() == Some(word))
            .count()
    };
    let (mut best, mut ready, mut asked) = (0, 0, false);
    while best < count("go") || ready < count("isready") || !asked {
        let line = engine.line();
        match line.split(' ').next() {
            Some("bestmove") => best += 1,
            Some("readyok") => ready += 1,
            Some("info") => assert!(!line.contains("Error!"), "{line}"),
            _ => asked |= line == "Options[Threads] = 1",
        }
    }
    engine.silent_for(Duration::from_millis(50));
    assert_eq!((best, ready), (count("go"), count("isready")));
    engine.quit();
}

#[test]
fn pondering_waits_for_ponderhit() {
    let mut engine = Engine::ready();
    engine.send("setoption name NetworkDelay2 value 0");
    for (go, hit) in [
        ("go ponder btime 0 wtime 0 byoyomi 50", "ponderhit"),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 50"),
        ("go ponder", "ponderhit"),
        ("go ponder depth 1", "ponderhit"),
        ("go ponder btime 0 wtime 0 byoyomi 50", "stop"),
        ("go ponder", "gameover win"),
    ] {
        engine.send("position startpos moves 7g7f 3c3d");
        engine.send(go);
        engine.silent_for(Duration::from_millis(120));
        engine.send(hit);
        let answer = engine.answer("bestmove");
        assert!(is_move(best(&answer)), "{go} {hit}: {answer}");
        engine.silent_for(Duration::from_millis(20));
    }
    engine.quit();
}

#[test]
fn stochastic_ponder_takes_the_last_move_back() {
    let mut engine = Engine::ready();
    engine.send("setoption name Stochastic_Ponder value true");
    engine.send("setoption name PvInterval value 0");
    // White is to move after 7g7f; the search is about black's moves until ponderhit.
    engine.send("position startpos moves 7g7f");
    engine.send("go ponder btime 0 wtime 0 byoyomi 50");
    let info = engine.answer("info");
    let first = info
        .split(" pv ")
        .nth(1)
        .and_then(|pv| pv.split(' ').next())
        .expect("a pv");
    let black = run("position startpos , moves , quit", b"").remove(0);
    assert!(black.split(' ').any(|m| m == first), "{first}");
    engine.send("ponderhit");
    let answer = engine.answer("bestmove");
    let white = engine.ask("moves");
    assert!(white.split(' ').any(|m| m == best(&answer)), "{answer}");
    engine.silent_for(Duration::from_millis(50));
    engine.quit();
}

#[test]
fn quit_and_the_end_of_input_end_a_search_at_once() {
    for go in ["go infinite", "go movetime 100000", "go ponder"] {
        let mut engine = Engine::ready();
        engine.send(go);
        std::thread::sleep(Duration::from_millis(30));
        engine.send("quit");
        let rest = engine.ends();
        let answers = rest.iter().filter(|line| line.starts_with("bestmove "));
        assert_eq!(answers.count(), 1, "{go}: {rest:?}");
        assert!(is_move(best(rest.last().unwrap())), "{go}: {rest:?}");
    }
    let begin = Instant::now();
    let lines = run("", b"setoption name USI_Hash value 1\ngo movetime 100000\n");
    assert!(is_move(best(lines.last().unwrap())), "{lines:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn scripts_wait_for_their_searches() {
    let lines = run(
        "setoption name USI_Hash value 1 , go depth 6 , d , go depth 5 , quit",
        b"",
    );
    let at = |word: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(word))
            .expect(word)
    };
    assert!(at("bestmove") < at("sfen "), "{lines:?}");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        2
    );
    // Without quit the end of the standard input ends it, after the script.
    let lines = run("setoption name USI_Hash value 1 , go depth 6", b"");
    assert!(lines.last().unwrap().starts_with("bestmove"));
    // On standard input `wait` does the same.
    let lines = run(
        "",
        b"setoption name USI_Hash value 1\ngo depth 6\nwait\nquit\n",
    );
    assert!(lines.last().unwrap().starts_with("bestmove"));
    let lines = run("", b"wait\ngo infinite\nwait\nquit\n");
    let error = "info string Error! wait: the search runs until stop or ponderhit";
    assert!(lines.iter().any(|line| line == error), "{lines:?}");
}

#[test]
fn pv_interval_thins_out_the_lines() {
    let count = |interval: &str| {
        let script = format!(
            "setoption name USI_Hash value 1 , setoption name PvInterval value {interval} , go depth 6 , quit"
        );
        run(&script, b"")
            .iter()
            .filter(|line| line.starts_with("info depth"))
            .count()
    };
    assert_eq!(count("100000"), 1);
    assert!(count("0") >= 6);
}

#[test]
fn time_limits_are_kept() {
    let mut engine = Engine::ready();
    let mut quickest = Duration::MAX;
    for _ in 0..5 {
        let begin = Instant::now();
        engine.send("go movetime 100");
        engine.until("bestmove");
        let elapsed = begin.elapsed();
        assert!(elapsed > Duration::from_millis(70), "{elapsed:?}");
        quickest = quickest.min(elapsed);
    }
    assert!(
        quickest < Duration::from_millis(150),
        "{quickest:?} in {PROGRAM}"
    );
    engine.quit();
}

#[test]
fn an_invalid_numa_policy_is_reported() {
    let mut engine = Engine::start();
    engine.send("setoption name NumaPolicy value everywhere");
    engine.send("isready");
    let lines = engine.until("readyok").join("\n");
    assert!(lines.contains("Error! NumaPolicy everywhere"), "{lines}");
    for policy in ["none", "system", "0:0", "0-999"] {
        engine.send(&format!("setoption name NumaPolicy value {policy}"));
        engine.send("setoption name Threads value 3");
        engine.send("isready");
        let lines = engine.until("readyok").join("\n");
        assert!(!lines.contains("NumaPolicy"), "{lines}");
        engine.send("go depth 4");
        assert!(is_move(best(&engine.answer("bestmove"))));
    }
    engine.quit();
}

// The engine as a process thinks as it does inside of a program.

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

/// The thoughts of a thinker about the games one after the other.
fn thoughts(thinker: Box<dyn Thinker>, games: &[Game], limits: &ThinkLimits) -> Vec<Thought> {
    let think = || {
        let mut thinker = thinker;
        let think = |game| {
            thinker.new_game().unwrap();
            thinker.think(game, limits).unwrap()
        };
        games.iter().map(think).collect::<Vec<_>>()
    };
    let mut thoughts = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(Searcher::STACK_BYTES);
        let thread = thread.spawn_scoped(scope, think).unwrap();
        thread.join().unwrap()
    });
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

#[test]
fn a_strength_limit_plays_good_moves_of_short_searches() {
    let mut engine = Engine::ready();
    engine.set(&[("SkillLevel", "0")]);
    let mut played = std::collections::BTreeSet::new();
    for _ in 0..30 {
        engine.send("usinewgame");
        engine.send("position startpos");
        engine.send("go btime 600000 wtime 600000");
        let lines = engine.until("bestmove");
        assert!(lines.iter().all(|line| !line.contains(" multipv 2 ")));
        let nodes = lines.iter().rev().find_map(|line| {
            let (_, rest) = line.split_once(" nodes ")?;
            rest.split(' ').next()?.parse::<u32>().ok()
        });
        assert!(nodes.expect("a line") <= 200, "{lines:?}");
        let answer = lines.last().expect("a bestmove");
        assert!(is_move(best(answer)), "{answer}");
        played.insert(best(answer).to_owned());
    }
    assert!(played.len() > 1, "{played:?}");
    // What mates is played, and analysis is not limited.
    engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1");
    engine.send("go depth 5");
    assert_eq!(best(&engine.answer("bestmove")), "G*5b");
    engine.send("position startpos");
    engine.send("go infinite");
    std::thread::sleep(Duration::from_millis(300));
    engine.send("stop");
    assert!(is_move(best(&engine.answer("bestmove"))));
    engine.quit();
}
