//! Commands for developers, and the files beside the program.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use test_support::{TestFolder, fixture, run_program};

use crate::util::{Engine, LONG, PROGRAM, copy_with, is_usual, one_line, run, run_copy};

#[test]
fn startup_info_is_printed_first() {
    let (_folder, program) = copy_with(&[("startup_info.txt", b"# hello\n\nworld\n")]);
    let lines = run_copy(&program, "rep , quit", b"");
    assert_eq!(lines, ["# hello", "", "world", "rep_none"]);
}

#[test]
fn the_name_may_lie_in_the_working_directory() {
    let (_folder, program) = copy_with(&[("engine_name.txt", b"beside\n")]);
    let elsewhere = TestFolder::new();
    elsewhere.write("engine_name.txt", "here\nme\n");
    let words = ["usi", ",", "quit"];
    let run = run_program(&program, &elsewhere.path("."), words, Vec::new(), LONG).succeeded();
    let text = run.text();
    assert!(text.starts_with("id name here\nid author me\n"), "{text}");
}

#[test]
fn options_are_set_by_their_names() {
    for line in ["MultiPV 7", "multipv = 7", "MULTIPV=7"] {
        assert_eq!(one_line(line), "Options[MultiPV] = 7");
    }
    assert_eq!(
        one_line("EvalDir = my networks"),
        "Options[EvalDir] = my networks"
    );
    let line = one_line("MultiPV 0");
    assert!(
        line.starts_with("info string Error! option MultiPV: "),
        "{line}"
    );
    let line = one_line("Nothing 5");
    assert_eq!(line, "info string Error! unknown command \"Nothing\"");
}

#[test]
fn logs_have_both_sides() {
    let (folder, program) = copy_with(&[]);
    run_copy(&program, "log , rep , quit", b"");
    let text = fs::read_to_string(folder.path().join("io_log.txt")).unwrap();
    assert_eq!(text, "> rep\n< rep_none\n> quit\n");
    let script = "DebugLogFile my.log , rep , DebugLogFile <empty> , rep , quit";
    run_copy(&program, script, b"");
    let text = fs::read_to_string(folder.path().join("my.log")).unwrap();
    let expected = "< Options[DebugLogFile] = my.log\n> rep\n< rep_none\n> DebugLogFile <empty>\n";
    assert_eq!(text, expected);
    // A log that exists is kept.
    run_copy(&program, "log , quit", b"");
    let text = fs::read_to_string(folder.path().join("io_log.txt")).unwrap();
    assert_eq!(text, "> rep\n< rep_none\n> quit\n> quit\n");
    let lines = run_copy(
        &program,
        "DebugLogFile no/such/folder/x.log , rep , quit",
        b"",
    );
    assert!(
        lines[0].starts_with("info string Error! cannot log to "),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "rep_none");
}

#[test]
fn a_text_file_of_commands() {
    let (_folder, program) = copy_with(&[("my.txt", b"matsuri\nmate1\n")]);
    let lines = run_copy(&program, "f my , rep , quit", b"");
    assert_eq!(
        lines,
        ["USI Commands from File = my.txt", "none", "rep_none"]
    );
    let lines = run_copy(&program, "f other , quit", b"");
    assert!(
        lines[0].starts_with("info string Error! file: cannot read other.txt: "),
        "{lines:?}"
    );
}

#[test]
fn the_evaluation_piece_by_piece() {
    let position = "position sfen 4k4/9/9/4p4/9/4R4/9/9/4K4 w 2P 1";
    let script = format!("setoption name Evaluation value material , {position} , eval , e , quit");
    let lines = run(&script, b"");
    assert!(
        lines.contains(&"evaluation: material".to_owned()),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.trim() == "+990"), "{lines:?}");
    let last = &lines[lines.len() - 2..];
    assert_eq!(
        last,
        ["eval = -1080 (side to move), +1080 (black)", "eval = -1080"]
    );
}

