//! The bytes that other programs made of the same packs.

use crate::util::{Folder, golden, json_lines, stems};

#[test]
fn games_of_engines() {
    for stem in stems("selfplay", "pack") {
        let pack = format!("{stem}.pack");
        let folder = Folder::with(&[&format!("selfplay/{pack}")]);
        let hcpe = golden(&format!("selfplay/{stem}.hcpe"));
        // The usual name, a name, a name as an option, one thread.
        for (line, output) in [
            (pack.clone(), format!("{pack}.hcpe")),
            (format!("{pack} o1.hcpe"), "o1.hcpe".to_owned()),
            (format!("-o o2 {pack}"), "o2".to_owned()),
            (format!("--threads 1 {pack} o3"), "o3".to_owned()),
        ] {
            let run = folder.run(&line).succeeded();
            assert!(run.out.is_empty(), "{line}");
            assert!(folder.read(&output) == hcpe, "{line}");
        }
    }
}

#[test]
fn unusual_but_good_games() {
    for stem in stems("edge/good", "pack") {
        let folder = Folder::with(&[&format!("edge/good/{stem}.pack")]);
        if stem == "empty" {
            let run = folder.run(&format!("{stem}.pack -q"));
            run.failed(1, &["empty.pack: this is an empty file"]);
            continue;
        }
        folder.run(&format!("{stem}.pack -q")).silent();
        let made = folder.read(format!("{stem}.pack.hcpe"));
        // The other program breaks off at a start with ply 0.
        if stem == "game_ply_values" {
            assert_eq!(made.len(), 7 * 38);
        } else {
            assert!(made == golden(&format!("edge/good/{stem}.hcpe")), "{stem}");
        }
    }
}

#[test]
fn smoothed_scores() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.pack"]);
    let pack = "startpos_n500_ply200.pack";
    for (smoothing, discount) in [("3", "0.9"), ("8", "0.5")] {
        let line = format!("{pack} o.hcpe --smoothing {smoothing} --discount {discount}");
        folder.run(&line).succeeded();
        let name = format!("smoothing/startpos_n500_ply200.smooth{smoothing}_d{discount}.hcpe");
        assert!(folder.read("o.hcpe") == golden(&name), "{name}");
    }
    folder.run(&format!("{pack} --smoothing 1 --discount 0.5"));
    let plain = golden("selfplay/startpos_n500_ply200.hcpe");
    assert!(folder.read(format!("{pack}.hcpe")) == plain);
}

#[test]
fn several_packs() {
    let stems = stems("selfplay", "pack");
    let fixtures: Vec<_> = stems
        .iter()
        .map(|stem| format!("selfplay/{stem}.pack"))
        .collect();
    let fixtures: Vec<_> = fixtures.iter().map(String::as_str).collect();
    let folder = Folder::with(&fixtures);
    let packs: Vec<_> = stems.iter().map(|stem| format!("{stem}.pack")).collect();
    let goldens = stems
        .iter()
        .map(|stem| golden(&format!("selfplay/{stem}.hcpe")));
    let goldens: Vec<_> = goldens.collect();

    // Each to its own; two are two inputs if the second is a pack.
    for count in [packs.len(), 2] {
        folder.run(&packs[..count].join(" ")).succeeded();
        for (pack, golden) in packs[..count].iter().zip(&goldens) {
            let output = format!("{pack}.hcpe");
            assert!(folder.read(&output) == *golden, "{output}");
            std::fs::remove_file(folder.path(output)).unwrap();
        }
        assert_eq!(folder.names(), packs);
    }

    // All to one.
    let line = format!("-o all.hcpe {} --json", packs.join(" "));
    let json = folder.run(&line).succeeded().json();
    assert!(folder.read("all.hcpe") == goldens.concat());
    assert_eq!(json["ok"], true);
    assert_eq!(json["games"], 308);
    assert_eq!(json["positions"], 16124);
    assert_eq!(json["bytes_written"], 16124 * 38);
}

