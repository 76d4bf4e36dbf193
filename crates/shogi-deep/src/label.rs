//! Numbers of moves in the output of a policy network.

use shogi_core::{Color, Move, PieceKind, Square};

/// The number of a move among [`Self::COUNT`] outputs: the direction in which it goes × 81 + the square it goes to, both as its player sees them.
///
/// Directions: 0 to 9 up, up-left, up-right, left, right, down, down-left, down-right and the knight's two jumps, 10 to 19 the
/// same with promotion, 20 to 26 drops of pawn, lance, knight, silver, bishop, rook, gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyLabel(u16);

impl PolicyLabel {
    /// Number of labels.
    pub const COUNT: usize = 27 * Square::COUNT;

    /// The label of a move.
    ///
    /// ```
    /// use shogi_core::Position;
    /// use shogi_deep::PolicyLabel;
    ///
    /// let position = Position::startpos();
    /// let forward = position.move_from_usi("1g1f")?;
    /// assert_eq!(PolicyLabel::new(forward).index(), 5);
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    pub fn new(m: Move) -> Self {
        let seen = |square: Square| match m.color() {
            Color::Black => square,
            Color::White => square.rotate(),
        };
        let to = seen(m.to());
        let direction = match (m.from(), m.dropped()) {
            (Some(from), _) => direction(seen(from), to) + if m.is_promotion() { 10 } else { 0 },
            (None, Some(kind)) => drop_direction(kind.piece_kind()),
            (None, None) => 0,
        };
        Self((direction * Square::COUNT + to.index()) as u16)
    }

    /// The label of the same move in a mirror, left to right.
    #[must_use]
    pub const fn mirror(self) -> Self {
        let (direction, to) = (self.index() / Square::COUNT, self.index() % Square::COUNT);
        let mirrored = match direction % 10 {
            _ if direction >= 20 => direction,
            1 | 3 | 6 | 8 => direction + 1,
            2 | 4 | 7 | 9 => direction - 1,
            _ => direction,
        };
        let to = (8 - to / 9) * 9 + to % 9;
        Self((mirrored * Square::COUNT + to) as u16)
    }

    /// 0 to [`Self::COUNT`] - 1.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The direction of a step or slide, as black sees the board.
fn direction(from: Square, to: Square) -> usize {
    let files = to.file().index() as i32 - from.file().index() as i32;
    let ranks = to.rank().index() as i32 - from.rank().index() as i32;
    // File 9 is on the left.
    match (files.signum(), ranks.signum()) {
        (1, _) if ranks == -2 && files == 1 => 8,
        (-1, _) if ranks == -2 && files == -1 => 9,
        (0, -1) => 0,
        (1, -1) => 1,
        (-1, -1) => 2,
        (1, 0) => 3,
        (-1, 0) => 4,
        (0, _) => 5,
        (1, _) => 6,
        _ => 7,
    }
}

const fn drop_direction(kind: PieceKind) -> usize {
    20 + match kind {
        PieceKind::Lance => 1,
        PieceKind::Knight => 2,
        PieceKind::Silver => 3,
        PieceKind::Bishop => 4,
        PieceKind::Rook => 5,
        PieceKind::Gold => 6,
        _ => 0,
    }
}
