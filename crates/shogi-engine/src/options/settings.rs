//! The values of the options as the engine uses them: typed, with units, and combined where several options say one thing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use shogi_core::{Color, EnteringKingRule};
use shogi_deep::{
    DeepBackend, InputFormat, Precision, PuctParams, QueueUse, centipawns_of_win_rate,
};
use shogi_eval::MaterialLevel;
use shogi_eval::loader::Evaluation;
use shogi_eval::nnue::FvScale;
use shogi_mate::{CheckedRoot, Exactness};
use shogi_search::{Params, SearchOptions, SearchUnit, ThreadPlacement, TimeOptions};
use yane_book::probe::{OpenOptions, ProbeOptions, Profile};
use yane_io::path_of_text;

use super::numa::{NumaError, NumaPolicy};

/// Default of `EvalDir`.
pub(super) const DEFAULT_DIR: &str = "eval";
/// Default of `DNN_Model`.
pub(crate) const DEFAULT_MODEL: &str = "model.onnx";
/// Default of `EvalSaveDir`, and what it is when it is empty.
pub(super) const DEFAULT_SAVE_DIR: &str = "evalsave";
/// `BookFile` for "no book".
pub(super) const NO_BOOK: &str = "no_book";

/// Whose defaults the options have that both engines know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Edition {
    /// The alpha-beta engine's.
    #[default]
    AlphaBeta,
    /// The deep engine's.
    Deep,
}

impl Edition {
    /// `DrawValueBlack` and `DrawValueWhite`: default, least, most. In centipawns, or per mille.
    pub(super) const fn draw_value(self) -> (i64, i64, i64) {
        match self {
            Self::AlphaBeta => (-2, -30_000, 30_000),
            Self::Deep => (500, 0, 1000),
        }
    }

    /// Defaults of `NetworkDelay` and `NetworkDelay2`.
    pub(super) const fn network_delays(self) -> (i64, i64) {
        match self {
            Self::AlphaBeta => (120, 1120),
            Self::Deep => (400, 1400),
        }
    }
}

/// A value of the option `Evaluation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EvalChoice {
    /// The files in `EvalDir`.
    #[default]
    Auto,
    /// Material, refined by `MaterialLevel`.
    Material,
    /// The network built into the program.
    Embedded,
    /// The positional evaluation.
    Positional,
    /// A policy and value network in `EvalDir`, for the deep engine.
    Deep,
}

impl EvalChoice {
    pub(super) const ALL: [Self; 5] = [
        Self::Auto,
        Self::Material,
        Self::Embedded,
        Self::Positional,
        Self::Deep,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Material => "material",
            Self::Embedded => "embedded",
            Self::Positional => "positional",
            Self::Deep => "deep",
        }
    }
}

/// A value of the option `MateKind`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MateChoice {
    /// Against the best defence (詰将棋).
    #[default]
    Tsume,
    /// With the defender's help (協力詰め).
    Help,
}

/// The options about the opening book.
#[derive(Clone, Debug)]
pub(crate) struct BookSettings {
    /// `BookFile`.
    pub(crate) file: String,
    /// True if the user has named a book, rather than left the default.
    pub(crate) is_named: bool,
    /// `BookDir`.
    pub(crate) dir: String,
    /// How a move is chosen.
    pub(crate) probe: ProbeOptions,
    /// How the file is opened.
    pub(crate) open: OpenOptions,
}

impl BookSettings {
    /// Returns whether a book is to be used.
    pub(crate) fn is_wanted(&self) -> bool {
        self.probe.own_book && !self.file.is_empty() && self.file != NO_BOOK
    }
}

/// The options about mate searches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MateSettings {
    /// `MateKind`.
    pub(crate) kind: MateChoice,
    /// `MateExact`.
    pub(crate) exact: Exactness,
    /// `MateNodesLimit`; `None`: no limit.
    pub(crate) nodes_limit: Option<u64>,
    /// `RootIsAndNodeIfChecked`.
    pub(crate) checked_root: CheckedRoot,
}

