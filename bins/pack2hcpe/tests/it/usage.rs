//! Command lines.

use crate::util::{Folder, golden};

#[test]
fn wrong_usage_is_named() {
    let folder = Folder::with(&["edge/good/one_game_resign.pack"]);
    for (line, word) in [
        ("", "FILES"),
        ("--nonsense one_game_resign.pack", "--nonsense"),
        ("one_game_resign.pack --smoothing", "--smoothing"),
        (
            "one_game_resign.pack --smoothing 0",
            "smoothing over 0 plies",
        ),
        ("one_game_resign.pack --smoothing x", "x"),
        (
            "one_game_resign.pack --smoothing 2 --discount 0",
            "discount 0",
        ),
        ("one_game_resign.pack --threads many", "many"),
        ("-o out.hcpe - -", "only once"),
        ("- - one_game_resign.pack", "only once"),
        ("one_game_resign.pack - --json", "--json"),
    ] {
        let run = folder.run(line).failed(2, &[word]);
        assert!(run.out.is_empty(), "{line}");
    }
    assert_eq!(folder.names(), ["one_game_resign.pack"]);
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::with(&["edge/good/one_game_resign.pack"]);
    let pack = golden("edge/good/one_game_resign.pack");
    folder.write("a.pack", &pack);
    folder.write("a.pack.hcpe", &pack);
    for line in [
        "a.pack ./a.pack -o a.pack",
        "-o a.pack one_game_resign.pack a.pack",
        "a.pack a.pack.hcpe one_game_resign.pack",
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
    }
    let run = folder.run("a.pack a.pack.hcpe one_game_resign.pack");
    run.failed(1, &["a.pack.hcpe is an input"]);
    assert_eq!(
        folder.names(),
        ["a.pack", "a.pack.hcpe", "one_game_resign.pack"]
    );
    assert!(folder.read("a.pack") == pack && folder.read("a.pack.hcpe") == pack);
    // Unless it is asked for.
    folder.run("-o a.pack a.pack --force").succeeded();
    assert!(folder.read("a.pack") == golden("edge/good/one_game_resign.hcpe"));
}

#[test]
fn an_output_that_exists_is_kept_unless_it_stands_behind_the_input() {
    let folder = Folder::with(&["edge/good/one_game_resign.pack"]);
    let hcpe = golden("edge/good/one_game_resign.hcpe");
    for (line, file) in [
        ("one_game_resign.pack", "one_game_resign.pack.hcpe"),
        ("one_game_resign.pack out.hcpe", "out.hcpe"),
    ] {
        folder.write(file, "old");
        folder.run(line).succeeded();
        assert!(folder.read(file) == hcpe, "{line}");
    }
    folder.write("out.hcpe", "old");
    let line = "one_game_resign.pack -o out.hcpe";
    let told = "out.hcpe exists; choose another output, or pass --force";
    folder.run(line).failed(1, &[told]);
    assert_eq!(folder.read("out.hcpe"), b"old");
    folder.run(&format!("{line} --force")).succeeded();
    assert!(folder.read("out.hcpe") == hcpe);
}

#[test]
fn missing_files_and_folders() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder.pack")).unwrap();
    folder.run("absent.pack").failed(1, &["absent.pack: "]);
    folder.run("folder.pack").failed(1, &["folder.pack: "]);
    folder.write("empty.pack", "");
    folder
        .run("empty.pack nowhere/out.hcpe")
        .failed(1, &["nowhere/out.hcpe: "]);
    folder
        .run("-o folder.pack empty.pack")
        .failed(1, &["folder.pack"]);
    assert_eq!(folder.names(), ["empty.pack", "folder.pack"]);
}

#[test]
fn help_has_examples_that_can_be_read() {
    let folder = Folder::new();
    let help = folder.run("--help").silent();
    assert!(help.text().contains("[default: IN.pack.hcpe]"));
    let (_, examples) = help.text().split_once("Examples:\n").unwrap();
    assert!(examples.lines().count() >= 5);
    for line in examples.lines() {
        let Some(line) = line.trim().strip_prefix("pack2hcpe ") else {
            assert!(line.contains('|'), "{line}");
            continue;
        };
        let run = folder.run(line);
        assert_eq!(run.code, Some(1), "{line}: {run:?}");
    }
    folder.run("--version").silent();
}

#[test]
fn a_file_of_another_kind_is_named() {
    let folder = Folder::with(&["edge/good/one_game_resign.pack"]);
    folder.write("a.pack", golden("selfplay/declaration_n50.hcpe"));
    folder.write("b.pack", "<!DOCTYPE html>\n<html><body>404</body></html>\n");
    folder.write("c.pack", "");
    folder.write("d.pack", [0; 100]);
    for (name, what) in [
        ("a.pack", "this is an hcpe file"),
        ("b.pack", "this is"),
        ("c.pack", "this is an empty file"),
        ("d.pack", "this is a file of nothing but zero bytes"),
    ] {
        folder.write("out.hcpe", "old");
        for more in ["", " --recover", " --resync"] {
            let line = format!("{name} -o out.hcpe --force{more}");
            folder.run(&line).failed(1, &[name, what]);
            assert_eq!(folder.read("out.hcpe"), b"old", "{line}");
        }
    }
    // The others are converted.
    let line = "a.pack one_game_resign.pack";
    folder
        .run(line)
        .failed(1, &["a.pack: this is an hcpe file"]);
    assert!(folder.path("one_game_resign.pack.hcpe").exists());
    assert!(!folder.path("a.pack.hcpe").exists());
}

#[test]
fn one_of_two_runs_on_an_output_wins() {
    let program = assert_cmd::cargo::cargo_bin("pack2hcpe");
    let line = "in.pack -o out.hcpe -q";
    test_support::one_of_two_runs_wins(&program, line, |folder| {
        folder.write("in.pack", golden("edge/good/one_game_resign.pack"));
    });
}
