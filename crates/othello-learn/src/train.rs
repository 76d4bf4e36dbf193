//! Training: all phases of an evaluation, fitted to labelled positions.

use std::path::{Path, PathBuf};

use farm::{Stop, WorkError, threads};
use othello_eval::{
    PatternEvaluator, PatternLayout, PhaseTables, PlyPhases, UNITS_PER_DISC, Weights, WeightsFormat,
};
use yane_base::random::SplitMix64;
use yane_io::{AtomicFile, Checksum, Flush, Job, Journal, Overwrite, RunIdentity, Unit};

use crate::error::OthelloLearnError;
use crate::fit::{FitSettings, Fitter, PhaseReport};
use crate::samples::{LabelKind, LabelledFiles, LabelledPosition};
use crate::units::do_units;

/// The last ply of a game.
const LAST_PLY: usize = 60;

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
    /// The numbers of positions of each ply, those held out apart.
    fitted: Vec<Vec<u32>>,
    held_out: Vec<Vec<u32>>,
    fitter: Fitter,
    phases: PlyPhases,
    overlap: usize,
}

impl FitPlan {
    /// Trains with all positions of `inputs` and the solved ones of `solved`, and writes the weights to `output`.
    ///
    /// Beside it lies a journal of finished phases while the run lasts (`output` with `.journal` behind it). After an
    /// interruption the same call resumes. Neither that nor the number of threads changes a byte of the output.
    ///
    /// # Errors
    /// Inputs that cannot be read or are damaged, with the byte; files that cannot be written, an output that must not be
    /// replaced, a journal of another run; a phase at which the fit panics again and again; cancellation.
    pub fn run(
        &self,
        inputs: &[PathBuf],
        solved: &[PathBuf],
        output: &Path,
        overwrite: Overwrite,
        job: &Job,
    ) -> Result<FitReport, OthelloLearnError> {
        let all = [inputs, solved].concat();
        let _claim = overwrite.claim(output, &all)?;
        let files = LabelledFiles::open(&all)?;
        let searched = files.before(inputs.len());
        let identity = self.identity(&files, searched);
        let mut journal = Journal::open(&Journal::path_of(output), &identity, Flush::Always)?
            .tell(|note| job.progress.note(note));
        let shared = self.shared(files, searched);
        self.fit_phases(&shared, job, &mut journal)?;
        let mut report = FitReport {
            positions: shared.positions_of_all(),
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
        let weights = Weights::new(
            PatternEvaluator::new(
                self.layout.clone(),
                self.phases.clone(),
                &all_tables,
                units,
                64,
            ),
            WeightsFormat::Yaneura,
        );
        let mut file = AtomicFile::create(output)?;
        file.put(&weights.to_bytes(&self.note))?;
        file.commit()?;
        journal.remove()?;
        Ok(report)
    }

    /// Sorts positions by ply and holds games out. From the number `searched` on only solved positions are used.
    fn shared(&self, files: LabelledFiles, searched: usize) -> Shared {
        let plies = LAST_PLY + 1;
        let (mut fitted, mut held_out) = (vec![Vec::new(); plies], vec![Vec::new(); plies]);
        let mut game = 0;
        for (number, position) in files.iter().enumerate() {
            game += u64::from(position.begins_game);
            if number >= searched && position.kind != LabelKind::Exact {
                continue;
            }
            let draw = SplitMix64::nth(self.settings.seed, game) % 100;
            let is_held_out = draw < u64::from(self.held_out_percent);
            let plies = if is_held_out {
                &mut held_out
            } else {
                &mut fitted
            };
            plies[position.ply()].push(number as u32);
        }
        Shared {
            files,
            fitted,
            held_out,
            fitter: Fitter::new(&self.layout, self.settings),
            phases: self.phases.clone(),
            overlap: self.overlap.into(),
        }
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
    fn identity(&self, files: &LabelledFiles, searched: usize) -> RunIdentity {
        let layout = format!("{:?} {:?}", self.layout, self.phases);
        RunIdentity::new("othello train 5")
            .with("data", files.checksum())
            .with("searched positions", searched)
            .with("layout", Checksum::of_bytes(layout.as_bytes()))
            .with("overlap", self.overlap)
            .with("held out percent", self.held_out_percent)
            .with("settings", format!("{:?}", self.settings))
            .with("note", &self.note)
    }
}

impl Shared {
    /// The number of positions that are used.
    fn positions_of_all(&self) -> u64 {
        let plies = self.fitted.iter().chain(&self.held_out);
        plies.map(|ply| ply.len() as u64).sum()
    }

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
        plies.iter().map(|&ply| self.fitted[ply].len() as u64).sum()
    }

    fn positions(&self, phase: usize) -> Vec<LabelledPosition> {
        let plies = self.plies(phase);
        self.at(plies.iter().flat_map(|&ply| &self.fitted[ply]))
    }

    fn held_out(&self, phase: usize) -> Vec<LabelledPosition> {
        let plies = self.phases.plies(phase);
        self.at(plies.flat_map(|ply| &self.held_out[ply]))
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

/// Errors of weights on positions of a ply, in discs.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PlyErrors {
    /// The ply: discs on the board less 4.
    pub ply: usize,
    /// Positions.
    pub positions: u64,
    /// Mean absolute error.
    pub mae: f64,
    /// Root of the mean square error.
    pub rmse: f64,
    /// Mean error: positive where values are too high.
    pub bias: f64,
}

impl PlyErrors {
    fn of_sums(ply: usize, count: u64, absolute: f64, square: f64, sum: f64) -> Self {
        let n = count.max(1) as f64;
        Self {
            ply,
            positions: count,
            mae: absolute / n,
            rmse: (square / n).sqrt(),
            bias: sum / n,
        }
    }
}

/// The errors of `weights` by ply, and those of all positions, whose ply means nothing.
pub fn measure(weights: &Weights, files: &LabelledFiles) -> (Vec<PlyErrors>, PlyErrors) {
    let mut sums = [(0u64, 0f64, 0f64, 0f64); LAST_PLY + 1];
    let mut all = (0u64, 0f64, 0f64, 0f64);
    for position in files.iter() {
        let most = crate::samples::MOST;
        let value = weights.main().evaluate(position.board).clamp(-most, most);
        let error = f64::from(value - position.value) / f64::from(UNITS_PER_DISC);
        for sum in [&mut sums[position.ply()], &mut all] {
            sum.0 += 1;
            sum.1 += error.abs();
            sum.2 += error * error;
            sum.3 += error;
        }
    }
    let errors =
        |ply, (count, absolute, square, sum)| PlyErrors::of_sums(ply, count, absolute, square, sum);
    let plies = sums.into_iter().enumerate().filter(|(_, sum)| sum.0 > 0);
    (
        plies.map(|(ply, sum)| errors(ply, sum)).collect(),
        errors(0, all),
    )
}
