//! Names of outputs: by `-o`, which keeps a file that exists, or after the inputs.

use std::fs;

use test_support::TestFolder;

use crate::program::run_in;

/// The commands of `book` that write one, with their arguments beside book and output.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("convert", &[]),
    ("merge", &["a.dat"]),
    ("fix", &["--edax"]),
    ("prune", &["--edax"]),
    ("lines", &[]),
    ("isolated", &[]),
    ("subtree", &["--start", "f5"]),
];
const EXISTS: &str = "out.dat exists; choose another output, or pass --force";

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write(
        "a.dat",
        test_support::fixture_bytes("othello/books/games_a.dat"),
    );
    folder
}

/// Runs the program; returns exit code and standard error.
fn run(folder: &TestFolder, args: &[&str]) -> (i32, String) {
    let (code, _, error) = run_in(&folder.path("."), args);
    (code, error)
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    for (command, more) in COMMANDS {
        let folder = folder();
        let out = folder.path("out.dat");
        let line = [
            &["book", command, "a.dat"],
            more,
            &["-o", "out.dat", "--no-side-car"],
        ]
        .concat();
        assert_eq!(run(&folder, &line).0, 0, "{command}");
        let made = fs::read(&out).unwrap();
        fs::write(&out, "old").unwrap();
        let (code, error) = run(&folder, &line);
        assert!(code == 1 && error.contains(EXISTS), "{command}: {error}");
        assert_eq!(run(&folder, &[&line[..], &["--dry-run"]].concat()).0, 0);
        assert_eq!(fs::read(&out).unwrap(), b"old", "{command}");
        assert_eq!(run(&folder, &[&line[..], &["--force"]].concat()).0, 0);
        assert!(fs::read(&out).unwrap() == made, "{command}");
    }
}

#[test]
fn an_output_behind_the_input_is_replaced_unless_it_is_the_input() {
    let folder = folder();
    fs::write(folder.path("out.dat"), "old").unwrap();
    let convert = ["book", "convert", "a.dat", "out.dat"];
    assert_eq!(run(&folder, &convert).0, 0);
    assert_ne!(fs::read(folder.path("out.dat")).unwrap(), b"old");
    let (code, error) = run(&folder, &["book", "convert", "a.dat", "a.dat"]);
    assert!(code == 1 && error.contains("is an input"), "{error}");
    assert_eq!(
        run(&folder, &[&convert[..], &["-o", "b.dat"]].concat()).0,
        2
    );
    assert_eq!(run(&folder, &["book", "convert", "a.dat"]).0, 2);
}

/// Checks the commands at the ends of `command`.
fn check(command: &clap::Command) {
    let name = command.get_name();
    let mut commands = command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .peekable();
    if commands.peek().is_some() {
        return commands.for_each(check);
    }
    for long in ["json", "quiet", "force", "threads", "memory", "temp-dir"] {
        let mut arguments = command.get_arguments();
        assert!(
            arguments.any(|arg| arg.get_long() == Some(long)),
            "{name}: --{long}"
        );
    }
    let mut arguments = command.get_arguments();
    let has_output =
        arguments.any(|arg| arg.get_short() == Some('o') && arg.get_long() == Some("output"));
    let is_tried = COMMANDS.iter().any(|(tried, _)| *tried == name);
    assert_eq!(has_output, is_tried, "{name}: -o");
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = othello::command();
    program.build();
    check(&program);
}
