use test_support::TestFolder;

use super::*;
use crate::player::TimeUsage;
use crate::rules::{EndOfGame, PlayerColor};

fn header() -> LogHeader {
    let spec: EngineSpec = "bin/a,Threads=1".parse().unwrap();
    LogHeader {
        game: GameName::Shogi,
        pairing: "match".to_owned(),
        engines: vec![
            LoggedEngine::new("a", &spec),
            LoggedEngine::new("b", &EngineSpec::new("bin/b")),
        ],
        limit: "10 ms a move".to_owned(),
        margin_ms: 100,
        openings: "random".to_owned(),
        opening_contents: String::new(),
        max_plies: 512,
        adjudication: String::new(),
    }
}

fn open_log(path: &Path, header: &LogHeader) -> Result<(GameLog, Vec<LoggedGame>)> {
    GameLog::open(path, header, &mut |note| panic!("{note}"))
}

fn read(path: &Path) -> Result<(LogHeader, Vec<LoggedGame>)> {
    read_log(path, &mut |note| panic!("{note}"))
}

/// A log of five games.
fn five_games(folder: &TestFolder) -> PathBuf {
    let path = folder.path("log.jsonl");
    let (mut log, _) = open_log(&path, &header()).unwrap();
    (0..5).for_each(|number| log.append(&game(number)).unwrap());
    path
}

fn game(number: u64) -> LoggedGame {
    LoggedGame {
        number,
        players: [1, 0],
        played: PlayedGame {
            winner: Some(PlayerColor::White),
            reason: EndOfGame::Mate,
            position: "startpos moves 7g7f".to_owned(),
            plies: 1,
            lead: None,
            usage: [TimeUsage::default(); 2],
            detail: None,
            thoughts: Vec::new(),
        },
    }
}

#[test]
fn one_match_writes_a_log() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    let (log, _) = open_log(&path, &header()).unwrap();
    let error = open_log(&path, &header()).unwrap_err().to_string();
    assert!(error.contains("is in use by another process"), "{error}");
    drop(log);
    open_log(&path, &header()).unwrap();
}

#[test]
fn an_engine_with_other_contents_is_another() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    folder.write("engine", "first");
    let header = || {
        let spec = EngineSpec::new(folder.path("engine").to_string_lossy());
        let mut header = header();
        header.engines[0] = LoggedEngine::new("a", &spec);
        header
    };
    open_log(&path, &header()).unwrap();
    open_log(&path, &header()).unwrap();
    folder.write("engine", "second");
    let error = open_log(&path, &header()).unwrap_err().to_string();
    assert!(error.contains("another match"), "{error}");
    // It is not here, so nothing is known of it.
    std::fs::remove_file(folder.path("engine")).unwrap();
    open_log(&path, &header()).unwrap();
}

#[test]
fn other_openings_of_the_same_name_make_another_match() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    let with = |contents: &str| LogHeader {
        opening_contents: contents.to_owned(),
        ..header()
    };
    drop(open_log(&path, &with("first")).unwrap());
    drop(open_log(&path, &with("first")).unwrap());
    let error = open_log(&path, &with("second")).unwrap_err();
    assert!(error.to_string().contains("another match"), "{error}");
    // A log of an earlier version says nothing of them.
    let old = folder.path("old.jsonl");
    drop(open_log(&old, &header()).unwrap());
    open_log(&old, &with("first")).unwrap();
}

#[test]
fn a_log_is_read_back_and_goes_on() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    let (mut log, games) = open_log(&path, &header()).unwrap();
    assert!(games.is_empty());
    log.append(&game(0)).unwrap();
    drop(log);
    let (mut log, games) = open_log(&path, &header()).unwrap();
    assert_eq!(games, [game(0)]);
    log.append(&game(1)).unwrap();
    drop(log);
    let (found, games) = read(&path).unwrap();
    assert_eq!((found, games), (header(), vec![game(0), game(1)]));
}

#[test]
fn a_line_cut_off_is_dropped() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    let (mut log, _) = open_log(&path, &header()).unwrap();
    log.append(&game(0)).unwrap();
    log.append(&game(1)).unwrap();
    drop(log);
    let text = folder.read("log.jsonl");
    folder.write("log.jsonl", &text[..text.len() - 20]);
    let mut notes = Vec::new();
    let opened = GameLog::open(&path, &header(), &mut |note| notes.push(note.to_owned()));
    let (mut log, games) = opened.unwrap();
    assert!(notes[0].contains(": cut ") && notes.len() == 1, "{notes:?}");
    assert_eq!(games, [game(0)]);
    log.append(&game(1)).unwrap();
    drop(log);
    assert_eq!(folder.read("log.jsonl"), text);
}

#[test]
fn the_log_of_another_match_is_refused() {
    let folder = TestFolder::new();
    let path = folder.path("log.jsonl");
    open_log(&path, &header()).unwrap();
    let other = LogHeader {
        limit: "20 ms a move".to_owned(),
        ..header()
    };
    let error = open_log(&path, &other).unwrap_err().to_string();
    assert!(error.contains("another match"), "{error}");
}

