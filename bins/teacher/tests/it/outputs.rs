//! How outputs are named: by `-o`, which keeps a file that exists, or behind the inputs.

use clap::Command;

use crate::util::{Folder, golden};

/// Every command that makes a file: its arguments, and the file.
const COMMANDS: [(&str, &str, &str); 7] = [
    ("convert x.psv", "-o out.hcpe", "out.hcpe"),
    ("repair x.psv", "-o out.psv", "out.psv"),
    ("shuffle x.psv", "-o out.psv", "out.psv"),
    ("dedup x.psv", "-o out.psv", "out.psv"),
    ("filter x.psv", "-o out.psv", "out.psv"),
    ("split x.psv --parts 1", "-o out.psv", "out.0001.psv"),
    ("concat x.psv", "-o out.psv", "out.psv"),
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("x.psv", golden("selfplay/declaration_n50.psv"));
    folder
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = folder();
    let others = [
        ("convert x.psv", "--to hcpe", "x.psv.hcpe"),
        ("stats x.psv", "--html out.html", "out.html"),
    ];
    for (inputs, output, file) in COMMANDS.into_iter().chain(others) {
        let line = format!("{inputs} {output}");
        folder.run(&line).succeeded();
        let made = folder.read(file);
        folder.write(file, "old");
        let told = format!("{file} exists; choose another output, or pass --force");
        let run = folder.run(&line).failed(1, &[&told]);
        assert!(run.out.is_empty(), "{line}: {run:?}");
        assert_eq!(folder.read(file), b"old", "{line}");
        folder.run(&format!("{line} --force --quiet")).succeeded();
        assert!(folder.read(file) == made, "{line}");
        std::fs::remove_file(folder.path(file)).unwrap();
    }
}

#[test]
fn an_output_behind_the_input_is_replaced_unless_it_is_the_input() {
    let folder = folder();
    folder.write("out.psv", "old");
    folder.run("repair x.psv out.psv").succeeded();
    assert!(folder.read("out.psv") == folder.read("x.psv"));
    folder
        .run("repair x.psv out.psv -o other.psv")
        .failed(2, &["two outputs"]);
    folder.run("repair x.psv").failed(2, &["OUT"]);
}

#[test]
fn a_file_that_is_named_like_standard_output_is_not_meant() {
    let folder = folder();
    folder.write("-", "old");
    let run = folder
        .run("convert x.psv -o - --to hcpe --quiet")
        .succeeded();
    assert!(run.out == golden("selfplay/declaration_n50.hcpe"));
    assert_eq!(folder.read("-"), b"old");
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = teacher::command();
    program.build();
    let has = |command: &Command, short| {
        command
            .get_arguments()
            .any(|arg| arg.get_short() == Some(short))
    };
    for command in program
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
    {
        let name = command.get_name();
        for long in ["json", "quiet", "force", "threads", "memory", "temp-dir"] {
            let mut arguments = command.get_arguments();
            assert!(
                arguments.any(|arg| arg.get_long() == Some(long)),
                "{name}: --{long}"
            );
        }
        let mut tried = COMMANDS.iter().map(|(line, ..)| line.split(' ').next());
        assert_eq!(
            has(command, 'o'),
            tried.any(|tried| tried == Some(name)),
            "{name}: -o"
        );
        for argument in command
            .get_arguments()
            .filter(|arg| arg.get_short() == Some('o'))
        {
            assert_eq!(argument.get_long(), Some("output"), "{name}");
        }
    }
}
