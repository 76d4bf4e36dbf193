//! What a listing shows at most.

use crate::TeacherFormat;

/// Options of a listing.
#[derive(Clone, Copy, Debug)]
pub struct ListOptions {
    /// The format of the file.
    pub format: TeacherFormat,
    /// Maximum number of positions (of hcpe and PSV files) or games.
    pub count: u64,
    /// Selection of the items.
    pub pick: Pick,
    /// Leave out damaged records, and say how many there were; the list is shorter then. Games
    /// cannot be left out: where the next one begins is not known.
    pub skip_bad: bool,
}

/// Selection of positions or games to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The first ones.
    #[default]
    First,
    /// Some at random, all equally likely, in the order of the file. The same seed gives the same
    /// ones of the same file.
    ///
    /// Records of a file are looked up; games, and anything from the standard input, are read to the
    /// end, and those picked so far are in memory.
    Random {
        /// The seed.
        seed: u64,
    },
}
