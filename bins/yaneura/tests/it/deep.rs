//! The deep engine from outside: registration, recorded sessions, limits, clocks, games, wrong models.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use shogi_core::{Game, Position};
use tempfile::TempDir;
use test_support::fixture_bytes;

use crate::conformance::{read, search};
use crate::gui::{check_shape, replay_with};
use crate::util::{Engine, copy_with, run_copy};

/// The program beside a folder `eval` that has a small network with random weights, and more files.
fn program(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let model = fixture_bytes("deep/mtiny.onnx");
    let mut all = vec![("eval/model.onnx", &model[..])];
    all.extend(files);
    copy_with(&all)
}

/// A deep engine with one thread and no mate search beside it, ready.
fn ready(program: &std::path::Path) -> Engine {
    let mut engine = Engine::start_program(program);
    engine.set(&[
        ("UCT_Threads", "1"),
        ("PV_Mate_Search_Threads", "0"),
        ("BookFile", "no_book"),
    ]);
    assert_eq!(engine.answer_of_isready(), "readyok");
    engine
}

/// The options of YaneuraOu's deep edition with their defaults and ranges; 0 of `UCT_Threads` and `DNN_Batch_Size` is what suits.
const KNOWN: [&str; 48] = [
    "USI_Ponder type check default false",
    "Stochastic_Ponder type check default false",
    "DepthLimit type spin default 0 min 0 max 2147483647",
    "NodesLimit type spin default 0 min 0 max 9223372036854775807",
    "MultiPV type spin default 1 min 1 max 600",
    "PV_Interval type spin default 500 min 0 max 2147483647",
    "MaxMovesToDraw type spin default 0 min 0 max 100000",
    "ReuseSubtree type check default true",
    "Eval_Coef type spin default 285 min 1 max 10000",
    "Resign_Threshold type spin default 0 min 0 max 1000",
    "UCT_NodeLimit type spin default 10000000 min 10 max 1000000000",
    "DrawValueBlack type spin default 500 min 0 max 1000",
    "DrawValueWhite type spin default 500 min 0 max 1000",
    "C_fpu_reduction type spin default 27 min 0 max 100",
    "C_fpu_reduction_root type spin default 0 min 0 max 100",
    "C_init type spin default 144 min 0 max 500",
    "C_base type spin default 28288 min 10000 max 100000",
    "C_init_root type spin default 116 min 0 max 500",
    "C_base_root type spin default 25617 min 10000 max 100000",
    "Softmax_Temperature type spin default 174 min 1 max 10000",
    "LeafDfpnNodesLimit type spin default 40 min 0 max 10000",
    "PV_Mate_Search_Threads type spin default 1 min 0 max 256",
    "PV_Mate_Search_Nodes type spin default 500000 min 0 max 4294967295",
    "GenerateAllLegalMoves type check default false",
    "EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule24 var CSARule24H \
     var CSARule27 var CSARule27H var TryRule",
    "NetworkDelay type spin default 400 min 0 max 10000",
    "NetworkDelay2 type spin default 1400 min 0 max 10000",
    "MinimumThinkingTime type spin default 2000 min 0 max 100000",
    "SlowMover type spin default 100 min 1 max 1000",
    "RoundUpToFullSecond type check default true",
    "EvalDir type string default eval",
    "Max_GPU type spin default 1 min 1 max 1024",
    "Disabled_GPU type string default <empty>",
    "UCT_Threads type spin default 0 min 0 max 256",
    "DNN_Model type string default model.onnx",
    "ModelArchitecture type combo default dlshogi-WCSC28 var dlshogi-WCSC28 var dlshogi-WCSC35",
    "DNN_Batch_Size type spin default 0 min 0 max 1024",
    "DNN_Runtime type combo default native var native var onnxruntime var cuda var tensorrt var directml var coreml var remote",
    "DNN_Library type string default <empty>",
    "DNN_Queue type combo default auto var auto var on var off",
    "DNN_Queue_Batch type spin default 0 min 0 max 1024",
    "DNN_Precision type combo default auto var auto var fp32 var fp16 var bf16",
    "DNN_Cache type spin default 256 min 0 max 65536",
    "DNN_Server type string default <empty>",
    "DNN_Server_Timeout type spin default 2000 min 10 max 600000",
    "DNN_Secret_File type string default <empty>",
    "BookFile type combo default standard_book.db var no_book var standard_book.db \
     var yaneura_book1.db var yaneura_book2.db var yaneura_book3.db var yaneura_book4.db \
     var user_book1.db var user_book2.db var user_book3.db var book.bin",
    "BookDir type string default book",
];

