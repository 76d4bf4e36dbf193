//! Histories of moves: butterfly history (side, origin and destination), low-ply history (near the root), capture
//! history, pawn history, continuation history (piece-to after the piece-tos of earlier moves), and the history of the TT
//! move.
//!
//! All are updated by the gravity formula, within bounds of their own; the end of a node decides the bonus and the malus.

mod correction;
mod index;
mod update;

use bytemuck::Zeroable;
use shogi_core::{Color, Move, MoveClass, PieceKind, Position, Square};
use yane_base::memory::PageBox;

use crate::Params;

pub(crate) use correction::{CorrectionHistory, CorrectionIndex};
use index::{PIECE_TOS, gravity_update};
pub(crate) use index::{PieceTo, piece_to};

/// Origins: 81 squares and 7 kinds of drops.
const ORIGINS: usize = 88;
/// Pairs of an origin and a destination.
const PATHS: usize = ORIGINS * Square::COUNT;
/// Kinds of captured pieces, 0 for none.
const VICTIMS: usize = 15;
/// Bits of the number that stands for the pawns.
const PAWN_BITS: u32 = 10;
/// Plies from the root with a low-ply history of their own.
pub(crate) const LOW_PLIES: usize = 5;

/// Number of continuation histories of a move.
pub(crate) const CONTINUATIONS: usize = 5;

/// The plies between these moves and the move itself.
pub(crate) const CONTINUATION_PLIES: [usize; CONTINUATIONS] = [1, 2, 3, 4, 6];

/// The index of the histories of a node's moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryIndex {
    /// Piece-tos of the moves [`CONTINUATION_PLIES`] before.
    pub(crate) before: [PieceTo; CONTINUATIONS],
    /// The number that stands for the pawns.
    pawns: usize,
    /// Plies from the root.
    ply: usize,
    in_check: bool,
}

impl HistoryIndex {
    /// For the node `ply` plies below the root that has `position`.
    #[inline]
    pub(crate) fn new(position: &Position, before: [PieceTo; CONTINUATIONS], ply: usize) -> Self {
        Self {
            before,
            pawns: correction::pawns(position, PAWN_BITS),
            ply,
            in_check: position.in_check(),
        }
    }

    /// As [`HistoryIndex::new`] for [`Histories::update_continuation`] alone.
    #[inline]
    pub(crate) fn for_continuation(before: [PieceTo; CONTINUATIONS], in_check: bool) -> Self {
        Self {
            before,
            pawns: 0,
            ply: LOW_PLIES,
            in_check,
        }
    }
}

#[inline]
fn origin(m: Move) -> usize {
    match (m.from(), m.dropped()) {
        (Some(from), _) => from.index(),
        (None, Some(kind)) => Square::COUNT + kind as usize - 1,
        (None, None) => 0,
    }
}

/// The index of the origin and destination of `m`.
#[inline]
fn path(m: Move) -> usize {
    origin(m) * Square::COUNT + m.to().index()
}

#[inline]
fn capture_index(m: Move, victim: Option<PieceKind>) -> usize {
    piece_to(m) * VICTIMS + victim.map_or(0, |kind| kind as usize)
}

/// The histories of one searching thread (about 20 MB). Rows of the tables are read all over the place, so it wants
/// large pages: [`Histories::new`].
#[derive(Zeroable)]
#[repr(C)]
pub(crate) struct Histories {
    main: [[i16; PATHS]; 2],
    low_ply: [[i16; PATHS]; LOW_PLIES],
    capture: [i16; PIECE_TOS * VICTIMS],
    pawn: [[i16; PIECE_TOS]; 1 << PAWN_BITS],
    continuation: [[i16; PIECE_TOS]; PIECE_TOS],
    /// TT move history: rises when the TT move is the best one.
    tt_move_history: i16,
    pub(crate) corrections: CorrectionHistory,
}

