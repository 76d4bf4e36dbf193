//! Dialogues: those recorded of public programs, with our answers in the same shape.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use othello_engine::{Cassio, EdaxConsole, EgaroucidConsole, Gtp, Heard, NBoard, Session, XBoard};
use othello_eval::Weights;
use othello_search::{Control, PlayLevel, SearchSettings, Searcher};

fn session(level: u32) -> Session {
    let settings = SearchSettings {
        hash_bytes: 4 << 20,
        threads: 1,
    };
    let searcher = Searcher::new(settings, Arc::new(Weights::untrained()));
    Session::new(searcher, PlayLevel::Egaroucid(level))
}

fn gtp() -> Gtp {
    Gtp::new(session(4), "1.0", Control::default())
}

/// A move of two characters.
fn is_move(text: &str) -> bool {
    text.len() == 2 && text.parse::<othello_core::Square>().is_ok()
}

#[test]
fn gtp_answers_each_line_with_its_id() {
    let mut gtp = gtp();
    // As recorded of Edax 4.6 and Egaroucid 7.9: name, ids, sizes, colours, illegal moves.
    let dialogue = [
        ("protocol_version", "= 2"),
        ("1 name", "=1 yaneura othello"),
        ("version", "= 1.0"),
        ("2 known_command genmove", "=2 true"),
        ("known_command foo", "= false"),
        ("boardsize 8", "="),
        ("boardsize 9", "? unacceptable size"),
        ("clear_board", "="),
        ("komi 0", "="),
        ("play black f5", "="),
        ("play white F6", "="),
        ("play b a1", "? illegal move"),
        ("play x d3", "? syntax error (wrong or missing color)"),
        ("play b", "? syntax error: play COLOR MOVE"),
        ("play w c3", "? wrong color"),
        ("play b pass", "? illegal move"),
        ("genmove white", "? wrong color"),
        ("gogui-rules_side_to_move", "= black"),
        ("gogui-rules_legal_moves", "= D3 C4 E6 F7"),
        ("gogui-rules_final_result", "= Game is not over yet."),
        ("gogui-rules_board_size", "= 8"),
        ("undo", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
        ("time_settings 60 0 0", "="),
        (
            "time_settings 1",
            "? syntax error: time_settings MAIN BYOYOMI STONES",
        ),
        ("time_left black 30 0", "="),
        ("set_game Othello", "="),
        ("set_game Go", "? unknown game"),
        ("list_games", "= Othello"),
        ("set_level 61", "? syntax error: set_level 0-60"),
        ("99 foo", "?99 unknown command"),
        ("# a comment", ""),
        ("", ""),
    ];
    for (line, reply) in dialogue {
        assert_eq!(gtp.line(line).text, reply, "{line}");
    }
    let quit = gtp.line("7 quit");
    assert_eq!((quit.text.as_str(), quit.is_last), ("=7", true));
    let listed = gtp.line("list_commands").text;
    for name in listed.trim_start_matches("= ").lines() {
        assert_eq!(gtp.line(&format!("known_command {name}")).text, "= true");
        assert_ne!(gtp.line(name).text, "? unknown command");
    }
}

#[test]
fn gtp_plays_a_whole_game_with_passes() {
    let mut gtp = gtp();
    let mut color = ["black", "white"];
    let mut passes = 0;
    for _ in 0..130 {
        if gtp.line("gogui-rules_final_result").text != "= Game is not over yet." {
            break;
        }
        let reply = gtp.line(&format!("genmove {}", color[0])).text;
        let mv = reply.strip_prefix("= ").unwrap();
        assert!(mv == "PASS" || is_move(mv), "{reply}");
        passes += u32::from(mv == "PASS");
        color.swap(0, 1);
    }
    let result = gtp.line("final_score").text;
    assert!(
        ["= B+", "= W+", "= 0"]
            .iter()
            .any(|start| result.starts_with(start)),
        "{result}"
    );
    assert_eq!(
        gtp.line("genmove black").text,
        "= PASS",
        "{passes} passes before"
    );
}

#[test]
fn gtp_keeps_to_its_clock() {
    let mut gtp = gtp();
    gtp.line("time_settings 0 1 1");
    let start = Instant::now();
    assert!(is_move(
        gtp.line("genmove black").text.trim_start_matches("= ")
    ));
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

/// An engine, and the lines that it has written.
fn nboard(level: u32) -> (NBoard, Arc<Mutex<Vec<String>>>) {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let own = Arc::clone(&lines);
    let output = Arc::new(move |line: &str| own.lock().unwrap().push(line.to_owned()));
    (NBoard::new(session(level), output), lines)
}

const GAME: &str = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]BO[8 \
    ---------------------------O*------*O--------------------------- *]B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)";

