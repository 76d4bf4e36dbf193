//! Random small positions for tests: few pieces around the defender's king, so that a plain search can
//! decide them.

use shogi_core::{
    ByColor, Color, Diagram, Hand, HandKind, Piece, PieceKind, Position, Setup, Square,
};

/// A small generator of numbers, the same on every machine.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
}

/// `count` positions, black to move, most without a black king, with white's king near the edge.
pub(super) fn small_problems(seed: u64, count: usize) -> impl Iterator<Item = Position> {
    let placements = small_placements(seed, usize::MAX);
    placements
        .filter_map(|start| start.position().cloned())
        .take(count)
}

/// The same, and placements with white in check already.
pub(super) fn small_placements(seed: u64, count: usize) -> impl Iterator<Item = Diagram> {
    let mut numbers = Numbers::new(seed);
    std::iter::from_fn(move || {
        loop {
            if let Some(start) = small_placement(&mut numbers) {
                return Some(start);
            }
        }
    })
    .take(count)
}

fn small_placement(numbers: &mut Numbers) -> Option<Diagram> {
    let mut setup = Setup::default();
    // Mates are rare in the middle of the board.
    let file = numbers.below(9);
    let rank = numbers.below(3);
    let king = Square::from_index(file * 9 + rank)?;
    setup.board[king.index()] = Some(Piece::new(Color::White, PieceKind::King));
    for (color, most) in [(Color::Black, 4), (Color::White, 3)] {
        for _ in 0..numbers.below(most) + usize::from(color == Color::Black) {
            let near = |numbers: &mut Numbers| numbers.below(5) as i8 - 2;
            let square = king.offset(near(numbers), near(numbers))?;
            let piece = Piece::new(color, KINDS[numbers.below(KINDS.len())]);
            setup.board[square.index()].get_or_insert(piece);
        }
    }
    if numbers.below(4) == 0 {
        let square = Square::from_index(numbers.below(81))?;
        setup.board[square.index()].get_or_insert(Piece::new(Color::Black, PieceKind::King));
    }
    let hand = |numbers: &mut Numbers, most: usize| {
        (0..numbers.below(most)).fold(Hand::EMPTY, |hand, _| {
            let kind = HandKind::ALL[numbers.below(7)];
            hand.with_count(kind, hand.count(kind) + 1).unwrap_or(hand)
        })
    };
    setup.hands = ByColor([hand(numbers, 4), hand(numbers, 3)]);
    Diagram::from_setup(&setup).ok()
}

const KINDS: [PieceKind; 12] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::ProPawn,
    PieceKind::Horse,
    PieceKind::Dragon,
];
