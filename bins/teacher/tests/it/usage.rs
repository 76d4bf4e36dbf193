//! The command line: help, wrong usage, missing files, names of outputs.

use clap::Command;

use crate::util::{Folder, golden};

#[test]
fn wrong_usage_is_named() {
    let folder = Folder::with(&[
        "edge/good/one_game_resign.pack",
        "selfplay/declaration_n50.psv",
    ]);
    folder.write("nameless", "");
    for (line, word) in [
        ("", "Usage"),
        ("nonsense", "nonsense"),
        ("convert one_game_resign.pack", "--to"),
        ("convert --to hcpe", "IN"),
        ("convert one_game_resign.pack --to bin", "hcpe3"),
        ("convert nameless --to hcpe", "--from"),
        ("convert one_game_resign.pack -o nameless", "--to"),
        (
            "convert declaration_n50.psv --to pack",
            "psv cannot become pack",
        ),
        (
            "convert declaration_n50.psv --to hcpe --smoothing 2",
            "smoothing is for games",
        ),
        (
            "convert one_game_resign.pack --to hcpe --smoothing 2 --discount 0",
            "discount 0",
        ),
        (
            "convert one_game_resign.pack -o - --to hcpe --json",
            "--json",
        ),
        ("check", "FILE"),
        ("check nameless", "--from"),
        ("check - - --from pack", "only once"),
        ("check one_game_resign.pack --max many", "many"),
        ("repair one_game_resign.pack", "OUT"),
        ("repair nameless out", "--from"),
        ("stats", "FILE"),
        ("stats nameless", "--from"),
        ("head one_game_resign.pack -n many", "many"),
        ("sample one_game_resign.pack --seed many", "many"),
    ] {
        let run = folder.run(line).failed(2, &[word]);
        assert!(run.out.is_empty(), "{line}");
    }
    assert_eq!(
        folder.names(),
        ["declaration_n50.psv", "nameless", "one_game_resign.pack"]
    );
}

#[test]
fn a_missing_input_is_named() {
    let folder = Folder::new();
    for line in [
        "convert absent.pack --to hcpe",
        "check absent.pack",
        "repair absent.pack out.pack",
        "stats absent.pack",
        "head absent.pack",
        "sample absent.pack",
        "filter absent.pack -o out.pack",
        "shuffle absent.pack -o out.pack",
        "dedup absent.pack -o out.pack",
        "split absent.pack -o out.pack --parts 2",
        "split absent.pack -o out.pack --each 2",
        "concat absent.pack -o out.pack",
    ] {
        folder.run(line).failed(1, &["absent.pack: "]);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn an_input_is_not_overwritten() {
    let folder = Folder::with(&["selfplay/declaration_n50.psv"]);
    folder.write("x.hcpe", "");
    let psv = golden("selfplay/declaration_n50.psv");
    for line in [
        "convert declaration_n50.psv -o ./declaration_n50.psv",
        "convert x.hcpe declaration_n50.psv --from psv -o declaration_n50.psv",
        "repair declaration_n50.psv declaration_n50.psv",
    ] {
        folder
            .run(line)
            .failed(1, &["declaration_n50.psv is an input"]);
        assert!(folder.read("declaration_n50.psv") == psv, "{line}");
    }
    let line = "repair declaration_n50.psv declaration_n50.psv --force";
    folder.run(line).succeeded();
    assert!(folder.read("declaration_n50.psv") == psv);
}

const COMMANDS: [&str; 12] = [
    "convert", "check", "repair", "stats", "head", "sample", "shuffle", "dedup", "filter", "split",
    "concat", "rescore",
];

#[test]
fn every_command_has_examples_that_can_be_read() {
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("help {command}")).silent();
        let (_, examples) = help.text().split_once("Examples:\n").expect(command);
        let again = folder.run(&format!("{command} --help")).silent();
        assert_eq!(again.text(), help.text());
        let mut understood = 0;
        for line in examples.lines() {
            let (_, line) = line.split_once("teacher ").expect(line);
            let line = line.split(['<', '>', '|']).next().unwrap();
            assert!(line.starts_with(command), "{line}");
            let run = folder.run(line);
            // Only the files are missing; the standard input is an empty file.
            let codes: &[i32] = if line.contains(" - ") { &[0, 1] } else { &[1] };
            assert!(codes.contains(&run.code.unwrap()), "{line}: {run:?}");
            understood += 1;
        }
        assert!(understood >= 2, "{command}");
    }
}