#[test]
fn nboard_hints_plays_and_pongs() {
    let (mut engine, lines) = nboard(4);
    let take = |engine: &mut NBoard, line: &str| {
        assert_eq!(engine.line(line), Heard::Open);
        engine.wait();
        std::mem::take(&mut *lines.lock().unwrap())
    };
    assert_eq!(take(&mut engine, "nboard 2"), ["set myname yaneura"]);
    assert_eq!(take(&mut engine, "set depth 4"), ["set myname yaneura4"]);
    assert!(take(&mut engine, &format!("set game {GAME}")).is_empty());
    assert_eq!(take(&mut engine, "ping 1"), ["pong 1"]);
    let hints = take(&mut engine, "hint 3");
    assert_eq!(
        (hints[0].as_str(), hints[hints.len() - 1].as_str()),
        ("status Thinking", "status")
    );
    let found: Vec<_> = hints
        .iter()
        .filter(|line| line.starts_with("search "))
        .collect();
    assert!(found.len() >= 3, "{hints:?}");
    // The first of the three that come at the end.
    let words: Vec<_> = found[found.len() - 3].split(' ').collect();
    assert_eq!(
        (words.len(), words[3], words[4]),
        (5, "0", "4"),
        "{found:?}"
    );
    assert!(words[1].len() >= 8 && is_move(&words[1][..2]) && words[2].parse::<f64>().is_ok());
    assert!(hints.iter().any(|line| line.starts_with("nodestats ")));
    let go = take(&mut engine, "go");
    let played = go.iter().find(|line| line.starts_with("=== ")).unwrap();
    let parts: Vec<_> = played[4..].split('/').collect();
    assert!(parts.len() == 3 && is_move(parts[0]), "{played}");
    // It is not played until the window says so.
    assert!(take(&mut engine, &format!("move {}/0.5/0.1", parts[0])).is_empty());
    let analysis = take(&mut engine, "analyze");
    let analysed: Vec<_> = analysis
        .iter()
        .filter(|line| line.starts_with("analysis "))
        .collect();
    assert_eq!(analysed.len(), 10, "{analysis:?}");
    assert!(analysed[0].starts_with("analysis 9 ") && analysed[9].starts_with("analysis 0 "));
    assert_eq!(take(&mut engine, "learn"), ["learned"]);
    assert!(take(&mut engine, "bogus").is_empty());
    assert_eq!(
        take(&mut engine, "move a1"),
        ["status Error: 'a1' is not a legal move"]
    );
    assert_eq!(take(&mut engine, "set depth 99").len(), 1);
    assert_eq!(take(&mut engine, "hint 0").len(), 1);
    assert!(
        take(&mut engine, "set game (;GM[Othello]nonsense")
            .iter()
            .all(|line| line.starts_with("status Error"))
    );
    assert_eq!(engine.line("quit"), Heard::Quit);
}

#[test]
fn ping_stops_a_long_search() {
    let (mut engine, lines) = nboard(60);
    engine.line("hint 1");
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    engine.line("ping 5");
    assert!(start.elapsed() < Duration::from_secs(5));
    let lines = lines.lock().unwrap();
    assert_eq!(lines.last().map(String::as_str), Some("pong 5"));
}

/// The start position without the disc on e5.
const IMPOSSIBLE: &str = "---------------------------OX------X---------------------------- X";

#[test]
fn impossible_boards_are_refused_everywhere() {
    let words = "e5 is empty";
    let (mut engine, lines) = nboard(1);
    let ggf = format!(
        "(;GM[Othello]TY[8]BO[8 {}*]B[c4];)",
        &IMPOSSIBLE[..65].replace('X', "*")
    );
    engine.line(&format!("set game {ggf}"));
    let told = std::mem::take(&mut *lines.lock().unwrap());
    assert!(told.len() == 1 && told[0].contains(words), "{told:?}");
    let own = Arc::clone(&lines);
    let output = Arc::new(move |line: &str| own.lock().unwrap().push(line.to_owned()));
    let mut cassio = Cassio::new(session(1), "1.0", output.clone());
    let board: String = IMPOSSIBLE.split(' ').collect();
    cassio.line(&format!(
        "ENGINE-PROTOCOL midgame-search {board} -64 64 4 100"
    ));
    let told = std::mem::take(&mut *lines.lock().unwrap());
    assert!(told.len() == 2 && told[0].contains(words), "{told:?}");
    let mut xboard = XBoard::new(session(1), "yaneura", output);
    xboard.line("setboard 8/8/8/3P4/3pP3/8/8/8 w - - 0 1");
    let told = std::mem::take(&mut *lines.lock().unwrap());
    assert!(told.len() == 1 && told[0].contains(words), "{told:?}");
    let mut gtp = gtp();
    let folder = test_support::TestFolder::new();
    folder.write("game.ggf", &ggf);
    let path = folder.path("game.ggf");
    let reply = gtp.line(&format!("loadsgf {}", path.display())).text;
    assert!(reply.starts_with('?') && reply.contains(words), "{reply}");
    let mut told = String::new();
    let mut egaroucid = EgaroucidConsole::new(session(1), "1.0", Control::default());
    egaroucid.shows_board = false;
    egaroucid.line(&format!("setboard {IMPOSSIBLE}"), &mut |text| {
        told.push_str(text);
    });
    assert!(
        told.contains(words) && told.matches("[ERROR]").count() == 1,
        "{told}"
    );
    told.clear();
    let mut edax = EdaxConsole::new(session(1), "yaneura", "1.0", Control::default());
    edax.line(&format!("setboard {IMPOSSIBLE}"), &mut |text| {
        told.push_str(text);
    });
    assert!(told.contains(words) && told.contains("ply  1"), "{told}");
}
