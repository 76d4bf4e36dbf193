//! The program as a user runs it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use pack_format::EndReason;
use pack_format::pack::{Game, PackReader};

pub(crate) fn gensfen(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("gensfen").unwrap();
    command
        .current_dir(folder)
        .timeout(Duration::from_secs(120));
    for name in ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
        command.env_remove(name);
    }
    command
}

fn games(path: &Path) -> Vec<Game> {
    let bytes = fs::read(path).unwrap();
    PackReader::new(&bytes[..])
        .collect::<Result<_, _>>()
        .unwrap()
}

const SHORT: [&str; 4] = ["--run", "--nodes", "30", "-q"];

#[test]
fn games_without_any_settings() {
    let folder = tempfile::tempdir().unwrap();
    let run = gensfen(folder.path())
        .args(SHORT)
        .args(["--games", "4", "--multi", "2", "--json"])
        .assert()
        .success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["event"], &lines[0]["workers"]),
        (&"begin".into(), &2.into())
    );
    let played: Vec<_> = lines
        .iter()
        .filter(|line| line["event"] == "game")
        .collect();
    assert_eq!(played.len(), 4);
    assert!(played.iter().all(|game| game["worker"].as_u64() < Some(2)));
    let end = lines.last().unwrap();
    assert_eq!((&end["event"], &end["games"]), (&"end".into(), &4.into()));
    let path = folder.path().join(end["output"].as_str().unwrap());
    let games = games(&path);
    assert_eq!(games.len(), 4);
    let plies: usize = games.iter().map(|game| game.plies().len()).sum();
    assert_eq!(end["positions"], plies);
    assert!(plies > 0 && games.iter().all(|game| !game.contradicts_itself()));
    assert!(games.iter().any(|game| game.start().ply() == 17));
}

#[test]
fn workers_and_interruptions_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let play = |name: &str, more: &[&str]| {
        gensfen(folder.path())
            .args(SHORT)
            .args(["-o", name])
            .args(more)
            .assert()
    };
    play("one.pack", &["--games", "6", "--multi", "1"]).success();
    play("two.pack", &["--games", "6", "--multi", "3"]).success();
    let whole = fs::read(file("one.pack")).unwrap();
    assert_eq!(fs::read(file("two.pack")).unwrap(), whole);
    // Another seed, other games.
    play("seed.pack", &["--games", "6", "--seed", "2"]).success();
    assert_ne!(fs::read(file("seed.pack")).unwrap(), whole);
    // Games that are in the file already are not played again.
    play("one.pack", &["--games", "7"]).failure().code(1);
    // Shards are the same games, dealt out.
    for (shard, name) in [("0/2", "even.pack"), ("1/2", "odd.pack")] {
        play(name, &["--games", "6", "--shard", shard]).success();
    }
    let all = games(&file("one.pack"));
    let (even, odd) = (games(&file("even.pack")), games(&file("odd.pack")));
    let dealt: Vec<_> = even
        .into_iter()
        .zip(odd)
        .flat_map(|(a, b)| [a, b])
        .collect();
    assert_eq!(dealt, all);
}

#[cfg(unix)]
#[test]
fn a_full_disk_names_the_output_and_the_needed_space() {
    let folder = tempfile::tempdir().unwrap();
    let run = std::process::Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(assert_cmd::cargo::cargo_bin("gensfen"))
        .args(SHORT)
        .args(["--games", "100", "--multi", "2", "-o", "full.pack"])
        .output()
        .unwrap();
    let told = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{told}");
    assert!(
        told.contains("gensfen: full.pack: cannot be written: "),
        "{told}"
    );
    assert!(
        told.contains("is needed") && told.contains("finished games are safe"),
        "{told}"
    );
    // There is room again.
    gensfen(folder.path())
        .args(SHORT)
        .args(["--games", "100", "--multi", "2", "-o", "full.pack"])
        .assert()
        .success();
    assert_eq!(games(&folder.path().join("full.pack")).len(), 100);
}

