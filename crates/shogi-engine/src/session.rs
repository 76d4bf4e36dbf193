//! The engine as one object.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shogi_core::{Diagram, EnteringKingRule, Game, Move, MoveText, Position};
use shogi_eval::Evaluator;
use shogi_eval::choice::AnyEvaluator;
use shogi_eval::nnue::shared::SharedNetworks;
use shogi_usi::{ClockTimes, GoCommand, MateLimit, OptionError, Options};
use thiserror::Error;
use yane_book::probe::Profile;

use crate::book_options::probe_options;
use crate::eval_news::{EvalNews, EvalProblem};
use crate::eval_options::{Wish, save_dir, scale_in_use};
use crate::eval_save::{SaveError, SavedEvaluation};
use crate::evaluations::Evaluations;
use crate::limits::limits;
use crate::mate::{MateListener, MateSearches};
use crate::mate_options;
use crate::option_table::{engine_options, entering_king_rule, hash_mib, search_options};
use crate::running::Running;
use crate::shelf::{BookNews, Shelf};
use crate::thinking::{Core, Job, Opening, ScaledEvaluation};
use crate::{Listener, Searcher};

/// Size of the transposition table when the system refuses the one that is asked for.
const FALLBACK_HASH_MIB: usize = 16;

/// Why a search cannot be started.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// A move to search is not legal in the position.
    #[error("searchmoves: illegal move {0}")]
    IllegalMove(MoveText),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The result of [`Session::prepare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// Everything is fresh, the position is the initial one.
    Fresh {
        /// Size of the transposition table in mebibytes: less than `USI_Hash` when the machine has
        /// not that much memory.
        hash_mib: usize,
    },
    /// A search is running; nothing was changed.
    Busy,
}

/// Whether a search is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchState {
    /// No search, or its decision has been made.
    Idle,
    /// Running towards a limit of its own, or about to stop.
    Bounded,
    /// Running until ponderhit or stop.
    Endless,
}

/// An engine: options, the current game, and at most one search at a time.
///
/// No method waits for a running search except [`Self::wait`], [`Self::go`] (when the last search
/// has not ended yet it is stopped first) and those that say so.
pub struct Session {
    options: Options,
    profile: Profile,
    shelf: Shelf,
    evaluations: Evaluations,
    /// Where relative `BookDir` and `EvalDir` are looked for, in this order.
    folders: Vec<PathBuf>,
    /// Where networks lie with `EvalShare`.
    shared_networks: Option<SharedNetworks>,
    /// Random number of the next choice from the book, or of the next `rtime`.
    seed: u64,
    game: Game,
    /// `None` before the first preparation or search, while a search has it, and after a search
    /// failed.
    core: Option<Core>,
    running: Option<Running>,
    mates: MateSearches,
    new_game_pending: bool,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// An engine with default options at the initial position. Cheap: memory is taken by
    /// [`Self::prepare`] or the first search.
    pub fn new() -> Self {
        Self::with_profile(Profile::Classic)
    }

    /// [`Self::new`] with the options about books that `profile` has.
    pub fn with_profile(profile: Profile) -> Self {
        Self {
            options: engine_options(profile),
            profile,
            shelf: Shelf::default(),
            evaluations: Evaluations::default(),
            folders: vec![PathBuf::new()],
            shared_networks: SharedNetworks::of_user(),
            seed: RandomState::new().hash_one(0),
            game: Game::new(Position::startpos()),
            core: None,
            running: None,
            mates: MateSearches::default(),
            new_game_pending: false,
        }
    }

    /// The options and their values.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an option. It takes effect with the next search or preparation.
    ///
    /// # Errors
    /// When there is no such option, it does not take the value, or it is fixed.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    /// Sets an option for good: [`Self::set_option`] refuses it from now on.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value.
    pub fn fix_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.fix(name, value)
    }

    /// Ends what [`Self::fix_option`] did; the option has the value that was set, before or meanwhile.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn release_option(&mut self, name: &str) -> Result<(), OptionError> {
        self.options.release(name)
    }

    /// The rule about entering kings.
    pub fn entering_king_rule(&self) -> EnteringKingRule {
        entering_king_rule(&self.options)
    }

    /// The current game.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the game for the next search.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
    }

    /// Whether a search is running that nobody has stopped, so that [`Self::prepare`] does nothing.
    pub fn is_busy(&self) -> bool {
        let running = self.running.as_ref();
        self.mates.is_busy()
            || running.is_some_and(|search| !search.is_done() && !search.is_stopped())
    }

    /// Gets ready for a game: takes memory, forgets earlier games, sets up the initial position.
    /// Waits for a search that has been stopped, leaves one that is running alone.
    pub fn prepare(&mut self) -> Preparation {
        if self.is_busy() {
            return Preparation::Busy;
        }
        self.join();
        self.mates.free();
        let had_core = self.core.is_some();
        let evaluation = self.evaluation();
        let core = self.ready_core();
        if had_core {
            core.evaluate_with(evaluation);
            core.shared.clear();
        }
        let hash_mib = core.shared.hash_mib();
        self.new_game_pending = false;
        self.game = Game::new(Position::startpos());
        Preparation::Fresh { hash_mib }
    }

    /// Sets where relative folders of the options are looked for, in this order. Unless set, in the
    /// working directory.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
    }

    /// Sets where networks lie that are shared with other processes (`EvalShare`). Unless set, in the
    /// user's folder for caches.
    pub fn set_shared_networks(&mut self, shared: SharedNetworks) {
        self.shared_networks = Some(shared);
    }

    /// Makes the choices from the book and the times of `rtime` repeat those of another session with the
    /// same number; else they differ from run to run.
    pub const fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Loads the opening book that the options name, unless it is loaded already and its file has not
    /// changed. Tells what happens while it goes on; without a book the engine plays all the same.
    pub fn load_book(&mut self, mut news: impl FnMut(BookNews)) {
        self.shelf.load(&self.options, &self.folders, &mut news);
    }

    /// The folder that `EvalDir` means (it may be the file of a network): where evaluation files are
    /// looked for, and what else belongs to them. `None` when the options ask for an evaluation
    /// without files.
    pub fn eval_place(&self) -> Option<PathBuf> {
        Wish::of(&self.options).place(&self.folders)
    }

    /// Loads the evaluation that the options ask for, unless it is loaded already and its files have
    /// not changed. Tells what happens while it goes on. When it cannot be used, that is told
    /// ([`EvalNews::Failed`]), and [`Self::eval_problem`] says so from then on; the engine plays with the
    /// embedded one.
    pub fn load_evaluation(&mut self, mut news: impl FnMut(EvalNews)) {
        let Some(source) = self.evaluations.wanted(&self.options, &self.folders) else {
            if let Some(problem) = self.evaluations.problem() {
                news(EvalNews::Failed(problem.clone()));
            }
            return;
        };
        if let Some(core) = &mut self.core {
            // Make room first: both together might not fit.
            core.drop_evaluation();
        }
        let shared = self.shared_networks.as_ref();
        self.evaluations
            .load(source, &self.options, shared, &mut news);
    }

    /// Whether the next search has to load an evaluation first, because none has been loaded or the
    /// options ask for another one. It does so by itself, but [`Self::load_evaluation`] tells about it.
    pub fn needs_evaluation(&self) -> bool {
        self.evaluations.is_outdated(&self.options)
    }

    /// Why the engine does not play with the evaluation that the options asked for.
    pub fn eval_problem(&self) -> Option<&EvalProblem> {
        self.evaluations.problem()
    }

    /// Writes the evaluation that the options ask for to `folder`, without one to that which
    /// `EvalSaveDir` names: as files that can be loaded from there. When files are missing and
    /// `SkipLoadingEval` says that they need not be there, they are written as zeros: KPPT tables, or the
    /// network that `EvalArchitecture` names.
    ///
    /// # Errors
    /// When the evaluation has no files or they have changed since they were loaded, `folder` is where
    /// they are, or cannot be written to. Nothing changed then.
    pub fn save_evaluation(&mut self, folder: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        self.update_evaluation();
        let named = folder.map(Path::to_owned);
        let folder = named.unwrap_or_else(|| save_dir(&self.options, &self.folders));
        self.evaluations.save(&folder)
    }

    /// Writes the network that the options ask for as `file`, without one as `ARCHITECTURE.bin`: as it
    /// was loaded, with the usual hashes.
    ///
    /// # Errors
    /// When the evaluation is no network, its file has changed since it was loaded or is `file`, or
    /// `file` cannot be written. Nothing changed then.
    pub fn export_network(&mut self, file: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        self.update_evaluation();
        self.evaluations.export(file)
    }

    /// What the evaluation that the options ask for is called.
    pub fn evaluation_name(&mut self) -> String {
        self.update_evaluation();
        self.evaluations.current().name()
    }

    /// An evaluator as searches have it, with the evaluation that the options ask for.
    pub fn evaluator(&mut self) -> AnyEvaluator {
        self.update_evaluation();
        self.evaluation().evaluator()
    }

    /// A search of its own with the evaluation and the options of this session as they are now, but with one
    /// thread and a transposition table of `hash_mib` mebibytes (at least 1; 16 where the system refuses
    /// that much). Searchers share the data of the evaluation, with each other and with the session.
    pub fn searcher(&mut self, hash_mib: usize) -> Searcher {
        self.update_evaluation();
        let options = search_options(&self.options);
        let resign_value = self.options.spin("ResignValue");
        Searcher::new(
            self.evaluation(),
            affordable_mib(hash_mib.max(1)),
            options,
            resign_value,
            self.options.check("ConsiderationMode"),
        )
    }

    /// What is loaded, with the divisor as the options are now.
    fn evaluation(&self) -> ScaledEvaluation {
        let evaluation = self.evaluations.current().clone();
        ScaledEvaluation {
            scale: scale_in_use(&self.options, &evaluation),
            evaluation,
        }
    }

    fn update_evaluation(&mut self) {
        if self.needs_evaluation() {
            self.load_evaluation(|_| {});
        }
    }

    /// Tells that a new game begins: the next search knows nothing of the last game.
    pub fn new_game(&mut self) {
        self.new_game_pending = true;
    }

    /// Starts a search of the current game. One that is still running is stopped first and makes its
    /// decision before this returns. With `Stochastic_Ponder` pondering looks at the position before
    /// the last move.
    ///
    /// # Errors
    /// When a move to search is illegal or the system gives no thread. Nothing is started then.
    pub fn go(&mut self, go: &GoCommand, listener: Arc<dyn Listener>) -> Result<(), StartError> {
        let game = self.game.clone();
        let search_moves = legal_moves(go, &game)?;
        self.stop();
        self.join();
        self.mates.free();
        self.start(go.clone(), game, search_moves, listener)
    }

    /// Starts a search for mate in the current position; a search that is still running is stopped first
    /// and makes its decision before this returns. It ends by itself when the question is decided or a
    /// limit is reached. The memory of `USI_Hash` goes from the search to the solver until the next
    /// [`Self::go`] or [`Self::prepare`].
    ///
    /// # Errors
    /// When the system gives no thread. Nothing is started then.
    pub fn go_mate(
        &mut self,
        limit: MateLimit,
        listener: Arc<dyn MateListener>,
    ) -> Result<(), StartError> {
        self.stop();
        self.join();
        if let Some(core) = &mut self.core {
            core.shared.resize(1);
        }
        let kind = mate_options::kind(&self.options);
        let limits = mate_options::limits(limit, &self.options);
        let position = self.game.position().clone();
        self.mates.start(position, kind, limits, listener)?;
        Ok(())
    }

    fn start(
        &mut self,
        go: GoCommand,
        game: Game,
        search_moves: Vec<Move>,
        listener: Arc<dyn Listener>,
    ) -> Result<(), StartError> {
        let mut searched = game.clone();
        let mut search_moves = search_moves;
        if go.ponder && self.options.check("Stochastic_Ponder") && searched.undo().is_some() {
            search_moves.clear();
        }
        let on_opponents_turn = searched.len() < game.len();
        let opening = self.opening(&go, on_opponents_turn);
        self.seed = self.seed.wrapping_add(1);
        let limits = limits(
            &go,
            search_moves,
            &searched,
            &self.options,
            mixed(self.seed),
        );
        let job = Job {
            game: searched,
            limits,
            options: self.options.clone(),
            opening,
        };
        self.update_evaluation();
        if self.new_game_pending {
            self.new_game_pending = false;
            if let Some(core) = &mut self.core {
                core.shared.new_game();
            }
        }
        self.ready_core();
        let Some(mut core) = self.core.take() else {
            unreachable!("the core has just been made")
        };
        core.evaluate_with(self.evaluation());
        self.running = Some(Running::start(job, core, go, game, listener)?);
        Ok(())
    }

    /// The book, where a move is wanted: not for analysis, nor for moves that are named.
    fn opening(&mut self, go: &GoCommand, on_opponents_turn: bool) -> Option<Opening> {
        if go.infinite || !go.search_moves.is_empty() || on_opponents_turn {
            return None;
        }
        let books = self.shelf.books();
        if books.is_empty() {
            return None;
        }
        Some(Opening {
            books,
            options: probe_options(&self.options, self.profile),
            seed: self.seed,
        })
    }

    /// Asks the running search for its decision, which comes within milliseconds. Harmless without
    /// one.
    pub fn stop(&self) {
        self.mates.stop();
        if let Some(search) = &self.running {
            search.stop();
        }
    }

    /// The opponent played the expected move: pondering becomes a search against the clock, whose
    /// times are `clock` if it has any, else those of the `go` command. Harmless when not pondering.
    ///
    /// With times, and with `Stochastic_Ponder`, the search begins anew with what it has learnt in
    /// the transposition table; this waits the milliseconds until the old one has stopped.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn ponder_hit(&mut self, clock: ClockTimes) -> Result<(), StartError> {
        let Some(search) = self.running.take_if(|search| search.is_pondering()) else {
            return Ok(());
        };
        if clock.is_empty() && !self.options.check("Stochastic_Ponder") {
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
        self.core = search.join();
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

    /// Whether a search is running, and whether it will end by itself.
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

    /// Static evaluation of the current position for the side to move, in the internal unit (a pawn
    /// is 90), with the evaluation that the options ask for.
    pub fn evaluate(&mut self) -> i32 {
        self.evaluate_diagram(&self.game.position().clone().into())
    }

    /// As [`Self::evaluate`], of any pieces.
    pub fn evaluate_diagram(&mut self, diagram: &Diagram) -> i32 {
        let mut evaluator = self.evaluator();
        evaluator.reset(diagram.pieces());
        evaluator.evaluate(diagram.pieces())
    }

    /// The core, with a transposition table of the size that is set, if there is memory for it.
    fn ready_core(&mut self) -> &mut Core {
        let size = hash_mib(&self.options);
        if let Some(core) = &mut self.core
            && core.shared.hash_mib() != size
        {
            // Make room first: both tables together might not fit.
            core.shared.resize(1);
            core.shared.resize(affordable_mib(size));
        }
        let evaluation = self.evaluation();
        self.core
            .get_or_insert_with(|| Core::new(affordable_mib(size), evaluation))
    }

    fn join(&mut self) {
        self.mates.join();
        if let Some(search) = self.running.take() {
            self.core = search.join();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Bits that look random, for a number that counts up (`SplitMix64`).
const fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// `mib` if the system promises that much memory, else a size that fits anywhere: allocating more
/// would end the program. Nothing in between is tried, since a promise of nearly all memory is
/// rarely kept.
fn affordable_mib(mib: usize) -> usize {
    let promised = |mib: usize| {
        Vec::<u8>::new()
            .try_reserve_exact(mib.saturating_mul(1 << 20))
            .is_ok()
    };
    if promised(mib) {
        mib
    } else {
        mib.min(FALLBACK_HASH_MIB)
    }
}

/// The moves that `go` names, all legal.
fn legal_moves(go: &GoCommand, game: &Game) -> Result<Vec<Move>, StartError> {
    let complete = |&text: &MoveText| {
        game.position()
            .move_from_text(text)
            .ok_or(StartError::IllegalMove(text))
    };
    go.search_moves.iter().map(complete).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_not_tried() {
        assert_eq!(affordable_mib(1), 1);
        assert_eq!(affordable_mib(usize::MAX), FALLBACK_HASH_MIB);
    }
}
