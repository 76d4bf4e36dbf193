//! A move of a book with its fields.

use std::cmp::Reverse;

use shogi_core::{Move16, MoveText};

/// A move registered for a position.
///
/// Moves are held as 16 bits, since a book does not know the moving piece; whether a move is legal is
/// known only with the position ([`shogi_core::Position::move_from_16`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move; `None` is the book's word `none` (a position with nothing to play).
    pub mv: Option<Move16>,
    /// The expected reply, if one is known.
    pub ponder: Option<Move16>,
    /// Value for the side to move, in the unit of the engine that made the book (centipawns, as a
    /// rule).
    pub eval: i32,
    /// Search depth in plies behind `eval`, or any number that the maker of the book put there.
    pub depth: i32,
    /// Number of times the move was played, or any number that the maker of the book put there.
    pub count: u64,
}

/// The depth of moves that come from game records: nothing was searched.
pub(crate) const RECORD_DEPTH: i32 = 32;

impl BookMove {
    /// Returns whether the move has a value: one that is not 0, or a depth that somebody searched to.
    ///
    /// Moves that were never searched are worth 0 at depth 0 (the defaults of the text format) or 32 (what
    /// `from_sfen` and the field's tools write for moves of game records).
    pub const fn has_value(&self) -> bool {
        self.eval != 0 || !matches!(self.depth, 0 | RECORD_DEPTH)
    }

    /// Creates a move without further data: no reply, value 0, depth 0, count 1 (the defaults of
    /// the text format).
    pub const fn new(mv: Option<Move16>) -> Self {
        Self {
            mv,
            ponder: None,
            eval: 0,
            depth: 0,
            count: 1,
        }
    }

    /// Merges a later line about the same move: reply, value and depth are replaced, counts add up
    /// (a count too large for 64 bits stays the largest).
    pub fn absorb(&mut self, later: &Self) {
        *self = Self {
            count: self.count.saturating_add(later.count),
            ..*later
        };
    }
}

/// Adds `new` to the moves of a position: a move that is already there absorbs the new line, any
/// other is appended.
pub fn add_move(moves: &mut Vec<BookMove>, new: BookMove) {
    match moves.iter_mut().find(|known| known.mv == new.mv) {
        Some(known) => known.absorb(&new),
        None => moves.push(new),
    }
}

/// Returns whether a position has moves, and none of them has a value ([`BookMove::has_value`]).
pub fn lacks_values(moves: impl IntoIterator<Item = BookMove>) -> bool {
    let mut moves = moves
        .into_iter()
        .filter(|known| known.mv.is_some())
        .peekable();
    moves.peek().is_some() && moves.all(|known| !known.has_value())
}

/// The order in which books are written: by count, then by value, both falling; equal ones keep
/// their order.
pub fn sort_moves(moves: &mut [BookMove]) {
    moves.sort_by_key(|known| Reverse((known.count, known.eval)));
}

/// Reads USI notation, quicker than [`MoveText::from_usi`]: books have tens of millions of moves.
pub(crate) fn move_from_usi(text: &[u8]) -> Option<Move16> {
    let square = |file: u8, rank: u8| {
        let (file, rank) = (file.wrapping_sub(b'1'), rank.wrapping_sub(b'a'));
        (file < 9 && rank < 9).then(|| u16::from(file) * 9 + u16::from(rank))
    };
    let &[a, b, c, d, ref rest @ ..] = text else {
        return None;
    };
    let to = square(c, d)?;
    if b == b'*' {
        let kind = b" PLNSBRG".iter().position(|&letter| letter == a)?;
        return (kind > 0 && rest.is_empty()).then_some(Move16(to | (kind as u16) << 7 | 1 << 14));
    }
    let from = square(a, b)?;
    let promote = match rest {
        [] => 0,
        [b'+'] => 1 << 15,
        _ => return None,
    };
    (from != to).then_some(Move16(to | from << 7 | promote))
}

