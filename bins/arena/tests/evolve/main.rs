//! `arena evolve` with the real programs, on settings so small that a generation takes seconds.
//!
//! All programs are this one, under other names (hard links in a folder of their own), so that none has to be built before the test of
//! another package. There is no harness therefore: what is not called by the name of a program runs the tests.

mod programs;
mod runs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    programs::run_as_program(&args).unwrap_or_else(|| run_tests(&args))
}

/// The tests by name.
const TESTS: [(&str, fn()); 5] = [
    (
        "killed_runs_end_as_undisturbed_ones_nnue",
        runs::killed_nnue_runs_end_alike,
    ),
    (
        "killed_runs_end_as_undisturbed_ones_othello",
        runs::killed_othello_runs_end_alike,
    ),
    ("policies_grow", runs::policies_grow),
    (
        "other_machines_play_the_same_games",
        runs::other_machines_play_the_same_games,
    ),
    ("what_is_wrong_is_told", runs::what_is_wrong_is_told),
];

/// Runs the tests whose names have one of the words of the command line in them, and sums them up as the usual harness does.
fn run_tests(args: &[std::ffi::OsString]) -> ExitCode {
    let words = args.iter().skip(1).filter_map(|word| word.to_str());
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for (name, test) in TESTS {
        if !words.is_empty() && words.iter().all(|word| !name.contains(word)) {
            left_out += 1;
            continue;
        }
        let is_good = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if is_good { "ok" } else { "FAILED" });
        passed += u32::from(is_good);
        failed += u32::from(!is_good);
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; {left_out} filtered out"
    );
    ExitCode::from(u8::from(failed > 0))
}
