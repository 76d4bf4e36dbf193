//! `check`, `repair`, `stats`, `head`, `sample`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

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
    let invalid = golden("edge/bad/illegal_move_in_middle_game.pack");
    folder.write("x.pack", [&good, &invalid[12..24], &good[..]].concat());
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

#[test]
fn stats_count_what_is_there() {
    let folder = Folder::with(&["selfplay/normal_n2000_ply320.pack"]);
    let stats = folder
        .run("stats normal_n2000_ply320.pack --json")
        .silent()
        .json();
    let games = json_lines("selfplay/normal_n2000_ply320.jsonl");
    assert_eq!(stats["format"], "pack");
    assert_eq!(stats["files"][0]["games"], 61);
    assert_eq!(stats["positions"]["count"], 7164);
    for (name, result) in [("draw", 0), ("black", 1), ("white", 2)] {
        let plies: u64 = games
            .iter()
            .filter(|game| game["result"] == result)
            .map(|game| game["plies"].as_u64().unwrap())
            .sum();
        assert_eq!(stats["positions"]["results"][name], plies, "{name}");
    }
    let text = folder.run("stats normal_n2000_ply320.pack").silent();
    for words in ["61 games", "7,164 positions", "end reasons", "0 resign"] {
        assert!(text.text().contains(words), "{words}: {text:?}");
    }
}

#[test]
fn stats_of_several_files_and_pipes() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.psv",
        "selfplay/startpos_n500_ply200.psv",
        "selfplay/declaration_n50.pack",
    ]);
    let (first, second) = ("declaration_n50.psv", "startpos_n500_ply200.psv");
    let line = format!("stats --json {first} {second}");
    let stats = folder.run(&line).silent().json();
    assert_eq!(stats["positions"]["count"], 23 + 798);
    let bytes = folder.read(second);
    let line = format!("stats --json --from psv {first} -");
    let piped = folder.run_with_input(&line, bytes).silent().json();
    assert_eq!(piped["positions"], stats["positions"]);
    let line = format!("stats {first} declaration_n50.pack");
    folder
        .run(&line)
        .failed(2, &["one format, found psv and pack"]);
}

#[test]
fn stats_as_a_page() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    let run = folder.run("stats declaration_n50.pack --html page.html");
    assert!(run.silent().text().contains("40 games"));
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    let run = folder.run("stats declaration_n50.pack --html -").silent();
    assert_eq!(run.text(), page);
    folder
        .run("stats declaration_n50.pack --html ./declaration_n50.pack")
        .failed(1, &["declaration_n50.pack is an input"]);
    folder
        .run("stats declaration_n50.pack --html - --json")
        .failed(2, &["--json"]);
}

#[test]
fn stats_as_a_picture() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    let run = folder.run("stats declaration_n50.pack --svg plots.svg");
    assert!(run.silent().text().contains("40 games"));
    let picture = String::from_utf8(folder.read("plots.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
    let run = folder.run("stats declaration_n50.pack --svg -").silent();
    assert_eq!(run.text(), picture);
    folder
        .run("stats declaration_n50.pack --svg ./declaration_n50.pack")
        .failed(1, &["declaration_n50.pack"]);
    folder
        .run("stats declaration_n50.pack --svg x --html x")
        .failed(2, &["--html and --svg both want x"]);
}

#[test]
fn damage_stops_stats_or_is_counted() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.psv",
        "edge/bad/truncated_in_hcp.pack",
    ]);
    let mut psv = folder.read("declaration_n50.psv");
    psv[40 * 3 + 34] = 0xff;
    folder.write("x.psv", &psv);
    let place = "x.psv: byte 154: record 4";
    let run = folder
        .run("stats x.psv --html page.html")
        .failed(1, &[place]);
    assert!(run.out.is_empty() && !folder.path("page.html").exists());
    let stats = folder.run("stats x.psv --skip-bad --json").silent().json();
    assert_eq!(stats["positions"]["count"], 22);
    assert_eq!(stats["skipped"]["count"], 1);
    let line = "stats truncated_in_hcp.pack --skip-bad";
    folder.run(line).failed(2, &["repair"]);
}

/// The value of a line without what a list of records cannot know.
fn plain(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("bytes");
    }
    value
}

#[test]
fn the_first_games_are_those_of_the_file() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.pack"]);
    let run = folder
        .run("head startpos_n500_ply200.pack -n 3 --json")
        .silent();
    let lines: Vec<Value> = run
        .text()
        .lines()
        .map(|line| plain(serde_json::from_str(line).unwrap()))
        .collect();
    let golden = json_lines("selfplay/startpos_n500_ply200.jsonl");
    let golden: Vec<_> = golden.into_iter().take(3).map(plain).collect();
    assert_eq!(json!(lines), json!(golden));
    // All of them when there are not that many.
    let run = folder.run("head startpos_n500_ply200.pack").silent();
    let games = run.text().lines().filter(|line| line.starts_with("game "));
    assert_eq!(games.count(), 6);
}

#[test]
fn positions_are_lines_with_boards_if_asked_for() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.hcpe"]);
    let run = folder.run("head startpos_n500_ply200.hcpe -n 3").silent();
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    assert!(lines[0].contains("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"));
    let run = folder
        .run("head startpos_n500_ply200.hcpe -n 1 --board")
        .silent();
    assert!(
        run.text().contains("| 香 桂 銀 金 玉 金 銀 桂 香|九"),
        "{run:?}"
    );
    let run = folder.run("head -n 1 startpos_n500_ply200.hcpe startpos_n500_ply200.hcpe");
    let names = run
        .text()
        .lines()
        .filter(|line| *line == "startpos_n500_ply200.hcpe:");
    assert_eq!(names.count(), 2, "{run:?}");
}

#[test]
fn samples_are_repeatable_and_different() {
    for file in [
        "selfplay/short_n100_ply80.psv",
        "selfplay/short_n100_ply80.pack",
    ] {
        let folder = Folder::with(&[file]);
        let (_, name) = file.split_once('/').unwrap();
        let sample = |seed: u64| {
            let line = format!("sample {name} -n 7 --seed {seed} --json");
            let run = folder.run(&line).silent();
            let lines: BTreeSet<_> = run.text().lines().map(str::to_owned).collect();
            assert_eq!(lines.len(), 7, "{run:?}");
            lines
        };
        assert_eq!(sample(1), sample(1));
        assert_ne!(sample(1), sample(2));
        let all = folder
            .run(&format!("head {name} -n 100000 --json"))
            .silent();
        let all: BTreeSet<_> = all.text().lines().map(str::to_owned).collect();
        assert!(sample(1).is_subset(&all));
    }
}

#[test]
fn damage_is_told_after_what_is_before() {
    let folder = Folder::with(&["edge/bad/illegal_move_in_middle_game.pack"]);
    let name = "illegal_move_in_middle_game.pack";
    let run = folder
        .run(&format!("head {name}"))
        .failed(1, &["byte 17: game 2"]);
    assert_eq!(
        run.text()
            .lines()
            .filter(|line| line.starts_with("game "))
            .count(),
        1
    );
    folder.run(&format!("head {name} -n 1")).silent();
}
