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
pub(crate) mod think;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use yane_book::Format;
use yane_book::db::SkippedLine;
use yane_book::records::Problems;

use crate::cli::{Cli, Command};

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
    }
}

/// Refuses books that are no text, by their names.
fn text_books<P: AsRef<Path>>(command: &str, paths: &[P]) -> anyhow::Result<()> {
    for path in paths {
        let path = path.as_ref();
        if let Ok(format @ (Format::Ybb | Format::Apery | Format::Sbk)) = Format::of_path(path) {
            let text = path.with_extension(Format::Db.extension());
            anyhow::bail!(
                "{}: {command} works on .db books, not on {format}; convert it: makebook convert {} {}",
                path.display(),
                path.display(),
                text.display(),
            );
        }
    }
    Ok(())
}

/// `1 line`, `2 lines`.
fn lines(count: u64) -> String {
    yane_cli::counted(count, "line", "lines")
}

/// Lists the lines that were left out.
fn list_skipped(skipped: &[SkippedLine]) {
    for line in skipped {
        eprintln!("left out: {line}");
    }
    if !skipped.is_empty() {
        eprintln!("{} left out", lines(skipped.len() as u64));
    }
}

/// Lists the lines of records that could not be used.
fn list_problems(problems: &Problems) {
    for problem in &problems.first {
        eprintln!("left out: {problem}");
    }
    if problems.count > 0 {
        let lines = lines(problems.count);
        eprintln!("{lines} could not be used to the end");
    }
}

/// Tells how many variations of records were left out.
fn tell_variations(left_out: u64) {
    match left_out {
        0 => {}
        1 => eprintln!("1 variation left out (--variations takes it)"),
        left_out => eprintln!("{left_out} variations left out (--variations takes them)"),
    }
}

fn problem_texts(problems: &Problems) -> Vec<String> {
    problems.first.iter().map(ToString::to_string).collect()
}

fn skipped_texts(skipped: &[SkippedLine]) -> Vec<String> {
    skipped.iter().map(ToString::to_string).collect()
}

/// The usual file of roots, if it is there.
fn usual_roots(named: Option<&PathBuf>) -> Option<PathBuf> {
    let usual = PathBuf::from("book/root_sfens.txt");
    named.cloned().or_else(|| usual.is_file().then_some(usual))
}
