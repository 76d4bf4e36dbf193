//! Files that are not what their names say, or hold nothing, and text as Windows writes it.

use std::path::{Path, PathBuf};
use test_support::TestFolder;

use crate::util::{Refused, RunMakebook, fixture};

const START: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const BOOK: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
3c3d 2g2f 0 20 4
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f 3c3d 50 20 5
2g2f 8c8d 40 20 3
";
const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f\nstartpos moves 2g2f 8c8d\n";

/// A file of a case from the field.
fn trial(name: &str) -> PathBuf {
    test_support::fixture(Path::new("trials/shogi").join(name))
}

fn with_trial(case: &str, names: &[&str]) -> TestFolder {
    let folder = TestFolder::new();
    for name in names {
        std::fs::copy(trial(case).join(name), folder.path(name)).unwrap();
    }
    folder
}

/// `text` as editors and shells of Windows save it, with the name of each form.
fn encoded(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let text = text.replace('\n', "\r\n");
    let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    vec![
        ("UTF-8", text.clone().into_bytes()),
        ("UTF-8, mark", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("UTF-16 LE, mark", [b"\xff\xfe", &le[..]].concat()),
        ("UTF-16 BE, mark", [b"\xfe\xff", &be[..]].concat()),
        ("UTF-16 LE", le),
        ("UTF-16 BE", be),
    ]
}

/// Every command with its inputs, as a command line with `book.db` or `games.sfen`, and its output.
const COMMANDS: [(&str, &str); 24] = [
    ("from_sfen games.sfen out.db", "out.db"),
    (
        "extract_sfen_from_sfen read_sfen games.sfen write_sfen out.txt",
        "out.txt",
    ),
    ("think games.sfen out.db nodes 1", "out.db"),
    ("merge book.db book.db out.db", "out.db"),
    ("sort book.db out.db", "out.db"),
    ("build_tree book.db out.db", "out.db"),
    (
        "stera_convert read_book book.db write_book out.db",
        "out.db",
    ),
    ("extend_tree book.db games.sfen out.txt", "out.txt"),
    (
        "extract_sfen_from_db read_book book.db write_sfen out.txt",
        "out.txt",
    ),
    ("startsfens book.db out.txt", "out.txt"),
    ("peta_shock book.db out.db", "out.db"),
    ("peta_shock_next book.db out.txt 3", "out.txt"),
    ("peta_shock_next2 book.db out.txt 3", "out.txt"),
    ("peta_next book.db --folder out", "out/think_sfens.txt"),
    ("convert book.db out.ybb", "out.ybb"),
    ("convert book.db out.bin", "out.bin"),
    ("unique book.db out.db", "out.db"),
    ("unique book.db out.db flip", "out.db"),
    ("filter book.db out.db", "out.db"),
    (
        "filter book.db out.db --reachable-from games.sfen",
        "out.db",
    ),
    ("info book.db", ""),
    ("check book.db", ""),
    ("diff book.db book.db", ""),
    ("lookup book.db startpos", ""),
];

/// The commands whose line has this word.
fn commands(word: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS
        .into_iter()
        .filter(move |(line, _)| line.contains(word))
}

#[test]
fn text_in_every_encoding_gives_the_same() {
    let lines = COMMANDS.iter().filter(|(line, _)| {
        // These name the encoding, or take engines, or a book with all moves.
        !["info", "check", "think", "stera"]
            .iter()
            .any(|word| line.starts_with(word))
    });
    for (line, output) in lines {
        let mut first: Option<(Vec<u8>, String)> = None;
        let games = if line.contains("reachable") {
            "startpos\n"
        } else {
            GAMES
        };
        for ((name, book), (_, games)) in encoded(BOOK).into_iter().zip(encoded(games)) {
            let folder = TestFolder::new();
            folder.write("book.db", book);
            folder.write("games.sfen", games);
            let run = folder.run(&format!("{line} --smallest-ply").replace(
                " --smallest-ply",
                if line.starts_with("convert") {
                    " --smallest-ply"
                } else {
                    ""
                },
            ));
            assert_eq!(run.code, Some(0), "{line} {name}: {run:?}");
            let written = if output.is_empty() {
                Vec::new()
            } else {
                folder.read(output)
            };
            let (bytes, told) = first.get_or_insert((written.clone(), run.text().to_owned()));
            assert!(*bytes == written && *told == run.text(), "{line} {name}");
        }
    }
}

#[test]
fn books_in_utf16_are_described() {
    for (name, book) in encoded(BOOK).into_iter().skip(2) {
        let folder = TestFolder::new();
        folder.write("book.db", book);
        let info = folder.run("info book.db").silent();
        assert!(
            info.text().contains("encoding        = UTF-16"),
            "{name}: {info:?}"
        );
        let check = folder.run("check book.db");
        assert_eq!(check.code, Some(1), "{name}: {check:?}");
        assert!(
            check.text().contains("other programs read UTF-8 only"),
            "{check:?}"
        );
        folder.run("sort book.db plain.db").silent();
        folder.run("check plain.db").silent();
    }
}

#[test]
fn files_of_another_kind_are_named() {
    let teacher = |name: &str| std::fs::read(fixture(&format!("../teacher/{name}"))).unwrap();
    let kinds: Vec<(&str, Vec<u8>)> = vec![
        ("a gzip file", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec()),
        ("a zip archive", b"PK\x03\x04\x14\0\0\0".to_vec()),
        ("a 7z archive", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec()),
        ("a zstd file", b"\x28\xb5\x2f\xfd\x04\0".to_vec()),
        ("a PNG picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        (
            "an HTML page",
            b"<!DOCTYPE html>\n<html><body>404 Not Found".to_vec(),
        ),
        (
            "KIF format",
            "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n".into(),
        ),
        (
            "KI2 format",
            "先手：甲\n後手：乙\n\n▲７六歩 △３四歩\n".into(),
        ),
        ("CSA format", b"V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n".to_vec()),
        ("an empty file", Vec::new()),
        ("nothing but zero bytes", vec![0; 4096]),
        (
            "a binary book in the .ybb format",
            b"YANE-BINBOOK-V1\0\0\0\0\0\0\0\0\0".to_vec(),
        ),
        ("PSV format", teacher("selfplay/short_n100_ply80.psv")),
        ("hcpe format", teacher("selfplay/short_n100_ply80.hcpe")),
        ("pack format", teacher("selfplay/short_n100_ply80.pack")),
        (
            "binary data",
            (0..400u32)
                .flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes())
                .collect(),
        ),
    ];
    for (name, bytes) in &kinds {
        let folder = TestFolder::new();
        folder.write("book.db", bytes);
        folder.write("games.sfen", GAMES);
        folder.write("good.db", BOOK);
        let is_record = ["KIF format", "KI2 format", "CSA format"].contains(name);
        for (line, output) in commands("book.db") {
            if is_record && line.starts_with("startsfens") {
                continue;
            }
            // A book that `check` cannot read is no finding.
            refused(&folder, line, output, &["book.db: this is ", name]);
        }
        folder.write("games.sfen", bytes);
        for (line, output) in commands("games.sfen").filter(|_| !is_record) {
            let line = line.replace("book.db", "good.db");
            refused(&folder, &line, output, &["games.sfen: this is ", name]);
        }
    }
}

