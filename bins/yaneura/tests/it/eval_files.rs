//! Commands about evaluation files, alone on the command line and as lines, and the options of all commands that write
//! files.

use std::fs::{self, File};
use std::path::Path;

use serde_json::Value;
use shogi_eval::kppt::{KpptLayout, KpptTable};
use test_networks::RandomNetwork;
use test_support::{ProgramRun, TestFolder, run_program};

use crate::util::{Engine, LONG, PROGRAM, run};

const SHAPE: &str = "SFNN_ka2_16_7_8_hand4_k3k3_progress2";

/// Runs the program with the words of `args`.
fn program(args: &str) -> ProgramRun {
    let words = args.split_ascii_whitespace();
    run_program(PROGRAM, Path::new("."), words, Vec::new(), LONG)
}

/// The output of a command that succeeds; nothing on standard error, as that is no terminal.
fn stdout(args: &str) -> String {
    program(args).silent().text().to_owned()
}

/// The standard error of a command that ends with `code`.
fn stderr(args: &str, code: i32) -> String {
    program(args).failed(code, &[]).err
}

/// The bytes of a small network.
fn network() -> Vec<u8> {
    let mut bytes = Vec::new();
    RandomNetwork::new(SHAPE.parse().unwrap(), 5)
        .write(&mut bytes)
        .unwrap();
    bytes
}

/// Tables of zeros; on file systems with holes they take no space.
fn tables(folder: &Path, layout: KpptLayout) {
    fs::create_dir_all(folder).unwrap();
    for table in KpptTable::ALL {
        let file = File::create(table.path(folder)).unwrap();
        file.set_len(layout.file_len(table)).unwrap();
    }
}

#[test]
fn a_network_is_described_as_text_and_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    let mut bytes = network();
    bytes[4] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let name = path.display();
    let text = stdout(&format!("nn info {name}"));
    assert!(
        text.starts_with(&format!("file          {name}\nsize  ")),
        "{text}"
    );
    assert!(
        text.contains(&format!("\narchitecture  {SHAPE}\n")),
        "{text}"
    );
    assert!(
        text.contains("\nnote          byte 4: the hash of the file is 53706"),
        "{text}"
    );

    let lines = stdout(&format!(
        "nn info --json {name} {}",
        folder.path().display()
    ));
    let values: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // The folder's evaluation is that file.
    assert_eq!(values[0], values[1]);
    let value = &values[0];
    assert_eq!(value["architecture"], SHAPE);
    assert_eq!(value["bytes"], bytes.len());
    assert_eq!(value["fv_scale"], 16);
    assert_eq!(value["fv_scale_stated"], false);
    assert_eq!(value["stacks"], 4 * 9 * 2);
    assert_eq!(value["shortcut"], true);
    assert_eq!(value["hashes"]["file"]["usual"], "5370697D");
    assert_eq!(value["hashes"]["file"]["found"], "5370697C");
    assert_eq!(value["hashes"]["layers"]["found"], "6333718A");
    assert_eq!(value["parts"][1]["weights"], serde_json::json!([-20, 20]));
    assert_eq!(value["notes"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn a_table_is_described() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path(), KpptLayout::KppKkpt);
    let path = KpptTable::Kk.path(folder.path());
    let line = stdout(&format!("nn info --json {}", path.display()));
    let value: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(value["kinds"], serde_json::json!(["kppt32", "kpp_kkpt32"]));
    assert_eq!(value["files"][0]["bytes"], 52_488);
    assert_eq!(value["files"][0]["turn"], serde_json::json!([0, 0]));
}

#[test]
fn every_file_is_tried_and_one_failure_shows() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (
        folder.path().join("good.bin"),
        folder.path().join("bad.bin"),
    );
    fs::write(&good, network()).unwrap();
    let cut = network();
    fs::write(&bad, &cut[..cut.len() - 1]).unwrap();
    let output = program(&format!("nn info {} {}", bad.display(), good.display()));
    assert_eq!(output.code, Some(1));
    let (out, err) = (output.text(), &output.err);
    assert!(
        out.contains("good.bin") && !out.contains("bad.bin"),
        "{out}"
    );
    assert!(
        err.starts_with(&format!("yaneura: {}: ", bad.display())),
        "{err}"
    );
    assert!(err.contains("from byte "), "{err}");
}

