//! `cargo xtask synth-book`: opening books of any size, made of nothing but a seed.
//!
//! For measuring and testing the book tools: the books look like real ones where it matters (games
//! transpose, most registered moves lead to other positions of the book, evaluations tie, some lines
//! go round in circles), hold no published game and are the same byte for byte on every machine.

mod args;
mod entry;
mod walk;

use std::fs;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use shogi_core::Position;

use crate::outcome::Outcome;
use crate::workspace;

pub(crate) use args::Args;
use args::Collection;
use entry::Scribe;

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

#[cfg(test)]
mod tests;
