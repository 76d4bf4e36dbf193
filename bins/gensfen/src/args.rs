//! The command line.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Parser, Subcommand};
use selfplay::{Preset, SelfplaySettings};
use shogi_farm::Engine;
use yane_cli::{EventArgs, QueueTrustArgs, UsageError};
use yane_io::Shard;

/// Plays games between shogi engines and records them as teacher data.
///
/// Without --run it waits for commands, as the classic program does: g (go), p (pause), q (quit),
/// h (help). Settings come from settings/gensfen-settings.json5 if there is one; without it the engine in this
/// program plays on all cores.
///
/// Every finished game is safe at once: the same command with the same --output resumes a run that was
/// interrupted. Games have numbers and follow from them and the seed, so that machines can share them
/// (--shard) and any of them can be played again.
#[derive(Parser, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(name = "gensfen", version, long_version = yane_cli::long_version(), args_conflicts_with_subcommands = true, after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{KEYS}"))]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    /// Settings file (JSON5) [default: settings/gensfen-settings.json5]
    pub(crate) settings: Option<PathBuf>,
    /// Default values of settings: `classic`, or `teacher` for teacher data [default: PRESET of the settings, or
    /// classic]
    #[arg(long, value_name = "NAME", value_parser = preset)]
    pub(crate) preset: Option<Preset>,
    /// Start at once, without commands
    #[arg(long)]
    pub(crate) run: bool,
    /// Number of games, those of other shards included [default: GAMES of the settings, or no end]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u64>,
    /// Positions to search for each move [default: NODES of the settings]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// First output file; its extension sets the format, .pack or .hcpe3 [default: a new file in `kif` of
    /// the format `OUTPUT_FORMAT`]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Seed of all random choices [default: SEED of the settings, or 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// File of start positions, a line each, or of game records (KIF, KI2, CSA, JKF), or a book (.db, .ybb), whose moves
    /// lead to starts [default: `START_SFENS_PATH` of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) starts: Option<PathBuf>,
    /// Take only the first moves of longer lines and games of the file of start positions
    #[arg(long, value_name = "N")]
    pub(crate) start_plies: Option<usize>,
    /// Random moves at the beginning of each game [default: `RANDOM_PLIES` of the settings]
    #[arg(long, value_name = "N")]
    pub(crate) random_plies: Option<u32>,
    /// Begin games only at positions whose score is within so many centipawns, by a short search [default:
    /// `START_MAX_SCORE` of the settings, or any]
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(i16).range(1..=30_000))]
    pub(crate) start_max_score: Option<i16>,
    /// Only the games of one of several equal parts, counted from 0, such as 0/4. Tasks of Slurm arrays and
    /// Kubernetes indexed jobs set it by themselves
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Share the games with other machines over a NATS server, such as `nats://host:4222`
    #[arg(long, value_name = "URL", conflicts_with = "shard")]
    pub(crate) queue: Option<String>,
    /// Hand out games over the queue, and write the results
    #[arg(long, requires = "queue", conflicts_with = "work")]
    pub(crate) serve: bool,
    /// Play games of the queue, with the same settings; writes no files
    #[arg(long, requires = "queue", conflicts_with = "output")]
    pub(crate) work: bool,
    /// Seconds after which others get the games of a worker that is silent
    #[arg(long, value_name = "SECONDS", requires = "queue", default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub(crate) lease: u64,
    #[command(flatten)]
    pub(crate) trust: QueueTrustArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    /// Events and the summary as JSON, one a line, on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) events: EventArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Make a file of balanced start positions for --starts
    #[command(after_help = STARTS)]
    Starts(StartArgs),
}

/// Plays random moves, each nearly as good as the best by a search, and keeps the positions that a longer search finds
/// even. No position comes twice. The same command resumes a run that was interrupted; the same settings give
/// the same file.
#[derive(ClapArgs, Debug)]
pub(crate) struct StartArgs {
    /// Output file: a line for each position, `startpos moves …`
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,
    /// Least and greatest number of random moves
    #[arg(long, value_name = "FROM..TO", default_value = "16..24")]
    pub(crate) plies: Plies,
    /// Greatest score of either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 150, value_parser = clap::value_parser!(i16).range(1..=30_000))]
    pub(crate) max_score: i16,
    /// Positions to search for it
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: u64,
    /// Number of moves to choose from; 1: all legal moves, without a search
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) lines: u16,
    /// Centipawns by which a move may be worse than the best
    #[arg(long, value_name = "CP", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..))]
    pub(crate) spread: i32,
    /// Positions to search for these moves
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) move_nodes: u64,
    /// File of positions to begin with, a line each, or of game records (KIF, KI2, CSA, JKF), or a book (.db, .ybb), whose
    /// moves lead to them [default: the initial position]
    #[arg(long, value_name = "FILE")]
    pub(crate) starts: Option<PathBuf>,
    /// Take only the first moves of longer lines and games of that file
    #[arg(long, value_name = "N")]
    pub(crate) start_plies: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    /// The summary as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// No progress, no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) events: EventArgs,
}

/// The engines of a run.
#[derive(ClapArgs, Debug)]
pub(crate) struct EngineArgs {
    /// An engine in place of those of the settings: a program, a command, or `embedded`
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Option<String>,
    /// A USI option for the engines; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = yane_cli::any_word())]
    pub(crate) option: Vec<String>,
    /// Games or positions at a time of each engine, 0 for one on each core
    #[arg(long, value_name = "N")]
    pub(crate) multi: Option<usize>,
    /// Let engines work that say of an error while they get ready (`info string Error! ...`); without it the run stops
    /// with their words
    #[arg(long)]
    pub(crate) allow_engine_errors: bool,
}

