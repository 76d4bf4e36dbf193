//! What a bad move is bad by, and the part of the game that it belongs to.

use shogi_core::{Color, HandKind, Move, PieceKind, Position};

use crate::judge::{MistakeKind, Phase};
use crate::score::ReviewScore;

/// Material that a reply wins before a piece counts as hanging, in the unit of exchanges (a pawn is 90): a lance's worth.
const HANGING: i32 = PieceKind::Lance.exchange_value();

/// What a judged move is bad by. `before` and `after` are the best score before and the score after the move, both for the player who
/// moved; `reply` is the opponent's best reply in the position after it.
pub(crate) fn kind(
    position: &Position,
    played: Move,
    before: ReviewScore,
    after: ReviewScore,
    reply: Option<Move>,
) -> MistakeKind {
    if before.mates_in().is_some() && after.mates_in().is_none() {
        return MistakeKind::MissedMate;
    }
    if after.mated_in().is_some() && before.mated_in().is_none() {
        return MistakeKind::OverlookedMate;
    }
    let mut next = position.clone();
    let taken = position.piece_on(played.to());
    if next.try_do_move(played).is_ok()
        && let Some(reply) = reply
        && next.piece_on(reply.to()).is_some()
        && next.is_legal(reply)
    {
        // What the move itself took is no loss.
        let won = taken.map_or(0, |piece| piece.kind().exchange_value());
        if next.see(reply) - won >= HANGING {
            return MistakeKind::HangingPiece;
        }
    }
    MistakeKind::Strategic
}

/// The part of the game of a move that is made in `position`, the move with this number; `before` is that of the move before it.
pub(crate) fn phase(position: &Position, number: u32, before: Phase) -> Phase {
    if before == Phase::End {
        Phase::End
    } else if number <= Phase::OPENING_PLIES {
        Phase::Opening
    } else if free_pieces(position) >= Phase::END_PIECES {
        Phase::End
    } else {
        Phase::Middle
    }
}

/// Pieces, pawns left out, that are in hand or promoted.
fn free_pieces(position: &Position) -> u32 {
    let in_hand = |color: Color| -> u32 {
        let kinds = HandKind::ALL
            .into_iter()
            .filter(|&kind| kind != HandKind::Pawn);
        kinds
            .map(|kind| u32::from(position.hand(color).count(kind)))
            .sum()
    };
    let promoted = position.occupied().into_iter().filter(|&square| {
        let kind = position.piece_on(square).map(shogi_core::Piece::kind);
        kind.is_some_and(|kind| kind.is_promoted() && kind != PieceKind::ProPawn)
    });
    in_hand(Color::Black) + in_hand(Color::White) + promoted.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(
        sfen: &str,
        played: &str,
        reply: &str,
        before: ReviewScore,
        after: ReviewScore,
    ) -> MistakeKind {
        let position = Position::from_sfen(sfen).unwrap();
        let played = position.move_from_usi(played).unwrap();
        let mut next = position.clone();
        let _ = next.try_do_move(played).unwrap();
        kind(
            &position,
            played,
            before,
            after,
            next.move_from_usi(reply).ok(),
        )
    }

    #[test]
    fn mistakes_have_kinds() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let [even, bad] = [ReviewScore::Cp(0), ReviewScore::Cp(-800)];
        assert_eq!(
            kind_of(start, "7g7f", "3c3d", even, bad),
            MistakeKind::Strategic
        );
        assert_eq!(
            kind_of(start, "7g7f", "3c3d", ReviewScore::mate(3), bad),
            MistakeKind::MissedMate
        );
        assert_eq!(
            kind_of(start, "7g7f", "3c3d", even, ReviewScore::mate(-3)),
            MistakeKind::OverlookedMate
        );
        // The rook is left where a pawn takes it.
        let rook = "lnsgkgsnl/1r5b1/ppppppppp/9/7R1/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
        assert_eq!(
            kind_of(rook, "2e2d", "2c2d", even, bad),
            MistakeKind::HangingPiece
        );
        // A rook for a rook is none.
        let trade = "lnsgkgsnl/7b1/ppppppppp/9/4R4/4r4/PPPPPPPPP/1B7/LNSGKGSNL b - 1";
        assert_eq!(
            kind_of(trade, "5e5f", "5c5d", even, bad),
            MistakeKind::Strategic
        );
    }

    #[test]
    fn the_end_game_stays_one() {
        let start = Position::startpos();
        assert_eq!(phase(&start, 1, Phase::Opening), Phase::Opening);
        assert_eq!(phase(&start, 31, Phase::Opening), Phase::Middle);
        assert_eq!(phase(&start, 99, Phase::End), Phase::End);
        let open = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G4S 31").unwrap();
        assert_eq!(phase(&open, 31, Phase::Opening), Phase::End);
    }
}
