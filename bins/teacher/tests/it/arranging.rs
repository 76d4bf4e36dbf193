//! `shuffle`, `dedup`, `split`, `concat`, `filter`.

use std::collections::BTreeSet;

use crate::util::{Folder, golden, json_lines};

/// The records of a psv file, sorted.
fn records(psv: &[u8]) -> Vec<&[u8]> {
    let mut records: Vec<_> = psv.chunks(40).collect();
    records.sort_unstable();
    records
}

#[test]
fn shuffling_keeps_everything_and_repeats() {
    let folder = Folder::with(&[
        "selfplay/short_n100_ply80.psv",
        "selfplay/declaration_n50.psv",
    ]);
    let files = "short_n100_ply80.psv declaration_n50.psv";
    let all = [
        folder.read("short_n100_ply80.psv"),
        folder.read("declaration_n50.psv"),
    ]
    .concat();
    let shuffle = |options: &str| {
        let run = folder
            .run(&format!("shuffle {files} -o out.psv --force {options}"))
            .succeeded();
        let told = "2 files -> out.psv: 8,162 records, 326,480 bytes";
        assert!(run.err.starts_with(told), "{run:?}");
        folder.read("out.psv")
    };
    let first = shuffle("--seed 1");
    assert!(first != all && records(&first) == records(&all));
    // Memory and threads change nothing but the seed does.
    assert!(shuffle("--seed 1 --memory 64K --threads 1 --temp-dir .") == first);
    assert!(shuffle("--seed 2") != first);
    assert_eq!(folder.names().len(), 3);
    let json = folder
        .run("shuffle out.psv -o out.psv --force --json")
        .silent()
        .json();
    assert_eq!(json["units"], 8162);
    assert_eq!(json["inputs"][0], "out.psv");
    let out = folder.read("out.psv");
    assert!(records(&out) == records(&all));
}

#[test]
fn games_are_shuffled_whole() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    folder
        .run("shuffle short_n100_ply80.pack -o out.pack --seed 3")
        .succeeded();
    let run = folder.run("check out.pack").silent();
    assert!(
        run.text().contains("good; 201 games, 8,139 positions"),
        "{run:?}"
    );
    assert!(folder.read("out.pack") != folder.read("short_n100_ply80.pack"));
}

#[test]
fn pipes_can_be_shuffled() {
    let folder = Folder::new();
    let psv = golden("selfplay/declaration_n50.psv");
    folder
        .run_with_input("shuffle - -o out.psv", psv.clone())
        .succeeded();
    let line = "shuffle - --from psv -o - --seed 5 --quiet";
    let run = folder.run_with_input(line, psv.clone()).silent();
    assert!(run.out != psv && records(&run.out) == records(&psv));
    assert!(records(&folder.read("out.psv")) == records(&psv));
    folder.run("shuffle - -o -").failed(2, &["--from"]);
}

#[test]
fn duplicates_are_left_out() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.psv"]);
    let psv = folder.read("short_n100_ply80.psv");
    let positions: BTreeSet<_> = psv.chunks(40).map(|record| &record[..32]).collect();
    let mut seen = BTreeSet::new();
    let firsts: Vec<_> = psv
        .chunks(40)
        .filter(|record| seen.insert(&record[..32]))
        .collect();
    let line = "dedup short_n100_ply80.psv short_n100_ply80.psv -o out.psv --force";
    let run = folder.run(line).succeeded();
    assert!(folder.read("out.psv") == firsts.concat());
    let dropped = 2 * 8139 - positions.len();
    assert!(
        dropped > 8139 && run.err.contains("16,278 records kept"),
        "{run:?}"
    );

    let json = folder
        .run(&format!("{line} --keep last --json"))
        .silent()
        .json();
    assert_eq!(json["records"], 2 * 8139);
    assert_eq!(json["kept"], positions.len());
    assert_eq!(json["dropped"], dropped);
    assert!(folder.read("out.psv") != firsts.concat());
    folder
        .run("dedup out.psv -o out.psv --force --memory 64K")
        .succeeded();

    let moves: BTreeSet<_> = psv
        .chunks(40)
        .map(|record| [&record[..32], &record[34..36]].concat())
        .collect();
    let whole: BTreeSet<_> = psv.chunks(40).collect();
    for (by, count) in [
        ("position", positions.len()),
        ("move", moves.len()),
        ("record", whole.len()),
    ] {
        let json = folder
            .run(&format!("{line} --by {by} --json"))
            .silent()
            .json();
        assert_eq!(json["kept"], count, "{by}");
    }
    assert!(positions.len() < moves.len() && moves.len() < whole.len());
}

