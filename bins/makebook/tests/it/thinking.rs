//! Commands that think.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shogi_core::Position;
use shogi_core::movegen::Legal;
use test_support::{ProgramRun, TestFolder, UsiScript};

use crate::util::{Refused, RunMakebook, fixture, folder_with};

/// A position of a book: the lines of its moves, as words.
pub(crate) type Moves = Vec<Vec<String>>;

/// The positions of a text book.
pub(crate) fn book(text: &[u8]) -> BTreeMap<String, Moves> {
    let text = String::from_utf8(text.to_vec()).unwrap().replace('\r', "");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("#YANEURAOU-DB2016 1.00"));
    let mut positions: BTreeMap<String, Moves> = BTreeMap::new();
    let mut last = String::new();
    for line in lines {
        if let Some(sfen) = line.strip_prefix("sfen ") {
            assert!(last.as_str() < sfen, "sorted");
            sfen.clone_into(&mut last);
            positions.insert(last.clone(), Vec::new());
        } else {
            let words = line.split(' ').map(str::to_owned).collect();
            positions.get_mut(&last).unwrap().push(words);
        }
    }
    positions
}

/// Checks that the moves of a position are such as an engine finds.
#[track_caller]
pub(crate) fn check(sfen: &str, moves: &Moves) {
    let position = Position::from_sfen(sfen).unwrap();
    let mut evals = Vec::new();
    let mut known = BTreeSet::new();
    for words in moves {
        let [mv, ponder, eval, _, count] = &words[..] else {
            panic!("{words:?}")
        };
        let m = position.move_from_usi(mv).expect("a legal move");
        assert!(
            position.is_legal(m) && known.insert(mv.clone()),
            "{sfen}: {mv}"
        );
        let mut after = position.clone();
        let _ = after.do_move_unchecked(m);
        if ponder != "none" {
            let reply = after.move_from_usi(ponder).expect("a legal reply");
            assert!(after.is_legal(reply), "{sfen}: {mv} {ponder}");
        }
        assert_ne!(count, "0");
        evals.push(eval.parse::<i32>().unwrap());
    }
    assert!(evals.is_sorted_by(|a, b| a >= b), "{sfen}: {evals:?}");
}

