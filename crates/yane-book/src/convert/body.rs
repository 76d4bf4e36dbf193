//! A position's ply and moves as bytes, while it is being sorted.
//!
//! Place in the input (u64), ply (u32), then for each move its code, reply (u16, 0 for none), value,
//! depth (i32) and count (u64), all little endian.

use shogi_core::Move16;

use crate::BookMove;

const HEAD: usize = 12;
const MOVE: usize = 20;

/// Appends a position.
pub(super) fn push(out: &mut Vec<u8>, at: u64, ply: u32, moves: &[BookMove]) {
    out.extend_from_slice(&at.to_le_bytes());
    out.extend_from_slice(&ply.to_le_bytes());
    let code = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0).to_le_bytes();
    for book_move in moves {
        let mut bytes = [0; MOVE];
        bytes[..2].copy_from_slice(&code(book_move.mv));
        bytes[2..4].copy_from_slice(&code(book_move.ponder));
        bytes[4..8].copy_from_slice(&book_move.eval.to_le_bytes());
        bytes[8..12].copy_from_slice(&book_move.depth.to_le_bytes());
        bytes[12..].copy_from_slice(&book_move.count.to_le_bytes());
        out.extend_from_slice(&bytes);
    }
}

/// Place and ply of the position in `body`.
pub(super) fn head(body: &[u8]) -> (u64, u32) {
    (
        u64::from_le_bytes(array(body, 0)),
        u32::from_le_bytes(array(body, 8)),
    )
}

/// The moves of the position in `body`.
pub(super) fn moves(body: &[u8]) -> impl Iterator<Item = BookMove> {
    let code = |bytes, at| {
        let code = u16::from_le_bytes(array(bytes, at));
        (code != 0).then_some(Move16(code))
    };
    body[HEAD..].chunks_exact(MOVE).map(move |bytes| BookMove {
        mv: code(bytes, 0),
        ponder: code(bytes, 2),
        eval: i32::from_le_bytes(array(bytes, 4)),
        depth: i32::from_le_bytes(array(bytes, 8)),
        count: u64::from_le_bytes(array(bytes, 12)),
    })
}

fn array<const LEN: usize>(bytes: &[u8], at: usize) -> [u8; LEN] {
    std::array::from_fn(|i| bytes[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_comes_back() {
        let known = [
            BookMove::new(None),
            BookMove {
                mv: Some(Move16(0x1234)),
                ponder: Some(Move16(7)),
                eval: -5,
                depth: -1,
                count: u64::MAX,
            },
        ];
        let mut body = Vec::new();
        push(&mut body, 1 << 40, 77, &known);
        assert_eq!(head(&body), (1 << 40, 77));
        assert_eq!(moves(&body).collect::<Vec<_>>(), known);
    }
}
