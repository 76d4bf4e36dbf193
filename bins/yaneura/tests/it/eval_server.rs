//! `yaneura eval-server`, and engines whose network is there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use test_support::{fixture, run_program};

use crate::util::{Engine, LONG, PROGRAM, copy_with};

/// A running server, which is killed at the end if it is still there.
struct Served {
    process: Child,
    output: BufReader<ChildStdout>,
    address: String,
}

impl Served {
    fn start(more: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", &fixture("deep/mtiny.onnx"), more)
    }

    fn start_at(address: &str, model: &Path, more: &[&str]) -> Self {
        let mut process = Command::new(PROGRAM)
            .args(["eval-server", "--listen", address, "--model"])
            .arg(model)
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let address = if let Some(rest) = line.strip_prefix("listening on ") {
            assert!(rest.contains(": mtiny.onnx, 0.0"), "{line}");
            rest.split(": ").next().unwrap().to_owned()
        } else {
            let value: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(value["architecture"], "dlshogi-WCSC28");
            value["listening"].as_str().unwrap().to_owned()
        };
        Self {
            process,
            output,
            address,
        }
    }

    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Ends it as Ctrl-C does. The rest of its output, and of its errors.
    #[cfg(unix)]
    fn interrupt(mut self) -> [String; 2] {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        assert!(sent.unwrap().success());
        let [mut output, mut errors] = [String::new(), String::new()];
        self.output.read_to_string(&mut output).unwrap();
        let pipe = self.process.stderr.as_mut().unwrap();
        pipe.read_to_string(&mut errors).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
        [output, errors]
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// An engine with one thread, which asks a server or evaluates itself.
fn engine(program: &Path, server: Option<&str>) -> Engine {
    let mut engine = Engine::start_program(program);
    engine.set(&[
        ("UCT_Threads", "1"),
        ("PV_Mate_Search_Threads", "0"),
        ("BookFile", "no_book"),
        ("MultiPV", "5"),
        ("PV_Interval", "0"),
    ]);
    if let Some(server) = server {
        engine.set(&[("DNN_Runtime", "remote"), ("DNN_Server", server)]);
    }
    engine
}

/// The lines of a search, without times.
fn searched(engine: &mut Engine, go: &str) -> Vec<String> {
    engine.send("usinewgame");
    engine.send("position startpos moves 7g7f");
    engine.send(go);
    let lines = engine.until("bestmove");
    let timeless = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut kept = Vec::new();
        let mut rest = &words[..];
        while let Some((&word, after)) = rest.split_first() {
            let is_time = ["time", "nps"].contains(&word);
            rest = if is_time { &after[1..] } else { after };
            kept.extend((!is_time).then_some(word));
        }
        kept.join(" ")
    };
    lines.iter().map(timeless).collect()
}

#[test]
fn searches_are_the_same_on_a_server() {
    let network = std::fs::read(fixture("deep/mtiny.onnx")).unwrap();
    let (_with, with) = copy_with(&[("eval/model.onnx", &network)]);
    let (_without, without) = copy_with(&[]);
    let served = Served::start(&["--threads", "2", "--batch", "4"]);
    let mut local = engine(&with, None);
    local.answer_of_isready();
    let expected = searched(&mut local, "go nodes 400");
    assert!(expected.iter().any(|line| line.contains(" nodes 400 ")));
    for program in [&with, &without] {
        let mut engine = engine(program, Some(&served.address));
        engine.send("isready");
        let ready = engine.until("readyok").join("\n");
        let name = format!("deep (dlshogi-WCSC28, server {}", served.address);
        assert!(
            ready.contains(&name) && !ready.contains("Error!"),
            "{ready}"
        );
        assert_eq!(searched(&mut engine, "go nodes 400"), expected);
        // Without a network on either side there is no value.
        engine.send("e");
        let value = engine.answer("eval");
        local.send("e");
        assert_eq!(value, local.answer("eval"));
        engine.quit();
    }
    local.quit();
}

#[test]
fn a_server_that_is_killed_is_replaced() {
    let network = std::fs::read(fixture("deep/mtiny.onnx")).unwrap();
    let (_folder, program) = copy_with(&[("eval/model.onnx", &network)]);
    let mut served = Served::start(&["-q"]);
    let mut engine = engine(&program, Some(&served.address));
    engine.set(&[("PV_Interval", "20"), ("MultiPV", "1")]);
    engine.answer_of_isready();
    engine.send("position startpos");
    engine.send("go nodes 6000");
    let mut lines = vec![engine.answer("info")];
    served.kill();
    lines.extend(engine.until("bestmove"));
    let notices: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("info string"))
        .collect();
    let [notice] = &notices[..] else {
        panic!("{lines:?}")
    };
    let begin = format!("info string DNN_Server {}: ", served.address);
    assert!(notice.starts_with(&begin), "{notice}");
    let last = &lines[lines.len() - 2];
    assert!(last.contains(" nodes 6000 "), "{last}");
    engine.quit();
}

