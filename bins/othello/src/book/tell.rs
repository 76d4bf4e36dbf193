//! Results.

use serde_json::{Value, json};
use yane_cli::print;

/// Results with names, as lines or as JSON.
pub(super) fn tell<N: AsRef<str>>(results: &[(N, u64)], json: bool) -> yane_io::Result<()> {
    if json {
        let map = results
            .iter()
            .map(|(name, n)| (name.as_ref().to_owned(), json!(n)));
        print::json(&Value::Object(map.collect()))
    } else {
        print::lines(
            results
                .iter()
                .map(|(name, n)| format!("{} {n}", name.as_ref())),
        )
    }
}
