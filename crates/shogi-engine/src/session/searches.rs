//! The search of a session: starting, ponderhit, stopping.

use std::sync::Arc;

use shogi_core::{Diagram, Game, Move, MoveText};
use shogi_search::Control;
use shogi_usi::{ClockTimes, GoCommand};
use thiserror::Error;
use yane_base::random::GOLDEN_GAMMA;

use super::Session;
use crate::book::event::BookEvent;
use crate::engine::{SearchTask, SearchWork};
use crate::listener::{Listener, SearchOutcome, SharedListener};
use crate::mate::{MateListener, MateRequest};
use crate::search::book::{BookPurpose, BookRequest};
use crate::search::running::RunningSearch;

/// An error of starting a search.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A move to search is not legal in the position.
    #[error("searchmoves: illegal move {0}")]
    IllegalMove(MoveText),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl From<std::io::Error> for StartError {
    fn from(error: std::io::Error) -> Self {
        Self::Thread(error)
    }
}

/// The state of the search of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchState {
    /// There is no search, or its decision has been made.
    Idle,
    /// Running towards a limit of its own, or about to stop.
    Bounded,
    /// Running until ponderhit or stop.
    Endless,
}

/// A search that is yet to be run: see [`Session::prepare_search`].
pub struct PreparedSearch(SearchWork);

impl PreparedSearch {
    /// Searches until a limit is reached or `control` says stop, and returns the decision; the listener is not told that. Also an endless search
    /// ends when nothing is left to search where threads cannot sleep.
    pub fn run(self, control: &Control, listener: &dyn Listener) -> SearchOutcome {
        (self.0)(control, listener)
    }
}

impl Session {
    /// Starts a search of the current game. One that is still running is stopped first and makes its
    /// decision before this returns. With `Stochastic_Ponder` pondering searches the position before the last move.
    ///
    /// # Errors
    /// When a move to search is illegal or the system gives no thread. Nothing is started then.
    pub fn go(&mut self, go: &GoCommand, listener: SharedListener) -> Result<(), StartError> {
        let search_moves = legal_moves(go, &self.game)?;
        self.stop();
        self.join();
        self.mates.free();
        self.start(go.clone(), Arc::clone(&self.game), search_moves, listener)
    }

    /// Starts a mate search of the current position; a search that is still running is stopped first and makes its
    /// decision before this returns. It ends by itself when the position is decided or a limit is reached: the time of
    /// `mate`, or else of `movetime`, and `nodes`. The solver has the memory of `USI_Hash` until the next [`Self::go`]
    /// or [`Self::prepare`].
    ///
    /// # Errors
    /// When the system gives no thread. Nothing is started then.
    pub fn go_mate(
        &mut self,
        go: &GoCommand,
        listener: Arc<dyn MateListener>,
    ) -> Result<(), StartError> {
        let start = Diagram::from(self.game.position().clone());
        self.go_mate_from(start, go, listener)
    }

    /// [`Self::go_mate`] for another position than that of the game: the side not to move may be in check.
    ///
    /// # Errors
    /// As [`Self::go_mate`].
    pub fn go_mate_from(
        &mut self,
        start: Diagram,
        go: &GoCommand,
        listener: Arc<dyn MateListener>,
    ) -> Result<(), StartError> {
        self.stop();
        self.join();
        self.engine.make_room();
        let request = MateRequest::new(start, go, self.settings());
        self.mates.start(request, listener)?;
        Ok(())
    }

    /// The search of the current game that [`Self::go`] would start, for its caller to run: where there are no threads, or on one of the caller's. One
    /// that is still running is stopped first. The session may be used meanwhile; what the search leaves to the next is there when it has
    /// ended. Reports the events of the opening book.
    ///
    /// # Errors
    /// When a move to search is illegal.
    pub fn prepare_search(
        &mut self,
        go: &GoCommand,
        mut report: impl FnMut(BookEvent),
    ) -> Result<PreparedSearch, StartError> {
        let search_moves = legal_moves(go, &self.game)?;
        self.stop();
        self.join();
        self.mates.free();
        let game = Arc::clone(&self.game);
        let work = self.work(go, &game, search_moves, &mut report);
        Ok(PreparedSearch(work))
    }

    fn start(
        &mut self,
        go: GoCommand,
        game: Arc<Game>,
        search_moves: Vec<Move>,
        listener: SharedListener,
    ) -> Result<(), StartError> {
        let work = self.work(&go, &game, search_moves, &mut |event| {
            listener.book_event(&event);
        });
        self.running = Some(RunningSearch::start(work, go, game, listener)?);
        Ok(())
    }

