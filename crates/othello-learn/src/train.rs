//! Training: all phases of an evaluation, fitted to labelled positions.

use std::path::Path;

use farm::{Stop, WorkError, threads};
use othello_eval::{
    Evaluator, PatternEvaluator, PatternLayout, PhaseTables, PlyPhases, Weights, WeightsFormat,
};
use yane_io::{AtomicFile, Checksum, Flush, Job, Journal, Overwrite, RunIdentity, Unit};

use crate::error::OthelloLearnError;
use crate::fit::{FitSettings, Fitter, PhaseReport};
use crate::samples::{LabelledFiles, LabelledPosition, TrainingFile};
use crate::split::{LAST_PLY, Split};
use crate::units::do_units;

/// What is trained.
#[derive(Clone, Debug)]
pub struct FitPlan {
    /// The patterns.
    pub layout: PatternLayout,
    /// The phases.
    pub phases: PlyPhases,
    /// Positions of this many plies before and behind a phase are fitted with it: of even plies if the phase has only those,
    /// of odd ones likewise.
    pub overlap: u8,
    /// Games held out, in percent.
    pub held_out_percent: u32,
    /// Settings of the fit.
    pub settings: FitSettings,
    /// A note about the origin in the file of weights.
    pub note: String,
}

impl Default for FitPlan {
    /// Our layout, with phases of two plies, even and odd ones apart from ply 36 on.
    fn default() -> Self {
        Self {
            layout: PatternLayout::yaneura(),
            phases: PlyPhases::with_parity(2, 36),
            overlap: 4,
            held_out_percent: 5,
            settings: FitSettings::default(),
            note: String::new(),
        }
    }
}

/// The numbers of a training.
#[derive(Clone, Debug, Default)]
pub struct FitReport {
    /// Positions that were used, those held out included.
    pub positions: u64,
    /// For each phase its plies and its numbers.
    pub phases: Vec<(Vec<usize>, PhaseReport)>,
}

/// What all units share.
struct Shared {
    files: LabelledFiles,
    split: Split,
    fitter: Fitter,
    phases: PlyPhases,
    overlap: usize,
}

impl FitPlan {
    /// Trains with the positions of `sources`, and writes the weights to `output`.
    ///
    /// Beside it lies a journal of finished phases while the run lasts (`output` with `.journal` behind it). After an
    /// interruption the same call resumes. Neither that nor the number of threads changes a byte of the output.
    ///
    /// # Errors
    /// Inputs that cannot be read or are damaged, with the byte; files that cannot be written, an output that must not be
    /// replaced, a journal of another run; a phase at which the fit panics again and again; cancellation.
    pub fn run(
        &self,
        sources: &[TrainingFile],
        output: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<FitReport, OthelloLearnError> {
        let _claim = overwrite.claim(output, &TrainingFile::paths(sources))?;
        let files = TrainingFile::open_all(sources)?;
        let identity = self.identity(&files, sources);
        let mut journal = Journal::open(&Journal::path_of(output), &identity, Flush::Always)?
            .tell(|note| job.progress.note(note));
        let seed = self.settings.seed;
        let shared = Shared {
            split: Split::new(&files, sources, seed, self.held_out_percent),
            files,
            fitter: Fitter::new(&self.layout, self.settings),
            phases: self.phases.clone(),
            overlap: self.overlap.into(),
        };
        self.fit_phases(&shared, job, &mut journal)?;
        let mut report = FitReport {
            positions: shared.split.len(),
            ..FitReport::default()
        };
        let mut all_tables = Vec::new();
        for phase in 0..self.phases.count() {
            let bytes = journal.get(phase as u64)?.unwrap_or_default();
            let (tables, numbers) = decode(&self.layout, &bytes);
            all_tables.push(tables);
            report
                .phases
                .push((self.phases.plies(phase).collect(), numbers));
        }
        let units = self.settings.units;
        let (layout, phases) = (self.layout.clone(), self.phases.clone());
        let patterns = PatternEvaluator::new(layout, phases, &all_tables, units, 64);
        let weights = Weights::new(Evaluator::Patterns(patterns), WeightsFormat::Yaneura);
        let mut file = AtomicFile::create(output)?;
        file.put(&weights.to_bytes(&self.note))?;
        file.commit()?;
        journal.remove()?;
        Ok(report)
    }

    fn fit_phases(
        &self,
        shared: &Shared,
        job: &Job,
        journal: &mut Journal,
    ) -> Result<(), OthelloLearnError> {
        let (known, missing): (Vec<usize>, Vec<usize>) =
            (0..self.phases.count()).partition(|&phase| journal.contains(phase as u64));
        let total = missing.iter().map(|&phase| shared.len(phase)).sum::<u64>();
        let total = total * u64::from(self.settings.epochs);
        job.progress.stage("training", Some(total), Unit::Positions);
        if !known.is_empty() {
            let all = self.phases.count();
            job.progress.note(&format!(
                "{} of {all} phases are in the journal",
                known.len()
            ));
        }
        let fit = |(): &mut (), &number: &u64, stop: &Stop| {
            let phase = number as usize;
            let (positions, held_out) = (shared.positions(phase), shared.held_out(phase));
            let fitter = &shared.fitter;
            let (tables, report) = fitter.fit(&positions, &held_out, &*job.progress, stop)?;
            if report.held_out > 0 {
                let at = Some(("phase", phase as f64));
                job.progress.figure("mae", at, report.mae);
                job.progress.figure("rmse", at, report.rmse);
            }
            Ok::<_, WorkError>((number, encode(&tables, &report)).into())
        };
        let fitters = threads(job.threads, |_| (), fit).named("training");
        let missing = missing.into_iter().map(|phase| phase as u64).collect();
        do_units(&fitters, missing, job, journal, |_| ())
    }

    /// All that decides about the weights.
    fn identity(&self, files: &LabelledFiles, sources: &[TrainingFile]) -> RunIdentity {
        let layout = format!("{:?} {:?}", self.layout, self.phases);
        RunIdentity::new("othello train 6")
            .with("data", files.checksum())
            .with("shares", TrainingFile::shares(sources))
            .with("layout", Checksum::of_bytes(layout.as_bytes()))
            .with("overlap", self.overlap)
            .with("held out percent", self.held_out_percent)
            .with("settings", format!("{:?}", self.settings))
            .with("note", &self.note)
    }
}

impl Shared {
    /// The plies whose positions are fitted with a phase.
    fn plies(&self, phase: usize) -> Vec<usize> {
        let own: Vec<usize> = self.phases.plies(phase).collect();
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else {
            return own;
        };
        let are_alike = own.iter().all(|ply| ply % 2 == first % 2);
        let all = first.saturating_sub(self.overlap)..=(last + self.overlap).min(LAST_PLY);
        all.filter(|ply| !are_alike || ply % 2 == first % 2)
            .collect()
    }