/// The rows of the histories that all quiet moves of one node look at.
pub(crate) struct QuietHistories<'a> {
    main: &'a [i16; PATHS],
    /// Near the root only.
    low_ply: Option<&'a [i16; PATHS]>,
    low_ply_weight: i32,
    low_ply_divisor: i32,
    main_weight: i32,
    pawn_weight: i32,
    pawn: &'a [i16; PIECE_TOS],
    before: [&'a [i16; PIECE_TOS]; CONTINUATIONS],
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
        let (path, column) = (path(m), piece_to(m));
        let continuation: i32 = self.before.iter().map(|row| i32::from(row[column])).sum();
        continuation
            + self.main_weight * i32::from(self.main[path])
            + self.pawn_weight * i32::from(self.pawn[column])
    }

    /// The part of the rank of `m` that belongs to plies near the root.
    #[inline]
    pub(crate) fn rank_near_root(&self, m: Move) -> i32 {
        self.low_ply.map_or(0, |low_ply| {
            self.low_ply_weight * i32::from(low_ply[path(m)]) / self.low_ply_divisor
        })
    }

    /// Returns whether [`Self::rank_near_root`] has anything to say here.
    #[inline(always)]
    pub(crate) const fn is_near_root(&self) -> bool {
        self.low_ply.is_some()
    }
}

impl Histories {
    /// Empty histories.
    ///
    /// # Panics
    /// When the system has no memory for it.
    pub(crate) fn new(p: &Params) -> PageBox<Self> {
        let mut histories: PageBox<Self> =
            PageBox::zeroed().expect("memory for the histories of a thread");
        histories.fill_starts(p);
        histories
    }

    /// Fills the histories that do not start at zero.
    fn fill_starts(&mut self, p: &Params) {
        self.capture.fill(p.history_start_capture as i16);
        // Row 0 stands for "no move" and stays zero.
        self.continuation[1..]
            .as_flattened_mut()
            .fill(p.history_start_continuation as i16);
    }

    pub(crate) fn clear(&mut self, p: &Params) {
        self.main.as_flattened_mut().fill(0);
        self.low_ply.as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
        self.fill_starts(p);
        self.tt_move_history = 0;
        self.corrections.clear();
    }

    /// Forgets the low-ply history: a new search begins.
    pub(crate) fn new_search(&mut self) {
        self.low_ply.as_flattened_mut().fill(0);
    }

    /// The rows for quiet moves of `us` at `index`.
    #[inline]
    pub(crate) fn quiet(&self, us: Color, index: &HistoryIndex, p: &Params) -> QuietHistories<'_> {
        QuietHistories {
            main: &self.main[us.index()],
            low_ply: self.low_ply.get(index.ply),
            low_ply_weight: p.order_low_ply,
            low_ply_divisor: 1 + index.ply as i32,
            main_weight: p.order_main,
            pawn_weight: p.order_pawn,
            pawn: &self.pawn[index.pawns],
            before: index.before.map(|before| &self.continuation[before]),
        }
    }

    /// The butterfly history of `m`.
    #[inline]
    pub(crate) fn main(&self, m: Move) -> i32 {
        i32::from(self.main[m.color().index()][path(m)])
    }

    /// The pawn history of `m`.
    #[inline]
    pub(crate) fn pawn(&self, m: Move, index: &HistoryIndex) -> i32 {
        i32::from(self.pawn[index.pawns][piece_to(m)])
    }

    /// The continuation histories of `m` after the last and the last but one move.
    #[inline]
    pub(crate) fn continuation(&self, m: Move, index: &HistoryIndex) -> [i32; 2] {
        let column = piece_to(m);
        [index.before[0], index.before[1]].map(|row| i32::from(self.continuation[row][column]))
    }

    /// The capture history of the capture or promotion `m`.
    #[inline]
    pub(crate) fn capture(&self, m: Move, victim: Option<PieceKind>) -> i32 {
        i32::from(self.capture[capture_index(m, victim)])
    }

    /// Returns how reliable TT moves have been.
    #[inline]
    pub(crate) fn tt_move_history(&self) -> i32 {
        i32::from(self.tt_move_history)
    }

    /// Bonus (`change` positive) or malus of the TT move.
    pub(crate) fn update_tt_move_history(&mut self, change: i32, p: &Params) {
        gravity_update(&mut self.tt_move_history, change, p.history_tt_move_limit);
    }

    /// Bonus or malus of the quiet move `m` in all its histories.
    pub(crate) fn update_quiet(&mut self, m: Move, index: &HistoryIndex, change: i32, p: &Params) {
        self.update_main(m, change, p);
        if let Some(low_ply) = self.low_ply.get_mut(index.ply) {
            let change = change * p.low_ply_share / 1024;
            gravity_update(&mut low_ply[path(m)], change, p.history_main_limit);
        }
        let share = if change > 0 {
            p.continuation_bonus_share
        } else {
            p.continuation_malus_share
        };
        self.update_continuation(m, index, change * share / 1024, p);
        let share = if change > 0 {
            p.pawn_bonus_share
        } else {
            p.pawn_malus_share
        };
        self.update_pawn(m, index.pawns, change * share / 1024, p);
    }

    /// Bonus or malus of `m` in the pawn history of the pawns that `pawns` stands for alone.
    fn update_pawn(&mut self, m: Move, pawns: usize, change: i32, p: &Params) {
        let value = &mut self.pawn[pawns][piece_to(m)];
        gravity_update(value, change, p.history_pawn_limit);
    }

    /// The same for the quiet move `last` that led to these pawns. A pawn's move found others before it.
    fn update_pawn_of_last(&mut self, last: Move, pawns: usize, change: i32, p: &Params) {
        if last.kind_after() != PieceKind::Pawn {
            self.update_pawn(last, pawns, change, p);
        }
    }

    /// Bonus or malus of `m` in the butterfly history alone.
    pub(crate) fn update_main(&mut self, m: Move, change: i32, p: &Params) {
        let value = &mut self.main[m.color().index()][path(m)];
        gravity_update(value, change, p.history_main_limit);
    }

    /// Bonus or malus of `m` in the continuation histories.
    pub(crate) fn update_continuation(
        &mut self,
        m: Move,
        index: &HistoryIndex,
        change: i32,
        p: &Params,
    ) {
        let column = piece_to(m);
        // An evasion has little to do with earlier moves.
        let count = if index.in_check {
            (p.continuation_evasions as usize).min(CONTINUATIONS)
        } else {
            CONTINUATIONS
        };
        let shares = [
            p.continuation_share_1,
            p.continuation_share_2,
            p.continuation_share_3,
            p.continuation_share_4,
            p.continuation_share_6,
        ];
        for (&row, share) in index.before[..count].iter().zip(shares) {
            // Row 0 stands for "no move" and stays zero.
            if row != 0 {
                let value = &mut self.continuation[row][column];
                gravity_update(value, change * share / 1024, p.history_continuation_limit);
            }
        }
    }

    /// Bonus or malus of the capture or promotion `m`.
    pub(crate) fn update_capture(
        &mut self,
        m: Move,
        victim: Option<PieceKind>,
        change: i32,
        p: &Params,
    ) {
        let value = &mut self.capture[capture_index(m, victim)];
        gravity_update(value, change, p.history_capture_limit);
    }
}

