//! A book from positions that engines think about (`makebook think`).
//!
//! # Which positions
//!
//! Those of game records ([`yane_book::positions`]), each once at its smallest move number, in the order of
//! their SFENs; of these the part that is this process's ([`Think::shard`]); of these the ones that the book
//! does not know well enough. It does when it has the position at that move number or a smaller one, and
//! the first of its lines has
//!
//! * a greater depth than [`Think::depth`], or
//! * that depth, and there are as many lines as are wanted, or as there are legal moves if those are fewer.
//!
//! Left out are positions in which the side to move is mated or may declare its win.
//!
//! # What is written
//!
//! As many moves as are wanted, the best one first, each with its expected reply; the value in the unit of the
//! field's books (a pawn is 90, a mate in n plies 32,000 − n); the depth that was asked for, or the one that
//! was reached ([`DepthTold`]); the engine's version × 100 as the count. A score that is only a bound is taken for
//! the value. Where a limit comes before an engine has found enough moves, it is asked again about the
//! others.
//!
//! # What outlives a crash
//!
//! Each position is in the journal beside the book as soon as it has been thought about. The book is made anew
//! from both at intervals and at the end; whoever thinks for this book next takes over what a dead process
//! left in the journal. So the same command goes on where it was interrupted.
//!
//! # Many machines
//!
//! One process knows the book ([`Task::serve`]), others think ([`work`]); they meet in a [`Queue`]. What is
//! told above holds for the one with the book: its journal has each result as soon as it came.

mod events;
mod handed;
mod keeper;
mod ledger;
mod queue;
mod task;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use farm::Rules;
use yane_book::db::LineEnd;
use yane_book::from_sfen::RecordInput;
use yane_book::positions::Wanted;
use yane_io::{Flush, Shard};

pub use events::{Counts, Event, Observer, Summary};
pub use farm_queue::Job as Queue;
pub(crate) use handed::{Answer, unit, work_on_handed};
pub(crate) use queue::{fingerprint, how, kinds};
pub use queue::{queue, work};
pub use task::Task;
pub(crate) use task::{has_book, has_ended, read_book, recover, trouble};
pub(crate) use work::Thoughts;

/// What to think about, how long, and where to write it.
#[derive(Clone, Debug)]
pub struct Think {
    /// The records.
    pub inputs: Vec<RecordInput>,
    /// The `.db` book. It is created if it is not there.
    pub book: PathBuf,
    /// Which positions of every game.
    pub wanted: Wanted,
    /// Deepest iteration, in plies; also what decides whether a position is known well enough.
    pub depth: u32,
    /// Positions to visit for each position at most.
    pub nodes: Option<u64>,
    /// Time for each position at most.
    pub time: Option<Duration>,
    /// Number of moves for each position.
    pub lines: usize,
    /// What the depth in the book says.
    pub depth_told: DepthTold,
    /// The count in the book, instead of the engine's version × 100.
    pub count: Option<u64>,
    /// Whether engines remember what earlier positions taught them. Faster where positions are alike, but
    /// what is written then depends on which engine had which positions.
    pub keeps_hash: bool,
    /// Which positions are this process's.
    pub shard: Shard,
    /// How often the book is brought up to date.
    pub save_interval: Duration,
    /// How long an engine may think about a position before it is started again.
    pub think_timeout: Duration,
    /// When the journal is flushed to the disk.
    pub flush: Flush,
    /// How the lines of the book end.
    pub line_end: LineEnd,
}

/// What the depth of a move in the book says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthTold {
    /// The depth that was asked for, whether or not it was reached before another limit.
    #[default]
    Asked,
    /// The depth that was reached. As it may be less than what was asked for each time, a position that has
    /// enough moves counts as known then, whatever their depth.
    Reached,
}

impl Think {
    /// Thinking about the positions of `inputs` for `book`, with the limits of the classic program and one
    /// move for each position.
    pub fn new(inputs: Vec<RecordInput>, book: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            book: book.into(),
            wanted: Wanted::default(),
            depth: 24,
            nodes: None,
            time: None,
            lines: 1,
            depth_told: DepthTold::default(),
            count: None,
            keeps_hash: false,
            shard: Shard::WHOLE,
            save_interval: Duration::from_secs(900),
            think_timeout: Duration::from_secs(86_400),
            flush: Flush::Every(Duration::from_secs(10)),
            line_end: LineEnd::default(),
        }
    }

    /// How patient a run is.
    fn rules(&self) -> Rules {
        Rules {
            think_timeout: self.think_timeout,
            ..Rules::default()
        }
    }
}
