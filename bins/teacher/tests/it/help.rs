//! Help.

use crate::util::Folder;

const COMMANDS: [&str; 11] = [
    "convert", "check", "repair", "stats", "head", "sample", "shuffle", "dedup", "filter", "split",
    "concat",
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
            // What is missing are the files; the standard input is an empty file.
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
