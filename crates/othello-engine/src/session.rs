//! The state of an engine: the game, the level, the clocks, the book and the search.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use othello_core::{
    Board, Game, IllegalMove, ImpossibleBoard, Move, Position, Side, Square, State,
};
use othello_eval::Weights;
use othello_search::{
    Control, Goal, Limits, Observer, PlayLevel, SearchResult, SearchSettings, Searcher, Selectivity,
};
use yane_base::random::SplitMix64;

use crate::book::{BookCandidate, BookChoice, PlayBook, unit};
use crate::clock::{Clock, fixed_time};
use crate::hints::{Costs, Hint, Hints};

/// Moves that are worse than the best, played on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayLoss {
    /// How often, in per cent.
    pub percent: u32,
    /// The greatest loss of such a move, in discs.
    pub most: u32,
}

/// Moves of a game for which a depth counts instead of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRange {
    /// Number of the first move; that of the start position is 1.
    pub first: u32,
    /// Number of the last move.
    pub last: u32,
    /// Depth of their searches in plies.
    pub depth: u32,
    /// Selectivity of their searches.
    pub selectivity: Selectivity,
}

/// The move that the engine plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// What is known of it; `None` for a forced pass, or if the search was stopped before it knew anything.
    pub hint: Option<Hint>,
    /// Boards visited.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
}

/// An engine in a game. Clones share the search and its table.
#[derive(Clone, Debug)]
pub struct Session {
    game: Game,
    /// How deep and how sure to search where there is no time limit.
    pub level: PlayLevel,
    /// Depths for moves of the game, before the level; the first that fits counts.
    pub depths: Vec<DepthRange>,
    /// A fixed time for each search, before any clock and level.
    pub move_time: Option<Duration>,
    /// True if the book is asked.
    pub uses_book: bool,
    /// The choice among moves of the book.
    pub book_choice: BookChoice,
    /// Worse moves on purpose.
    pub play_loss: Option<PlayLoss>,
    /// True if a protocol lets the engine think in the other side's time.
    pub ponders: bool,
    clocks: [Option<Clock>; 2],
    book: Option<PlayBook>,
    searcher: Arc<Mutex<Searcher>>,
    seed: u64,
    /// Random numbers taken so far.
    drawn: Arc<AtomicU64>,
}

impl Session {
    /// A session at the start of a game, without a book.
    pub fn new(searcher: Searcher, level: PlayLevel) -> Self {
        Self {
            game: Game::default(),
            level,
            depths: Vec::new(),
            move_time: None,
            uses_book: true,
            book_choice: BookChoice::default(),
            play_loss: None,
            ponders: false,
            clocks: [None; 2],
            book: None,
            searcher: Arc::new(Mutex::new(searcher)),
            seed: 1,
            drawn: Arc::default(),
        }
    }

