//! What the search learns about moves: how often each refuted a position, by itself, as a capture,
//! and as an answer to the moves before it.
//!
//! All tables are exponentially forgetting averages within ±[`LIMIT`].

use shogi_core::{Color, Move, MoveClass, Piece, PieceKind, Square};

/// Bound of every history value.
pub(crate) const LIMIT: i32 = 16_384;

/// Origins: 81 squares and 7 kinds of drops.
const ORIGINS: usize = 88;
/// A piece arriving on a square.
const ARRIVALS: usize = Piece::INDEX_LIMIT * Square::COUNT;
/// Kinds of captured pieces, 0 for none.
const VICTIMS: usize = 15;

/// Which continuation table a move selects: the arriving piece and its square. 0 after a pass and
/// before the root.
pub(crate) type Arrival = usize;

/// The arrival of `m`; never 0.
#[inline]
pub(crate) fn arrival(m: Move) -> Arrival {
    m.piece_after().index() * Square::COUNT + m.to().index()
}

#[inline]
fn origin(m: Move) -> usize {
    match (m.from(), m.dropped()) {
        (Some(from), _) => from.index(),
        (None, Some(kind)) => Square::COUNT + kind as usize - 1,
        (None, None) => 0,
    }
}

#[inline]
fn butterfly_index(us: Color, m: Move) -> usize {
    (us.index() * ORIGINS + origin(m)) * Square::COUNT + m.to().index()
}

#[inline]
fn capture_index(m: Move, victim: Option<PieceKind>) -> usize {
    arrival(m) * VICTIMS + victim.map_or(0, |kind| kind as usize)
}

/// Moves a value towards `±LIMIT` by `change`, the less the nearer it already is.
#[inline]
fn nudge(value: &mut i16, change: i32) {
    let change = change.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + change - old * change.abs() / LIMIT) as i16;
}

/// All history tables of one searching thread (about 13 MB).
#[derive(Debug)]
pub(crate) struct Histories {
    butterfly: Box<[i16]>,
    capture: Box<[i16]>,
    continuation: Box<[i16]>,
    counter: Box<[Option<Move>]>,
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self {
            butterfly: vec![0; 2 * ORIGINS * Square::COUNT].into(),
            capture: vec![0; ARRIVALS * VICTIMS].into(),
            continuation: vec![0; ARRIVALS * ARRIVALS].into(),
            counter: vec![None; ARRIVALS].into(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(0);
        self.capture.fill(0);
        self.continuation.fill(0);
        self.counter.fill(None);
    }

    /// The history of quiet move `m` after the moves `before` (one, two and four plies back).
    #[inline]
    pub(crate) fn quiet(&self, m: Move, before: [Arrival; 3]) -> i32 {
        let column = arrival(m);
        let continuation = |row: Arrival| i32::from(self.continuation[row * ARRIVALS + column]);
        i32::from(self.butterfly[butterfly_index(m.color(), m)])
            + continuation(before[0])
            + continuation(before[1])
            + continuation(before[2]) / 2
    }

    /// The history of the capture or promotion `m`.
    #[inline]
    pub(crate) fn capture(&self, m: Move, victim: Option<PieceKind>) -> i32 {
        i32::from(self.capture[capture_index(m, victim)])
    }

    /// The move that last refuted the move with this arrival.
    #[inline]
    pub(crate) fn counter_move(&self, before: Arrival) -> Option<Move> {
        self.counter[before]
    }

    /// Quiet move `m` after `before` was good (`change` positive) or bad.
    pub(crate) fn update_quiet(&mut self, m: Move, before: [Arrival; 3], change: i32) {
        nudge(&mut self.butterfly[butterfly_index(m.color(), m)], change);
        let column = arrival(m);
        for row in before {
            // Row 0 stands for "no move" and stays zero.
            if row != 0 {
                nudge(&mut self.continuation[row * ARRIVALS + column], change);
            }
        }
    }

    /// The capture or promotion `m` was good (`change` positive) or bad.
    pub(crate) fn update_capture(&mut self, m: Move, victim: Option<PieceKind>, change: i32) {
        nudge(&mut self.capture[capture_index(m, victim)], change);
    }

    /// `m` refuted the move with the arrival `before`.
    pub(crate) fn set_counter_move(&mut self, before: Arrival, m: Move) {
        self.counter[before] = Some(m);
    }
}

const _: () = assert!(MoveClass::COUNT < VICTIMS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_bounded_and_follow_the_bonus() {
        let mut histories = Histories::new();
        let m = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let before = [
            arrival(Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn)),
            0,
            0,
        ];
        for _ in 0..1000 {
            histories.update_quiet(m, before, 2000);
            histories.update_capture(m, Some(PieceKind::Rook), -2000);
        }
        let value = histories.quiet(m, before);
        assert!(value > LIMIT && value <= 2 * LIMIT, "{value}");
        assert!(histories.quiet(m, [0; 3]) <= LIMIT);
        assert!((-LIMIT..-LIMIT / 2).contains(&histories.capture(m, Some(PieceKind::Rook))));
        histories.set_counter_move(before[0], m);
        assert_eq!(histories.counter_move(before[0]), Some(m));
        histories.clear();
        assert_eq!(
            (
                histories.quiet(m, before),
                histories.counter_move(before[0])
            ),
            (0, None)
        );
    }
}
