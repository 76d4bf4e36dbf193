//! Shuffling files larger than memory.
//!
//! Records, games or lines are put into an order that depends only on the seed, the inputs and their
//! order: not on memory, threads or machine. Every order is equally likely, as far as the generator
//! (`ChaCha8`) can be told from chance.
//!
//! The method is that of Rao (1961) and Sandelius (1962): each unit goes to one of 256 buckets, each
//! bucket is shuffled in the same way, and the buckets follow one another. What is small is shuffled
//! by exchanging (Fisher and Yates). Every bucket has a random generator of its own, seeded with its
//! path in the tree. What fits in memory goes the same way in memory, so nothing depends on whether
//! it does.
//!
//! Beyond memory every byte is read twice and written twice, once to a temporary file. With 256
//! buckets that is enough for inputs about a hundred times larger than memory; larger ones take one
//! more turn.

mod external;
mod node;
mod workshop;

use std::path::Path;

use yane_io::{Job, Overwrite};

use crate::stream::{Input, StreamOutput};
use crate::units::{Source, UnitReader, begin_reading};
use crate::{Result, TeacherFormat, kind};

use external::External;
pub use workshop::ShuffleReport;
#[cfg(test)]
use workshop::shuffled;
use workshop::{Workshop, memory_needed};

/// Options of shuffling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffleOptions {
    /// Format of all files. Games of a pack or hcpe3 file stay whole; CSV files keep their header.
    pub format: TeacherFormat,
    /// Seed of the order.
    pub seed: u64,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl ShuffleOptions {
    /// Returns options with seed 0 and an output that is not an input.
    pub fn new(format: TeacherFormat) -> Self {
        Self {
            format,
            seed: 0,
            overwrite: Overwrite::default(),
        }
    }
}

/// Writes everything in `inputs` to `output` in random order.
///
/// The inputs are not checked beyond where their records and games begin and end. Memory is about
/// `job.memory`, at least 2 MiB; temporary space is the size of the inputs.
///
/// # Errors
/// When a file cannot be read or written, one does not end where a record or game ends, there is no
/// input, or the output is an input.
pub fn shuffle(
    inputs: &[Input],
    output: &Path,
    options: &ShuffleOptions,
    job: &Job,
) -> Result<ShuffleReport> {
    shuffle_with(inputs, output, options, job, node::LEAF)
}

/// As [`shuffle`], with another size for what is shuffled by exchanging.
fn shuffle_with(
    inputs: &[Input],
    output: &Path,
    options: &ShuffleOptions,
    job: &Job,
    leaf: usize,
) -> Result<ShuffleReport> {
    let _claim = crate::units::claim_output(inputs, output, options.overwrite)?;
    let sources = Source::once(inputs);
    begin_reading(&sources, job);
    let mut out = StreamOutput::create(output)?;
    let mut shuffling = External::new(options.format, job, output, leaf);
    let root = node::Node::root(options.seed);
    let mut head = Vec::new();
    let mut head_units = 0;
    let mut tree = None;
    let mut without_move = 0;
    for batch in UnitReader::new(sources, options.format, job).batches() {
        let batch = batch?;
        without_move += batch.without_move;
        if let Some(header) = &batch.header {
            out.put(header)?;
        }
        if let Some(tree) = &mut tree {
            shuffling.distribute(&batch.bytes, tree)?;
        } else {
            head.extend_from_slice(&batch.bytes);
            head_units += batch.units;
            if head_units > leaf as u64 {
                let mut first = shuffling.begin(root);
                shuffling.distribute(&head, &mut first)?;
                tree = Some(first);
                head = Vec::new();
            }
        }
        batch.recycle();
    }
    match tree {
        Some(tree) => shuffling.collect(tree, &mut out)?,
        None => shuffling.put_small(head, root, &mut out)?,
    }
    let report = ShuffleReport {
        without_move,
        ..shuffling.report()
    };
    if report.units == 0 {
        return Err(kind::nothing(inputs, options.format));
    }
    out.commit()?;
    Ok(report)
}

#[cfg(test)]
mod tests;
