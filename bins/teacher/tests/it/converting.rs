//! `convert`.

use crate::util::{Folder, golden, stems};

#[test]
fn packs_become_records() {
    for stem in stems("selfplay", "pack") {
        let folder = Folder::with(&[&format!("selfplay/{stem}.pack")]);
        let run = folder.run(&format!("convert {stem}.pack --to hcpe"));
        assert!(run.succeeded().out.is_empty());
        let made = folder.read(format!("{stem}.pack.hcpe"));
        assert!(made == golden(&format!("selfplay/{stem}.hcpe")), "{stem}");
    }
    for stem in ["normal_n2000_ply320", "declaration_n50"] {
        let folder = Folder::with(&[&format!("selfplay/{stem}.pack")]);
        folder
            .run(&format!("convert {stem}.pack -o {stem}.psv"))
            .succeeded();
        let made = folder.read(format!("{stem}.psv"));
        assert!(
            made == golden(&format!("psv_with_ply/{stem}.psv")),
            "{stem}"
        );
    }
}

#[test]
fn records_become_each_other() {
    for stem in stems("selfplay", "psv") {
        let (hcpe, psv) = (format!("{stem}.hcpe"), format!("{stem}.psv"));
        let folder = Folder::with(&[&format!("selfplay/{hcpe}"), &format!("selfplay/{psv}")]);
        folder.run(&format!("convert {hcpe} --to psv")).succeeded();
        assert!(
            folder.read(format!("{hcpe}.psv")) == folder.read(&psv),
            "{stem}"
        );
        folder.run(&format!("convert {psv} --to hcpe")).succeeded();
        assert!(
            folder.read(format!("{psv}.hcpe")) == folder.read(&hcpe),
            "{stem}"
        );
        // Names that do not say the format.
        let line = "convert - --from psv -o - --to hcpe --quiet";
        let run = folder.run_with_input(line, folder.read(&psv)).silent();
        assert!(run.out == folder.read(&hcpe), "{stem}");
    }
}

#[test]
fn several_files_each_to_its_own_or_all_to_one() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.pack",
        "selfplay/startpos_n500_ply200.psv",
    ]);
    let json = folder
        .run("convert declaration_n50.pack startpos_n500_ply200.psv --to hcpe --json")
        .succeeded()
        .json();
    assert_eq!(json["positions"], 23 + 798);
    let first = folder.read("declaration_n50.pack.hcpe");
    let second = folder.read("startpos_n500_ply200.psv.hcpe");
    assert!(first == golden("selfplay/declaration_n50.hcpe"));
    assert!(second == golden("selfplay/startpos_n500_ply200.hcpe"));
    folder
        .run("convert -o all.hcpe declaration_n50.pack.hcpe startpos_n500_ply200.psv.hcpe")
        .succeeded();
    assert!(folder.read("all.hcpe") == [first, second].concat());
    folder
        .run("convert -o all.hcpe declaration_n50.pack startpos_n500_ply200.psv")
        .failed(2, &["one format"]);
}

#[test]
fn scores_can_be_smoothed() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.pack"]);
    folder
        .run("convert startpos_n500_ply200.pack -o o.hcpe --smoothing 8 --discount 0.5")
        .succeeded();
    assert!(folder.read("o.hcpe") == golden("smoothing/startpos_n500_ply200.smooth8_d0.5.hcpe"));
}

#[test]
fn damaged_records_are_left_out_when_asked_for() {
    let folder = Folder::new();
    let mut psv = golden("selfplay/declaration_n50.psv");
    psv[40 * 3 + 34] = 0xff;
    folder.write("x.psv", &psv);
    let place = "x.psv: byte 154: record 4 (begins at byte 120)";
    folder
        .run("convert x.psv --to hcpe")
        .failed(1, &[place, "x.psv.hcpe was not written"]);
    let run = folder.run("convert x.psv --to hcpe --recover");
    run.failed(
        1,
        &[
            place,
            "lost: bytes 120 to 160",
            "1 damaged place, 40 bytes lost",
        ],
    );
    let mut golden = golden("selfplay/declaration_n50.hcpe");
    golden.drain(38 * 3..38 * 4);
    assert!(folder.read("x.psv.hcpe") == golden);
}

#[test]
fn candidates_are_dropped_for_records() {
    for stem in stems("hcpe3", "hcpe3") {
        let folder = Folder::with(&[&format!("hcpe3/{stem}.hcpe3")]);
        for to in ["hcpe", "psv"] {
            folder
                .run(&format!("convert {stem}.hcpe3 --to {to}"))
                .succeeded();
            let made = folder.read(format!("{stem}.hcpe3.{to}"));
            assert!(made == golden(&format!("hcpe3/{stem}.{to}")), "{stem} {to}");
        }
    }
}

#[test]
fn text_and_back_is_the_same() {
    for (name, to) in [
        ("selfplay/short_n100_ply80.pack", "jsonl"),
        ("selfplay/declaration_n50.pack", "jsonl"),
        ("selfplay/short_n100_ply80.pack", "csv"),
        ("selfplay/declaration_n50.hcpe", "jsonl"),
        ("selfplay/declaration_n50.psv", "csv"),
        ("psv_with_ply/declaration_n50.psv", "jsonl"),
        ("hcpe3/multipv4_default.hcpe3", "jsonl"),
    ] {
        let folder = Folder::with(&[name]);
        let (_, file) = name.split_once('/').unwrap();
        let (_, from) = file.split_once('.').unwrap();
        folder.run(&format!("convert {file} --to {to}")).succeeded();
        let line = format!("convert {file}.{to} -o again.{from}");
        folder.run(&line).succeeded();
        assert!(
            folder.read(format!("again.{from}")) == golden(name),
            "{name} {to}"
        );
    }
}

#[test]
fn bad_lines_are_told_with_their_number() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    folder
        .run("convert declaration_n50.pack -o x.jsonl")
        .succeeded();
    let text = String::from_utf8(folder.read("x.jsonl")).unwrap();
    let bad: Vec<_> = text
        .lines()
        .enumerate()
        .map(|(index, line)| match index {
            2 => &line[..line.len() / 2],
            _ => line,
        })
        .collect();
    folder.write("x.jsonl", bad.join("\n"));
    folder
        .run("convert x.jsonl --to pack")
        .failed(1, &["x.jsonl: line 3: "]);
    assert!(!folder.path("x.jsonl.pack").exists());
    let run = folder.run("convert x.jsonl --to pack --recover --json");
    let json = run.failed(1, &["x.jsonl: line 3: "]).json();
    assert_eq!(json["games"], 39);
    assert_eq!(json["conversions"][0]["lost"][0]["line"], 3);
    let json = folder.run("check x.jsonl --json").failed(1, &[]).json();
    assert_eq!(json["files"][0]["faults"][0]["line"], 3);
}