/// Checks that the output of `think` equals the entry `name` of `think_expect.json`, and is legal.
#[track_caller]
fn expected(made: &[u8], name: &str) {
    let text = std::fs::read_to_string(fixture("think/think_expect.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let expected = all[name].as_object().unwrap();
    let made = book(made);
    let sfens: BTreeSet<_> = made.keys().collect();
    assert_eq!(sfens, expected.keys().collect(), "{name}");
    for (sfen, moves) in &made {
        let wanted = &expected[sfen];
        check(sfen, moves);
        assert_eq!(
            moves.len(),
            wanted["moves"].as_u64().unwrap() as usize,
            "{sfen}"
        );
        let legal = Position::from_sfen(sfen).unwrap().moves::<Legal>().len();
        assert!(moves.len() <= legal);
        for words in moves {
            assert_eq!(words[3], wanted["depth"].to_string(), "{name}: {sfen}");
        }
    }
}

/// A folder with the records, and with `th1.db` under the name `start`, if one is given.
fn folder(start: &str) -> TestFolder {
    let folder = folder_with(&["think/tg.sfen", "think/tgb.sfen", "think/tgw.sfen"]);
    if !start.is_empty() {
        let from = fixture("think/th1.db");
        std::fs::copy(from, folder.path(start)).unwrap();
    }
    folder
}

const QUICK: &str = "--quiet --hash 1 --multi 2";

#[track_caller]
fn run(folder: &TestFolder, line: &str) -> ProgramRun {
    folder.run(&format!("{line} {QUICK}")).silent()
}

#[test]
fn goldens() {
    for (name, line) in [
        ("th1.db", "think tg.sfen th1.db moves 6 depth 4 multipv 3"),
        (
            "thbw.db",
            "think bw tgb.sfen tgw.sfen thbw.db moves 5 depth 2 multipv 3",
        ),
        (
            "thn.db",
            "think tg.sfen thn.db moves 2 depth 30 nodes 2000 multipv 3",
        ),
    ] {
        let folder = folder("");
        run(&folder, line);
        expected(&folder.read(name), name);
        // Nothing is left to do, nor lies about.
        let before = folder.read(name);
        let again = run(&folder, line);
        assert!(again.text().contains("thought   = 0"), "{again:?}");
        assert!(folder.read(name) == before);
        assert_eq!(folder.names(), ["tg.sfen", "tgb.sfen", "tgw.sfen", name]);
    }
}

#[test]
fn goldens_of_books_that_are_there() {
    let before = book(&std::fs::read(fixture("think/th1.db")).unwrap());
    for (name, line) in [
        ("th2.db", "think tg.sfen th2.db moves 6 depth 4 multipv 3"),
        ("th3.db", "think tg.sfen th3.db moves 6 depth 4 multipv 5"),
        ("th4.db", "think tg.sfen th4.db moves 6 depth 3 multipv 5"),
        (
            "th5.db",
            "think tg.sfen th5.db startmoves 3 moves 4 depth 5 multipv 1",
        ),
    ] {
        let folder = folder(name);
        let old = folder.read(name);
        run(&folder, line);
        let new = folder.read(name);
        expected(&new, name);
        let golden = book(&std::fs::read(fixture(&format!("think/{name}"))).unwrap());
        let new_book = book(&new);
        for (sfen, moves) in &before {
            // Entries that the other program left unchanged are unchanged here too, lines included.
            assert_eq!(
                golden[sfen] == *moves,
                new_book[sfen] == *moves,
                "{name}: {sfen}"
            );
        }
        assert_eq!(old == new, matches!(name, "th2.db" | "th4.db"), "{name}");
    }
}

#[test]
fn parts_make_the_whole() {
    let folder = folder("");
    let mut all = BTreeMap::new();
    for part in 1..=3 {
        let name = format!("thc{part}.db");
        run(
            &folder,
            &format!("think tg.sfen {name} moves 6 depth 2 multipv 3 cluster {part} 3"),
        );
        let positions = book(&folder.read(&name));
        assert_eq!(positions.len(), 6);
        for (sfen, moves) in positions {
            assert!(all.insert(sfen, moves).is_none(), "twice");
        }
        // The same part in the other notation.
        let shard = format!("--shard {}/3", part - 1);
        run(
            &folder,
            &format!("think tg.sfen same.db moves 6 depth 2 multipv 3 {shard}"),
        );
        assert!(folder.read("same.db") == folder.read(&name));
        std::fs::remove_file(folder.path("same.db")).unwrap();
    }
    run(&folder, "think tg.sfen whole.db moves 6 depth 2 multipv 3");
    assert_eq!(book(&folder.read("whole.db")), all);
    folder
        .run("think tg.sfen x.db cluster 4 3")
        .refused(2, &["cluster 4 3"]);
}

#[test]
fn marks_and_events() {
    let folder = folder("");
    let line = "think tg.sfen book.db moves 6 depth 1";
    let marks = run(&folder, &format!("{line} --classic-progress"))
        .text()
        .to_owned();
    assert_eq!(
        marks.lines().next(),
        Some(format!("{}S", ".".repeat(18)).as_str())
    );
    std::fs::remove_file(folder.path("book.db")).unwrap();
    let saving = format!("{line} --classic-progress book_save_interval 0");
    let marks = run(&folder, &saving).text().to_owned();
    let marks = marks.lines().next().unwrap();
    assert!(marks.contains(".S") && marks.ends_with('s'), "{marks}");
    assert_eq!(marks.matches('.').count(), 18);
    std::fs::remove_file(folder.path("book.db")).unwrap();
    let out = run(&folder, &format!("{line} --json")).text().to_owned();
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    assert_eq!(
        (kinds("begin"), kinds("position"), kinds("end")),
        (1, 18, 1)
    );
    let end = events.last().unwrap();
    assert_eq!(
        (&end["complete"], &end["thought"]),
        (&true.into(), &18.into())
    );
    assert_eq!(end["moves"], 54);
    assert!(events.iter().any(|event| event["depth"] == 1));
}

#[test]
fn few_moves_are_enough_where_there_are_no_more() {
    let folder = TestFolder::new();
    // A bare king in the corner against one in the middle: three moves. Then mate in one, a mate, and
    // declaration.
    folder.write(
        "p.sfen",
        "sfen 8k/9/9/9/4K4/9/9/9/9 w - 1\n\
         sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n\
         sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2\n",
    );
    let line = "think p.sfen book.db depth 3 multipv 4 --json";
    let end = |run: ProgramRun| -> Value {
        serde_json::from_str(run.text().lines().last().unwrap()).unwrap()
    };
    let first = end(run(&folder, line));
    assert_eq!((&first["found"], &first["ended"]), (&3.into(), &1.into()));
    assert_eq!(first["thought"], 2);
    let made = book(&folder.read("book.db"));
    let king = &made["8k/9/9/9/4K4/9/9/9/9 w - 1"];
    assert_eq!(king.len(), 3, "{king:?}");
    let mate = &made["4k4/9/4P4/9/9/9/9/9/4K4 b G 1"];
    assert_eq!(
        (mate[0][0].as_str(), mate[0][2].as_str()),
        ("G*5b", "31999")
    );
    assert_eq!(mate[0][1], "none");
    for (sfen, moves) in &made {
        check(sfen, moves);
    }
    let again = end(run(&folder, line));
    assert_eq!((&again["known"], &again["thought"]), (&2.into(), &0.into()));
}

#[test]
fn what_is_known_at_a_smaller_ply_stays_there() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    let folder = TestFolder::new();
    folder.write("p.sfen", format!("sfen {start} 5\n"));
    let old = |depth| format!("#YANEURAOU-DB2016 1.00\nsfen {start} 3\n9g9f none 7 {depth} 1\n");
    let line = "think p.sfen book.db depth 2 multipv 1 --lf";
    for (depth, stays) in [(9, true), (2, true), (1, false)] {
        folder.write("book.db", old(depth));
        run(&folder, line);
        let made = book(&folder.read("book.db"));
        assert_eq!(made.len(), 1);
        let moves = &made[&format!("{start} 3")];
        assert_eq!(
            moves[0][0] == "9g9f" && moves[0][2] == "7",
            stays,
            "{depth}"
        );
    }
    // At a greater ply it is another position, which then gives way.
    folder.write("book.db", old(9).replace(" 3\n", " 7\n"));
    run(&folder, line);
    assert!(book(&folder.read("book.db")).contains_key(&format!("{start} 5")));
}

#[test]
fn the_depth_that_was_reached() {
    let folder = folder_with(&["think/tg.sfen"]);
    let line = "think tg.sfen book.db moves 3 depth 40 nodes 400 --reached-depth count 5";
    run(&folder, line);
    let made = book(&folder.read("book.db"));
    let depths: BTreeSet<i32> = made
        .values()
        .flatten()
        .map(|words| words[3].parse().unwrap())
        .collect();
    assert!(
        depths.iter().all(|depth| (0..40).contains(depth)),
        "{depths:?}"
    );
    assert!(depths.iter().any(|&depth| depth > 0));
    assert!(made.values().flatten().all(|words| words[4] == "5"));
    let again = run(&folder, line);
    assert!(again.text().contains("thought   = 0"), "{again:?}");
}

#[test]
fn mistakes_are_told() {
    let folder = folder("");
    folder.write("e.json5", "{ENGINE_SETTING: [{pth: 'x'}]}");
    for (line, code, words) in [
        ("think tg.sfen", 2, "FILES"),
        ("think tg.sfen book.ybb", 1, ".db"),
        ("think bw tg.sfen book.db", 2, "think bw needs"),
        ("think absent.sfen book.db", 1, "absent.sfen"),
        ("think tg.sfen absent/book.db", 1, "absent"),
        ("think tg.sfen book.db depth 0", 2, "0"),
        ("think tg.sfen book.db journal_flush often", 2, "often"),
        ("think tg.sfen book.db --option NoSuch=1", 2, "NoSuch"),
        ("think tg.sfen book.db --option MultiPV=2", 2, "--multipv"),
        (
            "think tg.sfen book.db --queue nats://a",
            2,
            "--serve or --work",
        ),
        ("think tg.sfen book.db --serve", 2, "--queue"),
        (
            "think tg.sfen book.db --queue nats://a --serve --shard 0/2",
            2,
            "--shard",
        ),
        (
            "think tg.sfen book.db cluster 1 2 --queue nats://a --work",
            2,
            "--cluster",
        ),
        (
            "think tg.sfen book.db --queue nats://[ --work",
            1,
            "queue nats://[",
        ),
        (
            "think tg.sfen book.db --engines e.json5",
            1,
            "unknown key \"pth\"",
        ),
        (
            "endless_extend_tree book.db absent.txt t.txt",
            1,
            "absent.txt",
        ),
        (
            "endless_extend_tree book.db tg.sfen t.txt --queue nats://a",
            2,
            "--serve or --work",
        ),
        (
            "endless_extend_tree book.db tg.sfen t.txt --work",
            2,
            "--queue",
        ),
        (
            "endless_extend_tree book.db tg.sfen t.txt --queue nats://[ --serve",
            1,
            "queue nats://[",
        ),
        ("s_tera --queue nats://a", 2, "--serve or --work"),
        ("s_tera --queue nats://a --serve --work", 2, "--work"),
        ("s_tera --ahead 4", 2, "--queue"),
        ("s_tera --queue nats://a --serve --ahead 0", 2, "0"),
        (
            "s_tera write_book book.db --queue nats://[ --serve",
            1,
            "queue nats://[",
        ),
    ] {
        folder.run(&format!("{line} -q")).refused(code, &[words]);
    }
    let names = folder.names();
    assert_eq!(names, ["e.json5", "tg.sfen", "tgb.sfen", "tgw.sfen"]);
    folder.write("book.db", "#YANEURAOU-DB2016 1.00\nsfen x\n");
    let failed = folder.run("think tg.sfen book.db -q");
    failed.refused(1, &["book.db: line 2"]);
    assert!(!folder.names().contains(&"book.db.journal".to_owned()));
}

#[test]
fn a_book_grows_as_the_golden_one_did() {
    let folder = folder_with(&["endless_extend_tree/ex_startpos.txt"]);
    let before = std::fs::read(fixture("endless_extend_tree/endless_in.db")).unwrap();
    folder.write("endless.db", &before);
    let line = "endless_extend_tree endless.db ex_startpos.txt endless_think.txt depth 2 startmoves 1 \
                moves 8 loop 2 black_eval_limit -50 white_eval_limit -150 nodes 100000 multipv 3 --json";
    let out = run(&folder, line).text().to_owned();
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str, key: &str| -> Vec<u64> {
        let kind = events.iter().filter(|event| event["event"] == kind);
        kind.map(|event| event[key].as_u64().unwrap()).collect()
    };
    // The first round follows from the book alone.
    assert_eq!(of("begin", "to_do")[0], 32);
    assert_eq!(of("listed", "loop"), [0, 1]);
    assert_eq!(
        of("end", "thought"),
        [of("grown", "thought").iter().sum::<u64>()]
    );
    let (old, new) = (book(&before), book(&folder.read("endless.db")));
    let added: Vec<_> = new
        .iter()
        .filter(|(sfen, _)| !old.contains_key(*sfen))
        .collect();
    assert_eq!(added.len() as u64, of("end", "thought")[0]);
    for (sfen, moves) in &old {
        assert_eq!(&new[sfen], moves);
    }
    for (sfen, moves) in added {
        check(sfen, moves);
        let legal = Position::from_sfen(sfen).unwrap().moves::<Legal>().len();
        assert_eq!(moves.len(), legal.min(3));
        assert!(moves.iter().all(|words| words[3] == "2"));
    }
    let listed = String::from_utf8(folder.read("endless_think.txt")).unwrap();
    assert!(
        listed
            .lines()
            .all(|line| line.starts_with("startpos moves "))
    );
}

#[test]
fn growing_ends_when_nothing_is_left() {
    let folder = TestFolder::new();
    folder.write("roots.txt", "startpos\n");
    let line = "endless_extend_tree book.db roots.txt think.txt depth 1 moves 3 multipv 2 nodes 500 \
                black_eval_limit -9999 white_eval_limit -9999";
    let end = |out: &str| -> Value { serde_json::from_str(out.lines().last().unwrap()).unwrap() };
    let whole = end(run(&folder, &format!("{line} --json")).text());
    // The start, two moves, at most two replies to each.
    let thought = whole["thought"].as_u64().unwrap();
    assert!((5..=7).contains(&thought), "{thought}");
    let grown = folder.read("book.db");
    assert_eq!(book(&grown).len() as u64, thought);
    let again = end(run(&folder, &format!("{line} --json")).text());
    assert_eq!(again["thought"], 0);
    assert!(folder.read("book.db") == grown);
    // As often as is asked for.
    std::fs::remove_file(folder.path("book.db")).unwrap();
    let once = end(run(&folder, &format!("{line} loop 1 --json")).text());
    assert_eq!(once["thought"], 1);
}

/// Engines that say of an error while they get ready would search with something else than they were told.
#[cfg(unix)]
#[test]
fn an_engine_that_says_of_an_error_stops_every_command() {
    let folder = folder("th1.db");
    UsiScript::new("e 1")
        .ready("echo 'info string Error! : no network'")
        .go("echo info depth 1 score cp 1 pv resign; echo bestmove resign")
        .write(&folder.path("engine"));
    folder.write("roots.txt", "startpos\n");
    for line in [
        "think tg.sfen new.db depth 1",
        "mine new.db --roots roots.txt --nodes 10 --positions 1",
        "s_tera write_book new.db think_limit 3",
        "endless_extend_tree new.db roots.txt think.txt depth 1 moves 3 nodes 10",
        "analyze th1.db -o new.db --nodes 10",
    ] {
        let line = format!("{line} --engine ./engine -q");
        let words = ["engine ./engine: e 1 says", "Error! : no network"];
        folder.run(&line).failed(1, &words);
        assert!(!folder.path("new.db").exists(), "{line}");
    }
}
