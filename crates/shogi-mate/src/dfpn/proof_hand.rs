//! Proof hands and disproof hands (証明駒, 反証駒): the smallest hand that is enough for a mate, the largest that is not.
//!
//! A mate found with some hand of the attacker is a mate with any larger hand too (dominance), as all pieces the
//! attacker has more the defender has less. So a proof is stored for the smallest hand for which it holds, and a
//! disproof for the largest.

use shogi_core::attacks::between;
use shogi_core::{Bitboard, CheckSquares, Color, Hand, HandKind, Move, MoveClass, Position, Rank};

/// For every kind the larger of the two counts.
pub(super) fn max(a: Hand, b: Hand) -> Hand {
    if a.contains(b) {
        return a;
    }
    if b.contains(a) {
        return b;
    }
    combine(a, b, u8::max)
}

/// For every kind the smaller of the two counts.
pub(super) fn min(a: Hand, b: Hand) -> Hand {
    if a.contains(b) {
        return b;
    }
    if b.contains(a) {
        return a;
    }
    combine(a, b, u8::min)
}

fn combine(a: Hand, b: Hand, f: impl Fn(u8, u8) -> u8) -> Hand {
    HandKind::ALL.into_iter().fold(Hand::EMPTY, |hand, kind| {
        set(hand, kind, f(a.count(kind), b.count(kind)))
    })
}

/// `hand` with `count` pieces of `kind`, which a full set has.
fn set(hand: Hand, kind: HandKind, count: u8) -> Hand {
    hand.with_count(kind, count).unwrap_or(hand)
}

/// The hands of both players together: the attacker cannot have more on this board.
pub(super) fn total(position: &Position) -> Hand {
    let (black, white) = (position.hand(Color::Black), position.hand(Color::White));
    combine(black, white, |a, b| a + b)
}

/// The kind that `m` captures; `position` is the one before it.
fn captured_kind(position: &Position, m: Move) -> Option<HandKind> {
    if m.is_drop() {
        return None;
    }
    position.piece_on(m.to())?.kind().hand_kind()
}

/// The hand before the attacker's move `m` that becomes `after` with it: a proof hand of a proof hand, a disproof hand
/// of a disproof hand.
pub(super) fn hand_before(position: &Position, m: Move, after: Hand) -> Hand {
    if let Some(kind) = m.dropped() {
        return after.with(kind);
    }
    match captured_kind(position, m) {
        Some(kind) if after.has(kind) => after.without(kind),
        _ => after,
    }
}

/// The pieces that the attacker must hold in a position with the defender to move so that the defender has no further
/// interpositions: all pieces of the kinds that the defender lacks and could interpose.
///
/// Outside of check, where anything can be dropped anywhere, that is the whole hand.
pub(super) fn interposition_monopoly(position: &Position) -> Hand {
    let defender = position.side_to_move();
    let own = position.hand(defender);
    let attacker = position.hand(defender.flip());
    let checkers = position.checkers();
    let (Some(king), Some(checker)) = (position.king(defender), checkers.first()) else {
        return attacker;
    };
    if checkers.has_several() || attacker.is_empty() {
        return Hand::EMPTY;
    }
    let squares = between(king, checker);
    if squares.is_empty() {
        return Hand::EMPTY;
    }
    let mut hand = Hand::EMPTY;
    for kind in HandKind::ALL {
        if attacker.has(kind)
            && !own.has(kind)
            && (squares & drop_squares(position, defender, kind)).any()
        {
            hand = set(hand, kind, attacker.count(kind));
        }
    }
    hand
}

/// Squares where `color` could drop a piece of `kind` if it had one, occupied ones included. Ignores
/// checks and drop-pawn mates.
fn drop_squares(position: &Position, color: Color, kind: HandKind) -> Bitboard {
    let dead = dead_squares(color, kind.piece_kind().dead_ranks());
    if kind == HandKind::Pawn {
        !(dead | position.class_of(color, MoveClass::Pawn).fill_files())
    } else {
        !dead
    }
}

/// The `count` ranks farthest from `color`'s side, at most two.
fn dead_squares(color: Color, count: u32) -> Bitboard {
    let ranks = match color {
        Color::Black => [Rank::A, Rank::B],
        Color::White => [Rank::I, Rank::H],
    };
    ranks
        .into_iter()
        .take(count as usize)
        .fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank))
}

/// `hand` without the kinds that the attacker, who is to move, does not have but could give check
/// with by a drop: such checks have not been searched.
pub(super) fn without_unsearched_checks(position: &Position, hand: Hand) -> Hand {
    let attacker = position.side_to_move();
    let own = position.hand(attacker);
    if own.contains(hand) {
        return hand;
    }
    let checks = position.check_squares();
    HandKind::ALL.into_iter().fold(hand, |hand, kind| {
        if hand.has(kind) && !own.has(kind) && drop_checks(position, &checks, kind) {
            set(hand, kind, 0)
        } else {
            hand
        }
    })
}

fn drop_checks(position: &Position, checks: &CheckSquares, kind: HandKind) -> bool {
    let from = checks.of(kind.piece_kind().move_class());
    let squares = drop_squares(position, position.side_to_move(), kind);
    (from & squares & !position.occupied()).any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    #[test]
    fn larger_and_smaller_go_by_kind() {
        let a = Hand::EMPTY.with(HandKind::Pawn).with(HandKind::Pawn);
        let b = Hand::EMPTY.with(HandKind::Pawn).with(HandKind::Rook);
        assert_eq!(max(a, b), a.with(HandKind::Rook));
        assert_eq!(min(a, b), Hand::EMPTY.with(HandKind::Pawn));
    }

    #[test]
    fn a_distant_check_needs_the_possible_interpositions() {
        // The defender lacks everything but pawns: gold and silver in the attacker's hand matter.
        let far = position("4k4/9/9/9/4R4/9/9/9/9 w GSP9p 1");
        assert_eq!(
            interposition_monopoly(&far),
            Hand::EMPTY.with(HandKind::Gold).with(HandKind::Silver)
        );
        let close = position("4k4/4R4/9/9/9/9/9/9/9 w GSP9p 1");
        assert_eq!(interposition_monopoly(&close), Hand::EMPTY);
        // A pawn may not be dropped on a file with a pawn, nor on the last rank.
        let pawn = position("4k4/9/9/9/4R4/4p4/9/9/9 w P 1");
        assert_eq!(interposition_monopoly(&pawn), Hand::EMPTY);
        let row = position("9/9/9/9/9/9/9/9/k3R4 w PLN 1");
        assert_eq!(interposition_monopoly(&row), Hand::EMPTY);
    }

    #[test]
    fn disproof_hands_have_no_kinds_that_could_check() {
        let quiet = position("4k4/9/9/9/9/9/9/9/9 b P2G4p 1");
        let all = total(&quiet);
        assert_eq!(all.count(HandKind::Pawn), 5);
        let hand = without_unsearched_checks(&quiet, all.with(HandKind::Rook));
        assert_eq!(hand, all);
    }
}
