//! Help.

use crate::util::Folder;

const COMMANDS: [&str; 26] = [
    "from_sfen",
    "merge",
    "sort",
    "build_tree",
    "stera_convert",
    "extend_tree",
    "extract_sfen_from_db",
    "extract_sfen_from_sfen",
    "startsfens",
    "peta_shock",
    "peta_shock_next",
    "peta_shock_next2",
    "peta_next",
    "convert",
    "convert_to_apery",
    "convert_from_apery",
    "info",
    "check",
    "diff",
    "lookup",
    "unique",
    "filter",
    "think",
    "endless_extend_tree",
    "s_tera",
    "mine",
];

#[test]
fn every_command_has_examples() {
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("help {command}")).succeeded().out;
        let (_, examples) = help.split_once("Examples:\n").expect(command);
        assert!(examples.contains(command), "{command}");
        assert_eq!(
            folder.run(&format!("{command} --help")).succeeded().out,
            help
        );
    }
}

#[test]
fn the_list_is_complete() {
    let folder = Folder::new();
    let help = folder.run("--help").succeeded().out;
    let listed: Vec<_> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let mut listed = listed;
    let mut expected = COMMANDS.to_vec();
    listed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

#[test]
fn examples_can_be_read() {
    // A command line of an example is understood: what is missing are its files.
    let folder = Folder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("help {command}")).out;
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        for line in examples.lines() {
            let line = line.trim().split(" > ").next().unwrap();
            let Some(line) = line.strip_prefix("makebook ") else {
                continue;
            };
            let run = folder.run(line);
            assert_eq!(run.code, Some(1), "{line}: {run:?}");
            let missing = run.err.contains("No such file") || cfg!(not(unix));
            assert!(missing, "{line}: {run:?}");
        }
    }
}
