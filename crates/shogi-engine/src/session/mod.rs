//! The session: options, game, book and evaluation, and the preparation for a game.

mod searches;

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shogi_core::{Diagram, EnteringKingRule, Game, Move, Position};
use shogi_deep::{CacheCounts, EvaluationError};
use shogi_eval::loader::{AnyEvaluator, Evaluation};
use shogi_eval::nnue::shared::SharedNetworks;
use shogi_search::Params;
use shogi_usi::{OptionError, Options};
use yane_book::probe::Profile;

use crate::alpha_beta::AlphaBeta;
use crate::alpha_beta::searcher::Searcher;
use crate::book::BookCache;
use crate::book::event::BookEvent;
use crate::deep::Deep;
use crate::engine::Engine;
use crate::evaluation::event::{EvalEvent, EvalProblem};
use crate::evaluation::{EvaluationCache, SaveError, SavedEvaluation};
use crate::mate::MateSearches;
use crate::options::EngineOptions;
use crate::options::eval::EvalRequest;
use crate::options::numa::NumaError;
use crate::options::settings::{Edition, EngineSettings};
use crate::search::running::RunningSearch;
use crate::teacher::BareEvaluator;
use crate::thinker::Thinker;

pub use searches::{PreparedSearch, SearchState, StartError};

/// The result of [`Session::prepare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// The state was reset and the position is the initial one.
    Fresh {
        /// Size of the transposition table in mebibytes: less than `USI_Hash` when the machine has
        /// not that much memory.
        hash_mib: usize,
    },
    /// A search is running; nothing was changed.
    Busy,
}

