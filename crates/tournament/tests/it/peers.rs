//! A NATS server, and engines that are shell scripts.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use test_support::TestFolder;
use tournament::{
    Conditions, Contestant, EngineChecks, EngineSpec, GameName, MatchAdjudication, ShogiRules, Team,
};

/// A process that ends with the test.
pub(crate) struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A server, and the address under which it is found. Says so when there is no `nats-server`.
pub(crate) fn nats(folder: &TestFolder) -> Option<(Server, String)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let extra = [PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")];
    let program = std::env::split_paths(&path)
        .chain(extra)
        .map(|folder| folder.join("nats-server"))
        .find(|program| program.is_file());
    let Some(program) = program else {
        eprintln!("SKIPPED: there is no nats-server here (Debian: apt-get install nats-server)");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = port.local_addr().expect("an address").port();
    let child = Command::new(program)
        .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"])
        .arg(folder.path("nats"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let end = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the server does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    Some((Server(child), format!("nats://127.0.0.1:{port}")))
}

/// An engine that walks about with a rook and resigns after as many moves as its option `Quality` says. It writes what it is
/// told to a file.
const WALKER: &str = r#"#!/bin/sh
quality=5
while read -r line; do
  echo "$line" >> "$0.input"
  case "$line" in
    usi)
      echo "id name walker"
      echo "option name Quality type spin default 5 min 0 max 20"
      echo "option name DebugLogFile type string default <empty>"
      echo usiok ;;
    isready) echo readyok ;;
    "setoption name Quality"*) quality="${line##* }" ;;
    position*) set -- $line; plies=$(($# - 3)); [ $plies -lt 0 ] && plies=0 ;;
    go*)
      turn=$((plies / 2)); side=$((plies % 2)); step=$((turn % 10))
      if [ $turn -ge $quality ]; then echo "bestmove resign"
      else
        if [ $step -lt 5 ]; then from=$((2 + step)); to=$((3 + step)); else from=$((12 - step)); to=$((11 - step)); fi
        if [ $side = 0 ]; then echo "info depth 3 nodes 7 score cp 0"; echo "bestmove ${from}h${to}h"
        else echo "bestmove $((10 - from))b$((10 - to))b"; fi
      fi ;;
    quit) exit 0 ;;
  esac
done
"#;

/// The description of a walker.
pub(crate) fn walker(folder: &TestFolder, name: &str) -> EngineSpec {
    let path = folder.path(name);
    // A process that is started meanwhile may have a file that is open for writing, which then cannot be run: another one
    // writes it.
    let mut writer = Command::new("sh")
        .args([
            "-c",
            "cat > \"$0.new\" && chmod 755 \"$0.new\" && mv \"$0.new\" \"$0\"",
        ])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdin = writer.stdin.take().expect("a pipe");
    stdin.write_all(WALKER.as_bytes()).expect("written");
    drop(stdin);
    assert!(writer.wait().expect("it ends").success());
    EngineSpec {
        name: Some(name.to_owned()),
        ..EngineSpec::new(path.to_string_lossy())
    }
}

pub(crate) fn conditions() -> Conditions {
    Conditions {
        margin: Duration::ZERO,
        hang: Duration::from_secs(60),
        max_plies: 512,
        adjudication: MatchAdjudication::default(),
    }
}

/// Starts each engine once.
pub(crate) fn team(engines: &[EngineSpec]) -> Team {
    let checks = EngineChecks::new(Duration::from_secs(60));
    let contestants = Contestant::open_all(engines, &GameName::Shogi.protocol(), &checks);
    Team {
        contestants: contestants.expect("engines"),
        rules: Arc::new(ShogiRules),
        conditions: conditions(),
    }
}
