//! The commands: arguments in, one call, a report out.

pub(crate) mod analyze;
pub(crate) mod best_play;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod filter;
pub(crate) mod from_sfen;
pub(crate) mod info;
pub(crate) mod lists;
pub(crate) mod merge;
pub(crate) mod mine;
pub(crate) mod peta_next;
pub(crate) mod s_tera;
pub(crate) mod serve;
mod tell;
pub(crate) mod think;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use tell::{
    list_problems, list_skipped, problem_texts, skipped_texts, tell_variations, text_books,
    usual_roots,
};

/// Runs the command.
pub(crate) fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = &cli.settings;
    match cli.command {
        Command::FromSfen(args) => from_sfen::from_sfen(args, settings),
        Command::Merge(args) => merge::merge(args, settings),
        Command::Sort(args) => merge::sort(args, settings),
        Command::BuildTree(args) => best_play::build_tree(&args, settings),
        Command::SteraConvert(args) => best_play::stera_convert(&args, settings),
        Command::ExtendTree(args) => lists::extend_tree(&args, settings),
        Command::ExtractSfenFromDb(args) => from_sfen::extract_from_db(&args, settings),
        Command::ExtractSfenFromSfen(args) => from_sfen::extract_from_sfen(&args, settings),
        Command::Startsfens(args) => lists::startsfens(&args, settings),
        Command::PetaShock(args) => best_play::peta_shock(&args, settings),
        Command::PetaShockNext(args) => peta_next::peta_shock_next(&args, settings),
        Command::PetaShockNext2(args) => peta_next::peta_shock_next2(&args, settings),
        Command::PetaNext(args) => peta_next::peta_next(&args, settings),
        Command::Convert(args) => convert::convert(&args, settings),
        Command::ConvertToApery(args) => convert::to_apery(&args, settings),
        Command::ConvertFromApery(args) => convert::from_apery(&args, settings),
        Command::Info(args) => info::info(&args, settings),
        Command::Check(args) => check::check(&args, settings),
        Command::Diff(args) => check::diff(&args, settings),
        Command::Lookup(args) => info::lookup(&args, settings),
        Command::Unique(args) => filter::unique(&args, settings),
        Command::Filter(args) => filter::filter(&args, settings),
        Command::Analyze(args) => analyze::analyze(&args, settings),
        Command::Think(args) => think::think(args, settings),
        Command::EndlessExtendTree(args) => think::endless(args, settings),
        Command::STera(args) => s_tera::stera(&args, settings),
        Command::Mine(args) => mine::mining(&args, settings),
        Command::Serve(args) => serve::serve(*args, settings),
    }
}
