//! `cargo xtask synth-book`: opening books of any size, made of nothing but a seed.
//!
//! For measuring and testing the book tools: the books look like real ones where it matters (games
//! transpose, most registered moves lead to other positions of the book, evaluations tie, some lines
//! go round in circles), hold no published game and are the same byte for byte on every machine.

mod collection;
mod cycles;
mod entry;
mod taste;
mod walk;

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use shogi_core::Position;

use crate::{Outcome, workspace};
use collection::Collection;
use entry::Scribe;

const EXAMPLES: &str = "\
Examples:
  cargo xtask synth-book --positions 2000000 --seed 1 b2m.db      270 MB, sorted
  cargo xtask synth-book --seed 2 --shuffle unsorted.db           something for a sort to do
  cargo xtask synth-book --seed 3 --cyclic 5 circles.db           repetitions, perpetual checks
  cargo xtask synth-book --positions 20000 --all-moves full.db    every legal move registered

Two books with different seeds share positions, though rarely with the same evaluations: merge them.";

/// Write a synthetic opening book in the .db text format.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The book to write; replaced if it exists.
    out: PathBuf,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    positions: u32,
    /// What the book is made of: same seed and same options, same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Largest move number of a position; the initial position has move number 1.
    #[arg(long, value_name = "PLY", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=500))]
    max_ply: u16,
    /// Average number of registered moves, from 1 to 100.
    #[arg(long, value_name = "X", default_value_t = 2.8, value_parser = parse_average)]
    moves_per_position: f64,
    /// Write the positions in random order instead of sorted by their lines.
    #[arg(long)]
    shuffle: bool,
    /// Register every legal move, pointless non-promotions too.
    #[arg(long)]
    all_moves: bool,
    /// Share of games, in percent, that are played once more with pieces walking back and forth and
    /// with perpetual checks, so that the book has circles of 4 and 6 plies.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    cyclic: u8,
    /// End lines with CR LF instead of LF.
    #[arg(long)]
    crlf: bool,
}

fn parse_average(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(average) if (1.0..=100.0).contains(&average) => Ok(average),
        _ => Err("a number from 1 to 100 is expected".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let start = Instant::now();
    let book = walk::collect(args)?;
    replace_file(&args.out, |out| write_book(args, &book, out))?;
    println!(
        "{}: {} positions in {:.1} s",
        args.out.display(),
        book.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome::Clean)
}

/// Writes all positions of `book`.
fn write_book(args: &Args, book: &Collection, out: &mut impl Write) -> Result<()> {
    let order = if args.shuffle {
        book.shuffled(args.seed)
    } else {
        book.sorted()
    };
    let mut scribe = Scribe::new(args);
    scribe.write_header(out)?;
    for number in order {
        let text = book.text(number);
        let mut position = Position::from_sfen(text)?.with_ply(book.ply(number).into());
        scribe.write_entry(&mut position, text, out)?;
    }
    Ok(())
}

/// Lets `write` fill a new file beside `path` and puts it in the place of `path` when it is whole.
fn replace_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(name);
    let fill = || {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        write(&mut out)?;
        out.into_inner()?.sync_all()?;
        Ok(fs::rename(&temporary, path)?)
    };
    let written: Result<()> = fill();
    if written.is_err() {
        // Nothing to say if it was never made; what went wrong is in `written`.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}