/// The counts of a run that was interrupted are those of its files.
#[cfg(unix)]
#[test]
fn an_interrupted_run_counts_what_is_there() {
    use std::process::{Command as Program, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pack");
    let journal = folder.path().join("run.pack.journal");
    let mut before = 0;
    for _ in 0..2 {
        let begun = fs::metadata(&journal).map_or(0, |data| data.len());
        let child = Program::new(assert_cmd::cargo::cargo_bin("gensfen"))
            .args(["--run", "-q", "--json", "--nodes", "100", "--multi", "2"])
            .args(["--games", "100000", "-o", "run.pack"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while fs::metadata(&journal).map_or(0, |data| data.len()) <= begun + 1000 {
            assert!(Instant::now() < end, "nothing comes");
            std::thread::sleep(Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        let kill = Program::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
        let run = child.wait_with_output().unwrap();
        assert_eq!(run.status.code(), Some(130));
        let text = String::from_utf8(run.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<serde_json::Value> = lines.collect();
        let told = lines.iter().filter(|line| line["event"] == "game").count();
        let last = lines.last().unwrap();
        let there = games(&path).len();
        assert_eq!(last["games"], there - before);
        assert_eq!((told, &last["finished"]), (there - before, &there.into()));
        assert_eq!(last["total"], 100_000);
        before = there;
    }
}

#[test]
fn commands_from_the_keyboard() {
    let folder = tempfile::tempdir().unwrap();
    let run = |input: &str| {
        let args = ["--nodes", "10", "--games", "2", "-o", "typed.pack"];
        gensfen(folder.path())
            .args(args)
            .write_stdin(input.to_owned())
            .assert()
            .success()
    };
    let left = run("h\nwhat\nq\n");
    let told = String::from_utf8(left.get_output().stderr.clone()).unwrap();
    assert!(
        told.contains("pause") && told.contains("\"what\""),
        "{told}"
    );
    assert!(!folder.path().join("typed.pack").exists());
    // The end of the input is no command.
    run("g\n");
    assert_eq!(games(&folder.path().join("typed.pack")).len(), 2);
}

#[test]
fn the_extension_of_the_output_says_the_format() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("s.json5"),
        "{OUTPUT_FORMAT: 'pack', MULTIPV: 3}",
    )
    .unwrap();
    for more in [&["s.json5"][..], &[]] {
        let args = ["--games", "2", "--multi", "1", "-o", "x.hcpe3"];
        let mut run = gensfen(folder.path());
        let told = run.args(SHORT).args(args).args(more).assert().success();
        let told = String::from_utf8(told.get_output().stdout.clone()).unwrap();
        assert!(
            told.contains("games       : 2 (2 of 2 are there)"),
            "{told}"
        );
        let bytes = fs::read(folder.path().join("x.hcpe3")).unwrap();
        let read = pack_format::hcpe3::games(&bytes).collect::<Result<Vec<_>, _>>();
        assert_eq!(read.unwrap().len(), 2);
        for name in ["x.hcpe3", "x.hcpe3.json"] {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

#[test]
fn help_has_all_options_and_keys() {
    let folder = tempfile::tempdir().unwrap();
    let help = [&["--help"][..], &["starts", "--help"]].map(|args| {
        let run = gensfen(folder.path()).args(args).assert().success();
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    });
    let help = help.concat();
    let docs = include_str!("../../../../docs/gensfen.md");
    let japanese = include_str!("../../../../docs/gensfen.ja.md");
    let options = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"));
    let options: Vec<_> = options
        .map(|word| word.trim_end_matches([',', '.', ')']))
        .collect();
    assert!(options.len() > 20 && help.contains("Examples:"), "{help}");
    for option in options {
        assert!(
            docs.contains(option) && japanese.contains(option),
            "{option}"
        );
    }
    let keys = docs.split('`').filter(|word| {
        word.len() > 4
            && word
                .chars()
                .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    });
    let keys: Vec<_> = keys.filter(|key| !key.starts_with("SCHED")).collect();
    assert!(keys.contains(&"SAVE_INTERVAL") && keys.len() > 20);
    for key in keys {
        assert!(help.contains(key) && japanese.contains(key), "{key}");
    }
}

#[test]
fn starts_are_made_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let starts = |more: &[&str]| {
        let args = [
            "starts",
            "-q",
            "--count",
            "8",
            "--plies",
            "3..5",
            "--max-score",
            "400",
            "--option",
            "Evaluation=positional",
        ];
        let quick = ["--nodes", "60", "--move-nodes", "30", "--lines", "4"];
        let mut run = gensfen(folder.path());
        run.args(args).args(quick).args(more).assert()
    };
    let made = starts(&["-o", "starts.sfen", "--json"]).success();
    let text = String::from_utf8(made.get_output().stdout.clone()).unwrap();
    // The status of the run comes before it.
    let end: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&end["positions"], &end["complete"]),
        (&8.into(), &true.into())
    );
    let text = fs::read_to_string(folder.path().join("starts.sfen")).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    assert!(lines.iter().all(|line| line.starts_with("startpos moves ")));
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 8);
    // A file that exists is kept.
    starts(&["-o", "starts.sfen"]).failure().code(1);
    starts(&["-o", "more.sfen", "--starts", "starts.sfen"]).success();
    // Runs for teacher data, with other numbers of workers and an interruption.
    let play = |name: &str, more: &[&str]| {
        let args = ["--preset", "teacher", "--starts", "starts.sfen", "-o", name];
        gensfen(folder.path())
            .args(SHORT)
            .args(args)
            .args(["--option", "Evaluation=positional"])
            .args(more)
            .assert()
    };
    let forget = folder.path().join("s.json5");
    fs::write(forget, "{FORGET: true}").unwrap();
    play("one.pack", &["s.json5", "--games", "10", "--multi", "1"]).success();
    play("two.pack", &["s.json5", "--games", "10", "--multi", "3"]).success();
    let whole = fs::read(folder.path().join("one.pack")).unwrap();
    assert_eq!(fs::read(folder.path().join("two.pack")).unwrap(), whole);
    assert!(games(&folder.path().join("one.pack")).len() > 5);
}

#[test]
fn games_begin_at_balanced_positions() {
    let folder = tempfile::tempdir().unwrap();
    let lost = "4k4/9/9/9/9/9/9/9/R3K3R b 2G 1";
    fs::write(folder.path().join("starts"), format!("{lost}\nstartpos\n")).unwrap();
    let play = |name: &str, more: &[&str]| {
        let args = ["--games", "6", "--starts", "starts", "-o", name];
        let mut run = gensfen(folder.path());
        run.args(SHORT).args(args).args(more).assert().success();
        games(&folder.path().join(name))
    };
    let others = |games: &[Game]| {
        let is_initial = |game: &&Game| game.start().to_sfen().starts_with("lnsgkgsnl");
        games.len() - games.iter().filter(is_initial).count()
    };
    assert!(others(&play("all.pack", &[])) > 0);
    assert_eq!(
        others(&play("filtered.pack", &["--start-max-score", "300"])),
        0
    );
}

#[test]
fn mistakes_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |args: &[&str], code: i32, told: &str| {
        let run = gensfen(folder.path())
            .args(args)
            .assert()
            .failure()
            .code(code);
        let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(text.contains(told), "{args:?}: {text}");
    };
    fs::write(folder.path().join("s.json5"), "{NODE: 1}").unwrap();
    fails(&["s.json5", "--run"], 1, "did you mean \"NODES\"?");
    fs::write(folder.path().join("starts"), "startpos\n9/9\n").unwrap();
    fails(&["--run", "--starts", "starts"], 1, "starts: line 2");
    fails(&["--run", "--shard", "2/2"], 2, "2/2");
    fails(&["--run", "--option", "x"], 2, "NAME=VALUE");
    let alone = ["--run", "--games", "1", "--engine"];
    if cfg!(unix) {
        fails(&[&alone[..], &["false"]].concat(), 1, "no worker is left");
    }
    // Missing engines are told before anything is written.
    let missing = folder.path().join("engines/none.bat");
    let missing = missing.to_str().unwrap();
    for engine in [missing, "./engines/none", "no-such-engine"] {
        let told = format!("{engine}: there is no such file");
        let args = [&alone[..], &[engine, "-o", "missing.pack"]].concat();
        fails(&args, 1, &told);
    }
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), if cfg!(unix) { 3 } else { 2 }, "{names:?}");
    for (name, told) in [
        ("x.psv", "teacher convert FILE.pack --to psv"),
        ("x.hcpe", "teacher convert FILE.pack --to hcpe"),
        ("x", "expected .pack or .hcpe3"),
        ("x.pack.gz", "expected .pack or .hcpe3"),
    ] {
        fails(&["--run", "--games", "1", "-o", name], 2, told);
        assert!(!folder.path().join(name).exists());
    }
    fails(&["--run", "--nodes", "0"], 2, "0");
}

