//! The settings that act in each command.

use yane_cli::ActingSettings;

/// A text book that is made of another one.
const BOOK: &str = "threads memory temp-dir quiet force json lf crlf skip-bad events";
/// A list or book whose command has its own rule for bad lines, or meets none.
const LIST: &str = "threads memory temp-dir quiet force json lf crlf events";
/// A book that is read.
const READ: &str = "threads memory temp-dir quiet json skip-bad events";
/// A book that grows where it is.
const GROWN: &str = "threads memory temp-dir quiet json lf crlf events";

/// The settings that act in each command of `makebook`.
pub(crate) const ACTING: ActingSettings = ActingSettings(&[
    ("from_sfen", LIST),
    ("merge", BOOK),
    ("sort", BOOK),
    ("build_tree", BOOK),
    ("stera_convert", BOOK),
    ("extend_tree", LIST),
    ("extract_sfen_from_db", LIST),
    ("extract_sfen_from_sfen", LIST),
    ("startsfens", LIST),
    ("peta_shock", BOOK),
    ("peta_shock_next", BOOK),
    ("peta_shock_next2", BOOK),
    (
        "peta_next",
        "threads memory temp-dir quiet force json events",
    ),
    ("convert", BOOK),
    (
        "convert_to_apery",
        "threads memory temp-dir quiet force json skip-bad events",
    ),
    ("convert_from_apery", BOOK),
    ("info", READ),
    ("check", "threads memory temp-dir quiet json events"),
    ("diff", READ),
    ("lookup", "threads memory quiet json"),
    ("unique", BOOK),
    ("filter", BOOK),
    ("think", GROWN),
    ("analyze", BOOK),
    ("endless_extend_tree", GROWN),
    (
        "s_tera",
        "threads memory temp-dir quiet json lf crlf skip-bad events",
    ),
    ("mine", GROWN),
    ("serve", "threads temp-dir quiet json"),
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
