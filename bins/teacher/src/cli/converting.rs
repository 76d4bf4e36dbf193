//! Commands that convert, check and repair.

use std::path::PathBuf;

use clap::Args;
use pack_format::TeacherFormat;
use yane_cli::OutputOption;

use crate::conversion::{HowToConvert, NoMove};
use crate::names::format_parser;

/// `convert IN...`
#[derive(Args, Debug)]
#[command(after_help = CONVERT_EXAMPLES)]
pub(crate) struct ConvertArgs {
    /// The files to convert, each to a file of its own unless there is --output
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Format of the inputs [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
    /// Format of the output [default: by the extension of --output]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), required_unless_present = "output")]
    pub(crate) to: Option<TeacherFormat>,
    /// One output for all inputs [default: IN with the format behind its name, such as x.pack.hcpe]
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What to do with records that have no move (0x0000) [default: keep; fail for hcpe and hcpe3,
    /// whose readers need the move]
    #[arg(long, value_name = "WHAT")]
    pub(crate) no_move: Option<NoMove>,
    #[command(flatten)]
    pub(crate) how: HowToConvert,
}

const CONVERT_EXAMPLES: &str = "\
A damaged input makes no output, unless --recover or --resync is given; the other inputs are
converted. What a format cannot hold is lost: hcpe has no ply and no end reason, psv no end reason;
psv files made of hcpe have ply 0. Games cannot be made of single positions.

Records without a move, as `qsearch_psv` writes them, are whole. hcpe3 cannot keep them.

Examples:
  teacher convert a.pack --to hcpe
  teacher convert a.pack b.pack --to psv
  teacher convert a.hcpe b.hcpe -o all.psv
  teacher convert a.pack -o smooth.hcpe --smoothing 8 --discount 0.9
  teacher convert damaged.pack --to hcpe --resync
  teacher convert quiet.psv --to hcpe --no-move skip
  teacher convert - --from pack --to psv < a.pack > a.psv";

/// `check FILE...`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArgs {
    /// The files to check
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Format of the files [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
    /// How many faults of a file to list, at most 100; all are counted
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max: usize,
    /// Tell also of what readers do not mind: unused bytes that are not 0, and what --strict-reasons tells
    #[arg(long)]
    pub(crate) strict: bool,
    /// A game whose end reason cannot go with its result is a fault; otherwise they are counted
    #[arg(long)]
    pub(crate) strict_reasons: bool,
}

const CHECK_EXAMPLES: &str = "\
Everything is looked at: starts, positions, the legality of every move, results, ends. Behind damage
the check goes on: in a pack where good games provably begin again, in hcpe and psv with the next whole
record, wherever it is. Records without a move (0x0000) are whole, and counted.

Exit code: 0 when nothing is damaged, 1 when something is.

Examples:
  teacher check a.pack
  teacher check *.pack *.hcpe --json
  teacher check a.pack --max 100 --strict
  cat a.psv | teacher check - --from psv";

/// `repair IN OUT`
#[derive(Args, Debug)]
#[command(after_help = REPAIR_EXAMPLES)]
pub(crate) struct RepairArgs {
    /// The damaged file
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// What is good of it
    #[arg(value_name = "OUT", required_unless_present = "output_option")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Format of both [default: by the extension of IN]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) from: Option<TeacherFormat>,
    /// Keep only what is before the first damage of a pack, and of hcpe and psv the records that stand
    /// where they should
    #[arg(long, conflicts_with = "resync")]
    pub(crate) prefix: bool,
    /// Find games and records again behind damage, wherever they are (this is what it does anyway)
    #[arg(long)]
    pub(crate) resync: bool,
    /// Leave out games whose end reason cannot go with their result
    #[arg(long)]
    pub(crate) strict_reasons: bool,
}

const REPAIR_EXAMPLES: &str = "\
Damaged records of hcpe and psv are left out; behind bytes that were inserted or lost the others are
found again. Where a transfer in text mode put carriage returns before line feeds, they are taken out and
the records kept. Of a pack, damaged games are left out, with all that follows until good games provably
begin again. What is left out is told with its bytes. Positions are written in canonical order of the
pieces in hand, unused bytes as 0.

Exit code: 0 when nothing was damaged, 1 when something was left out.

Examples:
  teacher repair damaged.pack good.pack
  teacher repair damaged.pack good.pack --prefix
  teacher repair damaged.pack -o good.pack
  teacher repair x.psv x.psv --force";
