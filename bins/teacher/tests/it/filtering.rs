//! `filter`.

use crate::util::{Folder, golden, json_lines};

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