#[test]
fn the_list_of_commands_is_complete() {
    let help = Folder::new().run("--help").silent();
    let listed: Vec<_> = help
        .text()
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert_eq!(listed, COMMANDS);
}

/// Every command that makes a file: its arguments, and the file.
const WRITERS: [(&str, &str, &str); 8] = [
    ("convert x.psv", "-o out.hcpe", "out.hcpe"),
    ("repair x.psv", "-o out.psv", "out.psv"),
    ("shuffle x.psv", "-o out.psv", "out.psv"),
    ("dedup x.psv", "-o out.psv", "out.psv"),
    ("filter x.psv", "-o out.psv", "out.psv"),
    ("split x.psv --parts 1", "-o out.psv", "out.0001.psv"),
    ("concat x.psv", "-o out.psv", "out.psv"),
    ("rescore x.psv --eval-only", "-o out.psv", "out.psv"),
];

fn folder_of_inputs() -> Folder {
    let folder_of_inputs = Folder::new();
    folder_of_inputs.write("x.psv", golden("selfplay/declaration_n50.psv"));
    folder_of_inputs
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder_of_inputs = folder_of_inputs();
    let others = [
        ("convert x.psv", "--to hcpe", "x.psv.hcpe"),
        ("stats x.psv", "--html out.html", "out.html"),
    ];
    for (inputs, output, file) in WRITERS.into_iter().chain(others) {
        let line = format!("{inputs} {output}");
        folder_of_inputs.run(&line).succeeded();
        let made = folder_of_inputs.read(file);
        folder_of_inputs.write(file, "old");
        let told = format!("{file} exists; choose another output, or pass --force");
        let run = folder_of_inputs.run(&line).failed(1, &[&told]);
        assert!(run.out.is_empty(), "{line}: {run:?}");
        assert_eq!(folder_of_inputs.read(file), b"old", "{line}");
        folder_of_inputs
            .run(&format!("{line} --force --quiet"))
            .succeeded();
        assert!(folder_of_inputs.read(file) == made, "{line}");
        std::fs::remove_file(folder_of_inputs.path(file)).unwrap();
    }
}

#[test]
fn an_output_behind_the_input_is_replaced_unless_it_is_the_input() {
    let folder_of_inputs = folder_of_inputs();
    folder_of_inputs.write("out.psv", "old");
    folder_of_inputs.run("repair x.psv out.psv").succeeded();
    assert!(folder_of_inputs.read("out.psv") == folder_of_inputs.read("x.psv"));
    folder_of_inputs
        .run("repair x.psv out.psv -o other.psv")
        .failed(2, &["two outputs"]);
    folder_of_inputs.run("repair x.psv").failed(2, &["OUT"]);
}

#[test]
fn a_file_that_is_named_like_standard_output_is_not_meant() {
    let folder_of_inputs = folder_of_inputs();
    folder_of_inputs.write("-", "old");
    let run = folder_of_inputs
        .run("convert x.psv -o - --to hcpe --quiet")
        .succeeded();
    assert!(run.out == golden("selfplay/declaration_n50.hcpe"));
    assert_eq!(folder_of_inputs.read("-"), b"old");
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
        let has_option = |long: &str| {
            let mut arguments = command.get_arguments();
            arguments.any(|arg| arg.get_long() == Some(long))
        };
        assert!(has_option("json") && has_option("quiet"), "{name}");
        // What has an output may be told to replace it, and nothing else.
        let has_output = has(command, 'o') || has_option("svg");
        assert_eq!(has_option("force"), has_output, "{name}: --force");
        let mut tried = WRITERS.iter().map(|(line, ..)| line.split(' ').next());
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
