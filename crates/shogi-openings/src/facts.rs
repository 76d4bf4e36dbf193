//! What the moves of an opening have shown so far, which the rules ask.
//!
//! Squares are as the player sees them who made the moves: `(7, 7)` is 7七 for black and 3三 for white.

use shogi_core::{Bitboard, ByColor, Color, File, Move, Piece, PieceKind, Position, Rank, Square};

/// A square by the numbers of its file and rank, as players say them: `at(7, 6)` is 7六. Numbers off the board are the nearest on it.
pub(crate) const fn at(file: u8, rank: u8) -> Square {
    Square::new(File::ALL[index(file)], Rank::ALL[index(rank)])
}

const fn index(number: u8) -> usize {
    match number {
        0 => 0,
        1..=9 => number as usize - 1,
        _ => 8,
    }
}

/// The same square as the player of `color` sees it.
pub(crate) const fn seen_by(color: Color, square: Square) -> Square {
    match color {
        Color::Black => square,
        Color::White => square.rotate(),
    }
}

/// One more than the largest number of a kind of piece.
const KINDS: usize = {
    let (mut most, mut index) = (0, 0);
    while index < PieceKind::ALL.len() {
        let number = PieceKind::ALL[index] as usize;
        if number > most {
            most = number;
        }
        index += 1;
    }
    most + 1
};

/// The rank of the rook and the bishop.
const HOME_RANK: Rank = Rank::ALL[7];

/// The facts about both players.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) players: ByColor<PlayerFacts>,
    /// Moves made since the start.
    pub(crate) ply: usize,
    /// The exchange of bishops.
    pub(crate) exchange: Option<Exchange>,
    /// The white pieces that the start lacks, when it is a handicap.
    pub(crate) handicap: Option<Bitboard>,
}

/// An exchange of bishops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// Who took first.
    pub(crate) by: Color,
    /// The number of the move, from 1.
    pub(crate) ply: usize,
    /// It took a bishop at home with one from home, which loses a move.
    pub(crate) loses_tempo: bool,
}

/// The facts about a player.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct PlayerFacts {
    /// The squares where a piece of each kind has moved to, or stood when the game began elsewhere than at the even start.
    stood: [Bitboard; KINDS],
    /// Where the rook stands, if it is there and not promoted.
    pub(crate) rook: Option<Square>,
    /// The file from 1 to 9 of the rook when it last stood on its own rank.
    pub(crate) rook_file: u8,
    /// The latest file from 5 to 8 of a rook that went over; 0 for others. It may have come back since.
    pub(crate) ranging_file: u8,
    /// The move number of the first move that brought the rook over to the king's side.
    pub(crate) ranged: Option<usize>,
    /// It went there at once from its own file.
    pub(crate) ranged_at_once: bool,
    /// The rook has gone to the middle of the board before: its pawn was exchanged.
    pub(crate) rook_was_out: bool,
    /// The rook's pawn had been moved when the rook went over.
    pub(crate) pushed_rook_pawn_first: bool,
    /// The rook took a pawn beside its file.
    pub(crate) took_side_pawn: bool,
    /// The knight jumped to 3七 while the rook stood on 3四.
    pub(crate) is_aono: bool,
    /// The king went to 6八 while the rook stood on 3四.
    pub(crate) is_yuki: bool,
    /// A bishop was dropped.
    pub(crate) dropped_bishop: Bitboard,
    /// The first moves, as the player sees them: the kind of the piece and where it went.
    pub(crate) first: [Option<(PieceKind, Square)>; 4],
    /// Moves made.
    pub(crate) moves: usize,
}

impl PlayerFacts {
    fn new() -> Self {
        Self {
            stood: [Bitboard::EMPTY; KINDS],
            rook: None,
            rook_file: 2,
            ranging_file: 0,
            ranged: None,
            ranged_at_once: false,
            rook_was_out: false,
            pushed_rook_pawn_first: false,
            took_side_pawn: false,
            is_aono: false,
            is_yuki: false,
            dropped_bishop: Bitboard::EMPTY,
            first: [None; 4],
            moves: 0,
        }
    }

    /// Returns whether a piece of this kind has moved to this square.
    pub(crate) fn has(&self, kind: PieceKind, file: u8, rank: u8) -> bool {
        self.stood[kind as usize].contains(at(file, rank))
    }

    /// Returns whether a pawn has moved to this square.
    pub(crate) fn pawn(&self, file: u8, rank: u8) -> bool {
        self.has(PieceKind::Pawn, file, rank)
    }

    /// Returns whether a silver has moved to this square.
    pub(crate) fn silver(&self, file: u8, rank: u8) -> bool {
        self.has(PieceKind::Silver, file, rank)
    }

    /// Returns whether a gold has moved to this square.
    pub(crate) fn gold(&self, file: u8, rank: u8) -> bool {
        self.has(PieceKind::Gold, file, rank)
    }

    /// Returns whether the king has moved to this square.
    pub(crate) fn king(&self, file: u8, rank: u8) -> bool {
        self.has(PieceKind::King, file, rank)
    }

    /// Returns whether the king has not moved.
    pub(crate) fn is_king_at_home(&self) -> bool {
        self.stood[PieceKind::King as usize].is_empty()
    }

    /// Returns whether the rook stands on this square.
    pub(crate) fn is_rook_on(&self, file: u8, rank: u8) -> bool {
        self.rook == Some(at(file, rank))
    }

    /// Returns whether the bishop's diagonal was opened and not closed again.
    pub(crate) fn has_open_diagonal(&self) -> bool {
        self.pawn(7, 6) && !self.pawn(6, 6)
    }

