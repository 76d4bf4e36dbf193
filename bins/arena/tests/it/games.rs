//! Matches, gauntlets, round robins, ratings, losses, openings.

use std::fs;

use test_support::{TestFolder, wait_until};

use crate::engine::{WALKER, arena, lines, no_engine, program, script, start};

/// A folder with two walkers.
fn walkers() -> TestFolder {
    let folder = TestFolder::new();
    script(&folder, "a", WALKER);
    script(&folder, "b", WALKER);
    folder
}

#[test]
fn a_match_is_counted_and_resumes_after_a_kill() {
    let folder = walkers();
    let args = [
        "match",
        "./a,Quality=8",
        "./b,Quality=4",
        "--nodes",
        "10",
        "--games",
        "60",
        "--random-plies",
        "0",
        "--log",
        "match.jsonl",
        "--concurrency",
        "2",
        "--json",
    ];
    let mut first = start(&folder, &args);
    let log = folder.path("match.jsonl");
    wait_until(|| lines(&log) > 8, "nothing is played");
    first.kill();
    let before = lines(&log);
    assert!(before < 61, "too late: {before}");
    let run = arena(&folder, &args).succeeded();
    assert!(run.err.contains("Resuming after"), "{}", run.err);
    let json = run.json();
    assert_eq!(
        (json["wins"].as_u64(), json["losses"].as_u64()),
        (Some(60), Some(0))
    );
    assert_eq!(json["pairs"], serde_json::json!([0, 0, 0, 0, 30]));
    assert_eq!(json["endings"], serde_json::json!({"resign": 60}));
    assert_eq!(lines(&log), 61);
    // Complete: nothing is played again.
    let again = arena(&folder, &args).succeeded().json();
    assert_eq!(again, json);
    // Other settings are another match.
    let other: Vec<_> = args
        .iter()
        .map(|&arg| if arg == "10" { "11" } else { arg })
        .collect();
    arena(&folder, &other).failed(1, &["another match"]);
}

#[test]
fn the_sequential_test_ends_a_match() {
    let folder = walkers();
    let run = arena(
        &folder,
        &[
            "match",
            "./a,Quality=8",
            "./b,Quality=4",
            "--nodes",
            "10",
            "--random-plies",
            "0",
            "--elo0",
            "0",
            "--elo1",
            "200",
        ],
    );
    let run = run.succeeded();
    assert!(run.text().contains("200 Elo accepted"), "{}", run.text());
    // As many games as it takes: no number of games to play is said.
    assert!(run.err.contains("    1  A    "), "{}", run.err);
}

/// What each part of an engine is worth, from games in which half of them are there.
#[test]
fn parts_are_told_apart() {
    let folder = walkers();
    fs::write(
        folder.path("parts.txt"),
        "# of the walker\nendurance: Quality=3\n\nmood: Mood=sad\n",
    )
    .expect("written");
    let args = [
        "parts",
        "./a,Quality=8",
        "--parts",
        "parts.txt",
        "--nodes",
        "10",
        "--random-plies",
        "0",
        "--games",
        "64",
        "--log",
        "parts.jsonl",
        "--concurrency",
        "2",
    ];
    let mut first = start(&folder, &args);
    let log = folder.path("parts.jsonl");
    wait_until(|| lines(&log) > 8, "nothing is played");
    first.kill();
    assert!(lines(&log) < 65, "too late");
    let run = arena(&folder, &args).succeeded();
    assert!(run.err.contains("Resuming after"), "{}", run.err);
    let text = run.text();
    let row = |part: &str| {
        let row = text.lines().find(|line| line.starts_with(part));
        row.unwrap_or_else(|| panic!("no {part}: {text}"))
    };
    assert!(row("endurance").contains("+64 =0 -0"), "{text}");
    // The walker does not care; wins and losses are those of the other part.
    assert!(row("mood").contains("+32 =0 -32"), "{text}");
    let json = arena(&folder, &[&args[..], &["--json"]].concat());
    let json = json.succeeded().json();
    assert_eq!(json["parts"][0]["part"], "endurance");
    assert_eq!(json["parts"][0]["wins"], 64);
    assert_eq!(
        json["parts"][1]["pairs"],
        serde_json::json!([16, 0, 0, 0, 16])
    );
    // Other parts are another match; and what makes no part is told.
    let with = |part: &'static str| [&args[..], &["--part", part]].concat();
    arena(&folder, &with("more: Quality=1")).failed(1, &["Quality is there twice"]);
    arena(&folder, &with("more: Depth=1")).failed(1, &["no option Depth"]);
    arena(&folder, &with("more")).failed(2, &["NAME: OPTION=VALUE"]);
    fs::write(folder.path("parts.txt"), "endurance: Quality=3\nmood\n").expect("written");
    arena(&folder, &args).failed(1, &["parts.txt: line 2"]);
    fs::write(folder.path("parts.txt"), "endurance: Quality=3\n").expect("written");
    arena(&folder, &args).failed(1, &["another match"]);
    fs::write(folder.path("parts.txt"), "endurance: Quality=8\n").expect("written");
    arena(&folder, &args).failed(1, &["Quality=8 is what the engine has"]);
    fs::write(folder.path("parts.txt"), "endurance: Quality=21\n").expect("written");
    arena(&folder, &args).failed(1, &["Quality=21 is not a number from 0 to 20"]);
    fs::write(folder.path("parts.txt"), "# none\n").expect("written");
    arena(&folder, &args).failed(1, &["no parts"]);
}

