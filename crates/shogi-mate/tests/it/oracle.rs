//! A plain search to judge by: no table, no numbers, nothing left out.

use shogi_core::Position;
use shogi_core::movegen::LegalAll;

/// Whether the side to move mates within `plies` plies (odd) by checks alone. `None` when that took more
/// than `work` positions.
pub(crate) fn mates_within(position: &mut Position, plies: u32, work: &mut u32) -> Option<bool> {
    for m in position.moves::<LegalAll>() {
        *work = work.checked_sub(1)?;
        let undo = position.do_move(m);
        let mated = position.in_check() && is_mated_within(position, plies - 1, work)?;
        position.undo_move(m, &undo);
        if mated {
            return Some(true);
        }
    }
    Some(false)
}

fn is_mated_within(position: &mut Position, plies: u32, work: &mut u32) -> Option<bool> {
    let moves = position.moves::<LegalAll>();
    if moves.is_empty() {
        return Some(true);
    }
    if plies == 0 {
        return Some(false);
    }
    for m in moves {
        *work = work.checked_sub(1)?;
        let undo = position.do_move(m);
        let mates = mates_within(position, plies - 1, work)?;
        position.undo_move(m, &undo);
        if !mates {
            return Some(false);
        }
    }
    Some(true)
}

/// What [`shortest`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortest {
    /// The shortest mate takes this many plies.
    Mate(u32),
    /// There is none of so few plies.
    None,
}

/// The shortest mate of at most `plies` plies; `None` for too much work.
pub(crate) fn shortest(position: &Position, plies: u32, mut work: u32) -> Option<Shortest> {
    for length in (1..=plies).step_by(2) {
        // A search that gives up leaves the moves it played on the board.
        if mates_within(&mut position.clone(), length, &mut work)? {
            return Some(Shortest::Mate(length));
        }
    }
    Some(Shortest::None)
}