    /// Returns whether the move of this number, from 0, brought a piece of this kind to this square.
    pub(crate) fn made(&self, number: usize, kind: PieceKind, file: u8, rank: u8) -> bool {
        self.first.get(number).copied().flatten() == Some((kind, at(file, rank)))
    }
}

/// Latest move that can bring a rook over.
const LATEST_RANGING: usize = 32;

impl Facts {
    /// What a start position shows.
    pub(crate) fn new(start: &Position) -> Self {
        let even = Position::startpos();
        let mut facts = Self {
            players: ByColor([PlayerFacts::new(), PlayerFacts::new()]),
            ply: 0,
            exchange: None,
            handicap: handicap(start, &even),
        };
        for square in start.occupied() {
            let Some(piece) = start.piece_on(square) else {
                continue;
            };
            let player = &mut facts.players[piece.color()];
            let seen = seen_by(piece.color(), square);
            if piece.kind() == PieceKind::Rook {
                player.rook = Some(seen);
                if seen.rank() == HOME_RANK {
                    player.rook_file = seen.file().index() as u8 + 1;
                }
            }
            if even.piece_on(square) != Some(piece) {
                player.stood[piece.kind() as usize] |= Bitboard::from_square(seen);
                if piece.kind() == PieceKind::Rook
                    && (5..=8).contains(&player.rook_file)
                    && seen.rank() == HOME_RANK
                {
                    player.ranged = Some(0);
                    player.ranging_file = player.rook_file;
                }
            }
        }
        facts
    }

    /// Takes a move in, with what it captured.
    pub(crate) fn play(&mut self, m: Move, captured: Option<Piece>) {
        self.ply += 1;
        let us = m.color();
        let kind = m.piece_before().kind();
        let to = seen_by(us, m.to());
        let from = m.from().map(|from| seen_by(us, from));
        self.see_exchange(m, from, to, captured);
        let ply = self.ply;
        if let Some(piece) = captured
            && piece.kind() == PieceKind::Rook
        {
            self.players[us.flip()].rook = None;
        }
        let player = &mut self.players[us];
        if let Some(first) = player.first.get_mut(player.moves) {
            *first = Some((kind, to));
        }
        player.moves += 1;
        if m.is_drop() {
            if kind == PieceKind::Bishop {
                player.dropped_bishop |= Bitboard::from_square(to);
            }
            return;
        }
        match kind {
            PieceKind::Rook => player.move_rook(from, to, ply, captured, m.is_promotion()),
            PieceKind::Knight if to == at(3, 7) && player.is_rook_on(3, 4) => player.is_aono = true,
            PieceKind::King if to == at(6, 8) && player.is_rook_on(3, 4) => player.is_yuki = true,
            _ => {}
        }
        player.stood[kind as usize] |= Bitboard::from_square(to);
    }

    fn see_exchange(&mut self, m: Move, from: Option<Square>, to: Square, captured: Option<Piece>) {
        let takes = captured.is_some_and(|piece| piece.kind() == PieceKind::Bishop);
        if takes && self.exchange.is_none() && m.piece_before().kind() == PieceKind::Bishop {
            let them = &self.players[m.color().flip()];
            let loses_tempo =
                from == Some(at(8, 8)) && to == at(2, 2) && !them.has(PieceKind::Bishop, 8, 8);
            self.exchange = Some(Exchange {
                by: m.color(),
                ply: self.ply,
                loses_tempo,
            });
        }
    }

    /// The exchange of bishops, if it came in the first `plies` moves.
    pub(crate) fn exchanged_by(&self, plies: usize) -> Option<Exchange> {
        self.exchange.filter(|exchange| exchange.ply <= plies)
    }
}

impl PlayerFacts {
    fn move_rook(
        &mut self,
        from: Option<Square>,
        to: Square,
        ply: usize,
        captured: Option<Piece>,
        promotes: bool,
    ) {
        let is_pawn = captured.is_some_and(|piece| piece.kind() == PieceKind::Pawn);
        if is_pawn && to == at(3, 4) && from == Some(at(2, 4)) {
            self.took_side_pawn = true;
        }
        if to.rank().index() < 5 && !(5..=8).contains(&self.rook_file) {
            self.rook_was_out = true;
        }
        self.rook = (!promotes).then_some(to);
        if to.rank() != HOME_RANK {
            return;
        }
        let file = to.file().index() as u8 + 1;
        let over = (5..=8).contains(&file);
        if over && self.ranged.is_none() && ply <= LATEST_RANGING && !self.rook_was_out {
            self.ranged = Some(ply);
            self.ranged_at_once = from == Some(at(2, 8));
            self.pushed_rook_pawn_first = self.pawn(2, 6) || self.pawn(2, 5);
        }
        if over && self.ranged.is_some() {
            self.ranging_file = file;
        }
        self.rook_file = file;
    }
}

/// The white pieces that `start` lacks, when it is the even start but for them, with white to move.
fn handicap(start: &Position, even: &Position) -> Option<Bitboard> {
    let mut lacking = Bitboard::EMPTY;
    for square in Square::ALL {
        match (even.piece_on(square), start.piece_on(square)) {
            (ours, theirs) if ours == theirs => {}
            (Some(piece), None)
                if piece.color() == Color::White && piece.kind() != PieceKind::King =>
            {
                lacking |= Bitboard::from_square(square);
            }
            _ => return None,
        }
    }
    let hands_empty = Color::ALL.iter().all(|&color| start.hand(color).is_empty());
    let is_handicap = lacking.any() && hands_empty && start.side_to_move() == Color::White;
    is_handicap.then_some(lacking)
}
