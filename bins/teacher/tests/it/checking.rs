//! `check` and `repair`.

use crate::util::{Folder, golden, json_lines, stems};

#[test]
fn good_files_are_good() {
    for (folder, extension) in [
        ("selfplay", "pack"),
        ("selfplay", "hcpe"),
        ("selfplay", "psv"),
        ("psv_with_ply", "psv"),
        ("hcpe3", "hcpe3"),
        ("edge/good", "pack"),
        ("edge/good", "hcpe"),
    ] {
        for stem in stems(folder, extension) {
            let name = format!("{stem}.{extension}");
            let folder = Folder::with(&[&format!("{folder}/{name}")]);
            // The public converter makes empty files of some packs; see `trials` for what is said of them.
            if folder.read(&name).is_empty() {
                continue;
            }
            let run = folder.run(&format!("check {name}")).silent();
            assert!(
                run.text().starts_with(&format!("{name}: good; ")),
                "{run:?}"
            );
        }
    }
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    let run = folder.run("check short_n100_ply80.pack").silent();
    assert_eq!(
        run.text(),
        "short_n100_ply80.pack: good; 201 games, 8,139 positions in order\n"
    );
}

#[test]
fn bad_files_are_told_with_places() {
    for expected in json_lines("edge/expected.jsonl") {
        let file = expected["file"].as_str().unwrap();
        let Some(name) = file.strip_prefix("bad/") else {
            continue;
        };
        let strict = &expected["strict_decode"];
        let games = strict["complete_games"].as_u64().unwrap();
        let offset = &strict["error"]["offset_of_bad_game"];
        let folder = Folder::with(&[&format!("edge/{file}")]);
        let run = folder.run(&format!("check {name}")).failed(1, &[]);
        assert_eq!(run.err, "");
        let start = format!("{name}: byte ");
        let place = format!(": game {} (begins at byte {offset}): ", games + 1);
        let first = run.text().lines().next().unwrap();
        assert!(
            first.starts_with(&start) && first.contains(&place),
            "{run:?}"
        );

        let json = folder
            .run(&format!("check --json {name}"))
            .failed(1, &[])
            .json();
        assert_eq!(json["good"], false);
        let checked = &json["files"][0];
        assert_eq!(checked["file"], name);
        assert_eq!(checked["format"], "pack");
        assert_eq!(checked["faults"][0]["begins_at"], *offset, "{name}");
        assert!(
            checked["faults"][0]["byte"].as_u64() >= offset.as_u64(),
            "{name}"
        );
    }
}

#[test]
fn only_so_many_faults_are_listed() {
    let folder = Folder::new();
    let mut hcpe = golden("selfplay/declaration_n50.hcpe");
    for record in [2, 5, 7] {
        hcpe[record * 38 + 36] = 9;
    }
    folder.write("x.hcpe", &hcpe);
    let run = folder.run("check x.hcpe --max 2").failed(1, &[]);
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 4, "{run:?}");
    assert!(lines[0].starts_with("x.hcpe: byte 112: record 3 (begins at byte 76): "));
    assert_eq!(lines[2], "x.hcpe: 1 more");
    assert_eq!(lines[3], "x.hcpe: 3 damaged places; 20 positions in order");
    let json = folder
        .run("check x.hcpe --max 1 --json")
        .failed(1, &[])
        .json();
    assert_eq!(json["files"][0]["damaged"], 3);
    assert_eq!(json["files"][0]["faults"].as_array().unwrap().len(), 1);
}

#[test]
fn unusual_spelling_is_no_damage() {
    let name = "normal_n2000_ply320.order_rook_first.psv";
    let folder = Folder::with(&[&format!("psv_with_ply/{name}")]);
    let run = folder.run(&format!("check {name}")).silent();
    assert!(
        run.text()
            .contains("not in canonical order of the pieces in hand"),
        "{run:?}"
    );
}

#[test]
fn many_files_and_pipes() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.pack",
        "selfplay/declaration_n50.psv",
    ]);
    let line = "check declaration_n50.pack declaration_n50.psv";
    assert_eq!(folder.run(line).silent().text().lines().count(), 2);
    let run = folder
        .run(&format!("{line} absent.pack"))
        .failed(1, &["absent.pack: "]);
    assert_eq!(run.text().lines().count(), 2);
    let pack = folder.read("declaration_n50.pack");
    let run = folder.run_with_input("check --from pack -", pack[..1611].to_vec());
    let run = run.failed(1, &[]);
    assert!(
        run.text()
            .starts_with("standard input: byte 1611: game 40 "),
        "{run:?}"
    );
}

#[test]
fn contradictions_are_counted_or_faults() {
    let folder = Folder::new();
    let mut pack = golden("edge/good/one_game_resign.pack");
    let end = pack.len() - 3;
    pack[end..].copy_from_slice(&[0, 0, 0]);
    folder.write("x.pack", &pack);
    let run = folder.run("check x.pack").silent();
    assert!(
        run.text().contains("1 game whose end reason cannot go"),
        "{run:?}"
    );
    let run = folder.run("check x.pack --strict-reasons").failed(1, &[]);
    assert!(run.text().contains("resign"), "{run:?}");
}

#[test]
fn what_is_good_of_a_damaged_pack_is_kept() {
    let folder = Folder::new();
    let good = golden("selfplay/normal_n2000_ply320.pack");
    let damage = golden("edge/bad/illegal_move_in_middle_game.pack");
    folder.write("x.pack", [&good, &damage[12..24], &good[..]].concat());
    let place = "x.pack: byte 30775: game 62 (begins at byte 30770): ";
    let run = folder.run("repair x.pack good.pack");
    run.failed(
        1,
        &[
            place,
            "lost: bytes 30770 to 30782 (12)",
            "1 damaged place, 12 bytes lost",
        ],
    );
    assert!(folder.read("good.pack") == good.repeat(2));
    folder
        .run("repair x.pack good.pack --prefix")
        .failed(1, &[place]);
    assert!(folder.read("good.pack") == good);
    folder.run("repair good.pack again.pack").succeeded();
    assert!(folder.read("again.pack") == good);
    let run = folder.run("repair x.pack - --quiet").failed(1, &[place]);
    assert!(run.out == good.repeat(2));
    let json = folder
        .run("repair x.pack x.pack --force --json")
        .failed(1, &[])
        .json();
    assert_eq!(json["bytes_lost"], 12);
    assert!(folder.read("x.pack") == good.repeat(2));
}

#[test]
fn repaired_files_are_good() {
    for stem in stems("edge/bad", "pack") {
        let folder = Folder::with(&[&format!("edge/bad/{stem}.pack")]);
        folder
            .run(&format!("repair {stem}.pack good.pack"))
            .failed(1, &["lost: bytes "]);
        folder.run("check good.pack").silent();
    }
}

#[test]
fn repaired_records_are_canonical() {
    let folder = Folder::with(&["psv_with_ply/normal_n2000_ply320.order_rook_first.psv"]);
    folder
        .run("repair normal_n2000_ply320.order_rook_first.psv good.psv")
        .succeeded();
    let canonical = golden("psv_with_ply/normal_n2000_ply320.order_canonical.psv");
    assert!(folder.read("good.psv") == canonical);
}
