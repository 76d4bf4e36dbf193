//! The first look at the data: everything is checked and counted, games are kept for validation, and the scale is fitted.

use rayon::prelude::*;
use yane_base::random::Sequence;

use super::fit::Outcomes;
use super::stream::{Chosen, OfGame, Reading};
use super::{Record, SEARCHED_AT_ONCE, lines_of};
use crate::event::DataReport;
use crate::left_out::FilterCounts;
use crate::options::{LearnOptions, LearnValidation, TeacherScale};
use crate::{LearnError, Result};

/// Games shorter than this on average are no games.
const SHORT: f64 = 4.0;

/// The results of a scan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scan {
    /// Positions to train on.
    pub(crate) train: u64,
    /// Positions to test on.
    pub(crate) validation: Vec<Record>,
    /// The scale of the teacher's scores, as fitted; `None` when results say nothing about them.
    pub(crate) fitted: Option<f64>,
    /// The scale that is used.
    pub(crate) scale: f64,
    /// Positions that were read.
    pub(crate) read: u64,
    /// Positions that were filtered out, by reason.
    pub(crate) filtered: FilterCounts,
    /// True if positions seem to be out of the order of their games.
    pub(crate) shuffled: bool,
}

impl Scan {
    /// The report on it.
    pub(crate) fn report(&self) -> DataReport {
        DataReport {
            read: self.read,
            filtered: self.filtered,
            train: self.train,
            validation: self.validation.len() as u64,
            fitted_scale: self.fitted,
            scale: self.scale,
            shuffled: self.shuffled,
        }
    }
}

/// Returns the choice of games to keep.
pub(crate) fn chosen(options: &LearnOptions) -> Chosen {
    match options.validation {
        LearnValidation::Split { share, .. } => Chosen::new(options.seed, share),
        LearnValidation::First(records) => Chosen::first(records),
        LearnValidation::Files(_) => Chosen::first(0),
    }
}

/// Counts of a scan.
#[derive(Default)]
struct Counts {
    outcomes: Outcomes,
    train: u64,
    validation: Vec<Record>,
    positions: u64,
    games: u64,
    /// The file and the number of the last game.
    game: Option<(u16, u64)>,
}

impl Counts {
    fn add(&mut self, options: &LearnOptions, chosen: Chosen, of_game: &OfGame) {
        let record = of_game.record;
        let score = options.target.unit.internal(record.score);
        self.outcomes.count(score, record.outcome);
        let game = Some((record.source, of_game.game));
        self.games += u64::from(self.game != game);
        self.game = game;
        self.positions += 1;
        let most = match options.validation {
            LearnValidation::Split { positions, .. } => positions,
            LearnValidation::First(_) => usize::MAX,
            LearnValidation::Files(_) => 0,
        };
        if !chosen.has(of_game) {
            self.train += 1;
        } else if self.validation.len() < most {
            self.validation.push(record);
        }
    }
}

/// Looks at all data; `tick` is called now and then with the positions read, and may end it.
pub(crate) fn scan(
    options: &LearnOptions,
    reading: &Reading,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Scan> {
    // The leaves are not looked for here: what is counted need not be exact, and they take long.
    let mut reading = Reading {
        check: true,
        ..reading.clone()
    };
    reading.filter.leaf = None;
    let chosen = chosen(options);
    let mut records = reading.records(Sequence::new(options.seed, "scan"))?;
    let mut counts = Counts::default();
    while let Some(of_game) = records.next()? {
        counts.add(options, chosen, &of_game);
        // Without them, scores would seem to say more about results than they do.
        for (score, outcome) in records.upsets.drain(..) {
            let score = options.target.unit.internal(score);
            counts.outcomes.count(score, outcome);
        }
        if counts.positions % (1 << 16) == 0 {
            tick(records.read)?;
        }
    }
    if counts.train == 0 {
        return Err(LearnError::NoPositions {
            path: options.sources[0].path.clone(),
            read: records.read,
            filtered: records.filtered.total(),
        });
    }
    let validation = match &options.validation {
        LearnValidation::Files(files) => read_all(options, files)?,
        LearnValidation::Split { .. } | LearnValidation::First(_) => counts.validation,
    };
    let fitted = counts.outcomes.scale();
    let scale = match options.target.scale {
        TeacherScale::Fixed(scale) => scale,
        TeacherScale::Fitted => fitted.unwrap_or(600.0),
    };
    Ok(Scan {
        train: counts.train,
        validation,
        fitted,
        scale,
        read: records.read,
        filtered: records.filtered,
        shuffled: matches!(options.validation, LearnValidation::Split { .. })
            && (counts.positions as f64) < SHORT * counts.games as f64,
    })
}

/// All positions of files for validation.
fn read_all(options: &LearnOptions, files: &[crate::LearnSource]) -> Result<Vec<Record>> {
    let mut reading = Reading {
        sources: std::sync::Arc::new(files.to_vec()),
        filter: options.filter.clone(),
        threads: options.threads,
        check: true,
        ahead: options.target.ahead,
        unit: options.target.unit,
        visits: false,
    };
    reading.filter.leaf = None;
    let mut records = reading.records(Sequence::new(options.seed, "validation files"))?;
    let mut all = Vec::new();
    while let Some(record) = records.next()? {
        all.push(record.record);
    }
    match files.first() {
        Some(first) if all.is_empty() => Err(LearnError::NoPositions {
            path: first.path.clone(),
            read: records.read,
            filtered: records.filtered.total(),
        }),
        _ => Ok(all),
    }
}

/// The leaves of positions; they themselves when no leaves are looked for.
pub(crate) fn leaves(options: &LearnOptions, records: &[Record]) -> Result<Vec<Record>> {
    let Some(leaf) = &options.filter.leaf else {
        return Ok(records.to_vec());
    };
    let leaves_of = |records: &[Record]| {
        let lines = lines_of(leaf, records)?;
        let leaf_of = |(record, side, line): (Record, _, Option<Vec<_>>)| match line?.last() {
            None => Some(record),
            Some(found) => record.moved_to(side, found),
        };
        Ok(lines.filter_map(leaf_of).collect::<Vec<_>>())
    };
    let found: Result<Vec<_>> = records
        .par_chunks(SEARCHED_AT_ONCE)
        .map(leaves_of)
        .collect();
    Ok(found?.concat())
}
