//! Commands about evaluation files: alone on the command line, and as lines.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use shogi_eval::kppt::{KpptLayout, KpptTable};
use test_networks::RandomNetwork;

use crate::util::{Engine, PROGRAM, run};

const SHAPE: &str = "SFNN_ka2_16_7_8_hand4_k3k3_progress2";

/// The words of `args`, blanks between them, as the program's whole command line.
fn program(args: &str) -> Output {
    let output = Command::new(PROGRAM)
        .args(args.split_ascii_whitespace())
        .output();
    output.expect("the program starts")
}

/// What a command that goes well prints; nothing on standard error, as that is no terminal.
fn stdout(args: &str) -> String {
    let output = program(args);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args}");
    assert_eq!(output.status.code(), Some(0), "{args}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a command that ends with `code` says on standard error.
fn stderr(args: &str, code: i32) -> String {
    let output = program(args);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{args}: {text}");
    text
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
fn a_network_is_described_for_people_and_programs() {
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
    assert_eq!(output.status.code(), Some(1));
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
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
fn an_evaluation_of_zeros_replaces_no_other_unasked() {
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
fn tables_are_what_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    tables(&folder.path().join("a"), KpptLayout::KppKkpt);
    let text = stderr(&format!("evalconvert kppt16 {path}/a kppt32 {path}/b"), 1);
    assert_eq!(
        text,
        format!("yaneura: {path}/a: the files are kpp_kkpt32, not kppt16\n")
    );
    assert!(!folder.path().join("b").exists());
    // A disagreement of sizes is told with the file.
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
fn missing_files_are_saved_as_zeros_when_they_need_not_be_there() {
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
fn what_is_not_loaded_from_files_is_not_saved() {
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
fn a_network_that_has_changed_meanwhile_is_not_exported() {
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