/// The options about the evaluation.
#[derive(Clone, Debug)]
pub(crate) struct EvalSettings {
    /// `Evaluation`.
    pub(crate) choice: EvalChoice,
    /// `MaterialLevel`.
    pub(crate) level: MaterialLevel,
    /// `EvalDir`.
    pub(crate) dir: String,
    /// `EvalSaveDir`, as it was set.
    pub(crate) save_dir: String,
    /// `EvalArchitecture`; `None`: the architecture that the file states.
    pub(crate) architecture: Option<String>,
    /// `FV_SCALE`.
    pub(crate) scale: FvScale,
    /// True if a file fixes `FV_SCALE`.
    pub(crate) scale_is_fixed: bool,
    /// `SearchUnit`: so many per cent as it says are what an evaluation counts in.
    pub(crate) unit: SearchUnit,
    /// `EvalShare`.
    pub(crate) share: bool,
    /// `SkipLoadingEval`.
    pub(crate) skip: bool,
}

impl EvalSettings {
    /// Returns whether the user has named `EvalDir`, rather than left the default.
    pub(crate) fn dir_is_named(&self) -> bool {
        self.dir != DEFAULT_DIR
    }

    /// The folder that `EvalSaveDir` names; relative to the first of `folders`.
    pub(crate) fn save_dir(&self, folders: &[PathBuf]) -> PathBuf {
        let dir = Some(self.save_dir.as_str()).filter(|dir| !dir.is_empty());
        let dir = path_of_text(dir.unwrap_or(DEFAULT_SAVE_DIR));
        let folder = folders.first();
        folder.map_or_else(|| dir.clone(), |folder| folder.join(&dir))
    }

    /// The divisor of the output of a network; `None`: by the network's own divisor.
    ///
    /// GUIs send every option, with the default when the user has not changed it: the default is no choice of the user, except when it
    /// comes from a file.
    pub(super) fn scale_chosen(&self) -> Option<FvScale> {
        (self.scale != FvScale::DEFAULT || self.scale_is_fixed).then_some(self.scale)
    }

    /// The divisor of `evaluation`; `None` when it has none.
    pub(crate) fn scale_in_use(&self, evaluation: &Evaluation) -> Option<FvScale> {
        let own = evaluation.own_scale()?;
        Some(self.scale_chosen().unwrap_or(own.scale))
    }
}

/// The options about the strength.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SkillSettings {
    /// `SkillLevel`.
    pub(crate) level: i64,
    /// The level that `PlayAs` names; `None`: it is left to `SkillLevel`.
    pub(crate) named: Option<i64>,
    /// `HumanTime`.
    pub(crate) human_time: bool,
}

/// The options that the deep engine alone has.
#[derive(Clone, Debug)]
pub(crate) struct DeepValues {
    /// `PV_Interval`; `None`: lines are shown at the end alone.
    pub(crate) interval: Option<Duration>,
    /// `ReuseSubtree`.
    pub(crate) reuses: bool,
    /// `Eval_Coef`.
    pub(crate) eval_coef: f32,
    /// `Resign_Threshold`: the win rate below which is resigned.
    pub(crate) resign_threshold: f32,
    /// `UCT_NodeLimit`.
    pub(crate) node_limit: u32,
    /// The numbers of PUCT. Draws and rules come from the options that both engines have.
    pub(crate) params: PuctParams,
    /// `PV_Mate_Search_Threads`.
    pub(crate) mate_threads: usize,
    /// `PV_Mate_Search_Nodes`.
    pub(crate) mate_nodes: u64,
    /// `Max_GPU`.
    pub(crate) most_devices: u32,
    /// `Disabled_GPU`: numbers from 1.
    pub(crate) disabled_devices: Vec<u32>,
    /// `UCT_Threads`, for each device; 0: as many as suit.
    pub(crate) threads: usize,
    /// `UCT_Threads2` to `UCT_Threads8`: devices from 1, and their threads.
    pub(crate) device_threads: BTreeMap<u32, usize>,
    /// `DNN_Model`.
    pub(crate) model: String,
    /// `ModelArchitecture`.
    pub(crate) format: InputFormat,
    /// `DNN_Batch_Size`; 0: what suits.
    pub(crate) batch: usize,
    /// `DNN_Runtime`.
    pub(crate) backend: DeepBackend,
    /// `DNN_Library`; empty: where the system has it.
    pub(crate) library: String,
    /// `DNN_Queue`.
    pub(crate) queue: QueueUse,
    /// `DNN_Queue_Batch`; 0: what suits.
    pub(crate) queue_batch: usize,
    /// `DNN_Precision`.
    pub(crate) precision: Precision,
    /// `DNN_Cache`, in MiB.
    pub(crate) cache_mib: usize,
    /// `DNN_Server`.
    pub(crate) server: String,
    /// `DNN_Server_Timeout`.
    pub(crate) server_timeout: Duration,
    /// `DNN_Secret_File`; empty: the secret is in the environment, or there is none.
    pub(crate) secret_file: String,
}

