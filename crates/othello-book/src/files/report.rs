//! What came of a conversion or a merge.

use crate::convert::links::RelinkReport;

/// The counts of a merge or conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookMergeReport {
    /// Positions of the output.
    pub positions: u64,
    /// Positions that the first input lacks.
    pub new: u64,
    /// Positions of the first input that another one improves.
    pub changed: u64,
    /// Duplicate records of the same book.
    pub repeated: u64,
    /// Damaged records that were skipped, side-cars included.
    pub damaged: u64,
    /// Positions that the format cannot hold, or, in a book for Edax, without a known move.
    pub left_out: u64,
    /// Positions that lost data, as neither the format nor a side-car can hold it.
    pub shortened: u64,
    /// Positions restored from a side-car.
    pub restored: u64,
    /// Positions in the side-car.
    pub side_car: u64,
    /// The leaves of a book for Edax.
    pub for_edax: Option<EdaxLeafReport>,
}

/// The leaves of a book for Edax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdaxLeafReport {
    /// Positions whose leaf was made of a move to another position of the book or to an omitted one.
    pub made_leaves: u64,
    /// Positions that Edax's own `book fix` will search.
    pub searches: u64,
}

impl EdaxLeafReport {
    pub(super) fn add(&mut self, linked: RelinkReport) {
        self.made_leaves += u64::from(linked.made_leaf);
        self.searches += u64::from(linked.searches);
    }

    /// The counts by name.
    pub const fn counts(&self) -> [(&'static str, u64); 2] {
        [
            ("made_leaves", self.made_leaves),
            ("edax_searches", self.searches),
        ]
    }
}

impl BookMergeReport {
    /// The counts by name.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        let mut counts = vec![
            ("positions", self.positions),
            ("new", self.new),
            ("changed", self.changed),
            ("repeated", self.repeated),
            ("damaged", self.damaged),
            ("left_out", self.left_out),
            ("shortened", self.shortened),
            ("restored", self.restored),
            ("side_car", self.side_car),
        ];
        counts.extend(self.for_edax.iter().flat_map(EdaxLeafReport::counts));
        counts
    }
}
