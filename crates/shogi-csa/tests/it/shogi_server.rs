//! Games on a real shogi-server (<https://github.com/shogi-server/shogi-server>, Ruby) on the loopback. Its script `shogi-server`
//! is named by the variable `YANEURA_SHOGI_SERVER`; without it these tests say so and do nothing.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use shogi_csa::{EndCause, RecordFormats};
use shogi_kifu::{GameEnding, GameOutcome, GameRecord, decode_record, read_csa};
use test_support::{TestFolder, fixture};

use crate::dialogues::assert_same;
use crate::util::{Answer, Ran, Run};

/// A server in a folder of its own, which is gone with it.
struct RealServer {
    folder: TestFolder,
    process: Child,
    port: u16,
}

impl RealServer {
    /// `None`, loudly, when there is none on this machine.
    fn start(options: &[&str]) -> Option<Self> {
        let Some(script) = std::env::var_os("YANEURA_SHOGI_SERVER") else {
            eprintln!("skipped: YANEURA_SHOGI_SERVER names no shogi-server");
            return None;
        };
        let source = Path::new(&script)
            .parent()
            .expect("a path of a file")
            .to_owned();
        let folder = TestFolder::new();
        copy(&source, &folder.path("server"));
        // Free when it was looked for.
        let port = TcpListener::bind(("127.0.0.1", 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let process = Command::new("ruby")
            .arg(folder.path("server/shogi-server"))
            .args(options)
            .args(["test", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ruby is there");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "the server does not listen"
            );
            thread::sleep(Duration::from_millis(50));
        }
        Some(Self {
            folder,
            process,
            port,
        })
    }

    /// A client of the kind of games `game`.
    fn client(&self, name: &str, game: &str, answers: &[&'static str]) -> Run {
        let mut run = Run::new(self.port);
        name.clone_into(&mut run.settings.name);
        run.settings.password = format!("{game},secret");
        let folder = self.folder.path(name);
        run.settings.records = Some((folder, RecordFormats::Csa));
        run.answers = answers.iter().map(|text| Answer::Best(text)).collect();
        run
    }

    /// The records of the server.
    fn records(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(&self.folder.path("server"), &mut files);
        files.sort();
        files
    }

    /// With `UPDATE_GOLDENS=1` keeps the dialogue of a client and the record of the server as fixtures for the tests of `dialogues`.
    fn keep(&self, name: &str, ran: &Ran) {
        if std::env::var_os("UPDATE_GOLDENS").is_none_or(|value| value != "1") {
            return;
        }
        let mut text = ran.lines.join("\n");
        text.push('\n');
        fs::write(fixture(format!("csa/{name}.txt")), text).unwrap();
        let record = self.records().pop().expect("a record of the server");
        fs::copy(record, fixture(format!("csa/{name}.csa"))).unwrap();
    }

    /// The one record of a client.
    fn record_of(&self, name: &str) -> GameRecord {
        let mut files = Vec::new();
        collect(&self.folder.path(name), &mut files);
        assert_eq!(files.len(), 1, "{files:?}");
        read(&files[0])
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Copies the program: scripts and the folder `shogi_server`.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            if !["test", ".git", "sample", "utils", "webserver", "bin"].contains(&name.as_str()) {
                copy(&entry.path(), &to.join(name));
            }
        } else if name.split('.').next_back() == Some("rb") || name == "shogi-server" {
            fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "csa") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> GameRecord {
    let bytes = fs::read(file).unwrap();
    let text = decode_record(&bytes).unwrap();
    read_csa(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", file.display()))
}

/// Plays `black` and `white` against each other; black asks for that by its kind of game.
fn play(black: Run, white: Run) -> [Ran; 2] {
    thread::scope(|scope| {
        let black = scope.spawn(|| black.play());
        let white = scope.spawn(|| white.play());
        [black.join().unwrap(), white.join().unwrap()]
    })
}

/// The record of the server and those of both clients have the same moves, times and comments.
fn same_records(server: &RealServer, names: [&str; 2]) -> [GameRecord; 3] {
    let of_server = read(server.records().last().expect("a record of the server"));
    let [black, white] = names.map(|name| server.record_of(name));
    for record in [&black, &white] {
        assert_same(record, &of_server);
    }
    [of_server, black, white]
}

#[test]
fn a_game_is_recorded_as_the_server_records_it() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let [black, white] = play(
        server.client("a", "test-60-5-B", &["7g7f", "8h2b+", "resign"]),
        server.client("b", "test-60-5", &["3c3d", "3a2b"]),
    );
    assert_eq!(
        black.notes,
        ["lose Some(Resign) b as black, 4 moves, 1 files"]
    );
    assert_eq!(
        white.notes,
        ["win Some(Resign) a as white, 4 moves, 1 files"]
    );
    assert_eq!(white.outcome.as_ref().unwrap().wins, 1);
    server.keep("resign", &white);
    let [of_server, black, white] = same_records(&server, ["a", "b"]);
    for record in [of_server, black, white] {
        assert_eq!(record.ending(), Some(&GameEnding::Resign));
        assert_eq!(record.outcome(), GameOutcome::Win(shogi_core::Color::White));
    }
}

#[test]
fn increments_handicaps_and_the_greatest_number_of_moves() {
    let Some(server) = RealServer::start(&["--max-moves", "12", "--least-time-per-move", "0"])
    else {
        return;
    };
    let [black, white] = play(
        server.client("a", "hcrook_x-10-2F-B", &[]),
        server.client("b", "hcrook_x-10-2F-W", &[]),
    );
    for ran in [&black, &white] {
        assert!(
            ran.notes[0].starts_with("censored Some(MaxMoves)"),
            "{:?}",
            ran.notes
        );
    }
    server.keep("handicap", &black);
    let [_, black, white] = same_records(&server, ["a", "b"]);
    for record in [black, white] {
        assert_eq!(record.ending(), Some(&GameEnding::MaxMoves));
        assert_eq!(record.moves().count(), 12);
        let root = record.node(GameRecord::ROOT);
        assert_eq!(root.remarks, ["Max_Moves:12", "Increment:2"]);
        assert_eq!(record.start().side_to_move(), shogi_core::Color::Black);
        assert_ne!(record.start(), &shogi_core::Position::startpos());
    }
}

#[test]
fn repetition_is_a_draw() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let rook = ["2h3h", "3h2h", "2h3h", "3h2h", "2h3h", "3h2h", "2h3h"];
    let other = ["8b7b", "7b8b", "8b7b", "7b8b", "8b7b", "7b8b", "8b7b"];
    let [black, white] = play(
        server.client("a", "test-60-5-B", &rook),
        server.client("b", "test-60-5", &other),
    );
    for ran in [&black, &white] {
        assert!(
            ran.notes[0].starts_with("draw Some(Repetition)"),
            "{:?}",
            ran.notes
        );
        assert_eq!(ran.outcome.as_ref().unwrap().draws, 1);
    }
    server.keep("repetition", &black);
    same_records(&server, ["a", "b"]);
}

#[test]
fn a_silent_player_loses_on_time() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let mut silent = server.client("a", "test-2-0-B", &[]);
    silent.answers = vec![Answer::Best("7g7f"), Answer::Silence];
    // The server looks at the clock when it hears from a player.
    silent.settings.keep_alive = Some(Duration::from_millis(500));
    let [black, white] = play(silent, server.client("b", "test-2-0", &["3c3d"]));
    assert_eq!(
        black.notes,
        ["lose Some(TimeUp) b as black, 2 moves, 1 files"]
    );
    assert_eq!(
        black.calls.last().map(String::as_str),
        Some("gameover lose")
    );
    assert_eq!(
        white.notes,
        ["win Some(TimeUp) a as white, 2 moves, 1 files"]
    );
    server.keep("time-up", &white);
    let [of_server, black, _] = same_records(&server, ["a", "b"]);
    assert_eq!(of_server.ending(), Some(&GameEnding::TimeUp));
    assert_eq!(black.outcome(), GameOutcome::Win(shogi_core::Color::White));
}

#[test]
fn a_declaration_without_the_points_loses() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let [black, white] = play(
        server.client("a", "test-60-5-B", &["7g7f", "win"]),
        server.client("b", "test-60-5", &["3c3d"]),
    );
    assert!(
        black.notes[0].starts_with("lose Some(IllegalMove)"),
        "{:?}",
        black.notes
    );
    assert!(
        white.notes[0].starts_with("win Some(IllegalMove)"),
        "{:?}",
        white.notes
    );
    server.keep("declaration", &black);
    let [_, black, white] = same_records(&server, ["a", "b"]);
    for record in [black, white] {
        assert_eq!(record.ending(), Some(&GameEnding::FoulLoss));
        assert_eq!(record.outcome(), GameOutcome::Win(shogi_core::Color::White));
    }
}

#[test]
fn a_game_goes_on_from_moves_that_were_played_before() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let mut other = BufReader::new(TcpStream::connect(("127.0.0.1", server.port)).unwrap());
    let lines = "LOGIN setter secret x1\n%%SETBUOY buoy_y-60-5 +7776FU-3334FU+2726FU 1\n";
    other.get_mut().write_all(lines.as_bytes()).unwrap();
    let mut line = String::new();
    while !line.contains("SETBUOY") {
        line.clear();
        assert_ne!(other.read_line(&mut line).unwrap(), 0);
    }
    let [black, white] = play(
        server.client("a", "buoy_y-60-5-B", &["resign"]),
        server.client("b", "buoy_y-60-5", &["8c8d"]),
    );
    assert_eq!(white.calls[1], "go 7g7f 3c3d 2g2f");
    assert_eq!(black.calls[1], "go 7g7f 3c3d 2g2f 8c8d");
    server.keep("buoy", &black);
    same_records(&server, ["a", "b"]);
}

#[test]
fn games_are_repeated_and_players_come_back() {
    let Some(server) = RealServer::start(&[]) else {
        return;
    };
    let mut runs = [
        server.client("a", "test-60-5", &[]),
        server.client("b", "test-60-5", &[]),
    ];
    for run in &mut runs {
        run.settings.games = Some(3);
        run.settings.retries = 20;
        // Whoever is black.
        run.answers = vec![Answer::Best("resign"); 3];
    }
    let [one, two] = runs;
    let [one, two] = play(one, two);
    let (one, two) = (one.outcome.unwrap(), two.outcome.unwrap());
    assert_eq!((one.games, two.games), (3, 3));
    assert_eq!(one.wins + two.wins, 3);
    assert_eq!(server.records().len(), 3);
    assert_eq!(EndCause::Resign.word(), "RESIGN");
}
