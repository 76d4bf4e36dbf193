//! `analyze`: values for the moves of a book.

use std::collections::BTreeMap;

use test_support::TestFolder;

use crate::util::{Refused, RunMakebook, folder_with};

const QUICK: &str = "--quiet --hash 1 --multi 2";

/// The moves of each position: words by move.
fn book(folder: &TestFolder, name: &str) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let mut positions: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
    let mut last = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(sfen) = line.strip_prefix("sfen ") {
            sfen.clone_into(&mut last);
            continue;
        }
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        positions
            .entry(last.clone())
            .or_default()
            .insert(words[0].clone(), words);
    }
    positions
}

/// A folder with a book from records.
fn own_book() -> TestFolder {
    let folder = folder_with(&["from_sfen/games.sfen"]);
    folder.run("from_sfen games.sfen own.db moves 3");
    folder
}

#[test]
fn moves_of_records_get_values_and_keep_their_counts() {
    let folder = own_book();
    let before = book(&folder, "own.db");
    let run = folder
        .run(&format!("analyze own.db depth 3 multipv 2 {QUICK}"))
        .silent();
    let counts = format!("positions = {}\nknown     = 0\n", before.len());
    assert!(run.text().starts_with(&counts), "{run:?}");
    let after = book(&folder, "own.db");
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>()
    );
    let mut added = 0;
    for (sfen, moves) in &after {
        for (mv, words) in moves {
            assert_eq!(words[3], "3", "{sfen}: {mv}");
            if let Some(known) = before[sfen].get(mv) {
                assert_eq!(known[4], words[4], "{sfen}: {mv}");
            } else {
                assert_eq!(words[4], "0");
                added += 1;
            }
        }
        assert!(moves.len() >= 2 && before[sfen].keys().all(|mv| moves.contains_key(mv)));
    }
    assert!(added > 0);
    let all = after.values().flat_map(BTreeMap::values);
    assert!(all.filter(|words| words[2] != "0").count() > after.len());
    assert!(!folder.run("info own.db").text().contains("without value"));
    // Nothing is left to do, nor lies about.
    let bytes = folder.read("own.db");
    let again = folder
        .run(&format!("analyze own.db depth 3 multipv 2 {QUICK}"))
        .silent();
    assert!(again.text().contains("thought   = 0"), "{again:?}");
    assert!(folder.read("own.db") == bytes);
    assert_eq!(folder.names(), ["games.sfen", "own.db"]);
    let more = folder.run(&format!("analyze own.db depth 3 multipv 2 --again {QUICK}"));
    assert!(more.silent().text().contains("known     = 0"));
}

#[test]
fn only_the_moves_of_the_book_are_searched_if_asked() {
    let folder = own_book();
    let before = book(&folder, "own.db");
    let old = folder.read("own.db");
    let line = "analyze own.db -o valued.db --keep-moves --nodes 300";
    folder.run(&format!("{line} {QUICK}")).silent();
    assert!(folder.read("own.db") == old);
    let after = book(&folder, "valued.db");
    for (sfen, moves) in &after {
        assert!(moves.keys().eq(before[sfen].keys()), "{sfen}");
    }
    folder
        .run(&format!("{line} {QUICK}"))
        .refused(1, &["valued.db exists"]);
    // The same positions are worth the same whatever the threads do.
    folder
        .run(&format!("{line} --force {QUICK} --multi 1"))
        .failed(2, &["--multi"]);
    folder
        .run(&format!("{line} --force --quiet --hash 1 --threads 1"))
        .silent();
    assert_eq!(book(&folder, "valued.db"), after);
}

#[test]
fn a_part_of_a_book_is_analysed_and_comments_stay() {
    let folder = TestFolder::new();
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let white = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    folder.write(
        "book.db",
        format!(
            "#YANEURAOU-DB2016 1.00\n// mine\nsfen {white}\n3c3d none 0 32 2\n#white\n\
             sfen {start}\n#start\n7g7f 3c3d 0 32 5 # best?\n"
        ),
    );
    let line = format!("analyze book.db --side b --keep-moves depth 2 --lf {QUICK}");
    let run = folder.run(&line).silent();
    assert!(run.text().contains("thought   = 1"), "{run:?}");
    let text = String::from_utf8(folder.read("book.db")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "#YANEURAOU-DB2016 1.00",
            "// mine",
            &format!("sfen {white}"),
            "3c3d none 0 32 2",
            "#white",
        ]
    );
    assert_eq!(lines[6], "#start");
    assert!(
        lines[7].starts_with("7g7f ") && lines[7].ends_with(" 2 5 # best?"),
        "{text}"
    );
    let none = format!("analyze book.db --ply 9.. depth 2 {QUICK}");
    folder
        .run(&none)
        .refused(1, &["no position with a move that is asked for"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_analysis_is_resumed() {
    let folder = own_book();
    let whole = "analyze own.db -o whole.db --nodes 4000 --threads 1 --hash 1 --quiet";
    folder.run(whole).silent();
    let line = "analyze own.db -o out.db --nodes 4000 --threads 1 --hash 1 --quiet";
    let mut kills = 0;
    for delay in [200, 400, 700, 1000] {
        let mut child = folder.start(line);
        std::thread::sleep(std::time::Duration::from_millis(delay));
        child.kill().unwrap();
        kills += u32::from(!child.wait().unwrap().success());
        assert!(kills == 0 || folder.path("own.db").exists());
    }
    if !folder.path("out.db").exists() {
        folder.run(line).silent();
    }
    assert!(
        folder.read("out.db") == folder.read("whole.db"),
        "after {kills} kills"
    );
    assert_eq!(
        folder.names(),
        ["games.sfen", "out.db", "own.db", "whole.db"]
    );
}

#[test]
fn another_analysis_does_not_take_over_a_journal() {
    let folder = own_book();
    folder.write(
        "own.db.analyze.journal",
        "no journal at all, but long enough",
    );
    let line = format!("analyze own.db depth 1 {QUICK}");
    folder.run(&line).refused(1, &["own.db.analyze.journal"]);
}
