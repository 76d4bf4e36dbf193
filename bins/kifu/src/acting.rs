//! The settings that act in each command.

use yane_cli::ActingSettings;

/// Records that are written, or pages and pictures of them.
const WRITTEN: &str = "threads quiet force json";

/// The settings that act in each command of `kifu`.
pub(crate) const ACTING: ActingSettings = ActingSettings(&[
    ("convert", WRITTEN),
    ("check", "threads quiet json"),
    ("stats", WRITTEN),
    ("filter", WRITTEN),
    ("split", WRITTEN),
    ("analyze", yaneura::analyze::SETTINGS),
    ("show", WRITTEN),
]);

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_command_is_listed() {
        let problems = ACTING.problems(&crate::args::Cli::command());
        assert!(problems.is_empty(), "{problems:?}");
    }
}