/// The test ends the games when it has decided about every part.
#[test]
fn the_sequential_test_is_of_every_part() {
    let folder = walkers();
    let run = arena(
        &folder,
        &[
            "parts",
            "./a,Quality=8",
            "--part",
            "endurance: Quality=3",
            "--nodes",
            "10",
            "--random-plies",
            "0",
            "--elo0",
            "0",
            "--elo1",
            "200",
            "-q",
        ],
    );
    let run = run.succeeded();
    let row = run
        .text()
        .lines()
        .nth(1)
        .map(str::to_owned)
        .unwrap_or_default();
    assert!(
        row.ends_with(": 200 Elo") && !row.contains("+1000"),
        "{row}"
    );
}

#[test]
fn misbehaviour_is_seen_through() {
    // One test for what engines do wrong, as each wants a process.
    let folder = walkers();
    for (go, kind, told) in [
        ("echo bestmove 7g7e", "illegal_moves", "7g7e"),
        ("echo bestmove", "illegal_moves", "bestmove"),
        ("echo bestmove win", "illegal_moves", "win"),
        ("exit 1", "crashes", "Crash"),
        (
            "sleep 0.5; echo bestmove resign",
            "time_forfeits",
            "ms late",
        ),
    ] {
        script(&folder, "bad", go);
        let run = arena(
            &folder,
            &[
                "match",
                "./bad",
                "./a",
                "--movetime",
                "200",
                "--margin",
                "100",
                "--games",
                "2",
                "--random-plies",
                "0",
                "--json",
            ],
        );
        let run = run.failed(1, &[told]);
        let json = run.json();
        let violations = &json["engines"][0]["violations"];
        assert_eq!(violations[kind], 2, "{go}: {json}");
        assert_eq!(json["losses"], 2, "{go}");
    }
    // It dies in its first game and is started again.
    script(
        &folder,
        "bad",
        "if [ $games = 1 ]; then exit 1; else echo bestmove resign; fi",
    );
    let args = [
        "match",
        "./bad",
        "./a,Quality=0",
        "--nodes",
        "1",
        "--games",
        "3",
        "--random-plies",
        "0",
        "--json",
    ];
    let json = arena(&folder, &args).failed(1, &[]).json();
    assert_eq!(json["engines"][0]["violations"]["crashes"], 1, "{json}");
}

#[test]
fn engines_that_are_none_and_options_that_are_none_are_refused() {
    let folder = walkers();
    no_engine(&folder);
    for (a, words) in [
        ("./missing", &["missing"][..]),
        ("./nobody", &["nobody"]),
        ("./a,Moood=good", &["no option Moood"]),
    ] {
        arena(&folder, &["match", a, "./b", "--nodes", "1"]).failed(1, words);
    }
    arena(&folder, &["match", "./a", "./b"]).failed(2, &["no limit"]);
    arena(&folder, &["match", "./a,scale=x", "./b", "--nodes", "1"]).failed(2, &["scale=x"]);
    arena(&folder, &["gauntlet", "./a", "--nodes", "1"]).failed(2, &["two engines"]);
    arena(
        &folder,
        &["match", "./a", "./b", "--nodes", "1", "--queue", "nats://x"],
    )
    .failed(2, &["--serve"]);
}

