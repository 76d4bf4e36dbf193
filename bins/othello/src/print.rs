//! Text tables and named counts.

use othello_book::store::GameCounts;
use serde_json::{Value, json};
pub(crate) use yane_cli::counted;
use yane_cli::print;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table with a header.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            align: columns.iter().map(|(_, align)| *align).collect(),
            rows: vec![columns.iter().map(|(name, _)| (*name).to_owned()).collect()],
        }
    }

    /// Appends a row.
    pub(crate) fn row(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Returns whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    /// The lines of the table.
    pub(crate) fn lines(&self) -> Vec<String> {
        let widths: Vec<_> = (0..self.align.len())
            .map(|n| self.rows.iter().map(|row| row[n].chars().count()).max())
            .map(Option::unwrap_or_default)
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).zip(&self.align);
            let cells = cells.map(|((text, &width), align)| match align {
                Align::Left => format!("{text:<width$}"),
                Align::Right => format!("{text:>width$}"),
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// A number with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    yane_cli::HumanCount(number).to_string()
}

/// Wins, draws and losses of games: `12-3-8`.
pub(crate) fn counts_text(games: GameCounts) -> String {
    let GameCounts {
        wins,
        draws,
        losses,
    } = games;
    format!("{wins}-{draws}-{losses}")
}

/// Wins, draws and losses of games, in this order.
pub(crate) fn counts_json(games: GameCounts) -> Value {
    json!([games.wins, games.draws, games.losses])
}

/// Prints counts with their names as words, right-aligned, or as JSON.
pub(crate) fn print_counts<N: AsRef<str>>(results: &[(N, u64)], json: bool) -> yane_io::Result<()> {
    if json {
        let map = results
            .iter()
            .map(|(name, n)| (name.as_ref().to_owned(), json!(n)));
        return print::json(&Value::Object(map.collect()));
    }
    print::lines(count_lines(results, words))
}

/// The words of a count of findings.
pub(crate) fn finding_words(name: &str) -> String {
    name.replace('_', " ")
}

/// The lines of counts.
pub(crate) fn count_lines<N: AsRef<str>>(
    results: &[(N, u64)],
    words: impl Fn(&str) -> String,
) -> Vec<String> {
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
pub(crate) fn words(name: &str) -> String {
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
    fn columns_fit_their_cells() {
        let mut table = Table::new(&[("move", Align::Left), ("value", Align::Right)]);
        assert!(table.is_empty());
        table.row(["f5".to_owned(), "+1".to_owned()]);
        table.row(["leaf d6".to_owned(), "-10".to_owned()]);
        let expected = ["move     value", "f5          +1", "leaf d6    -10"];
        assert_eq!(table.lines(), expected);
    }

    #[test]
    fn numbers_are_right_aligned() {
        let counts = [("positions", 1234), ("left_out", 5), ("some_more", 0)];
        let lines = count_lines(&counts, words);
        let expected = [
            "positions           1,234",
            "positions left out      5",
            "some more               0",
        ];
        assert_eq!(lines, expected);
    }
}
