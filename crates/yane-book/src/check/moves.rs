//! Moves of a position: legal, once each, with legal replies.

use shogi_core::{Color, Position};

use super::{Kind, PieceFindings};
use crate::BookMove;
use crate::book_move::push_move;
use crate::records::legal_move;

/// Checks a position that could be read, which begins at byte `offset`.
pub(super) fn check_position(position: &Position, offset: u64, findings: &mut PieceFindings) {
    for side in [Color::Black, Color::White] {
        if position.king(side).is_none() {
            let text = match side {
                Color::Black => "black has no king",
                Color::White => "white has no king",
            };
            findings.add(Kind::Position, offset, text);
        }
    }
}

/// Checks the moves of a position, each with its byte in the file.
pub(super) fn check_moves(
    position: &Position,
    moves: &[(u64, BookMove)],
    findings: &mut PieceFindings,
) {
    for (place, (offset, known)) in moves.iter().enumerate() {
        if moves[..place]
            .iter()
            .any(|(_, earlier)| earlier.mv == known.mv)
        {
            findings.add(Kind::RepeatedMove, *offset, spell(known.mv));
        }
        let Some(mv) = known.mv else {
            continue;
        };
        let Some(legal) = legal_move(position, mv) else {
            findings.add(Kind::Move, *offset, spell(known.mv));
            continue;
        };
        if let Some(reply) = known.ponder {
            let mut child = position.clone();
            let _ = child.do_move(legal);
            if legal_move(&child, reply).is_none() {
                findings.add(Kind::Reply, *offset, spell(known.ponder));
            }
        }
    }
}

fn spell(mv: Option<shogi_core::Move16>) -> String {
    let mut text = Vec::new();
    push_move(&mut text, mv);
    String::from_utf8_lossy(&text).into_owned()
}
