//! Numbers to begin with: how hard a position looks to prove or disprove, by the move that leads to it.

use shogi_core::{Color, Move, PieceKind, Position, Square};

use crate::num::UNIT;

/// Proof and disproof number of a position not yet searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) pn: u32,
    pub(crate) dn: u32,
}

/// Of the position after the attacker's move `m`, a check, in `position`.
///
/// Checks on squares that the attacker holds are near to mate; a checking piece that can be taken by
/// several pieces is far from it.
pub(crate) fn after_check(position: &Position, m: Move) -> Estimate {
    let attacker = position.side_to_move();
    let (support, guards) = balance(position, attacker, m);
    let mut pn = UNIT;
    let mut dn = UNIT;
    if guards >= 2 {
        pn += UNIT;
    }
    if support + u32::from(m.is_drop()) > guards || captures_general(position, m) {
        dn += UNIT;
    } else {
        pn += UNIT;
    }
    Estimate { pn, dn }
}

/// Of the position after the defender's move `m`, an answer to a check, in `position`.
pub(crate) fn after_evasion(position: &Position, m: Move) -> Estimate {
    if !m.is_drop() && position.piece_on(m.to()).is_some() {
        return Estimate {
            pn: 2 * UNIT,
            dn: UNIT,
        };
    }
    if m.kind_after() == PieceKind::King {
        return Estimate { pn: UNIT, dn: UNIT };
    }
    let attacker = position.side_to_move().flip();
    let (attackers, guards) = balance(position, attacker, m);
    if attackers < guards + u32::from(m.is_drop()) {
        Estimate {
            pn: 2 * UNIT,
            dn: UNIT,
        }
    } else {
        Estimate {
            pn: UNIT,
            dn: 2 * UNIT,
        }
    }
}

/// How many pieces of the attacker and of the defender bear on the destination.
fn balance(position: &Position, attacker: Color, m: Move) -> (u32, u32) {
    let all = position.attackers_to(m.to(), position.occupied());
    let attackers = (all & position.color(attacker)).len();
    (attackers, all.len() - attackers)
}

fn captures_general(position: &Position, m: Move) -> bool {
    !m.is_drop()
        && position
            .piece_on(m.to())
            .is_some_and(|piece| matches!(piece.kind(), PieceKind::Gold | PieceKind::Silver))
}

/// Which of several moves with equal numbers to look at first: the smaller, the sooner.
pub(crate) fn order(m: Move, king: Option<Square>) -> i16 {
    let kind = m.kind_after();
    let mut value = -piece_value(kind);
    if let Some(king) = king {
        let files = (m.to() as i16 / 9 - king as i16 / 9).abs();
        let ranks = (m.to() as i16 % 9 - king as i16 % 9).abs();
        value += 10 * files.max(ranks);
    }
    if is_pointless_stay(m) {
        value += 1000;
    }
    value
}

/// Whether a pawn, bishop or rook could promote and does not.
fn is_pointless_stay(m: Move) -> bool {
    let Some(from) = m.from() else { return false };
    let color = m.color();
    !m.is_promotion()
        && matches!(
            m.kind_after(),
            PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook
        )
        && (from.is_promotion_zone(color) || m.to().is_promotion_zone(color))
}

const fn piece_value(kind: PieceKind) -> i16 {
    match kind {
        PieceKind::Pawn => 10,
        PieceKind::Lance | PieceKind::Knight => 20,
        PieceKind::Silver => 30,
        PieceKind::King | PieceKind::Horse | PieceKind::Dragon => 80,
        _ => 50,
    }
}