#[test]
fn a_network_is_written_as_it_was_or_with_its_hash_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("in.bin"), folder.path().join("out.bin"));
    let good = network();
    let mut wrong = good.clone();
    wrong[5] ^= 0xff;
    for bytes in [&good, &wrong] {
        fs::write(&from, bytes).unwrap();
        let text = stdout(&format!("nn export {} {}", from.display(), to.display()));
        assert!(
            text.starts_with(&format!("wrote {} ({SHAPE})", to.display())),
            "{text}"
        );
        assert_eq!(text.contains("note: byte 4"), bytes != &good, "{text}");
        assert!(fs::read(&to).unwrap() == good);
    }
    let same = format!("nn export {0} {0}", from.display());
    assert!(stderr(&same, 1).contains("is an input"));
    assert!(fs::read(&from).unwrap() == wrong);
    stdout(&format!("{same} --force"));
    assert!(fs::read(&from).unwrap() == good);
}

#[test]
fn a_mean_of_networks_is_written() {
    let folder = TestFolder::new();
    let network = network();
    let mut wrong = network.clone();
    wrong[5] ^= 0xff;
    folder.write("a.bin", &network);
    folder.write("b.bin", &wrong);
    let made = run_in(&folder, "nn mean a.bin b.bin a.bin -o mean.bin").succeeded();
    let text = made.text();
    assert!(
        text.contains(&format!("wrote mean.bin ({SHAPE}, the mean of 3)")),
        "{text}"
    );
    assert!(text.contains("note: b.bin: byte 4"), "{text}");
    assert!(folder.read("mean.bin") == network);
    // The network in the program, and refusals, which leave the output as it is.
    run_in(&folder, "nn mean embedded embedded -o embedded.bin").succeeded();
    run_in(&folder, "nn export embedded -o as_it_is.bin").succeeded();
    assert!(folder.read("embedded.bin") == folder.read("as_it_is.bin"));
    let refused = run_in(&folder, "nn mean a.bin embedded -o mean.bin --force");
    refused.failed(1, &["embedded: the architecture is ", SHAPE]);
    let message = "mean.bin exists; choose another output, or pass --force";
    run_in(&folder, "nn mean a.bin a.bin -o mean.bin").failed(1, &[message]);
    run_in(&folder, "nn mean a.bin -o a.bin").failed(1, &["is an input"]);
    run_in(&folder, "nn mean -o c.bin").failed(2, &[]);
    assert!(folder.read("mean.bin") == network && folder.read("a.bin") == network);
}

#[test]
fn an_evaluation_of_zeros_replaces_no_other_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let command = format!("evalzero {SHAPE} {}/new", folder.path().display());
    assert!(stdout(&command).contains("all values 0"));
    let path = folder.path().join("new/nn.bin");
    let zeros = fs::read(&path).unwrap();
    fs::write(&path, b"mine").unwrap();
    let expected = "new/nn.bin exists; choose another output, or pass --force";
    assert!(stderr(&command, 1).contains(expected));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    stdout(&format!("{command} --force"));
    assert!(fs::read(&path).unwrap() == zeros);
}

#[test]
fn the_kind_of_tables_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    tables(&folder.path().join("a"), KpptLayout::KppKkpt);
    let text = stderr(&format!("evalconvert kppt16 {path}/a kppt32 {path}/b"), 1);
    assert_eq!(
        text,
        format!("yaneura: {path}/a: the files are kpp_kkpt32, not kppt16\n")
    );
    assert!(!folder.path().join("b").exists());
    // A difference of sizes is reported with the file.
    let kkp = KpptTable::Kkp.path(&folder.path().join("a"));
    File::create(kkp).unwrap().set_len(77).unwrap();
    let text = stderr(
        &format!("test evalconvert kpp_kkpt32 {path}/a kppt32 {path}/b"),
        1,
    );
    assert!(
        text.contains("KKP_synthesized.bin: 77 bytes, expected 81251424"),
        "{text}"
    );
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    for args in ["nn", "nn info", "evalconvert kppt16 a"] {
        let text = stderr(args, 2);
        assert!(text.contains("Usage: yaneura"), "{args}: {text}");
    }
    assert!(stderr("evalzero kppt9 a", 2).contains("kpp_kkpt32, or an architecture"));
    for args in ["nn info --help", "evalconvert --help", "evalzero --help"] {
        assert!(stdout(args).contains("Examples:"), "{args}");
    }
}

