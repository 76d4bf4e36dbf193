//! The reference evaluation gives the field's values, line by line, and random networks are those
//! that the values were made with.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shogi_core::Diagram;
use shogi_eval::nnue::{FvScale, reference};
use test_networks::RandomNetwork;

/// Line 1 of a file.
#[derive(Deserialize)]
struct Head {
    arch: String,
    net_seed: u64,
    net_sha256: std::collections::HashMap<String, (u64, String)>,
    count: usize,
}

/// Every further line.
#[derive(Deserialize)]
struct Row {
    sfen: String,
    eval: i32,
    fv_scale: i32,
}

fn goldens() -> Vec<(Head, Vec<Row>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/eval/nnue");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 10);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, rows) = text.split_once('\n').unwrap();
        let head: Head = serde_json::from_str(head).unwrap();
        let rows: Vec<Row> = rows
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(rows.len(), head.count, "{}", path.display());
        (head, rows)
    };
    paths.into_iter().map(read).collect()
}

fn network(head: &Head) -> RandomNetwork {
    RandomNetwork::new(head.arch.parse().unwrap(), head.net_seed)
}

#[test]
fn evaluations_are_the_fields() {
    for (head, rows) in goldens() {
        let network = network(&head);
        let layers = network.layers();
        for row in rows {
            // Random placements: in some the kings stand next to each other.
            let diagram = Diagram::from_sfen(&row.sfen).unwrap();
            let scale = FvScale::new(row.fv_scale).unwrap();
            let value = scale.apply(reference::output(&network, &layers, diagram.pieces()));
            assert_eq!(value, row.eval, "{} {}", head.arch, row.sfen);
        }
    }
}

/// A file of which only the hash is kept.
struct Hashed(Sha256);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A network computed row by row is the file that the values came from. The largest files only with
/// `SHOGI_SLOW_TESTS=1`.
#[test]
fn random_files_are_the_ones_evaluated() {
    let limit = if std::env::var_os("SHOGI_SLOW_TESTS").is_some() {
        u64::MAX
    } else {
        40_000_000
    };
    let mut checked = 0;
    for (head, _) in goldens() {
        let (bytes, sha256) = &head.net_sha256["nn.bin"];
        if *bytes <= limit {
            let mut hasher = Hashed(Sha256::new());
            network(&head).write(&mut hasher).unwrap();
            let hash = hasher.0.finalize();
            let expected: Vec<u8> = (0..sha256.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&sha256[i..i + 2], 16).unwrap())
                .collect();
            assert_eq!(hash[..], expected[..], "{}", head.arch);
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked} files");
}
