//! Help texts without the marks of documentation.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory, FromArgMatches};

/// The same command with help texts for a terminal: doc comments are written for `rustdoc`, where back quotes mark code. Words lose
/// them, and several words together get quotes.
#[must_use]
pub fn plain_help(command: Command) -> Command {
    let texts = [
        command.get_about().cloned(),
        command.get_long_about().cloned(),
        command.get_after_help().cloned(),
        command.get_after_long_help().cloned(),
    ];
    let [about, long_about, after_help, after_long_help] = texts.map(|text| changed(text.as_ref()));
    let mut command = command;
    if let Some(text) = about {
        command = command.about(text);
    }
    if let Some(text) = long_about {
        command = command.long_about(text);
    }
    if let Some(text) = after_help {
        command = command.after_help(text);
    }
    if let Some(text) = after_long_help {
        command = command.after_long_help(text);
    }
    command.mut_args(plain_arg).mut_subcommands(plain_help)
}

fn plain_arg(arg: Arg) -> Arg {
    let [help, long_help] = [changed(arg.get_help()), changed(arg.get_long_help())];
    let mut arg = arg;
    if let Some(text) = help {
        arg = arg.help(text);
    }
    if let Some(text) = long_help {
        arg = arg.long_help(text);
    }
    arg
}

/// The text without back quotes; `None` if it has none.
fn changed(text: Option<&StyledStr>) -> Option<String> {
    let text = text?.to_string();
    text.contains('`').then(|| plain(&text))
}

/// Takes the back quotes from a text.
fn plain(text: &str) -> String {
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    // Behind a last one without a partner nothing is quoted.
    let pairs = parts.len() / 2 * 2;
    let pairs = if parts.len().is_multiple_of(2) {
        pairs - 1
    } else {
        pairs
    };
    for part in parts[..pairs].iter_mut().skip(1).step_by(2) {
        if part.contains(char::is_whitespace) {
            *part = format!("'{part}'");
        }
    }
    parts.concat()
}

/// Parses a command line with [`plain_help`]. Ends the process for `--help`, `--version` and what [`clap`] finds wrong.
pub fn parse<C: CommandFactory + FromArgMatches>(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> C {
    let mut command = plain_help(C::command());
    let matches = command.try_get_matches_from_mut(args);
    let parsed = matches.and_then(|matches| C::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| error.format(&mut command).exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_back_quotes() {
        for (text, expected) in [
            ("`always`, or seconds", "always, or seconds"),
            (
                "as `othello book worker` does",
                "as 'othello book worker' does",
            ),
            ("`a`", "a"),
            ("`a b` and ` alone", "'a b' and  alone"),
            ("one ` alone", "one  alone"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn all_texts_of_a_command_are_changed() {
        let command = Command::new("x").about("`a`").after_help("`b`").subcommand(
            Command::new("y")
                .long_about("`c d`")
                .arg(Arg::new("z").long("z").help("`e`").long_help("`f`\n\n`g`")),
        );
        let mut command = plain_help(command);
        let help = command.render_long_help().to_string();
        assert!(
            !help.contains('`') && help.contains('a') && help.contains('b'),
            "{help}"
        );
        let inner = command.find_subcommand_mut("y").unwrap();
        let help = inner.render_long_help().to_string();
        assert!(
            help.contains("'c d'") && help.contains("f\n") && !help.contains('`'),
            "{help}"
        );
        let short = inner.render_help().to_string();
        assert!(short.contains(" e\n") && !short.contains('`'), "{short}");
    }
}