#[test]
fn among_other_commands_they_are_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    fs::write(&path, network()).unwrap();
    let command = format!("nn info {}", path.display());
    let alone = stdout(&command);
    let expected: Vec<_> = alone.lines().collect();
    assert_eq!(run(&format!("{command} , quit"), b""), expected);
    assert_eq!(run("", format!("{command}\nquit\n").as_bytes()), expected);
    let lines = run("nn info nothing.bin missing.bin , rep , quit", b"");
    assert_eq!(lines.len(), 3, "{lines:?}");
    for name in ["nothing.bin", "missing.bin"] {
        let begin = format!("info string Error! {name}: ");
        assert!(
            lines.iter().any(|line| line.starts_with(&begin)),
            "{lines:?}"
        );
    }
    assert!(lines.contains(&"rep_none".to_owned()));
    let lines = run("evalconvert kppt16 a kppt9 b , quit", b"");
    let [line] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert!(
        line.starts_with("info string Error! invalid value 'kppt9'"),
        "{line}"
    );
}

/// Writes four times 860 MB.
#[test]
fn tables_of_zeros_go_through_all_kinds() {
    if std::env::var_os("SHOGI_SLOW_TESTS").is_none() {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().display();
    stdout(&format!("evalzero kppt16 {path}/a"));
    // A value that must survive: the last of KKP and of KPP.
    let kkp = KpptTable::Kkp.path(&folder.path().join("a"));
    let mut bytes = fs::read(&kkp).unwrap();
    *bytes.last_mut().unwrap() = 0x80;
    fs::write(&kkp, &bytes).unwrap();
    for (from, kind, to, other) in [
        ("a", "kppt16", "b", "kpp_kkpt32"),
        ("b", "kpp_kkpt32", "c", "kppt32"),
        ("c", "kppt32", "d", "kppt16"),
    ] {
        stdout(&format!(
            "evalconvert {kind} {path}/{from} {other} {path}/{to}"
        ));
    }
    for table in KpptTable::ALL {
        let read = |name: &str| fs::read(table.path(&folder.path().join(name))).unwrap();
        assert!(read("a") == read("d"), "{table:?}");
    }
}

/// Commands before which the evaluation is that of `folder`.
fn with_evaluation(folder: &Path, commands: &str) -> Vec<String> {
    let dir = folder.display();
    run(
        &format!("setoption name EvalDir value {dir} , {commands} , quit"),
        b"",
    )
}

#[test]
fn the_loaded_network_is_written_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    fs::write(&path, network()).unwrap();
    let dir = folder.path().display();
    for (command, file, place) in [
        (format!("evalsave {dir}/a"), "a/nn.bin", "a"),
        (format!("test evalsave {dir}/b"), "b/nn.bin", "b"),
        (
            format!("setoption name EvalSaveDir value {dir}/c , evalsave"),
            "c/nn.bin",
            "c",
        ),
        (format!("export_net {dir}/d.bin"), "d.bin", "d.bin"),
    ] {
        let lines = with_evaluation(folder.path(), &command);
        let expected = format!("wrote {dir}/{place} ({SHAPE})");
        assert_eq!(lines.last(), Some(&expected), "{lines:?}");
        assert!(fs::read(folder.path().join(file)).unwrap() == network());
    }
    for command in [
        format!("evalsave {dir}"),
        format!("export_net {dir}/nn.bin"),
    ] {
        let lines = with_evaluation(folder.path(), &command);
        assert!(lines.last().unwrap().contains("is an input"), "{lines:?}");
    }
    assert!(fs::read(&path).unwrap() == network());
}

#[test]
fn missing_files_are_saved_as_zeros_with_skip_loading_eval() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display();
    let commands = format!(
        "setoption name SkipLoadingEval value true , setoption name EvalArchitecture value {SHAPE} , \
         setoption name EvalSaveDir value {dir}/saved , isready , test evalsave"
    );
    let lines = with_evaluation(&folder.path().join("xyz"), &commands);
    let expected = format!("wrote {dir}/saved ({SHAPE}, all values 0)");
    assert_eq!(lines.last(), Some(&expected), "{lines:?}");
    stdout(&format!("evalzero {SHAPE} {dir}/zero"));
    let read = |name: &str| fs::read(folder.path().join(name).join("nn.bin")).unwrap();
    assert!(read("saved") == read("zero"));
}