#[test]
fn pipes() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    let pack = golden("selfplay/short_n100_ply80.pack");
    let hcpe = golden("selfplay/short_n100_ply80.hcpe");
    for line in ["- -", "-", "-o - -"] {
        let run = folder.run_with_input(line, pack.clone()).succeeded();
        assert!(run.out == hcpe, "{line}");
    }
    let run = folder.run("short_n100_ply80.pack - --quiet").silent();
    assert!(run.out == hcpe);
    folder.run_with_input("- o.hcpe", pack).succeeded();
    assert!(folder.read("o.hcpe") == hcpe);
    // Files and the standard input, one behind the other.
    let run = folder.run_with_input(
        "-o - short_n100_ply80.pack -",
        golden("selfplay/declaration_n50.pack"),
    );
    let both = [hcpe, golden("selfplay/declaration_n50.hcpe")].concat();
    assert!(run.succeeded().out == both);
}

#[test]
fn a_summary_says_how_much_and_how_fast() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    let run = folder.run("short_n100_ply80.pack").succeeded();
    let words = "short_n100_ply80.pack -> short_n100_ply80.pack.hcpe: \
                 201 games, 8,139 positions, 39,446 -> 309,282 bytes, ";
    assert!(
        run.err.starts_with(words) && run.err.ends_with(" positions/s\n"),
        "{run:?}"
    );
    folder.run("short_n100_ply80.pack --quiet").silent();
    let json = folder
        .run("short_n100_ply80.pack --json --quiet")
        .silent()
        .json();
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    assert!(json["positions_per_second"].as_u64().unwrap() > 0);
    let one = &json["conversions"][0];
    assert_eq!(one["inputs"][0], "short_n100_ply80.pack");
    assert_eq!(one["output"], "short_n100_ply80.pack.hcpe");
    assert_eq!(one["bytes_read"], 39446);
}

#[test]
fn damage_is_told_with_its_place_and_makes_no_output() {
    let mut seen = 0;
    for expected in json_lines("edge/expected.jsonl") {
        let file = expected["file"].as_str().unwrap();
        let Some(name) = file.strip_prefix("bad/") else {
            continue;
        };
        seen += 1;
        let strict = &expected["strict_decode"];
        let games = strict["complete_games"].as_u64().unwrap();
        let positions = strict["positions"].as_u64().unwrap();
        let offset = strict["error"]["offset_of_bad_game"].as_u64().unwrap();
        let place = format!("game {} (begins at byte {offset}): ", games + 1);

        let folder = Folder::with(&[&format!("edge/{file}")]);
        let report = [&format!("{name}: byte "), place.as_str()];
        folder.run(name).failed(1, &report);
        assert_eq!(folder.names(), [name]);

        let run = folder
            .run(&format!("{name} --recover --json"))
            .failed(1, &report);
        // Nothing is made of nothing.
        let made = folder.path(format!("{name}.hcpe"));
        assert_eq!(made.exists(), positions > 0, "{name}");
        let made = std::fs::metadata(made).map_or(0, |data| data.len());
        assert_eq!(made, positions * 38, "{name}");
        let json = run.json();
        assert_eq!(json["ok"], false);
        assert_eq!(json["games"], games, "{name}");
        let len = folder.read(name).len() as u64;
        assert_eq!(json["bytes_lost"], len - offset, "{name}");
        let lost = &json["conversions"][0]["lost"][0];
        assert_eq!(lost["game"], games + 1, "{name}");
        assert_eq!(lost["lost_from"], offset, "{name}");
        assert_eq!(lost["lost_to"], len, "{name}");
    }
    assert_eq!(seen, stems("edge/bad", "pack").len() - 1);
}

