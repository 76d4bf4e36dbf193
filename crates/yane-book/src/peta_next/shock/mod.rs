//! Positions to search next, straight from a book (`makebook peta_shock_next`, `peta_shock_next2`).
//!
//! The book is solved in memory as [`crate::peta_shock`] does it. Then
//!
//! * [`peta_shock_next`] follows the best moves of both sides from a root until they leave the book,
//!   lists the position they lead to, takes that last move out of the book, finds the values anew, and
//!   begins again: the best lines, the second best, and so on. A random number added to the values of
//!   each position ([`PetaShockNext::eval_noise`]) spreads the lines.
//! * [`peta_shock_next2`] lets one side play its best moves and the other whatever is not too good or
//!   too bad ([`PetaShockNext2::eval_limit`]). Of all positions outside the book that are reached,
//!   those that are worst for the first side are listed; then the sides change.
//!
//! A position is listed once, whatever its move number and from whichever side of the board it is
//! seen; those found first come first.

mod lines;

use std::f64::consts::TAU;
use std::path::Path;

use hashbrown::HashSet;
use shogi_core::{Color, Move, Position};
use yane_base::random::SplitMix64;
use yane_io::{AtomicFile, Overwrite};

use crate::db::{BadLines, LineEnd, LineProblem};
use crate::graph::{DbSource, GraphSource, Keys, SourceRecord, View};
use crate::records::{Root, read_roots};
use crate::startsfens::key_of_both_sides;
use crate::{BookError, BookMove, Job, Result};

use lines::{BestLines, SolvedBook, reached};

/// Output options that both commands share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShockOutput {
    /// Write lines of moves from the root instead of SFENs (`from_startpos`).
    pub from_startpos: bool,
    /// Policy for positions and moves of the book that are wrong.
    pub bad_lines: BadLines,
    /// Line ends of the output.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be one of the inputs.
    pub overwrite: Overwrite,
}

/// Options of the search for the best lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PetaShockNext {
    /// Number of positions to list for each root.
    pub count: usize,
    /// Standard deviation of the random number that is added to all values of a position, in the
    /// book's unit.
    pub eval_noise: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Options of the output.
    pub output: ShockOutput,
}

impl PetaShockNext {
    /// `count` positions for each root, without noise.
    pub fn new(count: usize) -> Self {
        Self {
            count,
            eval_noise: 0.0,
            seed: 0,
            output: ShockOutput::default(),
        }
    }
}

/// Options of the search for positions that the best moves of one side lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetaShockNext2 {
    /// Number of positions to list for each root, half of them for each side (rounded up).
    pub count: usize,
    /// Moves with a value beyond this, either way, are not followed.
    pub eval_limit: u16,
    /// Options of the output.
    pub output: ShockOutput,
}

impl PetaShockNext2 {
    /// `count` positions for each root, within the usual limit of 400.
    pub fn new(count: usize) -> Self {
        Self {
            count,
            eval_limit: 400,
            output: ShockOutput::default(),
        }
    }
}

/// Summary of the listed positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShockNextReport {
    /// Positions of the book.
    pub positions: u64,
    /// Roots.
    pub roots: u64,
    /// Positions listed.
    pub written: u64,
    /// Positions and moves of the book left out because they are wrong.
    pub left_out: u64,
}

/// Lists in `output` where the best lines of the book `book` leave it. Roots are read from the record
/// file `roots`; without it, or when it names none, the even game is the root.
///
/// # Errors
/// When a file cannot be read or written, a line of an input is wrong, or `output` is an input. The
/// output is untouched then.
pub fn peta_shock_next(
    book: &Path,
    roots: Option<&Path>,
    output: &Path,
    options: &PetaShockNext,
    job: &Job,
) -> Result<ShockNextReport> {
    let roots = prepare(book, roots, output, options.output)?;
    let source = Noisy::new(DbSource::new(book)?, options.eval_noise, options.seed);
    let book = SolvedBook::read(&source, options.output.bad_lines, job)?;
    let mut list = List::create(output, options.output, &book, &roots)?;
    let mut lines = BestLines::new(&book);
    for root in &roots {
        match book.find(root.game().position()) {
            None => {
                list.add(root, &[])?;
            }
            Some(node) => lines.find(root, node, options.count, job, |moves| {
                list.add(root, moves)
            })?,
        }
    }
    list.finish()
}

/// Lists in `output` where lines leave the book `book` on which one side plays its best moves. Roots
/// as for [`peta_shock_next`].
///
/// # Errors
/// See [`peta_shock_next`].
pub fn peta_shock_next2(
    book: &Path,
    roots: Option<&Path>,
    output: &Path,
    options: &PetaShockNext2,
    job: &Job,
) -> Result<ShockNextReport> {
    let roots = prepare(book, roots, output, options.output)?;
    let book = SolvedBook::read(&DbSource::new(book)?, options.output.bad_lines, job)?;
    let mut list = List::create(output, options.output, &book, &roots)?;
    for root in &roots {
        let Some(node) = book.find(root.game().position()) else {
            list.add(root, &[])?;
            continue;
        };
        for side in Color::ALL {
            let mut left = options.count.div_ceil(2);
            let found = reached(&book, root, node, side, options.eval_limit, job)?;
            for place in found.worst_first(side) {
                if left == 0 {
                    break;
                }
                left -= usize::from(list.add(root, &found.moves(place))?);
            }
        }
    }
    list.finish()
}

