//! The GUI ShogiHome: registration, and recorded sessions.

use std::time::{Duration, Instant};

use shogi_usi::{OptionKind, OptionSpec, Response};
use test_support::fixture_text;

use crate::util::Engine;

#[test]
fn registration_is_quick() {
    // The best of several tries: the machine may be busy with other things.
    let begin = Instant::now();
    let quickest = (0..20)
        .map(|_| {
            let begin = Instant::now();
            let mut engine = Engine::start();
            engine.send("usi");
            engine.until("usiok");
            let elapsed = begin.elapsed();
            engine.quit();
            elapsed
        })
        .take_while(|_| begin.elapsed() < Duration::from_secs(20))
        .min();
    let limit = Duration::from_millis(100);
    assert!(quickest.is_some_and(|time| time < limit), "{quickest:?}");
}

/// Reads an `option` line the way the GUI does: words between single blanks, `key value` pairs.
fn read_as_gui(line: &str) -> OptionSpec {
    let words: Vec<&str> = line.split(' ').collect();
    assert!(
        words.iter().all(|word| !word.is_empty()),
        "double blank in {line:?}"
    );
    assert_eq!(
        (words[0], words[1], words[3]),
        ("option", "name", "type"),
        "{line}"
    );
    assert_eq!(words.len() % 2, 1, "{line}");
    let option: OptionSpec = line["option ".len()..].parse().expect(line);
    assert_eq!(option.name, words[2]);
    if let OptionKind::Spin { default, min, max } = option.kind {
        assert!((min..=max).contains(&default), "{line}");
    }
    if let OptionKind::Combo { default, vars } = &option.kind {
        assert!(vars.contains(default), "{line}");
    }
    option
}

#[test]
fn registration_lists_name_author_and_options() {
    let mut engine = Engine::start();
    engine.send("usi");
    let lines = engine.until("usiok");
    assert!(lines[0].starts_with("id name yaneura "), "{}", lines[0]);
    assert!(lines[1].starts_with("id author "), "{}", lines[1]);
    let options: Vec<_> = lines[2..lines.len() - 1]
        .iter()
        .map(|line| read_as_gui(line).name)
        .collect();
    for name in [
        "Threads",
        "USI_Hash",
        "USI_Ponder",
        "MultiPV",
        "NodesLimit",
        "EnteringKingRule",
    ] {
        assert!(
            options.iter().any(|option| option == name),
            "{name} is missing"
        );
    }
    engine.quit();
}

#[test]
fn isready_is_answered_again_and_again() {
    let mut engine = Engine::ready();
    for _ in 0..3 {
        assert_eq!(engine.answer_of_isready(), "readyok");
    }
    engine.quit();
}

/// Time for which the GUI lets an endless search run.
const LINGER: Duration = Duration::from_millis(300);

/// Replays the commands of a session, waiting where the GUI waited. Returns the engine's lines, in
/// one list for each `go`.
pub(crate) fn replay(name: &str) -> Vec<Vec<String>> {
    replay_with(Engine::start(), name)
}

/// [`replay`] with an engine that was started.
pub(crate) fn replay_with(mut engine: Engine, name: &str) -> Vec<Vec<String>> {
    let text = fixture_text(format!("usi-gui/{name}"));
    let mut searches: Vec<Vec<String>> = Vec::new();
    let mut answer = "bestmove";
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("> ") {
            if command.starts_with("stop") || command.starts_with("ponderhit") {
                std::thread::sleep(LINGER);
            }
            if command == "quit" {
                engine.quit();
                return searches;
            }
            engine.send(command);
            if command.starts_with("go") {
                answer = if command.starts_with("go mate") {
                    "checkmate"
                } else {
                    "bestmove"
                };
                searches.push(Vec::new());
            }
        } else if line == "< usiok" || line == "< readyok" {
            engine.until(&line[2..]);
        } else if line.starts_with("< bestmove") || line.starts_with("< checkmate") {
            let lines = engine.until(answer);
            searches
                .last_mut()
                .expect("an answer follows a go")
                .extend(lines);
        }
    }
    panic!("{name} does not end with quit");
}

/// The shape of a search's output: `info` lines that read back as they are, then one answer.
pub(crate) fn check_shape(lines: &[String], answer: &str) {
    let (last, infos) = lines.split_last().expect("an answer");
    assert!(last.starts_with(answer), "{last}");
    for line in lines {
        assert!(!line.contains("Error!"), "{line}");
        assert!(!line.contains("  "), "{line}");
        let Ok(response) = line.parse::<Response>();
        assert_eq!(response.to_string(), *line);
    }
    assert!(
        infos.iter().all(|line| line.starts_with("info ")),
        "{infos:?}"
    );
}

fn check_session(name: &str, go_count: usize, answer: &str) {
    let searches = replay(name);
    assert_eq!(searches.len(), go_count);
    for lines in &searches {
        check_shape(lines, answer);
    }
}

#[test]
fn session_register() {
    check_session("register.txt", 0, "");
}

#[test]
fn session_game_with_byoyomi_and_pondering() {
    check_session("game-byoyomi-ponder.txt", 5, "bestmove");
}

#[test]
fn session_early_ponder() {
    check_session("game-fischer-early-ponder.txt", 2, "bestmove");
}

#[test]
fn session_two_games() {
    check_session("two-games-one-process.txt", 2, "bestmove");
}

#[test]
fn session_research() {
    let searches = replay("research-multipv.txt");
    for (lines, count) in searches.iter().zip([3, 2, 2]) {
        check_shape(lines, "bestmove");
        for number in 1..=count {
            let field = format!(" multipv {number} ");
            assert!(lines.iter().any(|line| line.contains(&field)), "{lines:?}");
        }
        let more = format!(" multipv {} ", count + 1);
        assert!(lines.iter().all(|line| !line.contains(&more)), "{lines:?}");
    }
    assert_eq!(searches.len(), 3);
}