    /// Sets the seed of all random choices, which are the same for the same seed, game and settings.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        self.drawn = Arc::default();
    }

    /// Sets the book.
    pub fn set_book(&mut self, book: Option<PlayBook>) {
        self.book = book;
    }

    /// The book, if there is one and it is to be asked.
    pub fn book(&self) -> Option<&PlayBook> {
        self.book.as_ref().filter(|_| self.uses_book)
    }

    /// Returns whether there is a book, asked or not.
    pub const fn has_book(&self) -> bool {
        self.book.is_some()
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
    ///
    /// # Errors
    ///
    /// A game that begins with an impossible board; then nothing changes.
    pub fn set_game(&mut self, game: Game) -> Result<(), ImpossibleBoard> {
        game.start().board().check()?;
        self.game = game;
        Ok(())
    }

    /// Goes on with a game that began as one of a session.
    pub(crate) fn go_on_with(&mut self, game: Game) {
        self.game = game;
    }

    /// Begins a new game: what the last one taught is forgotten.
    pub fn new_game(&mut self) {
        self.game = Game::default();
        self.clear();
    }

    /// Forgets what searches found out.
    pub fn clear(&self) {
        self.searcher().clear();
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// A move that is not legal. Nothing is changed then.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.game.try_play(mv)
    }

    /// Plays a move that is known to be legal, as [`Game::play_unchecked`].
    pub fn play_unchecked(&mut self, mv: Move) {
        self.game.play_unchecked(mv);
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

    /// Takes the time of a move off the clock of a side.
    pub fn spend(&mut self, side: Side, elapsed: Duration) {
        if let Some(clock) = &mut self.clocks[usize::from(side == Side::White)] {
            clock.spend(elapsed);
        }
    }

    /// The settings of the search.
    pub fn search_settings(&self) -> SearchSettings {
        self.searcher().settings()
    }

    /// The same session with a table of its own of so many bytes, and the same evaluation.
    pub(crate) fn with_own_table(&self, hash_bytes: usize) -> Self {
        let own = {
            let searcher = self.searcher();
            let settings = SearchSettings {
                hash_bytes,
                ..searcher.settings()
            };
            let mut own = Searcher::new(settings, Arc::clone(searcher.weights()));
            own.prob_cut = searcher.prob_cut;
            own
        };
        Self {
            searcher: Arc::new(Mutex::new(own)),
            ..self.clone()
        }
    }

    /// Changes the settings of the search. Another size of the table forgets everything.
    pub fn set_search(&self, settings: SearchSettings) {
        self.searcher().set(settings);
    }

    /// Takes other weights, and forgets everything.
    pub fn set_weights(&self, weights: Arc<Weights>) {
        self.searcher().set_weights(weights);
    }

    /// How deep, and how long, a search of a board for values is to be.
    fn plan(&self, board: Board, side: Side, lines: usize) -> (Goal, Limits) {
        let empties = board.empty().len();
        if let Some(time) = self.move_time {
            return (Goal::exact(lines), fixed_time(time));
        }
        match self.clock(side) {
            Some(clock) => (Goal::exact(lines), clock.limits(empties)),
            None => (self.goal(empties, lines), Limits::default()),
        }
    }

    /// The depth that counts with so many empty squares, if one does instead of the level.
    fn depth_of(&self, empties: u32) -> Option<&DepthRange> {
        let number = 61 - empties.min(60);
        let fits = |range: &&DepthRange| (range.first..=range.last).contains(&number);
        self.depths.iter().find(fits)
    }

    /// How deep and how sure a search without a time limit is to be.
    fn goal(&self, empties: u32, lines: usize) -> Goal {
        match self.depth_of(empties) {
            Some(&DepthRange {
                depth, selectivity, ..
            }) => Goal::new(depth, selectivity, lines),
            None => self.level.goal(empties, lines),
        }
    }

    /// As [`plan`](Self::plan), of a search for a move to play.
    fn plan_to_play(&self, board: Board, side: Side) -> (Goal, Limits) {
        let empties = board.empty().len();
        let has_time = self.move_time.is_some() || self.clock(side).is_some();
        if has_time || self.depth_of(empties).is_some() {
            return self.plan(board, side, 1);
        }
        (self.level.goal_to_play(empties), Limits::default())
    }

    /// How deep and how sure a search of a board for one move is by the level; `None` if time decides.
    pub(crate) fn level_goal(&self, board: Board, side: Side) -> Option<Goal> {
        let has_time = self.move_time.is_some() || self.clock(side).is_some();
        (!has_time).then(|| self.goal(board.empty().len(), 1))
    }

    /// The best of some moves of the position by a search alone: to a goal, or as long as the time for a move lasts.
    pub(crate) fn search_some(
        &self,
        squares: &[Square],
        goal: Option<Goal>,
        control: &Control,
    ) -> SearchResult {
        let position = self.position();
        let board = position.board();
        let (goal, limits) = match goal {
            Some(goal) => (goal, Limits::default()),
            None => self.plan(board, position.side(), 1),
        };
        self.searcher()
            .search_moves(board, Some(squares), goal, limits, control, &mut ())
    }

    /// The best moves of the position, as many as `lines`, by a search alone: as deep as the level says, or as the clock of
    /// the side to move allows.
    pub fn search(
        &self,
        lines: usize,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        let position = self.position();
        let (goal, limits) = self.plan(position.board(), position.side(), lines);
        self.searcher()
            .search(position.board(), goal, limits, control, observer)
    }

    /// A search of a board to a goal, whatever level and clock say.
    pub fn search_to(&self, board: Board, goal: Goal, control: &Control) -> SearchResult {
        let limits = Limits::default();
        self.searcher()
            .search(board, goal, limits, control, &mut ())
    }

    /// A search of the position to a goal, whatever level and clock say, that tells its lines.
    pub(crate) fn search_until(
        &self,
        goal: Goal,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> SearchResult {
        let (board, limits) = (self.position().board(), Limits::default());
        self.searcher()
            .search(board, goal, limits, control, observer)
    }

    /// The moves of the position that the book knows, best first.
    pub fn book_moves(&self) -> Vec<BookCandidate> {
        let board = self.position().board();
        self.book().map_or_else(Vec::new, |book| book.moves(board))
    }

    /// The best moves of the position, as many as `lines`, best first: those of the book with its values, and the others by a
    /// search if the book has fewer.
    pub fn hints(&self, lines: usize, control: &Control, observer: &mut dyn Observer) -> Hints {
        self.hints_of(None, lines, control, observer)
    }

    /// The moves of a board that the book knows, best first; a forced pass if it knows what is behind that.
    pub(crate) fn book_hints(&self, board: Board) -> Vec<Hint> {
        let Some(book) = self.book() else {
            return Vec::new();
        };
        let found = match board.state() {
            State::Over => Vec::new(),
            State::Pass => book.pass(board).into_iter().collect(),
            State::Moves => book.moves(board),
        };
        let hint = |found: &BookCandidate| Hint::of_book(found, book.line(board, found.mv));
        found.iter().map(hint).collect()
    }

    /// As [`hints`](Self::hints), of some moves only.
    pub(crate) fn hints_of(
        &self,
        moves: Option<&[Square]>,
        lines: usize,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Hints {
        let position = self.position();
        let board = position.board();
        let legal = board.legal_moves().iter();
        let mut others: Vec<_> = legal
            .filter(|square| moves.is_none_or(|moves| moves.contains(square)))
            .collect();
        let is_forced = others.is_empty() && board.state() == State::Pass;
        // A forced pass is one move, whatever answers it.
        let lines = if is_forced { lines.min(1) } else { lines };
        let mut hints = self.book_hints(board);
        hints.retain(|hint| match hint.mv {
            Move::Pass => true,
            Move::Place(square) => {
                let at = others.iter().position(|&other| other == square);
                at.map(|at| others.remove(at)).is_some()
            }
        });
        let missing = lines.saturating_sub(hints.len());
        if missing == 0 || (others.is_empty() && !is_forced) {
            return Hints::new(board, hints, lines, None);
        }
        let (goal, limits) = self.plan(board, position.side(), missing);
        let mut costs = Costs::new(observer);
        // A forced pass is searched with all moves behind it.
        let only = (!is_forced).then_some(others.as_slice());
        let mut searcher = self.searcher();
        let result = searcher.search_moves(board, only, goal, limits, control, &mut costs);
        drop(searcher);
        hints.extend(result.lines.iter().map(|line| costs.hint(line)));
        Hints::new(board, hints, lines, Some(&result))
    }

    /// The move to play: of the book, or else the best one that a search finds, or a worse one where that is wanted; a forced
    /// pass without thinking; any legal move if the search was stopped before it knew one. `None` if the game is over.
    pub fn choose(&self, control: &Control, observer: &mut dyn Observer) -> Option<PlayedMove> {
        let board = self.position().board();
        let unknown = |mv| PlayedMove {
            mv,
            hint: None,
            nodes: 0,
            elapsed: Duration::ZERO,
        };
        match board.state() {
            State::Over => return None,
            State::Pass => return Some(unknown(Move::Pass)),
            State::Moves => {}
        }
        let mut random = self.random();
        if let Some(book) = self.book()
            && let Some(found) = book.choose(board, self.book_choice, &mut random)
        {
            return Some(PlayedMove {
                hint: Some(Hint::of_book(&found, book.line(board, found.mv))),
                ..unknown(found.mv)
            });
        }
        // As in Egaroucid: a depth that was asked for is kept to.
        let has_own_depth = self.depth_of(board.empty().len()).is_some();
        let loss = self.play_loss.filter(|_| !has_own_depth);
        let loss = loss.filter(|loss| unit(&mut random) * 100.0 < f64::from(loss.percent));
        let lines = if loss.is_some() { usize::MAX } else { 1 };
        let side = self.position().side();
        let (goal, limits) = match lines {
            1 => self.plan_to_play(board, side),
            _ => self.plan(board, side, lines),
        };
        let mut costs = Costs::new(observer);
        let result = self
            .searcher()
            .search(board, goal, limits, control, &mut costs);
        let found = result.lines.iter().map(|line| costs.hint(line)).collect();
        let mut hints = Hints::new(board, found, lines, Some(&result));
        if let Some(loss) = loss {
            let least = hints.score - loss.most as i32;
            hints.moves.retain(|hint| hint.score >= least);
            if !hints.moves.is_empty() {
                let at = random.index(hints.moves.len());
                hints.moves.swap(0, at);
            }
        }
        let any = || board.legal_moves().iter().next().map(Move::Place);
        let hint = hints.moves.into_iter().next();
        Some(PlayedMove {
            mv: hint.as_ref().map(|hint| hint.mv).or_else(any)?,
            hint,
            nodes: hints.nodes,
            elapsed: hints.elapsed,
        })
    }

    /// A generator for one random choice.
    pub(crate) fn random(&self) -> SplitMix64 {
        let index = self.drawn.fetch_add(1, Ordering::Relaxed);
        SplitMix64::new(SplitMix64::nth(self.seed, index))
    }

    fn searcher(&self) -> MutexGuard<'_, Searcher> {
        self.searcher.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
