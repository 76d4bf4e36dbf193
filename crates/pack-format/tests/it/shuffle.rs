//! Shuffling files.

use std::fs;
use std::path::{Path, PathBuf};

use pack_format::pack::{frame, games};
use pack_format::shuffle::{ShuffleOptions, shuffle};
use pack_format::stream::Input;
use pack_format::{DataPlace, TeacherError, TeacherFormat};
use yane_io::{Job, Overwrite};

fn fixture(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

fn seeded(format: TeacherFormat, seed: u64) -> ShuffleOptions {
    ShuffleOptions {
        seed,
        ..ShuffleOptions::new(format)
    }
}

/// The shuffled files.
fn shuffled(names: &[PathBuf], options: &ShuffleOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let inputs: Vec<_> = names.iter().map(Input::named).collect();
    let report = shuffle(&inputs, &output, options, &Job::default()).unwrap();
    let bytes = fs::read(&output).unwrap();
    let header = options.format == TeacherFormat::Csv;
    assert!(header || report.bytes == bytes.len() as u64);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    bytes
}

fn sorted_records(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    let mut records: Vec<_> = bytes.chunks(len).collect();
    records.sort_unstable();
    records
}

#[test]
fn records_of_all_files_are_there_in_an_order_of_the_seed() {
    for (format, len) in [(TeacherFormat::Psv, 40), (TeacherFormat::Hcpe, 38)] {
        let names = ["short_n100_ply80", "normal_n2000_ply320"]
            .map(|name| fixture(&format!("selfplay/{name}.{format}")));
        let all = [fs::read(&names[0]).unwrap(), fs::read(&names[1]).unwrap()].concat();
        let one = shuffled(&names, &seeded(format, 1));
        assert!(one == shuffled(&names, &seeded(format, 1)));
        let two = shuffled(&names, &seeded(format, 2));
        assert!(one != two && one != all);
        for order in [&one, &two] {
            assert!(sorted_records(order, len) == sorted_records(&all, len));
        }
        // Records that were neighbours are so no longer, up to chance.
        let neighbours: std::collections::HashSet<&[u8]> =
            all.windows(2 * len).step_by(len).collect();
        let kept = one
            .windows(2 * len)
            .step_by(len)
            .filter(|pair| neighbours.contains(pair));
        let kept = kept.count();
        assert!(kept < 40, "{kept}");
    }
}

/// The result for a seed never changes: whoever noted a seed can have the order again.
#[test]
fn the_order_of_a_seed_is_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    let letters: Vec<u8> = (b'a'..=b'z').flat_map(|letter| [letter, b'\n']).collect();
    fs::write(&input, letters).unwrap();
    let order = shuffled(&[input], &seeded(TeacherFormat::Jsonl, 42));
    let order: String = String::from_utf8(order).unwrap().lines().collect();
    assert_eq!(order, "qmvdhatjernfsxpbouwlkygzic");
}

#[test]
fn games_stay_whole() {
    for name in ["short_n100_ply80", "normal_n2000_ply320"] {
        let name = fixture(&format!("selfplay/{name}.pack"));
        let before = fs::read(&name).unwrap();
        let after = shuffled(&[name], &seeded(TeacherFormat::Pack, 7));
        assert!(before != after && before.len() == after.len());
        assert!(games(&after).all(|game| game.is_ok()));
        assert!(sorted_games(&before) == sorted_games(&after));
    }
}

fn sorted_games(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut games = Vec::new();
    while let Ok(frame) = frame(bytes) {
        games.push(&bytes[..frame.len]);
        bytes = &bytes[frame.len..];
    }
    games.sort_unstable();
    games
}

#[test]
fn hcpe3_games_stay_whole() {
    let name = fixture("hcpe3/multipv4_default.hcpe3");
    let before = fs::read(&name).unwrap();
    let after = shuffled(&[name], &seeded(TeacherFormat::Hcpe3, 7));
    assert!(before != after && before.len() == after.len());
    let count = pack_format::hcpe3::games(&before).count();
    assert_eq!(pack_format::hcpe3::games(&after).flatten().count(), count);
}