#[test]
fn registration_has_the_options_of_the_deep_edition() {
    let (_folder, program) = program(&[]);
    let mut engine = Engine::start_program(&program);
    engine.send("usi");
    let lines = engine.until("usiok");
    for known in KNOWN {
        let line = format!("option name {known}");
        assert!(lines.contains(&line), "{known}");
    }
    // Names of other deep engines, and one that says nothing here.
    engine.set(&[("Draw_Ply", "320"), ("Const_Playout", "12")]);
    for (name, value) in [("MaxMovesToDraw", "320"), ("NodesLimit", "12")] {
        let shown = engine.ask(&format!("getoption {name}"));
        assert_eq!(shown, format!("Options[{name}] = {value}"));
    }
    let line = engine.ask("setoption name DNN_Batch_Size2 value 1");
    assert!(line.contains("has no meaning here"), "{line}");
    let line = engine.ask("setoption name DNN_Model2 value other.onnx");
    assert!(line.contains("all cards evaluate DNN_Model"), "{line}");
    engine.send("isready");
    let lines = engine.until("readyok").join("\n");
    for part in [
        "info string ModelArchitecture = dlshogi-WCSC28, input1 = 62, input2 = 57",
        "info string Using 2 threads",
        "evaluation : deep (dlshogi-WCSC28, ",
    ] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    assert!(!lines.contains("Error!"), "{lines}");
    engine.quit();
}

#[test]
fn recorded_sessions_pass() {
    let (_folder, program) = program(&[]);
    for (name, go_count, answer) in [
        ("register.txt", 0, ""),
        ("game-byoyomi-ponder.txt", 5, "bestmove"),
        ("game-fischer-early-ponder.txt", 2, "bestmove"),
        ("two-games-one-process.txt", 2, "bestmove"),
        ("mate-with-play-engine.txt", 1, "checkmate"),
    ] {
        let searches = replay_with(Engine::start_program(&program), name);
        assert_eq!(searches.len(), go_count, "{name}");
        for lines in &searches {
            check_shape(lines, answer);
        }
    }
    let searches = replay_with(Engine::start_program(&program), "research-multipv.txt");
    for (lines, count) in searches.iter().zip([3, 2, 2]) {
        check_shape(lines, "bestmove");
        for number in 1..=count + 1 {
            let field = format!(" multipv {number} ");
            let is_there = lines.iter().any(|line| line.contains(&field));
            assert_eq!(is_there, number <= count, "{number} {lines:?}");
        }
    }
}

#[test]
fn playouts_are_counted_exactly() {
    let (_folder, program) = program(&[]);
    let mut engine = ready(&program);
    for (go, playouts) in [
        ("go nodes 50", 50),
        ("go nodes 1", 1),
        ("go nodes 777", 777),
    ] {
        engine.send("usinewgame");
        let output = search(&mut engine, "startpos moves 7g7f", go);
        assert_eq!(output.last().nodes, playouts, "{go}");
    }
    // What is known stays: the same playouts again reach deeper.
    let before = search(&mut engine, "startpos", "go nodes 400").last().depth;
    let after = search(&mut engine, "startpos", "go nodes 400");
    assert_eq!(after.last().nodes, 400);
    assert!(after.last().depth >= before);
    // Threads and batches do not change the number.
    engine.set(&[("UCT_Threads", "3"), ("DNN_Batch_Size", "8")]);
    assert_eq!(
        search(&mut engine, "startpos", "go nodes 501").last().nodes,
        501
    );
    // A limit as an option stands in place of the clock, and the size of the tree limits any search.
    engine.set(&[
        ("UCT_Threads", "1"),
        ("DNN_Batch_Size", "1"),
        ("NodesLimit", "33"),
    ]);
    let output = search(&mut engine, "startpos", "go btime 600000 wtime 600000");
    assert_eq!(output.last().nodes, 33);
    engine.set(&[("NodesLimit", "0"), ("UCT_NodeLimit", "100")]);
    engine.send("usinewgame");
    let output = search(&mut engine, "startpos", "go movetime 600000");
    assert_eq!(output.last().nodes, 100);
    engine.quit();
}

