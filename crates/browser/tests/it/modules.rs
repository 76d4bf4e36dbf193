//! The modules answer what the same code answers natively: moves, values and numbers of nodes. Run by node, on the folder that
//! `cargo xtask browser` makes; skipped, with a line that says so, where one of them is missing.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use test_support::StaticHost;

use crate::{SETUP, ask, ends, timeless};

/// What a module says to requests; `None` if it or node is not there.
fn ask_module(file: &str, requests: &[Value]) -> Option<Vec<Value>> {
    let module = StaticHost::pages()?.join("engine").join(file);
    if !module.is_file() {
        println!("skipped: no {} (cargo xtask browser)", module.display());
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node.mjs");
    let node = Command::new("node")
        .arg(script)
        .arg(&module)
        .arg(SETUP.hash_mib.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut node) = node else {
        println!("skipped: no node");
        return None;
    };
    let mut lines = String::new();
    for request in requests {
        lines.push_str(&request.to_string());
        lines.push('\n');
    }
    node.stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{file} ended with {}",
        output.status
    );
    let text = String::from_utf8(output.stdout).unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// Returns whether node runs vectors with relaxed rules. (Those that do only when they are told have wrong ones.)
fn has_relaxed_vectors() -> bool {
    // A module with such an instruction.
    let check = "process.exit(WebAssembly.validate(new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,123,3,2,1,0,10,19,1,17,0,\
        65,1,253,15,65,1,253,15,65,1,253,15,253,147,2,11])) ? 0 : 1)";
    let checked = Command::new("node").args(["-e", check]).status();
    checked.is_ok_and(|status| status.success())
}

/// The variants that need one thread only.
const VARIANTS: [&str; 2] = ["simd", "relaxed"];

/// Compares the module's answers with those of this process.
fn compare(game: &'static str, requests: &[Value]) {
    let native = timeless(&ask(game, requests));
    assert!(ends(&native).iter().all(|(_, why)| why == "finished"));
    for variant in VARIANTS {
        if variant == "relaxed" && !has_relaxed_vectors() {
            println!("skipped: this node runs no relaxed vectors; browsers do");
            continue;
        }
        let Some(said) = ask_module(&format!("{game}-{variant}.wasm"), requests) else {
            continue;
        };
        let said = timeless(&said);
        assert_eq!(said.len(), native.len(), "{game} {variant}");
        for (in_module, here) in said.iter().zip(&native) {
            assert_eq!(in_module, here, "{game} {variant}");
        }
    }
}

#[test]
fn shogi_searches_are_the_same() {
    let mate = "9/4k4/9/3PPP3/9/9/9/9/9 b 2G2r2b2g4s4n4l15p 1";
    compare(
        "shogi",
        &[
            json!({ "id": 1, "op": "shogi.bench", "depth": 8 }),
            json!({ "id": 2, "op": "think", "moves": ["7g7f", "8c8d"], "lines": 3, "nodes": 20000 }),
            json!({ "id": 3, "op": "play", "moves": ["2g2f"], "depth": 7, "names": "ja" }),
            json!({ "id": 4, "op": "mate", "sfen": mate }),
        ],
    );
}

#[test]
fn othello_searches_are_the_same() {
    // Problem 40 of the FFO end games.
    let ffo = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    compare(
        "othello",
        &[
            json!({ "id": 1, "op": "othello.bench", "boards": [ffo] }),
            json!({ "id": 2, "op": "hint", "moves": ["f5", "d6"], "depth": 10, "prob": 74 }),
            json!({ "id": 3, "op": "play", "moves": ["f5", "f6", "e6"], "level": 9 }),
            json!({ "id": 4, "op": "analyze", "moves": ["f5", "d6", "c3", "d3"], "level": 4 }),
        ],
    );
}