impl EngineArgs {
    /// Puts the engine and the options into `settings`.
    pub(crate) fn apply(&self, settings: &mut SelfplaySettings) -> Result<(), UsageError> {
        if let Some(path) = &self.engine {
            settings.engines = vec![Engine::program(path)];
        }
        let options = yane_cli::engine_options(&self.option)?;
        for engine in &mut settings.engines {
            engine.options.extend(options.iter().cloned());
        }
        if let Some(multi) = self.multi {
            for engine in &mut settings.engines {
                engine.multi = multi;
            }
        }
        Ok(())
    }
}

/// Numbers of plies: `16..24`, both included, or `20`.
#[derive(Clone, Debug)]
pub(crate) struct Plies(pub(crate) RangeInclusive<u32>);

impl FromStr for Plies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) if from <= to && to <= 1000 => Ok(Self(from..=to)),
            _ => Err("expected numbers of plies such as 16..24, at most 1000".to_owned()),
        }
    }
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = Preset::ALL.map(Preset::name).join(", ");
    Preset::from_name(name).ok_or_else(|| format!("expected one of {names}"))
}

const EXAMPLES: &str = "\
Examples:
  gensfen --run --games 1000
      1,000 games of the engine in this program, into kif/
  gensfen
      waits for g, p, q, h; plays by settings/gensfen-settings.json5
  gensfen --run --games 100000 --nodes 20000 --starts starts.txt -o data/run1.pack
      100,000 games from positions of a file; run it again to resume after an interruption
  gensfen --run --games 100000 --shard 3/10 -o data/part3.pack
      the fourth tenth of them
  gensfen --run --games 100000 --queue nats://farm:4222 --serve -o data/run1.pack
  gensfen --run --games 100000 --queue nats://farm:4222 --work
      games of many machines: one serves, all others work; all with the same YANE_SECRET
  gensfen --run --engine engines/YaneuraOu --option USI_Hash=128 --multi 8
      games of another engine, eight at a time
  gensfen --run --games 1000 -o data/run2.hcpe3
      games with candidates (MultiPV), for dlshogi
  gensfen --run --preset teacher --starts starts.sfen --games 100000 -o data/run1.pack
      teacher data: see docs/gensfen.md
  gensfen --run --games 1000 -o data/run1.pack && teacher convert data/run1.pack --to psv
      positions for nnue-pytorch
  gensfen --run --games 100000 -o data/run1.pack --events data/run1.events
      its events in a file, which 'serve --watch data' shows as a dashboard

Exit code 0: done; 1: failed, or games were given up; 2: wrong usage; 130: interrupted, finished games are safe.";

const STARTS: &str = "\
Examples:
  gensfen starts --count 10000 -o starts.sfen
      10,000 positions after 16 to 24 moves, within 150 centipawns
  gensfen starts --count 10000 --max-score 300 --plies 8..32 --lines 1 -o wild.sfen
      after moves at random
  gensfen starts --count 1000 --starts book.sfen --plies 2..6 -o varied.sfen
      a few moves after the positions of a file
  gensfen --run --starts starts.sfen --games 20000 -o data/run1.pack
      games from these positions

Exit code 0: done; 1: failed; 2: wrong usage; 130: interrupted, the same command continues.";

const KEYS: &str = "\
Keys of the settings file (all may be left out; the defaults are those of the preset classic):
  PRESET                  classic or teacher: defaults of other keys   classic
  START_SFENS_PATH        file of start positions                      initial position
  MAX_GAME_PLY            last ply, then a draw                        320
  NODES                   positions to search for each move            1000
  NODES_JITTER            searches have up to this part more or fewer  0
  ENGINE_SETTING          [{ path, name, multi, options, pin }, ...]   embedded on all cores
  OUTPUT_FORMAT           pack or hcpe3 (the extension of -o wins)     pack
  OUTPUT_DIR              folder of the files                          kif, hcpe3
  MULTIPV                 candidates of hcpe3                          4
  HCPE3_VISITS_SUM        visits of a position                         65535
  HCPE3_TEMPERATURE       of the softmax, in centipawns                100
  HCPE3_EVAL_DROP_THRESHOLD  worse candidates are left out             500
  HCPE3_MATE_SCORE        score of a mate, less its length             32000
  HCPE3_RESIGN_EVAL       a side that is as far behind loses           off
  GAMES                   number of games                              no end
  SEED                    seed of all random choices                   1
  RANDOM_PLIES            random moves at the beginning                16; 0 with start positions
  RANDOM_MULTI_PV, RANDOM_MULTI_PV_DIFF, RANDOM_MULTI_PV_NODES
                          random moves among the best, within cp       off, 100, 1000
  RANDOM_VISITS_PLIES     moves at random by visits, so many plies     off
  RANDOM_VISITS_TEMPERATURE, RANDOM_VISITS_TEMPERATURE_DROP,
  RANDOM_VISITS_CUTOFF, RANDOM_VISITS_CUTOFF_DROP
                          as dlshogi's Random_…, in thousandths        10000, 1000, 15, 0
  START_MAX_SCORE, START_NODES   balanced starts only, within cp       off, 5000
  ENTERING_KING_RULE      when a win may be declared                   CSARule27
  RESIGN_VALUE, RESIGN_MOVES, NO_RESIGN_RATE   losing by score         off, 3, 0
  DRAW_VALUE, DRAW_PLIES, DRAW_MIN_PLY         drawing by score        off, 16, 100
  DEDUP_GAMES             leave out duplicates of games                false
  FORGET                  isready before each game                     true
  ROTATE_GAMES, ROTATE_SIZE   when a new file begins                   none, 268435456
  MOVE_TIMEOUT            seconds for a move                           600
  SAVE_INTERVAL           seconds between updates of the file          300

See docs/gensfen.md, in Japanese docs/gensfen.ja.md.";
