//! What settings of self-play are.

use std::path::PathBuf;
use std::time::Duration;

use shogi_core::EnteringKingRule;
use shogi_farm::Engine;

/// The settings of a run. [`SelfplaySettings::read`] takes it from a file, [`SelfplaySettings::default`] needs none.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfplaySettings {
    /// File of start positions (`START_SFENS_PATH`); the initial position without one.
    pub start_sfens: Option<PathBuf>,
    /// Last ply that is played (`MAX_GAME_PLY`): with 320 a game from the initial position has 320 moves at
    /// most, and is a draw then.
    pub max_game_ply: u32,
    /// Positions to search for each move (`NODES`).
    pub nodes: u64,
    /// Engines (`ENGINE_SETTING`), at least one.
    pub engines: Vec<Engine>,
    /// The format of the output (`OUTPUT_FORMAT`).
    pub format: GameFormat,
    /// The visits of candidates when [`Self::set_format`] chooses hcpe3.
    pub hcpe3: Hcpe3,
    /// Folder of the output (`OUTPUT_DIR`); `kif`, or `hcpe3` for that format, without one.
    pub output_dir: Option<PathBuf>,
    /// Number of games (`GAMES`); without end when there is none.
    pub games: Option<u64>,
    /// The seed of all random choices (`SEED`).
    pub seed: u64,
    /// Random moves at the beginning of each game (`RANDOM_PLIES`), which are not part of the data.
    pub random_plies: u32,
    /// Random moves are chosen among the best lines of a search (`RANDOM_MULTI_PV`), not among all legal moves.
    pub random_multi_pv: Option<MultiPvSampling>,
    /// The first moves of the record are chosen by the visits of the deep engine's search (`RANDOM_VISITS_PLIES`).
    pub random_visits: Option<VisitSampling>,
    /// Games begin at balanced positions only (`START_MAX_SCORE`).
    pub start_filter: Option<StartFilter>,
    /// The part of [`Self::nodes`] by which a search has more or fewer at random, below 1 (`NODES_JITTER`).
    pub nodes_jitter: f64,
    /// Rule by which a win may be declared (`ENTERING_KING_RULE`).
    pub entering_king_rule: EnteringKingRule,
    /// Adjudication of games by score.
    pub adjudication: Adjudication,
    /// Leaves out a game that has been played before, move for move (`DEDUP_GAMES`).
    pub dedup_games: bool,
    /// Makes engines forget everything before each game (`FORGET`), so that a game can be played again. Some
    /// take a tenth of a second for it.
    pub forget: bool,
    /// Limits at which a new file begins.
    pub rotation: Rotation,
    /// The time limit of an engine for a move (`MOVE_TIMEOUT`).
    pub move_timeout: Duration,
    /// The interval at which files are brought up to date (`SAVE_INTERVAL`).
    pub save_interval: Duration,
}

/// A format of games.
#[derive(Clone, Debug, PartialEq)]
pub enum GameFormat {
    /// Moves and scores.
    Pack,
    /// Moves, scores and candidates.
    Hcpe3(Hcpe3),
}

impl GameFormat {
    /// The number of lines that engines have to find.
    pub const fn lines(&self) -> usize {
        match self {
            Self::Pack => 1,
            Self::Hcpe3(hcpe3) => hcpe3.lines,
        }
    }

    /// The number of moves of each line that are used.
    pub const fn line_moves(&self) -> usize {
        match self {
            Self::Pack => 0,
            Self::Hcpe3(_) => 1,
        }
    }

    /// The extension of files, without the dot.
    pub const fn extension(&self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Hcpe3(_) => "hcpe3",
        }
    }
}

/// The visits of candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Hcpe3 {
    /// Number of candidates (`MULTIPV`).
    pub lines: usize,
    /// Sum of the visits of a position (`HCPE3_VISITS_SUM`).
    pub visits: u16,
    /// Temperature of the softmax in centipawns (`HCPE3_TEMPERATURE`); all visits go to the best at 0.
    pub temperature: f64,
    /// Candidates that are worse than the best by more centipawns than this are left out
    /// (`HCPE3_EVAL_DROP_THRESHOLD`).
    pub drop_threshold: i32,
    /// Score of a mate, minus its length in plies (`HCPE3_MATE_SCORE`).
    pub mate_score: i16,
    /// Centipawns behind at which a side loses after the move (`HCPE3_RESIGN_EVAL`).
    pub resign_eval: Option<i16>,
}

impl Default for Hcpe3 {
    fn default() -> Self {
        Self {
            lines: 4,
            visits: u16::MAX,
            temperature: 100.0,
            drop_threshold: 500,
            mate_score: shogi_engine::MAX_TEACHER_SCORE,
            resign_eval: None,
        }
    }
}

