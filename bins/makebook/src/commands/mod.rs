//! The commands: arguments in, one call, a report out.

mod check;
mod convert;
mod diff;
mod extend_tree;
mod filter;
mod grow;
mod info;
mod lookup;
mod merge;
mod next;
mod peta_shock;
mod records;
mod startsfens;
mod stera;
mod think;
mod trees;
mod unique;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use yane_book::Format;
use yane_book::db::SkippedLine;
use yane_book::records::Faults;

use crate::cli::{Cli, Command};

/// Runs the command.
pub(crate) fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = &cli.settings;
    match cli.command {
        Command::FromSfen(args) => records::from_sfen(args, settings),
        Command::Merge(args) => merge::merge(args, settings),
        Command::Sort(args) => merge::sort(args, settings),
        Command::BuildTree(args) => trees::build_tree(&args, settings),
        Command::SteraConvert(args) => trees::stera_convert(&args, settings),
        Command::ExtendTree(args) => extend_tree::extend_tree(&args, settings),
        Command::ExtractSfenFromDb(args) => records::extract_from_db(&args, settings),
        Command::ExtractSfenFromSfen(args) => records::extract_from_sfen(&args, settings),
        Command::Startsfens(args) => startsfens::startsfens(&args, settings),
        Command::PetaShock(args) => peta_shock::peta_shock(&args, settings),
        Command::PetaShockNext(args) => next::peta_shock_next(&args, settings),
        Command::PetaShockNext2(args) => next::peta_shock_next2(&args, settings),
        Command::PetaNext(args) => next::peta_next(&args, settings),
        Command::Convert(args) => convert::convert(&args, settings),
        Command::ConvertToApery(args) => convert::to_apery(&args, settings),
        Command::ConvertFromApery(args) => convert::from_apery(&args, settings),
        Command::Info(args) => info::info(&args, settings),
        Command::Check(args) => check::check(&args, settings),
        Command::Diff(args) => diff::diff(&args, settings),
        Command::Lookup(args) => lookup::lookup(&args, settings),
        Command::Unique(args) => unique::unique(&args, settings),
        Command::Filter(args) => filter::filter(&args, settings),
        Command::Think(args) => think::think(args, settings),
        Command::EndlessExtendTree(args) => think::endless(args, settings),
        Command::STera(args) => stera::stera(&args, settings),
        Command::Mine(args) => grow::mining(&args, settings),
    }
}

/// Refuses books that are no text, by their names.
fn text_books<P: AsRef<Path>>(command: &str, paths: &[P]) -> anyhow::Result<()> {
    for path in paths {
        let path = path.as_ref();
        if let Ok(format @ (Format::Ybb | Format::Apery)) = Format::of_path(path) {
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

/// Lists the lines that were left out.
fn list_skipped(skipped: &[SkippedLine]) {
    for line in skipped {
        eprintln!("left out: {line}");
    }
    if !skipped.is_empty() {
        eprintln!("{} line(s) left out", skipped.len());
    }
}

/// Lists the lines of records that could not be used.
fn list_faults(faults: &Faults) {
    for fault in &faults.first {
        eprintln!("left out: {fault}");
    }
    if faults.count > 0 {
        eprintln!("{} line(s) could not be used to their end", faults.count);
    }
}

fn fault_texts(faults: &Faults) -> Vec<String> {
    faults.first.iter().map(ToString::to_string).collect()
}

fn skipped_texts(skipped: &[SkippedLine]) -> Vec<String> {
    skipped.iter().map(ToString::to_string).collect()
}

/// The usual file of roots, if it is there.
fn usual_roots(named: Option<&PathBuf>) -> Option<PathBuf> {
    let usual = PathBuf::from("book/root_sfens.txt");
    named.cloned().or_else(|| usual.is_file().then_some(usual))
}