#[test]
fn games_that_are_there_twice_are_left_out() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    let pack = "declaration_n50.pack";
    folder
        .run(&format!("dedup {pack} {pack} -o out.pack"))
        .succeeded();
    folder
        .run(&format!("dedup {pack} -o single.pack"))
        .succeeded();
    assert!(folder.read("out.pack") == folder.read("single.pack"));
    let line = format!("dedup {pack} -o other.pack --by position");
    folder.run(&line).failed(2, &["position"]);
}

#[test]
fn parts_are_the_whole() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.psv"]);
    let psv = folder.read("short_n100_ply80.psv");
    let parts = |how: &str, count: usize| -> Vec<Vec<u8>> {
        let line = format!("split short_n100_ply80.psv -o p.psv {how}");
        let run = folder.run(&line).succeeded();
        let lines = run.err.lines().count();
        assert_eq!(lines, count + 1, "{run:?}");
        let names: Vec<_> = (1..=count).map(|part| format!("p.{part:04}.psv")).collect();
        let parts = names.iter().map(|name| folder.read(name)).collect();
        for name in names {
            std::fs::remove_file(folder.path(name)).unwrap();
        }
        assert_eq!(folder.names(), ["short_n100_ply80.psv"]);
        parts
    };
    let three = parts("--parts 3", 3);
    assert!(three.concat() == psv);
    assert!(three.iter().all(|part| part.len() == 2713 * 40));
    let thousands = parts("--each 1000", 9);
    assert!(thousands.concat() == psv);
    assert!(thousands[..8].iter().all(|part| part.len() == 40_000));
    let shares = parts("--ratio 8,1,1 --seed 4", 3);
    let together = shares.concat();
    assert!(together != psv && records(&together) == records(&psv));
    assert!((6000 * 40..7000 * 40).contains(&shares[0].len()));
    assert!(parts("--ratio 8,1,1 --seed 4", 3) == shares);
    let json = folder
        .run("split short_n100_ply80.psv -o p.psv --parts 2 --json")
        .silent()
        .json();
    assert_eq!(json["parts"][1]["path"], "p.0002.psv");
    assert_eq!(json["parts"][1]["units"], 4069);
}

#[test]
fn files_one_behind_the_other() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.pack",
        "selfplay/short_n100_ply80.pack",
    ]);
    let (first, second) = (
        folder.read("declaration_n50.pack"),
        folder.read("short_n100_ply80.pack"),
    );
    let both = [first.as_slice(), &second].concat();
    let run = folder
        .run("concat declaration_n50.pack short_n100_ply80.pack -o all.pack")
        .succeeded();
    assert!(folder.read("all.pack") == both);
    assert!(
        run.err
            .contains("2 files -> all.pack: 241 games, 41,058 bytes"),
        "{run:?}"
    );
    let line = "concat declaration_n50.pack - -o - --quiet";
    let run = folder.run_with_input(line, second.clone()).silent();
    assert!(run.out == both);
    // A file that ends inside a game cannot be followed by another.
    folder.write("cut.pack", &first[..first.len() - 1]);
    let run = folder.run("concat cut.pack short_n100_ply80.pack -o broken.pack");
    run.failed(1, &["cut.pack: "]);
    assert!(!folder.path("broken.pack").exists());
}

