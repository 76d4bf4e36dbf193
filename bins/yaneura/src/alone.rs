//! The command lines of commands that run alone.

use std::ffi::OsString;

use clap::Parser;

/// The arguments of the command `name`, if the words of the command line are this command and nothing else. Wrong arguments end the program.
pub(crate) fn parse_alone<C: Parser>(words: &[OsString], name: &str) -> Option<C> {
    let is_named = words.first().is_some_and(|word| word == name);
    let is_alone = !words.iter().any(|word| word == ",");
    // The usage line is what is typed.
    let program = OsString::from(format!("yaneura {name}"));
    let line = std::iter::once(&program).chain(words.iter().skip(1));
    (is_named && is_alone).then(|| yane_cli::parse(line))
}