/// An engine: options, the current game, and at most one search at a time.
///
/// No method waits for a running search except [`Self::wait`], [`Self::go`] (the last search is stopped first if it has
/// not ended) and those that say so.
pub struct Session {
    options: EngineOptions,
    profile: Profile,
    books: BookCache,
    evaluations: EvaluationCache,
    /// Folders in which a relative `BookDir` or `EvalDir` is searched, in this order.
    folders: Vec<PathBuf>,
    /// The folder of networks with `EvalShare`.
    shared_networks: Option<SharedNetworks>,
    /// Random number of the next choice from the book, or of the next `rtime`.
    seed: u64,
    game: Arc<Game>,
    /// What plays with the evaluation that is loaded.
    engine: Box<dyn Engine>,
    running: Option<RunningSearch>,
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
            options: EngineOptions::new(profile, Edition::AlphaBeta),
            profile,
            books: BookCache::default(),
            evaluations: EvaluationCache::default(),
            folders: vec![PathBuf::new()],
            shared_networks: SharedNetworks::of_user(),
            seed: RandomState::new().hash_one(0),
            game: Arc::new(Game::new(Position::startpos())),
            engine: nothing_loaded(),
            running: None,
            mates: MateSearches::default(),
            new_game_pending: false,
        }
    }

    /// The options and their values.
    pub const fn options(&self) -> &Options {
        self.options.table()
    }

    /// The values of the options as the engine uses them.
    pub const fn settings(&self) -> &EngineSettings {
        self.options.settings()
    }

    /// Sets an option, also by the names that other engines have for it. It takes effect with the next search or preparation.
    ///
    /// # Errors
    /// When there is no such option, the value is invalid, or it is fixed.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    /// Gives options that both engines know the defaults of the deep edition if the default `EvalDir`, or `eval_dir` in its place, has a policy and
    /// value network and nothing else to play with. All options get their defaults: call it before any is set.
    pub fn choose_edition(&mut self, eval_dir: Option<&str>) {
        let options = EngineOptions::new(self.profile, Edition::Deep);
        let mut asked = options.clone();
        if let Some(dir) = eval_dir {
            asked.set("EvalDir", Some(dir)).ok();
        }
        self.options = if EvalRequest::of(asked.settings()).is_deep(&self.folders) {
            options
        } else {
            EngineOptions::new(self.profile, Edition::AlphaBeta)
        };
    }

    /// Returns whether the deep engine plays: a policy and value network is loaded.
    pub const fn is_deep(&self) -> bool {
        self.evaluations.deep().is_some()
    }

    /// Fixes an option: [`Self::set_option`] refuses it from now on.
    ///
    /// # Errors
    /// When there is no such option or the value is invalid.
    pub fn fix_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.fix(name, value)
    }

    /// Undoes [`Self::fix_option`]: the option has the value that was set before or meanwhile.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn release_option(&mut self, name: &str) -> Result<(), OptionError> {
        self.options.release(name)
    }

    /// The error in the option `NumaPolicy`, if there is one; threads are placed as with `auto` then.
    pub fn numa_problem(&self) -> Option<NumaError> {
        self.settings().numa_problem()
    }

    /// The parameters of the search: the defaults, unless the feature `tune` lets the options set them.
    pub fn search_params(&self) -> Params {
        self.settings().params.clone()
    }

    /// The rule about entering kings.
    pub fn entering_king_rule(&self) -> EnteringKingRule {
        self.settings().entering_king_rule()
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the game for the next search.
    pub fn set_game(&mut self, game: Game) {
        self.game = Arc::new(game);
    }

    /// Returns whether a search is running that has not been stopped, so that [`Self::prepare`] does nothing.
    pub fn is_busy(&self) -> bool {
        let running = self.running.as_ref();
        self.mates.is_busy()
            || running.is_some_and(|search| !search.is_done() && !search.is_stopped())
    }

    /// Prepares for a game: allocates memory, clears the transposition table and histories, sets up the initial
    /// position. Waits for a search that has been stopped; does nothing while one is running.
    pub fn prepare(&mut self) -> Preparation {
        if self.is_busy() {
            return Preparation::Busy;
        }
        self.join();
        self.mates.free();
        self.new_game_pending = false;
        if self.needs_evaluation() {
            self.load_evaluation(|_| {});
        }
        let hash_mib = self.engine.prepare(&self.options);
        self.game = Arc::new(Game::new(Position::startpos()));
        Preparation::Fresh { hash_mib }
    }

    /// Sets the folders in which relative folders of the options are searched, in this order; by default the working
    /// directory.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
    }

    /// Sets the seed of the choices from the book and of the times of `rtime`; by default they differ from run to run.
    pub const fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Loads the opening book that the options name, unless it is loaded already and its file has not
    /// changed. Reports events while it goes on; without a book the engine plays all the same.
    pub fn load_book(&mut self, mut report: impl FnMut(BookEvent)) {
        let settings = &self.options.settings().book;
        self.books.load(settings, &self.folders, &mut report);
    }

    /// An independent search with the current evaluation and options of this session, but with one thread and a
    /// transposition table of `hash_mib` mebibytes (at least 1; 16 where the system refuses that much). Searchers share
    /// the data of the evaluation, with each other and with the session.
    pub fn searcher(&mut self, hash_mib: usize) -> Searcher {
        self.update_evaluation();
        self.alpha_beta().searcher(self.settings(), hash_mib)
    }

    /// An independent engine with the evaluation and options of this session, on `threads` threads (at least one): a [`Searcher`] with a table of
    /// `hash_mib` mebibytes, or the deep engine if that plays, which makes playouts alone and searches for no mates beside them.
    pub fn thinker(&mut self, hash_mib: usize, threads: usize) -> Box<dyn Thinker> {
        self.update_evaluation();
        self.engine.thinker(&self.options, hash_mib, threads)
    }

    /// An evaluator of positions without a search, with the evaluation and options of this session; any number share its
    /// data.
    pub fn bare_evaluator(&mut self) -> BareEvaluator {
        self.update_evaluation();
        self.engine.bare_evaluator(&self.options)
    }

    /// Begins a new game: the next search knows nothing of the last game.
    pub fn new_game(&mut self) {
        self.new_game_pending = true;
    }

    /// The alpha-beta engine with the evaluation that is loaded for it, whatever plays.
    fn alpha_beta(&self) -> AlphaBeta {
        AlphaBeta::new(self.evaluations.current().clone())
    }

    fn join(&mut self) {
        self.mates.join();
        if let Some(search) = self.running.take() {
            search.join();
        }
    }
}

/// The engine before an evaluation is loaded, and while it is: it takes no memory.
fn nothing_loaded() -> Box<dyn Engine> {
    Box::new(AlphaBeta::new(Evaluation::positional()))
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon();
    }
}

// The evaluation of a session: loading, saving and static values.

impl Session {
    /// Sets the folder of networks that are shared with other processes (`EvalShare`); by default it is in the user's
    /// cache folder.
    pub fn set_shared_networks(&mut self, shared: SharedNetworks) {
        self.shared_networks = Some(shared);
    }

    /// The folder that `EvalDir` names (it may be the file of a network), in which evaluation files are searched.
    /// `None` when the options ask for an evaluation without files.
    pub fn eval_place(&self) -> Option<PathBuf> {
        EvalRequest::of(self.settings()).place(&self.folders)
    }

