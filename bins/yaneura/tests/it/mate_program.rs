//! `yaneura mate`: collections, solutions, output files.

use std::path::Path;
use std::time::Duration;

use mate_collections::{CollectionOptions, parse_collection};
use serde_json::Value;
use shogi_kifu::{Charset, LineEnds, encode_record};
use test_support::{TestFolder, run_program};

use crate::util::{PROGRAM, trial};

/// Longest time of a run, on a busy machine.
const RUN_TIME: Duration = Duration::from_secs(600);

const ONE: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
const THREE: &str = "+P7B/9/8k/9/5G3/7+R1/9/9/9 b Prb3g4s4n4l16p 1";
const NONE: &str = "4k4/9/9/9/9/9/9/9/9 b P 1";
/// Far too large for a few nodes.
const HARD: &str = "1pG1B4/Gs+P6/pP7/n1ls5/3k5/nL4+r1b/1+p1p+R4/1S7/2N6 b SP2gn2l11p 1";

/// Runs `yaneura mate` with `args` and `input` on standard input.
fn mate(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let words = [&["mate"], args].concat();
    let run = run_program(PROGRAM, Path::new("."), words, input.into(), RUN_TIME);
    (run.code, run.text().to_owned(), run.err)
}

fn json_lines(text: &str) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).expect(line);
    text.lines().map(parse).collect()
}

#[test]
fn a_collection_as_json() {
    let input = format!("# a comment\n{ONE}\n\nposition sfen {THREE}\n{{\"sfen\": \"{NONE}\"}}\n");
    let (code, out, err) = mate(
        &["--json", "--exact", "--hash", "16", "--jobs", "2", "-"],
        &input,
    );
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines = json_lines(&out);
    let found: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["line"].as_u64(),
                line["result"].as_str(),
                line["len"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (Some(2), Some("mate"), Some(1)),
            (Some(4), Some("mate"), Some(3)),
            (Some(5), Some("nomate"), None),
        ]
    );
    assert_eq!(lines[0]["pv"], "G*5b");
    assert_eq!(lines[1]["exact"], true);
}

/// The problem [`ONE`] as a board.
const BOARD: &str = "後手の持駒：飛二　角二　金三　銀四　桂四　香四　歩十七
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金
";
/// The same in CSA.
const BOARD_CSA: &str = "V2.2\nP-51OU\nP+53FU00KI\n+\n";

/// Problems in the formats of game records, with their solution where there is one.
fn records() -> [(&'static str, String, bool); 6] {
    let kif = format!("{BOARD}手数----指手---------消費時間--\n   1 ５二金打\n   2 詰み\n");
    let ki2 = format!("{BOARD}\n▲５二金打\nまで1手で詰み\n");
    [
        ("bod", BOARD.to_owned(), false),
        ("kif", kif.clone(), true),
        ("kif of two", format!("{kif}\n{kif}"), true),
        ("ki2", ki2, true),
        ("csa", format!("{BOARD_CSA}+0052KI\n%TSUMI\n"), true),
        ("csa without moves", BOARD_CSA.to_owned(), false),
    ]
}

#[test]
fn problems_as_game_records() {
    let folder = TestFolder::new();
    for (name, text, has_solution) in records() {
        let count = if name.contains("two") { 2 } else { 1 };
        folder.write("problem", &text);
        let file = folder.path("problem");
        let file = file.to_str().unwrap();
        let (code, out, err) = mate(&["--json", "--exact", "--hash", "1", file], "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}: {out}");
        let lines = json_lines(&out);
        assert_eq!(lines.len(), count, "{name}: {out}");
        for line in &lines {
            assert_eq!(
                (line["pv"].as_str(), line["len"].as_u64()),
                (Some("G*5b"), Some(1)),
                "{name}: {out}"
            );
        }
        // From standard input, too.
        let (code, again, _) = mate(&["--json", "--exact", "--hash", "1", "-"], &text);
        assert_eq!((code, json_lines(&again).len()), (Some(0), count), "{name}");
        if has_solution {
            let (code, out, err) = mate(&["check", "--hash", "1", file], "");
            assert_eq!((code, err.as_str()), (Some(0), ""), "{name}: {out}");
            assert!(out.contains("mate in 1, the shortest"), "{name}: {out}");
        }
    }
}

#[test]
fn problems_in_the_encoding_of_windows() {
    let folder = TestFolder::new();
    let (text, _) = encode_record(BOARD, Charset::ShiftJis, LineEnds::CrLf);
    folder.write("problem.bod", text);
    let file = folder.path("problem.bod");
    let (code, out, _) = mate(&["--hash", "1", file.to_str().unwrap()], "");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("G*5b"), "{out}");
}

