//! What the search learns about moves: how often each refuted a position, by itself, as a capture,
//! with these pawns, near the root, and as an answer to the moves before it.
//!
//! All tables are exponentially forgetting averages within bounds of their own.

mod correction;
mod keys;

use bytemuck::Zeroable;
use shogi_core::{Color, Move, MoveClass, Piece, PieceKind, Position, Square};
use yane_io::PageBox;

pub(crate) use correction::{CorrectionPlace, Corrections};

/// Bound of the history of a move by itself, and near the root.
pub(crate) const MAIN_LIMIT: i32 = 7183;
/// Bound of the history of captures and promotions.
const CAPTURE_LIMIT: i32 = 10_692;
/// Bound of the history of a move with certain pawns.
const PAWN_LIMIT: i32 = 8192;
/// Bound of the history of a move as an answer to another.
const CONTINUATION_LIMIT: i32 = 30_000;

/// Origins: 81 squares and 7 kinds of drops.
const ORIGINS: usize = 88;
/// Ways from an origin to a square.
const PATHS: usize = ORIGINS * Square::COUNT;
/// A piece arriving on a square.
const ARRIVALS: usize = Piece::INDEX_LIMIT * Square::COUNT;
/// Kinds of captured pieces, 0 for none.
const VICTIMS: usize = 15;
/// Bits of the number that stands for the pawns.
const PAWN_BITS: u32 = 10;
/// Plies from the root whose moves have a history of their own.
pub(crate) const LOW_PLIES: usize = 5;

/// Which continuation table a move selects: the arriving piece and its square. 0 after a pass and
/// before the start of the game.
pub(crate) type Arrival = usize;

/// How many moves before a move are looked at for its history.
pub(crate) const LINKS: usize = 4;

/// How many plies before a move those moves are.
pub(crate) const LINK_PLIES: [usize; LINKS] = [1, 2, 4, 6];

/// What each of those moves learns from it, in 1024ths.
const LINK_SHARES: [i32; LINKS] = [1100, 660, 570, 450];

/// What selects the histories of a node's moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryPlace {
    /// Arrivals of the moves [`LINK_PLIES`] before.
    pub(crate) before: [Arrival; LINKS],
    /// The number that stands for the pawns.
    pawns: usize,
    /// Plies from the root.
    ply: usize,
    in_check: bool,
}

impl HistoryPlace {
    /// For the node `ply` plies below the root that has `position`.
    #[inline]
    pub(crate) fn new(position: &Position, before: [Arrival; LINKS], ply: usize) -> Self {
        Self {
            before,
            pawns: keys::pawns(position, PAWN_BITS),
            ply,
            in_check: position.in_check(),
        }
    }

    /// As [`HistoryPlace::new`] for [`Histories::update_answer`] alone.
    #[inline]
    pub(crate) fn for_answers(before: [Arrival; LINKS], in_check: bool) -> Self {
        Self {
            before,
            pawns: 0,
            ply: LOW_PLIES,
            in_check,
        }
    }
}

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

/// The number of the way that `m` goes.
#[inline]
fn path(m: Move) -> usize {
    origin(m) * Square::COUNT + m.to().index()
}

#[inline]
fn capture_index(m: Move, victim: Option<PieceKind>) -> usize {
    arrival(m) * VICTIMS + victim.map_or(0, |kind| kind as usize)
}

/// Moves a value towards `±LIMIT` by `change`, the less the nearer it already is.
#[inline]
fn nudge<const LIMIT: i32>(value: &mut i16, change: i32) {
    let change = change.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + change - old * change.abs() / LIMIT) as i16;
}

/// All that one searching thread has learned (about 20 MB). Rows of its tables are read all over the place, so it wants
/// large pages: [`Histories::new`].
#[derive(Zeroable)]
#[repr(C)]
pub(crate) struct Histories {
    main: [[i16; PATHS]; 2],
    low: [[i16; PATHS]; LOW_PLIES],
    capture: [i16; ARRIVALS * VICTIMS],
    pawn: [[i16; ARRIVALS]; 1 << PAWN_BITS],
    continuation: [[i16; ARRIVALS]; ARRIVALS],
    /// How often the table's move was right.
    hash_moves: i16,
    pub(crate) corrections: Corrections,
}

