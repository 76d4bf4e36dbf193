//! Moves with the keys of the positions they lead to, without playing them.
//!
//! For work on large sets of positions (opening books): asking for every move whether its position
//! is in the set costs a few exclusive-ors a move instead of making and taking it back.

use super::Position;
use crate::movegen::{GenKind, MoveSink, behind, board_move};
use crate::zobrist::{self, BoardKey};
use crate::{Bitboard, ByColor, Color, Hand, HandKind, Move, Piece, PieceKind, Square};

impl Position {
    /// Calls `visit` with every move of kind `G`, the [`Position::key128`] of the position after it
    /// and the piece it captures, in the order of [`Position::generate`]. Only for kinds that generate
    /// legal moves.
    ///
    /// ```
    /// use shogi_core::{Position, movegen::LegalAll};
    /// let position = Position::startpos();
    /// position.generate_with_keys::<LegalAll>(|m, key, captured| {
    ///     let mut child = position.clone();
    ///     assert_eq!(child.do_move(m).captured(), captured);
    ///     assert_eq!(child.key128(), key);
    /// });
    /// ```
    #[inline]
    pub fn generate_with_keys<G: GenKind>(&self, visit: impl FnMut(Move, u128, Option<Piece>)) {
        let board = self.board_key ^ BoardKey::of_side(Color::White);
        self.generate::<G>(&mut KeySink {
            position: self,
            board,
            quiet: board.wide() ^ self.hands_key_128(),
            visit,
        });
    }

    /// The [`Position::board_key`] after the legal move `m`, without playing it.
    ///
    /// ```
    /// use shogi_core::Position;
    /// let position = Position::startpos();
    /// let m = position.move_from_usi("7g7f")?;
    /// let mut child = position.clone();
    /// let _ = child.do_move(m);
    /// assert_eq!(position.board_key_after(m), child.board_key());
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    #[inline]
    pub fn board_key_after(&self, m: Move) -> u64 {
        let to = m.to();
        let mut key = self.board_key.low()
            ^ BoardKey::of_side(Color::White).low()
            ^ BoardKey::of_piece(m.piece_after(), to).low();
        if let Some(from) = m.from() {
            key ^= BoardKey::of_piece(m.piece_before(), from).low();
            if let Some(captured) = self.board[to as usize] {
                key ^= BoardKey::of_piece(captured, to).low();
            }
        }
        key
    }

    /// The [`Position::key`] after the legal move `m`, without playing it: to ask for memory that will be
    /// needed then.
    ///
    /// ```
    /// use shogi_core::Position;
    /// let position = Position::startpos();
    /// let m = position.move_from_usi("7g7f")?;
    /// let mut child = position.clone();
    /// let _ = child.do_move(m);
    /// assert_eq!(position.key_after(m), child.key());
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let mut hands = self.hands;
        let hand = &mut hands[m.color()];
        if let Some(kind) = m.dropped() {
            *hand = hand.without(kind);
        } else if let Some(captured) = self.board[m.to() as usize]
            && let Some(kind) = captured.kind().hand_kind()
        {
            *hand = hand.with(kind);
        }
        self.board_key_after(m) ^ zobrist::hands_key(hands.0[0], hands.0[1])
    }

    fn hands_key_128(&self) -> u128 {
        hands_key(self.hands)
    }
}

fn hands_key(hands: ByColor<Hand>) -> u128 {
    zobrist::hands_key_128(hands.0[0], hands.0[1])
}

/// Turns sets of moves into moves with keys: what all moves of a set share is computed once.
struct KeySink<'a, F> {
    position: &'a Position,
    /// The key of the board with the other side to move.
    board: BoardKey,
    /// The same with the hands as they are: for moves that leave them alone.
    quiet: u128,
    visit: F,
}

impl<F: FnMut(Move, u128, Option<Piece>)> KeySink<'_, F> {
    /// A board move of `after` to `to`, where `base` is the key without the moving piece.
    #[inline(always)]
    fn board_move(&mut self, m: Move, to: Square, after: Piece, base: u128) {
        let mut key = base ^ BoardKey::of_piece(after, to).wide();
        let captured = self.position.board[to as usize];
        if let Some(captured) = captured {
            key ^= self.capture(m.color(), captured, to);
        }
        (self.visit)(m, key, captured);
    }

    /// What a capture changes beside the moving piece.
    #[inline(never)]
    fn capture(&self, us: Color, captured: Piece, to: Square) -> u128 {
        let mut hands = self.position.hands;
        if let Some(kind) = captured.kind().hand_kind() {
            hands[us] = hands[us].with(kind);
        }
        BoardKey::of_piece(captured, to).wide() ^ hands_key(hands) ^ hands_key(self.position.hands)
    }
}

impl<F: FnMut(Move, u128, Option<Piece>)> MoveSink for KeySink<'_, F> {
    #[inline(always)]
    fn pawns(&mut self, color: Color, targets: Bitboard, promote: bool) {
        let before = Piece::new(color, PieceKind::Pawn);
        let after = if promote {
            Piece::new(color, PieceKind::ProPawn)
        } else {
            before
        };
        targets.for_each(|to| {
            let from = behind(color, to);
            let base = self.quiet ^ BoardKey::of_piece(before, from).wide();
            self.board_move(board_move(from, to, after, promote), to, after, base);
        });
    }

    #[inline(always)]
    fn piece(&mut self, from: Square, after: Piece, promote: bool, targets: Bitboard) {
        let Some(before) = self.position.board[from as usize] else {
            return;
        };
        let base = self.quiet ^ BoardKey::of_piece(before, from).wide();
        targets.for_each(|to| {
            self.board_move(board_move(from, to, after, promote), to, after, base);
        });
    }

    #[inline(always)]
    fn drops(&mut self, color: Color, kind: HandKind, targets: Bitboard) {
        let mut hands = self.position.hands;
        hands[color] = hands[color].without(kind);
        let piece = Piece::new(color, kind.piece_kind());
        let base = self.board.wide() ^ hands_key(hands);
        targets.for_each(|to| {
            let key = base ^ BoardKey::of_piece(piece, to).wide();
            (self.visit)(Move::drop(color, kind, to), key, None);
        });
    }
}
