//! Examples in the documentation and in the help: what they must not leave to chance.

use std::path::PathBuf;

use test_support::TestFolder;

use crate::engine::arena;

/// Commands that play or judge moves of shogi.
const COMMANDS: [&str; 6] = [
    "match",
    "gauntlet",
    "round-robin",
    "tune",
    "parts",
    "losses",
];

/// The command lines of `arena` in a text, continued lines joined.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let is_one = |line: &&str| {
        let line = line.trim_start().trim_start_matches("$ ");
        COMMANDS.iter().any(|command| {
            ["arena ", "cargo run --release -p yane-arena -- "]
                .iter()
                .any(|program| line.starts_with(&format!("{program}{command} ")))
        })
    };
    let found = joined.lines().filter(is_one);
    // Engines for othello have other options.
    found
        .filter(|line| !line.contains("--game othello"))
        .map(str::to_owned)
        .collect()
}

/// A help text with wrapped lines of examples joined: they are indented as the examples are, and no commands.
fn unwrapped(help: &str) -> String {
    let mut text = String::new();
    for line in help.lines() {
        let inside = line.strip_prefix("  ").unwrap_or_default();
        let is_rest =
            !inside.is_empty() && !inside.starts_with(' ') && !inside.starts_with("arena ");
        text.push(if is_rest { ' ' } else { '\n' });
        text.push_str(line);
    }
    text
}

/// Engines of the field have four threads or more unless they are told otherwise: a match of several at a time is then a match of
/// who gets the processor.
#[test]
fn every_example_sets_the_number_of_threads() {
    let docs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(&docs).expect("the documentation") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path).expect("text");
            texts.push((path.display().to_string(), text));
        }
    }
    let folder = TestFolder::new();
    for command in COMMANDS {
        let help = arena(&folder, &[command, "--help"]).succeeded();
        texts.push((format!("arena {command} --help"), unwrapped(help.text())));
    }
    let mut count = 0;
    for (name, text) in &texts {
        for command in commands(text) {
            count += 1;
            assert!(command.contains("Threads=1"), "{name}: {command}");
        }
    }
    assert!(count > 20, "{count}");
}
