//! From the workers through the sorter to the output.

use yane_io::external::Sorter;
use yane_io::{Pool, TempFolder};

use super::batch::{Done, REMEMBERED, Tally};
use super::body;
use super::input::Input;
use super::output::Output;
use super::{LostPosition, OtherPlies, Report};
use crate::db::Fault;
use crate::{BookMove, Format, Job, Result, Unit, add_move};

/// Positions between two reports of progress while writing.
const STEP: u64 = 1 << 14;

/// Takes what the workers have done.
pub(super) struct Collector {
    pub(super) job: Job,
    source: Format,
    sorter: Sorter,
    /// Buffers of runs that went to the disk, for the workers to fill again.
    pub(super) pool: Pool,
    positions: u64,
    tally: Tally,
    pub(super) unreached: u64,
    /// The first that cannot be reached.
    pub(super) unreached_first: Vec<LostPosition>,
}

impl Collector {
    pub(super) fn new(job: &Job, temp_dir: &TempFolder, source: Format) -> Self {
        Self {
            job: job.clone(),
            source,
            sorter: Sorter::new(job, temp_dir),
            pool: Pool::default(),
            positions: 0,
            tally: Tally::default(),
            unreached: 0,
            unreached_first: Vec::new(),
        }
    }

    /// Takes a batch.
    pub(super) fn take(&mut self, done: Done) -> Result<()> {
        self.positions += done.positions;
        let (all, new) = (&mut self.tally, done.tally);
        all.without_moves += new.without_moves;
        all.bad_positions += new.bad_positions;
        all.bad_moves += new.bad_moves;
        all.collisions += new.collisions;
        let room = REMEMBERED.saturating_sub(all.collided.len());
        all.collided.extend(new.collided.into_iter().take(room));
        let room = REMEMBERED.saturating_sub(all.faults.len());
        all.faults.extend(new.faults.into_iter().take(room));
        self.job.progress.advance(done.amount);
        Ok(self.sorter.add_run(done.run, &self.pool)?)
    }

    /// Number of positions taken.
    pub(super) const fn positions(&self) -> u64 {
        self.positions
    }

    /// What was left out so far.
    pub(super) fn report(&mut self, input: &Input) -> Result<Report> {
        let tally = std::mem::take(&mut self.tally);
        Ok(Report {
            without_moves: tally.without_moves,
            bad_positions: tally.bad_positions,
            bad_moves: tally.bad_moves,
            collisions: tally.collisions,
            unreached: self.unreached,
            lost: [tally.collided, std::mem::take(&mut self.unreached_first)].concat(),
            left_out: input.errors(tally.faults)?,
            ..Report::default()
        })
    }

    /// Writes all positions in the order of the output.
    pub(super) fn write(
        self,
        input: &Input,
        other_plies: OtherPlies,
        mut output: Output,
        report: &mut Report,
    ) -> Result<()> {
        let job = self.job;
        job.progress
            .stage("write", Some(self.positions), Unit::Positions);
        let mut sorted = self.sorter.finish()?;
        let mut joined = Joined::default();
        let mut read = 0;
        while let Some((_, key, body)) = sorted.current() {
            if joined.key == key && !joined.moves.is_empty() {
                joined
                    .join(body, self.source, other_plies, report)
                    .map_err(|(at, fault)| input.error(at, fault))?;
            } else {
                joined.write(&mut output, report)?;
                joined.begin(key, body);
            }
            sorted.advance()?;
            read += 1;
            if read % STEP == 0 {
                job.check()?;
                job.progress.advance(STEP);
            }
        }
        joined.write(&mut output, report)?;
        job.progress.advance(read % STEP);
        job.check()?;
        output.commit()
    }
}

/// A position, joined from all places where the input has it.
#[derive(Default)]
struct Joined {
    key: Vec<u8>,
    ply: u32,
    /// Empty before the first position.
    moves: Vec<BookMove>,
}

impl Joined {
    fn begin(&mut self, key: &[u8], body: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        (_, self.ply) = body::head(body);
        self.moves.clear();
        self.moves.extend(body::moves(body));
    }

    /// Adds the same position from a later place of the input.
    fn join(
        &mut self,
        body: &[u8],
        source: Format,
        other_plies: OtherPlies,
        report: &mut Report,
    ) -> std::result::Result<(), (u64, Fault)> {
        let (at, ply) = body::head(body);
        if source != Format::Db {
            let fault = Fault::Expected {
                expected: "each position once",
                found: "one that was there before".to_owned(),
            };
            return Err((at, fault));
        }
        if ply == self.ply {
            for book_move in body::moves(body) {
                add_move(&mut self.moves, book_move);
            }
            return Ok(());
        }
        if other_plies == OtherPlies::Refuse {
            let fault = Fault::Expected {
                expected: "each position with one ply only (or leave to write the smallest)",
                found: format!("ply {ply} after ply {}", self.ply),
            };
            return Err((at, fault));
        }
        report.other_plies += 1;
        if ply < self.ply {
            self.ply = ply;
            self.moves.clear();
            self.moves.extend(body::moves(body));
        }
        Ok(())
    }

    fn write(&mut self, output: &mut Output, report: &mut Report) -> Result<()> {
        if self.moves.is_empty() {
            return Ok(());
        }
        output.write(&self.key, self.ply, &mut self.moves)?;
        report.positions += 1;
        report.moves += self.moves.len() as u64;
        Ok(())
    }
}
