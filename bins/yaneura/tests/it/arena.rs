//! The engine as a player of a match: the evaluation that it is told, and the one that it plays with.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use test_networks::RandomNetwork;
use test_support::TestFolder;
use tournament::{Contestant, EngineChecks, EngineSpec, GameName};

use crate::util::{LONG, PROGRAM};

/// The engine under a name, with one option more than a match needs.
fn player(name: &str, option: &str) -> EngineSpec {
    let options = ["Threads=1", "USI_Hash=1", "USI_OwnBook=false", option];
    let mut spec = EngineSpec::new(PROGRAM);
    spec.name = Some(name.to_owned());
    for option in options {
        spec.add_option(option).expect("NAME=VALUE");
    }
    spec
}

/// Gets players ready for a match.
fn open(players: &[EngineSpec], allow_errors: bool) -> Result<Vec<Contestant>, String> {
    let checks = EngineChecks {
        allow_errors,
        ..EngineChecks::new(LONG)
    };
    let opened = Contestant::open_all(players, &GameName::Shogi.protocol(), &checks);
    opened.map_err(|error| error.to_string())
}

/// `path` as seen from the current directory.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().expect("a folder");
    let up = here.components().skip(1).map(|_| "..");
    let down = path.strip_prefix("/").expect("an absolute path");
    up.collect::<PathBuf>().join(down)
}

#[test]
fn a_network_that_was_learnt_is_found_where_the_user_stands() {
    let folder = TestFolder::new();
    let network = folder.path("net1/final");
    std::fs::create_dir_all(&network).expect("a folder");
    let mut bytes = Vec::new();
    let shape = "SFNN_ka2_16_7_8_hand4_k3k3_progress2".parse();
    RandomNetwork::new(shape.expect("an architecture"), 5)
        .write(&mut bytes)
        .expect("written");
    std::fs::write(network.join("nn.bin"), bytes).expect("written");
    let path = relative(&network.canonicalize().expect("a folder"));
    let option = format!("EvalDir={}", path.display());
    let players = [player("new", &option), player("old", "Evaluation=embedded")];
    let players = open(&players, false).expect("players");
    let [new, old] = [0, 1].map(|number: usize| &players[number].identity);
    let evaluation = new.evaluations.join("");
    assert!(evaluation.contains("net1/final"), "{evaluation}");
    assert_eq!((new.threads, new.hash_mib), (Some(1), Some(1)));
    let evaluation = old.evaluations.join("");
    assert!(evaluation.starts_with("embedded ("), "{evaluation}");
    assert_eq!(new.name, old.name);
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let players = [
        player("new", "EvalDir=net1/fnal"),
        player("old", "Evaluation=embedded"),
    ];
    let error = open(&players, false).unwrap_err();
    for words in ["engine new: ", "Error!", "net1/fnal", "EMBEDDED"] {
        assert!(error.contains(words), "{words:?}: {error}");
    }
    // With that said, it plays with something else, and is named with that.
    let players = open(&players, true).expect("players");
    let evaluation = players[0].identity.evaluations.join("");
    assert!(evaluation.starts_with("embedded ("), "{evaluation}");
}
