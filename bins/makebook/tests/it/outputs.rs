//! Naming of outputs: behind the inputs, where they replace an existing file, or by `-o`, where they do not.

use clap::Command;
use test_support::TestFolder;

use crate::util::{Refused, RunMakebook, folder_with};

/// Commands that write a file: inputs, output as the classic syntax has it, the rest.
const COMMANDS: [(&str, &str, &str); 17] = [
    ("from_sfen games.sfen", "out.db", ""),
    ("merge mab.db mab.db", "out.db", ""),
    ("sort mab.db", "out.db", ""),
    ("build_tree acyclic.db", "out.db", ""),
    (
        "stera_convert read_book stera_in.db",
        "write_book out.db",
        "",
    ),
    ("extend_tree mab.db roots.txt", "out.db", ""),
    (
        "extract_sfen_from_db read_book mab.db",
        "write_sfen out.db",
        "",
    ),
    (
        "extract_sfen_from_sfen read_sfen games.sfen",
        "write_sfen out.db",
        "",
    ),
    ("startsfens mab.db", "out.db", ""),
    ("peta_shock mab.db", "out.db", ""),
    ("peta_shock_next mab.db", "out.db", "2"),
    ("peta_shock_next2 mab.db", "out.db", "2"),
    ("convert mab.db", "out.ybb", ""),
    ("convert_to_apery mab.db", "out.bin", ""),
    ("convert_from_apery mab.bin", "out.db", ""),
    ("unique mab.db", "out.db", ""),
    ("filter mab.db", "out.db", ""),
];
fn folder() -> TestFolder {
    let folder = folder_with(&[
        "merge/mab.db",
        "from_sfen/games.sfen",
        "extend_tree/acyclic.db",
        "stera/stera_in.db",
    ]);
    folder.write("roots.txt", "startpos\n");
    folder.run("convert mab.db mab.bin").silent();
    folder
}

/// Runs a command, whatever it says of lines that it leaves out.
#[track_caller]
fn done(folder: &TestFolder, line: &str) {
    let run = folder.run(line.trim_end());
    assert_eq!(run.code, Some(0), "{line}: {run:?}");
}

#[test]
fn an_output_behind_the_inputs_is_replaced() {
    let folder = folder();
    for (inputs, output, rest) in COMMANDS {
        let file = output.split(' ').next_back().unwrap();
        let line = format!("{inputs} {output} {rest}");
        done(&folder, &line);
        let made = folder.read(file);
        folder.write(file, "old");
        done(&folder, &line);
        assert!(folder.read(file) == made, "{line}");
        std::fs::remove_file(folder.path(file)).unwrap();
    }
}

#[test]
fn an_output_that_an_option_names_is_replaced_only_by_force() {
    let folder = folder();
    for (inputs, output, rest) in COMMANDS {
        let file = output.split(' ').next_back().unwrap();
        done(&folder, &format!("{inputs} {output} {rest}"));
        let made = folder.read(file);
        folder.write(file, "old");
        let line = format!("{inputs} {rest} -o {file}").replace("  ", " ");
        let told = format!("{file} exists; choose another output, or pass --force");
        folder.run(&line).refused(1, &[&told]);
        assert_eq!(folder.read(file), b"old", "{line}");
        done(&folder, &format!("{line} --force"));
        assert!(folder.read(file) == made, "{line}");
        std::fs::remove_file(folder.path(file)).unwrap();
        done(&folder, &line);
        assert!(folder.read(file) == made, "{line}");
        std::fs::remove_file(folder.path(file)).unwrap();
        // Twice is once too often.
        let twice = format!("{inputs} {output} {rest} -o {file}").replace("  ", " ");
        if !inputs.starts_with("merge") && !inputs.starts_with("from_sfen") {
            assert_eq!(folder.run(&twice).code, Some(2), "{twice}");
        }
        assert!(!folder.path(file).exists(), "{twice}");
    }
}

#[test]
fn lists_in_a_folder_are_replaced_likewise() {
    let folder = folder();
    folder.run("peta_next mab.db").silent();
    folder.run("peta_next mab.db --folder .").silent();
    let told = "think_sfens.txt exists; choose another output, or pass --force";
    let names = folder.names();
    for name in names.iter().filter(|name| name.starts_with("think_sfens-")) {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    folder.write("think_sfens.txt", "old");
    folder.run("peta_next mab.db -o .").refused(1, &[told]);
    assert_eq!(folder.read("think_sfens.txt"), b"old");
    folder.run("peta_next mab.db -o . --force").silent();
    assert_ne!(folder.read("think_sfens.txt"), b"old");
    assert_eq!(folder.names(), names);
}

#[test]
fn commands_of_the_field_replace_inputs_and_ours_do_not() {
    let folder = folder();
    let book = folder.read("mab.db");
    for line in ["sort mab.db mab.db", "merge mab.db mab.db mab.db"] {
        folder.run(line).silent();
        assert!(folder.read("mab.db") == book, "{line}");
    }
    for line in ["unique mab.db mab.db", "filter mab.db mab.db"] {
        let told = "mab.db is an input; choose another output, or pass --force";
        folder.run(line).refused(1, &[told]);
    }
    folder.run("filter mab.db mab.db --force").silent();
}

fn has(command: &Command, short: char) -> bool {
    let mut arguments = command.get_arguments();
    arguments.any(|argument| argument.get_short() == Some(short))
}

#[test]
fn every_command_keeps_the_convention() {
    let mut program = makebook::command();
    program.build();
    let mut with_output: Vec<_> = COMMANDS.iter().map(|command| command.0).collect();
    with_output.extend(["peta_next", "analyze"]);
    for command in program.get_subcommands() {
        let name = command.get_name();
        if name == "help" {
            continue;
        }
        let has_setting = |long: &str| {
            let mut arguments = command.get_arguments();
            arguments.any(|arg| arg.get_long() == Some(long))
        };
        assert!(has_setting("json") && has_setting("quiet"), "{name}");
        // What has an output may be told to replace it, and nothing else.
        assert_eq!(has_setting("force"), has(command, 'o'), "{name}: --force");
        let is_tried = with_output
            .iter()
            .any(|line| line.split(' ').next() == Some(name));
        assert_eq!(has(command, 'o'), is_tried, "{name}: -o");
        // The other letters mean the same everywhere.
        let letters = command
            .get_arguments()
            .filter_map(|arg| Some((arg.get_short()?, arg.get_long()?)));
        for (letter, long) in letters {
            let expected = match letter {
                'o' => "output",
                'q' => "quiet",
                'h' => "help",
                'V' => "version",
                _ => panic!("{name}: -{letter}"),
            };
            assert_eq!(long, expected, "{name}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_books_that_grow_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    // As Shift_JIS has them.
    for (name, line) in [
        (
            &b"\x8e\x76\x8d\x6c.db"[..],
            "think games.sfen BOOK --nodes 20",
        ),
        (
            &b"\x8c\x40.db"[..],
            "mine BOOK --roots roots.txt --positions 4 --batch 2 --nodes 20",
        ),
    ] {
        let folder = TestFolder::new();
        folder.write("games.sfen", "startpos moves 7g7f 3c3d\n");
        folder.write("roots.txt", "startpos\n");
        let name = OsStr::from_bytes(name);
        let words = line.split(' ').chain(["--json", "--quiet"]);
        let words = words.map(|word| match word {
            "BOOK" => name,
            word => OsStr::new(word),
        });
        let run = folder.run_args(words).succeeded();
        assert!(run.text().contains('\u{fffd}'), "{run:?}");
        assert!(folder.path(name).is_file(), "{line}");
    }
}