#[test]
fn a_file_without_problems_is_an_error() {
    for args in [&["-"][..], &["check", "-"]] {
        for input in ["", "\n# a comment\n"] {
            let (code, out, err) = mate(args, input);
            assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
            assert!(err.contains("standard input: no positions"), "{err}");
        }
    }
}

#[test]
fn a_wrong_record_is_told() {
    let text = BOARD.replace("先手の持駒：金", "先手の持駒：金十");
    let (code, out, _) = mate(&["--hash", "1", "-"], &text);
    assert_eq!(code, Some(1));
    assert!(out.contains("error"), "{out}");
}

#[test]
fn a_table_with_a_summary() {
    let input = format!("{ONE}\nnonsense\n{HARD}\n");
    let (code, out, _) = mate(
        &["--nodes", "100", "--hash", "1", "--jobs", "1", "-"],
        &input,
    );
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].contains("result") && lines[0].contains("plies"),
        "{out}"
    );
    assert!(lines[1].ends_with("G*5b"), "{out}");
    assert!(
        lines[2].contains("error") && lines[2].contains("bad SFEN"),
        "{out}"
    );
    assert!(
        lines[3].contains("unknown") && lines[3].ends_with("nodes"),
        "{out}"
    );
    assert!(
        lines[4].starts_with("3 problems: 1 mate, 0 without, 1 unknown, 1 unreadable; "),
        "{out}"
    );
}

#[test]
fn an_output_appears_whole_and_can_be_resumed() {
    let folder = TestFolder::new();
    let [problems, output, journal] =
        ["problems.sfen", "out.jsonl", "out.jsonl.journal"].map(|name| folder.path(name));
    let read = || String::from_utf8(folder.read("out.jsonl")).unwrap();
    folder.write("problems.sfen", format!("{ONE}\n{THREE}\n{NONE}\n"));
    let names = [problems.to_str().unwrap(), output.to_str().unwrap()];
    let run = |more: &[&str]| {
        let all = [
            &["--json", "--quiet", "--hash", "4", names[0], "-o", names[1]],
            more,
        ]
        .concat();
        mate(&all, "")
    };
    let (code, out, _) = run(&[]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    let whole = read();
    assert_eq!(json_lines(&whole).len(), 3);
    assert!(!journal.exists());
    // It is not replaced by accident.
    for more in [&[][..], &["--resume"]] {
        let (code, _, err) = run(more);
        assert_eq!(code, Some(1));
        let expected = "out.jsonl exists; choose another output, or pass --force";
        assert!(err.contains(expected), "{err}");
    }
    assert_eq!(read(), whole);
    // Results of an interrupted run are kept, even where they are wrong; a torn line is not.
    std::fs::remove_file(&output).unwrap();
    let options = CollectionOptions {
        hash_mib: 4,
        ..CollectionOptions::default()
    };
    let bytes = std::fs::read(&problems).unwrap();
    let entries = parse_collection(&problems, &bytes).unwrap();
    let identity = options.identity(&entries);
    let first = json_lines(&whole)[0].to_string().replace("G*5b", "G*5z");
    let mut units = yane_io::Journal::begin(&journal, &identity, yane_io::Flush::Always).unwrap();
    units.put(1, first.as_bytes()).unwrap();
    units.put(2, first.as_bytes()).unwrap();
    drop(units);
    let bytes = folder.read("out.jsonl.journal");
    folder.write("out.jsonl.journal", &bytes[..bytes.len() - 1]);
    assert_eq!(
        run(&[]).0,
        Some(1),
        "the journal of an interrupted run is not discarded by accident"
    );
    // A run that works on it is not disturbed, not even by force.
    let living = yane_io::RunLock::file(&output).unwrap();
    for more in ["--resume", "--force"] {
        let (code, _, err) = run(&[more]);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains("is in use by another process"), "{err}");
        assert!(journal.exists());
    }
    drop(living);
    assert_eq!(run(&["--resume"]).0, Some(0));
    let resumed = read();
    assert_eq!(json_lines(&resumed).len(), 3);
    assert!(resumed.contains("G*5z") && !journal.exists());
}

