//! The command line of what makes books grow: learning, recipes, and who searches.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use othello_bookwork::{BookLevel, GrowthLimit, RandomStarts, Schedule};
use yane_cli::QueueTrustArgs;
use yane_io::Flush;

use crate::args::{ReadArgs, WeightsArgs};
use crate::book::lookup;

/// A book that grows, and how the run goes on.
#[derive(Args, Debug)]
pub(crate) struct Growing {
    /// The book to write: .egbk3, .dat … [default: the book itself, which is replaced when the new one is whole]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) workers: WorkerArgs,
}

/// Budgets and saves.
#[derive(Args, Debug)]
#[command(next_help_heading = "The run")]
pub(crate) struct RunArgs {
    /// End after so many hours; the same command goes on
    #[arg(long, value_name = "HOURS", value_parser = positive)]
    pub(crate) hours: Option<f64>,
    /// End when so many positions were added; the same command goes on
    #[arg(long, value_name = "N")]
    pub(crate) positions: Option<u64>,
    /// Minutes between saves of the book
    #[arg(long, value_name = "MINUTES", default_value = "15", value_parser = positive)]
    pub(crate) save_interval: f64,
    /// When to flush the journal to the disk: always, never, or every so many seconds
    #[arg(long, value_name = "WHEN", default_value = "10")]
    pub(crate) journal_flush: FlushArg,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|&number: &f64| number > 0.0 && number < 1e6);
    number.ok_or_else(|| "a number above 0 was expected".to_owned())
}

impl RunArgs {
    pub(crate) fn budget(&self) -> othello_bookwork::Budget {
        othello_bookwork::Budget {
            time: self
                .hours
                .map(|hours| Duration::from_secs_f64(hours * 3600.0)),
            positions: self.positions,
        }
    }
}

/// The flush interval of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlushArg(pub(crate) Flush);

impl FromStr for FlushArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = || text.parse().map(Duration::from_secs);
        Ok(Self(match text {
            "always" => Flush::Always,
            "never" => Flush::Never,
            _ => Flush::Every(seconds().map_err(|_| "`always`, `never` or seconds were expected")?),
        }))
    }
}

/// Who searches.
#[derive(Args, Debug)]
#[command(next_help_heading = "Who searches")]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) weights: WeightsArgs,
    /// Search with programs instead of threads: a command that answers as 'othello book worker' does, such as
    /// 'ssh host othello book worker'; may be given several times
    #[arg(long = "worker", value_name = "COMMAND")]
    pub(crate) programs: Vec<String>,
    /// Processes of each --worker
    #[arg(long, value_name = "N", default_value_t = 1, requires = "programs", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) each: u16,
    /// Seconds after which a search by a program counts as failed
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) think_timeout: u64,
    /// Have machines search that share a NATS server, such as `nats://host:4222` ('othello book worker --queue')
    #[arg(long, value_name = "URL", conflicts_with = "programs")]
    pub(crate) queue: Option<String>,
    #[command(flatten)]
    pub(crate) shared: QueueName,
}

/// What processes that share a queue have in common.
#[derive(Args, Debug)]
pub(crate) struct QueueName {
    /// Name of the queue; books that grow at the same time need names of their own
    #[arg(long = "queue-name", value_name = "NAME", default_value = "othello")]
    pub(crate) name: String,
    /// Seconds of silence after which a machine's searches are given to others
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub(crate) lease: u64,
    #[command(flatten)]
    pub(crate) trust: QueueTrustArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    /// The book to begin with [default: a new one]; without -o it is the book that grows, and need not be there
    pub(crate) book: Option<PathBuf>,
    /// Level of the searches: 1 to 60; edax1 to edax60 for Edax's levels
    #[arg(long, value_name = "N", default_value = "21")]
    pub(crate) level: BookLevel,
    /// Greatest depth in plies (discs less 4), or inf
    #[arg(long, value_name = "N", default_value = "30")]
    pub(crate) depth: GrowthLimit,
    /// Greatest error of a move, in discs, or inf
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) error: GrowthLimit,
    /// Greatest sum of errors of a line, in discs, or inf
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) sum: GrowthLimit,
    /// How much worse than its position a leaf may be to be learnt, in discs, or inf
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) leaf_error: GrowthLimit,
    /// Most rounds for each start, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) loops: GrowthLimit,
    /// Begin after these moves, or at this board; may be given several times
    #[arg(long, value_name = "MOVES", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: Vec<String>,
    /// Begin at the ends of the games of a file, such as a transcript a line
    #[arg(long, value_name = "FILE")]
    pub(crate) games: Option<PathBuf>,
    /// Begin where so many random walks through the book end
    #[arg(long, value_name = "COUNT,PLIES,LOSS")]
    pub(crate) random: Option<RandomArg>,
    /// Seed of the random walks
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The order of positions in a round
    #[arg(long, value_enum, default_value_t = ScheduleArg::Plies)]
    pub(crate) schedule: ScheduleArg,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

/// Random walks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomArg(pub(crate) RandomStarts);

