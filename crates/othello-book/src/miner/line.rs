//! A line that came out.

/// A line of moves that is worth learning, and the two values that disagree, both for the player to move in the
/// position that was judged (the one before the last move).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The moves in lower case, passes left out.
    pub transcript: &'a str,
    /// How many plies from the start of the walk the judged position is, passes counted.
    pub ply: u32,
    /// The value that is expected: that of the links (mode 1), the position (2) or the edge (3, 4).
    pub expected: i32,
    /// The value that is there: that of the leaf (1), the best move (2, 4) or the position (3).
    pub found: i32,
}
