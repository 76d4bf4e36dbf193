//! The engine as one object.

mod evaluation;
mod searches;

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;

use shogi_core::{EnteringKingRule, Game, Position};
use shogi_eval::nnue::shared::SharedNetworks;
use shogi_usi::{OptionError, Options};
use yane_book::probe::Profile;

use crate::Searcher;
use crate::book::{BookCache, BookEvent};
use crate::evaluation::EvaluationCache;
use crate::mate::MateSearches;
use crate::options::numa::{NumaError, NumaPolicy};
use crate::options::{
    engine_options, entering_king_rule, hash_mib, search_options, search_params, threads,
};
use crate::search::{RunningSearch, SearchCore};

pub use searches::{SearchState, StartError};

/// Size of the transposition table when the system refuses the one that is asked for.
const FALLBACK_HASH_MIB: usize = 16;

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

/// An engine: options, the current game, and at most one search at a time.
///
/// No method waits for a running search except [`Self::wait`], [`Self::go`] (when the last search
/// has not ended yet it is stopped first) and those that say so.
pub struct Session {
    options: Options,
    profile: Profile,
    books: BookCache,
    evaluations: EvaluationCache,
    /// Folders in which relative `BookDir` and `EvalDir` are looked up, in this order.
    folders: Vec<PathBuf>,
    /// The folder of networks with `EvalShare`.
    shared_networks: Option<SharedNetworks>,
    /// Random number of the next choice from the book, or of the next `rtime`.
    seed: u64,
    game: Arc<Game>,
    /// `None` before the first preparation or search, while a search has it, and after a search
    /// failed.
    core: Option<SearchCore>,
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
            options: engine_options(profile),
            profile,
            books: BookCache::default(),
            evaluations: EvaluationCache::default(),
            folders: vec![PathBuf::new()],
            shared_networks: SharedNetworks::of_user(),
            seed: RandomState::new().hash_one(0),
            game: Arc::new(Game::new(Position::startpos())),
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

    /// Why the option `NumaPolicy` means nothing; threads are placed as with `auto` then.
    pub fn numa_problem(&self) -> Option<NumaError> {
        NumaPolicy::parse(self.options.text("NumaPolicy")).err()
    }

    /// The rule about entering kings.
    pub fn entering_king_rule(&self) -> EnteringKingRule {
        entering_king_rule(&self.options)
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Sets the game for the next search.
    pub fn set_game(&mut self, game: Game) {
        self.game = Arc::new(game);
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
        let threads = threads(&self.options);
        let core = self.ready_core();
        if had_core {
            core.evaluate_with(evaluation);
            core.shared.clear();
        }
        core.shared.reserve(threads);
        let hash_mib = core.shared.hash_mib();
        self.new_game_pending = false;
        self.game = Arc::new(Game::new(Position::startpos()));
        Preparation::Fresh { hash_mib }
    }

    /// Sets where relative folders of the options are looked for, in this order. Unless set, in the
    /// working directory.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.folders = folders;
    }

    /// Makes the choices from the book and the times of `rtime` repeat those of another session with the
    /// same number; else they differ from run to run.
    pub const fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Loads the opening book that the options name, unless it is loaded already and its file has not
    /// changed. Reports events while it goes on; without a book the engine plays all the same.
    pub fn load_book(&mut self, mut report: impl FnMut(BookEvent)) {
        self.books.load(&self.options, &self.folders, &mut report);
    }

    /// A search of its own with the evaluation and the options of this session as they are now, but with one
    /// thread and a transposition table of `hash_mib` mebibytes (at least 1; 16 where the system refuses
    /// that much). Searchers share the data of the evaluation, with each other and with the session.
    pub fn searcher(&mut self, hash_mib: usize) -> Searcher {
        self.update_evaluation();
        let options = search_options(&self.options);
        let resign_value = self.options.spin("ResignValue");
        let mut searcher = Searcher::new(
            self.evaluation(),
            affordable_mib(hash_mib.max(1)),
            options,
            resign_value,
            self.options.check("ConsiderationMode"),
        );
        searcher.set_params(search_params(&self.options));
        searcher
    }

    /// Begins a new game: the next search knows nothing of the last game.
    pub fn new_game(&mut self) {
        self.new_game_pending = true;
    }

    /// The core, with a transposition table of the size that is set, if there is memory for it.
    fn ready_core(&mut self) -> &mut SearchCore {
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
            .get_or_insert_with(|| SearchCore::new(affordable_mib(size), evaluation))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_not_tried() {
        assert_eq!(affordable_mib(1), 1);
        assert_eq!(affordable_mib(usize::MAX), FALLBACK_HASH_MIB);
    }
}
