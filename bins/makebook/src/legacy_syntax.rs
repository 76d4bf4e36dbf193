//! The classic syntax: options as plain words.
//!
//! `makebook from_sfen bw b.sfen w.sfen out.db moves 16` means the same as
//! `makebook from_sfen --bw b.sfen w.sfen out.db --moves=16`: every option of a command may be
//! written as a word, with underscores for hyphens, its values after it. A file whose name is such a
//! word is written `./moves`.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// Writes the words of the classic syntax in `args` (the program's name first) as options.
pub(crate) fn to_options(program: &Command, args: Vec<OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let mut out: Vec<OsString> = args.next().into_iter().collect();
    let command = loop {
        let Some(word) = args.next() else {
            return out;
        };
        let command = word.to_str().and_then(|name| program.find_subcommand(name));
        out.push(word);
        if let Some(command) = command {
            break command;
        }
    };
    while let Some(word) = args.next() {
        if word == "--" {
            out.push(word);
            break;
        }
        if let Some((arg, name)) = word_of(command, &word) {
            let mut option = OsString::from(format!("--{name}"));
            let mut values: Vec<_> = args.by_ref().take(values(arg)).collect();
            if values.len() == 1 {
                // With `=`, a value such as -50 is not taken for an option.
                option.push("=");
                option.extend(values.pop());
            }
            out.push(option);
            out.append(&mut values);
        } else {
            // The values of an option are copied unchanged.
            let following = option_of(program, command, &word).map_or(0, values);
            out.push(word);
            out.extend(args.by_ref().take(following));
        }
    }
    out.extend(args);
    out
}

/// Returns the number of words that follow the option.
fn values(arg: &Arg) -> usize {
    if arg.get_action().takes_values() {
        arg.get_num_args().map_or(1, |range| range.min_values())
    } else {
        0
    }
}

/// The option that the plain word `word` stands for, with its long name.
fn word_of<'a>(command: &'a Command, word: &OsStr) -> Option<(&'a Arg, &'a str)> {
    let word = word.to_str()?;
    // Options that have a letter, too, are none of the classic syntax.
    let own =
        |arg: &&Arg| arg.get_id() == word && !arg.is_global_set() && arg.get_short().is_none();
    let arg = command.get_arguments().find(own)?;
    Some((arg, arg.get_long()?))
}

/// The option that `--word`, without a value of its own, names.
fn option_of<'a>(program: &'a Command, command: &'a Command, word: &OsStr) -> Option<&'a Arg> {
    let name = word.to_str()?.strip_prefix("--")?;
    let mut all = command.get_arguments().chain(program.get_arguments());
    all.find(|arg| arg.get_long() == Some(name) || arg.get_id() == name)
}

/// Lets options be written with underscores, as their words are.
pub(crate) fn with_underscores(program: Command) -> Command {
    program.mut_subcommands(|command| {
        command.mut_args(|arg| {
            let name = clap::builder::Str::from(arg.get_id().clone());
            let is_classic = arg.get_short().is_none();
            if is_classic
                && arg.get_long().is_some_and(|long| long != name.as_str())
                && name.contains('_')
            {
                arg.alias(name)
            } else {
                arg
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translate(line: &str) -> String {
        let program = Command::new("makebook")
            .arg(Arg::new("memory").long("memory").global(true))
            .subcommand(
                Command::new("work")
                    .arg(Arg::new("files").num_args(1..))
                    .arg(Arg::new("bw").long("bw").action(clap::ArgAction::SetTrue))
                    .arg(Arg::new("black_limit").long("black-limit"))
                    .arg(Arg::new("range").long("range").num_args(2))
                    .arg(Arg::new("output").long("output").short('o')),
            );
        let words = line.split(' ').map(OsString::from).collect();
        let translated = to_options(&program, words);
        let words: Vec<_> = translated
            .iter()
            .map(|word| word.to_str().unwrap())
            .collect();
        words.join(" ")
    }

    #[test]
    fn words_become_options() {
        for (classic, modern) in [
            ("makebook work a bw b", "makebook work a --bw b"),
            (
                "makebook work black_limit -5 x",
                "makebook work --black-limit=-5 x",
            ),
            ("makebook work range -1 2 x", "makebook work --range -1 2 x"),
            (
                "makebook work a black_limit",
                "makebook work a --black-limit",
            ),
            (
                "makebook --memory 1G work bw",
                "makebook --memory 1G work --bw",
            ),
        ] {
            assert_eq!(translate(classic), modern);
        }
    }

    #[test]
    fn everything_else_stays() {
        for line in [
            "makebook",
            "makebook bw",
            "makebook help work",
            "makebook work ./bw memory files",
            "makebook work --memory bw x",
            "makebook work output -o output",
            "makebook work --range bw range x",
            "makebook work --black-limit=3 x -- bw",
        ] {
            assert_eq!(translate(line), line);
        }
    }
}
