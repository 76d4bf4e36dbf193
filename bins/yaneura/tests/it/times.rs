//! Times of moves: delays with short byoyomi, and the times of a person.

use std::time::{Duration, Instant};

use crate::util::Engine;

/// Times of answers to `go` in milliseconds: the first of a few tries in the range, as the machine may be busy with other things.
fn time_within(engine: &mut Engine, go: &str, range: std::ops::Range<u128>) -> Vec<u128> {
    let mut times = Vec::new();
    while times.len() < 6 && !times.iter().any(|time| range.contains(time)) {
        let begin = Instant::now();
        engine.send(go);
        engine.until("bestmove");
        times.push(begin.elapsed().as_millis());
    }
    times
}

/// The old recipe: no main time, byoyomi of a second, and both delays 800 give 0.2 seconds a move.
#[test]
fn games_of_a_fifth_of_a_second() {
    let mut engine = Engine::ready();
    engine.set(&[
        ("MinimumThinkingTime", "1000"),
        ("NetworkDelay", "800"),
        ("NetworkDelay2", "800"),
    ]);
    engine.send("position startpos moves 7g7f 3c3d");
    let go = "go btime 0 wtime 0 byoyomi 1000";
    let times = time_within(&mut engine, go, 150..400);
    assert!(
        times.iter().any(|time| (150..400).contains(time)),
        "{times:?}"
    );
    engine.set(&[("NetworkDelay2", "500")]);
    let times = time_within(&mut engine, go, 450..700);
    assert!(
        times.iter().any(|time| (450..700).contains(time)),
        "{times:?}"
    );
    // The defaults are for servers; short byoyomi is used.
    engine.set(&[
        ("NetworkDelay", "120"),
        ("NetworkDelay2", "1120"),
        ("MinimumThinkingTime", "2000"),
    ]);
    let times = time_within(&mut engine, go, 850..1000);
    assert!(
        times.iter().any(|time| (850..1000).contains(time)),
        "{times:?}"
    );
    engine.quit();
}

#[test]
fn a_weak_player_takes_the_time_of_a_person_where_asked() {
    let mut engine = Engine::ready();
    engine.set(&[("PlayAs", "beginner")]);
    engine.send("position startpos moves 7g7f 3c3d");
    let go = "go btime 0 wtime 0 byoyomi 3000";
    let quick = time_within(&mut engine, go, 0..400);
    assert!(quick.iter().any(|&time| time < 400), "{quick:?}");
    engine.set(&[("HumanTime", "true")]);
    for _ in 0..3 {
        let begin = Instant::now();
        engine.send(go);
        engine.until("bestmove");
        let time = begin.elapsed().as_millis();
        assert!((500..20_000).contains(&time), "{time}");
    }
    // Other limits, and stop, are heeded at once.
    for go in ["go depth 1", "go nodes 10", "go movetime 10"] {
        let times = time_within(&mut engine, go, 0..400);
        assert!(times.iter().any(|&time| time < 400), "{go}: {times:?}");
    }
    engine.send("go btime 6000000 wtime 6000000");
    engine.send("stop");
    let begin = Instant::now();
    engine.until("bestmove");
    assert!(begin.elapsed() < Duration::from_secs(5));
    engine.quit();
}