/// Named default values of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Those of [`SelfplaySettings::default`].
    #[default]
    Classic,
    /// Those for teacher data: balanced starts, varied openings, resignation in most games.
    Teacher,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 2] = [Self::Classic, Self::Teacher];

    /// The name (`PRESET`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Teacher => "teacher",
        }
    }

    /// The preset of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The settings.
    pub fn settings(self) -> SelfplaySettings {
        match self {
            Self::Classic => SelfplaySettings::default(),
            Self::Teacher => SelfplaySettings {
                random_multi_pv: Some(MultiPvSampling {
                    spread: 200,
                    ..MultiPvSampling::new(8)
                }),
                start_filter: Some(StartFilter::new(300)),
                nodes_jitter: 0.2,
                adjudication: Adjudication {
                    resign: Some(ResignRule {
                        value: 2500,
                        moves: 2,
                        never: 0.05,
                    }),
                    draw: None,
                },
                dedup_games: true,
                forget: false,
                ..SelfplaySettings::default()
            },
        }
    }
}

/// Sampling of random moves among the best lines of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiPvSampling {
    /// Number of lines (`RANDOM_MULTI_PV`), at least 1.
    pub lines: usize,
    /// Moves that are worse than the best by more centipawns than this are left out (`RANDOM_MULTI_PV_DIFF`).
    pub spread: i32,
    /// Positions to search for each move (`RANDOM_MULTI_PV_NODES`).
    pub nodes: u64,
}

impl MultiPvSampling {
    /// Sampling of so many lines within a pawn, by searches of 1,000 positions.
    pub const fn new(lines: usize) -> Self {
        Self {
            lines,
            spread: 100,
            nodes: 1000,
        }
    }
}

/// The choice of moves at random by visits, as dlshogi makes it: among the moves whose probability of winning is near that of the best, each as
/// likely as its visits to the power of 1 / temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitSampling {
    /// Number of plies of the record that are chosen so (`RANDOM_VISITS_PLIES`; `Random_Ply`).
    pub plies: u32,
    /// The temperature in thousandths (`RANDOM_VISITS_TEMPERATURE`; `Random_Temperature`).
    pub temperature: u32,
    /// What it falls by with each own move (`RANDOM_VISITS_TEMPERATURE_DROP`; `Random_Temperature_Drop`); the best move is played when nothing is left.
    pub temperature_drop: u32,
    /// Moves whose probability of winning is lower by more thousandths than this are not played (`RANDOM_VISITS_CUTOFF`; `Random_Cutoff`).
    pub cutoff: u32,
    /// What it falls by with each own move (`RANDOM_VISITS_CUTOFF_DROP`; `Random_Cutoff_Drop`).
    pub cutoff_drop: u32,
}

impl VisitSampling {
    /// The choice for so many plies with the defaults of dlshogi.
    pub const fn new(plies: u32) -> Self {
        Self {
            plies,
            temperature: 10_000,
            temperature_drop: 1000,
            cutoff: 15,
            cutoff_drop: 0,
        }
    }
}

/// The filter of start positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartFilter {
    /// Greatest score of either side, in centipawns (`START_MAX_SCORE`).
    pub max_score: i16,
    /// Positions to search for it (`START_NODES`).
    pub nodes: u64,
}

impl StartFilter {
    /// A filter by a search of 5,000 positions.
    pub const fn new(max_score: i16) -> Self {
        Self {
            max_score,
            nodes: 5000,
        }
    }
}

/// Adjudication of games by score. None by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjudication {
    /// Losing by score.
    pub resign: Option<ResignRule>,
    /// Drawing by score.
    pub draw: Option<DrawRule>,
}

/// A side that is far behind for long loses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResignRule {
    /// The score at which a player resigns, in centipawns (`RESIGN_VALUE`).
    pub value: i16,
    /// Number of the player's moves in a row (`RESIGN_MOVES`).
    pub moves: u32,
    /// Part of the games that are played to the end all the same (`NO_RESIGN_RATE`), 0 to 1.
    pub never: f64,
}

/// A game in which no side is ahead for long is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Scores within this of 0, in centipawns (`DRAW_VALUE`).
    pub value: i16,
    /// Number of plies in a row (`DRAW_PLIES`).
    pub plies: u32,
    /// First ply at which the rule applies (`DRAW_MIN_PLY`).
    pub min_ply: u32,
}

/// Limits of a file: a new one begins at the first limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// Games in a file (`ROTATE_GAMES`).
    pub games: Option<u64>,
    /// Bytes in a file (`ROTATE_SIZE`).
    pub bytes: Option<u64>,
}
