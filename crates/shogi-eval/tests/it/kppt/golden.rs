//! The fixtures' positions have the values that YaneuraOu gives them.

use std::path::PathBuf;

use shogi_core::Position;
use shogi_eval::kppt::{KpptLayout, evaluate};

use super::synthetic::SyntheticTables;

/// Positions and their values.
pub(crate) fn golden(name: &str) -> Vec<(Position, i32)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/eval/kppt");
    let text = std::fs::read_to_string(PathBuf::from(folder).join(name)).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = Position::from_sfen(row["sfen"].as_str().unwrap()).unwrap();
        (position, row["eval"].as_i64().unwrap() as i32)
    });
    rows.collect()
}

fn check(name: &str, layout: KpptLayout) {
    let tables = SyntheticTables::new(layout);
    let rows = golden(name);
    assert_eq!(rows.len(), 260);
    for (position, expected) in rows {
        assert_eq!(
            evaluate(&tables, &position),
            expected,
            "{}",
            position.to_sfen()
        );
    }
}

#[test]
fn kppt() {
    check("kppt.jsonl", KpptLayout::Kppt);
}

#[test]
fn kpp_kkpt() {
    check("kpp_kkpt.jsonl", KpptLayout::KppKkpt);
}
