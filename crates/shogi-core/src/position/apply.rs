//! Making and taking back moves, and the keys of the positions after them.

use thiserror::Error;

use super::Position;
use crate::movegen::{GenKind, MoveSink, behind, board_move};
use crate::zobrist::BoardKey;
use crate::{
    Bitboard, ByColor, Color, Hand, HandKind, Move, Piece, PieceKind, Square, attacks, zobrist,
};

/// A move that may not be played in the position: its piece is not there or does not go that way, the king would be left in
/// check, or a dropped pawn would stand behind another or mate. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("{0} is not legal in the position")]
pub struct IllegalMove(pub Move);

/// The record that [`Position::undo_move`] needs beside the move itself.
#[derive(Clone, Copy, Debug)]
#[must_use = "a move can only be taken back with its undo record"]
pub struct Undo {
    board_key: BoardKey,
    checkers: Bitboard,
    blockers: Bitboard,
    captured: Option<Piece>,
}

impl Undo {
    /// The piece that the move captured.
    #[inline(always)]
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

/// A piece that stands somewhere else after a move than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceChange {
    /// The piece on the board before, and where; `None` when it came from a hand.
    pub before: Option<(Piece, Square)>,
    /// The piece on the board after, and where; `None` when it went to a hand.
    pub after: Option<(Piece, Square)>,
}

/// The changes of a move, for evaluators that keep sums over pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The piece that moved or was dropped.
    pub moved: PieceChange,
    /// The piece that was captured.
    pub captured: Option<PieceChange>,
    /// The kind whose count in the mover's hand changed, with the new count: one less after a drop,
    /// one more after a capture.
    pub hand: Option<(HandKind, u8)>,
}

impl Delta {
    /// The changes of `m`. `after` is the position after the move, `undo` its record.
    pub fn new(after: &Position, m: Move, undo: &Undo) -> Self {
        let moved = PieceChange {
            before: m.from().map(|from| (m.piece_before(), from)),
            after: Some((m.piece_after(), m.to())),
        };
        let captured = undo.captured.map(|piece| PieceChange {
            before: Some((piece, m.to())),
            after: None,
        });
        let kind = m
            .dropped()
            .or(undo.captured.and_then(|piece| piece.kind().hand_kind()));
        let hand = kind.map(|kind| (kind, after.hand(m.color()).count(kind)));
        Self {
            moved,
            captured,
            hand,
        }
    }
}

impl Position {
    /// Plays `m` if it is legal here (see [`Position::is_legal`]), and returns the record that takes it back. For moves from
    /// outside; [`Position::do_move_unchecked`] spares those the check that are known to be legal.
    ///
    /// # Errors
    /// When `m` is not legal. Nothing is changed then.
    ///
    /// ```
    /// use shogi_core::{IllegalMove, Position};
    /// let mut position = Position::startpos();
    /// let m = position.move_from_usi("7g7f")?;
    /// assert!(position.try_do_move(m).is_ok());
    /// assert_eq!(position.try_do_move(m).err(), Some(IllegalMove(m)));
    /// # Ok::<(), shogi_core::MoveError>(())
    /// ```
    #[inline]
    pub fn try_do_move(&mut self, m: Move) -> Result<Undo, IllegalMove> {
        if self.is_legal(m) {
            Ok(self.do_move_unchecked(m))
        } else {
            Err(IllegalMove(m))
        }
    }

