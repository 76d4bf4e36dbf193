//! `kifu` as people and scripts run it.

mod archives;

use assert_cmd::Command;
use test_support::{ProgramRun, TestFolder, fixture};

fn kifu(folder: &TestFolder, args: &str) -> ProgramRun {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifu"));
    let output = command
        .current_dir(folder.path(""))
        .args(args.split(' '))
        .output()
        .unwrap();
    ProgramRun::new(output)
}

fn games() -> TestFolder {
    let folder = TestFolder::new();
    for name in [
        "game.kif",
        "game-sjis.kif",
        "game.ki2",
        "game.csa",
        "game.jkf",
    ] {
        std::fs::copy(fixture(format!("kifu/{name}")), folder.path(name)).unwrap();
    }
    folder
}

const MOVES: &str = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b 4e3d 2b3c 3d4e resign\n";

#[test]
fn one_of_two_runs_on_an_output_wins() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_kifu"));
    test_support::one_of_two_runs_wins(program, "convert game.kif -o out.csa -q", |folder| {
        std::fs::copy(fixture("kifu/game.kif"), folder.path("game.kif")).unwrap();
    });
}

#[test]
fn every_format_gives_the_same_line() {
    let folder = games();
    kifu(&folder, "convert . -o all.sfen").succeeded();
    assert_eq!(folder.read("all.sfen"), MOVES.repeat(5).as_bytes());
    kifu(
        &folder,
        "convert *.kif --to csa --out-dir out --encoding sjis --line-ends crlf",
    )
    .succeeded();
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 2);
    let run = kifu(&folder, "convert out/game.csa -o - --to usi").succeeded();
    assert_eq!(run.text(), MOVES);
}

#[test]
fn conversions_tell_what_is_left_out() {
    let folder = games();
    let run = kifu(&folder, "convert game.kif -o x.csa").succeeded();
    assert!(run.err.contains("3 variations"), "{}", run.err);
    let run = kifu(&folder, "convert game.kif -o y.csa --json").succeeded();
    let told = run.json();
    assert_eq!(
        (&told["written"], &told["losses"]["variations"]),
        (&1.into(), &3.into())
    );
    kifu(&folder, "convert game.kif -o x.csa").failed(1, &["x.csa exists", "--force"]);
    kifu(&folder, "convert game.kif -o x.csa --force").succeeded();
    kifu(&folder, "convert game.kif -o game.kif").failed(1, &["game.kif"]);
    kifu(&folder, "convert game.kif -o x.abc").failed(2, &["--to FORMAT"]);
}

#[test]
fn bad_games_stop_or_are_counted() {
    let folder = TestFolder::new();
    folder.write("a.csa", "V2.2\n+\n+7776FU\n/\n+\n+7775XX\n/\n+\n+2726FU\n");
    kifu(&folder, "convert a.csa -o a.sfen").failed(1, &["a.csa: line 6: expected a move"]);
    assert_eq!(folder.names(), ["a.csa"]);
    let run = kifu(&folder, "convert a.csa -o a.sfen --skip-bad")
        .failed(1, &["a.csa: line 6", "2 read, 2 written, 1 bad"]);
    assert!(run.out.is_empty());
    assert_eq!(
        folder.read("a.sfen"),
        b"startpos moves 7g7f\nstartpos moves 2g2f\n"
    );
    let run = kifu(&folder, "check a.csa --json").failed(1, &[]);
    let told = run.json();
    assert_eq!(
        (&told["games"], &told["bad"], &told["problems"][0]["line"]),
        (&2.into(), &1.into(), &6.into())
    );
    folder.write("b.csa", "+\n+7775FU\n");
    let run = kifu(&folder, "check b.csa").succeeded();
    assert!(
        run.text().contains(
            "line 1: the game ends with the illegal move 7g7e, move 1: the piece does not move so"
        ),
        "{}",
        run.text()
    );
    folder.write("c.txt", "hello");
    kifu(&folder, "check c.txt").failed(1, &[]);
    kifu(&folder, "convert c.txt -o c.kif").failed(1, &["c.txt", "no game record"]);
    kifu(&folder, "convert z*.kif -o c.kif").failed(2, &["no file is named"]);
}

