//! Some positions or games of a file, for people: the first ones, or some picked at random.
//!
//! Only what is shown is checked; [`crate::check`] checks files. For programs there is
//! [`crate::text::jsonl`].

mod units;

use std::fmt;
use std::ops::ControlFlow;

use shogi_core::Position;
use yane_io::{Job, Unit};

use crate::invalid::Skipped;
use crate::pack::Ply;
use crate::stream::{Batches, Input};
use crate::{Hcpe3Game, InvalidData, Result, Sample, TeacherError, TeacherFormat, kind, pack};

use units::{Decoder, Raw, Units};

/// Options of a listing.
#[derive(Clone, Copy, Debug)]
pub struct ListOptions {
    /// The format of the file.
    pub format: TeacherFormat,
    /// Maximum number of positions (of hcpe and PSV files) or games.
    pub count: u64,
    /// Selection of the items.
    pub pick: Pick,
    /// Leave out damaged records, and say how many there were; the list is shorter then. Games
    /// cannot be left out: where the next one begins is not known.
    pub skip_bad: bool,
}

/// Selection of positions or games to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// The first ones.
    #[default]
    First,
    /// Some at random, all equally likely, in the order of the file. The same seed gives the same
    /// ones of the same file.
    ///
    /// Records of a file are looked up; games, and anything from the standard input, are read to the
    /// end, and those picked so far are in memory.
    Random {
        /// The seed.
        seed: u64,
    },
}

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
        Pick::Random { seed } => units::random(&mut show, seed, job)?,
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

/// Prints items.
struct Show<'a> {
    input: &'a Input,
    options: &'a ListOptions,
    decoder: Decoder,
    skipped: Skipped,
    /// True if nothing has been found so far.
    is_empty: bool,
    visit: &'a mut dyn FnMut(Item) -> ControlFlow<()>,
}

impl Show<'_> {
    /// Shows a unit; `None` when it was left out.
    fn show(&mut self, raw: &Raw<'_>) -> Result<Option<ControlFlow<()>>> {
        self.is_empty = false;
        match self.decoder.decode(self.options.format, raw) {
            Ok(item) => Ok(Some((self.visit)(item))),
            Err(invalid) => self.damaged(invalid).map(|()| None),
        }
    }

    /// Returns the damage unless it may be left out.
    fn damaged(&mut self, invalid: InvalidData) -> Result<()> {
        if !self.options.skip_bad {
            return Err(TeacherError::invalid(self.input.path(), invalid));
        }
        self.skipped.add(self.input.path(), invalid);
        Ok(())
    }
}

/// Opens the input for reading from the start to the end.
fn open(show: &Show<'_>, job: &Job) -> Result<Batches> {
    let batches = Batches::open(show.input, show.options.format)?;
    let name = format!("reading {}", show.input);
    job.progress.stage(&name, batches.size(), Unit::Bytes);
    Ok(batches)
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

// Items of a listing and their text form.

/// A position or a game with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A record.
    Position {
        /// Number in the file, from 1.
        number: u64,
        /// Offset of its first byte.
        offset: u64,
        /// The contents of the record.
        sample: Sample,
    },
    /// A game.
    Game {
        /// Number in the file, from 1.
        number: u64,
        /// Offset of its first byte.
        offset: u64,
        /// The game.
        game: Game,
    },
}

/// A game of either format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Game {
    /// Of a pack file.
    Pack(pack::Game),
    /// Of an hcpe3 file.
    Hcpe3(Hcpe3Game),
}

impl Game {
    /// The position it starts from.
    pub const fn start(&self) -> &Position {
        match self {
            Self::Pack(game) => game.start(),
            Self::Hcpe3(game) => game.start(),
        }
    }

    /// Returns the moves and scores of the game.
    pub fn plies(&self) -> &[Ply] {
        match self {
            Self::Pack(game) => game.plies(),
            Self::Hcpe3(game) => game.plies(),
        }
    }

    /// The position after its last move.
    fn end(&self) -> Position {
        let mut position = self.start().clone();
        for ply in self.plies() {
            let _ = position.do_move_unchecked(ply.mv);
        }
        position
    }

    /// Returns the ending as text, such as `result black, reason resign`.
    fn ending(&self) -> String {
        let (result, reason) = match self {
            Self::Pack(game) => (game.result(), game.reason().to_string()),
            Self::Hcpe3(game) => (game.ending().result, game.ending().flags.to_string()),
        };
        let contradicts = matches!(self, Self::Pack(game) if game.contradicts_itself());
        let remark = if contradicts {
            " (a contradiction)"
        } else {
            ""
        };
        format!("result {}, reason {reason}{remark}", result.name())
    }
}

impl fmt::Display for Item {
    /// A position is a line (number, move, score of the player to move, result, ply, SFEN), so that
    /// lists can be sorted and searched:
    ///
    /// ```text
    ///       1  7g7f      100  black  ply   1  lnsgkgsnl/… b - 1
    /// ```
    ///
    /// A game is four:
    ///
    /// ```text
    /// game 1 (byte 0): 2 plies, result black, reason resign
    ///   start  lnsgkgsnl/… b - 1
    ///   moves  7g7f 3c3d
    ///   scores 100 -100
    /// ```
    ///
    /// `{:#}` adds the board, or those of the start and the end of the game, and an empty line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position { number, sample, .. } => {
                write_position(f, *number, sample)?;
                if f.alternate() {
                    writeln!(f, "\n{:#}", sample.position)?;
                }
            }
            Self::Game {
                number,
                offset,
                game,
            } => {
                write_game(f, *number, *offset, game)?;
                if f.alternate() {
                    writeln!(f, "\n{:#}\n{:#}", game.start(), game.end())?;
                }
            }
        }
        Ok(())
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, number: u64, sample: &Sample) -> fmt::Result {
    let ply = sample
        .ply
        .map_or_else(|| "–".to_owned(), |ply| ply.to_string());
    write!(
        f,
        "{number:>7}  {:<5} {:>7}  {:<5}  ply {ply:>3}  {}",
        sample.move_text(),
        sample.score.0,
        sample.result.name(),
        sample.position
    )
}

fn write_game(f: &mut fmt::Formatter<'_>, number: u64, offset: u64, game: &Game) -> fmt::Result {
    let plies = game.plies();
    let (count, ending) = (plies.len(), game.ending());
    writeln!(f, "game {number} (byte {offset}): {count} plies, {ending}")?;
    write!(f, "  start  {}\n  moves ", game.start())?;
    plies.iter().try_for_each(|ply| write!(f, " {}", ply.mv))?;
    write!(f, "\n  scores")?;
    plies.iter().try_for_each(|ply| write!(f, " {}", ply.score))
}
