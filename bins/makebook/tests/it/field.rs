//! Books and records as other programs write them: comments, variations, scores, moves without values, books of `ShogiGUI`.

use test_support::TestFolder;

use crate::util::{Refused, RunMakebook, folder_with};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// A folder with the game that has variations.
fn variations() -> TestFolder {
    let folder = TestFolder::new();
    let path = test_support::fixture("trials/books/variations.kif");
    folder.write("games.kif", std::fs::read(path).unwrap());
    folder
}

fn text(folder: &TestFolder, name: &str) -> String {
    String::from_utf8(folder.read(name)).unwrap()
}

/// The moves of the book, as USI, with their counts.
fn moves(book: &str) -> Vec<(String, u64)> {
    let lines = book.lines().filter(|line| !line.starts_with(['#', 's']));
    let parse = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        (words[0].to_owned(), words[4].trim().parse().unwrap())
    };
    let mut moves: Vec<_> = lines.map(parse).collect();
    moves.sort();
    moves
}

/// Comments behind the fields of a move, below it, below a position, and about the book.
fn commented() -> String {
    format!(
        "#YANEURAOU-DB2016 1.00\n// mine\nsfen {START}\n#the start\n2g2f none 10 8 1 #second\n\
         7g7f 3c3d 20 8 9\n//best\n"
    )
}

#[test]
fn comments_are_kept_where_their_book_is_replaced() {
    let folder = TestFolder::new();
    for line in [
        "sort book.db book.db",
        "merge book.db book.db book.db",
        "unique book.db book.db --force",
        "unique book.db book.db --flip --force",
        "sort book.db out.db --comments keep",
        "merge book.db other.db out.db comments keep",
        "unique book.db out.db",
        "unique book.db out.db flip",
        "filter book.db out.db",
    ] {
        folder.write("book.db", commented());
        folder.write("other.db", commented());
        let run = folder.run(line).silent();
        assert!(run.text().contains("comments  = 4 kept"), "{line}: {run:?}");
        let name = if line.contains("out.db") {
            "out.db"
        } else {
            "book.db"
        };
        let book = text(&folder, name);
        for comment in [
            "// mine",
            "#the start",
            "2g2f none 10 8 1 #second",
            "//best",
        ] {
            assert_eq!(
                book.matches(comment).count(),
                1,
                "{line}: {comment}: {book}"
            );
        }
    }
}

#[test]
fn comments_that_are_left_out_are_counted() {
    let folder = TestFolder::new();
    folder.write("book.db", commented());
    for (line, told) in [
        (
            "sort book.db out.db",
            "comments  = 4 left out (--comments keep keeps them)",
        ),
        (
            "merge book.db book.db out.db",
            "left out (--comments keep keeps them)",
        ),
        (
            "filter book.db out.db --comments drop",
            "comments  = 4 left out",
        ),
        (
            "filter book.db out.db min_count 2",
            "comments  = 3 kept, 1 left out",
        ),
        ("convert book.db out.ybb", "left out  = 4 comments"),
        (
            "peta_shock book.db out.db",
            "comments           : 4 left out",
        ),
    ] {
        let run = folder.run(line).succeeded();
        assert!(run.text().contains(told), "{line}: {run:?}");
    }
    let json = folder.run("sort book.db out.db --json").silent().json();
    assert_eq!(
        (&json["comments"], &json["comments_left_out"]),
        (&0.into(), &4.into())
    );
    // Books without comments are not bothered.
    folder.run("sort out.db out.db").silent();
    let plain = folder.run("sort out.db out.db").silent();
    assert!(!plain.text().contains("comments"), "{plain:?}");
}