#[test]
fn games_are_counted_selected_and_split() {
    let folder = games();
    let run = kifu(&folder, "stats . --json").succeeded();
    let told = run.json();
    assert_eq!(
        (
            &told["games"],
            &told["outcomes"]["black"],
            &told["endings"]["投了"]
        ),
        (&5.into(), &5.into(), &5.into())
    );
    kifu(&folder, "stats . --html stats.html").succeeded();
    assert!(
        String::from_utf8(folder.read("stats.html"))
            .unwrap()
            .contains("7g7f 3c3d 8h2b+ 3a2b")
    );
    assert!(
        kifu(&folder, "stats game.kif")
            .succeeded()
            .text()
            .contains("先手太郎 (won 1, lost 0)")
    );
    kifu(&folder, "filter . -o none.kif --min-moves 10").failed(1, &["no game is left"]);
    kifu(&folder, "filter game.kif game.csa -o some.kif --player 太郎 --since 2024 --until 2024/01 --ending TORYO --outcome black").succeeded();
    let run = kifu(&folder, "split some.kif --out-dir parts").succeeded();
    assert!(run.err.contains("files: 2"), "{}", run.err);
    kifu(&folder, "check parts").succeeded();
    kifu(&folder, "filter . -o x.kif --since soon").failed(2, &["--since"]);
}

#[test]
fn boards_are_shown() {
    let folder = games();
    let run = kifu(&folder, "show game.kif --ply 5").succeeded();
    assert!(
        run.text().contains("先手の持駒：なし") && run.text().contains("後手の持駒：角"),
        "{}",
        run.text()
    );
    assert!(
        kifu(&folder, "show game.csa --svg")
            .succeeded()
            .text()
            .starts_with("<svg")
    );
    // A picture beside the text.
    let run = kifu(&folder, "show game.csa --svg board.svg").succeeded();
    assert!(run.text().contains("sfen ") && folder.read("board.svg").starts_with(b"<svg"));
    let kept = "board.svg exists";
    kifu(&folder, "show game.csa --svg board.svg").failed(1, &[kept]);
    let run = kifu(&folder, "show game.csa --memory 1M");
    assert!(run.code == Some(2) && run.err.contains("unexpected argument '--memory'"));
    assert_eq!(
        kifu(&folder, "show game.csa --json").succeeded().json()["ply"],
        9
    );
    kifu(&folder, "show game.kif --ply 10").failed(1, &["9 moves"]);
    kifu(&folder, "show game.kif --game 2").failed(1, &["no game 2"]);
}

#[test]
fn fouls_are_named_and_cost_no_game() {
    let folder = TestFolder::new();
    std::fs::copy(
        fixture("kifu/field/11-foul-in-the-middle.kif"),
        folder.path("old.kif"),
    )
    .unwrap();
    let run = kifu(&folder, "check old.kif").succeeded();
    let expected = "old.kif: line 1: move 11, P*7e, is against the rules: two pawns in a file (二歩); the game goes on\ngames: 1 good, 0 bad\n";
    assert_eq!(run.text(), expected);
    let told = kifu(&folder, "check old.kif --json").succeeded().json();
    assert_eq!(
        (&told["fouls"][0]["number"], &told["fouls"][0]["foul"]),
        (&11.into(), &"two pawns in a file".into())
    );
    let run = kifu(&folder, "convert old.kif -o - --to usi").succeeded();
    assert!(
        run.text().contains(" P*7e P*2c 2d2h resign"),
        "{}",
        run.text()
    );
    let told = kifu(&folder, "show old.kif --json").succeeded().json();
    assert_eq!(told["ply"], 13);
}

