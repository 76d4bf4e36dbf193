//! Conversions give the bytes that public tools gave.

use std::fs;
use std::path::Path;

use pack_format::check::{CheckOptions, check};
use pack_format::convert::{
    Recover, Smoothing, TeacherConvertOptions, TeacherConvertReport, convert,
};
use pack_format::pack::Contradictions;
use pack_format::stream::Input;
use pack_format::{TeacherError, TeacherFormat};
use yane_io::Job;

use super::util::{json_lines, names, path, read};

/// Converts a golden file; the report and the bytes.
fn run(
    name: &str,
    options: &TeacherConvertOptions,
) -> Result<(TeacherConvertReport, Vec<u8>), TeacherError> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let result = convert(
        &[Input::File(path(name))],
        &output,
        options,
        &Job::default(),
    );
    match result {
        Ok(report) => Ok((report, fs::read(&output).unwrap())),
        Err(error) => {
            let left = fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(left, 0, "{name}: {error}: something was left behind");
            Err(error)
        }
    }
}

fn format_of(name: &str) -> TeacherFormat {
    TeacherFormat::of_path(Path::new(name)).unwrap()
}

/// Converts a golden file and compares with another one.
fn check_pair(from: &str, to: &str) {
    let options = TeacherConvertOptions::new(format_of(from), format_of(to));
    let (report, bytes) = run(from, &options).unwrap_or_else(|error| panic!("{from}: {error}"));
    assert!(bytes == read(to), "{from} to {to}");
    assert_eq!(report.bytes_written, bytes.len() as u64);
    assert_eq!(report.bytes_read, read(from).len() as u64);
}

#[test]
fn packs_become_hcpe() {
    let selfplay = names("selfplay", ".pack");
    for name in selfplay.into_iter().chain(names("edge/good", ".pack")) {
        // The public converter writes nothing for nothing; here that is an error.
        if name.ends_with("/empty.pack") {
            let error = run(
                &name,
                &TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Hcpe),
            )
            .unwrap_err();
            assert!(
                error.to_string().contains("this is an empty file"),
                "{error}"
            );
            continue;
        }
        // The public converter does not read ply 0.
        if !name.contains("game_ply_values") {
            check_pair(&name, &name.replace(".pack", ".hcpe"));
        }
    }
}

#[test]
fn packs_become_psv_with_their_plies() {
    for name in ["declaration_n50", "normal_n2000_ply320"] {
        let psv = format!("psv_with_ply/{name}.psv");
        check_pair(&format!("selfplay/{name}.pack"), &psv);
    }
}

#[test]
fn hcpe_and_psv_become_each_other() {
    for hcpe in names("selfplay", ".hcpe") {
        let psv = hcpe.replace(".hcpe", ".psv");
        check_pair(&hcpe, &psv);
        check_pair(&psv, &hcpe);
    }
}

#[test]
fn any_order_of_hands_becomes_the_canonical_one() {
    let rook_first = "psv_with_ply/normal_n2000_ply320.order_rook_first.psv";
    check_pair(rook_first, &rook_first.replace("rook_first", "canonical"));
    let report = check(
        &Input::File(path(rook_first)),
        TeacherFormat::Psv,
        CheckOptions::default(),
        &Job::default(),
    );
    let report = report.unwrap();
    assert!(report.is_good() && report.uncanonical > 20, "{report:?}");
}

#[test]
fn scores_are_smoothed() {
    for (plies, discount) in [(3, "0.9"), (8, "0.5")] {
        let name = "startpos_n500_ply200";
        let mut options = TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Hcpe);
        options.smoothing = Some(Smoothing::new(plies, discount.parse().unwrap()).unwrap());
        let (_, bytes) = run(&format!("selfplay/{name}.pack"), &options).unwrap();
        let expected = read(&format!("smoothing/{name}.smooth{plies}_d{discount}.hcpe"));
        assert!(bytes == expected, "{plies} {discount}");
    }
}

#[test]
fn damage_is_an_error_or_leaves_the_good_part() {
    for line in json_lines("edge/expected.jsonl") {
        let name = line["file"].as_str().unwrap();
        let file = format!("edge/{name}");
        let decoded = &line["strict_decode"];
        let positions = decoded["positions"].as_u64().unwrap();
        let mut options = TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Hcpe);
        let bad = name.starts_with("bad/");
        let strict = run(&file, &options);
        let is_empty = read(&file).is_empty();
        assert_eq!(strict.is_err(), bad || is_empty, "{name}");
        if is_empty {
            continue;
        }
        if let Err(error) = strict {
            assert!(error.to_string().contains(": byte "), "{name}: {error}");
        }

        options.recover = Recover::Prefix;
        if bad && positions == 0 {
            let error = run(&file, &options).unwrap_err().to_string();
            let is_told = error.contains("nothing whole is left of it") && error.contains("byte ");
            assert!(is_told, "{name}: {error}");
            continue;
        }
        let (report, bytes) = run(&file, &options).unwrap();
        assert_eq!(decoded["complete_games"], report.games, "{name}");
        assert_eq!(
            (report.positions, bytes.len() as u64),
            (positions, positions * 38)
        );
        assert_eq!(report.damaged, u64::from(bad));
        let total = read(&file).len() as u64;
        assert_eq!(report.bytes_read + report.bytes_lost, total, "{name}");

        let input = Input::File(path(&file));
        let checked = check(
            &input,
            TeacherFormat::Pack,
            CheckOptions::default(),
            &Job::default(),
        );
        assert_eq!(checked.unwrap().is_good(), !bad, "{name}");
    }
}

#[test]
fn hcpe3_becomes_records_and_text() {
    for name in names("hcpe3", ".hcpe3") {
        for format in ["hcpe", "psv", "jsonl"] {
            check_pair(&name, &name.replace(".hcpe3", &format!(".{format}")));
        }
    }
}

#[test]
fn packs_become_json_lines() {
    for name in names("selfplay", ".pack") {
        check_pair(&name, &name.replace(".pack", ".jsonl"));
    }
}

#[test]
fn every_kind_of_file_is_checked() {
    let options = CheckOptions {
        contradictions: Contradictions::Refuse,
        unused_bytes: true,
        ..CheckOptions::default()
    };
    for name in ["hcpe3/multipv4_default", "selfplay/declaration_n50"] {
        for format in TeacherFormat::ALL {
            let file = path(&format!("{name}.{format}"));
            if file.exists() {
                let job = Job::default();
                let report = check(&Input::File(file), format, options, &job);
                let report = report.unwrap();
                assert!(report.is_good() && report.positions > 0, "{name}.{format}");
            }
        }
    }
}
