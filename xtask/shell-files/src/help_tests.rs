//! Help texts of all programs: words for a terminal, and usage lines that can be typed.

use clap::{Command, ValueHint};

use crate::programs;

/// Calls `check` with every command, and the words by which it is called.
fn each_command(check: &mut dyn FnMut(&str, &mut Command)) {
    fn visit(path: &str, command: &mut Command, check: &mut dyn FnMut(&str, &mut Command)) {
        check(path, command);
        for inner in command.get_subcommands_mut() {
            if inner.get_name() != "help" {
                let path = format!("{path} {}", inner.get_name());
                visit(&path, inner, check);
            }
        }
    }
    for mut program in programs() {
        let name = program.get_name().to_owned();
        program.build();
        visit(&name, &mut program, check);
    }
}

#[test]
fn no_help_has_marks_of_documentation() {
    let mut wrong = Vec::new();
    each_command(&mut |path, command| {
        for help in [command.render_help(), command.render_long_help()] {
            let help = help.to_string();
            let marked = help
                .lines()
                .filter(|line| line.contains('`') || line.contains("](") || line.contains("[`"));
            wrong.extend(marked.map(|line| format!("{path}: {line}")));
        }
    });
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn usage_lines_name_the_command() {
    each_command(&mut |path, command| {
        let usage = command.render_usage().to_string();
        let first = usage.lines().next().unwrap_or_default();
        let typed = first.strip_prefix("Usage: ").unwrap_or_default();
        assert!(typed.starts_with(path), "{path}: {first}");
    });
}

#[test]
fn pictures_and_pages_are_files() {
    each_command(&mut |path, command| {
        for arg in command.get_arguments() {
            let long = arg.get_long().unwrap_or_default();
            if long != "svg" && long != "html" {
                continue;
            }
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(arg.get_action().takes_values(), "{path}: --{long}");
            assert_ne!(arg.get_value_hint(), ValueHint::DirPath, "{path}");
            if long == "svg" {
                let names: Vec<_> = arg.get_value_names().unwrap_or_default().to_vec();
                assert_eq!(names, ["FILE"], "{path}");
                assert!(help.starts_with("Also "), "{path}: {help}");
            }
        }
    });
}
