//! A position with the moves that led to it, and repetition (千日手).
//!
//! After every move the game looks back 4, 6, 8 … plies for the same board with the same side to
//! move, by default 16 plies at most as the field's engines do, and never past a pass.
//!
//! * The hands are the same too: a repetition. It is a draw, unless all moves of one side in between
//!   were checks; that side has lost.
//! * Only the hands differ: if the side to move has at least as much of everything as before, it
//!   stands better than when it was here before (superior), if at most as much, worse (inferior).

use crate::position::{IllegalMove, Undo};
use crate::{Color, Hand, Move, Position};

/// The relation of a position to earlier ones of its game, as the side to move sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// Not a repetition.
    #[default]
    None,
    /// The same position; a draw (千日手).
    Draw,
    /// The same position, and the opponent has done nothing but check: the side to move wins.
    Win,
    /// The same position, and the side to move has done nothing but check: it loses.
    Lose,
    /// The same board with more in the side to move's hand (優等局面).
    Superior,
    /// The same board with less in the side to move's hand (劣等局面).
    Inferior,
}

impl Repetition {
    /// The field's name: `rep_none`, `rep_draw`, `rep_win`, `rep_lose`, `rep_sup` or `rep_inf`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "rep_none",
            Self::Draw => "rep_draw",
            Self::Win => "rep_win",
            Self::Lose => "rep_lose",
            Self::Superior => "rep_sup",
            Self::Inferior => "rep_inf",
        }
    }
}

/// The result of the look-back after a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RepetitionState {
    /// The relation to the earlier position.
    pub kind: Repetition,
    /// Plies since the earlier position; 0 when there is none.
    pub distance: u32,
    /// Earlier occurrences of the very same position (hands included).
    pub times: u32,
}

/// One position of the game, as much as repetition needs.
#[derive(Clone, Copy, Debug)]
struct Record {
    board_key: u64,
    /// Hand of the side to move.
    hand: Hand,
    /// For each colour, 2 for every check it gave in its latest unbroken run of checks.
    continuous_check: [u32; 2],
    plies_from_null: u32,
    repetition: RepetitionState,
    /// The line of the game: a hash of its start and its moves, as long as there is room for it in a record.
    line: u32,
}

/// The line behind a line of moves; `step` is the last of them, 0 for a pass.
#[inline(always)]
const fn longer(line: u32, step: u32) -> u32 {
    // One to one in either, and spread over all bits after a few steps.
    (line.rotate_left(13) ^ step).wrapping_mul(0x9e37_79b9)
}

/// A move that was played, `None` for a pass, with its undo record.
#[derive(Clone, Copy, Debug)]
struct Played {
    m: Option<Move>,
    undo: Undo,
}

/// A position and the moves that led to it.
///
/// ```
/// use shogi_core::{Game, Position, Repetition};
///
/// let mut game = Game::new(Position::startpos());
/// for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
///     game.play_unchecked(game.position().move_from_usi(text)?);
/// }
/// assert_eq!(game.repetition().kind, Repetition::Draw);
/// # Ok::<(), shogi_core::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    played: Vec<Played>,
    /// One more than `played`: the start position has a record too.
    records: Vec<Record>,
    max_look_back: u32,
}

impl Game {
    /// Plies that a game looks back for repetitions unless told otherwise.
    pub const DEFAULT_LOOK_BACK: u32 = 16;

    /// A game that starts from `position`.
    pub fn new(position: Position) -> Self {
        let key = position.key();
        let record = Record {
            board_key: position.board_key(),
            hand: position.hand(position.side_to_move()),
            continuous_check: [0; 2],
            plies_from_null: 0,
            repetition: RepetitionState::default(),
            line: longer(longer(key as u32, (key >> 32) as u32), position.ply()),
        };
        Self {
            position,
            played: Vec::new(),
            records: vec![record],
            max_look_back: Self::DEFAULT_LOOK_BACK,
        }
    }

    /// The same game looking back at most `plies` plies for repetitions: `u32::MAX` for the whole
    /// game. Call it before any move is played.
    #[must_use]
    pub fn with_look_back(mut self, plies: u32) -> Self {
        self.max_look_back = plies;
        self
    }