#[test]
fn options_and_folders_are_the_engines_own() {
    let folder = walkers();
    // It plays the move that lies in its working folder, if it is in the mood.
    script(
        &folder,
        "moody",
        r#"if [ "$mood" = good ] && [ $plies = 0 ]; then echo bestmove $(cat move.txt); else echo bestmove resign; fi"#,
    );
    std::fs::create_dir(folder.path("work")).expect("a folder");
    folder.write("work/move.txt", "7g7f");
    let args = [
        "match",
        "./moody",
        "./moody",
        "--option-a",
        "Mood=good",
        "--dir-a",
        "work",
        "--nodes",
        "1",
        "--games",
        "1",
        "--log",
        "log",
        "--random-plies",
        "0",
        "-q",
    ];
    arena(&folder, &args).succeeded();
    let log = String::from_utf8(folder.read("log")).expect("text");
    assert!(log.contains("startpos moves 7g7f"), "{log}");
}

#[test]
fn everybody_plays_everybody_and_is_rated() {
    let folder = walkers();
    let args = [
        "round-robin",
        "./a,name=strong,Quality=9",
        "./a,name=middle,Quality=6",
        "./b,name=weak,Quality=3",
        "--nodes",
        "1",
        "--rounds",
        "3",
        "--random-plies",
        "0",
        "--log",
        "rr.jsonl",
        "--json",
        "--concurrency",
        "2",
    ];
    let mut first = start(&folder, &args);
    let log = folder.path("rr.jsonl");
    wait_until(|| lines(&log) > 3, "nothing is played");
    first.kill();
    let json = arena(&folder, &args).succeeded().json();
    assert_eq!(json["games"], 18);
    let names: Vec<_> = json["ratings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(names, ["strong", "middle", "weak"]);
    assert_eq!(json["engines"][0]["wins"], 12);
    // From the log.
    let rated = arena(&folder, &["rate", "rr.jsonl", "--json"])
        .succeeded()
        .json();
    assert_eq!(rated["ratings"], json["ratings"]);
    assert_eq!(rated["bounded"], false);
    let text = arena(&folder, &["rate", "rr.jsonl", "--anchor", "weak=1000"]).succeeded();
    let last = text.text().lines().last().expect("a line").to_owned();
    assert!(last.contains("weak") && last.contains("+1000.0"), "{last}");
    arena(&folder, &["rate", "rr.jsonl", "--anchor", "nobody=1"]).failed(1, &["nobody"]);
    arena(&folder, &["rate", "a"]).failed(1, &["line 1"]);
}

#[test]
fn a_gauntlet_is_the_first_against_all_others_also_from_a_file() {
    let folder = walkers();
    folder.write(
        "others.json5",
        "{ENGINE_SETTING: [{path: './a', name: 'six', options: {Quality: 6}}, {path: './b', name: 'three', options: {Quality: 3}}]}",
    );
    let run = arena(
        &folder,
        &[
            "gauntlet",
            "./a,name=four,Quality=4",
            "--engines",
            "others.json5",
            "--nodes",
            "1",
            "--rounds",
            "2",
            "--random-plies",
            "0",
        ],
    );
    let run = run.succeeded();
    assert!(
        run.text().contains("four - six: +0 =0 -4"),
        "{}",
        run.text()
    );
    assert!(
        run.text().contains("four - three: +4 =0 -0"),
        "{}",
        run.text()
    );
    assert!(!run.text().contains("six - three"), "{}", run.text());
}

#[test]
fn losses_are_judged_in_positions_of_a_log() {
    let folder = walkers();
    let args = [
        "match",
        "./a,Quality=12",
        "./b,Quality=12",
        "--nodes",
        "1",
        "--games",
        "4",
        "--random-plies",
        "0",
        "--log",
        "m.jsonl",
        "-q",
    ];
    arena(&folder, &args).succeeded();
    // The judge finds every position even and plays as the walkers do.
    script(
        &folder,
        "judge",
        &WALKER.replace(
            "if [ $side = 0 ]; then",
            "echo \"info depth 1 score cp 0\"; if [ $side = 0 ]; then",
        ),
    );
    let run = arena(
        &folder,
        &[
            "losses",
            "m.jsonl",
            "./a",
            "./b",
            "--judge",
            "./judge",
            "--from",
            "1",
            "--tail",
            "1",
            "--positions",
            "10",
            "--json",
            "--option",
            "Quality=20",
        ],
    );
    let json = run.succeeded().json();
    assert_eq!(json["losses"]["positions"], 10, "{json}");
    assert_eq!(json["losses"]["difference"], 0.0);
    arena(
        &folder,
        &[
            "losses", "m.jsonl", "./a", "./b", "--judge", "./a", "--from", "900",
        ],
    )
    .failed(1, &["too short"]);
}

#[test]
fn openings_are_those_of_gensfen() {
    let folder = TestFolder::new();
    // The program beside this one is asked, with the same arguments.
    let copy = folder.path("arena");
    fs::copy(crate::engine::ARENA, &copy).expect("a copy");
    program(
        &folder,
        "gensfen",
        "#!/bin/sh\nfor word; do echo \"[$word]\"; done\nexit 7\n",
    );
    let run = |args: &[&str]| {
        let limit = std::time::Duration::from_secs(60);
        test_support::run_program(&copy, &folder.path(""), args, Vec::new(), limit)
    };
    let made = run(&["openings", "--count", "5", "-o", "two words"]).failed(7, &[]);
    assert_eq!(made.text(), "[starts]\n[--count]\n[5]\n[-o]\n[two words]\n");
    assert_eq!(run(&["openings", "--help"]).text(), "[starts]\n[--help]\n");
}

#[test]
fn games_begin_with_records_and_become_records() {
    let folder = walkers();
    // The walkers' own first moves, and more than are taken.
    folder.write(
        "openings",
        "N+x\nPI\n+\n+2838HI\n-8272HI\n+7776FU\n%CHUDAN\n",
    );
    let args = [
        "match",
        "./a,Quality=5",
        "./b,Quality=3",
        "--nodes",
        "10",
        "--games",
        "2",
        "--openings",
        "openings",
        "--opening-plies",
        "2",
        "--log",
        "match.jsonl",
        "--records",
        "records",
        "-q",
    ];
    arena(&folder, &args).succeeded();
    let read = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    let game = read("records/game000001.csa");
    assert!(game.contains("N+a\nN-b\n$EVENT:match 1\n"), "{game}");
    assert!(game.contains("\n+2838HI\n-8272HI\n+3848HI\nT"), "{game}");
    assert!(game.contains("'** 0\n"), "{game}");
    assert!(
        game.contains("%TORYO\n'summary:resign:a win:b lose\n"),
        "{game}"
    );
    assert!(read("records/game000002.csa").contains("N+b\nN-a\n"));
    // The same from the log, and in other formats.
    let run = arena(&folder, &["records", "match.jsonl", "-o", "all.csa"]).succeeded();
    assert_eq!(run.text(), "games written: 2\n");
    let second = read("records/game000002.csa");
    assert_eq!(read("all.csa"), format!("{game}/\n{second}"));
    arena(&folder, &["records", "match.jsonl", "-o", "all.csa"]).failed(1, &["--force"]);
    arena(&folder, &["records", "match.jsonl", "-o", "all.kif"]).succeeded();
    assert!(read("all.kif").contains("先手：a\n"));
    let to_usi = [
        "records",
        "match.jsonl",
        "-o",
        "lines",
        "--to",
        "usi",
        "--json",
    ];
    assert_eq!(arena(&folder, &to_usi).succeeded().json()["games"], 2);
    assert!(read("lines").starts_with("startpos moves 2h3h 8b7b 3h4h "));
    arena(&folder, &["records", "match.jsonl", "-o", "lines2"]).failed(2, &["--to"]);
    // What was written is an opening again: both games begin alike.
    let again = [
        "match",
        "./a,Quality=3",
        "./b,Quality=3",
        "--depth",
        "1",
        "--games",
        "2",
        "-q",
    ];
    let again = [
        &again[..],
        &[
            "--openings",
            "all.kif",
            "--opening-plies",
            "4",
            "--log",
            "2.jsonl",
        ],
    ]
    .concat();
    arena(&folder, &again).succeeded();
    assert!(read("2.jsonl").contains("startpos moves 2h3h 8b7b 3h4h 7b6b"));
}