#[cfg(unix)]
mod engines {
    //! Engines that do what engines do when things go wrong.

    use test_support::UsiScript;

    use super::*;

    /// An engine with `answer` for `go`.
    fn script(answer: &str) -> UsiScript {
        UsiScript::new("e 1")
            .ready("echo >> \"$0.ready\"")
            .on("usinewgame", "echo >> \"$0.games\"")
            .go(answer)
    }

    /// Writes that engine.
    fn engine(folder: &Path, name: &str, answer: &str) -> String {
        let path = script(answer).write(&folder.join(name));
        path.to_str().unwrap().to_owned()
    }

    fn play(folder: &Path, engine: &str, settings: &str) -> (Vec<Game>, String) {
        let text = format!("{{ENGINE_SETTING: [{{path: '{engine}'}}], GAMES: 2, {settings}}}");
        fs::write(folder.join("s.json5"), text).unwrap();
        let run = gensfen(folder)
            .args(["s.json5", "--run", "-o", "out.pack"])
            .assert();
        let told = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        let path = folder.join("out.pack");
        (
            if path.exists() {
                games(&path)
            } else {
                Vec::new()
            },
            told,
        )
    }

    #[test]
    fn an_engine_that_says_of_an_error_stops_the_run() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::create_dir(folder.path().join("net")).unwrap();
        fs::write(folder.path().join("net/nn.bin"), "").unwrap();
        // It looks for its network where it is told.
        script("echo info score cp 1; echo bestmove resign")
            .option("EvalDir type string default eval")
            .on("*EvalDir*", "dir=${line##* }")
            .ready("[ -e \"$dir/nn.bin\" ] || echo info string Error! no $dir/nn.bin")
            .write(&folder.path().join("bin/e"));
        let run = |output: &str, more: &[&str]| {
            let args = ["--run", "--games", "2", "--engine", "bin/e", "--multi", "2"];
            let mut run = gensfen(folder.path());
            run.args(args).args(["-o", output]).args(more).assert()
        };
        let told = |run: &assert_cmd::assert::Assert| {
            String::from_utf8(run.get_output().stderr.clone()).unwrap()
        };
        let refused = run("refused.pack", &["--option", "EvalDir=nit"]).code(1);
        let text = told(&refused);
        for words in [
            "engine bin/e: e 1 says",
            "Error! no nit/nn.bin",
            "--allow-engine-errors",
        ] {
            assert!(text.contains(words), "{text}");
        }
        assert!(!folder.path().join("refused.pack").exists());
        let starts = [
            "starts",
            "--engine",
            "bin/e",
            "--count",
            "1",
            "-o",
            "starts.sfen",
        ];
        let starts = gensfen(folder.path()).args(starts).assert().code(1);
        assert!(
            told(&starts).contains("Error! no /nn.bin"),
            "{}",
            told(&starts)
        );
        // What exists here is found, though the engine runs in another folder.
        run("found.pack", &["--option", "EvalDir=net"]).success();
        assert_eq!(games(&folder.path().join("found.pack")).len(), 2);
        let allowed = ["--option", "EvalDir=nit", "--allow-engine-errors"];
        run("allowed.pack", &allowed).success();
    }

    #[test]
    fn an_illegal_move_loses() {
        let folder = tempfile::tempdir().unwrap();
        let path = engine(
            folder.path(),
            "e",
            "echo info score cp 1; echo bestmove 1a1a",
        );
        let (games, told) = play(folder.path(), &path, "RANDOM_PLIES: 0");
        assert!(told.contains("protocol violation"), "{told}");
        assert_eq!(games.len(), 2);
        assert!(
            games
                .iter()
                .all(|game| game.reason() == EndReason::ILLEGAL_MOVE)
        );
        assert!(
            games
                .iter()
                .all(|game| game.result().name() == "white" && game.plies().is_empty())
        );
    }

    #[test]
    fn engines_forget_before_each_game_unless_told_otherwise() {
        for (settings, ready) in [("SEED: 1", 3), ("FORGET: false", 1)] {
            let folder = tempfile::tempdir().unwrap();
            let path = engine(folder.path(), "e", "echo bestmove resign");
            let (games, _) = play(folder.path(), &path, settings);
            assert_eq!(games.len(), 2);
            let lines = |of: &str| fs::read(format!("{path}.{of}")).unwrap().len();
            assert_eq!((lines("ready"), lines("games")), (ready, 3), "{settings}");
        }
    }

    #[test]
    fn an_invalid_declaration_loses() {
        let folder = tempfile::tempdir().unwrap();
        let path = engine(folder.path(), "e", "echo bestmove win");
        let (games, _) = play(folder.path(), &path, "RANDOM_PLIES: 0");
        assert!(
            games
                .iter()
                .all(|game| game.reason() == EndReason::ILLEGAL_MOVE)
        );
        assert_eq!(games.len(), 2);
    }

    #[test]
    fn an_engine_that_hangs_loses_on_time() {
        let folder = tempfile::tempdir().unwrap();
        // It does not even listen to `stop`.
        let path = engine(folder.path(), "e", "sleep 60");
        let (games, _) = play(folder.path(), &path, "RANDOM_PLIES: 0, MOVE_TIMEOUT: 0.3");
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game.reason() == EndReason::TIME_UP));
    }

    #[test]
    fn a_crashed_engine_costs_the_game_and_not_the_run() {
        let folder = tempfile::tempdir().unwrap();
        // It dies once, in the middle of its first game.
        let die = "if [ -e died ]; then echo info score cp 5; echo bestmove resign; else touch died; exit 1; fi";
        let path = engine(folder.path(), "e", die);
        let (games, told) = play(folder.path(), &path, "RANDOM_PLIES: 2");
        assert!(told.contains("starting it again"), "{told}");
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game.reason() == EndReason::RESIGN));
    }

    #[test]
    fn garbage_costs_the_game_and_not_the_run() {
        let folder = tempfile::tempdir().unwrap();
        // Once: bytes that are no text, a line of megabytes, scores that are none, and a move that is none.
        let once = "printf 'info \\377 score cp\\n'; head -c 3000000 /dev/zero; echo; echo info score mate; \
                    echo bestmove none";
        let answer = format!(
            "if [ -e told ]; then echo info score cp 5; echo bestmove resign; else touch told; {once}; fi"
        );
        let path = engine(folder.path(), "e", &answer);
        let (games, told) = play(folder.path(), &path, "RANDOM_PLIES: 2");
        assert!(told.contains("bestmove none"), "{told}");
        assert_eq!(games.len(), 2);
        assert!(games.iter().all(|game| game.reason() == EndReason::RESIGN));
    }

    #[test]
    fn missing_scores_are_not_invented() {
        let folder = tempfile::tempdir().unwrap();
        let path = engine(folder.path(), "e", "echo bestmove 7g7f");
        let (games, told) = play(folder.path(), &path, "RANDOM_PLIES: 0");
        assert!(told.contains("no score"), "{told}");
        assert!(games.is_empty());
    }

    #[test]
    fn repetition_and_the_last_ply() {
        let folder = tempfile::tempdir().unwrap();
        // The rooks go to and fro.
        let answer = "n=$((n + 1)); case $((n % 4)) in 1) m=2h3h;; 2) m=8b7b;; 3) m=3h2h;; 0) m=7b8b;; esac; \
                      echo info score cp 7; echo bestmove $m";
        let path = engine(folder.path(), "e", answer);
        let (drawn, _) = play(folder.path(), &path, "RANDOM_PLIES: 0, GAMES: 1");
        // The initial position is there again after 4, 8 and 12 plies.
        assert_eq!(drawn[0].plies().len(), 12);
        assert_eq!(drawn[0].reason(), EndReason::REPETITION);
        fs::remove_file(folder.path().join("out.pack")).unwrap();
        let (short, _) = play(
            folder.path(),
            &path,
            "RANDOM_PLIES: 0, MAX_GAME_PLY: 8, GAMES: 1",
        );
        assert_eq!(
            (short[0].plies().len(), short[0].reason()),
            (8, EndReason::MAX_MOVES)
        );
    }
}

