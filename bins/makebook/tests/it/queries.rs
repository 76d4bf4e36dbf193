//! Output of the commands that query books.

use test_support::TestFolder;

use crate::util::RunMakebook;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";

fn book(positions: &[(&str, &str)]) -> String {
    let records = positions
        .iter()
        .map(|(sfen, line)| ["sfen ", sfen, "\r\n", line, "\r\n"].concat());
    "#YANEURAOU-DB2016 1.00\r\n".to_owned() + &records.collect::<String>()
}

fn two_positions() -> TestFolder {
    let folder = TestFolder::new();
    let text = book(&[
        (AFTER_7G7F, "3c3d 2g2f -30 12 4"),
        (START, "7g7f 3c3d 120 13 5"),
    ]);
    folder.write("a.db", text);
    folder
}

#[test]
fn info_tells() {
    let run = two_positions().run("info a.db").silent();
    for line in [
        "format          = .db (189 bytes)",
        "positions       = 2",
        "moves           = 2",
        "black to move   = 1",
        "sorted          = yes",
        "evals           = -30 .. 120",
        "depths          = 12 .. 13",
        "counts          = 4 .. 5",
        "header          = #YANEURAOU-DB2016 1.00",
        "line ends       = CR LF (5)",
        "byte order mark = no",
    ] {
        let found = run.text().lines().any(|printed| printed == line);
        assert!(found || line.contains("bytes"), "{line}: {}", run.text());
    }
    let json = two_positions().run("info a.db --json").json();
    assert_eq!(json["plies"]["2"], 1);
    assert_eq!(json["first_evals"]["100"], 1);
    assert_eq!(json["first_evals"]["-100"], 1);
    assert_eq!(json["text"]["crlf"], 5);
}

#[test]
fn check_tells_by_its_exit_code() {
    let folder = two_positions();
    let run = folder.run("check a.db").silent();
    assert!(run.text().contains("no problems found"), "{run:?}");
    let text = book(&[(START, "7g7f 7g7f 0 0 1"), (AFTER_7G7F, "5i5a none 0 0 1")]);
    folder.write("b.db", text);
    let run = folder.run("check b.db");
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    for line in [
        "b.db: line 3: reply: 7g7f",
        "b.db: line 4: order: smaller than the position before it",
        "b.db: line 5: move: 5i5a",
        "found     = 1 order",
    ] {
        assert!(run.text().lines().any(|printed| printed == line), "{run:?}");
    }
    folder.run("check b.db --ignore reply,order,move").silent();
    let run = folder.run("check b.db --max 1");
    assert_eq!(
        run.text()
            .lines()
            .filter(|line| line.starts_with("b.db"))
            .count(),
        1
    );
    assert_eq!(folder.run("check b.db --json").json()["counts"]["move"], 1);
}

#[test]
fn diff_tells_by_its_exit_code() {
    let folder = two_positions();
    folder.run("diff a.db a.db").silent();
    let later = AFTER_7G7F.replace("- 2", "- 4");
    folder.write(
        "b.db",
        book(&[(&later, "3c3d 2g2f -30 12 4"), (START, "7g7f 3c3d 90 13 5")]),
    );
    let run = folder.run("diff a.db b.db");
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    let expected = format!(
        "< sfen {AFTER_7G7F}\n> sfen {later}\n! sfen {START}\n  - 7g7f 3c3d 120 13 5\n  + 7g7f 3c3d 90 13 5\n"
    );
    assert!(run.text().starts_with(&expected), "{}", run.text());
    assert!(run.text().contains("\nevals changed = 1\n"));
    let run = folder.run("diff a.db b.db --max 1");
    assert!(run.text().contains("\n(2 more)\n"), "{run:?}");
    let run = folder.run("diff a.db b.db ignore_book_ply --list --json");
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("\"before\""));
    assert!(lines[1].contains("\"different\":1"));
}

#[test]
fn lookup_takes_positions_in_every_form() {
    let folder = two_positions();
    let expected = format!("sfen {AFTER_7G7F}\n3c3d 2g2f -30 12 4\n");
    for position in [
        "startpos moves 7g7f",
        "position startpos moves 7g7f",
        "7g7f",
        &format!("sfen {AFTER_7G7F}"),
        AFTER_7G7F,
        &format!("sfen {START} moves 7g7f"),
    ] {
        let run = folder.run(&format!("lookup a.db {position}")).silent();
        assert_eq!(run.text(), expected, "{position}");
        // As one argument too.
        let run = folder.run_args(["lookup", "a.db", position]).silent();
        assert_eq!(run.text(), expected, "{position}");
    }
    let run = folder.run("lookup a.db startpos moves 2g2f");
    assert_eq!(run.code, Some(1));
    assert!(run.text().ends_with("# not found\n"));
    let json = folder.run("lookup a.db --json 7g7f").json();
    assert_eq!(json["found"], "exact");
    assert_eq!(json["moves"][0]["ponder"], "2g2f");
    // White's answer, seen from the other side of the board.
    let run = folder
        .run("lookup a.db sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 2");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.text()
            .ends_with("# found turned by 180 degrees\n7g7f 8c8d -30 12 4\n")
    );
}

#[test]
fn unique_and_filter_report_what_they_kept() {
    let folder = two_positions();
    let run = folder.run("unique a.db u.db --flip").silent();
    assert!(run.text().contains("positions = 2\n"), "{run:?}");
    let run = folder.run("filter a.db f.db ply 2..").silent();
    assert_eq!(run.text(), "positions = 1 of 2\nmoves     = 1 of 2\n");
    assert_eq!(
        folder.read("f.db"),
        book(&[(AFTER_7G7F, "3c3d 2g2f -30 12 4")]).as_bytes()
    );
    let run = folder
        .run("filter a.db g.db eval -50..0 reachable_from startpos")
        .silent();
    assert!(run.text().contains("reachable = 2\n"), "{run:?}");
    assert_eq!(folder.read("g.db"), folder.read("f.db"));
}