/// Appends USI notation, or `none`.
pub(crate) fn push_move(out: &mut Vec<u8>, mv: Option<Move16>) {
    let Some(text) = mv.and_then(Move16::decode) else {
        out.extend_from_slice(b"none");
        return;
    };
    let push_square = |out: &mut Vec<u8>, square: shogi_core::Square| {
        let index = square as u8;
        out.extend_from_slice(&[b'1' + index / 9, b'a' + index % 9]);
    };
    let MoveText {
        origin,
        to,
        promote,
    } = text;
    match origin {
        shogi_core::Origin::Board(from) => push_square(out, from),
        shogi_core::Origin::Hand(kind) => out.extend_from_slice(&[kind.to_usi() as u8, b'*']),
    }
    push_square(out, to);
    if promote {
        out.push(b'+');
    }
}

/// The move on the board turned by 180 degrees.
pub(crate) const fn flip_move(mv: Move16) -> Move16 {
    const TO: u16 = 0x7f;
    const FROM: u16 = 0x7f << 7;
    const LAST: u16 = 80;
    let to = LAST - (mv.0 & TO);
    if mv.0 & 1 << 14 != 0 {
        return Move16(mv.0 & !TO | to);
    }
    let from = LAST - ((mv.0 & FROM) >> 7);
    Move16(mv.0 & !(TO | FROM) | from << 7 | to)
}

/// The moves of a position as its flip has them. Bits that are no move stay as they are.
pub(crate) fn flip_moves(mut moves: Vec<BookMove>) -> Vec<BookMove> {
    let flip = |mv: Move16| mv.decode().map_or(mv, |_| flip_move(mv));
    for known in &mut moves {
        known.mv = known.mv.map(flip);
        known.ponder = known.ponder.map(flip);
    }
    moves
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_core::movegen::LegalAll;

    use super::*;

    #[test]
    fn notation_agrees_with_the_rules_crate() {
        for bits in 0..=u16::MAX {
            let Some(text) = Move16(bits).decode() else {
                continue;
            };
            let usi = text.to_string();
            assert_eq!(move_from_usi(usi.as_bytes()), Some(Move16(bits)), "{usi}");
            let mut out = Vec::new();
            push_move(&mut out, Some(Move16(bits)));
            assert_eq!(out, usi.as_bytes());
        }
    }

    #[test]
    fn garbage_is_no_move() {
        for text in [
            "", "7g", "7g7", "7g7f++", "7g7f-", "K*5e", "P*5e+", "p*5e", " *5e", "0g7f", "7g7g",
            "7j7f",
        ] {
            assert_eq!(move_from_usi(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_repeated_move_replaces_and_counts_add_up() {
        let mv = move_from_usi(b"7g7f");
        let line = |eval, count| BookMove {
            eval,
            count,
            ..BookMove::new(mv)
        };
        let mut moves = vec![line(10, 3)];
        add_move(&mut moves, line(-5, 4));
        assert_eq!(moves, [line(-5, 7)]);
        add_move(&mut moves, BookMove::new(None));
        assert_eq!(moves.len(), 2);
    }

    #[test]
    fn moves_of_records_have_no_value() {
        let line = |eval, depth| BookMove {
            eval,
            depth,
            ..BookMove::new(move_from_usi(b"7g7f"))
        };
        for (eval, depth, has_value) in [
            (0, 0, false),
            (0, 32, false),
            (0, 8, true),
            (0, 33, true),
            (-1, 0, true),
            (5, 32, true),
        ] {
            assert_eq!(line(eval, depth).has_value(), has_value, "{eval} {depth}");
        }
        assert!(lacks_values([line(0, 32), BookMove::new(None), line(0, 0)]));
        assert!(!lacks_values([line(0, 32), line(3, 8)]));
        // A position with nothing to play needs no value.
        assert!(!lacks_values([BookMove::new(None)]) && !lacks_values([]));
    }

    #[test]
    fn flipped_moves_are_those_of_the_flipped_position() {
        let text = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let position = Position::from_sfen(text).unwrap();
        let flipped = position.flip();
        for m in position.moves::<LegalAll>() {
            let there = flip_move(m.into());
            assert_eq!(flipped.move_from_16(there), Some(m.rotate()));
            assert_eq!(flip_move(there), m.into());
        }
        let no_move = BookMove::new(Some(Move16(0xffff)));
        assert_eq!(flip_moves(vec![no_move]), [no_move]);
    }
}
