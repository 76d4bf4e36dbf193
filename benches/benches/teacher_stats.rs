//! Counting and filtering whole files on one thread: reading, checking every rule.

use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::ItemsCount;
use pack_format::TeacherFormat;
use pack_format::filter::{Condition, FilterOptions, filter};
use pack_format::stats::{StatsOptions, stats};
use pack_format::stream::Input;
use yane_io::{Job, Overwrite};

fn main() {
    divan::main();
}

/// Positions of the fixture.
const POSITIONS: usize = 7164;
/// The fixture as often as it takes to be a few batches.
const REPEAT: usize = 40;

/// A file of real positions.
fn file(folder: &Path, format: TeacherFormat) -> PathBuf {
    let fixture = format!("teacher/selfplay/normal_n2000_ply320.{}", format.name());
    let once = test_support::fixture_bytes(fixture);
    let path = folder.join("input");
    std::fs::write(&path, once.repeat(REPEAT)).expect("room for the file");
    path
}

fn job() -> Job {
    Job {
        threads: 1,
        ..Job::default()
    }
}

#[divan::bench(args = ["pack", "hcpe", "psv"], sample_count = 20)]
fn counting(bencher: Bencher<'_, '_>, name: &str) {
    let format = TeacherFormat::from_name(name).expect("a format");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = [Input::named(file(folder.path(), format))];
    bencher
        .counter(ItemsCount::new(POSITIONS * REPEAT))
        .bench(|| stats(&inputs, format, &StatsOptions::default(), &job()));
}

#[divan::bench(args = ["pack", "hcpe", "psv"], sample_count = 20)]
fn filtering(bencher: Bencher<'_, '_>, name: &str) {
    let format = TeacherFormat::from_name(name).expect("a format");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let inputs = [Input::named(file(folder.path(), format))];
    let conditions = match format {
        TeacherFormat::Pack => vec![Condition::Length(100..=200)],
        _ => vec![Condition::ScoreSize(0..=2000), Condition::Quiet],
    };
    let options = FilterOptions {
        format,
        conditions,
        skip_bad: false,
        overwrite: Overwrite::default(),
    };
    let output = folder.path().join("output");
    bencher
        .counter(ItemsCount::new(POSITIONS * REPEAT))
        .bench(|| filter(&inputs, &output, &options, &job()));
}
