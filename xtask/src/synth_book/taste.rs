//! Which moves the imagined players like.
//!
//! Every player likes some moves wherever they can be played and some in one position only. The
//! first kind makes games transpose (the same moves are played in another order), the second makes
//! them differ. The taste is the same for every seed, so two books share positions as real ones do.

use shogi_core::movegen::{Legal, MoveList};
use shogi_core::{Move, Position};

use crate::hash;

/// Ranks moves; keeps its working memory.
#[derive(Debug, Default)]
pub(super) struct Taste {
    scored: Vec<(u64, Move)>,
    best: Vec<Move>,
}

impl Taste {
    /// The `count` moves of `position` liked best (fewer if there are fewer), best first. `hash` is
    /// the number of the position.
    pub(super) fn favourites(&mut self, position: &Position, hash: u64, count: usize) -> &[Move] {
        self.rank(&position.moves::<Legal>(), hash, count)
    }

    /// The `count` moves of `moves` liked best, best first.
    pub(super) fn rank(&mut self, moves: &MoveList, hash: u64, count: usize) -> &[Move] {
        self.scored.clear();
        self.scored
            .extend(moves.iter().map(|&m| (dislike(hash, m), m)));
        let count = count.min(self.scored.len());
        if count < self.scored.len() {
            self.scored.select_nth_unstable_by_key(count, |&(d, _)| d);
        }
        self.scored[..count].sort_unstable_by_key(|&(d, _)| d);
        self.best.clear();
        self.best
            .extend(self.scored[..count].iter().map(|&(_, m)| m));
        &self.best
    }
}

/// How little `m` is liked in the position with number `hash`; no two moves of a position are liked
/// the same, so the order in which moves are generated never matters.
fn dislike(hash: u64, m: Move) -> u64 {
    let code = hash::of_move(m);
    let everywhere = splitmix::mix(code ^ 0x7a57e) >> 2;
    let here = hash::combine(hash, code) >> 2;
    ((everywhere + here) & !0xffff) | code
}
