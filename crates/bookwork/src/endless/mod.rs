//! A book that grows by itself (`makebook endless_extend_tree`).
//!
//! The lines by which the book can grow ([`yane_book::extend_tree`]) are listed and thought about
//! ([`crate::think`]), and again, until there are none left that lead to anything new.
//!
//! # What outlives a crash
//!
//! Positions are safe when they have been thought about ([`crate::think`]). Which round it is, and what its list
//! looks like, is in a file beside the book, so that the same call goes on in the same round; an uninterrupted run
//! gives the same book.

mod round;

use std::path::PathBuf;

use farm::{Control, Engine, Players};
use farm_queue::Serving;
use yane_book::extend_tree::{ExtendTree, ExtendTreeReport};
use yane_book::from_sfen::RecordInput;
use yane_book::records::read_roots;
use yane_io::Job;

use crate::Result;
use crate::think::{Observer, Queue, Summary, Task, Think};
use crate::think::{has_book, how, recover, trouble};
use round::Rounds;

/// How a book is to grow.
#[derive(Clone, Debug)]
pub struct Endless {
    /// How to think, and the book; the records are [`Self::list`], whatever is said here.
    pub think: Think,
    /// Where to begin: a record file.
    pub roots: PathBuf,
    /// The list of lines to think about, made anew each time.
    pub list: PathBuf,
    /// Which lines.
    pub extend: ExtendTree,
    /// How often at most, times before an interruption included.
    pub loops: u64,
}

/// What comes before and behind each time that the book is made to grow.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// An interrupted run goes on with the lines that it had listed.
    Resumed {
        /// How often lines had been listed before these.
        number: u64,
    },
    /// Lines were listed.
    Listed {
        /// How often that has been done before.
        number: u64,
        /// What was found.
        report: &'a ExtendTreeReport,
    },
    /// The book has grown as far as these lines go.
    Grown {
        /// What was done.
        summary: &'a Summary,
    },
}

/// Hears of a book that grows.
pub trait Grower: Observer {
    /// A step is done.
    fn step(&self, step: &Step<'_>);
}

/// Hears nothing.
impl Grower for () {
    fn step(&self, _: &Step<'_>) {}
}

/// Why a book grows no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has been made to grow as often as was asked for.
    Loops,
    /// No line leaves it any more that leads to anything new.
    NothingLeft,
    /// The run was ended.
    Interrupted,
}

/// A run in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// How often the book grew, times before an interruption included.
    pub loops: u64,
    /// What this process did; the counts are those of its last time.
    pub summary: Summary,
    /// Why it ended.
    pub end: End,
}

/// Has the book grow.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was thought by then is safe, and the same
/// call goes on from there.
pub fn grow(
    options: &Endless,
    players: &Players,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Growth> {
    rounds(options, control, job, grower, |task| {
        task.run(players, control, grower)
    })
}

/// What machines that think for such a run have in common, at the server `url`: how to think, the options of their
/// engines, where lines begin, and the name of the book.
///
/// # Errors
/// When the roots cannot be read.
pub fn queue(options: &Endless, engines: &[Engine], url: &str) -> Result<Queue> {
    let roots = read_roots(&options.roots)?;
    let description = format!(
        "endless {:?} roots {:016x} {}",
        options.think.book.file_name(),
        round::fingerprint_of(&roots),
        how(&options.think, engines)
    );
    Ok(Queue::new(url, &description))
}

/// Has the book grow like [`grow`] by the thought of those who [`work`](crate::think::work) for `queue`. They wait
/// while lines are listed, and end when this has, unless it was interrupted.
///
/// # Errors
/// When a file cannot be read or written, or the queue has no proper address. What was thought by then is safe,
/// and the same call goes on from there.
pub fn serve(
    options: &Endless,
    queue: &Queue,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
) -> Result<Growth> {
    let quits = || control.is_quitting();
    let serving = Serving::new(queue, &quits);
    serving.begin(trouble(grower))?;
    let growth = rounds(options, control, job, grower, |task| {
        task.serve_round(&serving, grower)
    })?;
    if growth.end != End::Interrupted {
        serving.finish(trouble(grower))?;
    }
    Ok(growth)
}

/// Has the book grow, each time by what `think` does.
fn rounds(
    options: &Endless,
    control: &Control,
    job: &Job,
    grower: &dyn Grower,
    think: impl Fn(Task) -> Result<Summary>,
) -> Result<Growth> {
    let recovered = recover(&options.think, job)?;
    let (mut rounds, mut is_listed) = Rounds::begin(options)?;
    let mut summary = Summary::default();
    let end = loop {
        if rounds.done >= options.loops {
            break End::Loops;
        }
        if control.is_quitting() {
            break End::Interrupted;
        }
        let number = rounds.done;
        if is_listed {
            grower.step(&Step::Resumed { number });
        } else {
            let report = &rounds.list(job)?;
            grower.step(&Step::Listed { number, report });
        }
        // An interrupted round may be over, or all that is left of it may fail: neither says anything about the next.
        let may_be_last = !std::mem::take(&mut is_listed);
        let listed = Think {
            inputs: vec![RecordInput::new(&options.list)],
            ..options.think.clone()
        };
        // No line is left.
        if !has_book(&options.list) {
            if may_be_last {
                break End::NothingLeft;
            }
            rounds.done += 1;
            continue;
        }
        let task = Task::prepare(listed, job)?;
        if task.counts().to_do == 0 {
            task.leave()?;
            if may_be_last {
                break End::NothingLeft;
            }
            rounds.done += 1;
            continue;
        }
        let grown = think(task)?;
        grower.step(&Step::Grown { summary: &grown });
        summary.add(&grown);
        if !grown.is_complete {
            break End::Interrupted;
        }
        rounds.done += 1;
        if grown.thought == 0 && may_be_last {
            // Engines failed at all of it, and would again.
            break End::NothingLeft;
        }
    };
    if end != End::Interrupted {
        rounds.end()?;
    }
    summary.counts.recovered += recovered;
    summary.is_complete = end != End::Interrupted;
    Ok(Growth {
        loops: rounds.done,
        summary,
        end,
    })
}
