//! The bytes that other programs made of the same packs.

use crate::util::{Folder, golden, stems};

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