#[test]
fn wrong_usage_is_named() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.psv",
        "selfplay/declaration_n50.pack",
    ]);
    for (line, word) in [
        ("shuffle declaration_n50.psv", "--output"),
        ("shuffle declaration_n50.psv -o o.hcpe", "says hcpe"),
        (
            "shuffle declaration_n50.psv declaration_n50.pack -o o.psv",
            "one format",
        ),
        ("shuffle declaration_n50.psv -o - --json", "--json"),
        ("dedup declaration_n50.psv -o o.psv --by colour", "colour"),
        ("dedup declaration_n50.psv -o o.psv --keep none", "none"),
        ("split declaration_n50.psv -o o.psv", "--parts"),
        (
            "split declaration_n50.psv -o o.psv --parts 2 --each 3",
            "--each",
        ),
        ("split declaration_n50.psv -o o.psv --parts 0", "at least 1"),
        ("split declaration_n50.psv -o o.psv --ratio 1,0", "above 0"),
        ("split declaration_n50.psv -o - --parts 2", "name of a file"),
        ("concat -o o.psv", "FILE"),
    ] {
        folder.run(line).failed(2, &[word]);
    }
    for command in ["shuffle", "dedup", "concat"] {
        let line = format!("{command} declaration_n50.psv -o ./declaration_n50.psv");
        folder
            .run(&line)
            .failed(1, &["declaration_n50.psv is an input"]);
    }
    folder.write("o.0001.psv", golden("selfplay/declaration_n50.psv"));
    let run = folder.run("split o.0001.psv -o o.psv --parts 1");
    run.failed(1, &["o.0001.psv is an input"]);
    assert_eq!(folder.names().len(), 3);
}

#[test]
fn positions_by_score() {
    let folder = Folder::with(&["selfplay/normal_n2000_ply320.psv"]);
    let psv = folder.read("normal_n2000_ply320.psv");
    let kept = |keep: &dyn Fn(i16) -> bool| -> Vec<u8> {
        let score = |record: &[u8]| i16::from_le_bytes([record[32], record[33]]);
        let records = psv.chunks(40).filter(|record| keep(score(record)));
        records.flatten().copied().collect()
    };
    for (condition, expected) in [
        (
            "--score -1000..1000",
            kept(&|score| (-1000..=1000).contains(&score)),
        ),
        ("--score=-50", kept(&|score| score == -50)),
        (
            "--score-size 30000..",
            kept(&|score| score.unsigned_abs() >= 30000),
        ),
        (
            "--score 1.. --score-size ..500",
            kept(&|score| (1..=500).contains(&score)),
        ),
    ] {
        let line = format!("filter normal_n2000_ply320.psv -o out.psv --force {condition}");
        folder.run(&line).succeeded();
        assert!(folder.read("out.psv") == expected, "{condition}");
        let part = !expected.is_empty() && expected.len() < psv.len();
        assert!(part, "{condition}");
    }
}

#[test]
fn games_by_result_reason_and_length() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    let pack = folder.read("short_n100_ply80.pack");
    let games = json_lines("selfplay/short_n100_ply80.jsonl");
    let number = |game: &serde_json::Value, key: &str| game[key].as_u64().unwrap();
    let kept = |keep: &dyn Fn(u64, u64, u64) -> bool| -> Vec<u8> {
        let mut bytes = Vec::new();
        for game in &games {
            let facts = ["result", "reason", "plies"].map(|key| number(game, key));
            if keep(facts[0], facts[1], facts[2]) {
                let begin = number(game, "offset") as usize;
                let end = begin + number(game, "bytes") as usize;
                bytes.extend_from_slice(&pack[begin..end]);
            }
        }
        bytes
    };
    for (conditions, expected) in [
        ("--result black", kept(&|result, _, _| result == 1)),
        ("--result black,white", kept(&|result, _, _| result != 0)),
        ("--reason max-moves", kept(&|_, reason, _| reason == 2)),
        ("--reason 0,repetition", kept(&|_, reason, _| reason < 2)),
        (
            "--length 20..60 --result draw",
            kept(&|result, _, plies| result == 0 && (20..=60).contains(&plies)),
        ),
    ] {
        let line = format!("filter short_n100_ply80.pack -o out.pack --force {conditions}");
        folder.run(&line).succeeded();
        assert!(folder.read("out.pack") == expected, "{conditions}");
        let part = !expected.is_empty() && expected.len() < pack.len();
        assert!(part, "{conditions}");
    }
}