impl FromStr for RandomArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u64>> = text
            .split(',')
            .map(|number| number.trim().parse().ok())
            .collect();
        let numbers = numbers.unwrap_or_default();
        let (&[count, plies] | &[count, plies, _]) = numbers.as_slice() else {
            return Err(
                "numbers of walks and of plies such as 100,8 or 100,8,2 were expected".to_owned(),
            );
        };
        let loss = numbers.get(2).copied().unwrap_or(0);
        Ok(Self(RandomStarts {
            count,
            plies: plies.min(60) as u32,
            loss: loss.min(128) as u32,
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScheduleArg {
    /// From the first plies on
    Plies,
    /// Positions whose values are least reliable first
    Accuracy,
}

impl From<ScheduleArg> for Schedule {
    fn from(schedule: ScheduleArg) -> Self {
        match schedule {
            ScheduleArg::Plies => Self::Plies,
            ScheduleArg::Accuracy => Self::Accuracy,
        }
    }
}

/// The errors that the lines of a command may have.
#[derive(Args, Debug)]
pub(crate) struct LineErrors {
    /// Greatest error of a move, in discs, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) error: GrowthLimit,
    /// Greatest sum of errors of a line, in discs, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) sum: GrowthLimit,
}

#[derive(Args, Debug)]
pub(crate) struct LeavesArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Level of the searches; leaves of lower levels are recalculated
    #[arg(long, value_name = "N", default_value = "21")]
    pub(crate) level: BookLevel,
    /// Greatest depth in plies (discs less 4), or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) depth: GrowthLimit,
    #[command(flatten)]
    pub(crate) errors: LineErrors,
    /// Only leaves that are missing or illegal
    #[arg(long)]
    pub(crate) only_illegal: bool,
    /// Begin after these moves, or at this board
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: String,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

#[derive(Args, Debug)]
pub(crate) struct StoreArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// The line or game to store
    #[arg(value_name = "MOVES", required_unless_present = "games", value_parser = lookup::record_parser())]
    pub(crate) moves: Vec<String>,
    /// Store the games of a file
    #[arg(long, value_name = "FILE")]
    pub(crate) games: Option<PathBuf>,
    /// Level of the searches; what the book knows from this level on stays
    #[arg(long, value_name = "N", default_value = "21")]
    pub(crate) level: BookLevel,
    /// The last ply to store, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) depth: GrowthLimit,
    /// Only the positions of the line, without the best moves there
    #[arg(long)]
    pub(crate) only_line: bool,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

#[derive(Args, Debug)]
pub(crate) struct SetArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// The moves to the position, or its board
    #[arg(value_name = "MOVES", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) moves: String,
    /// The value for the player who made the last move; for the player to move if a board is given: -64 to 64
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-64..=64))]
    pub(crate) value: i8,
    /// The book to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// What the commands in Edax's meaning share.
#[derive(Args, Debug)]
pub(crate) struct EdaxGrowth {
    /// Fewest empty squares of a position that is worked on [default: that of the book]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) empties: Option<u32>,
    /// Level of the searches where a position has none: edax1 to edax60, or 1 to 60 for Egaroucid's
    #[arg(long, value_name = "N", default_value = "edax21")]
    pub(crate) level: BookLevel,
    /// Most rounds, or inf
    #[arg(long, value_name = "N", default_value = "inf")]
    pub(crate) loops: GrowthLimit,
    /// Begin after these moves, or at this board
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = lookup::record_parser(), allow_hyphen_values = true)]
    pub(crate) start: String,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

#[derive(Args, Debug)]
pub(crate) struct DeviateArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Greatest error of a move, in discs
    #[arg(value_name = "RELATIVE", default_value_t = 2)]
    pub(crate) relative: u32,
    /// Greatest distance from the value of the start, in discs
    #[arg(value_name = "ABSOLUTE", default_value_t = 4)]
    pub(crate) absolute: u32,
    #[command(flatten)]
    pub(crate) growth: EdaxGrowth,
}

#[derive(Args, Debug)]
pub(crate) struct EnhanceArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Assumed error of values in the midgame, in discs
    #[arg(value_name = "MIDGAME", default_value_t = 2)]
    pub(crate) midgame: u32,
    /// Assumed error of selective end games, in discs
    #[arg(value_name = "ENDGAME", default_value_t = 4)]
    pub(crate) endgame: u32,
    #[command(flatten)]
    pub(crate) growth: EdaxGrowth,
}

#[derive(Args, Debug)]
pub(crate) struct FillArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Most moves of a line between two positions of the book
    #[arg(value_name = "DEPTH", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=12))]
    pub(crate) depth: u32,
    #[command(flatten)]
    pub(crate) growth: EdaxGrowth,
}

#[derive(Args, Debug)]
pub(crate) struct PlayOutArgs {
    /// The book
    pub(crate) book: PathBuf,
    #[command(flatten)]
    pub(crate) growth: EdaxGrowth,
}

