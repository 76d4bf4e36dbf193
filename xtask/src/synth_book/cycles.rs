//! Ways to come back to a position: both sides walk away and return, or one side checks forever.

use shogi_core::movegen::{Legal, MoveList};
use shogi_core::{Move, PieceKind, Position, Square};

use crate::hash;
use splitmix::SplitMix64;

/// No circle here ends further than this many plies from where it starts.
pub(super) const MAX_PLIES: u32 = 6;

/// Tries to find a circle from one position before giving up.
const ATTEMPTS: usize = 16;

/// The positions of a circle in which both sides move a piece away and bring it back, directly
/// (4 plies) or over a third square (6 plies). Empty if none was found.
pub(super) fn back_and_forth(from: &Position, random: &mut SplitMix64) -> Vec<Position> {
    for _ in 0..ATTEMPTS {
        let legs = 2 + random.index(2);
        if let Some(circle) = try_circle(from, legs, random) {
            return circle;
        }
    }
    Vec::new()
}

/// A circle in which both sides make `legs` moves, with moves drawn at random.
fn try_circle(from: &Position, legs: usize, random: &mut SplitMix64) -> Option<Vec<Position>> {
    let mut position = from.clone();
    let mut homes = [None; 2];
    let mut squares = [None; 2];
    let mut circle = Vec::with_capacity(2 * legs);
    for leg in 0..legs {
        for side in 0..2 {
            let last = leg + 1 == legs;
            let moves: MoveList = quiet_board_moves(&position)
                .filter(|m| squares[side].is_none() || m.from() == squares[side])
                .filter(|m| (Some(m.to()) == homes[side]) == last)
                .collect();
            if moves.is_empty() {
                return None;
            }
            let m = moves[random.index(moves.len())];
            if leg == 0 {
                homes[side] = m.from();
            }
            squares[side] = Some(m.to());
            position = after(&position, m);
            circle.push(position.clone());
        }
    }
    Some(circle)
}

/// The positions of a perpetual check that the side to move can give: a piece checks from two
/// squares in turn, the king steps to and fro. Empty if there is none.
pub(super) fn perpetual_check(from: &Position) -> Vec<Position> {
    if from.in_check() {
        return Vec::new();
    }
    let squares = from.check_squares();
    in_fixed_order(from)
        .into_iter()
        .filter(|&m| from.gives_check(m, &squares))
        .find_map(|first| repeat_check(&after(from, first), first.to()))
        .unwrap_or_default()
}

/// The circle of four plies that starts at `checked`, where the checking piece stands on `square`.
fn repeat_check(checked: &Position, square: Square) -> Option<Vec<Position>> {
    let king = checked.king(checked.side_to_move())?;
    for step in quiet_board_moves(checked).filter(|m| m.from() == Some(king)) {
        let fled = after(checked, step);
        for second in quiet_checks(&fled) {
            if second.from() != Some(square) {
                continue;
            }
            let chased = after(&fled, second);
            let Some(back) = between(&chased, step.to(), king) else {
                continue;
            };
            let returned = after(&chased, back);
            // The check that closes the circle leads to `checked` itself.
            if between(&returned, second.to(), square).is_some() {
                return Some(vec![checked.clone(), fled, chased, returned]);
            }
        }
    }
    None
}

fn after(position: &Position, m: Move) -> Position {
    let mut after = position.clone();
    let _ = after.do_move(m);
    after
}

/// The move from one square to another that captures nothing and promotes nothing, if legal.
fn between(position: &Position, from: Square, to: Square) -> Option<Move> {
    quiet_board_moves(position).find(|m| m.from() == Some(from) && m.to() == to)
}

/// The moves of [`quiet_board_moves`] that give check.
fn quiet_checks(position: &Position) -> Vec<Move> {
    let squares = position.check_squares();
    quiet_board_moves(position)
        .filter(|&m| position.gives_check(m, &squares))
        .collect()
}

/// The legal moves that could be taken back: on the board, without capture and promotion, not by a
/// pawn, lance or knight.
fn quiet_board_moves(position: &Position) -> impl Iterator<Item = Move> {
    in_fixed_order(position).into_iter().filter(|m| {
        !m.is_drop()
            && !m.is_promotion()
            && position.piece_on(m.to()).is_none()
            && !matches!(
                m.kind_after(),
                PieceKind::Pawn | PieceKind::Lance | PieceKind::Knight
            )
    })
}

/// The legal moves in an order that does not depend on how they are generated.
fn in_fixed_order(position: &Position) -> MoveList {
    let mut moves = position.moves::<Legal>();
    moves.sort_unstable_by_key(|&m| hash::of_move(m));
    moves
}
