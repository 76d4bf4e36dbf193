//! A program's commands and options for other programs: what a page offers, and whether a command line is right.
//!
//! `PROGRAM --describe` prints them as JSON, `PROGRAM --check-usage WORD…` says whether the words are a command line. Neither is in the
//! help: they are for the server that starts programs as jobs.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

use crate::UsageError;

/// The description of a program: its name, its version, and each command with its arguments.
pub(crate) fn description(mut program: Command) -> Value {
    program.build();
    let mut commands = Vec::new();
    add(&program, "", &mut commands);
    json!({
        "program": program.get_name(),
        "version": env!("CARGO_PKG_VERSION"),
        "commands": commands,
    })
}

fn add(command: &Command, path: &str, commands: &mut Vec<Value>) {
    let arguments = command.get_arguments().filter(|arg| !is_of_shell(arg));
    commands.push(json!({
        "command": path,
        "help": text(command.get_about()),
        "arguments": arguments.map(argument).collect::<Vec<_>>(),
    }));
    for inner in command.get_subcommands() {
        let name = inner.get_name();
        let path = match path {
            "" => name.to_owned(),
            path => format!("{path} {name}"),
        };
        add(inner, &path, commands);
    }
}

/// Options that no command acts on.
fn is_of_shell(arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    ["help", "version", "completions", "man"].contains(&id)
}

fn argument(arg: &Arg) -> Value {
    let values = arg.get_value_names().unwrap_or_default();
    let values: Vec<&str> = values.iter().map(clap::builder::Str::as_str).collect();
    let defaults = arg.get_default_values().iter();
    let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
    let takes = arg.get_action().takes_values();
    let choices = if takes {
        arg.get_possible_values()
    } else {
        Vec::new()
    };
    let choices = choices.iter().filter(|choice| !choice.is_hide_set());
    let choices: Vec<&str> = choices
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    let many = arg
        .get_num_args()
        .is_some_and(|range| range.max_values() > 1);
    json!({
        "name": arg.get_long().unwrap_or_else(|| arg.get_id().as_str()),
        "is_option": !arg.is_positional(),
        "takes_value": takes,
        "value": takes.then(|| values.join(" ")),
        "required": arg.is_required_set(),
        "repeated": many || matches!(arg.get_action(), ArgAction::Append),
        "default": (takes && !defaults.is_empty()).then(|| defaults.join(" ")),
        "choices": choices,
        "help": text(arg.get_help()),
        "heading": arg.get_help_heading(),
        "hidden": arg.is_hide_set(),
    })
}

/// A help text in one line.
fn text(text: Option<&StyledStr>) -> String {
    let text = text.map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses the words behind the name of a program, and carries nothing out.
///
/// # Errors
///
/// What is wrong with them, as the program itself would say it, in a line.
pub(crate) fn check_usage(program: &mut Command, words: &[OsString]) -> Result<(), UsageError> {
    let name = OsString::from(program.get_name());
    let words = std::iter::once(&name).chain(words);
    let parsed = program.try_get_matches_from_mut(words);
    parsed.map(drop).map_err(|error| {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        let first: Vec<&str> = first.split_whitespace().collect();
        UsageError(first.join(" ").trim_start_matches("error: ").to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let depth = Arg::new("depth")
            .long("depth")
            .value_name("D")
            .default_value("24")
            .value_parser(clap::value_parser!(u32).range(1..=99))
            .help("Plies\n  of a search");
        let files = Arg::new("files").num_args(1..).required(true);
        Command::new("cake").subcommand(
            Command::new("bake")
                .about("Bakes")
                .arg(files)
                .arg(depth)
                .arg(Arg::new("hot").long("hot").action(ArgAction::SetTrue)),
        )
    }

    #[test]
    fn a_description_has_commands_and_arguments() {
        let description = description(program());
        let bake = &description["commands"][1];
        assert_eq!(bake["command"], "bake");
        assert_eq!(bake["help"], "Bakes");
        let [files, depth, hot] = bake["arguments"].as_array().unwrap().as_slice() else {
            panic!("{bake}")
        };
        assert_eq!(files["name"], "files");
        assert_eq!(
            [&files["required"], &files["repeated"], &files["is_option"]],
            [true, true, false]
        );
        assert_eq!(
            [&depth["default"], &depth["value"], &depth["help"]],
            ["24", "D", "Plies of a search"]
        );
        assert_eq!([&hot["takes_value"], &hot["is_option"]], [false, true]);
    }

    #[test]
    fn usage_is_checked_and_nothing_done() {
        let check = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            check_usage(&mut program(), &words)
        };
        check("bake a --depth 3 --hot").unwrap();
        let told = check("bake a --depth 100").unwrap_err();
        assert!(
            told.to_string()
                .starts_with("invalid value '100' for '--depth <D>'"),
            "{told}"
        );
        check("bake").unwrap_err();
    }
}