    /// The files of the evaluation that the options ask for, in a fixed order; none where it is in the program, or a server has it.
    pub fn evaluation_files(&self) -> Vec<PathBuf> {
        EvalRequest::of(self.settings()).paths(&self.folders)
    }

    /// Loads the evaluation that the options ask for, unless it is loaded already and its files have not changed; a server
    /// that was away the last time is tried again. Reports events while it goes on. When it cannot be used, that is reported ([`EvalEvent::Failed`]),
    /// [`Self::eval_problem`] returns the reason from then on, and the engine plays with the embedded one.
    pub fn load_evaluation(&mut self, mut report: impl FnMut(EvalEvent)) {
        let Some(source) = self.evaluations.wanted(self.settings(), &self.folders) else {
            if let Some(problem) = self.evaluations.problem() {
                report(EvalEvent::Failed(problem.clone()));
            }
            return;
        };
        // Make room first: both together might not fit.
        self.engine = nothing_loaded();
        let shared = self.shared_networks.as_ref();
        self.evaluations
            .load(source, &self.options, shared, &mut report);
        self.engine = match self.evaluations.deep() {
            Some(network) if cfg!(feature = "deep") => Box::new(Deep::new(network.clone())),
            _ => Box::new(self.alpha_beta()),
        };
    }

    /// Returns whether the next search has to load an evaluation first, because none has been loaded or the
    /// options ask for another one. It does so by itself, but only [`Self::load_evaluation`] reports events.
    pub fn needs_evaluation(&self) -> bool {
        self.evaluations.is_outdated(self.settings())
    }

    /// The reason why the engine does not play with the evaluation that the options asked for.
    pub fn eval_problem(&self) -> Option<&EvalProblem> {
        self.evaluations.problem()
    }

    /// Writes the evaluation that the options ask for to `folder`, by default that of `EvalSaveDir`, as files that can
    /// be loaded from there. When files are missing and `SkipLoadingEval` is set, they are written as zeros: KPPT
    /// tables, or the network that `EvalArchitecture` names.
    ///
    /// # Errors
    /// When the evaluation has no files or they have changed since they were loaded, `folder` is their own
    /// folder, or cannot be written to. Nothing changed then.
    pub fn save_evaluation(&mut self, folder: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        self.update_evaluation();
        let named = folder.map(Path::to_owned);
        let folder = named.unwrap_or_else(|| self.settings().eval.save_dir(&self.folders));
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

    /// The name of the evaluation that the options ask for.
    pub fn evaluation_name(&mut self) -> String {
        self.update_evaluation();
        self.evaluations.name()
    }

    /// What the network of the deep engine says about the current position: the probability that the side to move wins, and its moves with the
    /// probabilities of the policy, the largest first. `None` when another engine plays.
    pub fn network_view(&mut self) -> Option<(f32, Vec<(Move, f32)>)> {
        self.update_evaluation();
        self.engine.view(&self.game, &self.options)
    }

    /// An evaluator with the evaluation that the options ask for.
    pub fn evaluator(&mut self) -> AnyEvaluator {
        self.update_evaluation();
        self.alpha_beta().evaluator(self.settings())
    }

    /// Checks that positions can be evaluated: that the server is there, if a network on a server is used.
    ///
    /// # Errors
    /// What the evaluation of a network says.
    pub fn check_evaluation(&mut self) -> Result<(), EvaluationError> {
        self.update_evaluation();
        self.engine.check()
    }

    /// Takes what has happened to the connection to a server since the last time, in lines for people: that it was lost, or is there again. Searches
    /// of the session tell their listener; what [`Self::thinker`]s and [`Self::bare_evaluator`]s see is left for this.
    pub fn take_notices(&self) -> Vec<String> {
        self.engine.take_notices()
    }

    /// What the memory of the deep engine's evaluations has done (`DNN_Cache`), which all searches and thinkers of the session share; `None` where
    /// there is none.
    pub fn cache_counts(&self) -> Option<CacheCounts> {
        self.engine.cache_counts()
    }

    /// Static evaluation of the current position for the side to move, in the internal unit (a pawn
    /// is 90), with the evaluation that the options ask for.
    pub fn evaluate(&mut self) -> i32 {
        self.evaluate_diagram(&self.game.position().clone().into())
    }

    /// [`Self::evaluate`] for any pieces.
    pub fn evaluate_diagram(&mut self, diagram: &Diagram) -> i32 {
        self.update_evaluation();
        self.engine.evaluate(diagram.pieces(), &self.options)
    }

    fn update_evaluation(&mut self) {
        if self.needs_evaluation() {
            self.load_evaluation(|_| {});
        }
    }
}