    fn len(&self, phase: usize) -> u64 {
        let plies = self.plies(phase);
        plies
            .iter()
            .map(|&ply| self.split.fitted[ply].len() as u64)
            .sum()
    }

    fn positions(&self, phase: usize) -> Vec<LabelledPosition> {
        let plies = self.plies(phase);
        self.at(plies.iter().flat_map(|&ply| &self.split.fitted[ply]))
    }

    fn held_out(&self, phase: usize) -> Vec<LabelledPosition> {
        let plies = self.phases.plies(phase);
        self.at(plies.flat_map(|ply| &self.split.held_out[ply]))
    }

    fn at<'a>(&self, numbers: impl Iterator<Item = &'a u32>) -> Vec<LabelledPosition> {
        numbers
            .map(|&number| self.files.get(number as usize))
            .collect()
    }
}

/// A fitted phase as the journal keeps it.
fn encode(tables: &PhaseTables, report: &PhaseReport) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(report.positions.to_le_bytes());
    bytes.extend(report.held_out.to_le_bytes());
    for number in [report.mae, report.rmse, report.bias, report.zeros] {
        bytes.extend(number.to_le_bytes());
    }
    let weights = tables.patterns.iter().chain([&tables.discs]).flatten();
    bytes.extend(weights.flat_map(|weight| weight.to_le_bytes()));
    bytes
}

/// The other way; the journal checks its bytes itself.
fn decode(layout: &PatternLayout, bytes: &[u8]) -> (PhaseTables, PhaseReport) {
    let (head, body) = bytes.split_at(48.min(bytes.len()));
    let words = head.as_chunks::<8>().0;
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    let report = PhaseReport {
        positions: u64::from_le_bytes(word(0)),
        held_out: u64::from_le_bytes(word(1)),
        mae: f64::from_le_bytes(word(2)),
        rmse: f64::from_le_bytes(word(3)),
        bias: f64::from_le_bytes(word(4)),
        zeros: f64::from_le_bytes(word(5)),
    };
    let weights = body.as_chunks::<2>().0.iter();
    let mut weights = weights.map(|&bytes| i16::from_le_bytes(bytes));
    let patterns = layout.patterns().iter();
    let tables = PhaseTables {
        patterns: patterns
            .map(|pattern| weights.by_ref().take(pattern.states()).collect())
            .collect(),
        discs: weights.collect(),
    };
    (tables, report)
}
