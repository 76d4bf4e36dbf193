//! The state of an engine: the game, the level and the clocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use othello_core::{Game, Move, Position, Side, State};
use othello_search::{Control, Goal, Limits, Observer, PlayLevel, SearchResult, Searcher};

/// The time that a player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time for so many moves, or for the rest of the game.
    pub time: Duration,
    /// Moves to make in that time; `None`: all of the game.
    pub moves: Option<u32>,
}

/// The part of a move's time that goes on other things than thinking.
const OVERHEAD: Duration = Duration::from_millis(50);

/// The least time for a move.
const LEAST: Duration = Duration::from_millis(10);

impl Clock {
    /// The limits of a search that begins now with so many empty squares. A player has half of the moves that are left; more
    /// time goes to the moves before the end is solved, of which some twelve are left then.
    fn limits(self, empties: u32) -> Limits {
        let own = empties.div_ceil(2).max(1);
        let until_solved = own.saturating_sub(9).max(2);
        let moves = self
            .moves
            .map_or(until_solved, |moves| moves.clamp(1, until_solved));
        let usable = self.time.saturating_sub(OVERHEAD).max(LEAST);
        let share = usable / moves;
        // Half of the share: the next iteration takes some three times as long as all before.
        let now = Instant::now();
        let most = if moves == 1 {
            usable
        } else {
            (share * 2).min(usable / 2)
        };
        Limits {
            until: Some(now + most.max(LEAST)),
            enough: Some(now + share / 2),
            ..Limits::default()
        }
    }
}

/// An engine in a game.
#[derive(Clone, Debug)]
pub struct Session {
    game: Game,
    /// How deep and how sure to search where there is no clock.
    pub level: PlayLevel,
    clocks: [Option<Clock>; 2],
    searcher: Arc<Mutex<Searcher>>,
}

impl Session {
    /// A session at the start of a game.
    pub fn new(searcher: Searcher, level: PlayLevel) -> Self {
        Self {
            game: Game::default(),
            level,
            clocks: [None; 2],
            searcher: Arc::new(Mutex::new(searcher)),
        }
    }

    /// The game.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The position after the last move.
    pub const fn position(&self) -> Position {
        self.game.position()
    }

    /// Goes on with another game.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Begins a new game: what the last one taught is forgotten.
    pub fn new_game(&mut self) {
        self.game = Game::default();
        self.searcher().clear();
    }

    /// Plays a move; returns `false` and changes nothing if it is illegal.
    pub fn play(&mut self, mv: Move) -> bool {
        self.game.play(mv)
    }

    /// Takes back a move; `None` if there is none.
    pub fn undo(&mut self) -> Option<Move> {
        self.game.undo()
    }

    /// Sets the clock of a side; `None` searches by the level.
    pub fn set_clock(&mut self, side: Side, clock: Option<Clock>) {
        self.clocks[usize::from(side == Side::White)] = clock;
    }

    /// The clock of a side.
    pub const fn clock(&self, side: Side) -> Option<Clock> {
        match side {
            Side::Black => self.clocks[0],
            Side::White => self.clocks[1],
        }
    }

    /// The best moves of the position, as many as `lines`: as deep as the level says, or as the clock of the side to move
    /// allows.
    pub fn search(
        &self,
        lines: usize,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        let position = self.position();
        let board = position.board();
        let empties = board.empty().len();
        let (goal, limits) = match self.clock(position.side()) {
            Some(clock) => (Goal::exact(lines), clock.limits(empties)),
            None => (self.level.goal(empties, lines), Limits::default()),
        };
        self.searcher()
            .search(board, goal, limits, control, observer)
    }

    /// The move to play: the best one, a forced pass without thinking, any legal one if the search was stopped before it knew
    /// one; `None` if the game is over.
    pub fn choose(
        &self,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Option<(Move, Option<SearchResult>)> {
        let board = self.position().board();
        match board.state() {
            State::Over => None,
            State::Pass => Some((Move::Pass, None)),
            State::Moves => {
                let result = self.search(1, control, observer);
                let any = || board.legal_moves().iter().next().map(Move::Place);
                Some((result.best().or_else(any)?, Some(result)))
            }
        }
    }

    fn searcher(&self) -> MutexGuard<'_, Searcher> {
        self.searcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_overdrawn() {
        for seconds in [0, 1, 60, 900] {
            let time = Duration::from_secs(seconds);
            for moves in [None, Some(1), Some(10)] {
                for empties in 1..=60 {
                    let start = Instant::now();
                    let limits = Clock { time, moves }.limits(empties);
                    let until = limits.until.unwrap() - start;
                    let most = time.max(LEAST + OVERHEAD) + Duration::from_millis(5);
                    assert!(until <= most, "{time:?} {moves:?} {empties}: {until:?}");
                    assert!(limits.enough.unwrap() <= limits.until.unwrap());
                }
            }
        }
    }
}