#[test]
fn what_a_format_has_no_word_for_is_counted() {
    let folder = TestFolder::new();
    for (name, text) in [
        ("sealed.kif", "手合割：平手\n   1 ７六歩(77)\n   2 封じ手\n"),
        ("mate.kif", "手合割：平手\n   1 ７六歩(77)\n   2 61手詰\n"),
    ] {
        folder.write(name, text);
        let run = kifu(&folder, &format!("convert {name} -o again-{name}")).succeeded();
        assert!(!run.err.contains("left out"), "{}", run.err);
        let word = text.trim_end().rsplit(' ').next().unwrap();
        let again = String::from_utf8(folder.read(format!("again-{name}"))).unwrap();
        assert!(again.contains(word), "{again}");
    }
    let run = kifu(&folder, "convert sealed.kif -o sealed.csa").succeeded();
    assert!(run.err.contains("no place for it: 1 ending"), "{}", run.err);
    let run = kifu(&folder, "convert mate.kif -o mate.csa").succeeded();
    assert!(run.err.contains("1 word of an ending"), "{}", run.err);
}

#[test]
fn json_that_is_no_record_is_no_bad_game() {
    let folder = games();
    folder.write(
        "settings.json",
        r#"{"header": 1, "initial": [], "moves": 3}"#,
    );
    folder.write(
        "game.json",
        std::str::from_utf8(&folder.read("game.jkf")).unwrap(),
    );
    let told = kifu(&folder, "check . --json").succeeded().json();
    assert_eq!((&told["games"], &told["bad"]), (&6.into(), &0.into()));
    kifu(&folder, "check settings.json").failed(1, &[]);
}

#[test]
fn evaluations_are_counted_by_who_wrote_them() {
    let folder = TestFolder::new();
    for name in [
        "12-evaluation-in-a-comment.kif",
        "13-visits-behind-a-comma.csa",
    ] {
        std::fs::copy(fixture(format!("kifu/field/{name}")), folder.path(name)).unwrap();
    }
    let told = kifu(&folder, "stats . --json").succeeded().json();
    assert_eq!(
        (
            &told["evaluations"]["ShogiGUI"],
            &told["evaluations"]["AobaZero"]
        ),
        (&1.into(), &2.into())
    );
}

#[test]
fn openings_are_counted_and_selected_by_name() {
    let folder = TestFolder::new();
    folder.write(
        "games.sfen",
        "startpos moves 7g7f 3c3d 2g2f 8b4b\n\
         startpos moves 7g7f 3c3d 2g2f 9c9d 2f2e 2b8h+ 7i8h 3a2b 3i4h 8b4b resign\n\
         startpos moves 7g7f 3c3d 2g2f 4c4d 4g4f 8c8d 2h4h\n\
         startpos moves 7g7f 8c8d 7i6h\n\
         startpos moves 7g7f\n",
    );
    let json = kifu(&folder, "stats games.sfen --json").succeeded().json();
    let named = &json["named_openings"];
    assert_eq!(named["四間飛車"]["games"], 1);
    assert_eq!(
        named["角交換四間飛車"]["en"],
        "Bishop-Exchange Fourth-File Rook"
    );
    assert_eq!(
        (named["矢倉"]["games"].as_u64(), named[""]["games"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(json["openings"]["7g7f 3c3d 2g2f 8b4b"], 1);
    let run = kifu(&folder, "stats games.sfen").succeeded();
    assert!(
        run.text()
            .contains("右四間飛車 Right Fourth-File Rook (black won 0, white won 0)"),
        "{}",
        run.text()
    );
    let count = |name: &str| {
        let run = kifu(
            &folder,
            &format!("filter games.sfen -o - --to usi -q --opening {name}"),
        )
        .succeeded();
        run.text().lines().count()
    };
    assert_eq!(
        (count("四間飛車"), count("yagura"), count("右四間飛車")),
        (2, 1, 1)
    );
    kifu(&folder, "filter games.sfen -o x.sfen --opening 無い戦型")
        .failed(2, &["無い戦型", "no opening"]);
}

#[test]
fn analyses_are_those_of_the_engine() {
    let folder = games();
    let run = kifu(
        &folder,
        "analyze game.kif --json --depth 2 --threads 1 --hash 1",
    )
    .succeeded();
    assert_eq!(run.json()["moves"].as_array().unwrap().len(), 9);
    kifu(&folder, "analyze game.kif --memory 1G").failed(2, &["--memory"]);
    let help = kifu(&folder, "analyze --help").succeeded();
    assert!(
        help.text().contains("  kifu analyze games/ --out-dir")
            && !help.text().contains("yaneura analyze")
    );
}