#[derive(Args, Debug)]
pub(crate) struct RecipeArgs {
    /// The recipe, JSON5
    pub(crate) recipe: PathBuf,
    /// The book to begin with [default: a new one]; without -o it is the book that grows, and need not be there
    pub(crate) book: Option<PathBuf>,
    /// Seed of everything random [default: that of the recipe]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

#[derive(Args, Debug)]
pub(crate) struct WorkerCommand {
    #[command(flatten)]
    pub(crate) weights: WeightsArgs,
    /// Search for the book that grows at this NATS server, instead of answering lines
    #[arg(long, value_name = "URL")]
    pub(crate) queue: Option<String>,
    #[command(flatten)]
    pub(crate) shared: QueueName,
}

#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The book
    pub(crate) book: PathBuf,
    /// Search for missing leaves first, at the levels of their positions, so that all positions can be exported
    #[arg(long)]
    pub(crate) search: bool,
    /// Level of these searches where a position has none
    #[arg(long, value_name = "N", default_value = "edax21")]
    pub(crate) level: BookLevel,
    #[command(flatten)]
    pub(crate) growing: Growing,
}

pub(crate) const LEARN: &str = "\
The leaves of a book that are nearly as good as its moves become positions, with the lines of best moves behind them, as
Egaroucid learns. The book is the same whoever searches, and whatever is killed: the same command goes on. Beside the output
are a journal and a state until the run is complete.

Examples:
  othello book learn -o new.egbk3 --level 11 --depth 20          a new book
  othello book learn book.egbk3 --level 17 --hours 8             the book itself grows, night after night
  othello book learn book.egbk3 -o more.egbk3 --error 2 --sum 6 --leaf-error 2
  othello book learn book.egbk3 -o more.egbk3 --start f5d6c3d3c4 --start f5f6
  othello book learn book.egbk3 -o more.egbk3 --games games.txt --loops 15
  othello book learn book.egbk3 -o more.egbk3 --hours 8 --positions 100000
  othello book learn book.egbk3 -o more.egbk3 --schedule accuracy --depth inf --error inf
  othello book learn book.egbk3 -o more.egbk3 --worker 'ssh host othello book worker' --each 16
  othello book learn book.egbk3 -o more.egbk3 --queue nats://farm:4222";

pub(crate) const LEAVES: &str = "\
Examples:
  othello book leaves book.egbk3 -o better.egbk3 --level 21
  othello book leaves book.egbk3 -o better.egbk3 --only-illegal --level 17";

pub(crate) const STORE: &str = "\
Examples:
  othello book store book.egbk3 f5d6c3d3c4 -o more.egbk3 --level 21
  othello book store book.dat -o more.dat --games games.txt --depth 20";

pub(crate) const SET: &str = "\
The level of a value that is set by hand is 70, above all searches, as in Egaroucid.

Examples:
  othello book set book.egbk3 f5d6c3 -2 -o edited.egbk3      c3 is worth -2 for the player who plays it";

pub(crate) const DEVIATE: &str = "\
Examples:
  othello book deviate book.dat 2 4 -o more.dat              errors of 2 discs, within 4 discs of the start
  othello book deviate book.dat 2 4 -o more.dat --start f5d6 --empties 36";

pub(crate) const ENHANCE: &str = "\
Examples:
  othello book enhance book.dat 2 4 -o more.dat";

pub(crate) const FILL: &str = "\
Examples:
  othello book fill book.dat 2 -o more.dat                   positions between a position and one two moves later";

pub(crate) const PLAY_OUT: &str = "\
Examples:
  othello book play book.dat -o more.dat --empties 30        lines go on by best moves to 30 empty squares";

pub(crate) const RECIPE: &str = "\
A recipe is a JSON5 file of stages, done one after the other:

  {
    seed: 1,
    stages: [
      { do: 'learn', level: 11, depth: 16, error: 4, sum: 8, leaf_error: 4 },
      { do: 'learn', level: 17, depth: 24, schedule: 'accuracy', random: { count: 20, plies: 10, loss: 2 } },
      { do: 'leaves', level: 17, only_illegal: true },
      { do: 'prune', depth: 24, sum: 8 },
      { do: 'fix' },
    ],
  }

Stages: learn, leaves, store, deviate, enhance, fill, play, fix, prune, with the options of the commands.

Examples:
  othello book recipe recipe.json5 -o new.egbk3
  othello book recipe recipe.json5 old.egbk3 -o new.egbk3 --hours 10";

pub(crate) const WORKER: &str = "\
Without --queue it reads lines: discs of the mover and of the opponent (a1 = bit 0), moves as bits, a level; and writes the
boards visited, the value (= if it is exact) and the best line for each.

Examples:
  othello book worker
  othello book worker --queue nats://farm:4222 --threads 16";

pub(crate) const EXPORT: &str = "\
Examples:
  othello book export book.egbk3 -o book.dat                 what the book knows
  othello book export book.egbk3 -o book.dat --search        missing leaves are searched first
  othello book export book.egbk3 -o book.txt                 Edax's text form";