/// Runs a command that must fail with one line, leaving its output as it was.
#[track_caller]
fn refused(folder: &TestFolder, line: &str, output: &str, words: &[&str]) {
    let output = if output.contains('/') { "" } else { output };
    if !output.is_empty() {
        folder.write(output, "what was there");
    }
    let run = folder.run(line).refused(1, words);
    assert_eq!(run.err.trim_end().lines().count(), 1, "{line}: {run:?}");
    if !output.is_empty() {
        assert_eq!(folder.read(output), b"what was there", "{line}");
        std::fs::remove_file(folder.path(output)).unwrap();
    }
}

#[test]
fn books_under_the_name_of_another_format_are_named() {
    let folder = TestFolder::new();
    folder.write("book.db", BOOK);
    folder.run("convert book.db real.ybb").silent();
    folder.run("convert book.db real.bin").silent();
    for (from, to, words) in [
        (
            "book.db",
            "a.ybb",
            ["a text book in the .db format", "name it .db"],
        ),
        (
            "book.db",
            "a.bin",
            ["a text book in the .db format", "name it .db"],
        ),
        (
            "real.ybb",
            "a.db",
            ["a binary book in the .ybb format", "name it .ybb"],
        ),
        (
            "real.ybb",
            "a.bin",
            ["a binary book in the .ybb format", "name it .ybb"],
        ),
    ] {
        std::fs::copy(folder.path(from), folder.path(to)).unwrap();
        let target = if to == "a.db" { "out.bin" } else { "out.db" };
        folder
            .run(&format!("convert {to} {target}"))
            .refused(1, &words);
    }
    std::fs::copy(folder.path("real.bin"), folder.path("b.db")).unwrap();
    folder.run("info b.db").refused(1, &["b.db: this is "]);
    // Games and books, one for the other.
    folder.write("games.db", GAMES);
    folder
        .run("info games.db")
        .refused(1, &["a list of games", "makebook from_sfen"]);
    folder
        .run("from_sfen book.db out.db")
        .refused(1, &["a text book in the .db format"]);
    folder.write("plain.db", BOOK.split_once('\n').unwrap().1);
    folder
        .run("from_sfen plain.db out.db")
        .refused(1, &["a text book in the .db format"]);
}

