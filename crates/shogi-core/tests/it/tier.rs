//! The quick tier runs with every `cargo test`; the slow one adds deep perft and many more random
//! cases.

use std::io::Write as _;

use proptest::test_runner::Config;

/// Set to 1 to run the slow tier too.
const SLOW_TESTS: &str = "SHOGI_SLOW_TESTS";

/// How many times as many random cases the slow tier runs.
const SLOW_FACTOR: u32 = 20;

/// Whether the slow tier was asked for.
pub(crate) fn is_slow() -> bool {
    std::env::var(SLOW_TESTS).as_deref() == Ok("1")
}

/// Tells that `what` belongs to the slow tier and is left out.
pub(crate) fn tell_skipped(what: &str) {
    // Written past the test runner's capture: a skipped check should be seen.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: {what} (set {SLOW_TESTS}=1 to run it)"
    );
}

/// Options of a property with this many cases in the quick tier. A failing case is printed in full,
/// so nothing is kept in files.
pub(crate) fn config(cases: u32) -> Config {
    let cases = if is_slow() {
        cases * SLOW_FACTOR
    } else {
        cases
    };
    Config {
        cases,
        failure_persistence: None,
        // Random setups with both kings in check are many.
        max_local_rejects: u32::MAX,
        // Milliseconds: a long game that fails would be made smaller for minutes.
        max_shrink_time: 10_000,
        ..Config::default()
    }
}
