//! The settings that act in each command.

use yane_cli::ActingSettings;

/// Files that are read.
const READ: &str = "threads quiet json";
/// Files that are made of others, record by record.
const WRITTEN: &str = "threads quiet force json";
/// Files that are made through temporary ones.
const ARRANGED: &str = "threads memory temp-dir quiet force json";

/// The settings that act in each command of `teacher`.
pub(crate) const ACTING: ActingSettings = ActingSettings(&[
    ("convert", WRITTEN),
    ("check", READ),
    ("repair", WRITTEN),
    // --html and --svg name outputs.
    ("stats", WRITTEN),
    ("head", READ),
    ("sample", READ),
    ("shuffle", ARRANGED),
    ("dedup", ARRANGED),
    ("filter", WRITTEN),
    ("split", "threads temp-dir quiet force json"),
    ("concat", WRITTEN),
    ("rescore", "threads temp-dir quiet force json"),
]);

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_command_is_listed() {
        let problems = ACTING.problems(&crate::cli::Cli::command());
        assert!(problems.is_empty(), "{problems:?}");
    }
}