#[test]
fn nothing_usable_writes_nothing() {
    let empty_book = "#YANEURAOU-DB2016 1.00\r\n";
    let no_moves = format!("#YANEURAOU-DB2016 1.00\n{START}\n");
    for (line, output) in commands("book.db") {
        if line.starts_with("diff") {
            continue;
        }
        for (book, has_position) in [(empty_book, false), (&no_moves[..], true)] {
            let lists_positions = [
                "extract",
                "info",
                "peta_shock ",
                "build",
                "extend",
                "peta_next",
                "peta_shock_next",
            ];
            if has_position && lists_positions.iter().any(|word| line.starts_with(word)) {
                continue;
            }
            // Outside an empty book the root itself is what to search next.
            if !has_position
                && ["peta_shock_next", "peta_next", "extend"]
                    .iter()
                    .any(|word| line.starts_with(word))
            {
                continue;
            }
            let folder = TestFolder::new();
            folder.write("book.db", book);
            folder.write("games.sfen", GAMES);
            if !output.is_empty() {
                folder.write(output, "what was there");
            }
            let run = folder.run(line);
            assert_eq!(run.code, Some(1), "{line}: {run:?}");
            if !output.is_empty() {
                assert_eq!(folder.read(output), b"what was there", "{line}: {run:?}");
                assert!(run.err.contains("not written: "), "{line}: {run:?}");
            }
        }
    }
    for games in ["# nothing\n\n", "hello\nworld\n", "sfen 9/9 b - 1\n"] {
        for (line, output) in commands("games.sfen") {
            if line.starts_with("filter") || line.starts_with("extend") || line.starts_with("think")
            {
                continue;
            }
            if line.starts_with("extract") && games.starts_with("hello") {
                // The start of a game whose first move makes no sense is a position.
                continue;
            }
            let folder = TestFolder::new();
            folder.write("games.sfen", games);
            folder.write("book.db", BOOK);
            folder.write(output, "what was there");
            folder.run(line).refused(1, &[output, "not written: "]);
            assert_eq!(folder.read(output), b"what was there", "{line}");
        }
    }
}