const _: () = assert!(MoveClass::COUNT < VICTIMS);

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Piece;

    #[test]
    fn values_stay_bounded_and_follow_the_bonus() {
        let params = Params::default();
        let mut histories = Histories::new(&params);
        let m = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let reply = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let position = Position::startpos();
        let index = |before, ply| HistoryIndex::new(&position, before, ply);
        let here = index([piece_to(reply), 0, 0, 0, 0], 9);
        let rank =
            |histories: &Histories, index| histories.quiet(Color::Black, &index, &params).rank(m);
        for _ in 0..1000 {
            histories.update_quiet(m, &here, 2000, &params);
            histories.update_capture(m, Some(PieceKind::Rook), -2000, &params);
        }
        let elsewhere = rank(&histories, index([0; CONTINUATIONS], 9));
        let bound = 2 * (params.history_main_limit + params.history_pawn_limit);
        assert!((bound / 2..=bound).contains(&elsewhere), "{elsewhere}");
        let answer = rank(&histories, here) - elsewhere;
        let limit = params.history_continuation_limit;
        assert!((limit / 2..=limit).contains(&answer));
        assert_eq!(histories.continuation(m, &here), [answer, 0]);
        let limit = params.history_capture_limit;
        let capture = histories.capture(m, Some(PieceKind::Rook));
        assert!((-limit..-limit / 2).contains(&capture), "{capture}");
        // Plies near the root have a history of their own.
        histories.update_quiet(m, &index([0; CONTINUATIONS], 1), -2000, &params);
        let near = rank(&histories, index([0; CONTINUATIONS], 1));
        assert!(near < rank(&histories, index([0; CONTINUATIONS], 2)));
        histories.new_search();
        assert!(rank(&histories, index([0; CONTINUATIONS], 1)) > near);
        histories.clear(&params);
        assert_eq!(
            (rank(&histories, here), histories.tt_move_history()),
            (rank(&Histories::new(&params), here), 0)
        );
    }
}
