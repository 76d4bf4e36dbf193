//! A position with its moves as the bytes of a record, for sorting outside of memory.

use shogi_core::Move16;

use crate::BookMove;

/// Bytes of a move.
const MOVE: usize = 20;

/// Appends ply and moves.
pub(crate) fn push(out: &mut Vec<u8>, ply: u32, moves: &[BookMove]) {
    out.extend_from_slice(&ply.to_le_bytes());
    for known in moves {
        let code = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0).to_le_bytes();
        out.extend_from_slice(&code(known.mv));
        out.extend_from_slice(&code(known.ponder));
        out.extend_from_slice(&known.eval.to_le_bytes());
        out.extend_from_slice(&known.depth.to_le_bytes());
        out.extend_from_slice(&known.count.to_le_bytes());
    }
}

/// The ply; the moves are appended to `moves`.
///
/// # Panics
/// When the bytes are not from [`push`].
pub(crate) fn read(bytes: &[u8], moves: &mut Vec<BookMove>) -> u32 {
    let (ply, rest) = bytes.split_at(4);
    moves.extend(rest.chunks_exact(MOVE).map(|bytes| {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| i32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let mv = |code: u16| (code != 0).then_some(Move16(code));
        BookMove {
            mv: mv(half(0)),
            ponder: mv(half(2)),
            eval: word(4),
            depth: word(8),
            count: u64::from_le_bytes(std::array::from_fn(|i| bytes[12 + i])),
        }
    }));
    u32::from_le_bytes(std::array::from_fn(|i| ply[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let moves = [
            BookMove {
                mv: Some(Move16(0x1234)),
                ponder: Some(Move16(0x2345)),
                eval: i32::MIN,
                depth: i32::MAX,
                count: u64::MAX,
            },
            BookMove::new(None),
        ];
        let mut bytes = Vec::new();
        push(&mut bytes, 77, &moves);
        let mut read_back = Vec::new();
        assert_eq!(read(&bytes, &mut read_back), 77);
        assert_eq!(read_back, moves);
    }
}