#[test]
fn what_cannot_be_used_is_told_with_its_line() {
    let folder = TestFolder::new();
    folder.write(
        "games.sfen",
        "# a\nstartpos moves hello\n\nstartpos moves 7g7e 3c3d\n",
    );
    folder.run("from_sfen games.sfen out.db").refused(
        1,
        &[
            "out.db: not written: ",
            "games: 2",
            "2 lines cannot be used",
            "line 2: ",
            "line 4: illegal move 7g7e",
        ],
    );
    assert_eq!(folder.names(), ["games.sfen"]);
    folder.write(
        "games.sfen",
        "startpos moves 7g7f 3c3d\nstartpos moves 7g7e\n",
    );
    let run = folder.run("from_sfen games.sfen out.db");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.err.contains("games.sfen: line 2: illegal move 7g7e"),
        "{run:?}"
    );
    assert!(
        run.err.contains("1 line could not be used to the end"),
        "{run:?}"
    );
}

#[test]
fn thinking_about_nothing_writes_nothing() {
    let folder = TestFolder::new();
    folder.write("book.db", BOOK);
    folder.write("games.sfen", "# nothing\n");
    folder.run("think games.sfen book.db").refused(
        1,
        &["book.db: not written: no game or position is in games.sfen"],
    );
    folder.write("games.sfen", "startpos moves 7g7f\n");
    folder
        .run("think games.sfen book.db startmoves 9")
        .refused(1, &["no position that is asked for"]);
    assert_eq!(folder.read("book.db"), BOOK.as_bytes());
    assert_eq!(folder.names(), ["book.db", "games.sfen"]);
    folder.write("roots.txt", "# nothing\n");
    folder
        .run("endless_extend_tree book.db roots.txt list.txt")
        .refused(1, &["roots.txt: no game or position"]);
    folder
        .run("extend_tree book.db roots.txt list.txt")
        .refused(1, &["no game or position is in roots.txt"]);
}

#[test]
fn a_book_that_is_begun_may_be_an_empty_file() {
    let folder = TestFolder::new();
    folder.write("book.db", "");
    folder.write("games.sfen", "startpos\n");
    let run = folder.run("think games.sfen book.db nodes 1 --multipv 1");
    assert_eq!(run.code, Some(0), "{run:?}");
    let info = folder.run("info book.db").silent();
    assert!(info.text().contains("positions       = 1"), "{info:?}");
}

#[test]
fn unsorted_books_are_told_by_check() {
    let folder = with_trial("10-book-bom-crlf-unsorted", &["bom_crlf.db", "sorted.db"]);
    let run = folder.run("check bom_crlf.db");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.text().contains("smaller than the position before it"),
        "{run:?}"
    );
    let run = folder.run("check sorted.db");
    assert!(
        !run.text().contains("smaller than the position before it"),
        "{run:?}"
    );
    for name in ["bom_crlf.db", "sorted.db"] {
        let run = folder.run(&format!("lookup {name} startpos"));
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.text().contains("7g7f 3c3d 50 20 5"), "{run:?}");
    }
}

#[test]
fn fields_that_are_left_out_take_their_defaults() {
    let folder = with_trial(
        "11-book-fields-left-out",
        &["none.db", "omitted.db", "two.db"],
    );
    for (name, lines) in [
        ("none.db", ["7g7f 3c3d 0 0 5", "2g2f none 0 0 3"]),
        ("omitted.db", ["7g7f 3c3d 5 0 1", "2g2f none 3 0 1"]),
        ("two.db", ["7g7f 3c3d 0 0 1", "2g2f none 0 0 1"]),
    ] {
        let run = folder.run(&format!("lookup {name} startpos")).silent();
        for line in lines {
            assert!(run.text().contains(line), "{name}: {run:?}");
        }
    }
    let run = folder.run("check omitted.db");
    assert_eq!(run.code, Some(1), "{run:?}");
    for line in ["line 3", "line 4"] {
        assert!(run.text().contains(line), "{run:?}");
    }
}

