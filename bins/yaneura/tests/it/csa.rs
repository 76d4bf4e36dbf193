//! `yaneura csa`: games on a server of the test.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_deep::{DeepModel, DeepRuntime, EvalServer, ServerSettings};
use test_support::{ProgramRun, TestFolder, run_program};

use crate::util::PROGRAM;

/// Longest time of a run, on a busy machine.
const RUN_TIME: Duration = Duration::from_secs(300);

const SUMMARY: &str = "BEGIN Game_Summary\nProtocol_Version:1.2\nGame_ID:test+g-60-5+you+me+1\nName+:you\nName-:me\nYour_Turn:-\n\
    To_Move:+\nMax_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:5\nLeast_Time_Per_Move:0\nEND Time\n\
    BEGIN Position\nPI\n+\n+7776FU,T3\nEND Position\nEND Game_Summary";

/// A server that plays one game on each of so many connections: the client makes a move, and the server resigns. Returns
/// the moves of the client as it sent them.
fn server(games: usize) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let play = move |stream: TcpStream| {
        stream.set_read_timeout(Some(RUN_TIME)).unwrap();
        let mut reader = BufReader::new(stream);
        let next = |reader: &mut BufReader<TcpStream>| {
            let mut line = String::new();
            while line.trim().is_empty() {
                line.clear();
                assert_ne!(reader.read_line(&mut line).unwrap(), 0);
            }
            line.trim().to_owned()
        };
        let send = |reader: &mut BufReader<TcpStream>, text: &str| {
            let stream = reader.get_mut();
            stream.write_all(format!("{text}\n").as_bytes()).unwrap();
        };
        assert_eq!(next(&mut reader), "LOGIN me g-60-5,secret");
        send(&mut reader, "LOGIN:me OK");
        send(&mut reader, SUMMARY);
        assert_eq!(next(&mut reader), "AGREE test+g-60-5+you+me+1");
        send(&mut reader, "START:test+g-60-5+you+me+1");
        let line = next(&mut reader);
        let (m, _) = line.split_once(',').unwrap_or((&line, ""));
        send(&mut reader, &format!("{m},T1\n%TORYO,T2\n#RESIGN\n#WIN"));
        line
    };
    let thread = thread::spawn(move || {
        (0..games)
            .map(|_| play(listener.accept().unwrap().0))
            .collect()
    });
    (port, thread)
}

fn csa(folder: &TestFolder, port: u16, args: &[&str]) -> ProgramRun {
    folder.write("secret", "secret\n");
    let server = format!("127.0.0.1:{port}");
    let usual = [
        "csa",
        &server,
        "--name",
        "me",
        "--game",
        "g-60-5",
        "--password-file",
        "secret",
    ];
    run_program(
        PROGRAM,
        &folder.path(""),
        [&usual, args].concat(),
        Vec::new(),
        RUN_TIME,
    )
}

/// Little work for the engine.
const SMALL: [&str; 6] = [
    "--option",
    "DepthLimit=2",
    "--option",
    "USI_Hash=1",
    "--option",
    "BookFile=no_book",
];

#[test]
fn the_engine_of_the_program_plays() {
    let (port, thread) = server(1);
    let folder = TestFolder::new();
    let run = csa(
        &folder,
        port,
        &[&SMALL[..], &["--log", "lines", "--formats", "both"]].concat(),
    );
    let moves = thread.join().unwrap();
    let run = run.succeeded();
    let file = "records/test+g-60-5+you+me+1";
    assert_eq!(
        run.text(),
        format!("win (RESIGN) against you as white, 2 moves: {file}.csa {file}.kif\n")
    );
    assert!(run.err.contains("begun: test+g-60-5+you+me+1"), "{run:?}");
    let (m, comment) = moves[0].split_once(",'* ").expect("a comment");
    let record = String::from_utf8(folder.read(format!("{file}.csa"))).unwrap();
    assert!(
        record.contains(&format!("+7776FU\nT3\n{m}\nT1\n'** {comment}\n%TORYO\n")),
        "{record}"
    );
    let log = String::from_utf8(folder.read("lines")).unwrap();
    assert!(
        log.contains(" > LOGIN me *\n") && log.contains(" < #WIN\n"),
        "{log}"
    );
    assert!(!log.contains("secret"));
}

#[test]
fn a_server_of_the_network_that_is_lost_is_told_of() {
    let (port, thread) = server(1);
    let folder = TestFolder::new();
    let network = test_support::fixture("deep/mtiny.onnx");
    let model = DeepModel::open(&network, &DeepRuntime::default()).unwrap();
    let queue = Arc::new(model.start_queue(Some(1), 8).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let served = EvalServer::start(
        listener,
        queue,
        model.hello("small"),
        ServerSettings::default(),
        |_| {},
    )
    .unwrap();
    let address = served.address();
    let lost = thread::spawn(move || {
        while served.counts().queue.positions < 100 {
            thread::sleep(Duration::from_millis(1));
        }
    });
    let network = format!("EvalDir={}", network.display());
    let address = format!("DNN_Server={address}");
    let options = [
        &network,
        "DNN_Runtime=remote",
        &address,
        "NodesLimit=1000",
        "BookFile=no_book",
    ];
    let args: Vec<_> = options
        .iter()
        .flat_map(|option| ["--option", option])
        .chain(["--formats", "none"])
        .collect();
    let run = csa(&folder, port, &args).succeeded();
    thread.join().unwrap();
    lost.join().unwrap();
    let told = address.replace('=', " ");
    let told: Vec<_> = run.err.lines().filter(|it| it.contains(&told)).collect();
    assert_eq!(told.len(), 1, "{run:?}");
    assert!(told[0].ends_with("evaluated here until it is back"));
}

#[test]
fn any_engine_plays_any_number_of_games() {
    let (port, thread) = server(2);
    let folder = TestFolder::new();
    let args = [
        "--engine",
        PROGRAM,
        "--games",
        "2",
        "--json",
        "--quiet",
        "--no-comments",
        "--formats",
        "none",
    ];
    let run = csa(&folder, port, &[&SMALL[..], &args].concat()).silent();
    let moves = thread.join().unwrap();
    assert!(moves.iter().all(|m| m.len() == 7), "{moves:?}");
    let lines: Vec<serde_json::Value> = run
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["verdict"], "win");
    assert_eq!(lines[0]["cause"], "resign");
    assert_eq!(lines[2]["summary"]["wins"], 2);
    assert_eq!(folder.names(), ["secret"]);
}

#[test]
fn what_cannot_be_is_told() {
    let folder = TestFolder::new();
    csa(&folder, 1, &["--retries", "0"]).failed(1, &["127.0.0.1:1: cannot connect"]);
    csa(&folder, 1, &["--engine", "./nothing"]).failed(1, &["the engine cannot play", "nothing"]);
    csa(&folder, 1, &["--option", "No_Such=1"]).failed(1, &["No_Such"]);
    csa(&folder, 1, &["--password", "x"]).failed(2, &["--password-file"]);
    csa(&folder, 1, &["--option", "x"]).failed(2, &["NAME=VALUE"]);
}
