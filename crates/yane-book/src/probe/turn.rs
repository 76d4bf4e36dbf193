//! Moves as they look from the other side of the board.

use shogi_core::{Move16, MoveText, Origin};

use crate::BookMove;

/// The moves of a position that was found turned by 180 degrees, turned back.
pub(crate) fn turned(mut moves: Vec<BookMove>) -> Vec<BookMove> {
    for book_move in &mut moves {
        book_move.mv = book_move.mv.map(turned_move);
        book_move.ponder = book_move.ponder.map(turned_move);
    }
    moves
}

/// Bits that are no move stay as they are.
fn turned_move(mv: Move16) -> Move16 {
    let Some(text) = mv.decode() else {
        return mv;
    };
    Move16::encode(MoveText {
        origin: match text.origin {
            Origin::Board(from) => Origin::Board(from.rotate()),
            hand @ Origin::Hand(_) => hand,
        },
        to: text.to.rotate(),
        promote: text.promote,
    })
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_core::movegen::LegalAll;

    use super::*;

    #[test]
    fn turned_moves_are_those_of_the_turned_position() {
        let text = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let position = Position::from_sfen(text).unwrap();
        let flipped = position.flip();
        for m in position.moves::<LegalAll>() {
            let there = turned_move(m.into());
            assert_eq!(flipped.move_from_16(there), Some(m.rotate()));
            assert_eq!(turned_move(there), m.into());
        }
        assert_eq!(turned_move(Move16(0xffff)), Move16(0xffff));
    }
}