#[test]
fn lines_come_in_sets() {
    let (_folder, program) = program(&[]);
    let mut engine = ready(&program);
    engine.set(&[("MultiPV", "4")]);
    engine.send("position startpos");
    engine.send("go nodes 300");
    let lines = engine.until("bestmove");
    let infos: Vec<_> = lines
        .iter()
        .filter(|line| line.contains(" multipv "))
        .collect();
    assert_eq!(infos.len() % 4, 0, "{infos:?}");
    // The others tell how many playouts went through them, the best first.
    let nodes = |line: &&&String| -> u64 {
        let mut words = line.split(' ').skip_while(|word| *word != "nodes");
        words.nth(1).and_then(|word| word.parse().ok()).expect(line)
    };
    let last: Vec<u64> = infos[infos.len() - 4..]
        .iter()
        .map(|line| nodes(&line))
        .collect();
    assert_eq!(last[0], 300);
    assert!(last[1] >= last[2] && last[2] >= last[3] && last[1] + last[2] + last[3] < 300);
    let searched = "go nodes 60 searchmoves 1g1f 9g9f";
    engine.send(searched);
    let answer = engine.answer("bestmove");
    assert!(
        ["1g1f", "9g9f"].contains(&answer.split(' ').nth(1).unwrap()),
        "{answer}"
    );
    engine.quit();
}

#[test]
fn decisions_need_no_playout() {
    let (_folder, program) = program(&[]);
    let mut engine = ready(&program);
    let mated = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(search(&mut engine, mated, "go nodes 10").best, "resign");
    let entered = "sfen +P+P+P+P1K3/2+R+B+P+P3/1+N+L+S5/9/9/9/9/9/4k4 b R2G5Pb2g 150";
    assert_eq!(search(&mut engine, entered, "go nodes 10").best, "win");
    // Every position is worse than certainty.
    engine.set(&[("Resign_Threshold", "1000")]);
    assert_eq!(
        search(&mut engine, "startpos", "go nodes 10").best,
        "resign"
    );
    engine.set(&[("Resign_Threshold", "0")]);
    // A mate beside the playouts is played, with its length.
    engine.set(&[("PV_Mate_Search_Threads", "1"), ("LeafDfpnNodesLimit", "0")]);
    let mate = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
    let output = search(&mut engine, mate, "go movetime 5000");
    assert_eq!(
        (output.best.as_str(), output.last().score.as_str()),
        ("G*5b", "mate 1")
    );
    engine.quit();
}

#[test]
fn endless_searches_wait_for_a_stop() {
    let (_folder, program) = program(&[]);
    let mut engine = ready(&program);
    engine.set(&[
        ("PV_Interval", "50"),
        ("UCT_Threads", "2"),
        ("PV_Mate_Search_Threads", "1"),
    ]);
    for go in [
        "go infinite",
        "go ponder btime 1000 wtime 1000",
        "go infinite",
    ] {
        engine.send("position startpos moves 2g2f 8c8d");
        engine.send(go);
        engine.silent_for(Duration::from_millis(300));
        let begin = Instant::now();
        engine.send("stop");
        read("startpos moves 2g2f 8c8d", &engine.until("bestmove"), 1);
        assert!(
            begin.elapsed() < Duration::from_millis(400),
            "{:?}",
            begin.elapsed()
        );
    }
    // A tree that is full ends no endless search.
    engine.set(&[("UCT_NodeLimit", "10")]);
    engine.send("go infinite");
    engine.silent_for(Duration::from_millis(200));
    engine.send("stop");
    engine.until("bestmove");
    engine.set(&[("UCT_NodeLimit", "1000000")]);
    for (stochastic, hit) in [
        ("false", "ponderhit"),
        ("true", "ponderhit btime 0 wtime 0 byoyomi 300"),
    ] {
        engine.set(&[("Stochastic_Ponder", stochastic), ("USI_Ponder", "true")]);
        engine.send("position startpos moves 2g2f 8c8d");
        engine.send("go ponder btime 0 wtime 0 byoyomi 300");
        engine.silent_for(Duration::from_millis(150));
        engine.send(hit);
        let answer = engine.answer("bestmove");
        let game = shogi_core::parse_position_line("startpos moves 2g2f 8c8d").unwrap();
        let best = answer.split(' ').nth(1).unwrap();
        assert!(game.position().move_from_usi(best).is_ok(), "{answer}");
    }
    engine.quit();
}