#[test]
fn workloads_of_the_users_choice() {
    let lines = run("bench 1 1 3 default depth , quit", b"");
    let count = lines
        .iter()
        .filter(|line| line.starts_with("Position: "))
        .count();
    assert_eq!(count, 12);
    let infos = lines
        .iter()
        .filter(|line| line.starts_with("info depth 3 "))
        .count();
    assert_eq!(infos, 12);
    let nodes = |lines: &[String]| -> u64 {
        let line = lines
            .iter()
            .find_map(|line| line.strip_prefix("Nodes searched  : "));
        line.expect("a summary").parse().unwrap()
    };
    assert!(nodes(&lines) > 100);
    let again = run("bench 1 1 3 default depth , quit", b"");
    assert_eq!(nodes(&again), nodes(&lines));
    let lines = run(
        "position startpos moves 7g7f , bench 1 1 2 current perft , quit",
        b"",
    );
    assert!(
        lines.contains(&"Nodes searched: 1110".to_owned()),
        "{lines:?}"
    );
    let (_folder, program) =
        copy_with(&[("two.txt", b"startpos\nsfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n")]);
    let lines = run_copy(
        &program,
        "bench 1 1 500 two.txt nodes , bench 1 1 1 two.txt eval , quit",
        b"",
    );
    let count = lines
        .iter()
        .filter(|line| line.starts_with("Position: "))
        .count();
    assert_eq!(count, 4);
    let begin = Instant::now();
    let lines = run("speedtest 1 1 1 , quit", b"");
    assert!(begin.elapsed() >= Duration::from_millis(800));
    assert!(nodes(&lines) > 1000);
    let line = one_line("bench 1 1 1 default sideways");
    assert!(
        line.starts_with("info string Error! bench: expected a depth up to 30, or HASH "),
        "{line}"
    );
}

/// Long commands leave the command loop free: `stop` ends them, and what was sent meanwhile is carried out in order.
#[test]
fn long_commands_can_be_stopped() {
    let mut engine = Engine::ready();
    let folder = TestFolder::new();
    folder.write("in.psv", psv_record().repeat(200_000));
    let [input, output] = ["in.psv", "out.psv"].map(|name| folder.path(name));
    let qsearch = format!("qsearch_psv {} {}", input.display(), output.display());
    for (command, last) in [
        (
            qsearch.as_str(),
            "info string qsearch_psv: stopped, nothing was written",
        ),
        ("perft 30", "info string perft: stopped"),
        ("go perft 30", "info string perft: stopped"),
        ("bench 30", "Nodes searched: "),
        ("bench 1 1 1000000 default movetime", "Nodes/second    : "),
    ] {
        engine.send(command);
        engine.send("side");
        std::thread::sleep(Duration::from_millis(100));
        engine.send("stop");
        let lines = engine.until("black");
        let end = &lines[lines.len() - 2];
        assert!(end.starts_with(last), "{command}: {lines:?}");
    }
    assert!(!output.exists());
    engine.quit();
}

/// A teacher record: the position as `psfen` prints it, score 100, no move, ply 1, a win.
fn psv_record() -> Vec<u8> {
    let position = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c";
    let byte = |at: usize| u8::from_str_radix(&position[2 * at..2 * at + 2], 16).unwrap();
    let mut record: Vec<u8> = (0..32).map(byte).collect();
    record.extend([100, 0, 0, 0, 1, 0, 1, 0]);
    record
}

#[test]
fn teacher_data_becomes_quiet() {
    let folder = TestFolder::new();
    let records = psv_record().repeat(5);
    folder.write("in.psv", &records);
    let [input, output] = ["in.psv", "out.psv"].map(|name| folder.path(name));
    let command = format!("qsearch_psv {} {} 2", input.display(), output.display());
    let lines = run(&format!("{command} , quit"), b"");
    let summary = "info string qsearch_psv : 5 records, 0 replaced, leaf at most 0 plies away";
    assert_eq!(lines.last().unwrap(), summary);
    assert_eq!(folder.read("out.psv"), records);
    folder.write("in.psv", &records[..45]);
    fs::remove_file(&output).unwrap();
    let lines = run(&format!("{command} , quit"), b"");
    let error = lines.last().unwrap();
    assert!(
        error.contains("in.psv: byte 40: the file ends in a record"),
        "{error}"
    );
    assert!(!output.exists());
}

