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
/// The commands for evaluations that write a file, with their arguments; each makes the input of the next.
const TRAINING: [(&str, &[&str]); 2] = [
    (
        "selfplay",
        &[
            "--games", "20", "--random", "50..52", "--plies", "50..59", "--depth", "1",
        ],
    ),
    ("train", &["selfplay.out", "--epochs", "1"]),
];

/// The other commands that write a file, for records, openings and books that grow, with their arguments and the output.
const OTHERS: [(&str, &[&str], &str); 15] = [
    (
        "offset",
        &["eval", "offset", "a.olp", "--depth", "1"],
        "out.yev",
    ),
    ("convert", &["games", "convert", "a.txt"], "out.ggf"),
    ("filter", &["games", "filter", "a.txt"], "out.ggf"),
    ("from_games", &["book", "from_games", "a.txt"], "out.dat"),
    (
        "xot",
        &[
            "xot", "--count", "2", "--plies", "3", "--depth", "1", "--hash", "1M",
        ],
        "out.txt",
    ),
    (
        "learn",
        &[
            "book", "learn", "a.dat", "--level", "1", "--depth", "4", "--loops", "1",
        ],
        "out.dat",
    ),
    (
        "leaves",
        &["book", "leaves", "a.dat", "--level", "1", "--only-illegal"],
        "out.dat",
    ),
    (
        "store",
        &["book", "store", "a.dat", "f5d6", "--level", "1"],
        "out.dat",
    ),
    ("set", &["book", "set", "a.dat", "f5", "0"], "out.dat"),
    (
        "deviate",
        &["book", "deviate", "a.dat", "0", "0", "--level", "1"],
        "out.dat",
    ),
    (
        "enhance",
        &["book", "enhance", "a.dat", "0", "0", "--level", "1"],
        "out.dat",
    ),
    (
        "fill",
        &["book", "fill", "a.dat", "1", "--level", "1"],
        "out.dat",
    ),
    (
        "play",
        &["book", "play", "a.dat", "--level", "1", "--empties", "58"],
        "out.dat",
    ),
    ("recipe", &["book", "recipe", "recipe.json5"], "out.dat"),
    ("export", &["book", "export", "a.dat"], "out.dat"),
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

/// A file of labelled positions with the start position, whose value is 0, found by a search.
fn labelled_start() -> Vec<u8> {
    let discs = [0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000].map(u64::to_le_bytes);
    [&b"YANEOLP1"[..], discs.as_flattened(), &[0, 0, 1, 1]].concat()
}

/// Runs the program; returns exit code and standard error.
fn run_there(folder: &TestFolder, args: &[&str]) -> (i32, String) {
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
        assert_eq!(run_there(&folder, &line).0, 0, "{command}");
        let made = fs::read(&out).unwrap();
        fs::write(&out, "old").unwrap();
        let (code, error) = run_there(&folder, &line);
        assert!(code == 1 && error.contains(EXISTS), "{command}: {error}");
        assert_eq!(
            run_there(&folder, &[&line[..], &["--dry-run"]].concat()).0,
            0
        );
        assert_eq!(fs::read(&out).unwrap(), b"old", "{command}");
        assert_eq!(run_there(&folder, &[&line[..], &["--force"]].concat()).0, 0);
        assert!(fs::read(&out).unwrap() == made, "{command}");
    }
}

#[test]
fn files_of_training_are_replaced_only_by_force() {
    let folder = TestFolder::new();
    for (command, more) in TRAINING {
        let name = format!("{command}.out");
        let line = [&[command], more, &["-o", &name]].concat();
        assert_eq!(run_there(&folder, &line).0, 0, "{command}");
        let made = folder.read(&name);
        folder.write(&name, "old");
        let (code, error) = run_there(&folder, &line);
        let told = format!("{name} exists; choose another output, or pass --force");
        assert!(code == 1 && error.contains(&told), "{command}: {error}");
        assert_eq!(folder.read(&name), b"old", "{command}");
        assert_eq!(run_there(&folder, &[&line[..], &["--force"]].concat()).0, 0);
        assert!(folder.read(&name) == made, "{command}");
    }
}

#[test]
fn an_output_after_the_input_is_replaced_unless_it_is_the_input() {
    let folder = folder();
    fs::write(folder.path("out.dat"), "old").unwrap();
    let convert = ["book", "convert", "a.dat", "out.dat"];
    assert_eq!(run_there(&folder, &convert).0, 0);
    assert_ne!(fs::read(folder.path("out.dat")).unwrap(), b"old");
    let (code, error) = run_there(&folder, &["book", "convert", "a.dat", "a.dat"]);
    assert!(code == 1 && error.contains("is an input"), "{error}");
    assert_eq!(
        run_there(&folder, &[&convert[..], &["-o", "b.dat"]].concat()).0,
        2
    );
    assert_eq!(run_there(&folder, &["book", "convert", "a.dat"]).0, 2);
}

#[test]
fn outputs_of_all_commands_are_replaced_only_by_force() {
    for (command, arguments, name) in OTHERS {
        let folder = folder();
        folder.write("a.txt", "f5d6c3\n");
        folder.write("a.olp", labelled_start());
        folder.write("recipe.json5", "{ stages: [{ do: \"fix\" }] }");
        let line = [arguments, &["-o", name]].concat();
        let (code, error) = run_there(&folder, &line);
        assert_eq!(code, 0, "{command}: {error}");
        let made = folder.read(name);
        folder.write(name, "old");
        let (code, error) = run_there(&folder, &line);
        let told = format!("{name} exists; choose another output, or pass --force");
        assert!(code == 1 && error.contains(&told), "{command}: {error}");
        assert_eq!(folder.read(name), b"old", "{command}");
        assert_eq!(run_there(&folder, &[&line[..], &["--force"]].concat()).0, 0);
        assert!(folder.read(name).len() == made.len(), "{command}");
    }
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
    let has_force = command
        .get_arguments()
        .any(|arg| arg.get_long() == Some("force"));
    let mut arguments = command.get_arguments();
    let has_output =
        arguments.any(|arg| arg.get_short() == Some('o') && arg.get_long() == Some("output"));
    let mut tried = COMMANDS.iter().chain(&TRAINING);
    // What has an output may be told to replace it, and nothing else.
    let has_picture = command
        .get_arguments()
        .any(|arg| arg.get_long() == Some("svg"));
    assert_eq!(has_output || has_picture, has_force, "{name}: --force");
    // `othello play` has no output, `othello book play` has one.
    let is_of_books = command
        .get_bin_name()
        .is_some_and(|name| name.contains(" book "));
    let is_other = OTHERS
        .iter()
        .any(|(tried, line, _)| *tried == name && (line[0] != "book" || is_of_books));
    let is_tried = is_other || tried.any(|(tried, _)| *tried == name);
    assert_eq!(has_output, is_tried, "{name}: -o");
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = othello::command();
    program.build();
    check(&program);
}
