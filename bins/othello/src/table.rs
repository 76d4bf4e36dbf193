//! Text tables with aligned columns.

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

/// A number of things: `1 disc`, `1,234 positions`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut table = Table::new(&[("move", Align::Left), ("value", Align::Right)]);
        assert!(table.is_empty());
        table.row(["f5".to_owned(), "+1".to_owned()]);
        table.row(["leaf d6".to_owned(), "-10".to_owned()]);
        let expected = ["move     value", "f5          +1", "leaf d6    -10"];
        assert_eq!(table.lines(), expected);
        assert_eq!(counted(1, "disc", "discs"), "1 disc");
        assert_eq!(counted(1234, "disc", "discs"), "1,234 discs");
    }
}