#[test]
fn the_moves_of_a_book_lead_to_starts() {
    let folder = tempfile::tempdir().unwrap();
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let book = format!("#YANEURAOU-DB2016 1.00\nsfen {start}\n7g7f 3c3d 0 0 1\n2g2f none 0 0 1\n");
    fs::write(folder.path().join("book.db"), book).unwrap();
    let play = |more: &[&str]| {
        let mut run = gensfen(folder.path());
        run.args(SHORT).args(["--games", "4"]).args(more).assert()
    };
    play(&["--starts", "book.db", "-o", "a.pack"]).success();
    let mut starts: Vec<_> = games(&folder.path().join("a.pack"))
        .iter()
        .map(|game| game.start().to_sfen())
        .collect();
    starts.sort();
    starts.dedup();
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9";
    assert_eq!(
        starts,
        [
            format!("{board}/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"),
            format!("{board}/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2"),
        ]
    );
    fs::write(folder.path().join("empty.db"), "#YANEURAOU-DB2016 1.00\n").unwrap();
    play(&["--starts", "empty.db", "-o", "b.pack"]).code(1);
}

#[cfg(target_os = "linux")]
#[test]
fn the_name_of_the_output_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    // As Shift_JIS has it.
    let name = OsStr::from_bytes(b"\x8b\xc7.pack");
    let run = gensfen(folder.path())
        .args(SHORT)
        .args(["--games", "2", "--json", "-o"])
        .arg(name)
        .assert()
        .success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(text.contains("\u{fffd}.pack"), "{text}");
    assert_eq!(games(&folder.path().join(name)).len(), 2);
}
