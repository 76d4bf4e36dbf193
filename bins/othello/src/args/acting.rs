//! The settings that act in each command.

use yane_cli::ActingSettings;

/// Searches and what is printed of them; books to play from may need temporary files.
const PLAYER: &str = "threads temp-dir quiet json";
/// Windows: only the window speaks.
const WINDOW: &str = "threads temp-dir";
/// Books that are read for a few positions.
const READ: &str = "memory temp-dir quiet json";
/// Books that are written.
const WRITTEN: &str = "memory temp-dir quiet force json events";
/// Books that grow by searches.
const GROWN: &str = "threads memory temp-dir quiet force json events";

/// The settings that act in each command of `othello`.
pub(crate) const ACTING: ActingSettings = ActingSettings(&[
    ("book info", "memory quiet json"),
    ("book convert", WRITTEN),
    ("book from_games", "threads quiet force json"),
    ("book merge", WRITTEN),
    ("book fix", WRITTEN),
    ("book prune", WRITTEN),
    ("book lines", WRITTEN),
    ("book isolated", WRITTEN),
    ("book subtree", WRITTEN),
    ("book accuracy", READ),
    ("book errors", READ),
    ("book dump", "json"),
    ("book lookup", READ),
    ("book check", "memory temp-dir quiet json events"),
    ("book learn", GROWN),
    ("book leaves", GROWN),
    ("book store", GROWN),
    ("book set", WRITTEN),
    ("book deviate", GROWN),
    ("book enhance", GROWN),
    ("book fill", GROWN),
    ("book play", GROWN),
    ("book recipe", GROWN),
    ("book worker", "threads quiet json"),
    ("book export", GROWN),
    ("book umigame", READ),
    ("book tree", READ),
    ("book draws", READ),
    ("book practice", READ),
    ("book diff", READ),
    ("games convert", "threads quiet force json"),
    ("games list", "threads quiet json"),
    ("games filter", "threads quiet force json"),
    ("games stats", "threads quiet json"),
    ("opening", "json"),
    ("xot", "quiet force json"),
    ("board", "quiet force json"),
    ("solve", "threads quiet json"),
    ("console", "threads temp-dir quiet"),
    ("play", PLAYER),
    ("hint", "threads temp-dir quiet force json"),
    ("analyze", "threads temp-dir quiet force json"),
    ("serve", "threads temp-dir json"),
    ("random", PLAYER),
    ("gtp", WINDOW),
    ("nboard", WINDOW),
    ("xboard", WINDOW),
    ("cassio", WINDOW),
    ("bench", "threads quiet json"),
    ("probcut", "threads quiet json"),
    ("perft", "quiet json"),
    ("eval info", "json"),
    ("eval measure", "json"),
    ("eval offset", "threads quiet force json events"),
    ("selfplay", "threads quiet force json events"),
    ("train", "threads quiet force json events"),
    ("settings", "json"),
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
