//! The command line.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::acting::ACTING;
use crate::args::{OutputArgs, Settings};
use crate::commands::analyze::AnalyzeArgs;
use crate::commands::best_play::{BuildTreeArgs, PetaShockArgs, SteraConvertArgs};
use crate::commands::check::{CheckArgs, DiffArgs};
use crate::commands::convert::{ConvertArgs, FromToArgs};
use crate::commands::filter::{FilterArgs, UniqueArgs};
use crate::commands::from_sfen::{ExtractFromDbArgs, ExtractFromSfenArgs, FromSfenArgs};
use crate::commands::info::{InfoArgs, LookupArgs};
use crate::commands::lists::{ExtendTreeArgs, StartSfensArgs};
use crate::commands::merge::{MergeArgs, SortArgs};
use crate::commands::mine::MineArgs;
use crate::commands::peta_next::{PetaNextArgs, PetaShockNext2Args, PetaShockNextArgs};
use crate::commands::s_tera::SteraArgs;
use crate::commands::serve::ServePageArgs;
use crate::commands::think::{EndlessArgs, ThinkArgs};

/// Makes, merges, sorts, converts and examines shogi opening books.
///
/// The classic syntax of the field's tools works unchanged (`makebook merge a.db b.db out.db`,
/// `makebook from_sfen games.sfen out.db moves 16`); every word of it is also an option
/// (`--moves 16`). No command ever damages a file: the output appears when it is complete.
#[derive(Debug, Parser)]
#[command(name = "makebook", version, long_version = yane_cli::long_version(), propagate_version = true, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Returns the command line, with a help text for `memory` that fits books.
pub(crate) fn program() -> clap::Command {
    let program = Cli::command();
    let program = program.mut_arg("memory", |memory| {
        memory.help(
            "Memory for buffers, such as 512M or 8G; larger books go through temporary files \
             [default: half of the machine's]",
        )
    });
    let program = program.mut_subcommands(with_output_in_usage);
    yane_cli::plain_help(ACTING.limit(program))
}

/// Shows the output behind the inputs as required: clap takes it for optional, as `-o` may name it.
fn with_output_in_usage(command: clap::Command) -> clap::Command {
    let names: Vec<_> = command
        .get_positionals()
        .filter_map(|arg| arg.get_value_names()?.first())
        .map(|name| format!("<{name}>"))
        .collect();
    let is_output = |arg: &clap::Arg| arg.get_id() == OutputArgs::ID;
    if !command.get_positionals().any(is_output) {
        return command;
    }
    let usage = format!(
        "makebook {} [OPTIONS] {}",
        command.get_name(),
        names.join(" ")
    );
    command.override_usage(usage)
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 failed, or check and diff found something, or lookup nothing; 2 wrong usage;
130 interrupted.

Examples:
  makebook help merge
  makebook merge book1.db book2.db merged.db";

/// The commands.
#[derive(Debug, Subcommand)]
#[command(rename_all = "snake_case")]
pub(crate) enum Command {
    /// Make a book from game records
    FromSfen(FromSfenArgs),
    /// Merge books: for each position the deeper searched one is taken
    Merge(MergeArgs),
    /// Sort a book by SFEN, as on-the-fly probing needs it; repairs order, duplicates, hand order
    Sort(SortArgs),
    /// Give every move of the book its value by playing the book to its ends ("tera shock")
    BuildTree(BuildTreeArgs),
    /// Give every move its value by playing to the ends of a book that has all legal moves
    SteraConvert(SteraConvertArgs),
    /// List the lines by which a book can grow
    ExtendTree(ExtendTreeArgs),
    /// List the positions of a book
    ExtractSfenFromDb(ExtractFromDbArgs),
    /// List the positions of game records
    ExtractSfenFromSfen(ExtractFromSfenArgs),
    /// List the positions that the moves of a book lead to
    #[command(alias = "yanebook2startsfen")]
    Startsfens(StartSfensArgs),
    /// Give every move the value of the best play behind it, over the whole book
    PetaShock(PetaShockArgs),
    /// List the positions to search next: the ends of the best lines, one after the other
    PetaShockNext(PetaShockNextArgs),
    /// List the positions to search next: one side's best moves against all of the other's
    #[command(name = "peta_shock_next2")]
    PetaShockNext2(PetaShockNext2Args),
    /// List the positions to search next, for black's book and for white's, from a peta-shock book
    PetaNext(PetaNextArgs),
    /// Convert between .db, .ybb and Apery's .bin
    Convert(ConvertArgs),
    /// Convert a book to Apery's format
    ConvertToApery(FromToArgs),
    /// Convert a book from Apery's format
    ConvertFromApery(FromToArgs),
    /// Describe a book: positions, moves, plies, values, state of the file
    Info(InfoArgs),
    /// Check format, legality, order, repetitions and limits of other programs
    Check(CheckArgs),
    /// Compare two books
    Diff(DiffArgs),
    /// Show what a book says about a position
    Lookup(LookupArgs),
    /// Leave out positions that are there more than once, with --flip also flipped ones
    #[command(visible_alias = "uniq")]
    Unique(UniqueArgs),
    /// Keep a part of a book: plies, values, a side, what can be reached
    Filter(FilterArgs),
    /// Search the positions of game records and put the best moves into a book
    Think(ThinkArgs),
    /// Search the positions of a book: values for the moves it has, and its best other moves
    Analyze(AnalyzeArgs),
    /// Grow a book in rounds: list the lines that leave it and search them
    EndlessExtendTree(EndlessArgs),
    /// Grow a book in which every move has its value along its best play ("super tera shock")
    #[command(name = "s_tera", visible_alias = "stera")]
    STera(SteraArgs),
    /// Grow a book in rounds: peta shock, list the ends of the best lines and search them
    Mine(MineArgs),
    /// Open a page in the browser: books beside a board, engines, records of games
    Serve(Box<ServePageArgs>),
}
