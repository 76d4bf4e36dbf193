//! Analysis of games: each move against its best alternative, from the end backwards.

use othello_core::{Game, Move, Side, State};
use othello_search::Control;

use crate::hints::Hint;
use crate::session::Session;

/// The judgement of a move that is worse than its alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// It loses 1 to 3 discs.
    Disagree,
    /// It loses 4 discs or more.
    Mistake,
}

/// A move of a game with its value, and the best other move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedMove {
    /// Number of the move, counted in discs: the first of a game from the start has 1.
    pub ply: u32,
    /// The player.
    pub side: Side,
    /// The move that was played.
    pub played: Hint,
    /// The best other move; `None` if there was none.
    pub alternative: Option<Hint>,
    /// Number of other legal moves.
    pub others: u32,
}

impl AnalysedMove {
    /// Discs that the move loses against the best other one; 0 if it is as good.
    pub fn loss(&self) -> u32 {
        let better = self.alternative.as_ref();
        let loss = better.map_or(0, |better| better.score - self.played.score);
        loss.max(0).unsigned_abs()
    }

    /// The judgement; `None` for a move that loses nothing.
    pub fn judge(&self) -> Option<Judge> {
        match self.loss() {
            0 => None,
            1..=3 => Some(Judge::Disagree),
            _ => Some(Judge::Mistake),
        }
    }
}

/// The sums of a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnalysisSums {
    /// Moves of the player, passes not counted.
    pub moves: u32,
    /// Moves that lose 1 to 3 discs.
    pub disagree: u32,
    /// Discs lost by them.
    pub disagree_loss: u32,
    /// Moves that lose 4 discs or more.
    pub mistake: u32,
    /// Discs lost by them.
    pub mistake_loss: u32,
}

impl AnalysisSums {
    /// The share of moves that lose 1 to 3 discs, 0 to 1.
    pub fn disagree_rate(&self) -> f64 {
        share(self.disagree, self.moves)
    }

    /// The share of moves that lose 4 discs or more, 0 to 1.
    pub fn mistake_rate(&self) -> f64 {
        share(self.mistake, self.moves)
    }

    /// Discs lost by a move on average.
    pub fn average_error(&self) -> f64 {
        share(self.disagree_loss + self.mistake_loss, self.moves)
    }
}

fn share(part: u32, all: u32) -> f64 {
    if all == 0 {
        0.0
    } else {
        f64::from(part) / f64::from(all)
    }
}

/// The sums of the moves of a side.
pub fn analysis_sums(moves: &[AnalysedMove], side: Side) -> AnalysisSums {
    let mut sums = AnalysisSums::default();
    for mv in moves.iter().filter(|mv| mv.side == side) {
        sums.moves += 1;
        match mv.judge() {
            None => {}
            Some(Judge::Disagree) => {
                sums.disagree += 1;
                sums.disagree_loss += mv.loss();
            }
            Some(Judge::Mistake) => {
                sums.mistake += 1;
                sums.mistake_loss += mv.loss();
            }
        }
    }
    sums
}

impl Session {
    /// Values the last `count` moves of the game and their alternatives at the session's level, from the end backwards, so that
    /// what is known of later positions helps with the earlier ones. `tell` hears of each as it is known. Returns the moves
    /// that were done before a stop, the last one first. Passes are left out.
    pub fn analyse(
        &self,
        count: usize,
        control: &Control,
        tell: &mut dyn FnMut(&AnalysedMove),
    ) -> Vec<AnalysedMove> {
        let moves = self.game().moves();
        let mut games = vec![Game::new(self.game().start())];
        for &mv in moves {
            let mut next = games[games.len() - 1].clone();
            next.play(mv);
            games.push(next);
        }
        let mut analysed = Vec::new();
        for (&mv, game) in moves.iter().zip(&games).rev().take(count) {
            let Move::Place(square) = mv else { continue };
            let mut session = self.clone();
            session.go_on_with(game.clone());
            let position = game.position();
            let board = position.board();
            debug_assert_eq!(board.state(), State::Moves);
            let legal = board.legal_moves().iter();
            let others: Vec<_> = legal.filter(|&other| other != square).collect();
            let played = session.hints_of(Some(&[square]), 1, control, &mut ());
            let alternative = if others.is_empty() {
                None
            } else {
                let found = session.hints_of(Some(&others), 1, control, &mut ());
                found.moves.into_iter().next()
            };
            if control.is_stopped() {
                break;
            }
            let Some(played) = played.moves.into_iter().next() else {
                break;
            };
            let done = AnalysedMove {
                ply: board.discs() - 3,
                side: position.side(),
                played,
                alternative,
                others: others.len() as u32,
            };
            tell(&done);
            analysed.push(done);
        }
        analysed
    }
}