/// Other programs read what it writes: `fixtures/trials/shogi/18-qsearch-psv-and-teacher`.
#[test]
fn quiet_teacher_data_is_whole() {
    use pack_format::TeacherFormat;
    use pack_format::check::{CheckOptions, check};
    use pack_format::stream::Input;

    let folder = TestFolder::new();
    let output = folder.path("out.psv");
    let input = fixture("trials/shogi/18-qsearch-psv-and-teacher/good.psv");
    let files = format!("{} {}", input.display(), output.display());
    let evaluation = "setoption name Evaluation value positional";
    let lines = run(&format!("{evaluation} , qsearch_psv {files} 1 , quit"), b"");
    let summary = lines.last().unwrap();
    assert!(summary.contains("60 records, 26 replaced"), "{summary}");
    let strict = CheckOptions {
        unused_bytes: true,
        ..CheckOptions::default()
    };
    let job = yane_io::Job::default();
    let report = check(&Input::named(&output), TeacherFormat::Psv, strict, &job).unwrap();
    assert!(report.is_good());
    assert_eq!((report.positions, report.without_move), (60, 26));
}

#[test]
#[cfg(unix)]
fn signals_end_the_engine_as_quit_does() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let mut child = Command::new(PROGRAM)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdin.write_all(b"USI_Hash 1\ngo infinite\nrep\n").unwrap();
        let mut line = String::new();
        while !line.starts_with("rep_none") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0);
        }
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        // As with `quit`, the answer comes first.
        assert_eq!(rest.matches("bestmove ").count(), 1, "{rest}");
        drop(stdin);
    }
}

#[test]
fn options_from_a_file_are_fixed() {
    let (_folder, program) = copy_with(&[(
        "engine_options.txt",
        b"option name MultiPV type spin default 3 min 1 max 600\n\nUSI_Hash = 1\nNothing 5\n",
    )]);
    let input = b"setoption name USI_OwnBook value false\nsetoption name MultiPV value 2\ngetoption MultiPV\nisready\n\
        setoption name MultiPV value 4\ngetoption MultiPV\ngetoption USI_Hash\nquit\n";
    let mut lines = run_copy(&program, "", input);
    lines.retain(|line| !is_usual(line));
    assert_eq!(lines[0], "Options[MultiPV] = 2");
    assert!(
        lines[1].starts_with("info string read engine options, path = "),
        "{}",
        lines[1]
    );
    assert_eq!(
        lines[2..],
        [
            "info string engine option override. name = MultiPV , value = 3",
            "info string engine option override. name = USI_Hash , value = 1",
            "info string Error! No such option: Nothing",
            "readyok",
            "Options[MultiPV] = 3",
            "Options[USI_Hash] = 1",
        ]
    );
}

#[test]
fn the_answer_to_usi_shows_the_options_of_the_file() {
    let (folder, program) = copy_with(&[
        (
            "engine_options.txt",
            b"BookMoves 3\nUSI_Ponder=true\nMultiPV 0\nBookFile my.db\nThreads 2\n",
        ),
        (
            "here/engine_options.txt",
            b"option name Threads type spin default 1 min 1 max 9\nUSI_Hash 99\n",
        ),
    ]);
    let options = |place: &std::path::Path| {
        let run = run_program(&program, place, ["usi", ",", "quit"], Vec::new(), LONG).silent();
        let lines: Vec<String> = run.text().lines().map(str::to_owned).collect();
        assert!(
            lines.iter().all(|line| !line.starts_with("info")),
            "{lines:?}"
        );
        lines
    };
    let has = |lines: &[String], option: &str| lines.contains(&format!("option name {option}"));
    let beside = options(std::path::Path::new("."));
    for option in [
        "BookMoves type spin default 3 min 3 max 3",
        "USI_Ponder type check default true",
        // What cannot be is left out.
        "MultiPV type spin default 1 min 1 max 600",
        "Threads type spin default 2 min 2 max 2",
        "USI_Hash type spin default 1024 min 1 max 33554432",
    ] {
        assert!(has(&beside, option), "{option}: {beside:?}");
    }
    let file = beside
        .iter()
        .find(|line| line.contains(" BookFile "))
        .unwrap();
    assert!(
        file.contains(" default my.db ") && file.ends_with(" var my.db"),
        "{file}"
    );
    // Of both files that of the working directory counts.
    let here = options(&folder.path().join("here"));
    for option in [
        "BookMoves type spin default 3 min 3 max 3",
        "Threads type spin default 1 min 1 max 1",
        "USI_Hash type spin default 99 min 99 max 99",
    ] {
        assert!(has(&here, option), "{option}: {here:?}");
    }
    let input = b"isready\ngetoption USI_Hash\ngetoption Threads\nsetoption name Threads value 5\ngetoption Threads\nquit\n";
    let place = folder.path().join("here");
    let run = run_program(&program, &place, [""; 0], input.to_vec(), LONG).silent();
    let text = run.text();
    assert!(
        text.ends_with("Options[USI_Hash] = 99\nOptions[Threads] = 1\nOptions[Threads] = 1\n"),
        "{text}"
    );
    assert_eq!(
        text.matches("read engine options, path = ").count(),
        2,
        "{text}"
    );
    // In the program's own folder it is one file.
    let run = run_program(
        &program,
        folder.path(),
        ["isready", ",", "quit"],
        Vec::new(),
        LONG,
    )
    .silent();
    assert_eq!(
        run.text().matches("read engine options, path = ").count(),
        1
    );
}

