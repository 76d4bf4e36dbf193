//! Making and taking back moves.

use super::Position;
use crate::zobrist::BoardKey;
use crate::{Bitboard, Color, Hand, HandKind, Move, Piece, PieceKind, Square, attacks};

/// What [`Position::undo_move`] needs beside the move itself.
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

/// What a move changed, for evaluators that keep sums over pieces.
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
    /// What `m` changed. `after` is the position after the move, `undo` its record.
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
    /// Plays `m`, which must be legal here (see [`Position::is_legal`]), and returns the record that
    /// takes it back. A move that is not legal leaves a position that breaks the rules, but never
    /// memory safety.
    ///
    /// # Panics
    /// May panic on a move that captures a king.
    #[inline]
    pub fn do_move(&mut self, m: Move) -> Undo {
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