/// The knight gives check already.
const IN_CHECK: &str = "4k4/9/4PN3/9/9/9/9/9/9 b 2G 1";

#[test]
fn the_defender_may_be_in_check_at_the_start() {
    let (code, out, _) = mate(
        &["--exact", "--json", "--quiet", "--hash", "4", "-"],
        IN_CHECK,
    );
    assert_eq!(code, Some(0));
    let line = &json_lines(&out)[0];
    assert_eq!(
        (&line["result"], &line["exact"]),
        (&"mate".into(), &true.into())
    );
    let solution = format!("{IN_CHECK} moves {}", line["pv"].as_str().unwrap());
    let (code, out, _) = mate(
        &["check", "--json", "--quiet", "--hash", "4", "-"],
        &solution,
    );
    assert_eq!(
        (code, &json_lines(&out)[0]["shortest"]),
        (Some(0), &true.into()),
        "{out}"
    );
    // After the first move it is a position like others, one ply shorter.
    let words: Vec<&str> = solution.split(' ').collect();
    let begun = words[..6].join(" ");
    let (code, out, _) = mate(
        &["--exact", "--json", "--quiet", "--defends-if-checked", "-"],
        &begun,
    );
    assert_eq!(code, Some(0));
    let plies = |line: &serde_json::Value| line["len"].as_u64().unwrap();
    assert_eq!(plies(&json_lines(&out)[0]) + 1, plies(line));
    let (code, out, _) = mate(&["--help-mate", "--json", "--quiet", "-"], IN_CHECK);
    assert_eq!(
        (code, &json_lines(&out)[0]["result"]),
        (Some(0), &"mate".into())
    );
}

/// The drops on the files between are futile: books print the first move only.
#[test]
fn composers_solutions_are_judged_as_they_are_printed() {
    let start = "9/9/6Bnl/8k/R6p1/9/9/9/9 b rb4g4s3n3l17p 1";
    let check = |more: &[&str], moves: &str| {
        let input = format!("{start} moves {moves}");
        let all = [&["check", "--json", "--quiet", "--hash", "4", "-"], more].concat();
        let (code, out, _) = mate(&all, &input);
        (
            code,
            json_lines(&out)[0]["finding"].as_str().unwrap().to_owned(),
        )
    };
    let (code, out, _) = mate(
        &["--composer", "--json", "--quiet", "--hash", "4", "-"],
        start,
    );
    assert_eq!(code, Some(0));
    let found = json_lines(&out)[0].clone();
    let moves = found["composer_pv"].as_str().unwrap();
    assert!(
        found["composer_len"].as_u64() < found["len"].as_u64(),
        "{found}"
    );
    let (code, text) = check(&["--composer"], moves);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.ends_with("the shortest without futile interpositions"),
        "{text}"
    );
    let (code, text) = check(&[], moves);
    assert_eq!(code, Some(1), "{text}");
}

