//! Files that exist, and JSON.

use std::fs;

use serde_json::Value;
use test_support::TestFolder;

use crate::program::{self, fixture, program};

/// Runs the program in `folder`; returns exit code, standard output, standard error.
fn run(folder: &TestFolder, args: &[&str]) -> (i32, String, String) {
    let book = fixture("books/pert_dev_a.dat");
    program::run(program().current_dir(folder.path(".")).arg(book).args(args))
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = TestFolder::new();
    let file = folder.path("out.txt");
    assert_eq!(run(&folder, &["-o", "out.txt"]).0, 0);
    let made = fs::read(&file).unwrap();
    fs::write(&file, "old").unwrap();
    let (code, _, error) = run(&folder, &["-o", "out.txt"]);
    let told = "out.txt exists; choose another output, or pass --force";
    assert!(code == 1 && error.contains(told), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(run(&folder, &["-o", "out.txt", "--force"]).0, 0);
    assert!(fs::read(&file).unwrap() == made);
}

#[test]
fn all_of_the_standard_output_is_json_if_that_is_asked_for() {
    let folder = TestFolder::new();
    let (code, out, error) = run(&folder, &["--json", "--quiet"]);
    assert_eq!((code, error.as_str()), (0, ""));
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, found) = lines.split_last().unwrap();
    assert_eq!(summary["lines"], found.len());
    assert!(found.len() > 1 && found.iter().all(|line| line["transcript"].is_string()));
    let (code, out, error) = run(&folder, &["--json", "--format", "csv"]);
    assert!(
        code == 2 && out.is_empty() && error.contains("--json"),
        "{error}"
    );
}
