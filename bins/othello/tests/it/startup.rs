//! The user's settings, and books that grow where they are.

use std::process::Command;

use serde_json::Value;
use test_support::TestFolder;

/// Runs the program in a folder with settings of its own; returns exit code, standard output, standard error.
fn run(folder: &TestFolder, line: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_othello"))
        .current_dir(folder.path("."))
        .env("OTHELLO_SETTINGS", folder.path("config/othello.json5"))
        .args(line.split(' '))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn json(folder: &TestFolder, line: &str) -> Value {
    let (code, out, error) = run(folder, &format!("{line} --json"));
    assert_eq!(code, 0, "{line}: {error}");
    serde_json::from_str(&out).unwrap()
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write(
        "b.dat",
        test_support::fixture_bytes("othello/books/dev_b.dat"),
    );
    folder
}

#[test]
fn settings_are_shown_changed_and_used() {
    let folder = folder();
    let (code, out, _) = run(&folder, "settings");
    assert!(code == 0 && out.contains("(not there yet)"), "{out}");
    assert!(out.contains("book: none\nlevel: 22\nhash: 256M\n"), "{out}");
    assert!(!folder.path("config").exists());
    let hint = "hint f5d6c3d3c4 --moves 1 --threads 1";
    let is_of_book = |line: &str| json(&folder, line)["moves"][0]["book"].clone();
    assert_eq!(is_of_book(&format!("{hint} --level 4 --hash 4M")), false);
    let set = json(&folder, "settings --book b.dat --level 4 --hash 4M");
    assert_eq!((&set["level"], &set["hash"]), (&4.into(), &"4M".into()));
    assert!(std::path::Path::new(set["book"].as_str().unwrap()).is_absolute());
    assert_eq!(is_of_book(hint), true);
    // Options come first.
    assert_eq!(is_of_book(&format!("{hint} --no-book")), false);
    let searched = json(&folder, &format!("{hint} --no-book"));
    assert_eq!(searched["moves"][0]["depth"], 2);
    let deeper = json(&folder, &format!("{hint} --no-book --level 9"));
    assert_eq!(deeper["moves"][0]["depth"], 4);
    let (code, out, _) = run(&folder, "settings --unset book --unset hash");
    assert!(
        code == 0 && out.contains("book: none\nlevel: 4\nhash: 256M"),
        "{out}"
    );
}

#[test]
fn wrong_settings_are_told_with_their_file() {
    let folder = folder();
    std::fs::create_dir(folder.path("config")).unwrap();
    for (text, told) in [
        ("{ level: 99 }", "level: a number from 0 to 60"),
        ("{ colour: 1 }", "colour is no setting"),
        ("nonsense", "othello.json5"),
        ("{ book: 'gone.egbk3' }", "the book of"),
    ] {
        folder.write("config/othello.json5", text);
        let (code, _, error) = run(&folder, "hint f5 --level 1 --hash 4M --threads 1");
        assert!(code == 1 && error.contains(told), "{text}: {error}");
        assert!(error.contains("othello.json5"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    for line in [
        "settings --level 61",
        "settings --hash 0",
        "settings --unset colour",
        "settings --book b.dat --unset book",
    ] {
        std::fs::remove_file(folder.path("config/othello.json5")).ok();
        let (code, _, error) = run(&folder, line);
        assert_eq!(code, 2, "{line}: {error}");
    }
    let (code, _, error) = run(&folder, "settings --book gone.egbk3");
    assert!(code == 1 && error.contains("gone.egbk3"), "{error}");
}

#[test]
fn a_book_grows_where_it_is() {
    let folder = TestFolder::new();
    let options = "--level 1 --threads 1 --loops 2";
    // A book that is not there is a new one.
    let (code, _, error) = run(&folder, &format!("book learn a.egbk3 --depth 4 {options}"));
    assert_eq!(code, 0, "{error}");
    let small = folder.read("a.egbk3");
    run(
        &folder,
        &format!("book learn -o other.egbk3 --depth 4 {options}"),
    );
    assert!(folder.read("other.egbk3") == small);
    // It goes on with what it has, and leaves nothing beside it.
    let (code, out, error) = run(&folder, &format!("book learn a.egbk3 --depth 6 {options}"));
    assert_eq!(code, 0, "{error}");
    assert!(folder.read("a.egbk3").len() > small.len(), "{out}");
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, ["a.egbk3", "other.egbk3"]);
    // The same as into another file.
    run(
        &folder,
        &format!("book learn other.egbk3 -o third.egbk3 --depth 6 {options}"),
    );
    assert!(folder.read("third.egbk3") == folder.read("a.egbk3"));
    // A run that was cut into pieces makes the same book.
    folder.write("b.egbk3", &small);
    for round in 0..100 {
        let line = format!("book learn b.egbk3 --depth 6 {options} --positions 3 --json");
        let (code, out, error) = run(&folder, &line);
        assert_eq!(code, 0, "{error}");
        let done: Value = serde_json::from_str(&out).unwrap();
        if done["complete"] == true {
            assert!(round > 1, "{out}");
            break;
        }
    }
    assert!(folder.read("b.egbk3") == folder.read("a.egbk3"));
    let (code, _, error) = run(&folder, "book learn --level 1");
    assert!(code == 2 && error.contains("add BOOK"), "{error}");
    // An output that is named is still not replaced.
    let (code, _, error) = run(&folder, "book learn a.egbk3 -o other.egbk3 --level 1");
    assert!(code == 1 && error.contains("other.egbk3 exists"), "{error}");
}
