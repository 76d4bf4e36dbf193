//! Dropping duplicates.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use pack_format::dedup::{DedupBy, DedupOptions, DedupReport, Keep, dedup};
use pack_format::record::TeacherRecord;
use pack_format::stream::Input;
use pack_format::{Psv, TeacherError, TeacherFormat};
use yane_io::Job;

fn fixture(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn run(names: &[PathBuf], options: DedupOptions, job: &Job) -> (Vec<u8>, DedupReport) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let inputs: Vec<_> = names.iter().map(Input::named).collect();
    let report = dedup(&inputs, &output, &options, job).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(report.records, report.kept + report.dropped);
    (fs::read(output).unwrap(), report)
}

#[test]
fn the_order_of_hands_does_not_hide_duplicates() {
    let names = ["canonical", "rook_first"].map(|order| {
        fixture(&format!(
            "psv_with_ply/normal_n2000_ply320.order_{order}.psv"
        ))
    });
    let [canonical, rook_first] = names.each_ref().map(|name| fs::read(name).unwrap());
    assert!(canonical != rook_first && canonical.len() == 200 * 40);
    for by in [DedupBy::PositionAndMove, DedupBy::WholeRecord] {
        for (keep, expected) in [(Keep::First, &canonical), (Keep::Last, &rook_first)] {
            let options = DedupOptions {
                by,
                keep,
                ..DedupOptions::new(TeacherFormat::Psv)
            };
            let (bytes, report) = run(&names, options, &Job::default());
            assert_eq!((report.kept, report.dropped), (200, 200));
            assert!(bytes == *expected);
        }
    }
}

/// Key of a record for telling duplicates, computed the slow way.
fn key(record: &[u8], by: DedupBy) -> Vec<u8> {
    let psv = Psv::from_bytes(record).unwrap();
    let sfen = psv.position.decode().unwrap().to_string().into_bytes();
    match by {
        DedupBy::Position => sfen,
        DedupBy::PositionAndMove => [&sfen, &record[34..36]].concat(),
        DedupBy::WholeRecord => [&sfen, &record[32..]].concat(),
    }
}

#[test]
fn what_stays_is_the_first_or_the_last_of_each_kind_in_order_whatever_the_memory() {
    let names = [
        "psv_with_ply/normal_n2000_ply320.psv",
        "selfplay/short_n100_ply80.psv",
        "selfplay/normal_n2000_ply320.psv",
        "psv_with_ply/normal_n2000_ply320.order_rook_first.psv",
    ]
    .map(fixture);
    let all: Vec<u8> = names
        .iter()
        .flat_map(|name| fs::read(name).unwrap())
        .collect();
    for by in [
        DedupBy::Position,
        DedupBy::PositionAndMove,
        DedupBy::WholeRecord,
    ] {
        let keys: Vec<Vec<u8>> = all.chunks(40).map(|record| key(record, by)).collect();
        for keep in [Keep::First, Keep::Last] {
            let mut chosen: HashMap<&[u8], usize> = HashMap::new();
            for (index, key) in keys.iter().enumerate() {
                match keep {
                    Keep::First => _ = chosen.entry(key).or_insert(index),
                    Keep::Last => _ = chosen.insert(key, index),
                }
            }
            let mut chosen: Vec<usize> = chosen.into_values().collect();
            chosen.sort_unstable();
            let expected: Vec<u8> = chosen
                .iter()
                .flat_map(|&index| &all[index * 40..][..40])
                .copied()
                .collect();
            let options = DedupOptions {
                by,
                keep,
                ..DedupOptions::new(TeacherFormat::Psv)
            };
            for (memory, threads) in [(1 << 30, 2), (1 << 30, 1), (500_000, 3), (10_000, 1)] {
                let job = Job {
                    memory,
                    threads,
                    ..Job::default()
                };
                let (bytes, report) = run(&names, options, &job);
                assert!(bytes == expected, "{by:?} {keep:?} {memory}");
                assert_eq!(report.kept, chosen.len() as u64);
                let passes = report.spilled as f64 / all.len() as f64;
                assert_eq!(passes > 0.0, memory < 1 << 30, "{passes}");
            }
        }
    }
}