#[test]
fn moves_that_were_never_searched_are_told() {
    let folder = TestFolder::new();
    folder.write(
        "games.sfen",
        "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e\nstartpos moves 2g2f 8c8d 7g7f 3c3d 2f2e 4a3b\n",
    );
    folder.run("from_sfen games.sfen own.db moves 4").silent();
    let before = folder.read("own.db");
    let run = folder.run("think games.sfen own.db moves 4 nodes 100");
    let run = run.succeeded();
    assert!(run.text().contains("thought   = 0"), "{run:?}");
    assert!(
        run.text().contains("never searched (makebook analyze"),
        "{run:?}"
    );
    for word in ["Nothing to search", "depth 32", "makebook analyze own.db"] {
        assert!(run.err.contains(word), "{word}: {run:?}");
    }
    assert!(folder.read("own.db") == before);
    let json = folder.run("think games.sfen own.db moves 4 nodes 100 --json --quiet");
    let json = json.silent().json();
    assert!(json["known_without_value"].as_u64() > Some(5), "{json}");
    let info = folder.run("info own.db").silent();
    assert!(info.text().contains("without value   = "), "{info:?}");
    let check = folder.run("check own.db");
    assert!(check.text().contains("no value  = "), "{check:?}");
    // A book with values is not bothered.
    folder.write("valued.db", commented());
    let info = folder.run("info valued.db").silent();
    assert!(!info.text().contains("without value"), "{info:?}");
}

#[test]
fn merging_tells_of_values_that_are_passed_over() {
    let folder = TestFolder::new();
    let book = |line: &str| format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n{line}\n");
    folder.write("records.db", book("7g7f 3c3d 0 32 9"));
    folder.write("searched.db", book("2g2f 8c8d 30 8 1"));
    let line = "merge records.db searched.db both.db";
    let run = folder.run(line).silent();
    assert!(
        run.text().contains("no value  = 1 position, though"),
        "{run:?}"
    );
    assert!(text(&folder, "both.db").contains("7g7f 3c3d 0 32 9"));
    let run = folder.run(&format!("{line} --prefer-values")).silent();
    assert!(!run.text().contains("no value"), "{run:?}");
    assert!(text(&folder, "both.db").contains("2g2f 8c8d 30 8 1"));
}

#[test]
fn depths_of_a_peta_shock_book_are_explained() {
    let folder = folder_with(&["merge/mab.db"]);
    let run = folder.run("peta_shock mab.db peta.db").silent();
    assert!(run.text().contains("set BookDepthLimit to 0"), "{run:?}");
    let json = folder
        .run("peta_shock mab.db peta.db --json")
        .silent()
        .json();
    assert!(json["below_depth_limit"].as_u64() > Some(0), "{json}");
}

#[test]
fn variations_are_taken_or_told() {
    let folder = variations();
    let run = folder.run("from_sfen games.kif book.db");
    assert!(run.err.contains("2 variations left out"), "{run:?}");
    let main = [("3c3d".to_owned(), 1), ("7g7f".to_owned(), 1)];
    assert_eq!(moves(&text(&folder, "book.db")), main);
    folder
        .run("from_sfen games.kif book.db --variations")
        .silent();
    let all = ["2g2f", "3c3d", "6g6f", "7g7f", "7i6h", "8c8d", "8c8d"];
    let all: Vec<_> = all.map(|m| (m.to_owned(), 1)).into();
    assert_eq!(moves(&text(&folder, "book.db")), all);
    // Of the first two moves of every line.
    folder
        .run("from_sfen games.kif book.db variations moves 2")
        .silent();
    let two: Vec<_> = ["3c3d", "7g7f", "8c8d"].map(|m| (m.to_owned(), 1)).into();
    assert_eq!(moves(&text(&folder, "book.db")), two);

    let run = folder.run("startsfens games.kif starts.txt");
    assert!(run.err.contains("2 variations left out"), "{run:?}");
    let run = folder
        .run("startsfens games.kif starts.txt --variations")
        .silent();
    assert!(run.text().contains("positions = 7"), "{run:?}");
    let line = "extract_sfen_from_sfen games.kif list.txt";
    assert!(folder.run(line).err.contains("2 variations left out"));
    let run = folder.run(&format!("{line} --variations")).silent();
    assert!(run.text().contains("positions = 8"), "{run:?}");

    let think = "think games.kif thought.db depth 1 multipv 1 --hash 1 --quiet";
    let run = folder.run(think).succeeded();
    assert!(run.err.contains("2 variations left out"), "{run:?}");
    assert!(run.text().contains("positions = 4"), "{run:?}");
    let run = folder.run(&format!("{think} --variations")).silent();
    assert!(run.text().contains("positions = 8"), "{run:?}");
}

