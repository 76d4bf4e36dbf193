//! `yaneura analyze`: tables, JSON, annotated records, pages; many games; interrupted runs.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use shogi_kifu::{CommentWriter, KifuFormat};
use test_support::{LongJob, ProgramRun, TestFolder, fixture};

use crate::util::PROGRAM;

/// Black's ninth move leaves the rook to a pawn.
const BLUNDER: &str = "\
手合割：平手
先手：太郎
後手：花子
手数----指手---------消費時間--
   1 ２六歩(27)   ( 0:03/00:00:03)
   2 ３四歩(33)   ( 0:05/00:00:05)
   3 ２五歩(26)   ( 0:10/00:00:13)
   4 ８四歩(83)   ( 0:01/00:00:06)
   5 ２六飛(28)   ( 0:20/00:00:33)
   6 ８五歩(84)   ( 0:01/00:00:07)
   7 ８六飛(26)   ( 0:20/00:00:53)
   8 同　歩(85)   ( 0:01/00:00:08)
   9 投了
";

fn analyze(folder: &TestFolder, args: &str) -> ProgramRun {
    let output = Command::new(PROGRAM)
        .current_dir(folder.path(""))
        .env_remove("LC_ALL")
        .env_remove("LC_MESSAGES")
        .env("LANG", "C")
        .arg("analyze")
        .args(args.split(' '))
        .output()
        .unwrap();
    ProgramRun::new(output)
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("game.kif", BLUNDER);
    folder
}

/// Options that give the same result on every machine.
const SAME: &str = "--depth 4 --threads 1 --hash 1";

#[test]
fn one_game_is_a_table() {
    let folder = folder();
    let run = analyze(&folder, &format!("game.kif {SAME}")).succeeded();
    let lines: Vec<&str> = run.text().lines().collect();
    assert!(lines[0].starts_with(" move played"), "{}", run.text());
    let blunder = lines
        .iter()
        .find(|line| line.contains("▲８六飛(26)"))
        .unwrap();
    assert!(
        blunder.contains("blunder (hanging piece)"),
        "{}",
        run.text()
    );
    assert!(
        run.text().contains("black 太郎: accuracy ")
            && run.text().contains("white 花子: accuracy "),
        "{}",
        run.text()
    );
    assert_eq!(
        analyze(&folder, &format!("game.kif {SAME}"))
            .succeeded()
            .text(),
        run.text()
    );
    let japanese = analyze(&folder, &format!("game.kif {SAME} --lang ja")).succeeded();
    assert!(
        japanese.text().contains("悪手 (駒損)") && japanese.text().contains("先手 太郎: 正確さ"),
        "{}",
        japanese.text()
    );
}