#[test]
fn games_in_utf16_capitals_and_wide_blanks_are_read() {
    let names = ["book.db", "games.sfen", "upper.sfen", "zenkaku.sfen"];
    let folder = with_trial("12-files-in-utf16", &names);
    for (name, positions) in [("games.sfen", 2), ("upper.sfen", 2), ("zenkaku.sfen", 1)] {
        let run = folder
            .run(&format!("from_sfen {name} out.db --json"))
            .silent();
        let json = run.json();
        assert_eq!(
            (json["positions"].as_u64(), json["faults"].as_u64()),
            (Some(positions), Some(0)),
            "{name}"
        );
    }
    let run = folder.run("lookup book.db startpos").silent();
    assert!(run.text().contains("7g7f"), "{run:?}");
}

#[test]
fn positions_that_an_apery_book_loses_are_named() {
    let folder = with_trial("14-apery-book-with-gaps", &["gap.db"]);
    folder.run("convert gap.db x.bin").silent();
    let run = folder.run("convert x.bin back.db");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.text()
            .contains("left out  = 2 positions that cannot be reached"),
        "{run:?}"
    );
    for word in [
        "left out: key 0x",
        "moves 8c8d",
        "moves 2h2g",
        "--root-sfens-name",
    ] {
        assert!(run.err.contains(word), "{word}: {run:?}");
    }
    let json = folder.run("convert x.bin back.db --json").json();
    assert_eq!(json["lost"].as_array().unwrap().len(), 2);
    // With a root that leads there, nothing is lost.
    folder.write("roots.txt", "startpos\nstartpos moves 7g7f 3c3d 2g2f\nsfen lnsgkgsnl/1r5b1/p1pppp1pp/6p2/1p7/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL b - 9\n");
    let run = folder
        .run("convert x.bin back.db --root-sfens-name roots.txt")
        .silent();
    assert!(run.text().contains("positions = 3"), "{run:?}");
}

/// The same games in any format, in one file or a folder of files, whatever their names.
#[test]
fn games_are_read_in_every_format() {
    let kif = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了\n\n手合割：平手\n1 ２六歩(27)\n2 ８四歩(83)\n";
    let ki2 = "手合割：平手\n▲７六歩△３四歩▲２六歩\nまで3手で先手の勝ち\n\n手合割：平手\n▲２六歩△８四歩\n";
    let csa = "V2.2\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n/\nPI\n+\n+2726FU\n-8384FU\n";
    let folder = TestFolder::new();
    folder.write("games.sfen", GAMES);
    for (line, output) in [
        ("from_sfen games.sfen out.db", "out.db"),
        (
            "extract_sfen_from_sfen read_sfen games.sfen write_sfen out.txt",
            "out.txt",
        ),
        ("startsfens games.sfen out.txt", "out.txt"),
        ("startsfens games.sfen out.txt --tips-only", "out.txt"),
        ("extend_tree good.db games.sfen out.txt", "out.txt"),
    ] {
        folder.write("good.db", BOOK.replace("2g2f 8c8d 40", "1g1f 8c8d 40"));
        folder.run(line).silent();
        let expected = folder.read(output);
        for (name, text) in [("kif", kif), ("ki2", ki2), ("csa", csa)] {
            folder.write("records", text);
            folder
                .run(&format!(
                    "{} --force",
                    line.replace("games.sfen", "records")
                ))
                .silent();
            assert!(folder.read(output) == expected, "{line}: {name}");
        }
        std::fs::create_dir_all(folder.path("d/e")).unwrap();
        let (first, second) = csa.split_once("/\n").unwrap();
        folder.write("d/1.csa", first);
        folder.write("d/e/2.csa", second);
        folder.write("d/e/notes.txt", "nothing");
        folder
            .run(&format!("{} --force", line.replace("games.sfen", "d/")))
            .silent();
        assert!(folder.read(output) == expected, "{line}: a folder");
    }
    folder.write("d/e/2.csa", "V2.2\nPI\n+\n+7776FU\n-7776FU\n");
    let run = folder.run("from_sfen d out.db --force");
    assert!(
        run.text().contains("games     = 2") || run.err.contains("line 5"),
        "{run:?}"
    );
    folder
        .run("from_sfen d out.db --force --strict")
        .refused(1, &["2.csa: line 5"]);
}
