//! Some positions or games of a file, for people: the first ones, or some picked at random.
//!
//! Only what is shown is checked; [`crate::check`] checks files. For programs there is
//! [`crate::text::jsonl`].

mod item;
mod options;
mod random;
mod show;
mod units;

use std::ops::ControlFlow;

use yane_io::Job;

use crate::invalid::Skipped;
use crate::stream::Input;
use crate::{Result, TeacherError, TeacherFormat, kind};

pub use item::{Game, Item};
pub use options::{ListOptions, Pick};
use show::{Show, open};
use units::{Decoder, Units};

/// Calls `visit` with what is to be listed of `input` until it breaks; what comes before damage is
/// visited before the damage is returned. Gives the records that were left out.
///
/// # Errors
/// [`TeacherError::Option`] for text formats, [`TeacherError::File`], and [`TeacherError::Invalid`]
/// when something that is to be listed, or the way to it, is damaged.
pub fn list(
    input: &Input,
    options: &ListOptions,
    job: &Job,
    mut visit: impl FnMut(Item) -> ControlFlow<()>,
) -> Result<Skipped> {
    accept(options)?;
    let mut show = Show {
        input,
        options,
        decoder: Decoder::default(),
        skipped: Skipped::default(),
        is_empty: true,
        visit: &mut visit,
    };
    match options.pick {
        Pick::First => first(&mut show, job)?,
        Pick::Random { seed } => random::random(&mut show, seed, job)?,
    }
    if show.is_empty && options.count > 0 {
        return Err(kind::nothing(std::slice::from_ref(input), options.format));
    }
    Ok(show.skipped)
}

fn accept(options: &ListOptions) -> Result<()> {
    let format = options.format;
    if matches!(format, TeacherFormat::Jsonl | TeacherFormat::Csv) {
        return Err(TeacherError::Option(format!(
            "{format} is text already: it needs no listing"
        )));
    }
    if options.skip_bad && format.record_len().is_none() {
        return Err(TeacherError::Option(format!(
            "only records can be skipped, not games of {format} files; repair them first"
        )));
    }
    Ok(())
}

fn first(show: &mut Show<'_>, job: &Job) -> Result<()> {
    let mut left = show.options.count;
    let mut batches = open(show, job)?;
    let pool = batches.pool();
    while left > 0 {
        job.check()?;
        let Some(batch) = batches.next_batch()? else {
            break;
        };
        for raw in Units::new(show.options.format, &batch) {
            match show.show(&raw)? {
                Some(ControlFlow::Break(())) => return Ok(()),
                Some(ControlFlow::Continue(())) => left -= 1,
                None => {}
            }
            if left == 0 {
                break;
            }
        }
        job.progress.advance(batch.bytes.len() as u64);
        pool.give(batch.bytes);
    }
    Ok(())
}
