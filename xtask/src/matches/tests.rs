//! Matches between fake engines: shell scripts that behave badly.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::adjudication::Adjudication;
use super::game::{Played, Rules, Side};
use super::openings::Openings;
use super::player::{Engine, Limit, Setup};
use super::pool::EnginePair;
use super::referee::Reason;

/// An engine that answers `go` with a piece of shell script. It counts its own games.
fn script(folder: &Path, name: &str, go: &str) -> PathBuf {
    let text = format!(
        r#"#!/bin/sh
games=0
while read -r line; do
  case "$line" in
    usi) echo "id name {name}"; echo "option name Mood type string default calm"; echo usiok ;;
    isready) games=$((games + 1)); echo readyok ;;
    setoption*) mood="${{line##* }}" ;;
    go*) {go} ;;
    quit) exit 0 ;;
  esac
done
"#
    );
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

fn engine(program: PathBuf, options: &[&str], folder: Option<PathBuf>) -> anyhow::Result<Engine> {
    let setup = Setup {
        program,
        options: options.iter().map(|&option| option.to_owned()).collect(),
        folder,
    };
    Engine::new(setup, Duration::from_secs(10))
}

fn play(engine_pair: &mut EnginePair<'_>, game: usize, limit: Limit) -> Played {
    let rules = Rules {
        limit,
        margin: Duration::from_millis(20),
        hang: Duration::from_secs(10),
        max_plies: 512,
        adjudication: Adjudication::default(),
    };
    let opening = Openings::Random { seed: 0, plies: 0 }.get(0);
    engine_pair.play(game, &opening, &rules)
}

/// Two games of a bad engine, which is black in the first, against one that resigns.
fn against_quitter(go: &str, limit: Limit) -> [Played; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = engine(script(folder.path(), "bad", go), &[], None).expect("an engine");
    let calm = script(folder.path(), "calm", "echo bestmove resign");
    let calm = engine(calm, &[], None).expect("an engine");
    let engines = [bad, calm];
    let mut engine_pair = EnginePair::new(&engines);
    [0, 1].map(|game| play(&mut engine_pair, game, limit))
}

/// One test for all, one after the other: a script that is being written while another test starts a
/// process cannot be run.
#[test]
fn fake_engines_are_seen_through() {
    an_engine_that_dies_is_started_again();
    illegal_and_empty_answers_are_told();
    a_late_engine_loses_and_its_lateness_is_measured();
    scores_of_engines_are_heard();
    options_and_folders_are_the_engines_own();
}

fn an_engine_that_dies_is_started_again() {
    // It dies in its first game and resigns in later ones; a fresh process is in its first game again.
    let [first, second] = against_quitter(
        "if [ $games = 1 ]; then exit 1; else echo bestmove resign; fi",
        Limit::Nodes(1),
    );
    assert_eq!(
        (first.winner, first.reason),
        (Some(Side::White), Reason::Crash)
    );
    assert!(first.detail.is_some());
    // White now: black resigns before it is asked.
    assert_eq!(
        (second.winner, second.reason),
        (Some(Side::White), Reason::Resign)
    );
}

fn illegal_and_empty_answers_are_told() {
    for (go, told) in [
        ("echo bestmove 7g7e", "7g7e"),
        ("echo bestmove", "bestmove"),
        ("echo bestmove win", "win"),
    ] {
        let [first, _] = against_quitter(go, Limit::Nodes(1));
        assert_eq!(
            (first.winner, first.reason),
            (Some(Side::White), Reason::IllegalMove),
            "{go}"
        );
        assert!(first.detail.expect("a detail").contains(told), "{go}");
    }
}

fn a_late_engine_loses_and_its_lateness_is_measured() {
    let [late, _] = against_quitter("sleep 0.3; echo bestmove resign", Limit::MoveTime(100));
    assert_eq!(
        (late.winner, late.reason),
        (Some(Side::White), Reason::TimeForfeit)
    );
    let left = late.usage[0].least_left_ms.expect("time is limited");
    assert!(left <= -200, "{left}");
    assert!(late.usage[0].slowest_ms >= 300);
    let clock = Limit::Clock {
        time: 0,
        increment: 0,
        byoyomi: 5000,
    };
    let [in_time, _] = against_quitter("sleep 0.1; echo bestmove resign", clock);
    assert_eq!(in_time.reason, Reason::Resign);
    let left = in_time.usage[0].least_left_ms.expect("time is limited");
    assert!((0..=4900).contains(&left), "{left}");
}

fn scores_of_engines_are_heard() {
    let [played, _] = against_quitter(
        "echo info depth 9 nodes 123 score mate -4 pv 7g7f; echo bestmove resign",
        Limit::Nodes(1),
    );
    assert_eq!((played.usage[0].nodes, played.usage[0].depths), (123, 9));
}

fn options_and_folders_are_the_engines_own() {
    let folder = tempfile::tempdir().expect("a folder");
    // It plays the move that lies in its working folder, if it is in the mood.
    let go = r#"if [ "$mood" = good ]; then echo bestmove $(cat move.txt); else echo bestmove resign; fi"#;
    let program = script(folder.path(), "moody", go);
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("a folder");
    fs::write(work.join("move.txt"), "7g7f").expect("written");
    let good = engine(program.clone(), &["mood=good"], Some(work)).expect("an engine");
    let calm = engine(program.clone(), &[], None).expect("an engine");
    let engines = [good, calm];
    let played = play(&mut EnginePair::new(&engines), 0, Limit::Nodes(1));
    assert_eq!(played.position, "startpos moves 7g7f");
    assert_eq!(
        (played.winner, played.reason),
        (Some(Side::Black), Reason::Resign)
    );
    let error = engine(program, &["Moood=good"], None).expect_err("no such option");
    assert!(error.to_string().contains("Moood"), "{error}");
    assert!(engine(folder.path().join("nobody"), &[], None).is_err());
}