/// Reads the roots and checks the output.
fn prepare(
    book: &Path,
    roots: Option<&Path>,
    output: &Path,
    options: ShockOutput,
) -> Result<Vec<Root>> {
    let mut inputs = vec![book];
    inputs.extend(roots);
    let _claim = options.overwrite.claim(output, &inputs)?;
    let mut roots = roots.map_or(Ok(Vec::new()), read_roots)?;
    if roots.is_empty() {
        roots.push(Root::startpos());
    }
    Ok(roots)
}

/// An output file that takes each position once.
struct List {
    file: AtomicFile,
    options: ShockOutput,
    known: HashSet<u128>,
    report: ShockNextReport,
}

impl List {
    fn create(
        output: &Path,
        options: ShockOutput,
        book: &SolvedBook,
        roots: &[Root],
    ) -> Result<Self> {
        Ok(Self {
            file: AtomicFile::create(output)?,
            options,
            known: HashSet::new(),
            report: ShockNextReport {
                positions: book.positions,
                roots: roots.len() as u64,
                written: 0,
                left_out: book.left_out,
            },
        })
    }

    /// Adds the position that `moves` lead to from `root`; whether it is new.
    fn add(&mut self, root: &Root, moves: &[Move]) -> Result<bool> {
        let mut position: Position = root.game().position().clone();
        for &m in moves {
            let _ = position.do_move_unchecked(m);
        }
        if !self.known.insert(key_of_both_sides(&position)) {
            return Ok(false);
        }
        let text = if self.options.from_startpos {
            root.line(moves.iter().copied())
        } else {
            position.to_sfen()
        };
        self.file.put(text.as_bytes())?;
        self.file.put(self.options.line_end.bytes())?;
        self.report.written += 1;
        Ok(true)
    }

    /// Replaces the file with the list.
    fn finish(self) -> Result<ShockNextReport> {
        if self.report.written == 0 {
            let reason = "no line of the book leads to a position outside it";
            return Err(BookError::nothing(self.file.target(), reason));
        }
        self.file.commit()?;
        Ok(self.report)
    }
}

// A book with random numbers added to its values.

/// A source whose values differ from those of another: the same number is added to all moves of a
/// position, so that the best stays the best there.
#[derive(Clone)]
struct Noisy<S> {
    inner: S,
    deviation: f64,
    seed: u64,
}

impl<S> Noisy<S> {
    /// `inner` with normally distributed numbers of this standard deviation.
    const fn new(inner: S, deviation: f64, seed: u64) -> Self {
        Self {
            inner,
            deviation,
            seed,
        }
    }

    /// The number for the position at `place`.
    fn noise(&self, place: u64) -> i32 {
        if self.deviation == 0.0 {
            return 0;
        }
        let next = |seed| SplitMix64::new(seed).next_u64();
        let bits = next(self.seed ^ next(place));
        let unit = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
        let radius = (-2.0 * (1.0 - unit(bits)).ln()).sqrt();
        let normal = radius * (TAU * unit(next(bits))).cos();
        (normal * self.deviation).round() as i32
    }
}

/// A position with the number to add.
struct NoisyRecord<R> {
    inner: R,
    noise: i32,
}

impl<S: GraphSource> GraphSource for Noisy<S> {
    type Chunk = S::Chunk;
    type Record<'a> = NoisyRecord<S::Record<'a>>;

    fn open(&self) -> Result<impl FnMut() -> Result<Option<S::Chunk>> + Send + 'static> {
        self.inner.open()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn expected_len(&self) -> usize {
        self.inner.expected_len()
    }

    fn chunk_size(chunk: &S::Chunk) -> u64 {
        S::chunk_size(chunk)
    }

    fn records<'a>(&'a self, chunk: &'a S::Chunk) -> impl Iterator<Item = Self::Record<'a>> {
        self.inner.records(chunk).map(|inner| NoisyRecord {
            noise: self.noise(inner.place()),
            inner,
        })
    }

    fn error(&self, place: u64, problem: LineProblem) -> BookError {
        self.inner.error(place, problem)
    }
}

impl<R: SourceRecord> SourceRecord for NoisyRecord<R> {
    fn keys(&self, view: View) -> std::result::Result<Keys, LineProblem> {
        self.inner.keys(view)
    }

    fn position(&self, view: View) -> std::result::Result<(Position, bool), LineProblem> {
        self.inner.position(view)
    }

    fn place(&self) -> u64 {
        self.inner.place()
    }

    fn moves(
        &self,
        mut visit: impl FnMut(u64, std::result::Result<BookMove, LineProblem>) -> Result<()>,
    ) -> Result<()> {
        self.inner.moves(|place, line| {
            let noisy = line.map(|known| BookMove {
                eval: known.eval.saturating_add(self.noise),
                ..known
            });
            visit(place, noisy)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_normal_and_repeatable() {
        let noisy = Noisy::new((), 100.0, 1);
        let all: Vec<_> = (0..10_000).map(|place| noisy.noise(place * 50)).collect();
        let mean = all.iter().sum::<i32>() as f64 / 10_000.0;
        let square = |noise: &i32| f64::from(*noise).powi(2);
        let deviation = (all.iter().map(square).sum::<f64>() / 10_000.0).sqrt();
        assert!(mean.abs() < 4.0, "{mean}");
        assert!((deviation - 100.0).abs() < 4.0, "{deviation}");
        assert_eq!(all[7], noisy.noise(350));
        assert_ne!(all[7], Noisy::new((), 100.0, 2).noise(350));
        assert_eq!(Noisy::new((), 0.0, 1).noise(350), 0);
    }
}
