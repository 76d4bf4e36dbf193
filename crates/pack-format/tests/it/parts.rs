//! Splitting and concatenating files.

use std::fs;
use std::path::{Path, PathBuf};

use pack_format::pack::games;
use pack_format::parts::{
    ConcatOptions, SplitOptions, SplitParts, SplitReport, concat, part_path, split,
};
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use yane_io::{Job, Overwrite};

fn fixture(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn split_file(name: &Path, output: &Path, options: &SplitOptions) -> SplitReport {
    let report = split(&[Input::named(name)], output, options, &Job::default()).unwrap();
    for (index, part) in report.parts.iter().enumerate() {
        assert_eq!(part.path, part_path(output, index as u64 + 1));
    }
    report
}

fn bytes_of(report: &SplitReport) -> Vec<Vec<u8>> {
    report
        .parts
        .iter()
        .map(|part| fs::read(&part.path).unwrap())
        .collect()
}

#[test]
fn equal_parts_are_equal_and_together_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    for format in [
        TeacherFormat::Psv,
        TeacherFormat::Hcpe,
        TeacherFormat::Pack,
        TeacherFormat::Jsonl,
    ] {
        let name = fixture(&format!("selfplay/short_n100_ply80.{format}"));
        let whole = fs::read(&name).unwrap();
        for count in [1, 3, 50] {
            let output = folder.path().join(format!("{count}.{format}"));
            let options = SplitOptions::new(format, SplitParts::Count(count));
            let report = split_file(&name, &output, &options);
            let parts = bytes_of(&report);
            assert_eq!(parts.len() as u64, count);
            assert!(parts.concat() == whole);
            let average = whole.len() / parts.len();
            let longest_unit = if format == TeacherFormat::Jsonl {
                2000
            } else {
                400
            };
            for (part, bytes) in report.parts.iter().zip(&parts) {
                assert_eq!(part.bytes, bytes.len() as u64);
                assert!(bytes.len().abs_diff(average) < longest_unit);
                assert!(format != TeacherFormat::Pack || games(bytes).all(|game| game.is_ok()));
                let units = match format {
                    TeacherFormat::Pack => games(bytes).count(),
                    TeacherFormat::Jsonl => bytes.split_inclusive(|&byte| byte == b'\n').count(),
                    _ => bytes.len() / format.record_len().unwrap(),
                };
                assert_eq!(part.units, units as u64);
            }
        }
    }
}

#[test]
fn parts_of_so_many_units() {
    let folder = tempfile::tempdir().unwrap();
    let name = fixture("selfplay/short_n100_ply80.pack");
    let output = folder.path().join("k.pack");
    let options = SplitOptions::new(TeacherFormat::Pack, SplitParts::Units(50));
    let report = split_file(&name, &output, &options);
    let counts: Vec<u64> = report.parts.iter().map(|part| part.units).collect();
    assert_eq!(counts, [50, 50, 50, 50, 1]);
    assert!(bytes_of(&report).concat() == fs::read(&name).unwrap());

    // More parts than files may be open.
    let name = fixture("selfplay/short_n100_ply80.psv");
    let options = SplitOptions::new(TeacherFormat::Psv, SplitParts::Units(7));
    let report = split_file(&name, &folder.path().join("many.psv"), &options);
    assert_eq!(report.parts.len(), 8139_usize.div_ceil(7));
    assert!(bytes_of(&report).concat() == fs::read(&name).unwrap());
}

#[test]
fn a_ratio_is_drawn_with_a_seed_and_keeps_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let name = fixture("selfplay/short_n100_ply80.psv");
    let whole = fs::read(&name).unwrap();
    let parts = |seed, file: &str| {
        let options = SplitOptions {
            seed,
            ..SplitOptions::new(TeacherFormat::Psv, SplitParts::Ratio(vec![0.9, 0.1]))
        };
        bytes_of(&split_file(&name, &folder.path().join(file), &options))
    };
    let one = parts(1, "a");
    assert!(one == parts(1, "b") && one != parts(2, "c"));
    let share = one[1].len() as f64 / whole.len() as f64;
    assert!((share - 0.1).abs() < 0.015, "{share}");
    // Each record is the next one of one of the parts.
    let [mut first, mut second] = [one[0].chunks(40).peekable(), one[1].chunks(40).peekable()];
    for record in whole.chunks(40) {
        let taken = first
            .next_if_eq(&record)
            .or_else(|| second.next_if_eq(&record));
        assert!(taken.is_some());
    }
    assert!(first.next().is_none() && second.next().is_none());
}