#[test]
fn without_a_server_and_a_network_there_is_an_error() {
    let (_folder, program) = copy_with(&[]);
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let mut alone = engine(&program, Some(&address));
    alone.send("isready");
    let lines = alone.until("readyok").join("\n");
    assert!(
        lines.contains(&format!("Error! remote: {address}: ")),
        "{lines}"
    );
    assert!(
        lines.contains("PLAYING WITH THE EMBEDDED EVALUATION"),
        "{lines}"
    );
    alone.quit();
    // A server that goes while there is no network here.
    let mut served = Served::start(&["-q"]);
    let mut left = engine(&program, Some(&served.address));
    left.set(&[("DNN_Server_Timeout", "100")]);
    left.answer_of_isready();
    served.kill();
    left.send("e");
    let line = left.line();
    assert!(
        line.contains(&served.address) && line.contains("Error!"),
        "{line}"
    );
    left.send("go nodes 100");
    let lines = left.until("bestmove").join("\n");
    assert!(lines.contains(&served.address), "{lines}");
    left.quit();
}

#[test]
fn every_isready_tries_the_server_again() {
    let (_folder, program) = copy_with(&[]);
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let mut engine = engine(&program, Some(&address));
    let mut ready = || {
        engine.send("isready");
        engine.until("readyok").join("\n")
    };
    for _ in 0..2 {
        let lines = ready();
        let error = format!("Error! remote: {address}: ");
        assert!(lines.contains(&error), "{lines}");
    }
    let served = Served::start_at(&address, &fixture("deep/mtiny.onnx"), &["-q"]);
    let lines = ready();
    let name = format!(
        "evaluation : deep (dlshogi-WCSC28, server {}",
        served.address
    );
    assert!(
        lines.contains(&name) && !lines.contains("Error!"),
        "{lines}"
    );
    // What is there is not loaded again.
    let lines = ready();
    assert!(!lines.contains("evaluation : "), "{lines}");
    let lines = searched(&mut engine, "go nodes 50");
    assert!(
        lines.iter().any(|line| line.contains(" nodes 50 ")),
        "{lines:?}"
    );
    engine.quit();
}

#[test]
fn a_server_that_gets_the_right_network_is_used_after_isready() {
    let network = std::fs::read(fixture("deep/mtiny.onnx")).unwrap();
    // The same network, and another file of it.
    let other = [&network[..], &[0x32, 0]].concat();
    let files = [
        ("eval/model.onnx", &network[..]),
        ("other/mtiny.onnx", &other),
    ];
    let (folder, program) = copy_with(&files);
    let other = folder.path().join("other/mtiny.onnx");
    let mut served = Served::start_at("127.0.0.1:0", &other, &["-q"]);
    let mut engine = engine(&program, Some(&served.address));
    let mut ready = || {
        engine.send("isready");
        engine.until("readyok").join("\n")
    };
    let lines = ready();
    assert!(lines.contains("another network"), "{lines}");
    assert!(lines.contains("using native"), "{lines}");
    served.kill();
    let model = fixture("deep/mtiny.onnx");
    let served = Served::start_at(&served.address, &model, &["-q"]);
    let lines = ready();
    let name = format!("server {}", served.address);
    assert!(
        lines.contains(&name) && !lines.contains("Error!"),
        "{lines}"
    );
    engine.quit();
}

#[cfg(unix)]
#[test]
fn damaged_clients_are_told_and_the_server_goes_on() {
    let served = Served::start(&["--json"]);
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 5000], &[0; 3]] {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        // A frame of the kind "error", if the rest of the bytes did not end the connection before it was read.
        assert!(answer.is_empty() || answer[4] == 133, "{answer:?}");
    }
    let (_folder, program) = copy_with(&[]);
    let mut client = engine(&program, Some(&served.address));
    client.answer_of_isready();
    let lines = searched(&mut client, "go nodes 50");
    assert!(
        lines.iter().any(|line| line.contains(" nodes 50 ")),
        "{lines:?}"
    );
    client.quit();
    let [output, errors] = served.interrupt();
    let value: serde_json::Value = serde_json::from_str(&output).unwrap();
    let summary = &value["summary"];
    assert_eq!(
        (&summary["refused"], &summary["clients"]),
        (&3.into(), &1.into())
    );
    assert!(summary["positions"].as_u64().unwrap() > 40, "{summary}");
    assert_eq!(errors.matches(": refused: ").count(), 3, "{errors}");
    assert!(errors.contains(": connected"), "{errors}");
}

#[test]
fn wrong_usage_is_told() {
    let here = Path::new(".");
    let run = |line: &str| {
        let words = format!("eval-server {line}");
        let words = words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        run_program(Path::new(PROGRAM), here, words, Vec::new(), LONG)
    };
    run("--listen nowhere --model a.onnx").failed(2, &["HOST:PORT"]);
    run("--quiet").failed(2, &["--model"]);
    run("--model no-such-file.onnx").failed(1, &["no-such-file.onnx"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let model = fixture("deep/mtiny.onnx");
    let line = format!("--model {} --listen {address}", model.display());
    run(&line).failed(1, &[&address]);
    let line = format!(
        "--model {} --runtime cuda --listen 127.0.0.1:0",
        model.display()
    );
    run(&line).failed(1, &["cuda: "]);
}