#[test]
fn the_book_is_played_from() {
    let book = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n9g9f none 0 32 1\n";
    let (_folder, program) = program(&[("book/user_book1.db", book.as_bytes())]);
    let mut engine = ready(&program);
    engine.set(&[("BookFile", "user_book1.db")]);
    engine.answer_of_isready();
    engine.send("position startpos");
    engine.send("go nodes 10");
    assert_eq!(engine.answer("bestmove"), "bestmove 9g9f");
    engine.quit();
}

#[test]
fn other_commands_work() {
    let (_folder, program) = program(&[]);
    let commands =
        "position startpos , isready , e , eval , bench 5 , bench 1 2 40 current nodes , quit";
    let lines = run_copy(&program, commands, b"").join("\n");
    for part in [
        "\neval = ",
        "win rate of the side to move: ",
        "\npolicy: ",
        "Nodes searched: 24, time: ",
        "Nodes searched  : 40",
    ] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    assert!(!lines.contains("Error!"), "{lines}");
    for command in ["bench 1 1 1 current eval", "qsearch_psv a b"] {
        let lines = run_copy(&program, &format!("{command} , quit"), b"").join("\n");
        assert!(
            lines.contains("is about evaluations of the alpha-beta engine"),
            "{lines}"
        );
    }
    let saved = run_copy(&program, "isready , evalsave saved , quit", b"").join("\n");
    assert!(
        saved.contains("the evaluation `deep (dlshogi-WCSC28, "),
        "{saved}"
    );
}

#[test]
fn the_folder_decides() {
    let model = fixture_bytes("deep/mtiny.onnx");
    let (_folder, program) = copy_with(&[
        ("nets/model.onnx", &model),
        ("nets/model.onnx.ini", b"Eval_Coef=600\nUnknown=3\n"),
        ("other/best.onnx", &model),
        ("cut/model.onnx", &model[..model.len() / 2]),
        ("text/model.onnx", b"not a model"),
    ]);
    let mut engine = Engine::start_program(&program);
    engine.send("usi");
    let lines = engine.until("usiok");
    // Without a model the defaults are the other engine's.
    assert!(
        lines
            .contains(&"option name NetworkDelay type spin default 120 min 0 max 10000".to_owned())
    );
    let mut loaded = |options: &[(&str, &str)]| {
        engine.set(options);
        engine.send("isready");
        let lines = engine.until("readyok");
        let found = lines
            .iter()
            .find(|line| line.contains("evaluation : ") || line.contains("Error!"));
        found.cloned().unwrap_or_else(|| lines.join("\n"))
    };
    for (options, part) in [
        (&[("EvalDir", "nets")][..], "evaluation : deep ("),
        (&[("Evaluation", "material")], "evaluation : material"),
        (&[("Evaluation", "deep")], "evaluation : deep ("),
        (&[("EvalDir", "nets/model.onnx")], "evaluation : deep ("),
        (&[("EvalDir", "other")], "no model "),
        (&[("DNN_Model", "best.onnx")], "evaluation : deep ("),
        (
            &[("DNN_Model", "model.onnx"), ("Evaluation", "auto")],
            "if best.onnx is the model, set DNN_Model to best.onnx",
        ),
        (&[("EvalDir", "cut")], "no ONNX model"),
        (&[("EvalDir", "text")], "no ONNX model"),
        (&[("EvalDir", "nowhere")], "there is no such folder"),
        (&[("EvalDir", "nets")], "evaluation : deep ("),
        (&[("DNN_Precision", "bf16")], "factors of 16 bits"),
        (&[("DNN_Precision", "auto")], "evaluation : deep ("),
    ] {
        let line = loaded(options);
        assert!(line.contains(part), "{options:?}: {line}");
    }
    // A runtime that is not there is told of, and the program evaluates the model itself.
    engine.set(&[
        ("DNN_Library", "/nowhere/libonnxruntime.so"),
        ("DNN_Runtime", "cuda"),
    ]);
    engine.send("isready");
    let lines = engine.until("readyok").join("\n");
    assert!(
        lines.contains("Error! DNN_Runtime cuda: ") && lines.contains(" : using native"),
        "{lines}"
    );
    assert!(lines.contains("evaluation : deep ("), "{lines}");
    engine.set(&[("DNN_Runtime", "native")]);
    engine.set(&[("EvalDir", "other"), ("DNN_Model", "best.onnx")]);
    engine.answer_of_isready();
    engine.set(&[("EvalDir", "nets"), ("DNN_Model", "model.onnx")]);
    engine.send("isready");
    let lines = engine.until("readyok").join("\n");
    assert!(
        lines.contains("model.onnx.ini: left out: No such option: Unknown"),
        "{lines}"
    );
    engine.quit();
}