#[test]
fn what_was_left_out_is_told_by_condition() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.pack"]);
    let line = "filter short_n100_ply80.pack -o out.pack --force --result draw --reason repetition";
    let run = folder.run(line).succeeded();
    let told = "12 do not meet: result draw\n70 do not meet: end reason repetition\n\
                short_n100_ply80.pack -> out.pack: 119 of 201 games, ";
    assert!(run.err.starts_with(told), "{run:?}");
    folder.run(&format!("{line} --quiet")).silent();
    let json = folder.run(&format!("{line} --json")).silent().json();
    assert_eq!(json["games_read"], 201);
    assert_eq!(json["games_kept"], 119);
    assert_eq!(json["dropped"][1]["count"], 70);
    assert_eq!(json["output"], "out.pack");
}

#[test]
fn several_files_pipes_and_no_condition() {
    let folder = Folder::with(&["selfplay/declaration_n50.hcpe"]);
    let hcpe = golden("selfplay/declaration_n50.hcpe");
    let line = "filter declaration_n50.hcpe - --from hcpe -o -";
    let run = folder.run_with_input(line, hcpe.clone()).succeeded();
    assert!(run.out == hcpe.repeat(2));
}

#[test]
fn conditions_that_mean_nothing_are_wrong_usage() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.hcpe",
        "selfplay/declaration_n50.pack",
    ]);
    for (line, words) in [
        ("declaration_n50.hcpe -o o.hcpe --ply 5..", "do not say"),
        (
            "declaration_n50.hcpe -o o.hcpe --length 5..",
            "condition on games",
        ),
        (
            "declaration_n50.pack -o o.pack --in-check",
            "condition on positions",
        ),
        ("declaration_n50.pack -o o.pack --reason lunch", "lunch"),
        ("declaration_n50.pack -o o.pack --result red", "red"),
        (
            "declaration_n50.hcpe -o o.hcpe --score 5..1",
            "smaller than the first",
        ),
        ("declaration_n50.hcpe -o o.hcpe --score 99999", "99999"),
        ("declaration_n50.hcpe -o o.psv", "says psv"),
        (
            "declaration_n50.hcpe declaration_n50.pack -o o.hcpe",
            "one format",
        ),
        ("declaration_n50.pack -o o.pack --skip-bad", "repair"),
        ("declaration_n50.pack", "--output"),
    ] {
        folder.run(&format!("filter {line}")).failed(2, &[words]);
    }
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn damaged_records_stop_it_or_are_left_out() {
    let folder = Folder::new();
    let mut hcpe = golden("selfplay/declaration_n50.hcpe");
    hcpe[38 * 2 + 36] = 9;
    folder.write("x.hcpe", &hcpe);
    let place = "x.hcpe: byte 112: record 3";
    folder.run("filter x.hcpe -o out.hcpe").failed(1, &[place]);
    assert_eq!(folder.names(), ["x.hcpe"]);
    let run = folder.run("filter x.hcpe -o out.hcpe --skip-bad");
    run.failed(0, &["left out: ", place, "1 damaged record left out"]);
    hcpe.drain(38 * 2..38 * 3);
    assert!(folder.read("out.hcpe") == hcpe);
    folder
        .run("filter out.hcpe -o out.hcpe")
        .failed(1, &["is an input"]);
    folder
        .run("filter out.hcpe -o out.hcpe --force --score ..-8500")
        .succeeded();
    assert!(folder.read("out.hcpe").len() < hcpe.len());
}