#[test]
fn lines_keep_their_header_and_get_their_ends() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
    fs::write(&names[0], "sfen,score\r\n1,1\r\n2,2\r\n3,3").unwrap();
    fs::write(&names[1], "sfen,score\n4,4\n5,5\n").unwrap();
    let text = String::from_utf8(shuffled(&names, &seeded(TeacherFormat::Csv, 3))).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.remove(0), "sfen,score");
    lines.sort_unstable();
    assert_eq!(lines, ["1,1", "2,2", "3,3", "4,4", "5,5"]);

    fs::write(&names[1], "score,sfen\n4,4\n").unwrap();
    let error = failure(&names, &folder.path().join("out"), TeacherFormat::Csv);
    assert!(error.to_string().contains("b.csv: byte 0: "), "{error}");
}

fn failure(names: &[PathBuf], output: &Path, format: TeacherFormat) -> TeacherError {
    let inputs: Vec<_> = names.iter().map(Input::named).collect();
    shuffle(&inputs, output, &seeded(format, 0), &Job::default()).unwrap_err()
}

#[test]
fn a_file_that_ends_inside_a_unit_is_an_error_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("selfplay/short_n100_ply80.psv", TeacherFormat::Psv, 40),
        ("selfplay/short_n100_ply80.hcpe", TeacherFormat::Hcpe, 38),
        ("selfplay/short_n100_ply80.pack", TeacherFormat::Pack, 1),
        ("hcpe3/multipv4_default.hcpe3", TeacherFormat::Hcpe3, 1),
    ];
    for (name, format, len) in cases {
        let whole = fs::read(fixture(name)).unwrap();
        let cut = folder.path().join("cut");
        fs::write(&cut, &whole[..whole.len() - 1]).unwrap();
        let output = folder.path().join("out");
        let error = failure(&[cut.clone(), fixture(name)], &output, format);
        let TeacherError::Invalid { path, invalid } = error else {
            panic!("{error}")
        };
        assert_eq!(path, cut);
        let begins = invalid.begins_at().unwrap();
        assert!((begins as usize) < whole.len() && begins.is_multiple_of(len as u64));
        let text = invalid.to_string();
        let truncated = match invalid.place {
            DataPlace::Record { record, .. } => {
                assert_eq!(record, (whole.len() / len) as u64);
                assert_eq!(begins as usize, whole.len() - len);
                text.contains("the file ends in a record")
            }
            DataPlace::Game { game, .. } => {
                (format == TeacherFormat::Hcpe3 || game == 201) && text.contains("the file ends")
            }
            _ => false,
        };
        assert!(truncated, "{format}");
        assert!(!output.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_file(cut).unwrap();
    }
}

#[test]
fn inputs_are_not_overwritten_unless_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("a.psv");
    let before = fs::read(fixture("selfplay/short_n100_ply80.psv")).unwrap();
    fs::write(&name, &before).unwrap();
    failure(std::slice::from_ref(&name), &name, TeacherFormat::Psv);
    assert!(fs::read(&name).unwrap() == before);
    failure(&[], &folder.path().join("out"), TeacherFormat::Psv);

    let options = ShuffleOptions {
        overwrite: Overwrite::Allow,
        ..seeded(TeacherFormat::Psv, 1)
    };
    shuffle(&[Input::named(&name)], &name, &options, &Job::default()).unwrap();
    let after = fs::read(&name).unwrap();
    assert!(after != before && sorted_records(&after, 40) == sorted_records(&before, 40));
}

#[test]
fn nothing_is_made_of_nothing_and_a_cancelled_job_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.psv");
    fs::write(&empty, []).unwrap();
    let output = folder.path().join("out");
    for format in TeacherFormat::ALL {
        let inputs = [Input::named(&empty)];
        let error = shuffle(&inputs, &output, &seeded(format, 0), &Job::default()).unwrap_err();
        assert!(
            error.to_string().contains("this is an empty file"),
            "{error}"
        );
        assert!(!output.exists());
    }
    let job = Job::default();
    job.cancel();
    let input = Input::named(fixture("selfplay/short_n100_ply80.psv"));
    let error = shuffle(&[input], &output, &seeded(TeacherFormat::Psv, 0), &job).unwrap_err();
    assert!(matches!(
        error,
        TeacherError::File(yane_io::Error::Cancelled)
    ));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