    /// What a search of `game` has to do.
    fn work(
        &mut self,
        go: &GoCommand,
        game: &Arc<Game>,
        search_moves: Vec<Move>,
        report: &mut dyn FnMut(BookEvent),
    ) -> SearchWork {
        self.books.refresh(report);
        self.update_evaluation();
        let is_new_game = std::mem::take(&mut self.new_game_pending);
        let searched = self.searched_game(go, game);
        let on_opponents_turn = !Arc::ptr_eq(&searched, game);
        let search_moves = if on_opponents_turn {
            Vec::new()
        } else {
            search_moves
        };
        let book = self.book_request(go, on_opponents_turn);
        self.seed = self.seed.wrapping_add(1);
        let random = yane_base::random::mix(self.seed.wrapping_mul(GOLDEN_GAMMA));
        if is_new_game {
            self.engine.new_game();
        }
        let task = SearchTask {
            go: go.clone(),
            game: searched,
            search_moves,
            random,
            book,
        };
        self.engine.search(task, &self.options)
    }

    /// The game to search after `go`: with `Stochastic_Ponder` pondering is about the position before the last move.
    fn searched_game(&self, go: &GoCommand, game: &Arc<Game>) -> Arc<Game> {
        if go.ponder && self.settings().time.stochastic_ponder {
            let mut before = Game::clone(game);
            if before.undo().is_some() {
                return Arc::new(before);
            }
        }
        Arc::clone(game)
    }

    /// The book probe: for analysis and with moves to search its moves are only shown, whatever `BookIgnoreRate` is. `None` for
    /// stochastic pondering.
    fn book_request(&self, go: &GoCommand, on_opponents_turn: bool) -> Option<BookRequest> {
        let books = self.books.get();
        if on_opponents_turn || books.is_empty() {
            return None;
        }
        let mut options = self.settings().book.probe.clone();
        let purpose = if go.infinite || !go.search_moves.is_empty() {
            options.ignore_rate = 0;
            BookPurpose::Show
        } else {
            BookPurpose::Play
        };
        Some(BookRequest {
            purpose,
            books,
            options,
            seed: self.seed,
        })
    }

    /// Stops the running search, if there is one; its decision comes within milliseconds.
    pub fn stop(&self) {
        self.mates.stop();
        if let Some(search) = &self.running {
            search.stop();
        }
    }

    /// The opponent played the expected move: pondering becomes a search against the clock, with
    /// the times of `clock` if it has any, else those of the `go` command. No effect when not pondering.
    ///
    /// With times, and with `Stochastic_Ponder`, the search is restarted with the transposition table as
    /// it is; this waits the milliseconds until the old one has stopped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn ponder_hit(&mut self, clock: ClockTimes) -> Result<(), StartError> {
        let Some(search) = self.running.take_if(|search| search.is_pondering()) else {
            return Ok(());
        };
        if clock.is_empty() && !self.settings().time.stochastic_ponder {
            search.ponder_hit();
            self.running = Some(search);
            return Ok(());
        }
        search.silence();
        let mut go = GoCommand {
            ponder: false,
            ..search.go.clone()
        };
        if !clock.is_empty() {
            go.clock = clock;
        }
        let (game, listener) = (search.game.clone(), search.listener.clone());
        search.join();
        let search_moves = legal_moves(&go, &game)?;
        self.start(go, game, search_moves, listener)
    }

    /// Waits for the decision of the running search. An endless one ([`SearchState::Endless`]) must
    /// be stopped first.
    pub fn wait(&mut self) {
        self.join();
    }

    /// Ends the running search without a decision.
    pub fn abandon(&mut self) {
        self.mates.silence();
        if let Some(search) = &self.running {
            search.silence();
        }
        self.join();
    }

    /// The state of the search: none, bounded or endless.
    pub fn state(&self) -> SearchState {
        match &self.running {
            _ if self.mates.is_running() => SearchState::Bounded,
            Some(search) if !search.is_done() => {
                let endless = search.is_pondering() || search.go.infinite;
                if endless && !search.is_stopped() {
                    SearchState::Endless
                } else {
                    SearchState::Bounded
                }
            }
            _ => SearchState::Idle,
        }
    }
}

/// The moves to search of `go`; fails when one is illegal.
fn legal_moves(go: &GoCommand, game: &Game) -> Result<Vec<Move>, StartError> {
    let complete = |&text: &MoveText| {
        game.position()
            .move_from_text(text)
            .ok_or(StartError::IllegalMove(text))
    };
    go.search_moves.iter().map(complete).collect()
}