#[test]
fn scores_of_records_become_values() {
    let folder = TestFolder::new();
    let game = |comments: &str| {
        format!(
            "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ８四歩(83)\n   3 ６八飛(28)\n\
             \u{20}  4 ３四歩(33)\n   5 ６六歩(67)\n{comments}   7 ７七角(88)\n   8 ６二銀(71)\n"
        )
    };
    let scored = |value: i32, depth: u32, reply: i32| {
        game(&format!(
            "*互角\n*#評価値={value}\n*#読み筋=△８五歩\n*#深さ={depth}\n*#エンジン=MyEngine\n   6 ８五歩(84)\n\
             *#評価値={reply}\n*#深さ=14\n"
        ))
    };
    folder.write("a.kifu", scored(-102, 21, -97));
    folder.write("b.kifu", scored(-72, 31, -68));
    folder.write("c.kifu", game("   6 ８五歩(84)\n*#詰み=先手勝ち\n"));
    std::fs::create_dir(folder.path("games")).unwrap();
    for name in ["a.kifu", "b.kifu", "c.kifu"] {
        folder.write(format!("games/{name}"), folder.read(name));
    }
    let run = folder.run("from_sfen games book.db --scores").silent();
    assert!(run.text().contains("scored    = 2 moves"), "{run:?}");
    let book = text(&folder, "book.db");
    assert!(book.contains("6g6f 8d8e -72 31 3"), "{book}");
    // The values are those of the side that moves; a mate has no depth there.
    assert!(book.contains("8d8e 8h7g 97 14 3"), "{book}");
    assert!(book.contains("7g7f 8c8d 0 0 3"), "{book}");
    folder.run("from_sfen games book.db").silent();
    let book = text(&folder, "book.db");
    assert!(book.contains("6g6f 8d8e 0 32 3"), "{book}");
}

#[test]
fn a_list_may_stand_behind_its_book() {
    let folder = folder_with(&["extract/messy.db", "extract/games.sfen", "ybb/handicap.ybb"]);
    folder.run("extract_sfen_from_db messy.db a.txt").silent();
    folder
        .run("extract_sfen_from_db read_book messy.db write_sfen b.txt")
        .silent();
    folder
        .run("extract_sfen_from_db messy.db -o c.txt")
        .silent();
    folder
        .run("extract_sfen_from_db messy.db write_sfen d.txt")
        .silent();
    for name in ["b.txt", "c.txt", "d.txt"] {
        assert!(folder.read(name) == folder.read("a.txt"), "{name}");
    }
    folder
        .run("extract_sfen_from_sfen games.sfen e.txt")
        .succeeded();
    folder
        .run("extract_sfen_from_sfen read_sfen games.sfen write_sfen f.txt")
        .succeeded();
    assert!(folder.read("e.txt") == folder.read("f.txt"));
    for line in [
        "extract_sfen_from_db messy.db",
        "extract_sfen_from_db messy.db a.txt write_sfen b.txt",
        "extract_sfen_from_db messy.db a.txt -o b.txt",
        "extract_sfen_from_db messy.db read_book messy.db a.txt",
        "extract_sfen_from_db messy.db a.txt b.txt",
    ] {
        folder.run(line).refused(2, &[]);
    }
}