#[test]
fn every_csv_part_has_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a.csv");
    fs::write(&name, "head\n1\n2\n3").unwrap();
    let options = SplitOptions::new(TeacherFormat::Csv, SplitParts::Units(2));
    let report = split_file(&name, &folder.path().join("b.csv"), &options);
    assert_eq!(bytes_of(&report), [&b"head\n1\n2\n"[..], b"head\n3\n"]);
    let inputs: Vec<_> = report
        .parts
        .iter()
        .map(|part| Input::named(&part.path))
        .collect();
    let output = folder.path().join("c.csv");
    concat(
        &inputs,
        &output,
        &ConcatOptions::new(TeacherFormat::Csv),
        &Job::default(),
    )
    .unwrap();
    assert_eq!(fs::read(output).unwrap(), b"head\n1\n2\n3\n");
}

#[test]
fn no_part_appears_when_something_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("cut.0003.psv");
    let mut bytes = fs::read(fixture("selfplay/short_n100_ply80.psv")).unwrap();
    fs::write(&name, &bytes).unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    let failure = |output: &str, parts| {
        let options = SplitOptions::new(TeacherFormat::Psv, parts);
        let output = folder.path().join(output);
        split(&[Input::named(&name)], &output, &options, &Job::default()).unwrap_err()
    };
    // The third part would be the input.
    let error = failure("cut.psv", SplitParts::Units(1000));
    assert!(matches!(
        error,
        TeacherError::File(yane_io::Error::OverwritesInput(_))
    ));
    assert_eq!(files(), 1);

    bytes.pop();
    fs::write(&name, &bytes).unwrap();
    for parts in [
        SplitParts::Units(1000),
        SplitParts::Count(4),
        SplitParts::Ratio(vec![1.0, 1.0]),
    ] {
        let error = failure("out.psv", parts);
        assert!(matches!(error, TeacherError::Invalid { .. }));
        assert_eq!(files(), 1);
    }
    for parts in [
        SplitParts::Units(0),
        SplitParts::Count(0),
        SplitParts::Ratio(vec![]),
    ] {
        assert!(matches!(failure("out.psv", parts), TeacherError::Option(_)));
        assert_eq!(files(), 1);
    }
}

#[test]
fn concatenation_gives_the_bytes_of_all() {
    let folder = tempfile::tempdir().unwrap();
    for format in [
        TeacherFormat::Psv,
        TeacherFormat::Hcpe,
        TeacherFormat::Pack,
        TeacherFormat::Jsonl,
    ] {
        let names = [
            "startpos_n500_ply200",
            "short_n100_ply80",
            "normal_n2000_ply320",
        ]
        .map(|name| fixture(&format!("selfplay/{name}.{format}")));
        let expected: Vec<u8> = names
            .iter()
            .flat_map(|name| fs::read(name).unwrap())
            .collect();
        let inputs: Vec<_> = names.iter().map(Input::named).collect();
        let output = folder.path().join("out");
        let options = ConcatOptions::new(format);
        let report = concat(&inputs, &output, &options, &Job::default()).unwrap();
        assert!(fs::read(&output).unwrap() == expected);
        assert_eq!(report.bytes, expected.len() as u64);
        let units = match format.record_len() {
            Some(len) => expected.len() / len,
            None => 6 + 201 + 61,
        };
        assert_eq!(report.units, units as u64);
    }
}

#[test]
fn a_file_cut_off_inside_is_not_glued_to_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(fixture("selfplay/short_n100_ply80.pack")).unwrap();
    let cut = folder.path().join("cut.pack");
    let output = folder.path().join("out.pack");
    let last = whole.len() - 1;
    fs::write(&cut, &whole[..last]).unwrap();
    let inputs = [
        fixture("selfplay/normal_n2000_ply320.pack"),
        cut.clone(),
        fixture("selfplay/startpos_n500_ply200.pack"),
    ];
    let inputs = inputs.map(Input::named);
    let options = ConcatOptions::new(TeacherFormat::Pack);
    let error = concat(&inputs, &output, &options, &Job::default()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(&format!("cut.pack: byte {last}: game 201 ")),
        "{text}"
    );
    assert!(text.contains("the file ends in the end reason"), "{text}");
    assert!(!output.exists());

    fs::write(&cut, &whole).unwrap();
    concat(&inputs, &output, &options, &Job::default()).unwrap();
    let bytes = fs::read(&output).unwrap();
    assert_eq!(games(&bytes).flatten().count(), 61 + 201 + 6);
}

#[test]
fn lines_without_an_end_get_one_and_the_output_may_be_an_input_if_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b"].map(|name| folder.path().join(format!("{name}.jsonl")));
    fs::write(&names[0], "{\"a\":1}").unwrap();
    fs::write(&names[1], "{\"b\":1}\n").unwrap();
    let inputs = names.each_ref().map(Input::named);
    let mut options = ConcatOptions::new(TeacherFormat::Jsonl);
    concat(&inputs, &names[0], &options, &Job::default()).unwrap_err();
    options.overwrite = Overwrite::Allow;
    concat(&inputs, &names[0], &options, &Job::default()).unwrap();
    assert_eq!(fs::read(&names[0]).unwrap(), b"{\"a\":1}\n{\"b\":1}\n");
}
