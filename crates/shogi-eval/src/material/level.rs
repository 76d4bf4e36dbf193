//! How much of the attacks the material evaluation counts.

// Material with an eye on attacks: the field's material levels 1 to 9.
//
// | level | is |
// | --- | --- |
// | 1 | what pieces are worth, on the board and in hand |
// | 2 | … a piece on the board a tenth less |
// | 3 | … attacks on a square: the nearer to a king the more they count |
// | 4, 5 | … further attacks on the same square count less |
// | 6 | … more than two attacks on a square count as two; terms are rounded together |
// | 7 | … pieces that are protected or attacked; 1/32 of a unit is kept |
// | 8 | … the squares around the kings, and where the kings stand |
// | 9 | … the direction from the king in which an attack is |
//
// The field keeps a table of every pair of kings, square, pair of counts and piece. Its entries are sums
// of few terms without any rounding before the last step, so they are computed here instead, with
// integers.

/// One of the levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaterialLevel(pub(super) u8);

impl MaterialLevel {
    /// Pieces alone.
    pub const FIRST: Self = Self(1);
    /// Everything there is.
    pub const LAST: Self = Self(9);

    /// The level with this number, 1 to 9.
    pub const fn new(number: u8) -> Option<Self> {
        if number >= Self::FIRST.0 && number <= Self::LAST.0 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Returns the number of the level.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Default for MaterialLevel {
    fn default() -> Self {
        Self::FIRST
    }
}
