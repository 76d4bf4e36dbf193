//! Conversions of whole files on one thread, output discarded: reading, checking every rule, writing.

use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::ItemsCount;
use pack_format::TeacherFormat;
use pack_format::check::{CheckOptions, check};
use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::stream::Input;
use yane_io::Job;

fn main() {
    divan::main();
}

/// Self-play games, as often as it takes to be a few batches.
const REPEAT: usize = 40;

/// A file of real positions in some format, and their number.
fn file(folder: &Path, format: TeacherFormat) -> (PathBuf, usize) {
    let games = test_support::fixture_bytes("teacher/selfplay/normal_n2000_ply320.pack");
    let pack = folder.join("games.pack");
    std::fs::write(&pack, games.repeat(REPEAT)).expect("room for the file");
    let path = folder.join("input").with_extension(format.name());
    let report = run(&pack, &path, TeacherFormat::Pack, format);
    (path, report)
}

fn run(from: &Path, to: &Path, from_format: TeacherFormat, to_format: TeacherFormat) -> usize {
    let job = Job {
        threads: 1,
        ..Job::default()
    };
    let options = TeacherConvertOptions::new(from_format, to_format);
    let report = convert(&[Input::named(from)], to, &options, &job);
    report.expect("the games are good").positions as usize
}

const PAIRS: [(TeacherFormat, TeacherFormat); 6] = [
    (TeacherFormat::Pack, TeacherFormat::Hcpe),
    (TeacherFormat::Pack, TeacherFormat::Psv),
    (TeacherFormat::Hcpe, TeacherFormat::Psv),
    (TeacherFormat::Psv, TeacherFormat::Hcpe),
    (TeacherFormat::Pack, TeacherFormat::Jsonl),
    (TeacherFormat::Pack, TeacherFormat::Csv),
];

#[divan::bench(args = 0..PAIRS.len(), sample_count = 20)]
fn converting(bencher: Bencher<'_, '_>, pair: usize) {
    let (from, to) = PAIRS[pair];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, positions) = file(folder.path(), from);
    bencher
        .counter(ItemsCount::new(positions))
        .bench(|| run(&path, Path::new("/dev/null"), from, to));
}

#[divan::bench(args = ["pack", "hcpe", "psv"], sample_count = 20)]
fn checking(bencher: Bencher<'_, '_>, name: &str) {
    let format = TeacherFormat::from_name(name).expect("a format");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, positions) = file(folder.path(), format);
    let job = Job {
        threads: 1,
        ..Job::default()
    };
    bencher
        .counter(ItemsCount::new(positions))
        .bench(|| check(&Input::named(&path), format, CheckOptions::default(), &job));
}