/// Threads of a processor, and those of a card: while some wait for it, others make playouts.
const THREADS: [usize; 2] = [2, 4];
/// Playouts that a thread has evaluated together on a processor, where batches gain little, and on a card.
const BATCHES: [usize; 2] = [1, 128];

impl DeepValues {
    /// `UCT_Threads`, or what suits.
    pub(crate) const fn threads_of_device(&self) -> usize {
        match self.threads {
            0 => THREADS[self.backend.is_card() as usize],
            threads => threads,
        }
    }

    /// `DNN_Batch_Size`, or what suits a search of one position.
    pub(crate) const fn batch_of_thread(&self) -> usize {
        match self.batch {
            0 => BATCHES[self.backend.is_card() as usize],
            batch => batch,
        }
    }
}

/// The values of all options of an engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Whose defaults they have.
    pub(super) edition: Edition,
    /// `Threads`.
    pub(crate) threads: usize,
    /// `NumaPolicy`.
    pub(crate) numa: Result<NumaPolicy, NumaError>,
    /// The options of time management, `USI_Ponder` and `Stochastic_Ponder` among them.
    pub(crate) time: TimeOptions,
    /// `DepthLimit`; `None`: no limit.
    pub(crate) depth_limit: Option<u64>,
    /// `NodesLimit`; `None`: no limit.
    pub(crate) nodes_limit: Option<u64>,
    /// `DebugLogFile`.
    pub(super) debug_log: String,
    /// `USI_Hash`.
    pub(crate) hash_mib: usize,
    /// `DrawValueBlack` and `DrawValueWhite`, in the unit of the edition.
    pub(super) draw_value: [i64; 2],
    /// `ResignValue`: scores of at most this many centipawns below zero are resigned.
    pub(crate) resign_value: i64,
    /// `MultiPV`, `MaxMovesToDraw`, `EnteringKingRule` and `GenerateAllLegalMoves`.
    pub(super) search: SearchOptions,
    /// `PvInterval`: least time between two reports.
    pub(crate) interval: Duration,
    /// `ConsiderationMode`: lines go on to their ends, which are shown.
    pub(crate) consideration: bool,
    /// `OutputFailLHPV`: fail highs and fail lows are shown.
    pub(crate) shows_bounds: bool,
    /// `PARAMETERS_LOG_FILE_PATH`.
    pub(super) parameters_log: String,
    /// The parameters of the search: the defaults unless the feature `tune` lets them be set.
    pub(crate) params: Params,
    /// The options about the opening book.
    pub(crate) book: BookSettings,
    /// The options about mate searches.
    pub(crate) mate: MateSettings,
    /// The options about the evaluation.
    pub(crate) eval: EvalSettings,
    /// The options about the strength.
    pub(crate) skill: SkillSettings,
    /// The options of the deep engine.
    pub(crate) deep: DeepValues,
}

impl EngineSettings {
    /// What there is before the defaults of the options are put in.
    pub(super) fn blank(profile: Profile, edition: Edition) -> Self {
        Self {
            edition,
            threads: 1,
            numa: Ok(NumaPolicy::Auto),
            time: TimeOptions::default(),
            depth_limit: None,
            nodes_limit: None,
            debug_log: String::new(),
            hash_mib: 1,
            draw_value: [0; 2],
            resign_value: 0,
            search: SearchOptions::default(),
            interval: Duration::ZERO,
            consideration: false,
            shows_bounds: false,
            parameters_log: String::new(),
            params: Params::default(),
            book: BookSettings {
                file: String::new(),
                is_named: false,
                dir: String::new(),
                probe: ProbeOptions::new(profile),
                open: OpenOptions::default(),
            },
            mate: MateSettings::default(),
            eval: EvalSettings {
                choice: EvalChoice::default(),
                level: MaterialLevel::default(),
                dir: String::new(),
                save_dir: String::new(),
                architecture: None,
                scale: FvScale::DEFAULT,
                scale_is_fixed: false,
                unit: SearchUnit::default(),
                share: false,
                skip: false,
            },
            skill: SkillSettings::default(),
            deep: DeepValues {
                interval: None,
                reuses: false,
                eval_coef: 1.0,
                resign_threshold: 0.0,
                node_limit: 0,
                params: PuctParams::default(),
                mate_threads: 0,
                mate_nodes: 0,
                most_devices: 1,
                disabled_devices: Vec::new(),
                threads: 1,
                device_threads: BTreeMap::new(),
                model: String::new(),
                format: InputFormat::ALL[0],
                batch: 1,
                backend: DeepBackend::default(),
                library: String::new(),
                queue: QueueUse::default(),
                queue_batch: 0,
                precision: Precision::default(),
                cache_mib: 0,
                server: String::new(),
                server_timeout: Duration::ZERO,
                secret_file: String::new(),
            },
        }
    }

