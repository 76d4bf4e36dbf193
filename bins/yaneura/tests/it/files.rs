//! Files beside the program, and files of commands.

use crate::util::{copy_with, is_usual, run, run_program};

#[test]
fn options_from_a_file_are_fixed() {
    let (_folder, program) = copy_with(&[(
        "engine_options.txt",
        b"option name MultiPV type spin default 3 min 1 max 600\n\nUSI_Hash = 1\nNothing 5\n",
    )]);
    let input = b"setoption name USI_OwnBook value false\nsetoption name MultiPV value 2\ngetoption MultiPV\nisready\n\
        setoption name MultiPV value 4\ngetoption MultiPV\ngetoption USI_Hash\nquit\n";
    let mut lines = run_program(&program, "", input);
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
fn name_and_author_from_a_file() {
    let (_folder, program) = copy_with(&[("engine_name.txt", b"My Engine 5\nme\n")]);
    let lines = run_program(&program, "usi , quit", b"");
    assert_eq!(lines[..2], ["id name My Engine 5", "id author me"]);
    let (_folder, program) = copy_with(&[("engine_name.txt", b"\nme")]);
    let lines = run_program(&program, "usi , quit", b"");
    assert!(lines[0].starts_with("id name yaneura"), "{}", lines[0]);
    assert_eq!(lines[1], "id author me");
}

#[test]
fn startup_commands_come_after_the_arguments_and_before_the_input() {
    let (_folder, program) = copy_with(&[("startup.txt", b"moves\n\nmate1\n")]);
    let lines = run_program(
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
        run_program(&program, "file commands.txt , declare , quit", b""),
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
