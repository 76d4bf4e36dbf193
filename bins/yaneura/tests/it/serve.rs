//! `yaneura serve`: what a page gets of the command line, and who is let in.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::json;
use test_support::{PageClient, Process, TestFolder, fixture, run_program};

use crate::util::{LONG, PROGRAM};

/// The variable that names the folder for the settings of the page.
const FOLDER: &str = "YANEURA_PAGE_FOLDER";

/// A server in a folder, and its address.
fn serve(folder: &TestFolder, args: &[&str]) -> (Process, String) {
    let mut command = Command::new(PROGRAM);
    command
        .arg("serve")
        .args(["--port", "0", "--threads", "1", "--option", "USI_Hash=1"])
        .args(args)
        .current_dir(folder.path(""))
        .env(FOLDER, folder.path("settings"))
        .stdin(Stdio::null());
    let (process, url) = Process::spawn_and_read_line(&mut command);
    (process, url.trim().to_owned())
}

/// The status of an answer to a request.
fn status(host: &str, request: &str, headers: &[&str]) -> u16 {
    let mut stream = TcpStream::connect(host).unwrap();
    let headers = headers.join("\r\n");
    write!(
        stream,
        "{request} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let word = answer.split(' ').nth(1).unwrap_or_default();
    word.parse().unwrap_or(0)
}

#[test]
fn games_and_books_of_the_command_line_are_there() {
    let folder = TestFolder::new();
    std::fs::copy(fixture("kifu/game.kif"), folder.path("game.kif")).unwrap();
    std::fs::copy(fixture("book/merge/ma.db"), folder.path("ma.db")).unwrap();
    let (_server, url) = serve(&folder, &["game.kif", "ma.db"]);
    let mut tab = PageClient::connect(&url);
    let opened = tab.ask("opened", json!({})).unwrap();
    assert_eq!(opened["name"], "game.kif");
    assert!(opened["items"][0]["moves"].as_array().unwrap().len() >= 3);
    let books = tab.ask("book.list", json!({})).unwrap();
    assert_eq!(books["books"][0]["name"], "ma.db");
    let told = tab.ask("position", json!({ "moves": ["7g7f"] })).unwrap();
    assert_eq!(told["line_names"], json!(["▲７六歩"]));
    let engines = tab.ask("engines", json!({})).unwrap();
    assert_eq!(engines["engines"][0]["engine"], "own");
    let think = tab.ask("think", json!({ "depth": 2 })).unwrap();
    assert_eq!(think["final"], true);
    let roots = tab.ask("files.roots", json!({})).unwrap();
    assert_eq!(roots["roots"].as_array().unwrap().len(), 1);
}

#[test]
fn nobody_else_is_let_in() {
    let folder = TestFolder::new();
    folder.write("secret.txt", "s");
    let (_server, url) = serve(&folder, &[]);
    let host = url.split('/').nth(2).unwrap();
    let by = |line: &str| format!("Host: {line}");
    assert_eq!(status(host, "GET /", &[&by(host)]), 200);
    assert_eq!(status(host, "GET /", &[&by("evil.example")]), 421);
    assert_eq!(status(host, "GET /api/stats", &[&by(host)]), 401);
    assert_eq!(status(host, "GET /?token=bad", &[&by(host)]), 401);
    assert_eq!(status(host, "GET /secret.txt", &[&by(host)]), 404);
    assert_eq!(status(host, "GET /../secret.txt", &[&by(host)]), 404);
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    let evil = "Origin: http://evil.example";
    assert_eq!(
        status(host, "GET /api/ws", &[&by(host), evil, upgrade]),
        403
    );
    assert_eq!(status(host, "GET /api/ws", &[&by(host), upgrade]), 403);
    let mut tab = PageClient::connect(&url);
    let root = tab.ask("files.roots", json!({})).unwrap()["roots"][0]["root"].clone();
    for path in ["../settings", "/etc/passwd", "a/../../b", "nul"] {
        assert!(
            tab.ask("files.list", json!({ "root": root, "path": path }))
                .is_err(),
            "{path}"
        );
    }
    // No request names a program or a file of an engine.
    for options in [
        json!({ "EvalDir": "/etc" }),
        json!({ "BookFile": "x" }),
        json!({ "DebugLogFile": "x" }),
    ] {
        assert!(
            tab.ask("engine.set", json!({ "options": options }))
                .is_err()
        );
    }
    assert!(
        tab.ask("think", json!({ "engine": "/bin/sh", "depth": 1 }))
            .is_err()
    );
}

#[test]
fn wrong_command_lines_are_refused() {
    let folder = TestFolder::new();
    let run = |args: &[&str]| {
        let all = ["serve", "--port", "0"].iter().chain(args).copied();
        run_program(PROGRAM, &folder.path(""), all, Vec::new(), LONG)
    };
    run(&["--engine", "/no/such/engine"]).failed(1, &["no such file"]);
    run(&["--engine", ",name=a"]).failed(2, &["--engine"]);
    run(&["--option", "Nothing=1"]).failed(2, &["--option Nothing"]);
    run(&["--option", "USI_Hash"]).failed(2, &["NAME=VALUE"]);
    run(&["--root", "none"]).failed(1, &["none"]);
    run(&["none.kif"]).failed(1, &["none.kif"]);
    run(&["none.db"]).failed(1, &["none.db"]);
    run(&["--bind", "0.0.0.0"]).failed(2, &["--allow-remote"]);
    run(&["--allow-remote"]).failed(2, &["--bind"]);
}