    /// Plays `m`, which must be legal here, and returns the record that takes it back: a generated move, or one that
    /// [`Position::is_legal`] or a parser of this crate has found legal here. Another move leaves a position that breaks the
    /// rules, but never memory safety; builds with debug assertions notice a piece that is not there.
    ///
    /// # Panics
    /// May panic on a move that captures a king.
    #[inline]
    pub fn do_move_unchecked(&mut self, m: Move) -> Undo {
        debug_assert!(self.can_carry_out(m), "{m} in {}", self.to_sfen());
        let us = self.side;
        let them = us.flip();
        let to = m.to();
        let to_bit = Bitboard::from_square(to);
        let piece = m.piece_after();
        let class = piece.kind().move_class();
        let mut undo = Undo {
            board_key: self.board_key,
            checkers: self.checkers,
            blockers: self.blockers,
            captured: None,
        };
        let mut key =
            self.board_key ^ BoardKey::of_side(Color::White) ^ BoardKey::of_piece(piece, to);

        if let Some(from) = m.from() {
            if let Some(captured) = self.board[to as usize] {
                undo.captured = Some(captured);
                key ^= BoardKey::of_piece(captured, to);
                let kind = captured
                    .kind()
                    .hand_kind()
                    .expect("a king is never captured");
                self.hands[us] = self.hands[us].with(kind);
                self.toggle(captured, to_bit);
            }
            let before = m.piece_before();
            key ^= BoardKey::of_piece(before, from);
            self.toggle_move(m, us, from.into(), to_bit);
            self.board[from as usize] = None;
            if piece.kind() == PieceKind::King {
                self.kings[us] = Some(to);
            }
        } else if let Some(kind) = m.dropped() {
            self.hands[us] = self.hands[us].without(kind);
            self.toggle(piece, to_bit);
        }
        self.board[to as usize] = Some(piece);
        self.board_key = key;
        self.side = them;
        self.ply = self.ply.wrapping_add(1);

        if let Some(king) = self.kings[them] {
            let (checkers, blockers) = self.slider_checks(them, king);
            self.checkers = checkers | attacks::step_attacks(them, class, king) & to_bit;
            self.blockers = blockers;
        } else {
            (self.checkers, self.blockers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        }
        undo
    }

    /// Returns whether the side to move has the piece of `m` where it comes from, and none where it goes to. Says nothing of the
    /// rest of the rules, and costs nearly nothing.
    fn can_carry_out(&self, m: Move) -> bool {
        let has_piece = match (m.from(), m.dropped()) {
            (Some(from), _) => self.piece_on(from) == Some(m.piece_before()),
            (None, Some(kind)) => {
                self.hands[self.side].has(kind) && self.piece_on(m.to()).is_none()
            }
            (None, None) => false,
        };
        has_piece && m.color() == self.side && !self.colors[self.side].contains(m.to())
    }

    /// Takes back `m`, the move that was played last and returned `undo`.
    #[inline]
    pub fn undo_move(&mut self, m: Move, undo: &Undo) {
        let us = self.side.flip();
        let to = m.to();
        let to_bit = Bitboard::from_square(to);
        let piece = m.piece_after();

        self.side = us;
        self.ply = self.ply.wrapping_sub(1);
        self.board_key = undo.board_key;
        self.checkers = undo.checkers;
        self.blockers = undo.blockers;
        self.board[to as usize] = undo.captured;

        if let Some(from) = m.from() {
            self.board[from as usize] = Some(m.piece_before());
            self.toggle_move(m, us, from.into(), to_bit);
            if piece.kind() == PieceKind::King {
                self.kings[us] = Some(from);
            }
            if let Some(captured) = undo.captured {
                self.toggle(captured, to_bit);
                if let Some(kind) = captured.kind().hand_kind() {
                    self.hands[us] = self.hands[us].without(kind);
                }
            }
        } else if let Some(kind) = m.dropped() {
            self.toggle(piece, to_bit);
            self.hands[us] = self.hands[us].with(kind);
        }
    }

    /// Puts `piece` on the square of `bit` in the bitboards, or takes it off.
    #[inline(always)]
    fn toggle(&mut self, piece: Piece, bit: Bitboard) {
        self.classes[piece.kind().move_class() as usize] ^= bit;
        self.colors[piece.color()] ^= bit;
    }

    /// Moves the piece of the board move `m` between its squares in the bitboards, either way.
    #[inline(always)]
    fn toggle_move(&mut self, m: Move, us: Color, from_bit: Bitboard, to_bit: Bitboard) {
        let both = from_bit | to_bit;
        let class = m.kind_after().move_class();
        self.colors[us] ^= both;
        if m.is_promotion() {
            self.classes[m.piece_before().kind().move_class() as usize] ^= from_bit;
            self.classes[class as usize] ^= to_bit;
        } else {
            // One update: two to the same bitboard would have to wait for each other.
            self.classes[class as usize] ^= both;
        }
    }

    /// Passes: the other player is to move. Not allowed in check.
    #[inline]
    pub fn do_null_move(&mut self) -> Undo {
        debug_assert!(!self.in_check());
        let undo = Undo {
            board_key: self.board_key,
            checkers: self.checkers,
            blockers: self.blockers,
            captured: None,
        };
        self.board_key ^= BoardKey::of_side(Color::White);
        self.side = self.side.flip();
        self.ply = self.ply.wrapping_add(1);
        self.blockers = self.kings[self.side].map_or(Bitboard::EMPTY, |king| {
            self.slider_checks(self.side, king).1
        });
        undo
    }

    /// Takes back the pass that returned `undo`.
    #[inline]
    pub fn undo_null_move(&mut self, undo: &Undo) {
        self.side = self.side.flip();
        self.ply = self.ply.wrapping_sub(1);
        self.board_key = undo.board_key;
        self.checkers = undo.checkers;
        self.blockers = undo.blockers;
    }

    /// The hand `color` will have after `m` takes what stands on its destination or drops a piece.
    pub fn hand_after(&self, m: Move) -> Hand {
        let hand = self.hand(m.color());
        match (
            m.dropped(),
            self.piece_on(m.to())
                .and_then(|piece| piece.kind().hand_kind()),
        ) {
            (Some(kind), _) => hand.without(kind),
            (None, Some(kind)) => hand.with(kind),
            (None, None) => hand,
        }
    }
}

// Moves with the keys of the positions they lead to, without playing them.
//
// For work on large sets of positions (opening books): asking for every move whether its position
// is in the set costs a few exclusive-ors a move instead of making and taking it back.

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
    ///     assert_eq!(child.do_move_unchecked(m).captured(), captured);
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
    /// let _ = child.do_move_unchecked(m);
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
    /// let _ = child.do_move_unchecked(m);
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

    /// The changes of a capture beside the moving piece.
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