#[test]
fn games_are_logged_for_tuning() {
    let folder = TestFolder::new();
    let input = b"setoption name USI_Hash value 1\nisready\nsetoption name PARAMETERS_LOG_FILE_PATH value p.log\nisready\n\
        gameover lose\nisready\ngameover win\nsetoption name PARAMETERS_LOG_FILE_PATH value no/such/p.log\ngameover draw\nquit\n";
    let run = run_program(PROGRAM, &folder.path(""), [""; 0], input.to_vec(), LONG).silent();
    assert!(
        run.text().contains("Error! cannot log to no/such/p.log: "),
        "{}",
        run.text()
    );
    let text = String::from_utf8(folder.read("p.log")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        (lines.len(), lines[1], lines[3]),
        (4, "gameover lose", "gameover win"),
        "{text}"
    );
    assert_eq!(lines[0], lines[2]);
    assert!(lines[0].ends_with(','), "{text}");
    let names = run_text("params , quit");
    let pairs: Vec<_> = lines[0].trim_end_matches(',').split(',').collect();
    assert_eq!(pairs.len(), names.lines().count());
    for (pair, line) in pairs.iter().zip(names.lines()) {
        let fields: Vec<_> = line.split(", ").collect();
        assert_eq!(*pair, format!("{}:{}", fields[0], fields[2]));
    }
}

fn run_text(commands: &str) -> String {
    run(commands, b"").join("\n")
}

#[test]
fn name_and_author_from_a_file() {
    let (_folder, program) = copy_with(&[("engine_name.txt", b"My Engine 5\nme\n")]);
    let lines = run_copy(&program, "usi , quit", b"");
    assert_eq!(lines[..2], ["id name My Engine 5", "id author me"]);
    let (_folder, program) = copy_with(&[("engine_name.txt", b"\nme")]);
    let lines = run_copy(&program, "usi , quit", b"");
    assert!(lines[0].starts_with("id name yaneura"), "{}", lines[0]);
    assert_eq!(lines[1], "id author me");
}

#[test]
fn startup_commands_come_after_the_arguments_and_before_the_input() {
    let (_folder, program) = copy_with(&[("startup.txt", b"moves\n\nmate1\n")]);
    let lines = run_copy(
        &program,
        "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 , rep",
        b"psfen\n",
    );
    assert_eq!(lines.len(), 4);
    assert_eq!((lines[0].as_str(), lines[2].as_str()), ("rep_none", "G*5b"));
    assert!(lines[3].starts_with("info string Error!"), "{}", lines[3]);
}

#[test]
fn a_file_of_commands() {
    let commands =
        b"# a comment\nmatsuri\n\nmate1\nsetoption name USI_Hash value 1\ngo depth 2\nrep\n";
    let (folder, program) = copy_with(&[("commands.txt", commands)]);
    // Found beside the program, or by its path from anywhere.
    let path = folder.path().join("commands.txt");
    for lines in [
        run_copy(&program, "file commands.txt , declare , quit", b""),
        run(&format!("file {} , declare , quit", path.display()), b""),
        run(
            "",
            format!("file {}\ndeclare\nquit\n", path.display()).as_bytes(),
        ),
    ] {
        let (first, rest) = lines.split_first().expect("lines");
        assert_eq!(first, "none");
        assert_eq!(rest[rest.len() - 2..], ["rep_none", "none"]);
        assert!(rest[rest.len() - 3].starts_with("bestmove "), "{rest:?}");
    }
}