#[test]
fn solutions_are_judged() {
    let long = "k8/9/1G7/9/9/9/9/9/9 b GP 1";
    let input = [
        format!("{ONE} moves G*5b"),
        format!("{ONE} moves G*4b"),
        format!("{ONE} moves G*5a"),
        format!("{ONE} moves G*5b 5a4a"),
        format!("{long} moves P*9b 9a8a G*8b"),
        format!("{{\"sfen\": \"{ONE}\", \"pv\": \"G*5b\", \"len\": 3}}"),
        ONE.to_owned(),
    ]
    .join("\n");
    let (code, out, _) = mate(&["check", "--json", "--hash", "4", "-"], &input);
    assert_eq!(code, Some(1));
    let lines = json_lines(&out);
    let finding = |i: usize| lines[i]["finding"].as_str().unwrap().to_owned();
    assert_eq!(finding(0), "mate in 1, the shortest");
    assert_eq!(
        (&lines[0]["ok"], &lines[0]["shortest"]),
        (&true.into(), &true.into())
    );
    assert_eq!(finding(1), "the king is not mated after the last move");
    assert_eq!(finding(2), "move 1 (G*5a) is not legal");
    assert_eq!(finding(3), "move 2 (5a4a) is not legal");
    assert_eq!(finding(4), "mate in 3, there is one in 1");
    assert_eq!(finding(5), "mate in 1, not in 3 as it says, the shortest");
    assert_eq!(finding(6), "no solution is given");
    assert!(lines[1..].iter().all(|line| line["ok"] == false));

    let (code, out, _) = mate(
        &["check", "--moves-only", "-"],
        &format!("{ONE} moves G*5b\n"),
    );
    assert_eq!(code, Some(0));
    assert!(
        out.contains("mate in 1\n") && out.contains("1 of 1"),
        "{out}"
    );
}

#[test]
fn help_mates_and_composers_lengths() {
    let (code, out, _) = mate(
        &["--json", "--help-mate", "-"],
        "9/9/4k4/9/9/9/9/9/9 b GP 1\n",
    );
    assert_eq!(code, Some(0));
    assert_eq!(json_lines(&out)[0]["exact"], true);
    let futile = "9/9/6Bnl/8k/R6p1/9/9/9/9 b rb4g4s3n3l17p 1\n";
    let (code, out, _) = mate(&["--json", "--composer", "--hash", "16", "-"], futile);
    assert_eq!(code, Some(0), "{out}");
    let line = &json_lines(&out)[0];
    assert_eq!(
        (&line["len"], &line["composer_len"]),
        (&15.into(), &3.into())
    );
}

#[test]
fn errors_name_what_is_wrong() {
    assert_eq!(mate(&[], "").0, Some(2));
    assert_eq!(mate(&["--resume", "file"], "").0, Some(2));
    let (code, _, err) = mate(&["/does/not/exist"], "");
    assert_eq!(code, Some(1));
    assert!(err.contains("/does/not/exist"), "{err}");
    let (code, out, _) = mate(&["--help"], "");
    assert_eq!(code, Some(0));
    assert!(out.contains("Examples:"), "{out}");
}

/// Plays a line; every move of the attacker has to give check, and the last to mate.
fn assert_mates(sfen: &str, pv: &str) {
    let mut position = shogi_core::Position::from_sfen(sfen).expect(sfen);
    for (ply, text) in pv.split(' ').enumerate() {
        let m = position.move_from_usi(text).expect(pv);
        let _undo = position.do_move_unchecked(m);
        assert!(ply % 2 == 1 || position.in_check(), "{sfen}: {pv}");
    }
    assert!(position.is_mated(), "{sfen}: {pv}");
}

#[test]
fn mates_that_other_solvers_missed_are_found() {
    let problems = trial("06-mates-that-were-denied/problems.sfen");
    let (code, out, err) = mate(
        &["--json", "--hash", "64", "--time", "300", "-"],
        &problems.join("\n"),
    );
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines = json_lines(&out);
    assert_eq!(lines.len(), problems.len());
    for (line, sfen) in lines.iter().zip(&problems) {
        assert_eq!(line["result"], "mate", "{sfen}");
        assert_mates(sfen, line["pv"].as_str().expect("moves"));
    }
}

#[test]
fn useless_interpositions_do_not_count() {
    let problems = trial("07-lengths-with-useless-interpositions/problems.sfen");
    let (code, out, err) = mate(
        &["--exact", "--composer", "--json", "--hash", "64", "-"],
        &problems.join("\n"),
    );
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lengths: Vec<_> = json_lines(&out)
        .iter()
        .map(|line| line["composer_len"].as_u64())
        .collect();
    // The sixth is not from the report.
    let expected = [3, 3, 11, 1, 1, 5, 7, 5].map(Some);
    assert_eq!(lengths, expected);
}
