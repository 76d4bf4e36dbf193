//! Orders are equally likely, and do not depend on how they are made.

use std::collections::HashMap;
use std::path::Path;

use shogi_core::Position;
use shogi_packed::PackedSfen;
use yane_io::Job;

use super::node::Node;
use super::{ShuffleOptions, shuffle_with, shuffled};
use crate::TeacherFormat;
use crate::stream::Input;

/// The chi-square statistic of counts that should all be equal.
fn chi_square(counts: impl Iterator<Item = u32>, cells: u32, total: u32) -> f64 {
    let expected = f64::from(total) / f64::from(cells);
    let (mut sum, mut seen) = (0.0, 0);
    for count in counts {
        sum += (f64::from(count) - expected).powi(2) / expected;
        seen += 1;
    }
    sum + f64::from(cells - seen) * expected
}

/// Bound below which chi-square with `freedom` degrees stays with a probability of about 99.99 %
/// (Wilson and Hilferty).
fn bound(freedom: u32) -> f64 {
    let k = f64::from(freedom);
    let a = 2.0 / (9.0 * k);
    k * (1.0 - a + 3.72 * a.sqrt()).powi(3)
}

#[test]
fn every_order_of_few_units_is_equally_likely() {
    for leaf in [1, 2, 100] {
        let mut counts: HashMap<Vec<u8>, u32> = HashMap::new();
        let total = 24_000;
        for seed in 0..u64::from(total) {
            let order = shuffled(&[0u8, 1, 2, 3], Node::root(seed), leaf);
            *counts.entry(order).or_default() += 1;
        }
        assert_eq!(counts.len(), 24);
        let statistic = chi_square(counts.into_values(), 24, total);
        assert!(statistic < bound(23), "{statistic} with leaves of {leaf}");
    }
}

#[test]
fn every_unit_may_come_anywhere_and_beside_any_other() {
    let units: Vec<u16> = (0..100).collect();
    for leaf in [1, 7, 1000] {
        let total = 6_000;
        let mut places = HashMap::<usize, u32>::new();
        let mut after = HashMap::<u16, u32>::new();
        let mut followed = 0;
        for seed in 0..u64::from(total) {
            let order = shuffled(&units, Node::root(seed), leaf);
            let place = order.iter().position(|&unit| unit == 3).unwrap();
            *places.entry(place).or_default() += 1;
            if let Some(&next) = order.get(place + 1) {
                *after.entry(next).or_default() += 1;
                followed += 1;
            }
        }
        let statistic = chi_square(places.into_values(), 100, total);
        assert!(statistic < bound(99), "{statistic} with leaves of {leaf}");
        let statistic = chi_square(after.into_values(), 99, followed);
        assert!(statistic < bound(98), "{statistic} with leaves of {leaf}");
    }
}

#[test]
fn the_order_is_the_same_from_memory_and_over_any_number_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<String> = (0..8_000).map(|n| format!("{{\"line\":{n}}}\n")).collect();
    let position = PackedSfen::encode(&Position::startpos()).unwrap().0;
    let records: Vec<u8> = (0..8_000u16)
        .flat_map(|n| {
            let score_and_move = [n.to_le_bytes(), [0; 2]].concat();
            let ply_and_outcome = [(n >> 3).to_le_bytes(), [0; 2]].concat();
            [&position[..], &score_and_move, &ply_and_outcome].concat()
        })
        .collect();
    let cases = [
        (TeacherFormat::Jsonl, text.concat().into_bytes()),
        (TeacherFormat::Psv, records),
    ];
    for (format, bytes) in cases {
        let input = folder.path().join("input");
        std::fs::write(&input, &bytes).unwrap();
        let shuffled = |memory, threads, leaf| {
            let job = Job {
                memory,
                threads,
                ..Job::default()
            };
            shuffle_to_bytes(&input, &folder.path().join("output"), format, &job, leaf)
        };
        for leaf in [2, 60] {
            let (expected, spilled) = shuffled(1 << 30, 2, leaf);
            assert_eq!(spilled, 0);
            assert!(sorted(format, &expected) == sorted(format, &bytes));
            for (memory, threads) in [(1, 3), (600, 1), (6_000, 1), (100_000, 3)] {
                let (other, spilled) = shuffled(memory, threads, leaf);
                assert!(other == expected, "{format} {memory} {leaf}");
                let levels = spilled as f64 / bytes.len() as f64;
                // With too little memory for a bucket of thirty units it goes to the disk again.
                assert_eq!(levels > 1.0, memory < 6_000 && leaf < 60, "{levels}");
                assert!(levels >= 1.0);
            }
        }
    }
}

fn shuffle_to_bytes(
    input: &Path,
    output: &Path,
    format: TeacherFormat,
    job: &Job,
    leaf: usize,
) -> (Vec<u8>, u64) {
    let options = ShuffleOptions::new(format);
    let inputs = [Input::named(input)];
    let report = shuffle_with(&inputs, output, &options, job, leaf).unwrap();
    let bytes = std::fs::read(output).unwrap();
    assert_eq!((report.units, report.bytes), (8_000, bytes.len() as u64));
    (bytes, report.spilled)
}

fn sorted(format: TeacherFormat, bytes: &[u8]) -> Vec<&[u8]> {
    let mut units: Vec<&[u8]> = crate::units::each(format, bytes).collect();
    units.sort_unstable();
    units
}