#[test]
fn only_evaluations_from_files_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display();
    let last = |commands: &str| run(&format!("{commands} , quit"), b"").pop().unwrap();
    let material = "setoption name Evaluation value material";
    let text = last(&format!("{material} , evalsave {dir}/a"));
    assert!(
        text.contains("Error! the evaluation `material` has no files"),
        "{text}"
    );
    let text = last(&format!("{material} , export_net {dir}/a"));
    assert!(
        text.contains("Error! the evaluation `material` is no network"),
        "{text}"
    );
    let text = with_evaluation(&folder.path().join("xyz"), &format!("evalsave {dir}/a")).pop();
    assert!(text.unwrap().contains("what was asked for is not loaded"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_changed_network_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nn.bin");
    fs::write(&path, network()).unwrap();
    let mut engine = Engine::start();
    engine.send(&format!(
        "setoption name EvalDir value {}",
        folder.path().display()
    ));
    engine.send("e");
    engine.until("eval");
    fs::write(&path, [network(), vec![0]].concat()).unwrap();
    let answer = engine.ask(&format!("export_net {}/out.bin", folder.path().display()));
    assert!(
        answer.ends_with("nn.bin: has changed since it was loaded"),
        "{answer}"
    );
    assert!(!folder.path().join("out.bin").exists());
    engine.quit();
}

#[test]
fn material_has_levels() {
    let position =
        "position sfen ln1gkB3/r1sg5/2pppps1l/pp2L1pp1/9/P2P2PP1/1PSKPPN1g/1B4GR1/L5SNP w n2p 52";
    let value = |options: &str| {
        let lines = run(
            &format!("setoption name Evaluation value material , {options} {position} , e , quit"),
            b"",
        );
        lines.last().cloned().unwrap()
    };
    let level = "setoption name MaterialLevel value";
    assert_eq!(value(&format!("{level} 9 ,")), "eval = -537");
    assert_eq!(value(&format!("{level} 1 ,")), value(""));
    assert_ne!(value(&format!("{level} 2 ,")), value(""));
}

const PROBLEM: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1\n";

/// Runs the program in a folder.
fn run_in(folder: &TestFolder, line: &str) -> ProgramRun {
    let words = line.split(' ');
    run_program(PROGRAM, &folder.path("."), words, Vec::new(), LONG)
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = TestFolder::new();
    run_in(&folder, &format!("evalzero {SHAPE} -o in")).succeeded();
    folder.write("problems.sfen", PROBLEM);
    for (line, file) in [
        (
            "nn export in/nn.bin -o out.bin --json".to_owned(),
            "out.bin",
        ),
        (format!("evalzero {SHAPE} -o out --json"), "out/nn.bin"),
        (
            "mate problems.sfen --hash 4 --json -o out.jsonl".to_owned(),
            "out.jsonl",
        ),
    ] {
        let made = run_in(&folder, &line).succeeded();
        assert!(made.json().is_object(), "{line}: {made:?}");
        assert!(folder.read(file).len() > 10, "{line}");
        folder.write(file, "old");
        let message = format!("{file} exists; choose another output, or pass --force");
        let refused = run_in(&folder, &line).failed(1, &[&message]);
        assert_eq!(refused.text(), "", "{line}");
        assert_eq!(folder.read(file), b"old", "{line}");
        run_in(&folder, &format!("{line} --force")).succeeded();
        assert!(folder.read(file).len() > 10, "{line}");
    }
    run_in(&folder, "nn export in/nn.bin other.bin -o out.bin").failed(2, &[]);
    run_in(&folder, "nn export in/nn.bin").failed(2, &[]);
}

#[test]
fn behind_the_inputs_a_file_is_replaced() {
    let folder = TestFolder::new();
    run_in(&folder, &format!("evalzero {SHAPE} in")).succeeded();
    folder.write("out.bin", "old");
    run_in(&folder, "nn export in/nn.bin out.bin").succeeded();
    assert!(folder.read("out.bin") == folder.read("in/nn.bin"));
}

/// Checks the options that all commands share.
fn check_options(command: &clap::Command, path: &Path) {
    let path = path.join(command.get_name());
    let mut commands = command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .peekable();
    // Mate problems are solved by the command and judged by one below it.
    if commands.peek().is_some() {
        commands.for_each(|command| check_options(command, &path));
        if command.get_name() != "mate" {
            return;
        }
    }
    for (long, short) in [("json", None), ("quiet", Some('q'))] {
        let mut arguments = command.get_arguments();
        let found = arguments.any(|arg| arg.get_long() == Some(long) && arg.get_short() == short);
        assert!(found, "{}: --{long}", path.display());
    }
    for argument in command
        .get_arguments()
        .filter(|arg| arg.get_short() == Some('o'))
    {
        assert_eq!(argument.get_long(), Some("output"), "{}", path.display());
    }
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = yaneura::command();
    program.build();
    for command in program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        check_options(command, Path::new("yaneura"));
    }
}