/// The histories of one player's quiet moves in one node: the rows that all of them look at.
pub(crate) struct QuietHistories<'a> {
    main: &'a [i16; PATHS],
    /// Near the root only.
    low: Option<&'a [i16; PATHS]>,
    low_divisor: i32,
    pawn: &'a [i16; ARRIVALS],
    before: [&'a [i16; ARRIVALS]; LINKS],
}

impl QuietHistories<'_> {
    /// The rank of quiet move `m`.
    #[inline]
    pub(crate) fn rank(&self, m: Move) -> i32 {
        self.rank_anywhere(m) + self.rank_near_root(m)
    }

    /// The part of the rank of `m` that does not depend on the distance to the root.
    #[inline(always)]
    pub(crate) fn rank_anywhere(&self, m: Move) -> i32 {
        let (path, column) = (path(m), arrival(m));
        let linked: i32 = self.before.iter().map(|row| i32::from(row[column])).sum();
        linked + 2 * i32::from(self.main[path]) + 2 * i32::from(self.pawn[column])
    }

    /// The part of the rank of `m` that belongs to plies near the root.
    #[inline]
    pub(crate) fn rank_near_root(&self, m: Move) -> i32 {
        self.low
            .map_or(0, |low| 8 * i32::from(low[path(m)]) / self.low_divisor)
    }

    /// Whether [`Self::rank_near_root`] has anything to say here.
    #[inline(always)]
    pub(crate) const fn is_near_root(&self) -> bool {
        self.low.is_some()
    }
}

impl Histories {
    /// Nothing learned yet.
    ///
    /// # Panics
    /// When the system has no memory for it.
    pub(crate) fn new() -> PageBox<Self> {
        PageBox::zeroed().expect("memory for what a thread learns")
    }

    pub(crate) fn clear(&mut self) {
        self.main.as_flattened_mut().fill(0);
        self.low.as_flattened_mut().fill(0);
        self.capture.fill(0);
        self.pawn.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.hash_moves = 0;
        self.corrections.clear();
    }

    /// A new search begins: what belongs to plies from the root is forgotten.
    pub(crate) fn new_search(&mut self) {
        self.low.as_flattened_mut().fill(0);
    }