#[test]
fn logs_in_their_first_form_are_read() {
    let folder = TestFolder::new();
    let usage =
        r#"{"moves":1,"total_ms":2,"slowest_ms":2,"least_left_ms":null,"nodes":3,"depths":4}"#;
    let game = |game: u32, winner: &str| {
        format!(
            r#"{{"game":{{"game":{game},"winner":{winner},"reason":"mate","position":"startpos","plies":1,"usage":[{usage},{usage}]}}}}"#
        )
    };
    let header = r#"{"match":{"engine_a":"new/e","engine_b":"old/e","options_a":["X=1"],"options_b":[],"limit":"l","margin_ms":1,"openings":"o","max_plies":2,"adjudication":"a"}}"#;
    let text = format!("{header}\n{}\n{}\n", game(0, r#""black""#), game(1, "null"));
    folder.write("old.jsonl", text);
    let (header, games) = read(&folder.path("old.jsonl")).unwrap();
    assert_eq!(header.engines[0].name, "new/e");
    assert_eq!(header.engines[0].options, ["X=1"]);
    assert_eq!(games[0].players, [0, 1]);
    assert_eq!(games[1].players, [1, 0]);
}

#[test]
fn damage_has_a_line() {
    let folder = TestFolder::new();
    for (text, expected) in [
        ("{}\n", "line 1: "),
        ("{\"game\":{}}\n", "line 1: "),
        ("", "no log"),
    ] {
        folder.write("log.jsonl", text);
        let error = read(&folder.path("log.jsonl")).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn every_flipped_bit_of_a_game_is_told_and_skipped() {
    let folder = TestFolder::new();
    let path = five_games(&folder);
    let whole = std::fs::read(&path).unwrap();
    let ends: Vec<_> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for byte in ends[0] + 1..ends[4] {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << (byte % 8);
        std::fs::write(&path, bytes).unwrap();
        let mut notes = Vec::new();
        let (_, games) = read_log(&path, &mut |note| notes.push(note.to_owned())).unwrap();
        let [note] = notes.as_slice() else {
            panic!("byte {byte}: {notes:?}");
        };
        assert!(note.contains(" damaged and skipped (line"), "{note}");
        let line = ends.iter().position(|&end| byte <= end).unwrap();
        let is_joined = ends.contains(&byte);
        let left: Vec<_> = (0..5)
            .filter(|&number| number + 1 != line && !(is_joined && number == line))
            .map(|number| game(number as u64))
            .collect();
        assert_eq!(games, left, "byte {byte}");
    }
}

#[test]
fn a_damaged_log_is_kept_and_goes_on_without_the_lost_games() {
    let folder = TestFolder::new();
    let path = five_games(&folder);
    let mut bytes = std::fs::read(&path).unwrap();
    let lines: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
    // No text any more, in the second game and the fourth.
    bytes[lines[1] + 20] = 0xff;
    bytes[lines[3] + 30] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let mut notes = Vec::new();
    let opened = GameLog::open(&path, &header(), &mut |note| notes.push(note.to_owned()));
    let (mut log, games) = opened.unwrap();
    assert_eq!(games, [game(0), game(2), game(4)]);
    assert_eq!(notes.len(), 1);
    let told = "2 lines are damaged and skipped (lines 3, 5); their games are played again";
    assert!(notes[0].contains(told), "{notes:?}");
    let copy = folder.path("log.jsonl.damaged-1");
    assert!(notes[0].contains("log.jsonl.damaged-1"), "{notes:?}");
    assert_eq!(std::fs::read(copy).unwrap(), bytes);
    log.append(&game(1)).unwrap();
    drop(log);
    let (_, games) = read(&path).unwrap();
    assert_eq!(games, [game(0), game(2), game(4), game(1)]);
}

#[test]
fn logs_without_checksums_are_read_and_go_on() {
    let folder = TestFolder::new();
    let path = five_games(&folder);
    let plain = |text: &str| {
        let lines = text
            .lines()
            .map(|line| match line.split_once(",\"crc32\"") {
                Some((line, _)) => format!("{line}}}}}\n"),
                None => panic!("{line}"),
            });
        lines.collect::<String>()
    };
    let old = plain(&std::fs::read_to_string(&path).unwrap());
    folder.write("log.jsonl", &old);
    let (mut log, games) = open_log(&path, &header()).unwrap();
    assert_eq!(games.len(), 5);
    log.append(&game(5)).unwrap();
    drop(log);
    let (_, games) = read(&path).unwrap();
    assert_eq!(games.len(), 6);
    // What is no line there is damaged, too.
    folder.write("log.jsonl", old.replacen("{\"game\":2", "{\"gane\":2", 1));
    let mut notes = Vec::new();
    let (_, games) = read_log(&path, &mut |note| notes.push(note.to_owned())).unwrap();
    assert_eq!(games, [game(0), game(1), game(3), game(4)]);
    assert!(
        notes[0].ends_with("1 line is damaged and skipped (line 4)"),
        "{notes:?}"
    );
}

#[test]
fn the_line_about_the_match_must_be_whole() {
    let folder = TestFolder::new();
    let path = five_games(&folder);
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replacen("10 ms", "11 ms", 1);
    folder.write("log.jsonl", &text);
    for error in [
        open_log(&path, &header()).map(drop).unwrap_err(),
        read(&path).map(drop).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(
            error.contains("line 1: the settings of the match are damaged"),
            "{error}"
        );
    }
    assert_eq!(folder.read("log.jsonl"), text.as_bytes());
}

#[test]
fn a_file_that_is_no_log_stays() {
    let folder = TestFolder::new();
    for text in ["my notes", "my notes\nmore", "{\"tournaments\":1}"] {
        folder.write("log.jsonl", text);
        assert!(
            open_log(&folder.path("log.jsonl"), &header()).is_err(),
            "{text}"
        );
        assert_eq!(folder.read("log.jsonl"), text.as_bytes());
    }
    // The beginning of a log that was cut off.
    folder.write("log.jsonl", "{\"tourn");
    let mut notes = 0;
    GameLog::open(&folder.path("log.jsonl"), &header(), &mut |_| notes += 1).unwrap();
    assert_eq!(notes, 1);
    read(&folder.path("log.jsonl")).unwrap();
}