#[test]
fn buckets_that_do_not_fit_are_divided() {
    let names = [fixture("selfplay/short_n100_ply80.psv")];
    let options = DedupOptions::new(TeacherFormat::Psv);
    let (expected, in_memory) = run(&names, options, &Job::default());
    let job = Job {
        memory: 300,
        threads: 1,
        ..Job::default()
    };
    let (bytes, divided) = run(&names, options, &job);
    assert!(bytes == expected);
    let once = in_memory.records * 38;
    assert!(in_memory.spilled == 0 && divided.spilled > once * 3 / 2);
}

#[test]
fn one_position_a_hundred_thousand_times_needs_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("same.hcpe");
    let record = &fs::read(fixture("selfplay/short_n100_ply80.hcpe")).unwrap()[..38];
    fs::write(&name, record.repeat(100_000)).unwrap();
    let job = Job {
        memory: 1000,
        ..Job::default()
    };
    let (bytes, report) = run(&[name], DedupOptions::new(TeacherFormat::Hcpe), &job);
    assert_eq!(bytes, record);
    assert_eq!(report.dropped, 99_999);
    assert_eq!(report.spilled, 100_000 * 38);
}

#[test]
fn games_and_lines_are_compared_as_a_whole() {
    let names = [
        fixture("selfplay/short_n100_ply80.pack"),
        fixture("selfplay/short_n100_ply80.pack"),
    ];
    let (bytes, report) = run(
        &names,
        DedupOptions::new(TeacherFormat::Pack),
        &Job::default(),
    );
    let one = fs::read(&names[0]).unwrap();
    assert_eq!(report.records, 402);
    assert!(report.dropped >= 201 && one.starts_with(&bytes[..1000]));

    let folder = tempfile::tempdir().unwrap();
    let names = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
    fs::write(&names[0], "head\r\nx\r\ny\r\nx").unwrap();
    fs::write(&names[1], "head\nz\ny\nhead\n").unwrap();
    let (bytes, _) = run(
        &names,
        DedupOptions::new(TeacherFormat::Csv),
        &Job::default(),
    );
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "head\r\nx\r\ny\r\nz\nhead\n"
    );
}

#[test]
fn what_is_no_position_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("bad.psv");
    let mut bytes = fs::read(fixture("selfplay/short_n100_ply80.psv")).unwrap();
    bytes[40 * 8000..][..32].fill(0xff);
    fs::write(&name, bytes).unwrap();
    let output = folder.path().join("out");
    let options = DedupOptions::new(TeacherFormat::Psv);
    let good = Input::named(fixture("selfplay/short_n100_ply80.psv"));
    let error = dedup(
        &[good, Input::named(&name)],
        &output,
        &options,
        &Job::default(),
    )
    .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("bad.psv: byte 320000: record 8001 "),
        "{text}"
    );
    assert!(!output.exists());

    let options = DedupOptions {
        by: DedupBy::Position,
        ..DedupOptions::new(TeacherFormat::Pack)
    };
    let pack = Input::named(fixture("selfplay/short_n100_ply80.pack"));
    let error = dedup(&[pack], &output, &options, &Job::default()).unwrap_err();
    assert!(matches!(error, TeacherError::Option(_)));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.psv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let source = fixture("selfplay/short_n100_ply80.psv");
    let (expected, _) = run(
        std::slice::from_ref(&source),
        DedupOptions::new(TeacherFormat::Psv),
        &Job::default(),
    );
    let writing = {
        let (source, pipe) = (source, pipe.clone());
        std::thread::spawn(move || fs::write(pipe, fs::read(source).unwrap()).unwrap())
    };
    let (bytes, _) = run(
        &[pipe],
        DedupOptions::new(TeacherFormat::Psv),
        &Job::default(),
    );
    writing.join().unwrap();
    assert!(bytes == expected);
}