#[test]
fn binary_books_have_starts_too() {
    let folder = folder_with(&["ybb/handicap.ybb"]);
    folder.run("convert handicap.ybb handicap.db").silent();
    for options in ["", " --tips-only"] {
        folder
            .run(&format!("startsfens handicap.ybb a.txt{options}"))
            .silent();
        folder
            .run(&format!("startsfens handicap.db b.txt{options}"))
            .silent();
        let sorted = |name| {
            let mut lines: Vec<_> = text(&folder, name).lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert!(!sorted("a.txt").is_empty());
        assert_eq!(sorted("a.txt"), sorted("b.txt"), "{options}");
    }
}

#[test]
fn gaps_of_an_apery_book_are_played_over() {
    let folder = TestFolder::new();
    let line = |moves: &[&str]| {
        let mut position = shogi_core::Position::startpos();
        for m in moves {
            let m = position.move_from_usi(m).unwrap();
            let _ = position.do_move_unchecked(m);
        }
        position.to_sfen()
    };
    let (start, far) = (line(&[]), line(&["7g7f", "3c3d", "2g2f"]));
    folder.write(
        "gap.db",
        format!(
            "#YANEURAOU-DB2016 1.00\nsfen {start}\n7g7f none 1 1 1\nsfen {far}\n8c8d none 2 1 1\n"
        ),
    );
    folder.run("convert gap.db gap.bin").silent();
    let run = folder.run("convert gap.bin one.db").succeeded();
    assert!(run.err.contains("--unreg-depth"), "{run:?}");
    assert!(!text(&folder, "one.db").contains(&far));
    folder
        .run("convert_from_apery gap.bin two.db unreg_depth 2")
        .silent();
    assert!(text(&folder, "two.db").contains(&far));
    let run = folder
        .run("convert gap.bin none.db --unreg-depth 0")
        .succeeded();
    assert!(run.text().contains("positions = 1"), "{run:?}");
}

/// A field of a Protocol Buffers message.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, value.len() as u8][..], value].concat()
}

/// A number of one.
fn number(field: u8, mut value: u64) -> Vec<u8> {
    let mut bytes = vec![field << 3];
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[test]
fn books_of_shogi_gui_are_read() {
    let folder = TestFolder::new();
    let square = |file: u64, rank: u64| file << 4 | rank;
    // 7g7f, and 3c3d by white, whose bits make a negative number.
    let first = square(7, 6) << 8 | square(7, 7) | 1 << 24;
    let second = square(3, 4) << 8 | square(3, 3) | 0x11 << 24 | u64::MAX << 31;
    let mv = |bits, weight, next| {
        [
            number(1, bits),
            number(2, 2),
            number(3, weight),
            number(4, next),
        ]
        .concat()
    };
    let state = |id, moves: Vec<u8>, comment: &str| {
        let comment = field(8, comment.as_bytes());
        field(3, &[number(1, id), comment, field(9, &moves)].concat())
    };
    let book = [
        field(1, b"author"),
        state(0, mv(first, 5, 1), "the start"),
        state(1, mv(second, 300, u64::MAX), ""),
    ];
    folder.write("book.sbk", book.concat());
    let run = folder.run("convert book.sbk book.db --lf").silent();
    assert!(run.text().contains("comments  = 4 kept"), "{run:?}");
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    assert_eq!(
        text(&folder, "book.db"),
        format!(
            "#YANEURAOU-DB2016 1.00\n#author\nsfen {after}\n3c3d none 0 0 300\n#好手\n\
             sfen {START}\n#the start\n7g7f 3c3d 0 0 5\n#好手\n"
        )
    );
    let run = folder.run("convert book.sbk book.ybb").silent();
    assert!(run.text().contains("left out  = 4 comments"), "{run:?}");
    folder
        .run("sort book.sbk out.db")
        .refused(1, &["makebook convert book.sbk book.db"]);
    folder
        .run("info book.sbk")
        .refused(1, &["convert it first"]);
    folder
        .run("convert book.db book2.sbk")
        .refused(1, &["read, but not written"]);
    folder.write("bad.sbk", b"#YANEURAOU-DB2016 1.00\n");
    folder
        .run("convert bad.sbk out.db")
        .refused(1, &["bad.sbk: byte ", ".sbk book"]);
    assert!(!folder.path("out.db").exists());
}