    /// `Threads`: the threads of the alpha-beta engine.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// The threads of the deep engine on the first device: `UCT_Threads`, or what suits.
    pub const fn deep_threads(&self) -> usize {
        self.deep.threads_of_device()
    }

    /// `USI_Hash`: the transposition table that is asked for, in mebibytes.
    pub const fn hash_mib(&self) -> usize {
        self.hash_mib
    }

    /// `DebugLogFile`; empty: no log.
    pub fn debug_log(&self) -> &str {
        &self.debug_log
    }

    /// `PARAMETERS_LOG_FILE_PATH`; empty: no log.
    pub fn parameters_log(&self) -> &str {
        &self.parameters_log
    }

    /// `EvalDir`.
    pub fn eval_dir(&self) -> &str {
        &self.eval.dir
    }

    /// `EvalSaveDir`, as it was set.
    pub fn eval_save_dir(&self) -> &str {
        &self.eval.save_dir
    }

    /// `EvalArchitecture`; `None`: the architecture that the file states.
    pub fn eval_architecture(&self) -> Option<&str> {
        self.eval.architecture.as_deref()
    }

    /// `SkipLoadingEval`.
    pub const fn skips_loading(&self) -> bool {
        self.eval.skip
    }

    /// The error in `NumaPolicy`, if there is one.
    pub(crate) fn numa_problem(&self) -> Option<NumaError> {
        self.numa.as_ref().err().cloned()
    }

    /// The rule about entering kings.
    pub(crate) const fn entering_king_rule(&self) -> EnteringKingRule {
        self.search.entering_king_rule
    }

    /// `MaxMovesToDraw`; 0: no limit.
    pub(crate) const fn max_moves_to_draw(&self) -> u32 {
        self.search.max_moves_to_draw
    }

    /// `MultiPV`.
    pub(crate) const fn lines(&self) -> usize {
        self.search.multi_pv
    }

    /// `GenerateAllLegalMoves`.
    pub(crate) const fn generates_all(&self) -> bool {
        self.search.generate_all_legal_moves
    }

    /// The placement of so many threads. An invalid `NumaPolicy` counts as `auto`:
    /// [`Session::numa_problem`](crate::Session::numa_problem) returns the error.
    pub(crate) fn placement(&self, threads: usize) -> ThreadPlacement {
        let policy = self.numa.clone().unwrap_or(NumaPolicy::Auto);
        policy.placement(threads)
    }

    /// The options of the search.
    pub(crate) fn search_options(&self) -> SearchOptions {
        SearchOptions {
            draw_value_cp: Color::ALL.map(|color| self.draw_value_cp(color)),
            extend_lines: self.consideration,
            ..self.search.clone()
        }
    }

    /// The value of a draw for `color` as the probability of winning that it is worth. The default of the alpha-beta engine's table, and
    /// whatever is no number per mille, is half.
    pub(super) const fn draw_win_rate(&self, color: Color) -> f32 {
        match self.draw_value[color as usize] {
            value @ 0..=1000 => value as f32 / 1000.0,
            _ => 0.5,
        }
    }

    /// The value of a draw for `color` in centipawns, for the alpha-beta engine. In the deep engine's table the number is per mille, and
    /// its default means what the default of the alpha-beta engine means.
    pub(super) fn draw_value_cp(&self, color: Color) -> i32 {
        let value = self.draw_value[color as usize];
        match self.edition {
            Edition::AlphaBeta => value as i32,
            Edition::Deep if value == Edition::Deep.draw_value().0 => {
                Edition::AlphaBeta.draw_value().0 as i32
            }
            Edition::Deep => {
                let cp = centipawns_of_win_rate(value as f32 / 1000.0, self.deep.eval_coef);
                cp.clamp(-30_000, 30_000)
            }
        }
    }
}
