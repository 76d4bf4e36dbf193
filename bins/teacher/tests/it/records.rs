//! `convert` with game records (KIF, CSA …).

use serde_json::Value;

use crate::util::{Folder, golden, stems};

/// Two games as floodgate writes them, one that was broken off between them.
const FLOODGATE: &str = "\
V2\nN+a\nN-b\nPI\n+\n+7776FU\nT1\n'** 30 -3334FU\n-3334FU\nT1\n'** 25 +2726FU\n+2726FU\n-8384FU\n'** -40000\n%TORYO\n/
V2\nPI\n+\n+7776FU\n'** 10\n%CHUDAN\n/
V2\nN+a\nN-b\nPI\n+\n+2726FU\n'** 5\n'summary:time up:a win:b lose\n";

fn lines(folder: &Folder, name: &str) -> Vec<Value> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn floodgate_records_become_teacher_data_with_their_evaluations() {
    let folder = Folder::new();
    // Records are known by their contents.
    folder.write("games.txt", FLOODGATE);
    let run = folder.run("convert games.txt -o games.pack").succeeded();
    assert!(run.err.contains("2 games, 5 positions"), "{}", run.err);
    assert!(
        run.err
            .contains("1 move without an evaluation, written with score 0"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("1 game without a result, left out"),
        "{}",
        run.err
    );
    folder.run("check games.pack").succeeded();
    folder.run("convert games.pack --to jsonl").succeeded();
    let games = lines(&folder, "games.pack.jsonl");
    let scores = |game: &Value| {
        let plies = game["scores"].as_array().unwrap();
        plies
            .iter()
            .map(|score| score.as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    // Scores are those of the player to move.
    assert_eq!(scores(&games[0]), [30, -25, 0, 32767]);
    assert_eq!(scores(&games[1]), [5]);
    assert_eq!(
        (&games[0]["result"], &games[1]["result"]),
        (&2.into(), &1.into())
    );
    let run = folder.run("convert games.txt -o games.hcpe").succeeded();
    assert!(
        run.err.contains("1 move without an evaluation, left out"),
        "{}",
        run.err
    );
    assert_eq!(folder.read("games.hcpe").len(), 4 * 38);
    folder.run("convert games.pack -o zero.hcpe").succeeded();
    folder
        .run("convert games.txt -o games0.hcpe --no-score zero")
        .succeeded();
    assert!(folder.read("games0.hcpe") == folder.read("zero.hcpe"));
    folder
        .run("convert games.txt -o games.hcpe3 --no-score skip")
        .succeeded();
    let told = folder
        .run("convert games.hcpe3 -o last.jsonl --json")
        .succeeded()
        .json();
    assert_eq!(told["games"], 1);
    let told = folder
        .run("convert games.txt -o draws.pack --no-result draw --json")
        .succeeded()
        .json();
    assert_eq!(
        (&told["games"], &told["undecided"], &told["unscored"]),
        (&3.into(), &1.into(), &1.into())
    );
    folder
        .run("convert games.txt -o x.pack --no-score fail")
        .failed(1, &["games.txt: line 1: move 3 has no evaluation"]);
    folder
        .run("convert games.txt -o x.pack --no-result fail")
        .failed(1, &["line 17: ", "came out"]);
    folder
        .run("convert games.txt -o x.pack --no-result fail --recover")
        .failed(1, &["line 17: "]);
    assert_eq!(folder.read("x.pack"), folder.read("games.pack"));
}

#[test]
fn games_become_records_and_games_again() {
    for stem in stems("selfplay", "pack") {
        let folder = Folder::with(&[&format!("selfplay/{stem}.pack")]);
        for to in ["csa", "kif", "jkf", "ki2"] {
            let out = format!("out.{to}");
            folder
                .run(&format!("convert {stem}.pack -o {out}"))
                .succeeded();
            let told = folder
                .run(&format!(
                    "convert {out} -o {to}.jsonl --no-result draw --no-score zero --json"
                ))
                .succeeded()
                .json();
            folder
                .run(&format!("convert {stem}.pack -o {to}.expected.jsonl"))
                .succeeded();
            let (made, expected) = (
                lines(&folder, &format!("{to}.jsonl")),
                lines(&folder, &format!("{to}.expected.jsonl")),
            );
            assert_eq!(told["games"], expected.len(), "{stem}");
            for (made, expected) in made.iter().zip(&expected) {
                for field in ["start_sfen", "moves", "scores", "result"] {
                    // These have no place for the number of the first move.
                    if field != "start_sfen" || !["csa", "jkf"].contains(&to) {
                        assert_eq!(made[field], expected[field], "{stem}: {to}: {field}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_folder_of_records_is_one_input() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("d/2024")).unwrap();
    for (number, game) in FLOODGATE.split("/\n").enumerate() {
        folder.write(format!("d/2024/{number}.csa"), game);
    }
    folder.write("d/readme.txt", "no record");
    folder.write("games.csa", FLOODGATE);
    folder.run("convert d/ -o d.pack").succeeded();
    folder.run("convert games.csa -o games.pack").succeeded();
    assert_eq!(folder.read("d.pack"), folder.read("games.pack"));
    let input = folder.read("games.csa");
    folder
        .run_with_input("convert - --from csa -o stdin.pack", input)
        .succeeded();
    assert_eq!(folder.read("stdin.pack"), folder.read("games.pack"));
    folder.write("d/2024/9.csa", "V2\n+\n+7775XX\n");
    folder
        .run("convert d -o x.pack")
        .failed(1, &["9.csa: line 3: expected a move"]);
    folder
        .run("convert d -o x.pack --recover")
        .failed(1, &["9.csa: line 3"]);
    assert_eq!(folder.read("x.pack"), folder.read("games.pack"));
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::with(&["selfplay/short_n100_ply80.hcpe"]);
    folder.write("a.csa", "PI\n+\n+7776FU\n%TORYO\n");
    folder.write("b.csa", "PI\n+\n+7776FU\n");
    folder
        .run("convert short_n100_ply80.hcpe --to csa")
        .failed(2, &["hcpe cannot become csa"]);
    folder
        .run("convert a.csa --to kif")
        .failed(2, &["kifu convert"]);
    folder
        .run("convert a.csa --to hcpe")
        .failed(2, &["moves without an evaluation: 1"]);
    folder
        .run("convert b.csa --to pack")
        .failed(2, &["games without a result: 1"]);
    folder
        .run("convert a.csa --to hcpe --smoothing 3")
        .failed(2, &["smoothing"]);
    folder.write("x.txt", "hello");
    folder
        .run("convert x.txt --to pack")
        .failed(2, &["x.txt does not say the format"]);
    assert!(!golden("selfplay/short_n100_ply80.hcpe").is_empty());
}

/// Two moves of a game of `AobaZero`'s, with the visits of its search behind commas, and a clock of Bonanza's.
const VISITS: &str = "\
V2\nPI\n+\n+7776FU,'v=0.545,800,7776FU,400,2726FU,200\n-3334FU,'v=0.500,800,3334FU,800\n+2726FU\nT1      ,'000:01 \n%TORYO\n";

#[test]
fn visits_become_candidates_of_hcpe3() {
    let folder = Folder::new();
    folder.write("game.csa", VISITS);
    folder
        .run("convert game.csa -o game.hcpe3 --no-score zero")
        .succeeded();
    // A head of 36 bytes; 6 for each ply and 4 for each candidate, of which the last ply has the one that was played.
    let bytes = folder.read("game.hcpe3");
    assert_eq!(bytes.len(), 36 + 3 * 6 + (2 + 1 + 1) * 4);
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    // -ln(1 / 0.545 - 1) x 756.0865, then two candidates with their visits.
    assert_eq!((word(38), word(40)), (136, 2));
    assert_eq!((word(44), word(48)), (400, 200));
    assert_eq!((word(52), word(54), word(58)), (0, 1, 800));
    folder.run("check game.hcpe3").succeeded();
    // Other formats have the scores.
    folder.run("convert game.csa -o game.psv").succeeded();
    assert_eq!(folder.read("game.psv").len(), 2 * 40);
}