    /// What ranks quiet moves of `us` at `place`.
    #[inline]
    pub(crate) fn quiet(&self, us: Color, place: &HistoryPlace) -> QuietHistories<'_> {
        QuietHistories {
            main: &self.main[us.index()],
            low: self.low.get(place.ply),
            low_divisor: 1 + place.ply as i32,
            pawn: &self.pawn[place.pawns],
            before: place.before.map(|before| &self.continuation[before]),
        }
    }

    /// The history of move `m` by itself.
    #[inline]
    pub(crate) fn main(&self, m: Move) -> i32 {
        i32::from(self.main[m.color().index()][path(m)])
    }

    /// The history of quiet move `m` with these pawns.
    #[inline]
    pub(crate) fn pawn(&self, m: Move, place: &HistoryPlace) -> i32 {
        i32::from(self.pawn[place.pawns][arrival(m)])
    }

    /// The history of `m` as an answer to the last and to the last but one move.
    #[inline]
    pub(crate) fn answers(&self, m: Move, place: &HistoryPlace) -> [i32; 2] {
        let column = arrival(m);
        [place.before[0], place.before[1]].map(|row| i32::from(self.continuation[row][column]))
    }

    /// The history of the capture or promotion `m`.
    #[inline]
    pub(crate) fn capture(&self, m: Move, victim: Option<PieceKind>) -> i32 {
        i32::from(self.capture[capture_index(m, victim)])
    }

    /// How reliable hash moves have been, within ±8192.
    #[inline]
    pub(crate) fn hash_moves(&self) -> i32 {
        i32::from(self.hash_moves)
    }

    /// A hash move was right (`change` positive) or wrong.
    pub(crate) fn update_hash_moves(&mut self, change: i32) {
        nudge::<8192>(&mut self.hash_moves, change);
    }

    /// Quiet move `m` was good (`change` positive) or bad.
    pub(crate) fn update_quiet(&mut self, m: Move, place: &HistoryPlace, change: i32) {
        self.update_main(m, change);
        if let Some(low) = self.low.get_mut(place.ply) {
            nudge::<MAIN_LIMIT>(&mut low[path(m)], change * 3 / 4);
        }
        let linked = change * if change > 0 { 980 } else { 840 } / 1024;
        self.update_answer(m, place, linked);
        let by_pawns = change * if change > 0 { 700 } else { 440 } / 1024;
        self.update_pawn(m, place, by_pawns);
    }

    /// The history of `m` by itself only.
    pub(crate) fn update_main(&mut self, m: Move, change: i32) {
        nudge::<MAIN_LIMIT>(&mut self.main[m.color().index()][path(m)], change);
    }

    /// The history of `m` with these pawns only.
    pub(crate) fn update_pawn(&mut self, m: Move, place: &HistoryPlace, change: i32) {
        let value = &mut self.pawn[place.pawns][arrival(m)];
        nudge::<PAWN_LIMIT>(value, change);
    }

    /// `m` was a good or bad answer to the moves before it.
    pub(crate) fn update_answer(&mut self, m: Move, place: &HistoryPlace, change: i32) {
        let column = arrival(m);
        // What answers a check has little to do with earlier moves.
        let links = if place.in_check { 2 } else { LINKS };
        for (&row, share) in place.before[..links].iter().zip(LINK_SHARES) {
            // Row 0 stands for "no move" and stays zero.
            if row != 0 {
                let value = &mut self.continuation[row][column];
                nudge::<CONTINUATION_LIMIT>(value, change * share / 1024);
            }
        }
    }

    /// The capture or promotion `m` was good (`change` positive) or bad.
    pub(crate) fn update_capture(&mut self, m: Move, victim: Option<PieceKind>, change: i32) {
        nudge::<CAPTURE_LIMIT>(&mut self.capture[capture_index(m, victim)], change);
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
        let reply = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let position = Position::startpos();
        let place = |before, ply| HistoryPlace::new(&position, before, ply);
        let here = place([arrival(reply), 0, 0, 0], 9);
        let rank = |histories: &Histories, place| histories.quiet(Color::Black, &place).rank(m);
        for _ in 0..1000 {
            histories.update_quiet(m, &here, 2000);
            histories.update_capture(m, Some(PieceKind::Rook), -2000);
        }
        let elsewhere = rank(&histories, place([0; LINKS], 9));
        let bound = 2 * (MAIN_LIMIT + PAWN_LIMIT);
        assert!((bound / 2..=bound).contains(&elsewhere), "{elsewhere}");
        let answer = rank(&histories, here) - elsewhere;
        assert!((CONTINUATION_LIMIT / 2..=CONTINUATION_LIMIT).contains(&answer));
        assert_eq!(histories.answers(m, &here), [answer, 0]);
        assert!(histories.capture(m, Some(PieceKind::Rook)) >= -CAPTURE_LIMIT);
        assert!(histories.capture(m, Some(PieceKind::Rook)) < -CAPTURE_LIMIT / 2);
        // Plies near the root have a history of their own.
        histories.update_quiet(m, &place([0; LINKS], 1), -2000);
        let near = rank(&histories, place([0; LINKS], 1));
        assert!(near < rank(&histories, place([0; LINKS], 2)));
        histories.new_search();
        assert!(rank(&histories, place([0; LINKS], 1)) > near);
        histories.clear();
        assert_eq!((rank(&histories, here), histories.hash_moves()), (0, 0));
    }
}
