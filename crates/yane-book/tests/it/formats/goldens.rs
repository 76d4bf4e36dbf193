//! Conversions equal those of the field's tools, byte for byte.

use std::fs;
use std::path::Path;

use shogi_core::Position;
use yane_book::convert::{ConvertOptions, ConvertReport, convert};
use yane_book::ybb::MoveDepths;
use yane_book::{Job, apery};

use super::support::{Folder, fixture};

#[test]
fn db_to_ybb() {
    same(
        "ybb/acyclic_ps.db",
        "ybb/acyclic_ps.ybb",
        MoveDepths::Stored,
    );
    same("ybb/acyclic.db", "ybb/acyclic_nd.ybb", MoveDepths::Omitted);
    same("ybb/handicap.db", "ybb/handicap.ybb", MoveDepths::Stored);
}

#[test]
fn ybb_to_db() {
    same(
        "ybb/handicap.ybb",
        "ybb/handicap_back.db",
        MoveDepths::Stored,
    );
    same(
        "ybb/acyclic_nd.ybb",
        "ybb/acyclic_nd_back.db",
        MoveDepths::Stored,
    );
}

#[test]
fn db_to_apery() {
    let report = same("apery/ap_src.db", "apery/ap.bin", MoveDepths::Stored);
    assert_eq!(report.positions, 161);
    same("apery/messy_sorted.db", "apery/ap2.bin", MoveDepths::Stored);
}

#[test]
fn apery_to_db() {
    let report = same("apery/ap.bin", "apery/ap_back.db", MoveDepths::Stored);
    assert_eq!((report.positions, report.collisions), (122, 0));
    assert_eq!(report.unreached, 161 - 122);
}

#[test]
fn apery_keys() {
    let text = fs::read_to_string(fixture("apery/keys.jsonl")).unwrap();
    let mut lines = 0;
    for line in text.lines() {
        let field = |name: &str| {
            let start = line.find(name).unwrap() + name.len();
            line[start..].split('"').next().unwrap()
        };
        let position = Position::from_sfen(field("\"sfen\": \"")).unwrap();
        let key = u64::from_str_radix(field("\"key\": \""), 16).unwrap();
        assert_eq!(apery::key(&position), key, "{line}");
        lines += 1;
    }
    assert_eq!(lines, 68);
}

/// Converts with little memory and several threads, and with one thread: the result is `to` each
/// time.
fn same(from: &str, to: &str, depths: MoveDepths) -> ConvertReport {
    let options = ConvertOptions {
        depths,
        ..ConvertOptions::default()
    };
    let run = |job: &Job| {
        let folder = Folder::new();
        let name = Path::new(to).file_name().unwrap().to_str().unwrap();
        let report = convert(&fixture(from), &folder.path(name), &options, job).unwrap();
        assert!(folder.bytes(name) == fs::read(fixture(to)).unwrap(), "{to}");
        report
    };
    run(&Job {
        threads: 3,
        memory: 1,
        ..Job::default()
    });
    run(&Job {
        threads: 1,
        ..Job::default()
    })
}