#[test]
fn there_is_a_network_in_the_program() {
    let model = fixture_bytes("deep/mtiny.onnx");
    let (folder, program) = copy_with(&[]);
    let mut engine = Engine::start_program(&program);
    engine.set(&[("BookFile", "no_book"), ("Evaluation", "deep")]);
    let ready = |engine: &mut Engine| {
        engine.send("isready");
        engine.until("readyok").join("\n")
    };
    let lines = ready(&mut engine);
    assert!(
        lines
            .lines()
            .any(|line| line.starts_with("info string no model ")
                && line.ends_with("model.onnx : playing with the network in this program")),
        "{lines}"
    );
    assert!(
        lines.contains("evaluation : embedded (deep (dlshogi-WCSC28, 0.19 M parameters, native"),
        "{lines}"
    );
    assert!(!lines.contains("Error!"), "{lines}");
    engine.send("position startpos moves 7g7f");
    engine.send("go nodes 30");
    let lines = engine.until("bestmove").join("\n");
    assert!(lines.contains(" nodes 30 "), "{lines}");
    // A model that appears is taken, and one with another name is told of.
    std::fs::create_dir(folder.path().join("eval")).unwrap();
    std::fs::write(folder.path().join("eval/best.onnx"), &model).unwrap();
    engine.set(&[("Evaluation", "material")]);
    ready(&mut engine);
    engine.set(&[("Evaluation", "deep")]);
    let lines = ready(&mut engine);
    assert!(
        lines.contains("if best.onnx is the model, set DNN_Model to best.onnx"),
        "{lines}"
    );
    std::fs::rename(
        folder.path().join("eval/best.onnx"),
        folder.path().join("eval/model.onnx"),
    )
    .unwrap();
    let lines = ready(&mut engine);
    assert!(
        lines.contains("evaluation : deep (dlshogi-WCSC28, 0.0"),
        "{lines}"
    );
    // What was named and is not there is an error.
    engine.set(&[("DNN_Model", "none.onnx")]);
    assert!(ready(&mut engine).contains("Error! no model "));
    engine.quit();
}

/// Milliseconds by which an answer may be late on a busy machine.
const BUSY: u64 = 200;

/// Plays games of an engine against itself in one process; returns the longest time over `byoyomi` of a move, in milliseconds.
fn play(engine: &mut Engine, games: u32, longest: usize, byoyomi: u64) -> u64 {
    let mut late = 0;
    for number in 0..games {
        engine.send("usinewgame");
        // Games differ from the second move on.
        let first = ["7g7f", "2g2f", "5g5f", "1g1f", "6i7h"][number as usize % 5];
        let mut game = Game::new(Position::startpos());
        let mut line = format!("position startpos moves {first}");
        game.play_unchecked(game.position().move_from_usi(first).unwrap());
        while game.len() < longest {
            engine.send(&line);
            let begin = Instant::now();
            engine.send(&format!("go btime 0 wtime 0 byoyomi {byoyomi}"));
            let answer = engine.answer("bestmove");
            late = late.max((begin.elapsed().as_millis() as u64).saturating_sub(byoyomi));
            let best = answer.split(' ').nth(1).expect("a move");
            if ["resign", "win"].contains(&best) {
                break;
            }
            game.play_unchecked(game.position().move_from_usi(best).expect("a legal move"));
            line = format!("{line} {best}");
        }
        engine.send("gameover draw");
    }
    late
}

/// `YANE_LONG_GAMES=200` plays so many whole games at one second a move.
#[test]
fn many_games_in_one_process_lose_none_on_time() {
    let (_folder, program) = program(&[]);
    let mut engine = Engine::start_program(&program);
    engine.set(&[("BookFile", "no_book"), ("MaxMovesToDraw", "320")]);
    engine.answer_of_isready();
    let asked = std::env::var("YANE_LONG_GAMES").ok();
    let asked = asked.map(|games| games.parse().expect("a number of games"));
    let late = match asked {
        Some(games) => play(&mut engine, games, 320, 1000),
        None => play(&mut engine, 3, 30, 100),
    };
    // With whole seconds nothing may be late at all: the engine keeps a reserve.
    let most = if asked.is_some() { 0 } else { BUSY };
    assert!(late <= most, "{late} ms");
    engine.quit();
}