#[test]
fn the_byte_is_that_of_the_fault() {
    for (name, byte) in [
        ("illegal_move_in_middle_game", 17),
        ("drop_without_piece_in_hand", 13),
        ("truncated_in_eval", 49),
        ("truncated_before_reason", 61),
        ("terminator_result_3", 17),
        ("bad_start_kind_255", 12),
        ("real_gensfen_with_illegal_engine", 169),
    ] {
        let folder = Folder::with(&[&format!("edge/bad/{name}.pack")]);
        let words = format!("{name}.pack: byte {byte}: ");
        folder.run(&format!("{name}.pack")).failed(1, &[&words]);
    }
}

#[test]
fn an_old_output_stays() {
    let folder = Folder::with(&["edge/bad/illegal_move_in_middle_game.pack"]);
    folder.write("out.hcpe", "old");
    let run = folder.run("illegal_move_in_middle_game.pack out.hcpe");
    run.failed(1, &["out.hcpe was not written", "--recover"]);
    assert_eq!(folder.read("out.hcpe"), b"old");
}

#[test]
fn good_games_behind_damage_are_found_when_asked_for() {
    let folder = Folder::new();
    let good = golden("selfplay/normal_n2000_ply320.pack");
    let invalid = golden("edge/bad/illegal_move_in_middle_game.pack");
    folder.write("x.pack", [&good, &invalid[12..24], &good[..]].concat());
    let hcpe = golden("selfplay/normal_n2000_ply320.hcpe");

    let place = format!("(begins at byte {})", good.len());
    folder
        .run("x.pack --recover")
        .failed(1, &[&place, "lost: bytes 30770 to 61552"]);
    assert!(folder.read("x.pack.hcpe") == hcpe);
    let json = folder
        .run("x.pack --resync --json")
        .failed(1, &[&place])
        .json();
    assert!(folder.read("x.pack.hcpe") == hcpe.repeat(2));
    assert_eq!(json["damaged"], 1);
    assert_eq!(json["bytes_lost"], 12);
}

#[test]
fn one_damaged_pack_keeps_no_other_from_being_converted() {
    let folder = Folder::with(&[
        "edge/good/one_game_resign.pack",
        "edge/bad/truncated_in_hcp.pack",
        "edge/good/high_drop_codes.pack",
    ]);
    let line = "one_game_resign.pack truncated_in_hcp.pack absent.pack high_drop_codes.pack --json";
    let run = folder.run(line).failed(
        1,
        &["truncated_in_hcp.pack: byte 13", "absent.pack: No such"],
    );
    let conversions = run.json()["conversions"].as_array().unwrap().len();
    assert_eq!(conversions, 4);
    for stem in ["one_game_resign", "high_drop_codes"] {
        let made = folder.read(format!("{stem}.pack.hcpe"));
        assert!(made == golden(&format!("edge/good/{stem}.hcpe")));
    }
    assert!(!folder.path("truncated_in_hcp.pack.hcpe").exists());
}

#[test]
fn contradictions_are_a_warning_or_an_error() {
    let folder = Folder::new();
    // A draw by resignation.
    let mut pack = golden("edge/good/one_game_resign.pack");
    let end = pack.len() - 3;
    pack[end..].copy_from_slice(&[0, 0, 0]);
    folder.write("x.pack", &pack);
    let run = folder.run("x.pack");
    let run = run.failed(0, &["warning: x.pack: 1 game whose end reason cannot go"]);
    assert_eq!(run.err.lines().count(), 2, "{run:?}");
    assert_eq!(folder.read("x.pack.hcpe").len(), 2 * 38);
    let json = folder.run("x.pack --json").succeeded().json();
    assert_eq!(json["contradictions"], 1);

    std::fs::remove_file(folder.path("x.pack.hcpe")).unwrap();
    let reason = format!("x.pack: byte {}: game 1", end + 2);
    folder
        .run("x.pack --strict-reasons")
        .failed(1, &[&reason, "resign"]);
    assert_eq!(folder.names(), ["x.pack"]);
}
