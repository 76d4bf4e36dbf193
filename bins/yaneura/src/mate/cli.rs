//! The arguments.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mate_collections::CollectionOptions;
use shogi_mate::{CheckedRoot, Exactness, MateLimits};

/// Solve mate problems.
///
/// A file has a problem a line: an SFEN (the words position and sfen before it and moves ... after it are understood) or
/// a JSON object with the field sfen; blank lines and lines that begin with # are left out. Or it has game records or boards, one or many
/// (KIF, KI2, BOD, CSA, JKF, in any encoding): their start is the problem, their moves are its solution.
///
/// The exit code is 0 when every problem was decided, 1 when some were not, 2 for wrong usage, 130 after
/// Ctrl-C.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "yaneura mate",
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(super) struct MateCli {
    #[command(subcommand)]
    pub(super) command: Option<MateCommand>,
    #[command(flatten)]
    pub(super) solve: Solve,
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum MateCommand {
    /// Judge solutions: legal, every move of the attacker a check, mate at the end, shortest?
    ///
    /// A line is an SFEN with moves ... behind it, or a JSON object with sfen and pv (a text of moves or
    /// a list), perhaps len, which must then be the number of moves. Or the file has game records (KIF, KI2, CSA, JKF).
    ///
    /// The exit code is 0 when every solution is a mate of the shortest length, 1 when something is wrong or
    /// could not be proven.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
}

#[derive(Clone, Debug, Args)]
pub(super) struct Solve {
    /// Problems; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// The effort for the length of a mate
    #[arg(long, value_enum, num_args = 0..=1, default_value = "off", default_missing_value = "shortest", require_equals = true)]
    pub(super) exact: Exact,
    /// Search for up to N first moves that mate (cooks, 余詰)
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "help_mate",
          value_parser = clap::value_parser!(u32).range(1..=600))]
    pub(super) multipv: u32,
    /// Also the length without futile interpositions (無駄合い); solves with --exact=shortest
    #[arg(long, conflicts_with = "help_mate")]
    pub(super) composer: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
    /// Write results to this file, which appears when all are there, instead of printing them
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Resume an interrupted run from the journal beside the output
    #[arg(long, requires = "output")]
    pub(super) resume: bool,
    /// Discard the journal of an interrupted run, and replace the output if it exists
    #[arg(long, requires = "output", conflicts_with = "resume")]
    pub(super) force: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct Check {
    /// Solutions; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Do not prove the length
    #[arg(long)]
    pub(super) moves_only: bool,
    /// Judge as composers do: futile interpositions (無駄合い) count neither in the length nor as a defence at
    /// the end
    #[arg(long, conflicts_with = "help_mate")]
    pub(super) composer: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
}

/// The options of both.
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[derive(Clone, Debug, Args)]
pub(super) struct Settings {
    /// Help mates (協力詰め): the defender helps
    #[arg(long)]
    pub(super) help_mate: bool,
    /// Memory of a solver in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) hash: u32,
    /// Threads of a solver
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) threads: u32,
    /// Problems solved at the same time, each with memory and threads of its own [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(super) jobs: Option<u32>,
    /// Time for each problem, such as 10, 0.5, 500ms or 2m; seconds without a unit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) time: Option<Duration>,
    /// Moves made in the search for each problem, at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// A side to move that is in check, when both have kings, is the one to be mated
    #[arg(long)]
    pub(super) defends_if_checked: bool,
    /// One JSON object a line
    #[arg(long)]
    pub(super) json: bool,
    /// No progress, no summary
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// [`Exactness`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Exact {
    /// The first proof is the answer
    Off,
    /// Shorten it until the line is as long as the proven bound
    Upper,
    /// Find the shortest length and prove it
    Shortest,
}

impl From<Exact> for Exactness {
    fn from(exact: Exact) -> Self {
        match exact {
            Exact::Off => Self::Off,
            Exact::Upper => Self::Upper,
            Exact::Shortest => Self::Shortest,
        }
    }
}

impl Settings {
    fn options(&self) -> CollectionOptions {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = cores.div_ceil(self.threads as usize);
        CollectionOptions {
            help_mate: self.help_mate,
            hash_mib: self.hash,
            threads: self.threads,
            jobs: self.jobs.map_or(share, |jobs| jobs as usize),
            limits: MateLimits {
                time: self.time,
                nodes: self.nodes,
            },
            checked_root: if self.defends_if_checked {
                CheckedRoot::Defends
            } else {
                CheckedRoot::Attacks
            },
            ..CollectionOptions::default()
        }
    }
}

impl Solve {
    /// The settings of the run.
    pub(super) fn options(&self) -> CollectionOptions {
        CollectionOptions {
            exact: if self.composer {
                Exactness::Shortest
            } else {
                self.exact.into()
            },
            multi_pv: self.multipv,
            composer: self.composer,
            ..self.settings.options()
        }
    }
}

impl Check {
    /// The settings of the run.
    pub(super) fn options(&self) -> CollectionOptions {
        CollectionOptions {
            composer: self.composer,
            ..self.settings.options()
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 10, 0.5s, 500ms or 2m".to_owned()),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{number:?} is no number"))?;
    Duration::try_from_secs_f64(number * scale).map_err(|error| error.to_string())
}

const EXAMPLES: &str = "\
Examples:
  yaneura mate problems.sfen                       a table, one line a problem
  yaneura mate --exact --time 10 problems.sfen     shortest lengths, 10 seconds each
  yaneura mate --json --multipv 5 problems.sfen    JSON lines, up to 5 mating first moves
  yaneura mate tsume.kif                           a record or a board: KIF, KI2, BOD, CSA, JKF
  yaneura mate --composer problems.sfen            lengths as composers count them, too
  yaneura mate --help-mate --hash 4096 help.sfen   help mates (kyouryoku-zume)
  yaneura mate --json -o out.jsonl --resume big.sfen
  echo '4k4/9/4P4/9/9/9/9/9/9 b G 1' | yaneura mate -
  yaneura mate check solutions.jsonl               judge solutions, see `yaneura mate check --help`";

const CHECK_EXAMPLES: &str = "\
Examples:
  yaneura mate check solutions.jsonl
  yaneura mate check --moves-only --json solutions.sfen
  yaneura mate check --composer books.jsonl        solutions as books print them
  echo '4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b' | yaneura mate check -";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<MateCli, clap::Error> {
        MateCli::try_parse_from(format!("mate {line}").split(' '))
    }

    #[test]
    fn the_length_may_be_named() {
        let exact = |line: &str| parse(line).unwrap().solve.exact;
        assert_eq!(exact("file"), Exact::Off);
        assert_eq!(exact("--exact file"), Exact::Shortest);
        assert_eq!(exact("--exact=upper file"), Exact::Upper);
    }

    #[test]
    fn commands_and_files_are_distinguished() {
        let cli = parse("check --moves-only file").unwrap();
        assert!(matches!(cli.command, Some(MateCommand::Check(check)) if check.moves_only));
        assert!(parse("file").unwrap().command.is_none());
        assert!(parse("").is_err() && parse("--resume file").is_err());
        assert!(parse("--help-mate --composer file").is_err());
        assert!(parse("check --help-mate --composer file").is_err());
    }

    #[test]
    fn times_have_units() {
        for (text, ms) in [
            ("10", 10_000),
            ("0.5", 500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "x", "5d", "-1", "1e400"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
