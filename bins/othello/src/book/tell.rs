//! Printing of counts.

use serde_json::{Value, json};
use yane_cli::print;

use crate::table::count;

/// Prints counts with their names as words, right-aligned, or as JSON.
pub(super) fn tell<N: AsRef<str>>(results: &[(N, u64)], json: bool) -> yane_io::Result<()> {
    tell_by(results, json, words)
}

/// Prints counts of findings.
pub(super) fn tell_found(found: &[(&str, u64)], json: bool) -> yane_io::Result<()> {
    tell_by(found, json, |name| name.replace('_', " "))
}

fn tell_by<N: AsRef<str>>(
    results: &[(N, u64)],
    json: bool,
    words: impl Fn(&str) -> String,
) -> yane_io::Result<()> {
    if json {
        let map = results
            .iter()
            .map(|(name, n)| (name.as_ref().to_owned(), json!(n)));
        return print::json(&Value::Object(map.collect()));
    }
    print::lines(lines(results, words))
}

fn lines<N: AsRef<str>>(results: &[(N, u64)], words: impl Fn(&str) -> String) -> Vec<String> {
    let rows: Vec<_> = results
        .iter()
        .map(|(name, n)| (words(name.as_ref()), count(*n)))
        .collect();
    let width = |texts: &mut dyn Iterator<Item = &String>| {
        let widths = texts.map(|text| text.chars().count());
        widths.max().unwrap_or_default()
    };
    let names = width(&mut rows.iter().map(|(name, _)| name));
    let numbers = width(&mut rows.iter().map(|(_, n)| n));
    let line = |(name, n): &(String, String)| format!("{name:<names$}  {n:>numbers$}");
    rows.iter().map(line).collect()
}

/// The words of a count; JSON has the name itself.
fn words(name: &str) -> String {
    let words = match name {
        "repeated" => "repeated records left out",
        "damaged" => "damaged records left out",
        "left_out" => "positions left out",
        "shortened" => "positions that lost something",
        "restored" => "positions restored from the side-car",
        "side_car" => "positions in the side-car",
        "made_leaves" => "leaves made of moves to positions",
        "edax_searches" => "positions that Edax's fix will search",
        "reached" => "positions reached",
        "values" => "values changed",
        "lines" => "line counts changed",
        "leaves" => "leaves changed",
        "bounds" => "bounds changed",
        "removed" => "positions removed",
        "isolated" => "isolated positions",
        "kept" => "positions kept",
        "new" => "positions new",
        "changed" => "positions changed",
        name => return name.replace('_', " "),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_under_each_other() {
        let counts = [("positions", 1234), ("left_out", 5), ("some_more", 0)];
        let lines = lines(&counts, words);
        let expected = [
            "positions           1,234",
            "positions left out      5",
            "some more               0",
        ];
        assert_eq!(lines, expected);
    }
}