#[test]
fn json_is_one_object() {
    let folder = folder();
    let run = analyze(&folder, &format!("game.kif --json --multipv 2 {SAME}")).succeeded();
    let json = run.json();
    assert_eq!(json["players"], serde_json::json!(["太郎", "花子"]));
    let moves = json["moves"].as_array().unwrap();
    assert_eq!((moves.len(), json["outcome"].as_str()), (8, Some("white")));
    let worst = &moves[6];
    assert_eq!(
        (
            worst["move"].as_str(),
            worst["judge"].as_str(),
            worst["kind"].as_str()
        ),
        (Some("2f8f"), Some("blunder"), Some("hanging_piece"))
    );
    assert_eq!(worst["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(worst["reply"][0], "8e8f");
    assert_eq!(
        (
            worst["time_ms"].as_u64(),
            json["sums"][0]["hanging_pieces"].as_u64()
        ),
        (Some(20_000), Some(1))
    );
}

#[test]
fn annotated_records_have_the_same_evaluations() {
    let folder = folder();
    let json = analyze(&folder, &format!("game.kif --json {SAME}"))
        .succeeded()
        .json();
    for (name, writer) in [
        ("out.kif", CommentWriter::ShogiHome),
        ("out.jkf", CommentWriter::ShogiHome),
        ("out.csa", CommentWriter::Floodgate),
    ] {
        analyze(&folder, &format!("game.kif -o {name} -q {SAME}")).succeeded();
        let text = String::from_utf8(folder.read(name)).unwrap();
        let record = KifuFormat::of_extension(&name[4..])
            .unwrap()
            .read(&text)
            .unwrap();
        for (id, mv) in record.main_line().zip(json["moves"].as_array().unwrap()) {
            let found = &record.node(id).evaluations()[0];
            let score = mv["score"]["cp"].as_i64().unwrap();
            let score = if mv["side"] == "black" { score } else { -score };
            assert_eq!(
                (i64::from(found.score.centipawns()), found.writer),
                (score, writer),
                "{text}"
            );
        }
        assert!(record.variations() > 0 || name == "out.csa", "{text}");
        assert!(!folder.path(format!("{name}.journal")).exists());
    }
    analyze(&folder, &format!("game.kif -o out.kif {SAME}")).failed(1, &["out.kif", "exists"]);
    analyze(
        &folder,
        &format!("game.kif -o out.kif -q --force --variations 0 {SAME}"),
    )
    .succeeded();
    assert!(
        !String::from_utf8(folder.read("out.kif"))
            .unwrap()
            .contains("変化")
    );
    let standard = analyze(&folder, &format!("game.kif -o - --to usi {SAME}")).succeeded();
    assert!(standard.text().starts_with("startpos moves 2g2f"));
}

#[test]
fn pages_and_pictures_are_written() {
    let folder = folder();
    analyze(
        &folder,
        &format!("game.kif --svg g.svg --html g.html -q {SAME}"),
    )
    .succeeded();
    let [svg, page] = ["g.svg", "g.html"].map(|name| String::from_utf8(folder.read(name)).unwrap());
    assert!(svg.starts_with("<svg xmlns") && svg.contains("太郎 - 花子"));
    assert!(
        page.contains("blunder (hanging piece)")
            && page.contains("<figcaption>7 (black): ▲８六飛(26)")
    );
    folder.write("two.sfen", "startpos moves 7g7f\nstartpos moves 2g2f\n");
    analyze(&folder, &format!("two.sfen --svg x.svg {SAME}")).failed(2, &["--svg", "found 2"]);
    analyze(
        &folder,
        &format!("two.sfen --html two.html --lang ja -q {SAME}"),
    )
    .succeeded();
    let page = String::from_utf8(folder.read("two.html")).unwrap();
    assert!(page.contains("<html lang=\"ja\">") && page.contains("戦型別"));
}

#[test]
fn many_games_are_lines_and_sums() {
    let folder = folder();
    folder.write(
        "more.sfen",
        "startpos moves 7g7f 3c3d 2g2f 8b4b\nstartpos moves 7g7f 8c8d 7i6h\n",
    );
    let run = analyze(
        &folder,
        &format!("game.kif more.sfen --summary --player 太郎 {SAME}"),
    )
    .succeeded();
    let text = run.text();
    assert!(
        text.contains("Fourth-File Rook")
            && text.contains("Yagura")
            && text.contains("more.sfen:2"),
        "{text}"
    );
    assert!(
        text.contains("by part of the game") && text.contains("hanging piece"),
        "{text}"
    );
    let json = analyze(
        &folder,
        "game.kif more.sfen --summary --json --threads 2 --depth 3 --hash 1",
    )
    .succeeded();
    let lines: Vec<Value> = json
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines
            .iter()
            .filter_map(|line| line["game"].as_u64())
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert_eq!(lines[3]["summary"]["all"]["moves"], 15);
    analyze(
        &folder,
        &format!("game.kif more.sfen --out-dir out -q {SAME}"),
    )
    .succeeded();
    let records = String::from_utf8(folder.read("out/game.kif")).unwrap();
    assert!(records.contains("#評価値="));
    assert!(folder.path("out/more.sfen").exists() && !folder.path("out/analyze.journal").exists());
}

#[test]
fn a_book_says_where_the_game_left_it() {
    let folder = folder();
    let position = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    folder.write(
        "book.db",
        format!("#YANEURAOU-DB2016 1.00\nsfen {position}\n2g2f none 0 32 1\n"),
    );
    let json = analyze(&folder, &format!("game.kif --json --book book.db {SAME}"))
        .succeeded()
        .json();
    assert_eq!(
        (
            json["left_book_at"].as_u64(),
            json["moves"][0]["book"].as_str()
        ),
        (Some(1), Some("in"))
    );
    assert_eq!(json["moves"][1]["book"], "out");
}

#[test]
fn any_usi_engine_analyses() {
    let folder = folder();
    let run = analyze(
        &folder,
        &format!(
            "game.kif --json --engine {PROGRAM} --option Evaluation=material --depth 3 --threads 1 --hash 1"
        ),
    );
    let json = run.succeeded().json();
    assert!(
        json["engine"].as_str().unwrap().starts_with("yaneura"),
        "{json}"
    );
    assert_eq!(json["moves"][6]["kind"], "hanging_piece");
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder();
    folder.write(
        "bad.kif",
        "手合割：平手\n   1 ７七歩(77)\nnonsense\n   2 ９九玉(11)\n",
    );
    folder.write("bad.csa", "V2.2\nPI\n+\n+7775XX\n");
    analyze(&folder, "").failed(2, &["GAME"]);
    analyze(&folder, "none.kif").failed(1, &["none.kif"]);
    analyze(&folder, &format!("bad.csa {SAME}")).failed(1, &["bad.csa", "line 4"]);
    let run = analyze(
        &folder,
        &format!("bad.csa game.kif --skip-bad --json {SAME}"),
    );
    run.failed(1, &["bad.csa"]);
    analyze(&folder, "game.kif --option NoSuch=1 --depth 1").failed(2, &["NoSuch"]);
    analyze(&folder, "game.kif --option MultiPV=2 --depth 1").failed(2, &["--multipv"]);
    analyze(&folder, "game.kif --engine no-such-engine --depth 1").failed(1, &["no-such-engine"]);
    analyze(&folder, "game.kif --memory 1G").failed(2, &["--memory"]);
    analyze(&folder, "game.kif --book none.db --depth 1").failed(1, &["none.db"]);
    analyze(&folder, "game.kif -o out.txt --depth 1").failed(2, &["out.txt"]);
}

#[test]
fn a_journal_of_other_settings_is_refused() {
    let folder = folder();
    folder.write("games.sfen", "startpos moves 7g7f 3c3d\n".repeat(3));
    analyze(&folder, &format!("games.sfen -o out.kif -q {SAME}")).succeeded();
    // A journal that an interrupted run left: of other limits it stops the run.
    let identity = yane_io::RunIdentity::new("analyze 1").with("games", "others");
    let journal = yane_io::Journal::begin(
        &folder.path("new.kif.journal"),
        &identity,
        yane_io::Flush::Never,
    )
    .unwrap();
    drop(journal);
    analyze(&folder, &format!("games.sfen -o new.kif {SAME}"))
        .failed(1, &["another run", "--force"]);
    analyze(&folder, &format!("games.sfen -o new.kif -q --force {SAME}")).succeeded();
    assert_eq!(folder.read("new.kif"), folder.read("out.kif"));
}

#[cfg(unix)]
#[test]
fn an_analysis_that_is_killed_gives_the_same_record() {
    let line =
        "analyze games.sfen -o out.kif --html out.html --depth 3 --threads 2 --hash 1 --lang en -q";
    LongJob::new(Path::new(PROGRAM), line, &["out.kif", "out.html"]).survives_kills(|folder| {
        let game = std::fs::read_to_string(fixture("kifu/game.kif")).expect("a game");
        let game = KifuFormat::Kif.read(&game).expect("a game");
        let (line, _) = KifuFormat::Usi.write(&game, shogi_kifu::CsaVersion::V22);
        folder.write("games.sfen", line.repeat(12));
    });
}