    /// The current position.
    #[inline(always)]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The moves played since the start without the first `plies` of them; `None` for a pass.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn moves_from(&self, plies: usize) -> impl Iterator<Item = Option<Move>> {
        self.played[plies..].iter().map(|played| played.m)
    }

    /// A number for the start and the first `plies` moves. Games that agree in all of that have the same. Others have
    /// another one but for an accident in 2³² where they are at the same position just then, and in 2⁶⁴ elsewhere.
    /// `None` when there are not so many moves.
    pub fn line_key(&self, plies: usize) -> Option<u64> {
        let record = self.records.get(plies)?;
        let line = u64::from(record.line).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some(record.board_key ^ line)
    }

    /// The moves played since the start, without passes.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> {
        self.played.iter().filter_map(|played| played.m)
    }

    /// Number of moves and passes played since the start.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.played.len()
    }

    /// Returns whether no move has been played.
    pub fn is_empty(&self) -> bool {
        self.played.is_empty()
    }

    /// The move played last; `None` at the start and after a pass.
    pub fn last_move(&self) -> Option<Move> {
        self.played.last().and_then(|played| played.m)
    }

    /// The piece that the last move captured.
    pub fn last_captured(&self) -> Option<crate::Piece> {
        self.played.last().and_then(|played| played.undo.captured())
    }

    /// Plays `m` if it is legal in the current position. For moves from outside; [`Game::play_unchecked`] spares those the check
    /// that are known to be legal.
    ///
    /// # Errors
    /// When `m` is not legal. Nothing is changed then.
    #[inline]
    pub fn try_play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(m) {
            return Err(IllegalMove(m));
        }
        self.play_unchecked(m);
        Ok(())
    }

    /// Plays `m`, which must be legal in the current position, as for [`Position::do_move_unchecked`].
    #[inline]
    pub fn play_unchecked(&mut self, m: Move) {
        let us = self.position.side_to_move();
        let undo = self.position.do_move_unchecked(m);
        self.played.push(Played { m: Some(m), undo });
        let last = *self.last_record();
        let mut continuous_check = last.continuous_check;
        let run = &mut continuous_check[us as usize];
        *run = if self.position.in_check() {
            *run + 2
        } else {
            0
        };
        let line = longer(last.line, m.bits());
        self.push_record(continuous_check, last.plies_from_null + 1, line);
    }

    /// Takes back the last move or pass. Returns the move; `None` for a pass and at the start.
    #[inline]
    pub fn undo(&mut self) -> Option<Move> {
        let Played { m, undo } = self.played.pop()?;
        self.records.pop();
        match m {
            Some(m) => self.position.undo_move(m, &undo),
            None => self.position.undo_null_move(&undo),
        }
        m
    }

    /// Passes. Not allowed in check.
    pub fn play_null(&mut self) {
        let undo = self.position.do_null_move();
        self.played.push(Played { m: None, undo });
        let line = longer(self.last_record().line, 0);
        self.push_record([0; 2], 0, line);
    }

    fn last_record(&self) -> &Record {
        self.records
            .last()
            .expect("the start position has a record")
    }

    #[inline]
    fn push_record(&mut self, continuous_check: [u32; 2], plies_from_null: u32, line: u32) {
        let us = self.position.side_to_move();
        let mut record = Record {
            board_key: self.position.board_key(),
            hand: self.position.hand(us),
            continuous_check,
            plies_from_null,
            repetition: RepetitionState::default(),
            line,
        };
        record.repetition = self.look_back(&record, us);
        self.records.push(record);
    }

    /// Compares `record`, the new position, with those before it.
    #[inline]
    fn look_back(&self, record: &Record, us: Color) -> RepetitionState {
        let limit = record.plies_from_null.min(self.max_look_back) as usize;
        let mut distance = 4;
        while distance <= limit {
            let earlier = &self.records[self.records.len() - distance];
            if earlier.board_key == record.board_key {
                if earlier.hand == record.hand {
                    return same_position(record, earlier, us, distance as u32);
                }
                let kind = if record.hand.contains(earlier.hand) {
                    Some(Repetition::Superior)
                } else if earlier.hand.contains(record.hand) {
                    Some(Repetition::Inferior)
                } else {
                    None
                };
                if let Some(kind) = kind {
                    return RepetitionState {
                        kind,
                        distance: distance as u32,
                        times: 0,
                    };
                }
            }
            distance += 2;
        }
        RepetitionState::default()
    }

    /// The repetition that the last move led to, within the look-back.
    #[inline(always)]
    pub fn repetition(&self) -> RepetitionState {
        self.last_record().repetition
    }

    /// The repetition that counts in a search whose root lies `ply` plies back: one whose earlier
    /// position comes after the root, or the fourth occurrence of a position wherever the others
    /// were.
    #[inline]
    pub fn repetition_in_search(&self, ply: u32) -> Repetition {
        let state = self.repetition();
        let counts = state.kind != Repetition::None && (state.times >= 3 || state.distance < ply);
        if counts { state.kind } else { Repetition::None }
    }

    /// For `color`, twice the number of checks in its latest unbroken run of checks.
    pub fn continuous_check(&self, color: Color) -> u32 {
        self.last_record().continuous_check[color as usize]
    }
}

/// The classification of a position that occurred `distance` plies ago.
fn same_position(record: &Record, earlier: &Record, us: Color, distance: u32) -> RepetitionState {
    let run = |color: Color| record.continuous_check[color as usize];
    let mut kind = if distance <= run(us) {
        Repetition::Lose
    } else if distance <= run(us.flip()) {
        Repetition::Win
    } else {
        Repetition::Draw
    };
    let before = earlier.repetition;
    if before.times > 0 && before.kind != kind {
        kind = Repetition::Draw;
    }
    RepetitionState {
        kind,
        distance,
        times: before.times + 1,
    }
}
